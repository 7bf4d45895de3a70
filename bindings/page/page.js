// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { inspect } = require("node:util");
const { pathToFileURL } = require("node:url");
const { JSDOM, VirtualConsole } = require("jsdom");

const { Canvases } = require("./canvas.js");
const { Modules } = require("./modules.js");
const { Resources } = require("./resources.js");
const { confine } = require("./sandbox.js");
const { PageGpu } = require("./gpu.js");

// SplitMix64 on a counter: the top 53 bits in [0, 1).
function seededRandom(seed) {
  let state = BigInt.asUintN(64, BigInt(seed));
  const mask = (1n << 64n) - 1n;
  return () => {
    state = (state + 0x9e3779b97f4a7c15n) & mask;
    let z = state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
    return Number((z ^ (z >> 31n)) >> 11n) / 2 ** 53;
  };
}

// A page that runs. Its scripts begin as soon as it is made.
class Page {
  // Options: webgpu, allowNetwork, race, frames, seed (or undefined), timeout in seconds.
  constructor(file, options) {
    this.options = options;
    this.failed = false;
    this.frame = 0;
    this.frameCallbacks = new Map();
    this.lastCallback = 0;
    const html = decode(fs.readFileSync(file));
    this.resources = new Resources(path.dirname(path.resolve(file)), options.allowNetwork);
    this.dom = new JSDOM(html, {
      url: pathToFileURL(path.resolve(file)).href,
      runScripts: "dangerously",
      resources: confine(this.resources, message => console.error(message)),
      virtualConsole: this.#console(),
      beforeParse: window => this.#prepare(window),
    });
    this.window = this.dom.window;
    this.#runModules();
  }

  // When the document is there.
  #runModules() {
    const { document } = this.window;
    const run = () => new Modules(this).runAll().catch(error => this.fail(error));
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", run);
    else run();
  }

  // What goes wrong in the page: it is shown, and the run has failed.
  fail(error) {
    this.failWith(describe(error));
  }
  failWith(message) {
    this.failed = true;
    console.error(message);
  }

  #console() {
    const virtual = new VirtualConsole();
    virtual.sendTo(console, { omitJSDOMErrors: true });
    virtual.on("jsdomError", error => {
      // Scripts that threw; what could not be loaded; and jsdom's own shortcomings, which are no fault of the page.
      if (error.type === "unhandled exception") return this.fail(error.detail);
      // Without one of its scripts a page does not run as it was written.
      if (error.message.startsWith("Could not load script")) this.failed = true;
      return console.error((error.detail?.message ?? error.message).replace(/^Error: /, ""));
    });
    return virtual;
  }

  #prepare(window) {
    const gpu = this.options.webgpu ? this.#makeGpu(window) : null;
    this.gpu = gpu;
    this.canvases = new Canvases(window, gpu);
    if (this.options.seed !== undefined) window.Math.random = seededRandom(this.options.seed);
    window.requestAnimationFrame = callback => {
      this.frameCallbacks.set(++this.lastCallback, callback);
      this.#scheduleFrame();
      return this.lastCallback;
    };
    window.cancelAnimationFrame = id => this.frameCallbacks.delete(id);
    for (const name of ["TextEncoder", "TextDecoder", "structuredClone", "queueMicrotask"]) {
      window[name] ??= globalThis[name];
    }
    window.fetch = async url => {
      const bytes = await this.resources.read(new URL(String(url), window.document.baseURI).href);
      return new Response(bytes);
    };
  }

  // With the option `race`, what is found is a failure too; it is printed where it is told.
  #makeGpu(window) {
    const found = () => {
      this.failed = true;
    };
    return new PageGpu(window, message => this.failWith(message), this.options.race ? found : undefined);
  }

  #scheduleFrame() {
    if (this.frameTimer !== undefined || this.frame >= this.options.frames) return;
    this.frameTimer = setImmediate(() => this.#runFrame());
  }

  // Callbacks see times as on a display of 60 frames a second.
  #runFrame() {
    this.frameTimer = undefined;
    const callbacks = [...this.frameCallbacks.values()];
    this.frameCallbacks.clear();
    const time = (++this.frame * 1000) / 60;
    for (const callback of callbacks) {
      try {
        callback.call(this.window, time);
      } catch (error) {
        this.fail(error);
      }
    }
    this.gpu?.present();
    this.onFrame?.(this.frame);
    if (this.frameCallbacks.size > 0) this.#scheduleFrame();
  }

  // Resolves when nothing is left to do, or the time is over: then to false.
  settled() {
    return new Promise(resolve => {
      const timer = setTimeout(() => resolve(false), this.options.timeout * 1000);
      timer.unref();
      process.on("beforeExit", () => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }
}

// As UTF-8, unless a byte order mark or the page itself says otherwise.
function decode(bytes) {
  const head = bytes.subarray(0, 1024).toString("latin1");
  const declared = /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i.exec(head)?.[1];
  try {
    return new TextDecoder(declared ?? "utf-8").decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

// Errors of the page's realm are none of Node's, but have a stack: its lines in the page are shown.
function describe(error) {
  if (typeof error !== "object" || error === null || typeof error.stack !== "string") return `Uncaught ${inspect(error)}`;
  const [message, ...frames] = error.stack.split(/\n(?=\s+at )/);
  const own = frames.filter(frame => !/node_modules|\(?node:|[/\\]bindings[/\\]/.test(frame));
  return ["Uncaught " + message, ...own].join("\n");
}

module.exports = { Page };

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const sniffEncoding = require("html-encoding-sniffer");
const { JSDOM } = require("jsdom");

const { Canvases } = require("./canvas.js");
const { makeConsole, reportError, reportRejection } = require("./console.js");
const { Frames } = require("./frames.js");
const { PageGpu } = require("./gpu.js");
const { decodeFor } = require("./images.js");
const { installSizes } = require("./layout.js");
const { Modules } = require("./modules.js");
const { installRealm } = require("./realm.js");
const { Resources } = require("./resources.js");
const { confine } = require("./sandbox.js");

// Of the page's time, how much one command may take.
const COMMAND_SHARE = 0.9;
// How long what is on its way when the time is over may still take.
const GRACE_MS = 500;
const LONGEST_MS = 2 ** 31 - 1; // of Node's timers: longer ones fire at once

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
  // Options: webgpu, allowNetwork, race, frames, seed (or undefined), timeout in seconds. `onFrame(frame)` is called when a frame
  // is there; what it throws ends the page.
  constructor(file, options, onFrame) {
    this.options = options;
    this.failed = false;
    const finish = frame => this.#finishFrame(frame, onFrame);
    this.frames = new Frames(options.frames, error => reportError(this.window, error), finish);
    const bytes = fs.readFileSync(file);
    const encoding = sniffEncoding(bytes, { defaultEncoding: "UTF-8" });
    this.resources = new Resources(path.dirname(path.resolve(file)), options.allowNetwork);
    this.dom = new JSDOM(bytes, {
      url: pathToFileURL(path.resolve(file)).href,
      contentType: `text/html;charset=${encoding}`,
      pretendToBeVisual: true,
      includeNodeLocations: true,
      runScripts: "dangerously",
      resources: confine(this.resources, message => console.error(message), decodeFor),
      virtualConsole: makeConsole(this),
      beforeParse: window => this.#prepare(window),
    });
  }

  // What goes wrong in the page is shown, and the run has failed.
  fail(message) {
    this.failed = true;
    console.error(message);
  }

  #prepare(window) {
    this.window = window;
    process.on("uncaughtException", error => reportError(window, error));
    process.on("unhandledRejection", (reason, promise) => reportRejection(this, promise, reason));
    this.gpu = this.options.webgpu ? this.#makeGpu(window) : null;
    this.canvases = new Canvases(window, this.gpu);
    this.frames.install(window);
    new Modules(this, window);
    if (this.options.seed !== undefined) window.Math.random = seededRandom(this.options.seed);
    window.alert = message => console.log(String(message));
    window.close = () => {}; // for windows that scripts opened
    installSizes(window);
    installRealm(window, this.resources, this.canvases);
  }

  // With the option `race`, what is found is a failure too; it is printed where it is told.
  #makeGpu(window) {
    const found = () => {
      this.failed = true;
    };
    const fail = message => this.fail(message);
    const timeout = COMMAND_SHARE * this.options.timeout;
    return new PageGpu(window, { fail, timeout, onFinding: this.options.race ? found : undefined });
  }

  async #finishFrame(frame, onFrame) {
    this.gpu?.present();
    try {
      onFrame?.(frame);
    } catch (error) {
      this.abort(error);
    }
    await this.gpu?.workDone();
  }

  // Resolves to true when nothing is left to do, to false when the time is over; rejects where the page was ended. `onEnding` is
  // called when it is known which.
  async settled(onEnding) {
    const inTime = await new Promise((resolve, reject) => {
      this.abort = reject;
      setTimeout(() => resolve(false), Math.min(this.options.timeout * 1000, LONGEST_MS)).unref();
      // What was given to devices is done before the page is; a page that is told so may have more to do.
      let idle = this.gpu === null;
      process.on("beforeExit", () => {
        if (idle) return resolve(true);
        idle = true;
        return this.gpu.workDone().then(() => setImmediate(() => {}));
      });
    });
    onEnding();
    this.gpu?.present();
    if (!inTime && this.gpu !== null) {
      await Promise.race([this.gpu.workDone(), new Promise(resolve => setTimeout(resolve, GRACE_MS))]);
      this.gpu.stop();
    }
    return inTime;
  }
}

module.exports = { Page };

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// A page's modules, which jsdom does not run (HTML: #module-script): each once, by its address. Module scripts of the document
// wait in jsdom's queue of deferred scripts; those with `async`, and those that scripts add, run when they are there.
"use strict";

const vm = require("node:vm");
const utils = require("jsdom/lib/jsdom/living/generated/utils.js");
const { fireAnEvent } = require("jsdom/lib/jsdom/living/helpers/events.js");
const HTMLScriptElementImpl = require("jsdom/lib/jsdom/living/nodes/HTMLScriptElement-impl.js").implementation;

const { reportError } = require("./console.js");
const { ImportMap } = require("./import_map.js");

class Modules {
  #page;
  #window;
  #document; // jsdom's own
  #map = new ImportMap();
  #loaded = new Map(); // promises of modules, by type and address
  #evaluated = new WeakMap(); // promises of their ends, by module
  #linking = Promise.resolve();
  #unloadable = new WeakSet(); // errors

  // Before the window's document is parsed.
  constructor(page, window) {
    this.#page = page;
    this.#window = window;
    this.#document = utils.implForWrapper(window.document);
    this.#takeScripts();
    this.#takeImports();
  }

  // What jsdom does with a script element that is complete.
  #takeScripts() {
    const modules = this;
    const { _eval: run } = HTMLScriptElementImpl.prototype;
    HTMLScriptElementImpl.prototype._eval = function () {
      const type = this._getTypeString()?.toLowerCase();
      if (type !== "module" && type !== "importmap") {
        if (!this.hasAttributeNS(null, "nomodule")) run.call(this);
      } else if (this._ownerDocument === modules.#document && this._attached && !this._alreadyStarted) {
        this._alreadyStarted = true;
        if (type === "module") modules.#queue(this);
        else modules.#addMap(this.text);
      }
    };
  }
  // jsdom runs classic scripts by runInContext, which then know import() too.
  #takeImports() {
    const { runInContext } = vm;
    vm.runInContext = (code, context, options) =>
      runInContext(code, context, {
        importModuleDynamically: (specifier, _script, attributes) => this.#import(specifier, options?.filename, attributes),
        ...options,
      });
  }

  #addMap(text) {
    try {
      this.#map.add(text, this.#window.document.baseURI);
    } catch (error) {
      this.#report(error);
    }
  }

  // `script` is jsdom's element.
  #queue(script) {
    const run = () => this.#run(script);
    const deferred = script._parserInserted && !script.hasAttributeNS(null, "async");
    if (this.#document.readyState === "complete") run();
    else if (deferred) this.#document._deferQueue.push(Promise.resolve(), run, null, false, script);
    else this.#document._asyncQueue.push(Promise.resolve(true), run, null, null);
  }

  // Resolves when the module has begun: whatever it awaits, other scripts do not wait for.
  async #run(script) {
    if (this.#document.readyState === "loading") this.#document.readyState = "interactive";
    const source = script.getAttributeNS(null, "src");
    const base = this.#window.document.baseURI;
    try {
      const module = source === null ? this.#make(script.text, base, lineOf(script)) : await this.#load(this.#resolve(source, base, true));
      await this.#link(module);
      this.#evaluate(module).catch(error => this.#report(error));
      if (source !== null) fireAnEvent("load", script);
    } catch (error) {
      this.#report(error);
      if (this.#unloadable.has(error)) fireAnEvent("error", script);
    }
  }
  #report(error) {
    if (this.#unloadable.has(error)) this.#page.fail(error.message);
    else reportError(this.#window, error);
  }

  #make(text, identifier, lineOffset = 0) {
    try {
      return this.#compile(text, identifier, lineOffset);
    } catch (error) {
      error.stack = `${identifier}: ${error.stack}`; // which does not say where
      throw error;
    }
  }
  #compile(text, identifier, lineOffset) {
    return new vm.SourceTextModule(text, {
      context: this.#document._global,
      identifier,
      lineOffset,
      initializeImportMeta: meta => {
        meta.url = identifier;
        meta.resolve = specifier => this.#resolve(String(specifier), identifier);
      },
      importModuleDynamically: (specifier, _module, attributes) => this.#import(specifier, identifier, attributes),
    });
  }
  #makeJson(text, identifier) {
    const value = this.#window.JSON.parse(text);
    const set = function () {
      this.setExport("default", value);
    };
    return new vm.SyntheticModule(["default"], set, { context: this.#document._global, identifier });
  }

  // import()
  async #import(specifier, base, attributes) {
    const module = await this.#load(this.#resolve(specifier, base), attributes?.type);
    await this.#link(module);
    await this.#evaluate(module);
    return module;
  }

  #resolve(specifier, base, isAddress = false) {
    const url = isAddress ? new URL(specifier, base).href : this.#map.resolve(specifier, base);
    if (url !== undefined) return url;
    throw this.#cannotLoad(`'${specifier}' in ${base} is neither an address nor in the import map`);
  }
  #cannotLoad(message) {
    const error = new this.#window.TypeError(message);
    this.#unloadable.add(error);
    return error;
  }

  #load(url, type) {
    const key = `${type} ${url}`;
    if (!this.#loaded.has(key)) this.#loaded.set(key, this.#read(url, type));
    return this.#loaded.get(key);
  }
  async #read(url, type) {
    const bytes = await this.#page.resources.read(url).catch(error => {
      throw this.#cannotLoad(error.message);
    });
    const text = new TextDecoder().decode(bytes);
    return type === "json" ? this.#makeJson(text, url) : this.#make(text, url);
  }

  // With all that it imports. One after the other, as node:vm links a module once and does not wait for one that is being linked.
  #link(module) {
    const linked = this.#linking.then(async () => {
      if (module.status === "unlinked") await module.link((...all) => this.#dependency(...all));
      if (module.status === "errored") throw module.error;
    });
    this.#linking = linked.catch(() => {});
    return linked;
  }
  async #dependency(specifier, from, { attributes, assert }) {
    const module = await this.#load(this.#resolve(specifier, from.identifier), (attributes ?? assert)?.type);
    if (module.status === "errored") throw module.error;
    return module;
  }
  #evaluate(module) {
    if (!this.#evaluated.has(module)) this.#evaluated.set(module, module.evaluate());
    return this.#evaluated.get(module);
  }
}

// How many lines of the file are before an element's text.
function lineOf(script) {
  const text = script.childNodes.item ? script.childNodes.item(0) : undefined;
  return (text?.sourceCodeLocation?.startLine ?? 1) - 1;
}

module.exports = { Modules };

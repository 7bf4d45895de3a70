// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const vm = require("node:vm");

const { reportError } = require("./console.js");

// A page's module scripts, which jsdom does not run: each module once, by its address (HTML: #module-script). Import maps have
// their "imports".
class Modules {
  #page;
  #context;
  #loaded = new Map(); // promises of modules, by address
  #imports = {};

  constructor(page) {
    this.#page = page;
    this.#context = page.dom.getInternalVMContext();
  }

  // Those of the document, in order.
  async runAll() {
    const { document } = this.#page.window;
    for (const map of document.querySelectorAll('script[type="importmap"]')) {
      Object.assign(this.#imports, JSON.parse(map.textContent).imports);
    }
    for (const script of document.querySelectorAll('script[type="module"]')) {
      try {
        await this.#run(script, document.baseURI);
      } catch (error) {
        reportError(this.#page.window, error);
      }
    }
  }

  async #run(script, base) {
    const module = script.src ? await this.#load(script.src) : this.#make(script.textContent, base);
    await module.link((specifier, from) => this.#import(specifier, from.identifier));
    await module.evaluate();
  }

  #make(text, identifier) {
    return new vm.SourceTextModule(text, {
      context: this.#context,
      identifier,
      initializeImportMeta: meta => {
        meta.url = identifier;
      },
      importModuleDynamically: async specifier => {
        const module = await this.#import(specifier, identifier);
        if (module.status === "unlinked") await module.link((name, from) => this.#import(name, from.identifier));
        await module.evaluate();
        return module;
      },
    });
  }

  #import(specifier, base) {
    const isAddress = /^(\.{0,2}\/|[a-z][a-z+.-]*:)/i.test(specifier);
    const mapped = this.#imports[specifier];
    if (mapped === undefined && !isAddress) {
      throw new this.#page.window.TypeError(`'${specifier}' in ${base} is neither an address nor in the import map`);
    }
    return this.#load(new URL(mapped ?? specifier, mapped === undefined ? base : this.#page.window.document.baseURI).href);
  }

  #load(url) {
    if (!this.#loaded.has(url)) {
      this.#loaded.set(url, this.#page.resources.read(url).then(bytes => this.#make(bytes.toString("utf8"), url)));
    }
    return this.#loaded.get(url);
  }
}

module.exports = { Modules };

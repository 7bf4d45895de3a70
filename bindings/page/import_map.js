// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

// The URL that a specifier is by itself, relative to `base` where it begins like a path; or undefined.
function urlOf(specifier, base) {
  try {
    return /^\.{0,2}\//.test(specifier) ? new URL(specifier, base).href : new URL(specifier).href;
  } catch {
    return undefined;
  }
}

// A document's import map: its "imports" (HTML: #import-maps). What names a folder ends in a slash.
class ImportMap {
  #imports = new Map();

  // Those of a map as it is written, with addresses relative to `base`. What is there already stays.
  add(text, base) {
    for (const [name, address] of Object.entries(JSON.parse(text).imports ?? {})) {
      const key = urlOf(name, base) ?? name;
      if (!this.#imports.has(key)) this.#imports.set(key, urlOf(address, base));
    }
  }

  // The URL of what a module or script at `base` imports, or undefined where it is neither an address nor in the map.
  resolve(specifier, base) {
    const url = urlOf(specifier, base);
    const name = url ?? specifier;
    if (this.#imports.has(name)) return this.#imports.get(name);
    const folders = [...this.#imports.keys()].filter(key => key.endsWith("/") && name.startsWith(key));
    if (folders.length === 0) return url;
    const longest = folders.reduce((a, b) => (b.length > a.length ? b : a));
    const folder = this.#imports.get(longest);
    return folder && urlOf(`./${name.slice(longest.length)}`, folder);
  }
}

module.exports = { ImportMap };

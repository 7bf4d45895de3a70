// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { fileURLToPath } = require("node:url");
const { ResourceLoader } = require("jsdom");

// Local files below the page's folder; others only where the network is allowed.
class Resources {
  constructor(folder, allowNetwork) {
    this.folder = fs.realpathSync(folder);
    this.allowNetwork = allowNetwork;
  }

  // The path of a file that the page may read; an Error says why it may not.
  pathOf(url) {
    const named = fileURLToPath(url);
    if (!fs.existsSync(named)) throw new Error(`${named} does not exist`);
    const file = fs.realpathSync(named);
    const inside = path.relative(this.folder, file);
    if (inside.startsWith("..") || path.isAbsolute(inside)) {
      throw new Error(`${file} does not lie below the page's folder ${this.folder}`);
    }
    return file;
  }

  // Bytes of a URL.
  async read(url) {
    const { protocol } = new URL(url);
    if (protocol === "file:") return fs.promises.readFile(this.pathOf(url));
    if (protocol === "data:" || protocol === "blob:") return Buffer.from(await (await fetch(url)).arrayBuffer());
    if (!this.allowNetwork) throw new Error(`${url} is not loaded: there is no network unless --allow-network is given`);
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
    return Buffer.from(await response.arrayBuffer());
  }

  // For jsdom.
  loader() {
    const resources = this;
    return new (class extends ResourceLoader {
      fetch(url) {
        return resources.read(url);
      }
    })();
  }
}

module.exports = { Resources };

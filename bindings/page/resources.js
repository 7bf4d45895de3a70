// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { fileURLToPath } = require("node:url");

// What a server would say of a file.
const CONTENT_TYPES = {
  ".css": "text/css",
  ".csv": "text/csv",
  ".gif": "image/gif",
  ".html": "text/html",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".js": "text/javascript",
  ".json": "application/json",
  ".mjs": "text/javascript",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain",
  ".wasm": "application/wasm",
  ".webp": "image/webp",
  ".wgsl": "text/wgsl",
};

// Whatever a page loads, by any of its interfaces: local files below the page's folder, and others only where the network is
// allowed.
class Resources {
  #blobs = new Map(); // { type, bytes } by URL
  #lastBlob = 0;

  constructor(folder, allowNetwork) {
    this.folder = fs.realpathSync(folder);
    this.allowNetwork = allowNetwork;
  }

  // Why an address of another machine is not reached, or undefined.
  refusal(url) {
    return this.allowNetwork ? undefined : `${url} is not loaded: there is no network unless --allow-network is given`;
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
    // Others, such as pipes, may have no end.
    if (!fs.statSync(file).isFile()) throw new Error(`${file} is no file`);
    return file;
  }

  // A URL for { type, bytes }.
  keepBlob(blob) {
    const url = `blob:null/${++this.#lastBlob}`;
    this.#blobs.set(url, blob);
    return url;
  }
  dropBlob(url) {
    this.#blobs.delete(url);
  }

  // { url, status, statusText, headers: pairs, bytes }. `init` is that of fetch.
  async load(url, init = {}) {
    const { protocol, href } = new URL(url);
    const found = (bytes, type) => ({ url: href, status: 200, statusText: "OK", headers: [["content-type", type]], bytes });
    if (protocol === "file:") {
      const file = this.pathOf(url);
      const type = CONTENT_TYPES[path.extname(file).toLowerCase()] ?? "application/octet-stream";
      return found(await fs.promises.readFile(file), type);
    }
    if (protocol === "blob:") {
      const blob = this.#blobs.get(href.split("#")[0]);
      if (blob === undefined) throw new Error(`${href} is no URL of a blob`);
      return found(Buffer.from(blob.bytes), blob.type);
    }
    if (protocol !== "data:" && !this.allowNetwork) throw new Error(this.refusal(url));
    const response = await fetch(url, init);
    const { status, statusText, headers } = response;
    const bytes = Buffer.from(await response.arrayBuffer());
    return { url: response.url, status, statusText, headers: [...headers], bytes };
  }

  // The bytes of what must be there.
  async read(url) {
    const { status, statusText, bytes } = await this.load(url);
    if (status < 200 || status > 299) throw new Error(`${url}: ${status} ${statusText}`);
    return bytes;
  }
}

module.exports = { Resources };

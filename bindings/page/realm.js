// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Gives a page's window what jsdom has not: the scripts in realm/, which run in the page's realm, and what they need of Node's.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const skia = require("@napi-rs/canvas");
const utils = require("jsdom/lib/jsdom/living/generated/utils.js");

const { define } = require("./define.js");

const SCRIPTS = ["platform.js", "fetch.js", "images.js"];
// These are as good from Node's realm.
const OF_NODE = ["TextDecoder", "ReadableStream", "structuredClone"];

function hostOf(resources, canvases) {
  return {
    define,
    makeTextEncoder: () => new TextEncoder(),
    load: (url, init) => resources.load(url, init),
    keepBlob: blob => resources.keepBlob({ type: blob.type, bytes: utils.implForWrapper(blob)._buffer }),
    dropBlob: url => resources.dropBlob(url),
    // Of the bytes that `read()` promises, when somebody asks for them.
    streamOf: read =>
      new ReadableStream({
        async pull(controller) {
          controller.enqueue(await read());
          controller.close();
        },
      }),
    addCanvas: canvas => canvases.add(canvas),
    resized: canvas => canvases.resized(canvas),
    getContext: (canvas, kind, attributes) => canvases.getContext(canvas, kind, attributes),
    blobOf: (canvas, type, quality) => canvases.blobOf(canvas, type, quality),
    decode: bytes => skia.loadImage(Buffer.from(bytes)).catch(() => null),
    // Makes `object` a copy of a part of `source`.
    copyImage(object, source, x, y, width, height) {
      const image = skia.createCanvas(width, height);
      const context = image.getContext("2d");
      if (source instanceof skia.ImageData) context.putImageData(source, -x, -y);
      else context.drawImage(canvases.sourceImage(source, "createImageBitmap"), x, y, width, height, 0, 0, width, height);
      canvases.setImage(object, image);
    },
  };
}

function installRealm(window, resources, canvases) {
  for (const name of OF_NODE) window[name] ??= globalThis[name];
  const host = hostOf(resources, canvases);
  for (const name of SCRIPTS) {
    const filename = path.join(__dirname, "realm", name);
    window.eval(`${fs.readFileSync(filename, "utf8")}\n//# sourceURL=${filename}`)(window, host);
  }
}

module.exports = { installRealm };

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const skia = require("@napi-rs/canvas");
const utils = require("jsdom/lib/jsdom/living/generated/utils.js");
const HTMLCanvasElementImpl = require("jsdom/lib/jsdom/living/nodes/HTMLCanvasElement-impl.js").implementation;

const { define } = require("./define.js");

const CONTEXT_2D = Object.getPrototypeOf(skia.createCanvas(1, 1).getContext("2d"));

// What a page draws on: each <canvas>, and each OffscreenCanvas, has at most one context, of @napi-rs/canvas for "2d", of Lockstep
// for "webgpu".
class Canvases {
  #window;
  #gpu;
  #surfaces = new WeakMap(); // by canvas, whose width and height are the page's
  #images = new WeakMap(); // what else can be drawn: images of @napi-rs/canvas, by object of the page

  // `gpu`: PageGpu of the page's WebGPU, or null where the page has none.
  constructor(window, gpu) {
    this.#window = window;
    this.#gpu = gpu;
    this.#defineMethods(window.HTMLCanvasElement.prototype);
    this.#watchSizes();
    this.#takeImages();
    define(window, "CanvasRenderingContext2D", CONTEXT_2D.constructor);
    for (const name of ["ImageData", "Path2D", "DOMMatrix", "DOMPoint"]) define(window, name, skia[name]);
  }

  #surfaceOf(canvas) {
    let surface = this.#surfaces.get(canvas);
    if (surface === undefined) {
      surface = { kind: null, context: null, image: null };
      this.#surfaces.set(canvas, surface);
    }
    return surface;
  }

  // Of an OffscreenCanvas, before anything is drawn.
  add(canvas) {
    this.#surfaceOf(canvas);
  }
  getContext(canvas, kind, attributes) {
    const surface = this.#surfaceOf(canvas);
    if (surface.kind !== null) return surface.kind === kind ? surface.context : null;
    if (kind === "2d") {
      surface.image = skia.createCanvas(canvas.width, canvas.height);
      surface.context = surface.image.getContext("2d", attributes);
      Object.defineProperty(surface.context, "canvas", { value: canvas });
    } else if (kind === "webgpu" && this.#gpu !== null) {
      surface.context = this.#gpu.makeContext(canvas);
    } else {
      return null;
    }
    surface.kind = kind;
    return surface.context;
  }

  #defineMethods(prototype) {
    const canvases = this;
    define(prototype, "getContext", function getContext(kind, attributes) {
      return canvases.getContext(this, String(kind), attributes);
    });
    define(prototype, "toDataURL", function toDataURL(type, quality) {
      return canvases.imageOf(this).toDataURL(type, quality);
    });
    define(prototype, "toBlob", function toBlob(callback, type, quality) {
      const { setTimeout, TypeError } = canvases.#window;
      if (typeof callback !== "function") throw new TypeError("toBlob: parameter 1 is not of type 'Function'.");
      const blob = canvases.blobOf(this, type, quality);
      setTimeout(() => callback(blob), 0);
    });
  }

  // Setting either size clears the canvas, however it is set (HTML: #attr-canvas-width).
  #watchSizes() {
    const canvases = this;
    const { _attrModified: modified } = HTMLCanvasElementImpl.prototype;
    HTMLCanvasElementImpl.prototype._attrModified = function (name, ...values) {
      modified.call(this, name, ...values);
      if (name === "width" || name === "height") canvases.resized(utils.wrapperForImpl(this));
    };
  }
  resized(canvas) {
    const surface = this.#surfaceOf(canvas);
    if (surface.kind === "2d") {
      surface.image.width = canvas.width;
      surface.image.height = canvas.height;
    } else if (surface.kind === "webgpu") {
      this.#gpu.resized(surface.context);
    }
  }

  // 2D contexts take what a page can draw (HTML: CanvasImageSource).
  #takeImages() {
    const canvases = this;
    for (const name of ["drawImage", "createPattern"]) {
      const { [name]: method } = CONTEXT_2D;
      CONTEXT_2D[name] = function (source, ...rest) {
        return method.call(this, canvases.sourceImage(source, name), ...rest);
      };
    }
  }
  // `object` of the page is drawn as `image`, one of @napi-rs/canvas.
  setImage(object, image) {
    this.#images.set(object, image);
  }
  // `caller` names the method in errors.
  sourceImage(source, caller) {
    const { HTMLCanvasElement, HTMLImageElement, TypeError, DOMException } = this.#window;
    if (source instanceof skia.CanvasElement || source instanceof skia.Image) return source; // Lockstep's own
    if (source instanceof HTMLCanvasElement || this.#surfaces.has(source)) return this.imageOf(source);
    const image = source instanceof HTMLImageElement ? utils.implForWrapper(source)._image : this.#images.get(source);
    if (image) return image;
    if (source instanceof HTMLImageElement) {
      if (source.complete && source.src) throw new DOMException(`${caller}: the image is broken`, "InvalidStateError");
      return skia.createCanvas(1, 1); // not there yet: nothing is drawn
    }
    throw new TypeError(`${caller}: parameter 1 is no canvas and no image`);
  }

  // What the canvas shows, as an image of its size; transparent where nothing was drawn.
  imageOf(canvas) {
    const surface = this.#surfaceOf(canvas);
    if (surface.kind === "2d") return surface.image;
    const image = skia.createCanvas(canvas.width, canvas.height);
    if (surface.kind === "webgpu") {
      const pixels = this.#gpu.pixelsOf(surface.context);
      if (pixels !== null) image.getContext("2d").putImageData(new skia.ImageData(pixels.data, pixels.width, pixels.height), 0, 0);
    }
    return image;
  }

  // A Blob of the page with the canvas as a file of a type, or PNG; null where it has no pixels.
  blobOf(canvas, type, quality) {
    const [, found, text] = /^data:([^;,]*)[^,]*,(.*)$/s.exec(this.imageOf(canvas).toDataURL(type, quality));
    return text === "" ? null : new this.#window.Blob([Buffer.from(text, "base64")], { type: found });
  }
}

module.exports = { Canvases };

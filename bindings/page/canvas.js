// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const skia = require("@napi-rs/canvas");

// The canvases of a page: each <canvas> has at most one context, of @napi-rs/canvas for "2d", of Lockstep for "webgpu".
class Canvases {
  #window;
  #gpu;
  #surfaces = new WeakMap();

  // `gpu`: PageGpu of the page's WebGPU, or null where the page has none.
  constructor(window, gpu) {
    this.#window = window;
    this.#gpu = gpu;
    this.#defineMethods(window.HTMLCanvasElement.prototype);
  }

  #surfaceOf(element) {
    let surface = this.#surfaces.get(element);
    if (surface === undefined) {
      surface = { kind: null, context: null, image: null };
      this.#surfaces.set(element, surface);
    }
    return surface;
  }

  #getContext(element, kind) {
    const surface = this.#surfaceOf(element);
    if (surface.kind !== null) return surface.kind === kind ? surface.context : null;
    if (kind === "2d") {
      const { width, height } = element;
      surface.image = skia.createCanvas(width, height);
      surface.context = surface.image.getContext("2d");
      Object.defineProperty(surface.context, "canvas", { value: element });
    } else if (kind === "webgpu" && this.#gpu !== null) {
      surface.context = this.#gpu.makeContext(element);
    } else {
      return null;
    }
    surface.kind = kind;
    return surface.context;
  }

  #defineMethods(prototype) {
    const canvases = this;
    const define = (name, value) => Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
    define("getContext", function getContext(kind) {
      return canvases.#getContext(this, String(kind));
    });
    define("toDataURL", function toDataURL(type = "image/png", quality = undefined) {
      return canvases.imageOf(this).toDataURL(type, quality);
    });
    define("toBlob", function toBlob(callback, type = "image/png", quality = undefined) {
      const { Blob } = canvases.#window;
      const bytes = canvases.imageOf(this).toBuffer(type, quality);
      canvases.#window.setTimeout(() => callback(new Blob([bytes], { type })), 0);
    });
    // Setting either size clears the canvas (HTML: #attr-canvas-width).
    for (const name of ["width", "height"]) {
      const { get, set } = Object.getOwnPropertyDescriptor(prototype, name);
      Object.defineProperty(prototype, name, {
        get,
        set(value) {
          set.call(this, value);
          canvases.#resize(this);
        },
        enumerable: true,
        configurable: true,
      });
    }
  }

  #resize(element) {
    const surface = this.#surfaceOf(element);
    if (surface.kind === "2d") {
      surface.image.width = element.width;
      surface.image.height = element.height;
    } else if (surface.kind === "webgpu") {
      this.#gpu.resized(surface.context);
    }
  }

  // What the canvas shows, as an image of its size; transparent where nothing was drawn.
  imageOf(element) {
    const surface = this.#surfaceOf(element);
    if (surface.kind === "2d") return surface.image;
    const image = skia.createCanvas(element.width, element.height);
    if (surface.kind === "webgpu") {
      const pixels = this.#gpu.pixelsOf(surface.context);
      if (pixels !== null) image.getContext("2d").putImageData(new skia.ImageData(pixels.data, pixels.width, pixels.height), 0, 0);
    }
    return image;
  }
}

module.exports = { Canvases };

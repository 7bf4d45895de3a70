// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Canvases and images that are no elements. Runs in the page's realm; what they show is kept by canvas.js.
(function installImages(window, host) {
  "use strict";

  class OffscreenCanvas extends EventTarget {
    #width;
    #height;
    constructor(width, height) {
      super();
      this.#width = Math.max(0, Math.trunc(width));
      this.#height = Math.max(0, Math.trunc(height));
      host.addCanvas(this);
    }
    get width() {
      return this.#width;
    }
    set width(width) {
      this.#width = Math.max(0, Math.trunc(width));
      host.resized(this);
    }
    get height() {
      return this.#height;
    }
    set height(height) {
      this.#height = Math.max(0, Math.trunc(height));
      host.resized(this);
    }
    getContext(kind, attributes) {
      return host.getContext(this, String(kind), attributes);
    }
    async convertToBlob({ type, quality } = {}) {
      const blob = host.blobOf(this, type, quality);
      if (blob === null) throw new DOMException("convertToBlob: the canvas has no pixels", "IndexSizeError");
      return blob;
    }
    transferToImageBitmap() {
      const bitmap = makeBitmap(this, [0, 0, this.width, this.height]);
      this.width = this.#width; // clears it
      return bitmap;
    }
  }

  class ImageBitmap {
    constructor(token, width, height) {
      if (token !== host) throw new TypeError("Illegal constructor");
      this.width = width;
      this.height = height;
    }
    close() {
      this.width = this.height = 0;
    }
  }
  function makeBitmap(source, [x, y, width, height]) {
    const bitmap = new ImageBitmap(host, width, height);
    host.copyImage(bitmap, source, x, y, width, height);
    return bitmap;
  }

  async function createImageBitmap(source, ...rest) {
    const image = source instanceof Blob ? await host.decode(new Uint8Array(await source.arrayBuffer())) : source;
    if (image === null) throw new DOMException("createImageBitmap: the image cannot be decoded", "InvalidStateError");
    const whole = [0, 0, image.naturalWidth ?? image.width, image.naturalHeight ?? image.height];
    return makeBitmap(image, rest.length >= 4 ? rest.slice(0, 4) : whole);
  }

  function decode() {
    const failed = () => new DOMException("decode: the image is broken", "EncodingError");
    if (this.complete) return this.naturalWidth > 0 ? Promise.resolve() : Promise.reject(failed());
    return new Promise((resolve, reject) => {
      this.addEventListener("load", () => resolve(), { once: true });
      this.addEventListener("error", () => reject(failed()), { once: true });
    });
  }
  host.define(HTMLImageElement.prototype, "decode", decode);

  for (const value of [OffscreenCanvas, ImageBitmap, createImageBitmap]) host.define(window, value.name, value);
})

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const native = require("../lib/native.js");
const { requireFormats } = require("../lib/formats.js");
const { Implementation, wrapperOf } = require("../lib/object.js");
const { straightPixels } = require("../lib/pixels.js");

const FORMATS = { "rgba8unorm": 4, "bgra8unorm": 4, "rgba16float": 8 }; // bytes of a texel
const COPY_SRC = 1;
const EXPIRE_MS = 16; // of a texture that no frame took

// A canvas of whoever embeds Lockstep: `canvas` has width and height in pixels. Nothing is shown by itself: the embedder asks for
// pixels.
exports.implementation = class GPUCanvasContextImpl extends Implementation {
  configure(configuration) {
    const { device, format, usage, viewFormats, colorSpace, toneMapping, alphaMode } = configuration;
    if (!(format in FORMATS)) {
      throw new this.globalObject.TypeError(
        `configure: the format of a canvas is one of ${Object.keys(FORMATS).join(", ")} and not '${format}'`,
      );
    }
    requireFormats(device, [format, ...viewFormats]);
    this.discard();
    const toneMap = toneMapping ?? { mode: "standard" };
    this.configuration = { device, format, usage, viewFormats, colorSpace, toneMapping: toneMap, alphaMode };
  }
  unconfigure() {
    this.discard();
    this.configuration = undefined;
  }
  getConfiguration() {
    if (this.configuration === undefined) return null;
    const { device, viewFormats } = this.configuration;
    return { ...this.configuration, device: wrapperOf(device), viewFormats: [...viewFormats] };
  }
  getCurrentTexture() {
    if (this.configuration === undefined) {
      throw new this.globalObject.DOMException("getCurrentTexture: the context is not configured", "InvalidStateError");
    }
    this.current ??= this.createTexture();
    return this.current;
  }

  createTexture() {
    const { device, format, usage, viewFormats } = this.configuration;
    const { width, height } = this.canvas;
    this.timer = setTimeout(() => this.present(), EXPIRE_MS);
    const size = { width, height, depthOrArrayLayers: 1 };
    const texture = device.createTexture({
      label: "the canvas",
      size,
      mipLevelCount: 1,
      sampleCount: 1,
      dimension: "2d",
      format,
      usage: usage | COPY_SRC,
      viewFormats,
    });
    texture.usage = usage;
    return texture;
  }

  // Forgets what was drawn (#abstract-opdef-replace-the-drawing-buffer): also when the canvas changes its size.
  discard() {
    this.expire();
    this.shown = undefined;
  }
  expire() {
    clearTimeout(this.timer);
    if (this.current !== undefined) this.current.destroy();
    this.current = undefined;
  }
  // What was drawn is what the canvas shows from now on, and its texture is no longer to be drawn on
  // (#abstract-opdef-expire-the-current-texture).
  present() {
    if (this.current === undefined) return;
    const { device, format, alphaMode } = this.configuration;
    const { width, height } = this.current;
    const bytes = native.captureTexture(device.native, this.current.native, width, height, FORMATS[format]);
    this.shown = { device, bytes, width, height, format, alphaMode };
    this.expire();
  }
  // { width, height, data: RGBA, alpha not premultiplied } of what the canvas shows, or null.
  pixels() {
    this.present();
    if (this.shown === undefined) return null;
    const { device, bytes, width, height, format, alphaMode } = this.shown;
    const data = straightPixels(native.readCapture(device.native, bytes), width, height, format, alphaMode);
    return { width, height, data };
  }
};

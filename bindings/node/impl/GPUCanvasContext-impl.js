// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const native = require("../lib/native.js");
const { requireFormats } = require("../lib/formats.js");
const { Implementation, wrapperOf } = require("../lib/object.js");
const { straightPixels } = require("../lib/pixels.js");

const FORMATS = { "rgba8unorm": 4, "bgra8unorm": 4, "rgba16float": 8 }; // bytes of a texel
const COPY_SRC = 0x01, TRANSIENT_ATTACHMENT = 0x20;
const EXPIRE_MS = 16; // of a texture that no frame took

// A canvas of whoever embeds Lockstep: `canvas` has width and height in pixels. Nothing is shown by itself: the embedder asks for
// pixels.
exports.implementation = class GPUCanvasContextImpl extends Implementation {
  configure(configuration) {
    const { device, format, usage, viewFormats, colorSpace, toneMapping, alphaMode } = configuration;
    const { TypeError } = this.globalObject;
    requireFormats(device, [format, ...viewFormats]);
    if (!(format in FORMATS)) {
      throw new TypeError(`configure: the format of a canvas is one of ${Object.keys(FORMATS).join(", ")} and not '${format}'`);
    }
    if (usage & TRANSIENT_ATTACHMENT) throw new TypeError("configure: the usage of a canvas has no TRANSIENT_ATTACHMENT");
    this.discard();
    const toneMap = toneMapping ?? { mode: "standard" };
    this.configuration = { device, format, usage, viewFormats, colorSpace, toneMapping: toneMap, alphaMode };
    // What is wrong with the configuration is told now, and whenever a texture is asked for.
    native.destroyTexture(device.createTexture(this.descriptor(usage)).native);
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

  // #abstract-opdef-gputexturedescriptor-for-the-canvas-and-configuration
  descriptor(usage) {
    const { format, viewFormats } = this.configuration;
    const size = { width: this.canvas.width, height: this.canvas.height, depthOrArrayLayers: 1 };
    return { label: "the canvas", size, mipLevelCount: 1, sampleCount: 1, dimension: "2d", format, usage, viewFormats };
  }
  createTexture() {
    const { device, usage } = this.configuration;
    this.timer = setTimeout(() => this.present(), EXPIRE_MS);
    const texture = device.createTexture(this.descriptor(usage === 0 ? 0 : usage | COPY_SRC));
    texture.usage = usage;
    // What was drawn outlives the texture.
    texture.beforeDestroy = () => {
      this.drawn ??= this.capture();
    };
    return texture;
  }

  // Forgets what was drawn (#abstract-opdef-replace-the-drawing-buffer): also when the canvas changes its size.
  discard() {
    this.expire();
    this.shown = undefined;
  }
  expire() {
    clearTimeout(this.timer);
    if (this.current !== undefined) native.destroyTexture(this.current.native);
    this.current = undefined;
    this.drawn = undefined;
  }
  // What was drawn is what the canvas shows from now on, and its texture is no longer to be drawn on
  // (#abstract-opdef-expire-the-current-texture).
  present() {
    if (this.current === undefined) return;
    this.shown = this.capture();
    this.expire();
  }
  // What the current texture has when the work that was submitted is done.
  capture() {
    if (this.drawn !== undefined) return this.drawn;
    const { device, format, alphaMode } = this.configuration;
    const { width, height } = this.current;
    const bytes = native.captureTexture(device.native, this.current.native, width, height, FORMATS[format]);
    return { device, bytes, width, height, format, alphaMode };
  }
  // { width, height, data: RGBA, alpha not premultiplied } of the drawing buffer, or null where there is none
  // (#abstract-opdef-get-a-copy-of-the-image-contents-of-a-context).
  pixels() {
    const image = this.current === undefined ? this.shown : this.capture();
    if (image === undefined) return null;
    const { device, width, height, format, alphaMode } = image;
    const bytes = native.readCapture(device.native, image.bytes);
    if (bytes.length === 0) return null;
    return { width, height, data: straightPixels(bytes, width, height, format, alphaMode) };
  }
};

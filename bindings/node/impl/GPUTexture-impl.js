// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const native = require("../lib/native.js");
const { requireFormats } = require("../lib/formats.js");
const { ObjectBase, make } = require("../lib/object.js");

exports.implementation = class GPUTextureImpl extends ObjectBase {
  createView(descriptor) {
    requireFormats(this.device, [descriptor.format]);
    if (!native.isSwizzle(descriptor.swizzle)) {
      throw new this.globalObject.TypeError(
        `createView: the swizzle '${descriptor.swizzle}' is not four of the letters r, g, b, a, 0 and 1`,
      );
    }
    const handle = native.createView(this.native, descriptor);
    return make("GPUTextureView", this.globalObject, { native: handle, _label: descriptor.label, device: this.device });
  }
  destroy() {
    this.beforeDestroy?.();
    native.destroyTexture(this.native);
  }
};

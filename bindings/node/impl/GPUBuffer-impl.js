// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const native = require("../lib/native.js");
const { ObjectBase } = require("../lib/object.js");

exports.implementation = class GPUBufferImpl extends ObjectBase {
  get mapState() {
    return native.mapState(this.native);
  }
  mapAsync(mode, offset, size) {
    const { DOMException, Promise } = this.globalObject;
    return new Promise((resolve, reject) => {
      native.mapAsync(this.native, mode, offset, size, (name, message) => {
        if (name === null) resolve(undefined);
        else reject(new DOMException(message, name));
      });
    });
  }
  getMappedRange(offset, size) {
    const { ArrayBuffer, DOMException } = this.globalObject;
    const range = native.getMappedRange(this.native, offset, size, length => new ArrayBuffer(length));
    if (range !== undefined) return range;
    throw new DOMException(
      this.mapState !== "mapped"
        ? `getMappedRange: buffer '${this.label}' is not mapped`
        : `getMappedRange: ${size ?? "all"} bytes from ${offset} of buffer '${this.label}' are not all mapped, overlap a range ` +
            "that was given out, or are not aligned (offset to 8, size to 4)",
      "OperationError",
    );
  }
  unmap() {
    native.unmap(this.native);
  }
  destroy() {
    native.destroyBuffer(this.native);
  }
};

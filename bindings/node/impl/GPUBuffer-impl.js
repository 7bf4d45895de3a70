// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const { markAsUntransferable } = require("node:worker_threads");

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
    const range = native.getMappedRange(this.native, offset, size);
    if (range !== undefined) {
      // Its memory is the buffer's: nobody takes it along (WebGPU: [[ArrayBufferDetachKey]]).
      markAsUntransferable(range);
      return range;
    }
    const { DOMException } = this.globalObject;
    throw new DOMException(
      `getMappedRange: ${size ?? "all"} bytes at ${offset} of buffer '${this.label}' (${this.mapState}) are not mapped, ` +
        "overlap a range that was given out, or are not aligned (offset to 8, size to 4)",
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

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const native = require("../lib/native.js");
const { ObjectBase } = require("../lib/object.js");

// The part of a buffer source that a write takes, in bytes. Offset and size count elements where the source is a typed
// array (#dom-gpuqueue-writebuffer).
function sourceBytes(globalObject, data, dataOffset, size) {
  const isView = ArrayBuffer.isView(data);
  const element = isView && data.BYTES_PER_ELEMENT !== undefined ? data.BYTES_PER_ELEMENT : 1;
  const fail = message => {
    throw new globalObject.DOMException(`writeBuffer: ${message}`, "OperationError");
  };
  const length = data.byteLength / element;
  if (dataOffset > length) fail(`the offset ${dataOffset} is beyond the ${length} elements of the data`);
  const count = size ?? length - dataOffset;
  if (count > length - dataOffset) fail(`${count} elements from ${dataOffset} are more than the ${length} of the data`);
  if ((count * element) % 4 !== 0) fail(`${count * element} bytes are not a multiple of 4`);
  const [buffer, start] = isView ? [data.buffer, data.byteOffset] : [data, 0];
  return new Uint8Array(buffer, start + dataOffset * element, count * element);
}

exports.implementation = class GPUQueueImpl extends ObjectBase {
  submit(commandBuffers) {
    native.submit(this.native, commandBuffers);
  }
  onSubmittedWorkDone() {
    return new this.globalObject.Promise(resolve => {
      native.onSubmittedWorkDone(this.native, () => resolve(undefined));
    });
  }
  writeBuffer(buffer, bufferOffset, data, dataOffset, size) {
    const bytes = sourceBytes(this.globalObject, data, dataOffset, size);
    native.writeBuffer(this.native, buffer, bufferOffset, bytes);
  }
};

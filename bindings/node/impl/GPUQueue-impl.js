// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const native = require("../lib/native.js");
const { bufferSource } = require("../lib/buffer_source.js");
const { ObjectBase } = require("../lib/object.js");

// The part of a buffer source that a write takes. Offset and size count its elements (#dom-gpuqueue-writebuffer).
function writtenBytes(globalObject, data, dataOffset, size) {
  const context = "Failed to execute 'writeBuffer' on 'GPUQueue': parameter 3";
  const { bytes, elementSize } = bufferSource(globalObject, data, context);
  const fail = message => {
    throw new globalObject.DOMException(`writeBuffer: ${message}`, "OperationError");
  };
  const length = bytes.length / elementSize;
  if (dataOffset > length) fail(`the offset ${dataOffset} is beyond the ${length} elements of the data`);
  const count = size ?? length - dataOffset;
  if (count > length - dataOffset) fail(`${count} elements from ${dataOffset} are more than the ${length} of the data`);
  if ((count * elementSize) % 4 !== 0) fail(`${count * elementSize} bytes are not a multiple of 4`);
  return bytes.subarray(dataOffset * elementSize, (dataOffset + count) * elementSize);
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
    const bytes = writtenBytes(this.globalObject, data, dataOffset, size);
    native.writeBuffer(this.native, buffer, bufferOffset, bytes);
  }
};

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const native = require("../lib/native.js");
const { bufferSource, partOfSource } = require("../lib/buffer_source.js");
const { ObjectBase } = require("../lib/object.js");

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
    const source = bufferSource(this.globalObject, data, "Failed to execute 'writeBuffer' on 'GPUQueue': parameter 3");
    const { DOMException } = this.globalObject;
    const error = message => new DOMException(`writeBuffer: ${message}`, "OperationError");
    const bytes = partOfSource(source, dataOffset, size, error);
    native.writeBuffer(this.native, buffer, bufferOffset, bytes);
  }
};

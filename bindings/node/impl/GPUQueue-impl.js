// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const native = require("../lib/native.js");
const { bufferSource, partOfSource } = require("../lib/buffer_source.js");
const { extent3D, texelCopyTexture } = require("../lib/geometry.js");
const { notYet } = require("../lib/not_yet.js");
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
  copyExternalImageToTexture() {
    throw notYet(this.globalObject, "copyExternalImageToTexture", "copy images of pages");
  }
  writeTexture(destination, data, dataLayout, size) {
    const { globalObject } = this;
    const source = bufferSource(globalObject, data, "Failed to execute 'writeTexture' on 'GPUQueue': parameter 2");
    const to = texelCopyTexture(globalObject, destination);
    native.writeTexture(this.native, to, source.bytes, dataLayout, extent3D(globalObject, size));
  }
  writeBuffer(buffer, bufferOffset, data, dataOffset, size) {
    const source = bufferSource(this.globalObject, data, "Failed to execute 'writeBuffer' on 'GPUQueue': parameter 3");
    const { DOMException } = this.globalObject;
    const error = message => new DOMException(`writeBuffer: ${message}`, "OperationError");
    const bytes = partOfSource(source, dataOffset, size, error);
    native.writeBuffer(this.native, buffer, bufferOffset, bytes);
  }
};

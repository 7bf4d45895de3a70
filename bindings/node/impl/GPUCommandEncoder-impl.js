// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const native = require("../lib/native.js");
const { color, extent3D, texelCopyTexture } = require("../lib/geometry.js");
const { ObjectBase, make } = require("../lib/object.js");
const GPUTexture = require("../dist/interfaces/GPUTexture.js");

exports.implementation = class GPUCommandEncoderImpl extends ObjectBase {
  beginRenderPass(descriptor) {
    const { globalObject } = this;
    const attachment = given => {
      if (given === null) return null;
      const { view, resolveTarget, clearValue } = given;
      return {
        ...given,
        view: viewMember(view),
        resolveTarget: resolveTarget && viewMember(resolveTarget),
        clearValue: clearValue && color(globalObject, clearValue),
      };
    };
    const { depthStencilAttachment: depthStencil } = descriptor;
    const handle = native.beginRenderPass(this.native, {
      ...descriptor,
      colorAttachments: descriptor.colorAttachments.map(attachment),
      depthStencilAttachment: depthStencil && { ...depthStencil, view: viewMember(depthStencil.view) },
    });
    return make("GPURenderPassEncoder", globalObject, { native: handle, _label: descriptor.label, device: this.device });
  }
  beginComputePass(descriptor) {
    const handle = native.beginComputePass(this.native, descriptor);
    return make("GPUComputePassEncoder", this.globalObject, { native: handle, _label: descriptor.label, device: this.device });
  }
  // (source, destination, size) or (source, sourceOffset, destination, destinationOffset, size)
  copyBufferToBuffer(source, second, ...rest) {
    const [sourceOffset, destination, destinationOffset, size] =
      typeof second === "number" ? [second, ...rest] : [0, second, 0, rest[0]];
    native.copyBufferToBuffer(this.native, source, sourceOffset, destination, destinationOffset, size);
  }
  copyBufferToTexture(source, destination, copySize) {
    const to = texelCopyTexture(this.globalObject, destination);
    native.copyBufferToTexture(this.native, source, to, extent3D(this.globalObject, copySize));
  }
  copyTextureToBuffer(source, destination, copySize) {
    const from = texelCopyTexture(this.globalObject, source);
    native.copyTextureToBuffer(this.native, from, destination, extent3D(this.globalObject, copySize));
  }
  copyTextureToTexture(source, destination, copySize) {
    const from = texelCopyTexture(this.globalObject, source);
    const to = texelCopyTexture(this.globalObject, destination);
    native.copyTextureToTexture(this.native, from, to, extent3D(this.globalObject, copySize));
  }
  clearBuffer(buffer, offset, size) {
    native.clearBuffer(this.native, buffer, offset, size);
  }
  resolveQuerySet(querySet, firstQuery, queryCount, destination, destinationOffset) {
    native.resolveQuerySet(this.native, querySet, firstQuery, queryCount, destination, destinationOffset);
  }
  pushDebugGroup(label) {
    native.pushDebugGroup(this.native, label);
  }
  popDebugGroup() {
    native.popDebugGroup(this.native);
  }
  insertDebugMarker(label) {
    native.insertDebugMarker(this.native, label);
  }
  finish(descriptor) {
    const handle = native.finish(this.native, descriptor.label);
    return make("GPUCommandBuffer", this.globalObject, { native: handle, _label: descriptor.label, device: this.device });
  }
};

// (GPUTexture or GPUTextureView), under the name of the alternative that it is.
function viewMember(view) {
  return GPUTexture.isImpl(view) ? { texture: view } : { textureView: view };
}

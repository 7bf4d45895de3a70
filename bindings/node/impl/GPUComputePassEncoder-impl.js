// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const native = require("../lib/native.js");
const { bufferSource, partOfSource } = require("../lib/buffer_source.js");
const { ObjectBase } = require("../lib/object.js");

exports.implementation = class GPUComputePassEncoderImpl extends ObjectBase {
  setPipeline(pipeline) {
    native.setPipeline(this.native, pipeline);
  }
  // (index, group, offsets) or (index, group, Uint32Array, start, length)
  setBindGroup(index, group, offsets, start, length) {
    if (start === undefined) return native.setBindGroup(this.native, index, group, offsets ?? []);
    const { bytes } = bufferSource(this.globalObject, offsets);
    const all = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    if (start + length > all.length) {
      throw new this.globalObject.RangeError(
        `setBindGroup: ${length} dynamic offsets from ${start} do not fit an array of ${all.length}`,
      );
    }
    return native.setBindGroup(this.native, index, group, Array.from(all.subarray(start, start + length)));
  }
  dispatchWorkgroups(x, y, z) {
    native.dispatchWorkgroups(this.native, x, y, z);
  }
  dispatchWorkgroupsIndirect(buffer, offset) {
    native.dispatchWorkgroupsIndirect(this.native, buffer, offset);
  }
  // Offset and size count the elements of the data (#dom-gpubindingcommandsmixin-setimmediates).
  setImmediates(rangeOffset, data, dataOffset, dataSize) {
    const context = "Failed to execute 'setImmediates' on 'GPUComputePassEncoder': parameter 2";
    const { RangeError } = this.globalObject;
    const source = bufferSource(this.globalObject, data, context);
    const bytes = partOfSource(source, dataOffset, dataSize, message => new RangeError(`setImmediates: ${message}`));
    native.setImmediates(this.native, rangeOffset, bytes);
  }
  pushDebugGroup(label) {
    native.pushDebugGroupInComputePass(this.native, label);
  }
  popDebugGroup() {
    native.popDebugGroupInComputePass(this.native);
  }
  insertDebugMarker(label) {
    native.insertDebugMarkerInComputePass(this.native, label);
  }
  end() {
    native.end(this.native);
  }
};

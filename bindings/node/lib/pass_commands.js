// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const native = require("./native.js");
const { bufferSource, partOfSource } = require("./buffer_source.js");
const { ObjectBase } = require("./object.js");

// What passes and bundle encoders have in common: GPUBindingCommandsMixin and GPUDebugCommandsMixin. `suffix` tells the addon's
// functions for them, `name` is the interface.
function passCommands(name, suffix) {
  return class extends ObjectBase {
    setPipeline(pipeline) {
      native[`setPipeline${suffix}`](this.native, pipeline);
    }
    // (index, group, offsets) or (index, group, Uint32Array, start, length)
    setBindGroup(index, group, offsets, start, length) {
      const setBindGroup = native[`setBindGroup${suffix}`];
      if (start === undefined) return setBindGroup(this.native, index, group, offsets ?? []);
      const { bytes } = bufferSource(this.globalObject, offsets);
      const all = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
      if (start + length > all.length) {
        throw new this.globalObject.RangeError(
          `setBindGroup: ${length} dynamic offsets from ${start} do not fit an array of ${all.length}`,
        );
      }
      return setBindGroup(this.native, index, group, Array.from(all.subarray(start, start + length)));
    }
    // Offset and size count the elements of the data (#dom-gpubindingcommandsmixin-setimmediates).
    setImmediates(rangeOffset, data, dataOffset, dataSize) {
      const context = `Failed to execute 'setImmediates' on '${name}': parameter 2`;
      const { RangeError } = this.globalObject;
      const source = bufferSource(this.globalObject, data, context);
      const bytes = partOfSource(source, dataOffset, dataSize, message => new RangeError(`setImmediates: ${message}`));
      native[`setImmediates${suffix}`](this.native, rangeOffset, bytes);
    }
    pushDebugGroup(label) {
      native[`pushDebugGroup${suffix}`](this.native, label);
    }
    popDebugGroup() {
      native[`popDebugGroup${suffix}`](this.native);
    }
    insertDebugMarker(label) {
      native[`insertDebugMarker${suffix}`](this.native, label);
    }
  };
}

// GPURenderCommandsMixin besides.
function renderCommands(name, suffix) {
  return class extends passCommands(name, suffix) {
    setIndexBuffer(buffer, format, offset, size) {
      native[`setIndexBuffer${suffix}`](this.native, buffer, format, offset, size);
    }
    setVertexBuffer(slot, buffer, offset, size) {
      native[`setVertexBuffer${suffix}`](this.native, slot, buffer, offset, size);
    }
    draw(vertexCount, instanceCount, firstVertex, firstInstance) {
      native[`draw${suffix}`](this.native, vertexCount, instanceCount, firstVertex, firstInstance);
    }
    drawIndexed(indexCount, instanceCount, firstIndex, baseVertex, firstInstance) {
      native[`drawIndexed${suffix}`](this.native, indexCount, instanceCount, firstIndex, baseVertex, firstInstance);
    }
    drawIndirect(buffer, offset) {
      native[`drawIndirect${suffix}`](this.native, buffer, offset);
    }
    drawIndexedIndirect(buffer, offset) {
      native[`drawIndexedIndirect${suffix}`](this.native, buffer, offset);
    }
  };
}

module.exports = { passCommands, renderCommands };

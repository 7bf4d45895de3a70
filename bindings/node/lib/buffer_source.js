// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const { isAnyArrayBuffer, isTypedArray } = require("node:util").types;

// What a view is, whatever properties a program has given it.
const slots = prototype => {
  const getter = name => Object.getOwnPropertyDescriptor(prototype, name).get;
  return { buffer: getter("buffer"), byteOffset: getter("byteOffset"), byteLength: getter("byteLength") };
};
const TYPED_ARRAY = Object.getPrototypeOf(Uint8Array.prototype);
const TYPED_ARRAY_SLOTS = slots(TYPED_ARRAY);
const DATA_VIEW_SLOTS = slots(DataView.prototype);
const nameOfTypedArray = Object.getOwnPropertyDescriptor(TYPED_ARRAY, Symbol.toStringTag).get;

function elementSizeOf(view) {
  const name = nameOfTypedArray.call(view);
  return name === undefined ? 1 : globalThis[name].BYTES_PER_ELEMENT;
}

// What is detached has no bytes.
function bytesOr(make) {
  try {
    return make();
  } catch {
    return new Uint8Array(0);
  }
}

// AllowSharedBufferSource: its bytes as a Uint8Array, and the size of the elements in which offsets into it are counted.
function bufferSource(globalObject, source, context) {
  if (ArrayBuffer.isView(source)) {
    const { buffer, byteOffset, byteLength } = isTypedArray(source) ? TYPED_ARRAY_SLOTS : DATA_VIEW_SLOTS;
    const bytes = bytesOr(() => new Uint8Array(buffer.call(source), byteOffset.call(source), byteLength.call(source)));
    return { bytes, elementSize: elementSizeOf(source) };
  }
  if (isAnyArrayBuffer(source)) return { bytes: bytesOr(() => new Uint8Array(source)), elementSize: 1 };
  throw new globalObject.TypeError(`${context} is not an ArrayBuffer or a view of one.`);
}

// The part that begins at `offset`, in elements, and has `count` of them, or all that are left. Where it does not fit, or is
// no multiple of 4 bytes, throws what `error` makes of the reason.
function partOfSource({ bytes, elementSize }, offset, count, error) {
  const length = bytes.length / elementSize;
  if (offset > length) throw error(`the offset ${offset} is beyond the ${length} elements of the data`);
  const taken = count ?? length - offset;
  if (taken > length - offset) throw error(`${taken} elements from ${offset} are more than the ${length} of the data`);
  if ((taken * elementSize) % 4 !== 0) throw error(`${taken * elementSize} bytes are not a multiple of 4`);
  return bytes.subarray(offset * elementSize, (offset + taken) * elementSize);
}

module.exports = { bufferSource, partOfSource };

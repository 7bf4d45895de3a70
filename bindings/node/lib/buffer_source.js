// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const { isAnyArrayBuffer } = require("node:util").types;

// AllowSharedBufferSource: its bytes as a Uint8Array, and the size of the elements in which offsets into it are counted.
function bufferSource(globalObject, source, context) {
  if (ArrayBuffer.isView(source)) {
    const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT: elementSize = 1 } = source;
    return { bytes: new Uint8Array(buffer, byteOffset, byteLength), elementSize };
  }
  if (isAnyArrayBuffer(source)) return { bytes: new Uint8Array(source), elementSize: 1 };
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

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

module.exports = { bufferSource };

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

// The IDL's namespaces of flags.
const FLAGS = {
  GPUBufferUsage: {
    MAP_READ: 0x0001,
    MAP_WRITE: 0x0002,
    COPY_SRC: 0x0004,
    COPY_DST: 0x0008,
    INDEX: 0x0010,
    VERTEX: 0x0020,
    UNIFORM: 0x0040,
    STORAGE: 0x0080,
    INDIRECT: 0x0100,
    QUERY_RESOLVE: 0x0200,
  },
  GPUMapMode: { READ: 0x0001, WRITE: 0x0002 },
  GPUTextureUsage: {
    COPY_SRC: 0x01,
    COPY_DST: 0x02,
    TEXTURE_BINDING: 0x04,
    STORAGE_BINDING: 0x08,
    RENDER_ATTACHMENT: 0x10,
    TRANSIENT_ATTACHMENT: 0x20,
  },
  GPUShaderStage: { VERTEX: 0x1, FRAGMENT: 0x2, COMPUTE: 0x4 },
  GPUColorWrite: { RED: 0x1, GREEN: 0x2, BLUE: 0x4, ALPHA: 0x8, ALL: 0xf },
};

function defineConstants(globalObject) {
  for (const [name, flags] of Object.entries(FLAGS)) {
    const namespace = {};
    for (const [flag, value] of Object.entries(flags)) {
      Object.defineProperty(namespace, flag, { value, enumerable: true });
    }
    Object.defineProperty(namespace, Symbol.toStringTag, { value: name, configurable: true });
    Object.defineProperty(globalObject, name, { value: namespace, writable: true, configurable: true });
  }
}

module.exports = { defineConstants };

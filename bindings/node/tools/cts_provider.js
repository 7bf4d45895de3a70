// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What WebGPU's conformance suite takes as --gpu-provider: it expects the interfaces on the global object.
"use strict";

const { create, globals } = require("..");

Object.assign(globalThis, globals);
module.exports = { create };

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// WebGPU for Node, in the shape of the npm package `webgpu`:
//
//   import { create, globals } from "lockstep-webgpu";
//   Object.assign(globalThis, globals);
//   const navigator = { gpu: create([]) };
"use strict";

const { createGpu } = require("./lib/create.js");
const { install } = require("./lib/realm.js");

// WebGPU's interfaces live on an object of their own, above which the platform's classes are found.
const realm = Object.create(globalThis);
const globals = {};
for (const name of install(realm)) globals[name] = realm[name];

// create(options, callbacks): a GPU. Options: docs/node.md.
function create(options = [], callbacks = {}) {
  return createGpu(realm, options, callbacks);
}

module.exports = { create, globals };

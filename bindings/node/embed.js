// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// For whoever gives WebGPU to JavaScript in a global object of its own, such as a page's window, and has canvases.
"use strict";

const { createGpu } = require("./lib/create.js");
const { make, wrapperOf } = require("./lib/object.js");
const { install } = require("./lib/realm.js");
const GPUCanvasContext = require("./dist/interfaces/GPUCanvasContext.js");
const utils = require("./dist/interfaces/utils.js");

// Defines WebGPU's interfaces on `globalObject` and gives its GPU.
function createIn(globalObject, options = [], callbacks = {}) {
  install(globalObject);
  return createGpu(globalObject, options, callbacks);
}

// A GPUCanvasContext for a canvas, which has `width` and `height`.
function createCanvasContext(globalObject, canvas) {
  return wrapperOf(make("GPUCanvasContext", globalObject, { canvas }));
}

const implOf = context => {
  if (!GPUCanvasContext.is(context)) throw new TypeError("not a GPUCanvasContext");
  return utils.implForWrapper(context);
};

// The embedder's side of a context: what was drawn becomes what the canvas shows; its pixels; its size has changed.
const present = context => implOf(context).present();
const pixels = context => implOf(context).pixels();
const resized = context => implOf(context).discard();

module.exports = { createIn, createCanvasContext, present, pixels, resized };

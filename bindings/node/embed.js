// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// For whoever gives WebGPU to JavaScript in a global object of its own, such as a page's window, and has canvases.
"use strict";

const { createGpu } = require("./lib/create.js");
const native = require("./lib/native.js");
const { make, wrapperOf } = require("./lib/object.js");
const { install } = require("./lib/realm.js");
const GPUCanvasContext = require("./dist/interfaces/GPUCanvasContext.js");
const utils = require("./dist/interfaces/utils.js");

// Defines WebGPU's interfaces on `globalObject` and gives its GPU. Of the callbacks, besides that of create,
// reportUncaptured(message) hears of errors that nothing catches, reportLost(message) of devices that are lost and were not
// destroyed, onDevice(device) of each device.
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

// Resolves when what was submitted to a device is done.
const workDone = device =>
  new Promise(resolve => native.onSubmittedWorkDone(utils.implForWrapper(device).queue.native, () => resolve()));
// Ends whatever devices still run.
const stopDevices = () => native.stopDevices();

module.exports = { createIn, createCanvasContext, present, pixels, resized, stopDevices, workDone };

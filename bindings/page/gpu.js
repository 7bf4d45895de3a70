// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const embed = require("../node/embed.js");

// Gives the page's window navigator.gpu and WebGPU's interfaces.
class PageGpu {
  #window;
  #contexts = [];
  #devices = new Set(); // weak references

  // `fail(message)` hears of errors that nothing in the page catches and of devices that are lost; `timeout` is how many
  // seconds a command may take. Not undefined: what is run is watched for races and accesses out of bounds, which are printed,
  // and `onFinding(finding)` gets them.
  constructor(window, { fail, timeout, onFinding }) {
    this.#window = window;
    const options = [`timeout=${timeout}`, ...(onFinding ? ["race"] : [])];
    const onDevice = device => this.#devices.add(new WeakRef(device));
    const value = embed.createIn(window, options, { reportUncaptured: fail, reportLost: fail, onDevice, onFinding });
    Object.defineProperty(window.navigator, "gpu", { value, enumerable: true, configurable: true });
  }

  makeContext(canvas) {
    const context = embed.createCanvasContext(this.#window, canvas);
    this.#contexts.push(context);
    return context;
  }
  // Shows what was drawn since the last frame.
  present() {
    for (const context of this.#contexts) embed.present(context);
  }
  resized(context) {
    embed.resized(context);
  }
  // { width, height, data: RGBA with straight alpha }, or null where nothing was drawn.
  pixelsOf(context) {
    return embed.pixels(context);
  }
  // Resolves when all devices are done with what they were given.
  async workDone() {
    const devices = [...this.#devices].map(reference => reference.deref()).filter(device => device !== undefined);
    await Promise.all(devices.map(embed.workDone));
  }
  stop() {
    embed.stopDevices();
  }
}

module.exports = { PageGpu };

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const embed = require("../node/embed.js");

// Gives the page's window navigator.gpu and WebGPU's interfaces.
class PageGpu {
  #window;
  #contexts = [];

  // Errors that nothing in the page catches go to `reportUncaptured(message)`. Not undefined: what is run is
  // watched for races and accesses out of bounds, which are printed, and `onFinding(finding)` gets them.
  constructor(window, reportUncaptured, onFinding) {
    this.#window = window;
    const value = embed.createIn(window, onFinding ? ["race"] : [], { reportUncaptured, onFinding });
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
}

module.exports = { PageGpu };

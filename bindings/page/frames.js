// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

// requestAnimationFrame: a frame is run when the page asks for one, so many times; its callbacks see times as on a display of
// 60 frames a second. Each callback is a task of its own, as all promises that it waits for are settled before the next one.
class Frames {
  #callbacks = new Map(); // by id
  #lastId = 0;
  #scheduled = false;
  #limit;
  #report;
  #finish;

  // `report(error)` gets what callbacks throw; `finish(frame)` shows the frame, and the next one waits for it.
  constructor(limit, report, finish) {
    this.count = 0;
    this.#limit = limit;
    this.#report = report;
    this.#finish = finish;
  }

  install(window) {
    window.requestAnimationFrame = callback => {
      if (typeof callback !== "function") {
        throw new window.TypeError("Failed to execute 'requestAnimationFrame': parameter 1 is not of type 'Function'.");
      }
      this.#callbacks.set(++this.#lastId, () => callback.call(window, (this.count * 1000) / 60));
      this.#schedule();
      return this.#lastId;
    };
    window.cancelAnimationFrame = id => {
      this.#callbacks.delete(Number(id));
    };
  }

  #schedule() {
    if (this.#scheduled || this.count >= this.#limit) return;
    this.#scheduled = true;
    setImmediate(() => this.#run());
  }
  #run() {
    ++this.count;
    for (const id of [...this.#callbacks.keys()]) setImmediate(() => this.#call(id));
    setImmediate(() => this.#end());
  }
  #call(id) {
    const callback = this.#callbacks.get(id); // another callback may have cancelled it
    this.#callbacks.delete(id);
    try {
      callback?.();
    } catch (error) {
      this.#report(error);
    }
  }
  async #end() {
    await this.#finish(this.count);
    this.#scheduled = false;
    if (this.#callbacks.size > 0) this.#schedule();
  }
}

module.exports = { Frames };

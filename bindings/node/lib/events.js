// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const conversions = require("webidl-conversions");

const utils = require("../dist/interfaces/utils.js");

// The interfaces that inherit from classes of the platform (Event, EventTarget, DOMException), which webidl2js does not
// know. They are made for the realm whose classes they extend.
function definePlatformInterfaces(globalObject) {
  const define = (name, value) =>
    Object.defineProperty(globalObject, name, { value, writable: true, configurable: true });
  const requireArguments = (count, given, name) => {
    if (given >= count) return;
    throw new globalObject.TypeError(`Failed to construct '${name}': ${count} arguments required, but only ${given} present.`);
  };

  define(
    "GPUUncapturedErrorEvent",
    class GPUUncapturedErrorEvent extends globalObject.Event {
      #error;
      constructor(type, init) {
        requireArguments(2, arguments.length, "GPUUncapturedErrorEvent");
        super(type, init);
        if (!utils.isObject(init) || init.error === undefined) {
          throw new globalObject.TypeError("error is required in 'GPUUncapturedErrorEventInit'");
        }
        if (!(init.error instanceof globalObject.GPUError)) {
          throw new globalObject.TypeError("error in 'GPUUncapturedErrorEventInit' is not of type 'GPUError'.");
        }
        this.#error = init.error;
      }
      get error() {
        return this.#error;
      }
    },
  );

  define(
    "GPUPipelineError",
    class GPUPipelineError extends globalObject.DOMException {
      #reason;
      constructor(message, init) {
        requireArguments(2, arguments.length, "GPUPipelineError");
        const text = message === undefined ? "" : conversions.DOMString(message, { globals: globalObject });
        const GPUPipelineErrorInit = require("../dist/interfaces/GPUPipelineErrorInit.js");
        const { reason } = GPUPipelineErrorInit.convert(globalObject, init, {
          context: "Failed to construct 'GPUPipelineError': parameter 2",
        });
        super(text, "GPUPipelineError");
        this.#reason = reason;
      }
      get reason() {
        return this.#reason;
      }
    },
  );

  for (const [name, member] of [
    ["GPUUncapturedErrorEvent", "error"],
    ["GPUPipelineError", "reason"],
  ]) {
    Object.defineProperty(globalObject[name].prototype, member, { enumerable: true });
    Object.defineProperty(globalObject[name].prototype, Symbol.toStringTag, { value: name, configurable: true });
  }

  const { GPUDevice, EventTarget } = globalObject;
  Object.setPrototypeOf(GPUDevice, EventTarget);
  Object.setPrototypeOf(GPUDevice.prototype, EventTarget.prototype);
}

// A device's wrapper is an EventTarget from the start.
function makeDeviceWrapper(globalObject) {
  return Reflect.construct(globalObject.EventTarget, [], globalObject.GPUDevice);
}

// An event handler attribute (HTML: #event-handler-idl-attributes): one listener, which keeps its place among the others
// until the attribute becomes null.
class EventHandler {
  constructor(type) {
    this.type = type;
    this.handler = null;
  }
  set(target, handler) {
    this.handler = utils.isObject(handler) ? handler : null;
    if (this.handler === null) {
      if (this.listener !== undefined) target.removeEventListener(this.type, this.listener);
      this.listener = undefined;
    } else if (this.listener === undefined) {
      this.listener = event => {
        if (typeof this.handler !== "function") return;
        if (this.handler.call(target, event) === false) event.preventDefault();
      };
      target.addEventListener(this.type, this.listener);
    }
  }
}

module.exports = { definePlatformInterfaces, makeDeviceWrapper, EventHandler };

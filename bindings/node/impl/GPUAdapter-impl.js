// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const conversions = require("webidl-conversions");

const native = require("../lib/native.js");
const { makeDeviceWrapper } = require("../lib/events.js");
const { Implementation, make, wrapperOf } = require("../lib/object.js");
const { makeSetLike } = require("../lib/realm.js");
const GPUDevice = require("../dist/interfaces/GPUDevice.js");

// record<DOMString, (GPUSize64 or undefined)>: what is undefined is not asked for.
function convertLimits(globalObject, limits = {}) {
  const converted = {};
  for (const [name, value] of Object.entries(limits)) {
    if (value === undefined) continue;
    converted[name] = conversions["unsigned long long"](value, {
      context: `Failed to execute 'requestDevice' on 'GPUAdapter': the limit '${name}'`,
      globals: globalObject,
      enforceRange: true,
    });
  }
  return converted;
}

exports.implementation = class GPUAdapterImpl extends Implementation {
  async requestDevice(descriptor) {
    const { globalObject } = this;
    const requiredLimits = convertLimits(globalObject, descriptor.requiredLimits);
    const queueLabel = descriptor.defaultQueue?.label;
    const made = native.requestDevice(this.native, { ...descriptor, requiredLimits, queueLabel }, this.options);
    if (made.handle === undefined) {
      if (made.typeError) throw new globalObject.TypeError(made.error);
      throw new globalObject.DOMException(made.error, "OperationError");
    }
    const wrapper = makeDeviceWrapper(globalObject);
    const { reportUncaptured = console.error, reportLost, onDevice } = this.options;
    GPUDevice.setup(wrapper, globalObject, [], {
      native: made.handle,
      _label: descriptor.label,
      queueNative: made.queue,
      queueLabel,
      features: makeSetLike(globalObject, "GPUSupportedFeatures", made.features),
      limits: make("GPUSupportedLimits", globalObject, made.limits),
      adapterInfo: this.info,
      reportUncaptured,
      reportLost,
    });
    onDevice?.(wrapper);
    return wrapper;
  }
};

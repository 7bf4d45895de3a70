// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const native = require("../lib/native.js");
const { Implementation, make, wrapperOf } = require("../lib/object.js");
const { makeSetLike } = require("../lib/realm.js");

exports.implementation = class GPUImpl extends Implementation {
  async requestAdapter(options) {
    if (options.featureLevel !== "core" && options.featureLevel !== "compatibility") return null;
    const { handle, features, limits, info } = native.requestAdapter(this.device);
    const { globalObject } = this;
    const adapter = make("GPUAdapter", globalObject, {
      native: handle,
      options: this.options,
      features: makeSetLike(globalObject, "GPUSupportedFeatures", features),
      limits: make("GPUSupportedLimits", globalObject, limits),
      info: make("GPUAdapterInfo", globalObject, info),
    });
    return wrapperOf(adapter);
  }
  getPreferredCanvasFormat() {
    return "rgba8unorm";
  }
  get wgslLanguageFeatures() {
    this.languageFeatures ??= makeSetLike(this.globalObject, "WGSLLanguageFeatures", native.languageFeatures());
    return this.languageFeatures;
  }
};

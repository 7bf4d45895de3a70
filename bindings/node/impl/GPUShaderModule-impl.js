// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const native = require("../lib/native.js");
const { ObjectBase, make, wrapperOf } = require("../lib/object.js");

exports.implementation = class GPUShaderModuleImpl extends ObjectBase {
  async getCompilationInfo() {
    const messages = native
      .compilationInfo(this.native)
      .map(message => wrapperOf(make("GPUCompilationMessage", this.globalObject, message)));
    return wrapperOf(make("GPUCompilationInfo", this.globalObject, { messages: Object.freeze(messages) }));
  }
};

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const native = require("../lib/native.js");
const { ObjectBase, make } = require("../lib/object.js");

exports.implementation = class GPURenderPipelineImpl extends ObjectBase {
  getBindGroupLayout(index) {
    const handle = native.getBindGroupLayoutOfRenderPipeline(this.native, index);
    return make("GPUBindGroupLayout", this.globalObject, { native: handle, device: this.device });
  }
};

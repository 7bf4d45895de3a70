// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const native = require("../lib/native.js");
const { color } = require("../lib/geometry.js");
const { renderCommands } = require("../lib/pass_commands.js");

exports.implementation = class GPURenderPassEncoderImpl extends renderCommands("GPURenderPassEncoder", "InRenderPass") {
  setViewport(x, y, width, height, minDepth, maxDepth) {
    native.setViewport(this.native, x, y, width, height, minDepth, maxDepth);
  }
  setScissorRect(x, y, width, height) {
    native.setScissorRect(this.native, x, y, width, height);
  }
  setBlendConstant(constant) {
    native.setBlendConstant(this.native, color(this.globalObject, constant));
  }
  setStencilReference(reference) {
    native.setStencilReference(this.native, reference);
  }
  beginOcclusionQuery(queryIndex) {
    native.beginOcclusionQuery(this.native, queryIndex);
  }
  endOcclusionQuery() {
    native.endOcclusionQuery(this.native);
  }
  executeBundles(bundles) {
    native.executeBundles(this.native, bundles);
  }
  end() {
    native.endInRenderPass(this.native);
  }
};

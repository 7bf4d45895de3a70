// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const native = require("../lib/native.js");
const { passCommands } = require("../lib/pass_commands.js");

exports.implementation = class GPUComputePassEncoderImpl extends passCommands("GPUComputePassEncoder", "InComputePass") {
  dispatchWorkgroups(x, y, z) {
    native.dispatchWorkgroups(this.native, x, y, z);
  }
  dispatchWorkgroupsIndirect(buffer, offset) {
    native.dispatchWorkgroupsIndirect(this.native, buffer, offset);
  }
  end() {
    native.endInComputePass(this.native);
  }
};

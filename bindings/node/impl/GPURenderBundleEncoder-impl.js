// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const native = require("../lib/native.js");
const { make } = require("../lib/object.js");
const { renderCommands } = require("../lib/pass_commands.js");

exports.implementation = class GPURenderBundleEncoderImpl extends renderCommands("GPURenderBundleEncoder", "InRenderBundle") {
  finish(descriptor) {
    const handle = native.finishRenderBundle(this.native, descriptor.label);
    return make("GPURenderBundle", this.globalObject, { native: handle, _label: descriptor.label, device: this.device });
  }
};

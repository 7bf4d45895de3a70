// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const native = require("../lib/native.js");
const { ObjectBase } = require("../lib/object.js");

exports.implementation = class GPUQuerySetImpl extends ObjectBase {
  destroy() {
    native.destroyQuerySet(this.native);
  }
};

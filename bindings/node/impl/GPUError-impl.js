// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

exports.implementation = class GPUErrorImpl {
  constructor(_globalObject, [message]) {
    this.message = message;
  }
};

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const GPUErrorImpl = require("./GPUError-impl.js").implementation;

exports.implementation = class GPUValidationErrorImpl extends GPUErrorImpl {};

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const { ObjectBase } = require("../lib/object.js");

exports.implementation = class GPURenderBundleEncoderImpl extends ObjectBase {};

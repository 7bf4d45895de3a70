// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const { Implementation } = require("../lib/object.js");

// The members of the private data are those of the interface.
exports.implementation = class GPUSupportedLimitsImpl extends Implementation {};

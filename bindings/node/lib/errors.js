// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

// GPUError's interface for a GPUErrorFilter.
const INTERFACES = {
  validation: "GPUValidationError",
  "out-of-memory": "GPUOutOfMemoryError",
  internal: "GPUInternalError",
};

// What users get for the addon's {kind, message}.
function makeError(globalObject, { kind, message }) {
  return new globalObject[INTERFACES[kind]](message);
}

module.exports = { makeError };

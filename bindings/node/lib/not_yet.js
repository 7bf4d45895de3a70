// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

// What the specification has and Lockstep does not.
function notYet(globalObject, call, what) {
  return new globalObject.DOMException(`${call}: Lockstep does not ${what} yet`, "NotSupportedError");
}

module.exports = { notYet };

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

// A property as interfaces and their methods are: not enumerated, and the page may replace it.
function define(object, name, value) {
  Object.defineProperty(object, name, { value, writable: true, configurable: true });
}

module.exports = { define };

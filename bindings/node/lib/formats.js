// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const native = require("./native.js");

// Throws where the device was not asked for the feature that a format needs
// (#abstract-opdef-validate-texture-format-required-features).
function requireFormats(device, formats) {
  for (const format of formats) {
    if (format === undefined) continue;
    const missing = native.missingFeature(device.native, format);
    if (missing !== undefined) throw new device.globalObject.TypeError(missing);
  }
}

module.exports = { requireFormats };

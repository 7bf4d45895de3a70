// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const path = require("node:path");

const file = path.join(__dirname, "../dist/lockstep.node");
try {
  module.exports = require(file);
} catch (error) {
  if (error.code !== "MODULE_NOT_FOUND") throw error;
  throw new Error(`${file} is missing: run 'make node' in Lockstep's checkout to build it`, { cause: error });
}

process.on("exit", () => module.exports.stopDevices());

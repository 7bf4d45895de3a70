// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const native = require("./native.js");
const { make, wrapperOf } = require("./object.js");

const DIST = path.join(__dirname, "../dist");

// Where compiled kernels are kept, as by the command line.
function cacheFolder() {
  const { XDG_CACHE_HOME: folder } = process.env;
  return path.join(folder !== undefined && path.isAbsolute(folder) ? folder : path.join(os.homedir(), ".cache"), "lockstep");
}

// Changes with every build, so that no build runs another's kernels.
function buildId() {
  const files = ["lockstep.node", "liblockstep_codegen_llvm.so"];
  return files.map(file => fs.statSync(path.join(DIST, file))).map(({ size, mtimeMs }) => `${size}:${mtimeMs}`).join(" ");
}

function createGpu(globalObject, options) {
  const device = native.openDevice("cpu", { libraryFolders: [DIST], cacheFolder: cacheFolder(), buildId: buildId() });
  return wrapperOf(make("GPU", globalObject, { device }));
}

module.exports = { createGpu };

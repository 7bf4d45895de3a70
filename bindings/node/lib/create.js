// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const native = require("./native.js");
const { make, wrapperOf } = require("./object.js");

const DIST = path.join(__dirname, "../dist");
// Options of the npm package `webgpu`, which choose among what Lockstep does not have.
const IGNORED = ["enable-dawn-features", "disable-dawn-features", "backend", "adapter", "dlldir", "verbose"];

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

// The options of create as the addon takes them.
function readOptions(options) {
  if (!Array.isArray(options)) throw new TypeError("create: the options are an array of strings, such as ['race']");
  const read = { race: false, timeout: undefined };
  for (const option of options) {
    const [name, value] = String(option).split("=", 2);
    if (option === "race") read.race = true;
    else if (name === "timeout" && value !== "" && Number(value) >= 0) read.timeout = Number(value);
    else if (!IGNORED.includes(name)) {
      throw new TypeError(`create: '${option}' is no option; there are 'race' and 'timeout=SECONDS'`);
    }
  }
  return read;
}

let machine;

// One device of the machine for all: it has the threads and the compiled kernels.
function openDevice() {
  machine ??= native.openDevice("cpu", { libraryFolders: [DIST], cacheFolder: cacheFolder(), buildId: buildId() });
  return machine;
}

function createGpu(globalObject, options, callbacks) {
  const onFinding = callbacks?.onFinding;
  if (onFinding !== undefined && typeof onFinding !== "function") throw new TypeError("create: onFinding is a function");
  const { race, timeout } = readOptions(options);
  const report = finding => {
    process.stderr.write(`in ${finding.pipelineKind} '${finding.pipeline}':\n${finding.message.trimEnd()}\n`);
    onFinding?.(finding);
  };
  const { reportUncaptured, reportLost, onDevice } = callbacks ?? {}; // of embedders
  const read = { timeout, onFinding: race ? report : undefined, reportUncaptured, reportLost, onDevice };
  return wrapperOf(make("GPU", globalObject, { device: openDevice(), options: read }));
}

module.exports = { createGpu };

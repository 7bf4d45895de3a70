// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const fs = require("node:fs");
const path = require("node:path");

const { defineConstants } = require("./constants.js");
const { definePlatformInterfaces } = require("./events.js");
const { defineSetLike } = require("./set_like.js");

const INTERFACES = path.join(__dirname, "../dist/interfaces");
const makers = new WeakMap();

// Defines WebGPU's interfaces on `globalObject`, whose Event, EventTarget and DOMException they extend. Returns their names.
function install(globalObject) {
  const before = new Set(Object.getOwnPropertyNames(globalObject));
  const modules = fs
    .readdirSync(INTERFACES)
    .filter(file => file.startsWith("GPU"))
    .map(file => require(path.join(INTERFACES, file)))
    .filter(module => module.install !== undefined);
  for (const module of inheritanceOrder(modules)) module.install(globalObject, ["Window"]);
  defineConstants(globalObject);
  definePlatformInterfaces(globalObject);
  makers.set(globalObject, {
    GPUSupportedFeatures: defineSetLike(globalObject, "GPUSupportedFeatures"),
    WGSLLanguageFeatures: defineSetLike(globalObject, "WGSLLanguageFeatures"),
  });
  return Object.getOwnPropertyNames(globalObject).filter(name => !before.has(name));
}

// Bases first: only errors have one.
function inheritanceOrder(modules) {
  const isBase = module => module === require("../dist/interfaces/GPUError.js");
  return modules.sort((a, b) => Number(isBase(b)) - Number(isBase(a)));
}

// makeSetLike(globalObject, "GPUSupportedFeatures", values)
function makeSetLike(globalObject, name, values) {
  return makers.get(globalObject)[name](values);
}

module.exports = { install, makeSetLike };

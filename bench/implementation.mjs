// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The implementation of WebGPU that a benchmark times: load("lockstep") or load("dawn"), the npm package `webgpu` of the folder that
// LOCKSTEP_BENCH_MODULES names. Its interfaces become the global ones.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

export async function load(implementation) {
  const require = createRequire(`${process.env.LOCKSTEP_BENCH_MODULES ?? process.cwd()}/x.js`);
  const address =
    implementation === "lockstep" ? "../bindings/node/index.js" : pathToFileURL(require.resolve("webgpu")).href;
  const { create, globals } = await import(address);
  Object.assign(globalThis, globals);
  return create([]);
}

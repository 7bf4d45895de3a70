// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
import { create, globals } from "../index.js";

Object.assign(globalThis, globals);

export async function makeDevice(descriptor = {}, options = []) {
  const adapter = await create(options).requestAdapter();
  return adapter.requestDevice(descriptor);
}

// The first error that `body` makes of this kind, or null.
export async function errorOf(device, body, filter = "validation") {
  device.pushErrorScope(filter);
  await body();
  return device.popErrorScope();
}

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Timestamps, query sets and debug groups.
import assert from "node:assert";
import { test } from "node:test";

import { errorOf, makeDevice } from "./support.mjs";

test("timestamps of a pass, in nanoseconds", async () => {
  const device = await makeDevice({ requiredFeatures: ["timestamp-query"] });
  const querySet = device.createQuerySet({ type: "timestamp", count: 4 });
  assert.deepStrictEqual([querySet.type, querySet.count], ["timestamp", 4]);
  const resolved = device.createBuffer({ size: 32, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC });
  const readback = device.createBuffer({ size: 32, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder
    .beginComputePass({ timestampWrites: { querySet, beginningOfPassWriteIndex: 1, endOfPassWriteIndex: 2 } })
    .end();
  encoder.resolveQuerySet(querySet, 0, 4, resolved, 0);
  encoder.copyBufferToBuffer(resolved, readback);
  device.queue.submit([encoder.finish()]);
  await readback.mapAsync(GPUMapMode.READ);
  const [unwritten, begin, end, alsoUnwritten] = new BigUint64Array(readback.getMappedRange());
  assert.deepStrictEqual([unwritten, alsoUnwritten], [0n, 0n]);
  assert.ok(begin > 0n && end >= begin && end - begin < 1_000_000_000n, `${begin} to ${end}`);
});

test("timestamps without their feature are a TypeError", async () => {
  const device = await makeDevice();
  assert.throws(() => device.createQuerySet({ type: "timestamp", count: 1 }), TypeError);
  assert.strictEqual(await errorOf(device, () => device.createQuerySet({ type: "occlusion", count: 1 })), null);
  const error = await errorOf(device, () => device.createQuerySet({ type: "occlusion", count: 5000 }));
  assert.match(error.message, /5000/);
});

test("debug groups must be balanced", async () => {
  const device = await makeDevice();
  const encode = (...calls) =>
    errorOf(device, () => {
      const encoder = device.createCommandEncoder();
      for (const [call, ...args] of calls) encoder[call](...args);
      encoder.finish();
    });
  assert.strictEqual(await encode(["pushDebugGroup", "a"], ["insertDebugMarker", "m"], ["popDebugGroup"]), null);
  assert.ok((await encode(["pushDebugGroup", "a"])) instanceof GPUValidationError);
  assert.ok((await encode(["popDebugGroup"])) instanceof GPUValidationError);
});

test("a destroyed query set cannot be submitted", async () => {
  const device = await makeDevice();
  const querySet = device.createQuerySet({ label: "visible", type: "occlusion", count: 2 });
  const destination = device.createBuffer({ size: 16, usage: GPUBufferUsage.QUERY_RESOLVE });
  const encoder = device.createCommandEncoder();
  encoder.resolveQuerySet(querySet, 0, 2, destination, 0);
  const commands = encoder.finish();
  querySet.destroy();
  const error = await errorOf(device, () => device.queue.submit([commands]));
  assert.match(error.message, /query set 'visible' is destroyed/);
});

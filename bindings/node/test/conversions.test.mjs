// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Web IDL's rules, and what of WebGPU's interfaces is written by hand.
import assert from "node:assert";
import { test } from "node:test";

import { create, globals } from "../index.js";
import { errorOf, makeDevice } from "./support.mjs";

const device = await makeDevice();
const { STORAGE, COPY_DST, MAP_READ, MAP_WRITE, COPY_SRC } = GPUBufferUsage;

test("wrong arguments are TypeErrors and make nothing", async () => {
  const buffer = device.createBuffer({ size: 16, usage: COPY_DST });
  const layout = device.createBindGroupLayout({ entries: [] });
  const pass = device.createCommandEncoder().beginComputePass();
  const wrong = {
    "no argument": () => device.createBuffer(),
    "no dictionary": () => device.createBuffer(4),
    "a missing member": () => device.createBuffer({ size: 4 }),
    "a negative size": () => device.createBuffer({ size: -1, usage: STORAGE }),
    "a size beyond 2^53": () => device.createBuffer({ size: 2 ** 53, usage: STORAGE }),
    "a size that is no number": () => device.createBuffer({ size: "many", usage: STORAGE }),
    "an infinite size": () => device.createBuffer({ size: Infinity, usage: STORAGE }),
    "a BigInt": () => device.createBuffer({ size: 4n, usage: STORAGE }),
    "a symbol": () => device.createBuffer({ size: 4, usage: Symbol("usage") }),
    "usage beyond 32 bits": () => device.createBuffer({ size: 4, usage: 2 ** 32 }),
    "a wrong enumeration": () =>
      device.createBindGroupLayout({ entries: [{ binding: 0, visibility: 4, buffer: { type: "readonly" } }] }),
    "a sequence that is no iterable": () => device.createBindGroupLayout({ entries: {} }),
    "an interface of another kind": () => device.createBindGroup({ layout: buffer, entries: [] }),
    "null for an interface": () => device.createBindGroup({ layout: null, entries: [] }),
    "a resource of no kind": () => device.createBindGroup({ layout, entries: [{ binding: 0, resource: 7 }] }),
    "a layout that is neither auto nor a layout": () =>
      device.createComputePipeline({ layout: "automatic", compute: { module: device.createShaderModule({ code: "" }) } }),
    "no layout": () => device.createComputePipeline({ compute: { module: device.createShaderModule({ code: "" }) } }),
    "a count beyond 32 bits": () => pass.dispatchWorkgroups(2 ** 32),
    "no count": () => pass.dispatchWorkgroups(),
    "a method of another object": () => device.createBuffer.call(buffer, { size: 4, usage: STORAGE }),
    "no buffer source": () => device.queue.writeBuffer(buffer, 0, [1, 2, 3]),
    "an unknown error filter": () => device.pushErrorScope("all"),
    "an illegal constructor": () => new GPUBuffer(),
    "no name of a feature": () => device.features.has(),
    "a symbol as one": () => device.features.has(Symbol()),
    "an illegal constructor of a set": () => new GPUSupportedFeatures(),
  };
  const error = await errorOf(device, () => {
    for (const [what, call] of Object.entries(wrong)) assert.throws(call, TypeError, what);
  });
  assert.strictEqual(error, null);
});

test("what is no iterable is told by its call and its member", () => {
  assert.throws(() => device.createBindGroupLayout({ entries: {} }), {
    name: "TypeError",
    message:
      "Failed to execute 'createBindGroupLayout' on 'GPUDevice': parameter 1 has member 'entries' that is not an iterable object.",
  });
  assert.throws(() => device.queue.submit(device.createCommandEncoder().finish()), {
    name: "TypeError",
    message: "Failed to execute 'submit' on 'GPUQueue': parameter 1 is not an iterable object.",
  });
});

test("dynamic offsets may be in shared memory", async () => {
  const dynamic = { binding: 0, visibility: GPUShaderStage.COMPUTE, buffer: { hasDynamicOffset: true } };
  const layout = device.createBindGroupLayout({ entries: [dynamic] });
  const buffer = device.createBuffer({ label: "b", size: 512, usage: GPUBufferUsage.UNIFORM });
  const resource = { buffer, size: 16 };
  const group = device.createBindGroup({ layout, entries: [{ binding: 0, resource }] });
  const set = (...offsets) =>
    errorOf(device, () => {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setBindGroup(0, group, ...offsets);
      pass.end();
      encoder.finish();
    });
  const shared = new Uint32Array(new SharedArrayBuffer(16), 4);
  shared.set([7, 256, 1024]);
  assert.strictEqual(await set(shared, 1, 1), null);
  assert.match((await set(shared, 0, 1)).message, /the dynamic offset 7 of binding 0 is not a multiple of 256/);
  assert.match((await set(shared, 2, 1)).message, /the dynamic offset 1024 of binding 0 goes past the end of buffer 'b'/);
  assert.throws(() => device.createCommandEncoder().beginComputePass().setBindGroup(0, group, shared, 3, 1), RangeError);
});

test("what returns a promise rejects", async () => {
  const buffer = device.createBuffer({ size: 16, usage: MAP_READ | COPY_DST });
  await assert.rejects(buffer.mapAsync(), TypeError);
  await assert.rejects(buffer.mapAsync(-1), TypeError);
  await assert.rejects(device.createComputePipelineAsync({}), TypeError);
  await assert.rejects(GPUBuffer.prototype.mapAsync.call(device, 1), TypeError);
  await assert.rejects(device.popErrorScope(), { name: "OperationError" });
});

test("numbers are truncated, defaults filled in, iterables taken as sequences", async () => {
  const buffer = device.createBuffer({ size: 16.9, usage: STORAGE | COPY_SRC });
  assert.strictEqual(buffer.size, 16);
  assert.strictEqual(buffer.label, "");
  assert.strictEqual(buffer.mapState, "unmapped");
  function* entries() {
    yield { binding: "3", visibility: GPUShaderStage.COMPUTE, buffer: {} };
  }
  assert.strictEqual(await errorOf(device, () => device.createBindGroupLayout({ entries: entries() })), null);
  assert.strictEqual(await errorOf(device, () => device.queue.submit(new Set())), null);
  assert.strictEqual(await errorOf(device, () => device.createCommandEncoder(null)), null);
});

test("records: constants of a pipeline, limits of a device", async () => {
  const module = device.createShaderModule({
    code: "override n: u32; @compute @workgroup_size(n) fn main() {}",
  });
  const constants = Object.create({ inherited: 3 }, { n: { value: 4, enumerable: true }, hidden: { value: 1 } });
  assert.strictEqual(
    await errorOf(device, () => device.createComputePipeline({ layout: "auto", compute: { module, constants } })),
    null,
  );
  assert.throws(
    () => device.createComputePipeline({ layout: "auto", compute: { module, constants: { n: NaN } } }),
    TypeError,
  );
  const ask = async requiredLimits => (await create([]).requestAdapter()).requestDevice({ requiredLimits });
  assert.strictEqual((await ask({ maxBindGroups: undefined, unknownLimit: undefined })).limits.maxBindGroups, 4);
  assert.strictEqual((await ask({ maxBindGroups: 5 })).limits.maxBindGroups, 5);
  await assert.rejects(ask({ unknownLimit: 1 }), { name: "OperationError" });
  await assert.rejects(ask({ maxBindGroups: -1 }), TypeError);
  await assert.rejects(ask({ maxBindGroups: 1000 }), { name: "OperationError" });
});

test("features of an adapter", async () => {
  const adapter = await create([]).requestAdapter();
  assert.ok(adapter.features.has("core-features-and-limits"));
  assert.strictEqual([...adapter.features].length, adapter.features.size);
  assert.deepStrictEqual([...adapter.features.keys()], [...adapter.features.values()]);
  assert.strictEqual(Object.prototype.toString.call(adapter.features), "[object GPUSupportedFeatures]");
  await assert.rejects(adapter.requestDevice({ requiredFeatures: ["no-such-feature"] }), TypeError);
  await assert.rejects(adapter.requestDevice({ requiredFeatures: ["texture-compression-bc"] }), TypeError);
});

test("labels", () => {
  const buffer = device.createBuffer({ label: "prices\uD800", size: 4, usage: STORAGE });
  assert.strictEqual(buffer.label, "prices\uFFFD");
  buffer.label = 7;
  assert.strictEqual(buffer.label, "7");
});

test("messages name objects by the labels that they have now", async () => {
  const buffer = device.createBuffer({ label: "old", size: 4, usage: STORAGE });
  buffer.label = "new name";
  const error = await errorOf(device, () => device.queue.writeBuffer(buffer, 0, new Uint8Array(4)));
  assert.match(error.message, /buffer 'new name' lacks the usage COPY_DST/);
});

test("constants cannot be changed", () => {
  assert.strictEqual(GPUBufferUsage.STORAGE, 0x80);
  assert.throws(() => (GPUBufferUsage.STORAGE = 1), TypeError);
  assert.strictEqual(GPUColorWrite.ALL, 15);
});

test("interfaces inherit from the platform's", async () => {
  assert.ok(device instanceof EventTarget);
  const error = new GPUPipelineError("why", { reason: "validation" });
  assert.ok(error instanceof DOMException);
  assert.deepStrictEqual([error.name, error.message, error.reason], ["GPUPipelineError", "why", "validation"]);
  assert.throws(() => new GPUPipelineError("why"), TypeError);
  assert.throws(() => new GPUPipelineError("why", { reason: "other" }), TypeError);
  const event = new GPUUncapturedErrorEvent("uncapturederror", { error: new GPUValidationError("m") });
  assert.ok(event instanceof Event && event.error instanceof GPUError);
  assert.throws(() => new GPUUncapturedErrorEvent("uncapturederror", {}), TypeError);
  assert.deepStrictEqual(Object.keys(globals).filter(name => globalThis[name] !== globals[name]), []);
});

test("sources of writeBuffer: elements of typed arrays, bytes of the others", async () => {
  const target = device.createBuffer({ size: 16, usage: COPY_DST | COPY_SRC });
  const data = new Uint32Array([1, 2, 3, 4, 5]);
  device.queue.writeBuffer(target, 0, data, 1, 2);
  device.queue.writeBuffer(target, 8, data.buffer, 12, 4);
  device.queue.writeBuffer(target, 12, new DataView(data.buffer, 4), 12);
  const readback = device.createBuffer({ size: 16, usage: COPY_DST | MAP_READ });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(target, readback);
  device.queue.submit([encoder.finish()]);
  await readback.mapAsync(GPUMapMode.READ);
  assert.deepStrictEqual([...new Uint32Array(readback.getMappedRange())], [2, 3, 4, 5]);
  for (const [source, offset, size] of [
    [data, 6, undefined],
    [data, 1, 5],
    [new Uint8Array(5), 0, undefined],
    [data.buffer, 21, undefined],
  ]) {
    assert.throws(() => device.queue.writeBuffer(target, 0, source, offset, size), { name: "OperationError" });
  }
});

test("a buffer source is what it is, whatever its properties say", async () => {
  const target = device.createBuffer({ size: 4, usage: COPY_DST | COPY_SRC });
  const data = Uint8Array.of(1, 2, 3, 4);
  Object.defineProperty(data, "buffer", { value: new ArrayBuffer(4) });
  Object.defineProperty(data, "BYTES_PER_ELEMENT", { value: 4 });
  device.queue.writeBuffer(target, 0, data);
  const readback = device.createBuffer({ size: 4, usage: COPY_DST | MAP_READ });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(target, readback);
  device.queue.submit([encoder.finish()]);
  await readback.mapAsync(GPUMapMode.READ);
  assert.deepStrictEqual([...new Uint8Array(readback.getMappedRange())], [1, 2, 3, 4]);
  const detached = new Uint8Array(4);
  structuredClone(detached.buffer, { transfer: [detached.buffer] });
  assert.strictEqual(await errorOf(device, () => device.queue.writeBuffer(target, 0, detached)), null);
});

test("a mapping ends for its ArrayBuffers too", async () => {
  const made = device.createBuffer({ size: 16, usage: MAP_WRITE | COPY_SRC, mappedAtCreation: true });
  const first = made.getMappedRange(0, 8);
  const second = made.getMappedRange(8);
  assert.throws(() => made.getMappedRange(0, 4), { name: "OperationError" });
  new Uint32Array(first)[0] = 7;
  // Who takes the second range along keeps a copy that no longer reaches the buffer.
  const taken = structuredClone(second, { transfer: [second] });
  made.unmap();
  new Uint8Array(taken).fill(9);
  assert.deepStrictEqual([first.byteLength, second.byteLength], [0, 0]);
  await made.mapAsync(GPUMapMode.WRITE);
  const again = made.getMappedRange();
  assert.deepStrictEqual([...new Uint32Array(again)], [7, 0, 0, 0]);
  made.destroy();
  assert.strictEqual(again.byteLength, 0);
  await assert.rejects(made.mapAsync(GPUMapMode.WRITE), { name: "OperationError" });
  for (const size of [2 ** 52, 6]) {
    assert.throws(() => device.createBuffer({ size, usage: COPY_SRC, mappedAtCreation: true }), RangeError);
  }
});

test("a range whose ArrayBuffer cannot be made is not given out", () => {
  const { ArrayBuffer } = globalThis;
  const buffer = device.createBuffer({ size: 16, usage: MAP_WRITE | COPY_SRC, mappedAtCreation: true });
  const getWith = (of, make) => {
    globalThis.ArrayBuffer = function (length) {
      return make(length);
    };
    try {
      return of.getMappedRange();
    } finally {
      globalThis.ArrayBuffer = ArrayBuffer;
    }
  };
  const fail = () => {
    throw new RangeError("Array buffer allocation failed");
  };
  assert.throws(() => getWith(buffer, fail), RangeError);
  assert.throws(() => getWith(buffer, () => new ArrayBuffer(8)), TypeError);
  assert.throws(() => getWith(buffer, () => [16]), TypeError);
  assert.strictEqual(buffer.getMappedRange().byteLength, 16);
  const unmapped = device.createBuffer({ size: 16, usage: MAP_WRITE | COPY_SRC, mappedAtCreation: true });
  const unmap = length => {
    unmapped.unmap();
    return new ArrayBuffer(length);
  };
  assert.throws(() => getWith(unmapped, unmap), { name: "OperationError" });
});

test("destroying the device unmaps its buffers and tells why it is lost", async () => {
  const doomed = await makeDevice();
  const buffer = doomed.createBuffer({ size: 16, usage: MAP_WRITE | COPY_SRC, mappedAtCreation: true });
  const range = buffer.getMappedRange();
  doomed.destroy();
  assert.strictEqual(range.byteLength, 0);
  const lost = await doomed.lost;
  assert.ok(lost instanceof GPUDeviceLostInfo);
  assert.strictEqual(lost.reason, "destroyed");
  await assert.rejects(buffer.mapAsync(GPUMapMode.WRITE), { name: "AbortError" });
  await doomed.queue.onSubmittedWorkDone();
});

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Each object after its destroy(), and each call of a device that is lost.
import assert from "node:assert";
import { test } from "node:test";

import { errorOf, makeDevice } from "./support.mjs";

const { STORAGE, COPY_SRC, COPY_DST, MAP_READ, INDIRECT, QUERY_RESOLVE } = GPUBufferUsage;
const ADD_ONE = `
  @group(0) @binding(0) var<storage, read_write> values: array<u32>;
  @compute @workgroup_size(1) fn main() { values[0] += 1u; }`;

function makePipeline(device) {
  const module = device.createShaderModule({ code: ADD_ONE });
  return device.createComputePipeline({ layout: "auto", compute: { module } });
}

// A command buffer of what `encode` encodes.
function commands(device, encode) {
  const encoder = device.createCommandEncoder();
  encode(encoder);
  return encoder.finish();
}

test("a destroyed buffer: what was encoded with it cannot be submitted, and it cannot be mapped or written", async () => {
  const device = await makeDevice();
  const pipeline = makePipeline(device);
  const make = usage => device.createBuffer({ label: "gone", size: 16, usage });
  const other = device.createBuffer({ size: 16, usage: COPY_SRC | COPY_DST });
  const layout = pipeline.getBindGroupLayout(0);
  const uses = {
    copy: [COPY_SRC, (encoder, buffer) => encoder.copyBufferToBuffer(buffer, other)],
    clear: [COPY_DST, (encoder, buffer) => encoder.clearBuffer(buffer)],
    dispatch: [
      STORAGE,
      (encoder, buffer) => {
        const pass = encoder.beginComputePass();
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, device.createBindGroup({ layout, entries: [{ binding: 0, resource: buffer }] }));
        pass.dispatchWorkgroups(1);
        pass.end();
      },
    ],
    "bind group that is set and not used": [
      STORAGE,
      (encoder, buffer) => {
        const pass = encoder.beginComputePass();
        pass.setBindGroup(0, device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer } }] }));
        pass.end();
      },
    ],
    indirect: [
      INDIRECT,
      (encoder, buffer) => {
        const values = device.createBuffer({ size: 16, usage: STORAGE });
        const pass = encoder.beginComputePass();
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, device.createBindGroup({ layout, entries: [{ binding: 0, resource: values }] }));
        pass.dispatchWorkgroupsIndirect(buffer, 0);
        pass.end();
      },
    ],
  };
  for (const [use, [usage, encode]] of Object.entries(uses)) {
    const before = make(usage);
    const encodedBefore = commands(device, encoder => encode(encoder, before));
    before.destroy();
    const after = make(usage);
    after.destroy();
    // Encoding and binding are no errors: only the submit looks.
    let encodedAfter;
    assert.strictEqual(
      await errorOf(device, () => {
        encodedAfter = commands(device, encoder => encode(encoder, after));
      }),
      null,
      use,
    );
    for (const encoded of [encodedBefore, encodedAfter]) {
      const error = await errorOf(device, () => device.queue.submit([encoded]));
      assert.match(error?.message ?? "no error", /buffer 'gone' is destroyed/, use);
    }
  }
  const written = make(COPY_DST);
  written.destroy();
  written.destroy();
  const error = await errorOf(device, () => device.queue.writeBuffer(written, 0, new Uint8Array(4)));
  assert.match(error.message, /buffer 'gone' is destroyed/);
  const mapped = make(MAP_READ);
  mapped.destroy();
  let mapping;
  const mapError = await errorOf(device, () => {
    mapping = mapped.mapAsync(GPUMapMode.READ);
    mapping.catch(() => {});
  });
  assert.ok(mapError instanceof GPUValidationError);
  await assert.rejects(mapping, { name: "OperationError" });
  assert.throws(() => mapped.getMappedRange(), { name: "OperationError" });
  assert.strictEqual(mapped.mapState, "unmapped");
});

test("a buffer that is destroyed while a mapping is pending", async () => {
  const device = await makeDevice();
  const buffer = device.createBuffer({ size: 16, usage: MAP_READ });
  const mapping = buffer.mapAsync(GPUMapMode.READ);
  buffer.destroy();
  await assert.rejects(mapping, { name: "AbortError", message: "a buffer without a label is not mapped: it was destroyed meanwhile" });
});

test("a destroyed texture and a destroyed query set cannot be submitted", async () => {
  const device = await makeDevice();
  const texture = device.createTexture({ label: "gone", size: [4, 4], format: "rgba8unorm", usage: GPUTextureUsage.COPY_SRC });
  const querySet = device.createQuerySet({ label: "gone", type: "occlusion", count: 1 });
  const buffer = device.createBuffer({ size: 1024, usage: COPY_DST | QUERY_RESOLVE });
  const copy = commands(device, encoder => encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: 256 }, [4, 4]));
  const resolve = commands(device, encoder => encoder.resolveQuerySet(querySet, 0, 1, buffer, 0));
  texture.destroy();
  querySet.destroy();
  assert.match((await errorOf(device, () => device.queue.submit([copy]))).message, /texture 'gone' is destroyed/);
  assert.match((await errorOf(device, () => device.queue.submit([resolve]))).message, /query set 'gone' is destroyed/);
  assert.ok((await errorOf(device, () => texture.createView())) === null);
});

test("a destroyed device makes objects, runs nothing, and says nothing", async () => {
  const device = await makeDevice();
  const buffer = device.createBuffer({ size: 16, usage: MAP_READ | COPY_DST });
  const pipeline = makePipeline(device);
  device.destroy();
  device.destroy();
  let uncaptured = 0;
  device.addEventListener("uncapturederror", () => uncaptured++);
  assert.ok(device.createBuffer({ size: 4, usage: 0 }) instanceof GPUBuffer);
  assert.ok(device.createShaderModule({ code: "nonsense" }) instanceof GPUShaderModule);
  assert.ok(makePipeline(device) instanceof GPUComputePipeline);
  assert.ok(pipeline.getBindGroupLayout(0) instanceof GPUBindGroupLayout);
  const encoder = device.createCommandEncoder();
  encoder.beginComputePass().end();
  device.queue.submit([encoder.finish()]);
  device.queue.writeBuffer(buffer, 0, new Uint8Array(4));
  await device.queue.onSubmittedWorkDone();
  await assert.rejects(buffer.mapAsync(GPUMapMode.READ), { name: "AbortError" });
  device.pushErrorScope("validation");
  device.createBuffer({ size: 4, usage: 0 });
  assert.strictEqual(await device.popErrorScope(), null);
  const module = device.createShaderModule({ code: ADD_ONE });
  assert.ok((await device.createComputePipelineAsync({ layout: "auto", compute: { module } })) instanceof GPUComputePipeline);
  assert.strictEqual((await device.lost).reason, "destroyed");
  assert.strictEqual(uncaptured, 0);
});

test("a dispatch that does not end loses the device, and Node goes on meanwhile", async () => {
  const device = await makeDevice({}, ["timeout=0.5"]);
  const code = `
    @group(0) @binding(0) var<storage, read_write> v: array<u32>;
    @compute @workgroup_size(1) fn main() { loop { v[0]++; if (v[0] == 0u && v[1] == 1u) { break; } } }`;
  const compute = { module: device.createShaderModule({ code }) };
  const pipeline = device.createComputePipeline({ label: "spins", layout: "auto", compute });
  const buffer = device.createBuffer({ size: 16, usage: STORAGE });
  const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: buffer }] });
  const submitted = commands(device, encoder => {
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(1);
    pass.end();
  });
  let turns = 0;
  const timer = setInterval(() => turns++, 5);
  device.queue.submit([submitted]);
  await device.queue.onSubmittedWorkDone();
  const { reason, message } = await device.lost;
  clearInterval(timer);
  assert.strictEqual(reason, "unknown");
  assert.match(message, /spins/);
  assert.ok(turns > 10, `${turns} turns of the loop`);
});

test("objects of another device are refused", async () => {
  const [device, other] = [await makeDevice(), await makeDevice()];
  const buffer = other.createBuffer({ label: "foreign", size: 16, usage: COPY_DST });
  const errors = [
    await errorOf(device, () => device.queue.writeBuffer(buffer, 0, new Uint8Array(4))),
    await errorOf(device, () => commands(device, encoder => encoder.clearBuffer(buffer))),
    await errorOf(device, () => device.queue.submit([commands(other, () => {})])),
  ];
  for (const error of errors) assert.match(error?.message ?? "no error", /of another device/);
});

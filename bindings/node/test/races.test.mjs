// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// create(["race"]): what the dispatches of a whole program do wrong.
import assert from "node:assert";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { create, globals } from "../index.js";

Object.assign(globalThis, globals);

const MIRROR = barrier => `
  @group(0) @binding(0) var<storage, read_write> values: array<u32>;
  var<workgroup> tile: array<u32, 64>;
  @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) lane: u32) {
    tile[lane] = values[lane];
    ${barrier}
    values[lane] = tile[63 - lane];
  }`;

async function findingsOf(shaders) {
  const findings = [];
  const adapter = await create(["race"], { onFinding: finding => findings.push(finding) }).requestAdapter();
  const device = await adapter.requestDevice();
  const buffer = device.createBuffer({ size: 256, usage: GPUBufferUsage.STORAGE });
  for (const [label, code] of Object.entries(shaders)) {
    const module = device.createShaderModule({ label: `${label}.wgsl`, code });
    const pipeline = device.createComputePipeline({ label, layout: "auto", compute: { module } });
    const layout = pipeline.getBindGroupLayout(0);
    const group = device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer } }] });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(1);
    pass.dispatchWorkgroups(1);
    pass.end();
    device.queue.submit([encoder.finish()]);
  }
  await device.queue.onSubmittedWorkDone();
  return findings;
}

test("a race is told once, with the label of its pipeline and its place", async () => {
  const findings = await findingsOf({ "with a barrier": MIRROR("workgroupBarrier();"), "without one": MIRROR("") });
  assert.deepStrictEqual(
    findings.map(({ kind, pipeline }) => [kind, pipeline]),
    [["race", "without one"]],
  );
  assert.match(findings[0].message, /without one\.wgsl:5:.*data race on 'tile/);
  assert.match(findings[0].message, /values\[lane\] = tile\[63 - lane\];/);
});

test("accesses out of bounds", async () => {
  const findings = await findingsOf({
    beyond: `@group(0) @binding(0) var<storage, read_write> values: array<u32>;
      @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) lane: u32) { values[lane + 1] = lane; }`,
  });
  assert.deepStrictEqual(
    findings.map(({ kind, pipeline }) => [kind, pipeline]),
    [["out-of-bounds", "beyond"]],
  );
});

test("stderr has them too", () => {
  const support = fileURLToPath(new URL("../index.js", import.meta.url));
  const program = `
    import { create, globals } from ${JSON.stringify(support)};
    Object.assign(globalThis, globals);
    const device = await (await create(["race"]).requestAdapter()).requestDevice();
    const module = device.createShaderModule({ code: ${JSON.stringify(MIRROR(""))} });
    const pipeline = device.createComputePipeline({ label: "mirror", layout: "auto", compute: { module } });
    const buffer = device.createBuffer({ size: 256, usage: GPUBufferUsage.STORAGE });
    const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: { buffer } }] });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline); pass.setBindGroup(0, group); pass.dispatchWorkgroups(1); pass.end();
    device.queue.submit([encoder.finish()]);`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  assert.strictEqual(status, 0);
  assert.match(stderr, /^in compute pipeline 'mirror':\n.*data race on 'tile/);
});

test("what onFinding throws is an uncaught exception, and the rest goes on", () => {
  const index = fileURLToPath(new URL("../index.js", import.meta.url));
  const program = `
    import { create, globals } from ${JSON.stringify(index)};
    Object.assign(globalThis, globals);
    process.on("uncaughtException", error => console.log("uncaught", error.message));
    const callbacks = { onFinding() { throw new Error("mine"); } };
    const device = await (await create(["race"], callbacks).requestAdapter()).requestDevice();
    const module = device.createShaderModule({ code: ${JSON.stringify(MIRROR(""))} });
    const pipeline = device.createComputePipeline({ layout: "auto", compute: { module } });
    const buffer = device.createBuffer({ size: 256, usage: GPUBufferUsage.STORAGE });
    const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: buffer }] });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline); pass.setBindGroup(0, group); pass.dispatchWorkgroups(1); pass.end();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    console.log("done");`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  assert.strictEqual(stdout, "uncaught mine\ndone\n");
});

test("options", async () => {
  assert.throws(() => create(["races"]), { name: "TypeError", message: /'races' is no option/ });
  for (const wrong of ["timeout", "timeout=", "timeout=soon", "timeout=-1"]) assert.throws(() => create([wrong]), TypeError);
  assert.ok(create(["enable-dawn-features=allow_unsafe_apis", "adapter=SwiftShader"]));
  assert.ok(create());
  for (const wrong of [null, "race", {}]) assert.throws(() => create(wrong), TypeError);
  assert.throws(() => create(["race"], { onFinding: 5 }), TypeError);
});

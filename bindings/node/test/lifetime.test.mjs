// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory goes when its owners do, and a process ends cleanly whatever is under way.
import assert from "node:assert";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { makeDevice } from "./support.mjs";

const SUPPORT = fileURLToPath(new URL("support.mjs", import.meta.url));
const { STORAGE, COPY_SRC, COPY_DST, MAP_READ, MAP_WRITE } = GPUBufferUsage;
const COUNT_UP = `
  @group(0) @binding(0) var<storage, read_write> values: array<u32>;
  @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { values[id.x] += id.x; }`;

async function collect() {
  for (let i = 0; i < 4; i++) {
    globalThis.gc();
    await turn();
  }
}
const residentMegabytes = () => process.memoryUsage.rss() / 2 ** 20;

async function round(device, pipeline, size) {
  const values = device.createBuffer({ size, usage: STORAGE | COPY_SRC });
  const readback = device.createBuffer({ size, usage: COPY_DST | MAP_READ });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  const layout = pipeline.getBindGroupLayout(0);
  pass.setBindGroup(0, device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer: values } }] }));
  pass.dispatchWorkgroups(size / 256);
  pass.end();
  encoder.copyBufferToBuffer(values, readback);
  device.queue.submit([encoder.finish()]);
  await readback.mapAsync(GPUMapMode.READ);
  const last = new Uint32Array(readback.getMappedRange()).at(-1);
  values.destroy();
  readback.destroy();
  return last;
}

function makePipeline(device) {
  const module = device.createShaderModule({ code: COUNT_UP });
  return device.createComputePipeline({ layout: "auto", compute: { module } });
}

test("10,000 rounds of create, dispatch, read and destroy leave memory flat", async () => {
  const device = await makeDevice();
  const pipeline = makePipeline(device);
  const rounds = async count => {
    for (let i = 0; i < count; i++) assert.strictEqual(await round(device, pipeline, 4096), 1023);
    await collect();
    return residentMegabytes();
  };
  const before = await rounds(2000);
  const after = await rounds(8000);
  assert.ok(after - before < 30, `${before.toFixed(1)} MiB after 2,000 rounds, ${after.toFixed(1)} after 10,000`);
});

test("200 devices that are dropped are freed, their threads too", async () => {
  const use = async count => {
    for (let i = 0; i < count; i++) {
      const device = await makeDevice();
      assert.strictEqual(await round(device, makePipeline(device), 256), 63);
      if (i % 10 === 9) await collect();
    }
    await collect();
    return residentMegabytes();
  };
  const before = await use(50);
  const after = await use(150);
  assert.ok(after - before < 40, `${before.toFixed(1)} MiB after 50 devices, ${after.toFixed(1)} after 200`);
});

test("buffers that are dropped are freed, mapped ones too", async () => {
  const device = await makeDevice();
  const size = 2 ** 26;
  for (let i = 0; i < 60; i++) {
    const buffer = device.createBuffer({ size, usage: MAP_WRITE | COPY_SRC, mappedAtCreation: true });
    new Uint8Array(buffer.getMappedRange()).fill(1);
    await turn();
  }
  await collect();
  assert.ok(residentMegabytes() < 1500, `${residentMegabytes().toFixed(0)} MiB of 3,840 are still there`);
});

// Runs a program that has `device`; what it printed, and how it ended.
function run(body) {
  const source = `
    import { makeDevice } from ${JSON.stringify(SUPPORT)};
    const device = await makeDevice();
    const code = ${JSON.stringify(COUNT_UP)};
    const endless = "@group(0) @binding(0) var<storage, read_write> v: array<u32>;" +
      "@compute @workgroup_size(1) fn main() { loop { v[0]++; if (v[0] == 0u && v[1] == 1u) { break; } } }";
    function dispatch(code) {
      const pipeline = device.createComputePipeline({ layout: "auto", compute: { module: device.createShaderModule({ code }) } });
      const buffer = device.createBuffer({ size: 256, usage: ${STORAGE} });
      const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: { buffer } }] });
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(1);
      pass.end();
      device.queue.submit([encoder.finish()]);
    }
    ${body}`;
  return new Promise(resolve => {
    execFile(process.execPath, ["--input-type=module", "-e", source], { timeout: 20000 }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : (error.code ?? error.signal), stdout, stderr });
    });
  });
}

for (const [name, body, expected] of [
  ["a device alone does not keep it", "", { status: 0, stdout: "", stderr: "" }],
  ["what is awaited does", "dispatch(code); device.queue.onSubmittedWorkDone().then(() => console.log('done'));",
    { status: 0, stdout: "done\n", stderr: "" }],
  ["with a dispatch in flight", "dispatch(code);", { status: 0, stdout: "", stderr: "" }],
  ["with an endless dispatch, by exit", "dispatch(endless); process.exit(3);", { status: 3, stdout: "", stderr: "" }],
  ["with an endless dispatch, when all is said", "dispatch(endless);", { status: 0, stdout: "", stderr: "" }],
  ["with an endless dispatch that is destroyed",
    "dispatch(endless); device.destroy(); console.log((await device.lost).reason);",
    { status: 0, stdout: "destroyed\n", stderr: "" }],
  ["with a pipeline that compiles", "device.createComputePipelineAsync({ layout: 'auto', compute: { module: " +
    "device.createShaderModule({ code }) } }); process.exit(4);", { status: 4, stdout: "", stderr: "" }],
  ["with a mapping", "device.createBuffer({ size: 4, usage: 2, mappedAtCreation: true }).getMappedRange();",
    { status: 0, stdout: "", stderr: "" }],
  ["from a worker thread", `import { Worker } from "node:worker_threads";
    const worker = new Worker('import("' + ${JSON.stringify(SUPPORT)} + '").then(async m => { await m.makeDevice(); })', { eval: true });
    worker.on("exit", status => console.log("worker", status));`, { status: 0, stdout: "worker 0\n", stderr: "" }],
  ["from a worker thread that is stopped at work", `import { Worker } from "node:worker_threads";
    const worker = new Worker('import("' + ${JSON.stringify(SUPPORT)} + '").then(async m => { const device = await m.makeDevice();' +
      '(await import("node:worker_threads")).parentPort.postMessage(0);' +
      'for (;;) { device.createBuffer({ size: 4, usage: 0 }); await device.queue.onSubmittedWorkDone(); } })', { eval: true, stderr: true });
    worker.on("message", () => setTimeout(() => worker.terminate(), 100));
    worker.on("exit", status => console.log("worker", status));`, { status: 0, stdout: "worker 1\n", stderr: "" }],
]) {
  test(`a process ends: ${name}`, async () => assert.deepStrictEqual(await run(body), expected));
}

test("what a listener throws is an uncaught exception", async () => {
  const { status, stderr } = await run(`device.onuncapturederror = () => { throw new Error("from the listener"); };
    device.createBuffer({ size: 4, usage: 0 });
    setTimeout(() => process.exit(0), 2000);`);
  assert.strictEqual(status, 1);
  assert.match(stderr, /from the listener/);
});

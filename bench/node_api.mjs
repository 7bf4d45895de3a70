// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What Node programs wait for, timed for one implementation of WebGPU:   node node_api.mjs lockstep|dawn WORK REPEATS
// Prints a time in milliseconds a line, then "check TEXT", which all implementations must agree on. bench/node_api.py compares.
import { load } from "./implementation.mjs";
import { countRatings } from "../examples/node/rating_histogram.mjs";
import { rankPrices } from "../examples/node/price_rank.mjs";

const [implementation, work, repeats] = process.argv.slice(2);

// The examples have set Lockstep's interfaces: those of the implementation that is timed are the global ones now.
const gpu = await load(implementation);
const adapter = await gpu.requestAdapter();
const device = await adapter.requestDevice();

const prices = Float32Array.from({ length: 16384 }, (_, item) => ((item * 7919) % 16384) / 100);

function counter(number = 1) {
  const code = `
    @group(0) @binding(0) var<storage, read_write> values: array<u32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { values[id.x] += ${number}u; }`;
  return device.createComputePipeline({ layout: "auto", compute: { module: device.createShaderModule({ code }) } });
}
const values = device.createBuffer({
  size: 256,
  usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
});
const readback = device.createBuffer({ size: 256, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
const pipeline = counter();
const group = device.createBindGroup({
  layout: pipeline.getBindGroupLayout(0),
  entries: [{ binding: 0, resource: { buffer: values } }],
});

async function dispatchAndRead(dispatches) {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  for (let i = 0; i < dispatches; i++) {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(1);
  }
  pass.end();
  encoder.copyBufferToBuffer(values, 0, readback, 0, 256);
  device.queue.submit([encoder.finish()]);
  await readback.mapAsync(GPUMapMode.READ);
  const last = new Uint32Array(readback.getMappedRange())[63];
  readback.unmap();
  return last;
}

let created = 0;
const works = {
  "price rank page": async () => (await rankPrices(device, prices)).slice(0, 4).join(),
  "rating histogram page": async () => (await countRatings(device)).join(),
  "1,000 submits with readback": async () => {
    device.queue.writeBuffer(values, 0, new Uint32Array(64));
    let last;
    for (let i = 0; i < 1000; i++) last = await dispatchAndRead(1);
    return `${last}`;
  },
  "10,000 dispatches in one submit": async () => {
    device.queue.writeBuffer(values, 0, new Uint32Array(64));
    return `${await dispatchAndRead(10000)}`;
  },
  // Numbers that no run has had, so that no cache has the pipelines.
  "200 new compute pipelines": async () => {
    const first = (Date.now() % 1e6) * 4000 + created;
    created += 200;
    const pipelines = [];
    for (let i = 0; i < 200; i++) {
      const code = `
        @group(0) @binding(0) var<storage, read_write> values: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
          var sum = 0u;
          for (var i = 0u; i < values[id.x]; i++) { sum += values[(id.x + i) % 64u] * ${(first + i) >>> 0}u; }
          values[id.x] = sum;
        }`;
      const module = device.createShaderModule({ code });
      pipelines.push(device.createComputePipelineAsync({ layout: "auto", compute: { module } }));
    }
    return `${(await Promise.all(pipelines)).length}`;
  },
};

let check;
for (let i = 0; i <= Number(repeats); i++) {
  const begin = performance.now();
  check = await works[work]();
  if (i > 0) console.log((performance.now() - begin).toFixed(3));
}
console.log(`check ${check}`);
process.exit(0);

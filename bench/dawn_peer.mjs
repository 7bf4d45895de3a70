// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a WGSL kernel through the npm package `webgpu` (Dawn) and prints its times in milliseconds, one a line, then "sum S":
// the sum of the output's words.   node dawn_peer.mjs KERNEL.wgsl price_rank|histogram|mandelbrot|matmul REPEATS
// Times are those of the dispatch and the wait for it, without compilation and copies.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(`${process.env.LOCKSTEP_BENCH_MODULES ?? process.cwd()}/x.js`);
const { create, globals } = await import(pathToFileURL(require.resolve('webgpu')).href);
Object.assign(globalThis, globals);

const [file, kind, repeats] = process.argv.slice(2);

function random(count, low, high, seed) {
  const mask = (1n << 64n) - 1n;
  return Float32Array.from({ length: count }, (_, i) => {
    let z = (BigInt(seed) + BigInt(i + 1) * 0x9e3779b97f4a7c15n) & mask;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
    z ^= z >> 31n;
    return low + (high - low) * (Number(z >> 40n) / 16777216);
  });
}

const jobs = {
  price_rank: () => ({ inputs: [random(16384, 5, 60, 7)], words: 16384, groups: [64] }),
  histogram: () => ({ inputs: [], words: 6, groups: [16384] }),
  mandelbrot: () => ({ inputs: [], words: 2048 * 2048, groups: [128, 128] }),
  matmul: () => ({ inputs: [random(1 << 20, -1, 1, 1), random(1 << 20, -1, 1, 2)], words: 1 << 20, groups: [64, 64] }),
};
const job = jobs[kind]();

const gpu = create([]);
const adapter = await gpu.requestAdapter();
const device = await adapter.requestDevice();
const pipeline = device.createComputePipeline({
  layout: 'auto',
  compute: { module: device.createShaderModule({ code: readFileSync(file, 'utf8') }) },
});
const storage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
const buffers = job.inputs.map((input) => {
  const buffer = device.createBuffer({ size: input.byteLength, usage: storage });
  device.queue.writeBuffer(buffer, 0, input);
  return buffer;
});
const output = device.createBuffer({ size: job.words * 4, usage: storage });
buffers.push(output);
const group = device.createBindGroup({
  layout: pipeline.getBindGroupLayout(0),
  entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
});
for (let i = 0; i <= Number(repeats); i++) {
  device.queue.writeBuffer(output, 0, new Uint32Array(job.words));
  await device.queue.onSubmittedWorkDone();
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(...job.groups);
  pass.end();
  const commands = encoder.finish();
  const begin = performance.now();
  device.queue.submit([commands]);
  await device.queue.onSubmittedWorkDone();
  if (i > 0) console.log((performance.now() - begin).toFixed(6));
}
const readback = device.createBuffer({ size: job.words * 4, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
const encoder = device.createCommandEncoder();
encoder.copyBufferToBuffer(output, 0, readback, 0, job.words * 4);
device.queue.submit([encoder.finish()]);
await readback.mapAsync(GPUMapMode.READ);
let sum = 0n;
for (const word of new Uint32Array(readback.getMappedRange())) sum += BigInt(word);
console.log(`sum ${sum}`);
process.exit(0);

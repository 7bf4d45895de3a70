// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Counts 65,536 ratings on the device and again in JavaScript: node examples/node/rating_histogram.mjs
import { readFileSync } from "node:fs";

import { create, globals } from "../../bindings/node/index.js";

Object.assign(globalThis, globals);

// The hash of examples/rating_histogram.wgsl: 1 to 5 stars, five twice as often.
function starsOf(review) {
  const mixed = (Math.imul(review, 747796405) + 2891336453) >>> 0;
  const hash = Math.imul((mixed >>> ((mixed >>> 28) + 4)) ^ mixed, 277803737) >>> 0;
  return Math.min(5, 1 + ((hash >>> 22) % 6));
}

export async function countRatings(device, groups = 16) {
  const code = readFileSync(new URL("../rating_histogram.wgsl", import.meta.url), "utf8");
  const pipeline = await device.createComputePipelineAsync({
    label: "rating histogram",
    layout: "auto",
    compute: { module: device.createShaderModule({ code }) },
  });
  const counts = device.createBuffer({ size: 24, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
  const readback = device.createBuffer({ size: 24, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });

  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [{ binding: 0, resource: { buffer: counts } }],
    }),
  );
  pass.dispatchWorkgroups(groups);
  pass.end();
  encoder.copyBufferToBuffer(counts, readback);
  device.queue.submit([encoder.finish()]);

  await readback.mapAsync(GPUMapMode.READ);
  const result = Array.from(new Uint32Array(readback.getMappedRange()));
  readback.unmap();
  return result;
}

export function countInJavaScript(reviews) {
  const counts = [0, 0, 0, 0, 0];
  for (let review = 0; review < reviews; review++) counts[starsOf(review) - 1]++;
  return counts;
}

if (import.meta.url === `file://${process.argv[1]}`) {
  const adapter = await create([]).requestAdapter();
  const device = await adapter.requestDevice();
  const counts = await countRatings(device);
  const expected = countInJavaScript(65536);
  console.log(`stars 1 to 5: ${counts.slice(0, 5).join(", ")}; most in one bin of a workgroup: ${counts[5]}`);
  const same = expected.every((count, star) => count === counts[star]);
  console.log(same ? "JavaScript counts the same." : `JavaScript counts ${expected.join(", ")}.`);
  process.exitCode = same ? 0 : 1;
}

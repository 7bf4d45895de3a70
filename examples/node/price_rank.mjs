// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranks 16,384 prices on the device and sorts them in JavaScript: node examples/node/price_rank.mjs
import { readFileSync } from "node:fs";

import { create, globals } from "../../bindings/node/index.js";

Object.assign(globalThis, globals);

export async function rankPrices(device, prices) {
  const code = readFileSync(new URL("../price_rank_tiled.wgsl", import.meta.url), "utf8");
  const pipeline = device.createComputePipeline({
    label: "price rank",
    layout: "auto",
    compute: { module: device.createShaderModule({ code }) },
  });
  const size = prices.byteLength;
  const input = device.createBuffer({ size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST });
  const ranks = device.createBuffer({ size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
  const readback = device.createBuffer({ size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  device.queue.writeBuffer(input, 0, prices);

  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [input, ranks].map((buffer, binding) => ({ binding, resource: { buffer } })),
    }),
  );
  pass.dispatchWorkgroups(prices.length / 256);
  pass.end();
  encoder.copyBufferToBuffer(ranks, readback);
  device.queue.submit([encoder.finish()]);

  await readback.mapAsync(GPUMapMode.READ);
  const result = new Uint32Array(readback.getMappedRange().slice(0));
  readback.unmap();
  return result;
}

// Equal prices keep their order, as in Array.prototype.sort.
export function rankInJavaScript(prices) {
  const order = Array.from(prices.keys()).sort((a, b) => prices[a] - prices[b]);
  const ranks = new Uint32Array(prices.length);
  order.forEach((item, rank) => (ranks[item] = rank));
  return ranks;
}

if (import.meta.url === `file://${process.argv[1]}`) {
  const adapter = await create([]).requestAdapter();
  const device = await adapter.requestDevice();
  const prices = Float32Array.from({ length: 16384 }, () => Math.round(500 + Math.random() * 5500) / 100);
  const ranks = await rankPrices(device, prices);
  const expected = rankInJavaScript(prices);
  const wrong = ranks.findIndex((rank, item) => rank !== expected[item]);
  console.log(`the first prices ${prices.slice(0, 4).join(", ")} have the ranks ${ranks.slice(0, 4).join(", ")}`);
  console.log(wrong < 0 ? "JavaScript ranks them the same." : `JavaScript ranks price ${wrong} as ${expected[wrong]}.`);
  process.exitCode = wrong < 0 ? 0 : 1;
}

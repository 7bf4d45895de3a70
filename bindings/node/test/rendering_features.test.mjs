// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Rendering that a device does with optional features.
import assert from "node:assert";
import test from "node:test";

import { makeDevice } from "./support.mjs";

const SIZE = 8;
const vertex = `
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i % 2) * 4 - 1, f32(i / 2) * 4 - 1, 0, 1);
  }`;

async function deviceWith(feature) {
  const device = await makeDevice({ requiredFeatures: [feature] });
  device.addEventListener("uncapturederror", event => assert.fail(event.error.message));
  return device;
}

// The bytes of the target's rows, 256 each, after the triangle.
async function draw(device, { code, format, clearValue, blend }) {
  const module = device.createShaderModule({ code });
  const pipeline = device.createRenderPipeline({
    layout: "auto",
    vertex: { module, entryPoint: "vs" },
    fragment: { module, entryPoint: "fs", targets: [{ format, blend }] },
  });
  const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC;
  const texture = device.createTexture({ size: [SIZE, SIZE], format, usage });
  const buffer = device.createBuffer({ size: SIZE * 256, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: texture, clearValue, loadOp: "clear", storeOp: "store" }],
  });
  pass.setPipeline(pipeline);
  pass.draw(3);
  pass.end();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: 256 }, [SIZE, SIZE]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  return buffer.getMappedRange();
}

test("dual-source-blending: the second color is a factor", async () => {
  const component = { srcFactor: "src1", dstFactor: "one-minus-src1", operation: "add" };
  const code = `enable dual_source_blending;
    ${vertex}
    struct Out { @location(0) @blend_src(0) color: vec4f, @location(0) @blend_src(1) factor: vec4f }
    @fragment fn fs() -> Out { return Out(vec4f(1, 1, 0, 1), vec4f(0.25, 0.5, 0.75, 1)); }`;
  const device = await deviceWith("dual-source-blending");
  const blend = { color: component, alpha: component };
  const bytes = await draw(device, { code, format: "rgba8unorm", clearValue: [0, 1, 1, 0], blend });
  assert.deepStrictEqual([...new Uint8Array(bytes, 0, 4)], [64, 255, 64, 255]);
});

test("clip-distances: what is below 0 is cut off", async () => {
  const code = `enable clip_distances;
    struct Out { @builtin(position) position: vec4f, @builtin(clip_distances) distances: array<f32, 2> }
    @vertex fn vs(@builtin(vertex_index) i: u32) -> Out {
      let place = vec2f(f32(i % 2) * 4 - 1, f32(i / 2) * 4 - 1);
      return Out(vec4f(place, 0, 1), array<f32, 2>(place.x, 0.5 - place.y));
    }
    @fragment fn fs() -> @location(0) vec4f { return vec4f(1); }`;
  const bytes = new Uint8Array(await draw(await deviceWith("clip-distances"), { code, format: "r8unorm" }));
  for (let y = 0; y < SIZE; ++y) {
    for (let x = 0; x < SIZE; ++x) assert.strictEqual(bytes[256 * y + x], x >= 4 && y >= 2 ? 255 : 0, `${x} ${y}`);
  }
});

test("texture-formats-tier1: snorm and 16-bit norm targets, blended", async () => {
  const device = await deviceWith("texture-formats-tier1");
  const one = { srcFactor: "one", dstFactor: "one", operation: "add" };
  const blend = { color: one, alpha: one };
  const code = `${vertex} @fragment fn fs() -> @location(0) vec4f { return vec4f(-0.75, 0.5, 0, 0.5); }`;
  const clearValue = [-0.5, 0.25, 1, 0.5];
  const expected = { snorm: [-1, 0.75, 1, 1], unorm: [0, 0.75, 1, 1] };
  for (const format of ["r8snorm", "rg8snorm", "rgba8snorm", "r16unorm", "r16snorm", "rg16unorm", "rg16snorm", "rgba16unorm", "rgba16snorm"]) {
    const [, channels, bits, kind] = /^([a-z]+)(\d+)(.*)$/.exec(format);
    const bytes = await draw(device, { code, format, clearValue, blend });
    const Values = { "8snorm": Int8Array, "16snorm": Int16Array, "16unorm": Uint16Array }[bits + kind];
    const most = kind === "unorm" ? 2 ** bits - 1 : 2 ** (bits - 1) - 1;
    [...new Values(bytes, 0, channels.length)].forEach((value, c) => {
      assert.ok(Math.abs(value - expected[kind][c] * most) <= 1, `${format}: ${value}`);
    });
  }
});

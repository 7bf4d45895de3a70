// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert";
import test from "node:test";

import { errorOf, makeDevice } from "./support.mjs";

const device = await makeDevice();
const SIZE = 64;
const format = "rgba8unorm";

const code = `
  struct Out { @builtin(position) position: vec4f, @location(0) color: vec4f }
  @vertex fn vs(@location(0) place: vec2f, @location(1) color: vec4f) -> Out { return Out(vec4f(place, 0, 1), color); }
  @fragment fn fs(in: Out) -> @location(0) vec4f { return in.color; }`;
const module = device.createShaderModule({ code });
const descriptor = {
  layout: "auto",
  vertex: {
    module,
    buffers: [
      {
        arrayStride: 12,
        attributes: [
          { shaderLocation: 0, format: "float32x2", offset: 0 },
          { shaderLocation: 1, format: "unorm8x4", offset: 8 },
        ],
      },
    ],
  },
  fragment: { module, targets: [{ format }] },
};

// Two triangles over the whole target, green.
const bytes = new DataView(new ArrayBuffer(6 * 12));
[[-1, -1], [3, -1], [-1, 3], [0, 0], [0, 0], [0, 0]].forEach(([x, y], i) => {
  bytes.setFloat32(12 * i, x, true);
  bytes.setFloat32(12 * i + 4, y, true);
  bytes.setUint32(12 * i + 8, 0xff00ff00, true);
});
const vertices = device.createBuffer({ size: 72, usage: GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_DST });
device.queue.writeBuffer(vertices, 0, bytes);

// The pixel at (x, y) of what `draw` draws on a red target.
async function pixelOf(draw, x, y, clearValue = { r: 1, g: 0, b: 0, a: 1 }) {
  const texture = device.createTexture({
    size: [SIZE, SIZE],
    format,
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
  });
  const buffer = device.createBuffer({ size: SIZE * 256, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [null, { view: texture, clearValue, loadOp: "clear", storeOp: "store" }].slice(1),
  });
  draw(pass);
  pass.end();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: 256 }, [SIZE, SIZE]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  return [...new Uint8Array(buffer.getMappedRange()).subarray(y * 256 + 4 * x, y * 256 + 4 * x + 4)];
}

test("a pass clears, and draws within scissor and viewport", async () => {
  const pipeline = device.createRenderPipeline(descriptor);
  const draw = pass => {
    pass.setPipeline(pipeline);
    pass.setVertexBuffer(0, vertices);
    pass.setViewport(0, 0, SIZE, SIZE, 0, 1);
    pass.setScissorRect(8, 0, 16, SIZE);
    pass.draw(6);
  };
  assert.deepStrictEqual(await pixelOf(draw, 10, 10), [0, 255, 0, 255]);
  assert.deepStrictEqual(await pixelOf(draw, 30, 10), [255, 0, 0, 255]);
  assert.deepStrictEqual(await pixelOf(() => {}, 1, 1, [0, 0, 1, 0.5]), [0, 0, 255, 128], "a GPUColor may be a sequence");
});

test("indices, bundles, and pipelines made asynchronously", async () => {
  const pipeline = await device.createRenderPipelineAsync(descriptor);
  const indices = device.createBuffer({ size: 8, usage: GPUBufferUsage.INDEX | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(indices, 0, new Uint16Array([0, 1, 2, 0]));
  const bundle = device.createRenderBundleEncoder({ colorFormats: [format] });
  bundle.setPipeline(pipeline);
  bundle.setVertexBuffer(0, vertices);
  bundle.setIndexBuffer(indices, "uint16");
  bundle.drawIndexed(3);
  const recorded = bundle.finish({ label: "all green" });
  assert.strictEqual(recorded.label, "all green");
  assert.deepStrictEqual(await pixelOf(pass => pass.executeBundles([recorded]), 40, 40), [0, 255, 0, 255]);
});

test("what is wrong is a validation error or a TypeError", async () => {
  const wrong = { ...descriptor, vertex: { module, buffers: [] } };
  const error = await errorOf(device, () => device.createRenderPipeline(wrong));
  assert.match(error.message, /place|location 0/);
  await assert.rejects(device.createRenderPipelineAsync(wrong), { name: "GPUPipelineError", reason: "validation" });
  const encoder = device.createCommandEncoder();
  assert.throws(() => encoder.beginRenderPass({}), TypeError);
  assert.throws(
    () => encoder.beginRenderPass({ colorAttachments: [{ view: {}, loadOp: "clear", storeOp: "store" }] }),
    TypeError,
  );
  const texture = device.createTexture({ size: [4, 4], format, usage: GPUTextureUsage.RENDER_ATTACHMENT });
  const color = clearValue => ({ colorAttachments: [{ view: texture, clearValue, loadOp: "clear", storeOp: "store" }] });
  assert.throws(() => encoder.beginRenderPass(color([1, 2, 3])), /GPUColor has 4 elements/);
  assert.throws(() => encoder.beginRenderPass(color({ r: 1 })), TypeError);
});

// Whoever learns that the device is lost has learnt before what was wrong with the pipeline.
test("an invalid pipeline is refused before the device, destroyed after that, is lost", async () => {
  for (const kind of ["createRenderPipelineAsync", "createComputePipelineAsync"]) {
    const own = await makeDevice();
    const shader = own.createShaderModule({ code: code + "@compute @workgroup_size(1) fn cs() {}" });
    const stages = {
      createRenderPipelineAsync: { vertex: { module: shader, entryPoint: "missing" } },
      createComputePipelineAsync: { compute: { module: shader, entryPoint: "missing" } },
    };
    const order = [];
    const refused = own[kind]({ layout: "auto", ...stages[kind] }).catch(error => order.push(error.constructor.name));
    const lost = own.lost.then(() => order.push("lost"));
    own.destroy();
    await Promise.all([refused, lost]);
    assert.deepStrictEqual(order, ["GPUPipelineError", "lost"], kind);
  }
});

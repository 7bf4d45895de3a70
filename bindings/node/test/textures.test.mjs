// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Textures as objects: attributes, copies, views, bindings, and what is a TypeError.
import assert from "node:assert";
import { test } from "node:test";

import { errorOf, makeDevice } from "./support.mjs";

const device = await makeDevice();
const { COPY_SRC, COPY_DST, TEXTURE_BINDING, STORAGE_BINDING } = GPUTextureUsage;

test("attributes, and extents as sequences or dictionaries", () => {
  for (const size of [[8, 4, 2], { width: 8, height: 4, depthOrArrayLayers: 2 }, new Set([8, 4, 2])]) {
    const texture = device.createTexture({ label: "t", size, format: "rgba8unorm", usage: COPY_DST, mipLevelCount: 2 });
    const { width, height, depthOrArrayLayers, mipLevelCount, sampleCount, dimension, format, usage } = texture;
    assert.deepStrictEqual(
      [width, height, depthOrArrayLayers, mipLevelCount, sampleCount, dimension, format, usage],
      [8, 4, 2, 2, 1, "2d", "rgba8unorm", COPY_DST],
    );
  }
  assert.strictEqual(device.createTexture({ size: [7], format: "r8unorm", usage: COPY_DST }).height, 1);
});

test("what is written through a queue is read back by a copy", async () => {
  const texture = device.createTexture({ size: [3, 2], format: "r32uint", usage: COPY_SRC | COPY_DST });
  const copy = device.createTexture({ size: [3, 2], format: "r32uint", usage: COPY_SRC | COPY_DST });
  const rows = Uint32Array.of(1, 2, 3, 0, 4, 5, 6);
  device.queue.writeTexture({ texture }, rows, { bytesPerRow: 16 }, [3, 2]);
  const readback = device.createBuffer({ size: 512, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToTexture({ texture }, { texture: copy, origin: [0] }, { width: 3, height: 2 });
  encoder.copyTextureToBuffer({ texture: copy, origin: { x: 1 } }, { buffer: readback, bytesPerRow: 256 }, [2, 2]);
  device.queue.submit([encoder.finish()]);
  await readback.mapAsync(GPUMapMode.READ);
  const words = new Uint32Array(readback.getMappedRange());
  assert.deepStrictEqual([...words.slice(0, 2), ...words.slice(64, 66)], [2, 3, 5, 6]);
});

test("TypeErrors", () => {
  const texture = device.createTexture({ size: [4, 4], format: "rgba8unorm", usage: COPY_DST | TEXTURE_BINDING });
  const data = new Uint8Array(64);
  const wrong = {
    "an extent without elements": () => device.createTexture({ size: [], format: "r8unorm", usage: COPY_DST }),
    "an extent of four": () => device.createTexture({ size: [1, 1, 1, 1], format: "r8unorm", usage: COPY_DST }),
    "an extent without width": () => device.createTexture({ size: { height: 1 }, format: "r8unorm", usage: COPY_DST }),
    "an origin of four": () =>
      device.queue.writeTexture({ texture, origin: [0, 0, 0, 0] }, data, { bytesPerRow: 16 }, [4, 4]),
    "a format that needs a feature": () =>
      device.createTexture({ size: [4, 4], format: "bc1-rgba-unorm", usage: COPY_DST }),
    "a view format that does": () =>
      device.createTexture({ size: [4, 4], format: "rgba8unorm", viewFormats: ["astc-4x4-unorm"], usage: COPY_DST }),
    "a swizzle that is none": () => texture.createView({ swizzle: "rgbx" }),
    "a storage texture of a format that needs a feature": () =>
      device.createBindGroupLayout({
        entries: [{ binding: 0, visibility: 4, storageTexture: { format: "etc2-rgb8unorm" } }],
      }),
    "an unknown format": () => device.createTexture({ size: [4], format: "rgb8unorm", usage: COPY_DST }),
  };
  for (const [what, call] of Object.entries(wrong)) assert.throws(call, TypeError, what);
});

test("bind groups take views, textures and samplers", async () => {
  const texture = device.createTexture({ size: [4, 4], format: "rgba8unorm", usage: TEXTURE_BINDING | STORAGE_BINDING });
  const sampler = device.createSampler({ magFilter: "linear", maxAnisotropy: 1 });
  const layout = device.createBindGroupLayout({
    entries: [
      { binding: 0, visibility: GPUShaderStage.COMPUTE, texture: {} },
      { binding: 1, visibility: GPUShaderStage.COMPUTE, sampler: { type: "filtering" } },
      { binding: 2, visibility: GPUShaderStage.COMPUTE, texture: {} },
    ],
  });
  const group = resource =>
    errorOf(device, () => {
      const resources = [texture.createView(), sampler, resource];
      device.createBindGroup({ layout, entries: resources.map((r, binding) => ({ binding, resource: r })) });
    });
  assert.strictEqual((await group(texture))?.message, undefined);
  assert.ok((await group(sampler)) instanceof GPUValidationError);
  const both = await errorOf(device, () =>
    device.createBindGroupLayout({ entries: [{ binding: 0, visibility: 4, texture: {}, sampler: {} }] }),
  );
  assert.ok(both instanceof GPUValidationError);
});

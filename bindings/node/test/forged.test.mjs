// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Objects that are not what they seem: a TypeError, whatever a program has put together.
import assert from "node:assert";
import { test } from "node:test";

import { errorOf, makeDevice } from "./support.mjs";

const { STORAGE, COPY_DST } = GPUBufferUsage;
const device = await makeDevice();

const implOf = object => object[Object.getOwnPropertySymbols(object).find(({ description }) => description === "impl")];
const makeBuffer = () => device.createBuffer({ size: 16, usage: STORAGE | COPY_DST });

test("a Proxy of an object is none", async () => {
  const buffer = new Proxy(makeBuffer(), {});
  const error = await errorOf(device, () => {
    assert.throws(() => device.queue.writeBuffer(buffer, 0, new Uint8Array(4)), TypeError);
    assert.throws(() => buffer.getMappedRange(), TypeError);
    assert.throws(() => buffer.size, TypeError);
    assert.throws(() => new Proxy(device, {}).createBuffer({ size: 16, usage: STORAGE }), TypeError);
    const layout = device.createBindGroupLayout({ entries: [] });
    assert.throws(() => device.createBindGroup({ layout: new Proxy(layout, {}), entries: [] }), TypeError);
  });
  assert.strictEqual(error, null);
});

test("what has got another object's inside is none", () => {
  const [symbol] = Object.getOwnPropertySymbols(makeBuffer());
  const forged = Object.create(GPUBuffer.prototype, { [symbol]: { value: implOf(makeBuffer()) } });
  assert.throws(() => forged.destroy(), TypeError);
});

test("an object with the native part of another class is refused", async () => {
  const others = [
    implOf(device).native,
    implOf(device.queue).native,
    implOf(device.createCommandEncoder()).native,
    Object.create(implOf(makeBuffer()).native),
    new Proxy(implOf(makeBuffer()).native, {}),
    {},
    7,
    "native",
    undefined,
  ];
  for (const other of others) {
    const buffer = makeBuffer();
    implOf(buffer).native = other;
    assert.throws(() => buffer.mapState, TypeError);
    assert.throws(() => buffer.destroy(), TypeError);
    assert.throws(() => device.queue.writeBuffer(buffer, 0, new Uint8Array(4)), TypeError);
    const layout = device.createBindGroupLayout({ entries: [] });
    const encoder = device.createCommandEncoder();
    assert.throws(() => encoder.clearBuffer(buffer), TypeError);
    assert.throws(() => device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer } }] }), TypeError);
    implOf(encoder).native = other === others[2] ? others[0] : other;
    assert.throws(() => encoder.finish(), TypeError);
    assert.throws(() => encoder.beginComputePass(), TypeError);
    assert.throws(() => device.queue.submit([encoder]), TypeError);
  }
  const commands = device.createCommandEncoder().finish();
  implOf(commands).native = others[0];
  assert.throws(() => device.queue.submit([commands]), TypeError);
  const own = makeBuffer();
  device.queue.writeBuffer(own, 0, new Uint8Array(4));
  assert.strictEqual(own.mapState, "unmapped");
});

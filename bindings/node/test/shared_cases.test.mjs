// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The programs from users' reports, where they are beside the checkout: each as the page or Node program that it would
// have come from.
import assert from "node:assert";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { create } from "../index.js";
import { errorOf } from "./support.mjs";

const CASES = path.join(path.dirname(fileURLToPath(import.meta.url)), "../../../../shared/cases");
const ARRAYS = { u32: Uint32Array, i32: Int32Array, f32: Float32Array };
const DISPATCHES = ["run", "race", "norace", "bounds"];

const adapter = await create([]).requestAdapter();
const { maxStorageBufferBindingSize } = adapter.limits;

function missing({ requires = [] }) {
  const languageFeatures = create([]).wgslLanguageFeatures;
  return requires.filter(name => {
    const [kind, feature] = name.split(":");
    return kind === "feature" ? !adapter.features.has(feature) : !languageFeatures.has(feature);
  });
}

function makeBuffer(device, { values, elem, type, extraUsage, name }) {
  const contents = ARRAYS[elem].from(values);
  const usage =
    GPUBufferUsage[type === "uniform" ? "UNIFORM" : "STORAGE"] |
    GPUBufferUsage.COPY_SRC |
    (extraUsage === undefined ? 0 : GPUBufferUsage[extraUsage]);
  const buffer = device.createBuffer({ label: name, size: Math.max(contents.byteLength, 4), usage, mappedAtCreation: true });
  new ARRAYS[elem](buffer.getMappedRange()).set(contents);
  buffer.unmap();
  return buffer;
}

async function readBuffer(device, buffer, { elem }) {
  const copy = device.createBuffer({ size: buffer.size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, copy);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  return Array.from(new ARRAYS[elem](copy.getMappedRange()));
}

function makePipeline(device, module, program, step = {}) {
  return device.createComputePipelineAsync({
    label: program.id,
    layout: "auto",
    compute: {
      module,
      entryPoint: step.entry ?? program.entry,
      constants: { ...program.overrides, ...step.overrides },
    },
  });
}

// The bind groups that the entry point's own layout asks for.
async function bindGroups(device, pipeline, program, buffers) {
  const groups = new Map();
  for (const index of new Set(program.bindings.map(({ group }) => group))) {
    const bound = program.bindings.filter(({ group }) => group === index);
    // Which of them the entry point uses is not in the description: leave out what the layout lacks.
    let entries = bound.map(({ binding, name, bindOffset, bindSize }) => ({
      binding,
      resource: { buffer: buffers.get(name), offset: bindOffset, size: bindSize },
    }));
    const layout = pipeline.getBindGroupLayout(index);
    const fits = async list => (await errorOf(device, () => device.createBindGroup({ layout, entries: list }))) === null;
    for (let mask = (1 << entries.length) - 1; mask >= 0; mask--) {
      const subset = entries.filter((_, i) => (mask >> i) & 1);
      if (!(await fits(subset))) continue;
      groups.set(index, device.createBindGroup({ layout, entries: subset }));
      break;
    }
  }
  return groups;
}

async function runSteps(device, module, program, buffers) {
  const encoder = device.createCommandEncoder();
  let indirect;
  for (const step of program.steps) {
    if (step.copyToIndirect !== undefined) {
      const from = buffers.get(step.copyToIndirect);
      indirect = device.createBuffer({ size: from.size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.INDIRECT });
      encoder.copyBufferToBuffer(from, indirect);
      continue;
    }
    const pipeline = await makePipeline(device, module, program, step);
    const groups = await bindGroups(device, pipeline, program, buffers);
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    for (const [index, group] of groups) pass.setBindGroup(index, group);
    if (step.indirectOffset === undefined) pass.dispatchWorkgroups(...step.dispatch);
    else pass.dispatchWorkgroupsIndirect(indirect, step.indirectOffset);
    pass.end();
  }
  device.queue.submit([encoder.finish()]);
}

function assertValues(actual, expected, name) {
  assert.strictEqual(actual.length, expected.length, name);
  expected.forEach((value, i) => {
    const allowed = typeof value === "object" && value !== null ? value.any : [value];
    const isEqual = allowed.some(wanted => Object.is(wanted, actual[i]) || Math.fround(wanted) === actual[i]);
    assert.ok(isEqual, `${name}[${i}] is ${actual[i]} and not ${allowed.join(" or ")}`);
  });
}

async function check(program, code) {
  const device = await adapterDevice();
  let module;
  const moduleError = await errorOf(device, () => {
    module = device.createShaderModule({ code });
  });
  if (program.kind === "reject" && program.stage !== "pipeline") {
    assert.notStrictEqual(moduleError, null, "the module is refused");
    const { messages } = await module.getCompilationInfo();
    const first = messages.find(({ type }) => type === "error");
    assert.ok(program.expect_error_line_any.includes(first.lineNum), `line ${first.lineNum}: ${first.message}`);
    return;
  }
  assert.strictEqual(moduleError, null);
  if (program.kind === "reject") {
    await assert.rejects(makePipeline(device, module, program), GPUPipelineError);
    return;
  }
  if (!DISPATCHES.includes(program.kind)) return;
  const buffers = new Map(program.bindings.map(binding => [binding.name, makeBuffer(device, binding)]));
  assert.strictEqual(await errorOf(device, () => runSteps(device, module, program, buffers)), null);
  for (const [name, expected] of Object.entries(program.expected ?? {})) {
    const binding = program.bindings.find(candidate => candidate.name === name);
    assertValues(await readBuffer(device, buffers.get(name), binding), expected, name);
  }
  device.destroy();
}

async function adapterDevice() {
  const fresh = await create([]).requestAdapter();
  return fresh.requestDevice({ requiredLimits: { maxStorageBufferBindingSize } });
}

if (!existsSync(CASES)) {
  test("programs from users' reports", { skip: `${CASES} is not there` }, () => {});
} else {
  for (const name of readdirSync(CASES).filter(entry => existsSync(path.join(CASES, entry, "case.json")))) {
    const program = JSON.parse(readFileSync(path.join(CASES, name, "case.json"), "utf8"));
    const lacks = missing(program);
    const skip = lacks.length > 0 ? `needs ${lacks.join(", ")}` : false;
    test(name, { skip }, () => check(program, readFileSync(path.join(CASES, name, "shader.wgsl"), "utf8")));
  }
}

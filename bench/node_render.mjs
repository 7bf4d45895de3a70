// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Rendering, timed for one implementation of WebGPU:   node node_render.mjs lockstep|dawn WORK REPEATS
// As node_api.mjs: times in milliseconds, then "check TEXT". Each time ends when the pixels are read back. WORK may be an HTML page:
// its script runs with a canvas that is a texture, and a 2D context that does nothing.
import fs from "node:fs";
import { load } from "./implementation.mjs";

const [implementation, work, repeats] = process.argv.slice(2);

const gpu = await load(implementation);
const format = "rgba8unorm";

function target(device, width, height, sampleCount = 1, kind = format) {
  const usage = GPUTextureUsage.RENDER_ATTACHMENT | (sampleCount === 1 ? GPUTextureUsage.COPY_SRC : 0);
  return device.createTexture({ size: [width, height], format: kind, sampleCount, usage });
}

// The mean of all channels, in steps that no rounding at edges crosses.
async function meanOf(device, texture) {
  const bytesPerRow = Math.ceil((texture.width * 4) / 256) * 256;
  const buffer = device.createBuffer({
    size: bytesPerRow * texture.height,
    usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
  });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow }, [texture.width, texture.height]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const bytes = new Uint8Array(buffer.getMappedRange());
  let sum = 0;
  for (let i = 0; i < bytes.length; i += 1009) sum += bytes[i];
  const mean = (sum * 1009) / bytes.length;
  buffer.destroy();
  return Math.round(mean / 4) * 4;
}

// --- pages ---

async function runPage(file) {
  const scripts = [...fs.readFileSync(file, "utf8").matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, text]) => text);
  const script = scripts.join("\n");
  let shown;
  const ink = new Proxy({}, { get: (all, name) => all[name] ?? (() => {}), set: () => true });
  const context = {
    configure: ({ device }) => (shown = { device }),
    getCurrentTexture: () => (shown.texture ??= target(shown.device, 600, 320)),
  };
  const makeCanvas = () => ({ width: 600, height: 320, getContext: kind => (kind === "2d" ? ink : context) });
  const canvases = {};
  const document = { getElementById: id => (canvases[id] ??= makeCanvas()) };
  const navigator = { gpu: { requestAdapter: () => gpu.requestAdapter(), getPreferredCanvasFormat: () => format } };
  const done = new Function("document", "navigator", "requestAnimationFrame", script.replace(/main\(\);\s*$/, "return main();"));
  let state = 1;
  Math.random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  let frames = 0;
  await done(document, navigator, callback => frames++ === 0 && callback(0));
  return meanOf(shown.device, shown.texture);
}

// --- scenes ---

async function scene(make) {
  const adapter = await gpu.requestAdapter();
  const device = await adapter.requestDevice();
  const draw = make(device);
  return async () => {
    const texture = target(device, 1920, 1080);
    const encoder = device.createCommandEncoder();
    draw(encoder, texture.createView());
    device.queue.submit([encoder.finish()]);
    const mean = await meanOf(device, texture);
    texture.destroy();
    return mean;
  };
}

function pipelineOf(device, code, more = {}) {
  const module = device.createShaderModule({ code });
  return device.createRenderPipeline({
    layout: "auto",
    vertex: { module },
    fragment: { module, targets: [{ format }] },
    ...more,
  });
}

const QUAD = /* wgsl */ `
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
  }`;
const HUNDRED_QUADS = fragment => device => {
  const pipeline = pipelineOf(device, QUAD + fragment);
  return (encoder, view) => {
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: "clear", storeOp: "store" }] });
    pass.setPipeline(pipeline);
    for (let i = 0; i < 100; i++) pass.draw(3);
    pass.end();
  };
};

const SCENES = {
  "1,000,000 small triangles": device => {
    const pipeline = pipelineOf(
      device,
      /* wgsl */ `
      @vertex fn vs(@builtin(vertex_index) v: u32) -> @builtin(position) vec4f {
        let i = v / 3;
        let corner = v % 3;
        let place = vec2f(f32(i % 1000), f32(i / 1000)) / 500 - 1;
        return vec4f(place + vec2f(f32(corner & 1), f32(corner >> 1)) * 0.0018, 0, 1);
      }
      @fragment fn fs() -> @location(0) vec4f { return vec4f(0.8, 0.4, 0.2, 1); }`,
    );
    return (encoder, view) => {
      const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: "clear", storeOp: "store" }] });
      pass.setPipeline(pipeline);
      pass.draw(3000000);
      pass.end();
    };
  },
  "100 full-screen quads, light": HUNDRED_QUADS(
    "@fragment fn fs(@builtin(position) at: vec4f) -> @location(0) vec4f { return vec4f(at.xy / 2000, 0.5, 1); }",
  ),
  "100 full-screen quads, heavy": HUNDRED_QUADS(/* wgsl */ `
    @fragment fn fs(@builtin(position) at: vec4f) -> @location(0) vec4f {
      var z = at.xy / 960 - 1;
      var sum = 0.0;
      for (var i = 0; i < 16; i++) {
        z = vec2f(z.x * z.x - z.y * z.y, 2 * z.x * z.y) * 0.5 + vec2f(0.3, 0.2);
        sum += sqrt(abs(z.x * z.y));
      }
      return vec4f(sum / 16, z.x * 0.5 + 0.5, z.y * 0.5 + 0.5, 1);
    }`),
  "multisampled scene with depth": device => {
    const pipeline = pipelineOf(
      device,
      /* wgsl */ `
      struct Out { @builtin(position) position: vec4f, @location(0) color: vec3f }
      @vertex fn vs(@builtin(vertex_index) v: u32, @builtin(instance_index) i: u32) -> Out {
        let angle = f32(v) * 2.0944 + f32(i);
        let center = vec2f(f32(i * 37 % 101), f32(i * 53 % 103)) / 51 - 1;
        let depth = f32(i * 71 % 997) / 1000;
        return Out(vec4f(center + vec2f(cos(angle), sin(angle)) * 0.15, depth, 1), fract(vec3f(f32(i) * 0.1, f32(v) * 0.4, depth)));
      }
      @fragment fn fs(in: Out) -> @location(0) vec4f { return vec4f(in.color, 1); }`,
      {
        depthStencil: { format: "depth24plus", depthWriteEnabled: true, depthCompare: "less" },
        multisample: { count: 4 },
      },
    );
    const color = target(device, 1920, 1080, 4).createView();
    const depth = target(device, 1920, 1080, 4, "depth24plus").createView();
    return (encoder, resolveTarget) => {
      const pass = encoder.beginRenderPass({
        colorAttachments: [{ view: color, resolveTarget, loadOp: "clear", storeOp: "discard" }],
        depthStencilAttachment: { view: depth, depthClearValue: 1, depthLoadOp: "clear", depthStoreOp: "discard" },
      });
      pass.setPipeline(pipeline);
      pass.draw(3, 2000);
      pass.end();
    };
  },
};

const run = work.endsWith(".html") ? () => runPage(work) : await scene(SCENES[work]);
let check;
for (let i = 0; i < Number(repeats); i++) {
  const start = performance.now();
  check = await run();
  console.log(performance.now() - start);
}
console.log(`check ${check}`);
process.exit(0);

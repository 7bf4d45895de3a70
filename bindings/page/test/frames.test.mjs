// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// When callbacks run, what canvases show meanwhile, and how a page ends.
import assert from "node:assert";
import test from "node:test";
import { folder, pixel, pixelsOf, png, run } from "./support.mjs";

// A page whose module script has a `device`, a `context` of the one canvas and `pass(texture, clearValue)`.
const drawing = (script, format = "rgba8unorm") => `<canvas width="8" height="8"></canvas><script type="module">
  const device = await (await navigator.gpu.requestAdapter()).requestDevice();
  const canvas = document.querySelector("canvas");
  const context = canvas.getContext("webgpu");
  context.configure({ device, format: "${format}" });
  const pass = (texture, clearValue) => {
    const encoder = device.createCommandEncoder();
    const loadOp = clearValue ? "clear" : "load";
    const view = texture.createView();
    encoder.beginRenderPass({ colorAttachments: [{ view, loadOp, clearValue, storeOp: "store" }] }).end();
    device.queue.submit([encoder.finish()]);
  };
  ${script}</script>`;
const RED = [255, 0, 0, 255];
const colour = async (page, options) => {
  const { status, stdout, stderr } = run(page, { png: png("a.png"), ...options });
  assert.deepStrictEqual([status, stderr], [0, ""]);
  return { stdout, colour: pixel(await pixelsOf(png("a.png")), 1, 1) };
};

test("a frame is shown when what its callbacks wait for is there", async () => {
  const page = drawing(`requestAnimationFrame(async () => {
    const texture = context.getCurrentTexture();
    await (async () => {})();
    pass(texture, [1, 0, 0, 1]);
  });`);
  assert.deepStrictEqual(await colour(page), { stdout: "", colour: RED });
});

test("callbacks of a frame are tasks, and can cancel each other", () => {
  const { stdout } = run(`<script>
    let last;
    requestAnimationFrame(() => { Promise.resolve().then(() => console.log("promise")); cancelAnimationFrame(last) });
    requestAnimationFrame(() => console.log("second"));
    last = requestAnimationFrame(() => console.log("cancelled"));
    try { requestAnimationFrame(5) } catch (error) { console.log(error instanceof TypeError) }
  </script>`);
  assert.strictEqual(stdout, "true\npromise\nsecond\n");
});

test("reading a canvas leaves its texture to be drawn on", async () => {
  const page = drawing(`requestAnimationFrame(() => {
    const texture = context.getCurrentTexture();
    pass(texture, [1, 0, 0, 1]);
    canvas.toDataURL();
    console.log(context.getCurrentTexture() === texture);
    pass(texture);
  });`);
  assert.deepStrictEqual(await colour(page), { stdout: "true\n", colour: RED });
});

test("what was drawn on a texture outlives it", async () => {
  const page = drawing("const texture = context.getCurrentTexture(); pass(texture, [1, 0, 0, 1]); texture.destroy();");
  assert.deepStrictEqual(await colour(page), { stdout: "", colour: RED });
});

test("wrong configurations of a canvas are errors of its device, which its picture adds nothing to", () => {
  const page = drawing(`
    device.onuncapturederror = event => { event.preventDefault(); console.log(event.error.message) };
    for (const wrong of [{ usage: 0 }, { viewFormats: ["rgba8unorm"] }]) {
      context.configure({ device, format: "bgra8unorm", ...wrong });
    }
    try { context.configure({ device, format: "bgra8unorm", usage: 0x20 }) } catch (error) { console.log(error.name) }
    canvas.toDataURL();
    context.getCurrentTexture();
  `);
  const views = "has the format bgra8unorm and the view format rgba8unorm: they may differ in -srgb only";
  const { status, stdout, stderr } = run(page, { png: png("a.png") });
  assert.deepStrictEqual([status, stderr], [0, ""]);
  assert.strictEqual(stdout, [
    "TypeError", "texture 'the canvas' has no usage", `texture 'the canvas' ${views}`, `texture 'the canvas' ${views}`, "",
  ].join("\n"));
});

test("a device that is lost is an error, unless the page destroyed it", () => {
  const loop = drawing(`
    const module = device.createShaderModule({ code: \`
      @vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        return vec4f(f32(i % 2) * 4 - 1, f32(i / 2) * 4 - 1, 0, 1);
      }
      @fragment fn ink(@builtin(position) p: vec4f) -> @location(0) vec4f {
        var n = 0u;
        loop { n = (n + 1) % 7; if n == 9 && p.x < -5 { break; } }
        return vec4f(f32(n));
      }\` });
    const pipeline = device.createRenderPipeline({ layout: "auto", vertex: { module },
      fragment: { module, targets: [{ format: "rgba8unorm" }] } });
    requestAnimationFrame(() => {
      const encoder = device.createCommandEncoder();
      const view = context.getCurrentTexture().createView();
      const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: "clear", storeOp: "store" }] });
      pass.setPipeline(pipeline);
      pass.draw(3);
      pass.end();
      device.queue.submit([encoder.finish()]);
    });`);
  // A busy machine may begin so late that the page's time is over first.
  const lost = run(loop, { timeout: 4, png: png("a.png") });
  assert.match(lost.stderr, /The WebGPU device '' is lost: a render pass without a label takes more than 3.6 s|still at work/);
  assert.strictEqual(lost.status, 1);
  assert.deepStrictEqual(run(drawing("device.destroy()")), { status: 0, stdout: "", stderr: "" });
});

test("a page may have as long as it likes", () => {
  const { status, stdout } = run('<script>setTimeout(() => console.log("done"), 100)</script>', { timeout: 1e9 });
  assert.deepStrictEqual([status, stdout], [0, "done\n"]);
});

test("a page that asks for no frame has one picture", async () => {
  const { status, stderr } = run("<canvas></canvas>", { png: png("one-%d.png") });
  assert.match(stderr, /no frame was asked for: the picture is that of frame 1/);
  assert.strictEqual(status, 0);
  assert.strictEqual((await pixelsOf(png("one-1.png"))).width, 300);
});

test("pictures that cannot be written make the status 2", () => {
  const page = "<canvas></canvas><script>requestAnimationFrame(() => {})</script>";
  for (const name of ["nowhere/a.png", "nowhere/a-%d.png"]) {
    const { status, stderr } = run(page, { png: `${folder}/${name}` });
    assert.match(stderr, /^\S+ cannot be written: ENOENT.*\n$/);
    assert.strictEqual(status, 2);
  }
});

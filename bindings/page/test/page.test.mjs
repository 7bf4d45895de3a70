// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Pages as `lockstep page` runs them, without the program around it.
import assert from "node:assert";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { CLEAR, pixel, pixelsOf, png, run } from "./support.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));

test("races of what a page runs are shown, and make its status 1", () => {
  const page = index => `<canvas width="16" height="16"></canvas><script>
    (async () => {
      const device = await (await navigator.gpu.requestAdapter()).requestDevice();
      const context = document.querySelector("canvas").getContext("webgpu");
      context.configure({ device, format: "rgba8unorm" });
      const module = device.createShaderModule({ label: "draw.wgsl", code: \`
        @group(0) @binding(0) var<storage, read_write> seen: array<u32, 256>;
        @vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
          return vec4f(f32(i % 2) * 4 - 1, f32(i / 2) * 4 - 1, 0, 1);
        }
        @fragment fn ink(@builtin(position) p: vec4f) -> @location(0) vec4f {
          seen[${index}] = 1;
          return vec4f(1);
        }\` });
      const pipeline = device.createRenderPipeline({ label: "ink", layout: "auto", vertex: { module },
        fragment: { module, targets: [{ format: "rgba8unorm" }] } });
      const buffer = device.createBuffer({ size: 1024, usage: GPUBufferUsage.STORAGE });
      const encoder = device.createCommandEncoder();
      const view = context.getCurrentTexture().createView();
      const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: "clear", storeOp: "store" }] });
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: { buffer } }] }));
      pass.draw(3);
      pass.end();
      device.queue.submit([encoder.finish()]);
    })();
  </script>`;
  const racy = page("u32(p.x)"), clean = page("u32(p.y) * 16 + u32(p.x)");
  const { status, stderr } = run(racy, { race: true });
  assert.match(stderr, /in render pipeline 'ink':\ndraw\.wgsl:7:11: error: data race on 'seen\[0\]' and 15 more elements/);
  assert.strictEqual(status, 1);
  for (const [code, race] of [[racy, false], [clean, true]])
    assert.deepStrictEqual(run(code, { race }), { status: 0, stdout: "", stderr: "" });
});

test("canvases lie below each other, absolute ones over their parent's corner", async () => {
  const page = `<style>body { background: #0000ff } .over { position: absolute }</style>
    <canvas width="20" height="10" id="a"></canvas>
    <div><canvas width="30" height="15" id="b"></canvas><canvas class="over" width="5" height="5" id="c"></canvas></div>
    <script>${CLEAR}
      clear(document.getElementById("a"), [1, 0, 0, 1]);
      const ink = document.getElementById("c").getContext("2d");
      ink.fillStyle = "#00ff00"; ink.fillRect(0, 0, 5, 5);
    </script>`;
  assert.deepStrictEqual(run(page, { png: png("all.png") }), { status: 0, stdout: "", stderr: "" });
  const picture = await pixelsOf(png("all.png"));
  assert.deepStrictEqual([picture.width, picture.height], [30, 25]);
  assert.deepStrictEqual(pixel(picture, 19, 9), [255, 0, 0, 255]);
  assert.deepStrictEqual(pixel(picture, 20, 9), [0, 0, 255, 255], "the body's background");
  assert.deepStrictEqual(pixel(picture, 4, 14), [0, 255, 0, 255]);
  assert.deepStrictEqual(pixel(picture, 5, 14), [0, 0, 255, 255]);
  assert.strictEqual(run(page, { png: png("c.png"), canvas: "c" }).status, 0);
  assert.strictEqual((await pixelsOf(png("c.png"))).width, 5);
  const none = run(page, { png: png("d.png"), canvas: "d" });
  assert.deepStrictEqual([none.status, none.stderr], [2, "the page has no canvas 'd'; its canvases have the ids a, b, c\n"]);
});

test("alpha modes, toDataURL and toBlob", async () => {
  const page = mode => `<canvas width="4" height="4"></canvas><script>${CLEAR}
    (async () => {
      const canvas = document.querySelector("canvas");
      await clear(canvas, [0.25, 0, 0, 0.5], "${mode}");
      console.log(canvas.toDataURL().slice(0, 22));
      canvas.toBlob(blob => console.log(blob.type, blob.size > 50));
    })();</script>`;
  for (const [mode, expected] of [["opaque", [64, 0, 0, 255]], ["premultiplied", [191, 127, 127, 255]]]) {
    const { status, stdout } = run(page(mode), { png: png("alpha.png") });
    assert.deepStrictEqual([status, stdout], [0, "data:image/png;base64,\nimage/png true\n"]);
    const found = pixel(await pixelsOf(png("alpha.png")), 1, 1);
    found.forEach((value, i) => assert.ok(Math.abs(value - expected[i]) <= 2, `${mode}: ${found}`));
  }
});

test("errors are shown and give status 1", () => {
  const thrown = run('<script>console.log("before"); throw new RangeError("too far")</script><script>console.log("after")</script>');
  assert.strictEqual(thrown.status, 1);
  assert.strictEqual(thrown.stdout, "before\nafter\n");
  assert.match(thrown.stderr, /^Uncaught RangeError: too far\n    at file:.*page\.html:1:\d+\n$/);
  assert.match(run('<script>Promise.reject("late")</script>').stderr, /^Uncaught 'late'/);
  const invalid = run(`<script>navigator.gpu.requestAdapter().then(a => a.requestDevice()).then(device => {
    device.createBuffer({ size: 4, usage: 0, label: "useless" }) })</script>`);
  assert.strictEqual(invalid.status, 1);
  assert.match(invalid.stderr, /Uncaptured WebGPU error.*'useless'/);
});

test("frames run as often as asked for, and each can be kept", async () => {
  const page = `<canvas width="10" height="1"></canvas><script>
    const ink = document.querySelector("canvas").getContext("2d");
    let frame = 0;
    function draw(time) { console.log(time.toFixed(1)); ink.fillRect(frame++, 0, 1, 1); requestAnimationFrame(draw); }
    requestAnimationFrame(draw);</script>`;
  const { status, stdout } = run(page, { frames: 3, png: png("frame-%02d.png") });
  assert.deepStrictEqual([status, stdout], [0, "16.7\n33.3\n50.0\n"]);
  const second = await pixelsOf(png("frame-02.png"));
  assert.deepStrictEqual([0, 1, 2].map(x => pixel(second, x, 0)[0]), [0, 0, 255]);
  assert.ok(fs.existsSync(png("frame-03.png")) && !fs.existsSync(png("frame-04.png")));
});

test("Math.random repeats itself by the seed", () => {
  const page = "<script>console.log(Math.random(), Math.random())</script>";
  const first = run(page, { seed: "7" }).stdout;
  assert.strictEqual(run(page, { seed: "7" }).stdout, first);
  assert.notStrictEqual(run(page, { seed: "8" }).stdout, first);
});

test("files come from the page's folder alone, and nothing from the network", () => {
  fs.writeFileSync(png("tool.js"), "export const answer = 42;");
  const local = run('<script type="module">import { answer } from "./tool.js"; console.log(answer)</script>');
  assert.deepStrictEqual(local, { status: 0, stdout: "42\n", stderr: "" });
  const outside = run(`<script src="${here}/page.test.mjs"></script>`);
  assert.match(outside.stderr, /does not lie below the page's folder/);
  const network = run('<script src="http://127.0.0.1:9/x.js"></script>');
  assert.match(network.stderr, /no network unless --allow-network/);
});

test("a page that never ends shows what there is", () => {
  const { status, stderr } = run("<canvas></canvas><script>setInterval(() => {}, 5)</script>", { timeout: 0.2, png: png("end.png") });
  assert.strictEqual(status, 1);
  assert.match(stderr, /still at work after 0.2 s/);
  assert.ok(fs.existsSync(png("end.png")));
});

test("text without a charset is UTF-8", () => {
  assert.strictEqual(run('<script>console.log("\u2605 ü")</script>'.replace("\\u2605", "★")).stdout, "★ ü\n");
});

test("the examples draw", async () => {
  const pages = path.join(here, "../../../examples/pages");
  for (const name of fs.readdirSync(pages).filter(file => file.endsWith(".html"))) {
    const { status, stderr } = run(path.join(pages, name), { png: png("example.png"), frames: 4, seed: "3" });
    assert.deepStrictEqual([status, stderr], [0, ""], name);
    const { data } = await pixelsOf(png("example.png"));
    assert.ok(new Set(new Uint32Array(data.buffer)).size > 100, `${name} shows something`);
  }
});

const seeds = path.join(here, "../../../../shared/seeds");
test("the seeds' pages look as in a browser", { skip: !fs.existsSync(seeds) }, async () => {
  for (const name of ["price_rank.seeded", "rating_histogram"]) {
    const { status, stderr } = run(path.join(seeds, `${name}.html`), { png: png("view.png"), canvas: "view" });
    assert.deepStrictEqual([status, stderr], [0, ""], name);
    const ours = await pixelsOf(png("view.png"));
    const browser = await pixelsOf(path.join(seeds, `${name.replace(".seeded", "")}.view.png`));
    assert.deepStrictEqual([ours.width, ours.height], [browser.width, browser.height]);
    let different = 0;
    for (let i = 0; i < ours.data.length; i += 4) {
      if ([0, 1, 2, 3].some(c => Math.abs(ours.data[i + c] - browser.data[i + c]) > 2)) ++different;
    }
    assert.ok(different <= (0.005 * ours.data.length) / 4, `${name}: ${different} pixels differ`);
  }
});

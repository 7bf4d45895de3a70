// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Canvases, images, and where they lie.
import assert from "node:assert";
import fs from "node:fs";
import test from "node:test";
import { CLEAR, folder, pixel, pixelsOf, png, run, write } from "./support.mjs";

const RED = [255, 0, 0, 255];
const GREEN = [0, 255, 0, 255];
const BLUE = [0, 0, 255, 255];
const FILL = `function fill(id, colour) {
    const ink = document.getElementById(id).getContext("2d");
    ink.fillStyle = colour;
    ink.fillRect(0, 0, 999, 999);
  }`;

async function pictureOf(page, options) {
  assert.deepStrictEqual(run(page, { png: png("a.png"), ...options }), { status: 0, stdout: "", stderr: "" });
  return pixelsOf(png("a.png"));
}

test("2D contexts draw canvases, which stay what they are", async () => {
  const page = `<canvas id="from" width="4" height="4"></canvas><canvas id="gpu" width="4" height="4"></canvas>
    <canvas id="to" width="20" height="4"></canvas><script>${CLEAR} ${FILL}
    (async () => {
      const [from, gpu, to] = ["from", "gpu", "to"].map(id => document.getElementById(id));
      fill("from", "#f00");
      await clear(gpu, [0, 0, 1, 1]);
      const ink = to.getContext("2d");
      ink.drawImage(from, 0, 0);
      ink.drawImage(gpu, 4, 0);
      ink.fillStyle = ink.createPattern(from, "repeat");
      ink.fillRect(8, 0, 4, 4);
      ink.putImageData(new ImageData(new Uint8ClampedArray(64).fill(255), 4, 4), 12, 0);
      ink.fillStyle = "#0f0";
      const path = new Path2D();
      path.rect(16, 0, 4, 4);
      ink.fill(path);
      if (!(from instanceof HTMLCanvasElement && from.getAttribute("width") === "4")) throw new Error("no longer a canvas");
      try { ink.drawImage({}, 0, 0) } catch (error) { if (!(error instanceof TypeError)) throw error }
    })();</script>`;
  const picture = await pictureOf(page, { canvas: "to" });
  assert.deepStrictEqual([1, 5, 9, 13, 17].map(x => pixel(picture, x, 1)), [RED, BLUE, RED, [255, 255, 255, 255], GREEN]);
});

test("images load, tell so, and can be drawn", async () => {
  const made = await pictureOf(`<canvas id="c" width="3" height="2"></canvas><script>${FILL} fill("c", "#0f0")</script>`);
  assert.strictEqual(made.width, 3);
  write("green.png", fs.readFileSync(png("a.png")));
  const page = `<canvas width="9" height="2"></canvas><img src="green.png"><script>
    const ink = document.querySelector("canvas").getContext("2d");
    const element = document.querySelector("img");
    element.onload = () => ink.drawImage(element, 0, 0);
    const made = new Image();
    made.src = "green.png";
    made.decode().then(() => { if (made.naturalWidth === 3) ink.drawImage(made, 3, 0) });
    fetch("green.png").then(response => response.blob()).then(createImageBitmap).then(bitmap => ink.drawImage(bitmap, 6, 0));
    const broken = new Image();
    broken.src = "page.html";
    broken.onerror = () => console.log("broken");
  </script>`;
  const { status, stdout } = run(page, { png: png("b.png") });
  assert.deepStrictEqual([status, stdout], [0, "broken\n"]);
  const picture = await pixelsOf(png("b.png"));
  assert.deepStrictEqual([1, 4, 7].map(x => pixel(picture, x, 1)), [GREEN, GREEN, GREEN]);
});

test("canvases that are no elements", async () => {
  const page = `<canvas width="8" height="4"></canvas><script>${CLEAR}
    (async () => {
      const ink = document.querySelector("canvas").getContext("2d");
      const flat = new OffscreenCanvas(4, 4);
      const colour = flat.getContext("2d");
      colour.fillStyle = "#f00";
      colour.fillRect(0, 0, 4, 4);
      ink.drawImage(flat, 0, 0);
      const gpu = new OffscreenCanvas(4, 4);
      await clear(gpu, [0, 0, 1, 1]);
      ink.drawImage(gpu.transferToImageBitmap(), 4, 0);
    })();</script>`;
  const picture = await pictureOf(page);
  assert.deepStrictEqual([1, 5].map(x => pixel(picture, x, 1)), [RED, BLUE]);
});

test("a canvas is resized by its attributes too, and cleared even to the same size", async () => {
  const page = `<canvas id="c" width="4" height="4"></canvas><script>${FILL}
    const canvas = document.getElementById("c");
    fill("c", "#f00");
    canvas.setAttribute("width", "8");
    if (canvas.getContext("2d").getImageData(1, 1, 1, 1).data[3] !== 0) throw new Error("not cleared");
    fill("c", "#0f0");
  </script>`;
  const picture = await pictureOf(page, { canvas: "c" });
  assert.deepStrictEqual([picture.width, pixel(picture, 7, 1)], [8, GREEN]);
});

test("absolute canvases lie over the others at the corner where their parent begins, and take no room", async () => {
  const over = 'style="position: absolute"';
  const size = (width, height) => `width="${width}" height="${height}"`;
  const draw = `<script>${FILL} for (const [id, colour] of [["r", "#f00"], ["b", "#00f"], ["g", "#0f0"]])
    if (document.getElementById(id)) fill(id, colour)</script>`;
  const first = await pictureOf(
    `<div><canvas id="r" ${size(40, 30)} ${over}></canvas><canvas id="b" ${size(60, 60)}></canvas></div>${draw}`);
  assert.deepStrictEqual([first.width, first.height, pixel(first, 1, 1), pixel(first, 41, 1)], [60, 60, RED, BLUE]);
  const second = await pictureOf(`<canvas id="g" ${size(20, 20)}></canvas>
    <div><div><canvas id="b" ${size(60, 60)}></canvas></div><canvas id="r" ${size(40, 30)} ${over}></canvas></div>${draw}`);
  assert.deepStrictEqual([second.width, second.height], [60, 80]);
  assert.deepStrictEqual([1, 21, 51].map(y => pixel(second, 1, y)), [GREEN, RED, BLUE]);
  const third = await pictureOf(`<canvas id="g" ${size(20, 20)}></canvas>
    <div><canvas id="b" ${size(50, 40)}></canvas><canvas ${size(90, 80)} ${over}></canvas></div>
    <canvas id="r" ${size(30, 30)}></canvas>${draw}`);
  assert.deepStrictEqual([third.width, third.height, pixel(third, 1, 61)], [90, 100, RED]);
  const hidden = await pictureOf(`<div style="display: none"><canvas ${size(20, 20)}></canvas></div>
    <canvas hidden ${size(30, 30)}></canvas><canvas id="r" ${size(50, 40)}></canvas>${draw}`);
  assert.deepStrictEqual([hidden.width, hidden.height, pixel(hidden, 1, 1)], [50, 40, RED]);
});

test("canvases without pixels have no picture, and say why", () => {
  const none = '<canvas id="c" width="0" height="4"></canvas><script>c.toBlob(blob => console.log(blob))</script>';
  const { status, stdout, stderr } = run(none, { png: png("none.png"), canvas: "c" });
  assert.deepStrictEqual([status, stdout, stderr], [1, "null\n", "a picture of 0 x 4 pixels is empty\n"]);
  const large = run('<canvas id="c" width="40000" height="40000"></canvas>', { png: png("none.png") });
  assert.deepStrictEqual([large.status, large.stderr], [1, "a picture of 40000 x 40000 pixels is too large\n"]);
  const empty = run("<p></p>", { png: `${folder}/none.png` });
  assert.match(empty.stderr, /the page has no canvas: the picture is its background/);
  assert.strictEqual(empty.status, 0);
});

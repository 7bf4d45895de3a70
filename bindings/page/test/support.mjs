// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const skia = require("@napi-rs/canvas");
const here = path.dirname(fileURLToPath(import.meta.url));
// Pages and pictures of this file's tests.
export const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lockstep-page-"));
test.after(() => fs.rmSync(folder, { recursive: true }));

// A file for a test, by name.
export function write(name, content) {
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  fs.writeFileSync(path.join(folder, name), content);
}

// Runs a page, given as text or by its file.
export function run(page, options = {}) {
  let file = page;
  if (page.includes("<")) {
    file = path.join(folder, "page.html");
    fs.writeFileSync(file, page);
  }
  const all = { file, timeout: 60, frames: 1, webgpu: true, allowNetwork: false, ...options };
  const flags = ["--experimental-vm-modules", "--no-warnings", path.join(here, "../main.js"), JSON.stringify(all)];
  const { status, stdout, stderr } = spawnSync(process.execPath, flags, { encoding: "utf8" });
  return { status, stdout, stderr };
}

export async function pixelsOf(file) {
  const image = await skia.loadImage(fs.readFileSync(file));
  const context = skia.createCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  return { width: image.width, height: image.height, data: context.getImageData(0, 0, image.width, image.height).data };
}
export const pixel = ({ width, data }, x, y) => [...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 4)];

export const png = name => path.join(folder, name);
export const CLEAR = `
  async function clear(canvas, clearValue, alphaMode) {
    const device = await (await navigator.gpu.requestAdapter()).requestDevice();
    const context = canvas.getContext("webgpu");
    context.configure({ device, format: "bgra8unorm", alphaMode });
    const encoder = device.createCommandEncoder();
    const view = context.getCurrentTexture().createView();
    encoder.beginRenderPass({ colorAttachments: [{ view, clearValue, loadOp: "clear", storeOp: "store" }] }).end();
    device.queue.submit([encoder.finish()]);
  }`;

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// main.js OPTIONS: runs a page and writes its picture. `lockstep page` has checked the options, a JSON object.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const skia = require("@napi-rs/canvas");

const { Page } = require("./page.js");
const { pictureOf } = require("./picture.js");

// The names by which pages ask for what the system has; of Debian's fonts-dejavu-core.
const FONT_FOLDER = "/usr/share/fonts/truetype/dejavu";
const FONTS = {
  "system-ui": ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf"],
  "sans-serif": ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf"],
  serif: ["DejaVuSerif.ttf", "DejaVuSerif-Bold.ttf"],
  monospace: ["DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf"],
};

function registerFonts() {
  for (const [name, files] of Object.entries(FONTS)) {
    for (const file of files) skia.GlobalFonts.registerFromPath(path.join(FONT_FOLDER, file), name);
  }
}

// The picture, or one canvas alone, as the bytes of a file.
function render(page, id) {
  const image = id === undefined ? pictureOf(page.window, page.canvases) : page.canvases.imageOf(canvasOf(page, id));
  const { width, height } = image;
  try {
    return image.toBuffer("image/png");
  } catch {
    const why = width > 0 && height > 0 ? "is too large" : "is empty";
    throw Object.assign(new Error(`a picture of ${width} x ${height} pixels ${why}`), { status: 1 });
  }
}

function canvasOf(page, id) {
  const element = page.window.document.getElementById(id);
  if (element?.localName === "canvas") return element;
  const ids = [...page.window.document.querySelectorAll("canvas")].map(canvas => canvas.id || "(none)");
  throw Object.assign(new Error(`the page has no canvas '${id}'; its canvases have the ids ${ids.join(", ") || "of none"}`), { status: 2 });
}

function write(file, bytes) {
  try {
    fs.writeFileSync(file, bytes);
  } catch (error) {
    throw Object.assign(new Error(`${file} cannot be written: ${error.message}`), { status: 2 });
  }
}

// 'frame-%03d.png' and 7 -> 'frame-007.png'
function frameName(pattern, frame) {
  return pattern.replace(/%(0?)(\d*)d/, (_all, zero, width) => String(frame).padStart(Number(width || 0), zero ? "0" : " "));
}

async function main(options) {
  registerFonts();
  let outputError;
  process.stdout.on("error", error => (outputError ??= error));
  // Whoever waits for this process hears when the page begins and when it ends; what is left then is its picture.
  const tell = what => options.progress !== undefined && fs.writeSync(options.progress, what);
  tell("b");
  const isPattern = options.png !== undefined && /%0?\d*d/.test(options.png);
  const keep = frame => write(frameName(options.png, frame), render(page, options.canvas));
  const page = new Page(options.file, options, isPattern ? keep : undefined);
  const inTime = await page.settled(() => tell("e"));
  if (!inTime) console.error(`${options.file}: still at work after ${options.timeout} s: the picture shows what there is`);
  if (options.png !== undefined && page.window.document.querySelector("canvas") === null) {
    console.error(`${options.file}: the page has no canvas: the picture is its background`);
  }
  if (isPattern && page.frames.count === 0) {
    console.error(`${options.file}: no frame was asked for: the picture is that of frame 1`);
    keep(1);
  }
  if (options.png !== undefined && !isPattern) write(options.png, render(page, options.canvas));
  if (outputError !== undefined) {
    if (outputError.code !== "EPIPE") console.error(`error: standard output cannot be written: ${outputError.message}`);
    process.exit(3);
  }
  process.exit(page.failed || !inTime ? 1 : 0);
}

main(JSON.parse(process.argv[2])).catch(error => {
  console.error(error.status === undefined ? error.stack : error.message);
  process.exit(error.status ?? 3);
});

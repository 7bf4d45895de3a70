// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const skia = require("@napi-rs/canvas");

// Where the page's canvases lie: below each other in document order; those with `position: absolute` at the corner of
// their parent, which is where its first canvas lies.
function layOut(window) {
  const cornerOf = new Map(); // by parent
  const placed = [];
  let width = 1;
  let bottom = 0;
  for (const element of window.document.querySelectorAll("canvas")) {
    const style = window.getComputedStyle(element);
    if (style.display === "none") continue;
    const absolute = style.position === "absolute" || style.position === "fixed";
    const parent = element.parentNode;
    if (!cornerOf.has(parent)) cornerOf.set(parent, bottom);
    const y = absolute ? cornerOf.get(parent) : bottom;
    placed.push({ element, x: 0, y });
    width = Math.max(width, element.width);
    bottom = Math.max(bottom, y + element.height);
  }
  return { placed, width, height: Math.max(bottom, 1) };
}

// The page's picture: what lies under its canvases is the body's background.
function pictureOf(window, canvases) {
  const { placed, width, height } = layOut(window);
  const picture = skia.createCanvas(width, height);
  const context = picture.getContext("2d");
  const background = window.getComputedStyle(window.document.body).backgroundColor;
  context.fillStyle = "#fff";
  context.fillRect(0, 0, width, height);
  if (background) {
    context.fillStyle = background;
    context.fillRect(0, 0, width, height);
  }
  for (const { element, x, y } of placed) {
    if (element.width > 0 && element.height > 0) context.drawImage(canvases.imageOf(element), x, y);
  }
  return picture;
}

module.exports = { pictureOf };

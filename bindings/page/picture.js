// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const skia = require("@napi-rs/canvas");
const { isShown } = require("./layout.js");

// Where the page's canvases lie: below each other in document order; those with `position: absolute` at the corner of
// their parent, which is where it begins, and over the others. They take no room.
function layOut(window) {
  const placed = [];
  const over = [];
  const topOf = new Map(); // of elements that have begun
  let bottom = 0;
  for (const element of window.document.querySelectorAll("*")) {
    topOf.set(element, bottom);
    if (element.localName !== "canvas" || !isShown(element, window)) continue;
    const { position } = window.getComputedStyle(element);
    if (position === "absolute" || position === "fixed") {
      over.push({ element, y: topOf.get(element.parentNode) });
    } else {
      placed.push({ element, y: bottom });
      bottom += element.height;
    }
  }
  const all = [...placed, ...over];
  const width = Math.max(1, ...all.map(({ element }) => element.width));
  const height = Math.max(1, ...all.map(({ element, y }) => y + element.height));
  return { all, width, height };
}

// The page's picture: what lies under its canvases is the body's background.
function pictureOf(window, canvases) {
  const { all, width, height } = layOut(window);
  const picture = skia.createCanvas(width, height);
  const context = picture.getContext("2d");
  const { body } = window.document;
  for (const colour of ["#fff", body && window.getComputedStyle(body).backgroundColor]) {
    if (!colour) continue;
    context.fillStyle = colour;
    context.fillRect(0, 0, width, height);
  }
  for (const { element, y } of all) {
    if (element.width > 0 && element.height > 0) context.drawImage(canvases.imageOf(element), 0, y);
  }
  return picture;
}

module.exports = { pictureOf };

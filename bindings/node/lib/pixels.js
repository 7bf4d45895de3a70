// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

function halfToNumber(half) {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

// Texels of a canvas's format, in rows at multiples of 256 bytes, as 8-bit RGBA.
function toRgba(bytes, width, height, format) {
  const rgba = new Uint8ClampedArray(4 * width * height);
  const rowBytes = bytes.length / height;
  for (let y = 0; y < height; ++y) {
    const row = bytes.subarray(y * rowBytes, (y + 1) * rowBytes);
    if (format === "rgba16float") {
      const halves = new Uint16Array(row.buffer, row.byteOffset, 4 * width);
      for (let i = 0; i < halves.length; ++i) rgba[4 * width * y + i] = halfToNumber(halves[i]) * 255;
    } else {
      rgba.set(row.subarray(0, 4 * width), 4 * width * y);
    }
  }
  if (format === "bgra8unorm") {
    for (let i = 0; i < rgba.length; i += 4) [rgba[i], rgba[i + 2]] = [rgba[i + 2], rgba[i]];
  }
  return rgba;
}

// As 2D canvases have them: alpha is not multiplied in (#gpucanvasalphamode).
function straightPixels(bytes, width, height, format, alphaMode) {
  const rgba = toRgba(bytes, width, height, format);
  for (let i = 0; i < rgba.length; i += 4) {
    const alpha = rgba[i + 3];
    if (alphaMode === "opaque") rgba[i + 3] = 255;
    else if (alpha !== 0 && alpha !== 255) {
      for (let c = 0; c < 3; ++c) rgba[i + c] = (rgba[i + c] * 255) / alpha;
    }
  }
  return rgba;
}

module.exports = { straightPixels };

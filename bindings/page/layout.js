// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The sizes of elements, as far as pages need them to size their canvases: no flow, no fonts.
"use strict";

// A length of CSS in pixels, or undefined where it is none: "auto", or a percentage of what is not known.
function pixels(length, whole, window) {
  const [, number, unit] = /^([\d.]+)(px|%|vw|vh)?$/.exec(length ?? "") ?? [];
  if (number === undefined) return undefined;
  const of = { "%": whole, vw: window.innerWidth, vh: window.innerHeight };
  return unit in of ? (of[unit] === undefined ? undefined : (Number(number) * of[unit]) / 100) : Number(number);
}

// What an element has in itself, such as a canvas its pixels.
function ownSize(element) {
  if (element.localName === "canvas") return { width: element.width, height: element.height };
  if (element.localName === "img") return { width: element.width, height: element.height };
  return undefined;
}

// The element's box, { width, height }; the height is undefined where only a real layout would tell.
function boxOf(element, window) {
  const { documentElement } = window.document;
  const viewport = { width: window.innerWidth, height: window.innerHeight };
  if (element === documentElement) return viewport;
  const outer = element.parentElement ? boxOf(element.parentElement, window) : viewport;
  const style = window.getComputedStyle(element);
  let width = pixels(style.width, outer.width, window);
  let height = pixels(style.height, outer.height, window);
  const own = ownSize(element);
  if (own === undefined) return { width: width ?? outer.width, height };
  // Of a picture one size gives the other.
  const ratio = own.width > 0 && own.height > 0 ? own.width / own.height : undefined;
  if (width === undefined) width = height === undefined || ratio === undefined ? own.width : height * ratio;
  height ??= ratio === undefined ? own.height : width / ratio;
  const most = pixels(style.maxWidth, outer.width, window);
  return { width: Math.min(width, most ?? width), height };
}

const isShown = (element, window) => {
  for (let e = element; e !== null; e = e.parentElement) if (window.getComputedStyle(e).display === "none") return false;
  return element.isConnected;
};

// { width, height } of what is shown.
function sizeOf(element, window) {
  if (!isShown(element, window)) return { width: 0, height: 0 };
  const { width, height } = boxOf(element, window);
  return { width, height: height ?? (element === window.document.body ? window.innerHeight : 0) };
}

function installSizes(window) {
  const define = (prototype, names, get) => {
    for (const name of names) Object.defineProperty(prototype, name, { get, enumerable: true, configurable: true });
  };
  const rounded = side =>
    function () {
      return Math.round(sizeOf(this, window)[side]);
    };
  const { Element, HTMLElement } = window;
  define(Element.prototype, ["clientWidth"], rounded("width"));
  define(Element.prototype, ["clientHeight"], rounded("height"));
  define(HTMLElement.prototype, ["offsetWidth"], rounded("width"));
  define(HTMLElement.prototype, ["offsetHeight"], rounded("height"));
  Element.prototype.getBoundingClientRect = function getBoundingClientRect() {
    const { width, height } = sizeOf(this, window);
    return new window.DOMRect(0, 0, width, height);
  };
}

module.exports = { installSizes, isShown, sizeOf };

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// <img> and new Image(), which jsdom loads with a package that Lockstep does not have.
"use strict";

const skia = require("@napi-rs/canvas");
const { serializeURL } = require("whatwg-url");
const HTMLImageElementImpl = require("jsdom/lib/jsdom/living/nodes/HTMLImageElement-impl.js").implementation;

// HTML: #update-the-image-data. Whoever loads for jsdom gives images (decodeFor).
HTMLImageElementImpl.prototype._updateTheImageData = function () {
  const document = this._ownerDocument;
  const source = this.getAttributeNS(null, "src");
  this._image = undefined;
  this._currentSrc = null;
  this._currentRequestState = "unavailable";
  const url = source && document._defaultView ? document.encodingParseAURL(source) : null;
  if (url === null) return;
  const address = serializeURL(url);
  const request = document._resourceLoader.fetch(address, {
    element: this,
    onLoad: image => {
      if (request !== this._request) return;
      this._image = image;
      this._currentSrc = address;
      this._currentRequestState = "completely available";
    },
    onError: () => {
      this._currentRequestState = "broken";
    },
  });
  this._request = request;
};

// What jsdom gets for an element: an image of @napi-rs/canvas, or the bytes.
function decodeFor(element, bytes) {
  return element?.localName === "img" ? skia.loadImage(bytes) : bytes;
}

module.exports = { decodeFor };

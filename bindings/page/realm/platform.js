// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What browsers have, jsdom has not, and pages that draw often ask for. Runs in the page's realm.
(function installPlatform(window, host) {
  "use strict";
  const define = (name, value) => host.define(window, name, value);

  // ResizeObserver and IntersectionObserver: nothing is ever resized or scrolled, so each element is told once, in the order
  // of observe.
  class Observer {
    #callback;
    #waiting = [];
    constructor(callback) {
      if (typeof callback !== "function") throw new TypeError("parameter 1 is not of type 'Function'.");
      this.#callback = callback;
    }
    observe(element) {
      if (!(element instanceof Element)) throw new TypeError("parameter 1 is not of type 'Element'.");
      this.#waiting = [...this.#waiting.filter(other => other !== element), element];
      if (this.#waiting.length === 1) setTimeout(() => this.#tell(), 0);
    }
    unobserve(element) {
      this.#waiting = this.#waiting.filter(other => other !== element);
    }
    disconnect() {
      this.#waiting = [];
    }
    takeRecords() {
      return [];
    }
    #tell() {
      const entries = this.#waiting.map(element => this.entryOf(element));
      this.#waiting = [];
      if (entries.length > 0) this.#callback.call(this, entries, this);
    }
  }
  class ResizeObserver extends Observer {
    entryOf(target) {
      const contentRect = target.getBoundingClientRect();
      const size = [{ inlineSize: contentRect.width, blockSize: contentRect.height }];
      return { target, contentRect, contentBoxSize: size, borderBoxSize: size, devicePixelContentBoxSize: size };
    }
  }
  class IntersectionObserver extends Observer {
    entryOf(target) {
      const rect = target.getBoundingClientRect();
      return { target, isIntersecting: true, intersectionRatio: 1, boundingClientRect: rect, intersectionRect: rect, rootBounds: null };
    }
  }

  class MessagePort extends EventTarget {
    #handler = null;
    other = null;
    postMessage(message) {
      const data = structuredClone(message);
      setTimeout(() => this.other?.dispatchEvent(new MessageEvent("message", { data })), 0);
    }
    start() {}
    close() {
      this.other = null;
    }
    get onmessage() {
      return this.#handler;
    }
    set onmessage(handler) {
      if (this.#handler !== null) this.removeEventListener("message", this.#handler);
      this.#handler = typeof handler === "function" ? handler : null;
      if (this.#handler !== null) this.addEventListener("message", this.#handler);
    }
  }
  class MessageChannel {
    constructor() {
      this.port1 = new MessagePort();
      this.port2 = new MessagePort();
      this.port1.other = this.port2;
      this.port2.other = this.port1;
    }
  }

  class MediaQueryList extends EventTarget {
    matches = false;
    onchange = null;
    constructor(media) {
      super();
      this.media = media;
    }
    addListener(listener) {
      this.addEventListener("change", listener);
    }
    removeListener(listener) {
      this.removeEventListener("change", listener);
    }
  }
  function matchMedia(query) {
    return new MediaQueryList(String(query));
  }

  // What cannot be: pages that can do without it catch the error.
  const missing = (name, advice) => {
    const constructor = class {
      constructor() {
        throw new DOMException(`${name} is not supported: ${advice}`, "NotSupportedError");
      }
    };
    Object.defineProperty(constructor, "name", { value: name });
    define(name, constructor);
  };
  missing("Worker", "run its code in the page itself");
  missing("SharedWorker", "run its code in the page itself");
  missing("EventSource", "use fetch");

  const readBlob = (blob, method) =>
    new Promise((resolve, reject) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result);
      reader.onerror = () => reject(reader.error);
      reader[method](blob);
    });
  function arrayBuffer() {
    return readBlob(this, "readAsArrayBuffer");
  }
  function text() {
    return readBlob(this, "readAsText");
  }
  function stream() {
    return host.streamOf(async () => new Uint8Array(await this.arrayBuffer()));
  }
  for (const method of [arrayBuffer, text, stream]) host.define(Blob.prototype, method.name, method);

  function createObjectURL(blob) {
    if (!(blob instanceof Blob)) throw new TypeError("createObjectURL: parameter 1 is not of type 'Blob'.");
    return host.keepBlob(blob);
  }
  function revokeObjectURL(url) {
    host.dropBlob(String(url));
  }
  for (const method of [createObjectURL, revokeObjectURL]) host.define(URL, method.name, method);

  // Node's, with arrays of the page.
  const encoder = host.makeTextEncoder();
  class TextEncoder {
    encoding = "utf-8";
    encode(text = "") {
      return new Uint8Array(encoder.encode(String(text)));
    }
    encodeInto(text, target) {
      return { ...encoder.encodeInto(String(text), target) };
    }
  }

  for (const value of [ResizeObserver, IntersectionObserver, MessagePort, MessageChannel, TextEncoder, matchMedia]) define(value.name, value);
  define("isSecureContext", true);
})

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// fetch, of what the page may load (resources.js). Runs in the page's realm: the classes are the page's.
(function installFetch(window, host) {
  "use strict";

  // Bytes and content type of what fetch can send, and what a Response can be made of.
  async function readBody(body) {
    if (body === null || body === undefined) return { bytes: new Uint8Array(0) };
    if (body instanceof Blob) return { bytes: new Uint8Array(await body.arrayBuffer()), type: body.type };
    if (body instanceof ArrayBuffer) return { bytes: new Uint8Array(body.slice(0)) };
    if (ArrayBuffer.isView(body)) {
      return { bytes: new Uint8Array(body.buffer.slice(body.byteOffset, body.byteOffset + body.byteLength)) };
    }
    if (body instanceof FormData) throw new TypeError("a FormData as a body is not supported");
    const type = body instanceof URLSearchParams ? "application/x-www-form-urlencoded;charset=UTF-8" : "text/plain;charset=UTF-8";
    return { bytes: new Uint8Array(new TextEncoder().encode(String(body))), type };
  }

  // Body (Fetch: #body-mixin).
  class Body {
    #read; // a promise of { bytes, type }
    #used = false;
    constructor(read) {
      this.#read = read;
      read.catch(() => {}); // whoever reads it hears of it
    }
    get bodyUsed() {
      return this.#used;
    }
    async #take() {
      if (this.#used) throw new TypeError("the body was read already");
      this.#used = true;
      return (await this.#read).bytes;
    }
    // For clones and requests.
    static readOf(body) {
      return body.#read;
    }
    async arrayBuffer() {
      return (await this.#take()).slice().buffer;
    }
    async bytes() {
      return (await this.#take()).slice();
    }
    async text() {
      return new TextDecoder().decode(await this.#take());
    }
    async json() {
      return JSON.parse(await this.text());
    }
    async blob() {
      return new Blob([await this.#take()], { type: this.headers.get("content-type") ?? "" });
    }
    get body() {
      return host.streamOf(() => this.#take());
    }
  }

  class Request extends Body {
    constructor(input, init = {}) {
      const from = input instanceof Request ? input : undefined;
      super("body" in init ? readBody(init.body) : from ? Body.readOf(from) : readBody());
      this.url = from?.url ?? new URL(String(input), document.baseURI).href;
      this.method = (init.method ?? from?.method ?? "GET").toUpperCase();
      this.headers = new Headers(init.headers ?? from?.headers);
      this.signal = init.signal ?? from?.signal ?? null;
      this.redirect = init.redirect ?? from?.redirect ?? "follow";
      if (init.body && (this.method === "GET" || this.method === "HEAD")) {
        throw new TypeError(`a request with the method ${this.method} has no body`);
      }
    }
    clone() {
      return new Request(this);
    }
  }

  // The body of another Response.
  class Shared {
    constructor(read) {
      this.read = read;
    }
  }

  class Response extends Body {
    constructor(body = null, init = {}) {
      super(body instanceof Shared ? body.read : readBody(body));
      this.status = init.status ?? 200;
      this.statusText = init.statusText ?? "";
      this.headers = new Headers(init.headers);
      this.url = "";
      this.type = "default";
      this.redirected = false;
    }
    get ok() {
      return this.status >= 200 && this.status < 300;
    }
    clone() {
      if (this.bodyUsed) throw new TypeError("the body was read already");
      const copy = new Response(new Shared(Body.readOf(this)), this);
      return Object.assign(copy, { url: this.url, type: this.type });
    }
    static json(value, init = {}) {
      return new Response(JSON.stringify(value), { ...init, headers: { "content-type": "application/json", ...init.headers } });
    }
  }
  const aborted = signal => signal.reason ?? new DOMException("The operation was aborted.", "AbortError");

  async function load(request) {
    const { url, method, redirect, headers } = request;
    const { bytes, type } = await Body.readOf(request);
    if (type && !headers.has("content-type")) headers.set("content-type", type);
    try {
      return await host.load(url, { method, redirect, headers: [...headers], body: bytes.length > 0 ? bytes : undefined });
    } catch (error) {
      throw new TypeError(error.message);
    }
  }

  async function fetch(input, init) {
    const request = new Request(input, init);
    const { signal } = request;
    if (signal?.aborted) throw aborted(signal);
    const stopped = new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(aborted(signal))));
    const found = await Promise.race([load(request), stopped]);
    const response = new Response(new Uint8Array(found.bytes), found);
    response.url = found.url;
    response.type = "basic";
    return response;
  }

  // Node's takes its own Response.
  async function instantiateStreaming(source, imports) {
    return WebAssembly.instantiate(await (await source).arrayBuffer(), imports);
  }
  WebAssembly.instantiateStreaming = instantiateStreaming;

  for (const value of [Request, Response, fetch]) host.define(window, value.name, value);
})

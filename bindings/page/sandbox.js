// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// jsdom loads in several ways of its own, and what it gives to pages comes from Node's realm. Here both end at the page's
// Resources. It keeps a page to what its options allow; it is no wall against code that is written to break out.
"use strict";

const { EventEmitter } = require("node:events");
const { ResourceLoader } = require("jsdom");
const DOMException = require("jsdom/lib/jsdom/living/generated/DOMException.js");
const XMLHttpRequestImpl = require("jsdom/lib/jsdom/living/xhr/XMLHttpRequest-impl.js").implementation;
const xhrUtils = require("jsdom/lib/jsdom/living/xhr/xhr-utils.js");
const webSocketModule = require("jsdom/lib/jsdom/living/websockets/WebSocket-impl.js");

// Functions that Node's realm made have its Function as their constructor, which would make code there.
function lockConstructors() {
  for (const made of [function () {}, function* () {}, async function () {}, async function* () {}]) {
    const prototype = Object.getPrototypeOf(made);
    const { name } = prototype.constructor;
    const locked = {
      [name]: function () {
        throw new EvalError("the page's own realm makes functions from text");
      },
    }[name];
    Object.defineProperty(locked, "prototype", { value: prototype });
    Object.defineProperty(prototype, "constructor", { value: locked, writable: false, configurable: false });
  }
}

// A client as jsdom's XMLHttpRequest wants it: an emitter of `response`, `data` and `end`, or of `error`.
function makeClient(resources, { flag }) {
  const client = new EventEmitter();
  const stop = new AbortController();
  client.abort = () => stop.abort();
  const { method, requestHeaders: headers, body } = flag;
  resources.load(flag.uri, { method, headers, body: body ?? undefined, signal: stop.signal }).then(
    ({ url, status, statusText, headers: pairs, bytes }) => {
      if (stop.signal.aborted) return;
      const response = Object.assign(new EventEmitter(), {
        statusCode: status,
        statusMessage: statusText,
        rawHeaders: pairs.flat(),
        headers: Object.fromEntries(pairs),
      });
      client.emit("response", response, url);
      for (const emitter of [response, client]) emitter.emit("data", bytes);
      for (const emitter of [response, client]) emitter.emit("end");
    },
    error => {
      if (!stop.signal.aborted) client.emit("error", error);
    },
  );
  return client;
}

function replaceXmlHttpRequest(resources) {
  xhrUtils.createClient = xhr => makeClient(resources, xhr);
  const { send } = XMLHttpRequestImpl.prototype;
  XMLHttpRequestImpl.prototype.send = function (body) {
    if (!this.flag.synchronous) return send.call(this, body);
    const message = `${this.flag.uri}: synchronous requests are not supported, use fetch`;
    throw DOMException.create(this._globalObject, [message, "NetworkError"]);
  };
}

// Where there is no network, sockets fail as if nobody answered.
function replaceWebSocket(resources, complain) {
  const { implementation } = webSocketModule;
  webSocketModule.implementation = class extends implementation {
    constructor(...all) {
      super(...all);
      const refusal = resources.refusal(this.url);
      if (refusal === undefined) return;
      complain(refusal);
      this._requiredToFail = true;
    }
  };
}

// For scripts, frames, style sheets and images.
function makeLoader(resources, decode) {
  for (const name of ["fetch", "_readFile", "_readDataURL"]) delete ResourceLoader.prototype[name];
  return new (class extends ResourceLoader {
    fetch(url, { element } = {}) {
      const loading = resources.read(url).then(bytes => decode(element, bytes));
      loading.abort = () => {};
      return loading;
    }
  })();
}

// Makes jsdom load by `resources` alone, and returns its ResourceLoader. `complain(message)` tells what else is refused, and
// `decode(element, bytes)` gives what jsdom wants of an element.
function confine(resources, complain, decode) {
  lockConstructors();
  replaceXmlHttpRequest(resources);
  replaceWebSocket(resources, complain);
  return makeLoader(resources, decode);
}

module.exports = { confine };

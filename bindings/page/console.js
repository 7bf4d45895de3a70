// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What a page says, and what goes wrong in it.
"use strict";

const { inspect } = require("node:util");
const { VirtualConsole } = require("jsdom");
const reportException = require("jsdom/lib/jsdom/living/helpers/runtime-script-errors.js");

const isError = value => typeof value === "object" && value !== null && typeof value.stack === "string";

// A stack with its lines in the page alone: the others are Node's, jsdom's and Lockstep's.
function ownStack(stack) {
  const [message, ...frames] = stack.split(/\n(?=\s+at )/);
  return [message, ...frames.filter(frame => !/node_modules|\(?node:|[/\\]bindings[/\\]/.test(frame))].join("\n");
}

// Errors of the page's realm are none of Node's, but have a stack. One of Node's that no line of the page has to do with is
// Lockstep's own.
function describe(error) {
  if (!isError(error)) return `Uncaught ${inspect(error)}`;
  const own = ownStack(error.stack);
  return `Uncaught ${error instanceof Error && !/\n\s+at /.test(own) ? error.stack : own}`;
}

// The page's console goes to Node's; `page` hears of uncaught errors.
function makeConsole(page) {
  const virtual = new VirtualConsole();
  const shown = values => values.map(value => (isError(value) ? ownStack(value.stack) : value));
  for (const [name, method] of Object.entries(console)) {
    if (typeof method === "function") virtual.on(name, (...values) => method(...shown(values)));
  }
  virtual.removeAllListeners("trace");
  virtual.on("trace", (...values) => {
    const [, ...frames] = ownStack(new Error().stack).split("\n");
    console.error(["Trace:", ...shown(values)].join(" ") + frames.map(frame => `\n${frame}`).join(""));
  });
  virtual.on("jsdomError", error => {
    // Scripts that threw; what could not be loaded; and jsdom's own shortcomings, which are no fault of the page.
    if (error.type === "unhandled exception") return page.fail(describe(error.detail));
    const message = (error.detail?.message ?? error.message).replace(/^Error: /, "");
    // Without one of its scripts a page does not run as it was written.
    return error.message.startsWith("Could not load script") ? page.fail(message) : console.error(message);
  });
  return virtual;
}

// What code of the page threw: the page's error handlers hear of it, and where none prevents it the console.
function reportError(window, error) {
  reportException(window, error);
}

// Likewise a promise that was rejected and that nobody looks at (HTML: #unhandled-promise-rejections).
function reportRejection(page, promise, reason) {
  const { window } = page;
  const event = new window.Event("unhandledrejection", { cancelable: true });
  Object.defineProperties(event, { promise: { value: promise }, reason: { value: reason } });
  if (window.dispatchEvent(event)) page.fail(describe(reason));
}

module.exports = { makeConsole, reportError, reportRejection };

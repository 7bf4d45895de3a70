// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What browsers have besides, and pages ask for.
import assert from "node:assert";
import test from "node:test";
import { folder, run, write } from "./support.mjs";

// What a page prints that runs `script` after `body`, a line each.
function printed(script, body = "") {
  const { status, stdout, stderr } = run(`<!doctype html><body>${body}<script type="module">${script}</script>`);
  assert.deepStrictEqual([status, stderr], [0, ""]);
  return stdout.trimEnd().split("\n");
}

test("elements have the sizes that style and attributes give them", () => {
  const style = "<style>html, body { height: 100% } #full { width: 100%; height: 50% } #fixed { width: 60px; height: 30px }</style>";
  const canvases = '<canvas id="full"></canvas><canvas id="fixed"></canvas><canvas id="plain" width="7" height="5"></canvas><canvas id="none" hidden></canvas>';
  assert.deepStrictEqual(printed(`for (const canvas of document.querySelectorAll("canvas")) {
    const { width, height } = canvas.getBoundingClientRect();
    console.log(canvas.clientWidth, canvas.clientHeight, canvas.offsetWidth, canvas.offsetHeight, width, height);
  }`, style + canvases), ["1024 384 1024 384 1024 384", "60 30 60 30 60 30", "7 5 7 5 7 5", "0 0 0 0 0 0"]);
});

test("observers tell each element once", () => {
  assert.deepStrictEqual(printed(`
    const [a, b] = document.querySelectorAll("canvas");
    const observer = new ResizeObserver((entries, self) => {
      for (const { target, contentRect, contentBoxSize } of entries) {
        console.log(target.id, contentRect.width, contentBoxSize[0].blockSize, self === observer);
      }
    });
    observer.observe(b);
    observer.observe(a);
    new IntersectionObserver(([entry]) => console.log(entry.isIntersecting)).observe(a);
  `, '<canvas id="a"></canvas><canvas id="b" width="8" height="4"></canvas>'), ["b 8 4 true", "a 300 150 true", "true"]);
});

test("fetch gives what the page's own classes are", () => {
  write("data.json", '{"a": 1}');
  assert.deepStrictEqual(printed(`
    const response = await fetch(new Request("data.json"));
    console.log(response instanceof Response, response.ok, response.status, response.url.endsWith("/data.json"));
    console.log(response.headers.get("content-type"), (await response.clone().json()).a);
    const bytes = await response.arrayBuffer();
    console.log(bytes instanceof ArrayBuffer, bytes.byteLength, response.bodyUsed);
    for (const address of ["nowhere", "http://127.0.0.1:9/"]) await fetch(address).catch(error => console.log(error instanceof TypeError));
    const controller = new AbortController();
    controller.abort();
    await fetch("data.json", { signal: controller.signal }).catch(error => console.log(error.name));
    const url = URL.createObjectURL(new Blob(["blob"], { type: "text/x" }));
    const blob = await (await fetch(url)).blob();
    console.log(await blob.text(), blob.type, (await blob.arrayBuffer()).byteLength);
    const reader = (await fetch("data:,stream")).body.getReader();
    console.log((await reader.read()).value.length, (await reader.read()).done);
  `), ["true true 200 true", "application/json 1", "true 8 true", "true", "true", "AbortError", "blob text/x 4", "6 true"]);
});

test("text becomes arrays of the page", () => {
  assert.deepStrictEqual(printed(`
    const bytes = new TextEncoder().encode("\u00e9");
    const { read, written } = new TextEncoder().encodeInto("abc", bytes);
    console.log(bytes instanceof Uint8Array, bytes.length, read, written, new TextDecoder().decode(bytes));
  `), ["true 2 2 2 ab"]);
});

test("a visible, secure window without workers", () => {
  assert.deepStrictEqual(printed(`
    console.log(document.hidden, document.visibilityState, isSecureContext, devicePixelRatio);
    console.log(matchMedia("(prefers-color-scheme: dark)").matches);
    const { port1, port2 } = new MessageChannel();
    port2.onmessage = ({ data }) => console.log(data.length);
    port1.postMessage([1, 2, 3]);
    try { new Worker("a.js") } catch (error) { console.log(error.name, error.message) }
  `), ["false visible true 1", "false", "NotSupportedError Worker is not supported: run its code in the page itself", "3"]);
});

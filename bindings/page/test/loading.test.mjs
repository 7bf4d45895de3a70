// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What pages load, and from where.
import assert from "node:assert";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { folder, run, write } from "./support.mjs";

test("requests and sockets reach what the page may load and no more", () => {
  write("in/data.txt", "inside");
  write("secret.txt", "secret");
  write("in/page.html", `<body><script>
    const tell = (name, url) => {
      const request = new XMLHttpRequest();
      request.open("GET", url);
      request.onload = () => console.log(name, request.status, request.responseText);
      request.onerror = () => console.log(name, "failed");
      request.send();
    };
    tell("inside", "data.txt");
    tell("outside", "../secret.txt");
    tell("network", "http://127.0.0.1:9/x");
    try {
      const request = new XMLHttpRequest();
      request.open("GET", "../secret.txt", false);
      request.send();
      console.log("synchronous", request.responseText);
    } catch (error) {
      console.log(error.name, error.message.includes("use fetch"));
    }
    const socket = new WebSocket("ws://127.0.0.1:9/");
    socket.onerror = () => console.log("socket failed");
    const frame = document.createElement("iframe");
    frame.src = "../secret.txt";
    frame.onload = () => console.log("frame", frame.contentDocument.body.textContent);
    document.body.append(frame);
  </script>`);
  const { status, stdout, stderr } = run(`${folder}/in/page.html`);
  assert.deepStrictEqual(stdout.trim().split("\n").sort(), [
    "NetworkError true", "inside 200 inside", "network failed", "outside failed", "socket failed",
  ]);
  assert.strictEqual(stderr.match(/no network unless --allow-network/g).length, 2);
  assert.strictEqual(stderr.match(/does not lie below the page's folder/g).length, 2);
  assert.strictEqual(status, 0);
});

test("a page whose script is not there has failed, one whose image is not there has not", () => {
  const [script, image] = ['<script src="nowhere.js"></script>', '<img src="nowhere.png">'].map(page => run(page));
  assert.match(script.stderr, /nowhere\.js does not exist/);
  assert.strictEqual(script.status, 1);
  assert.strictEqual(image.status, 0);
});

test("functions that the page is given make no code outside its realm", () => {
  const page = `<script>
    for (const make of [requestAnimationFrame, document.createElement, getComputedStyle, async () => {}]) {
      try {
        console.log(typeof make.constructor("return typeof process")());
      } catch (error) {
        console.log(error.name);
      }
    }
    console.log(eval("1 + 1"), new Function("return 3")());
  </script>`;
  assert.strictEqual(run(page).stdout, "EvalError\nEvalError\nEvalError\nobject\n2 3\n");
});

test("what is no plain file cannot be loaded", () => {
  execFileSync("mkfifo", [`${folder}/pipe`]);
  const page = '<script>for (const name of [".", "pipe"]) fetch(name).catch(error => console.log(error.message))</script>';
  const { status, stdout } = run(page, { timeout: 5 });
  assert.match(stdout, /^\S+ is no file\n\S+pipe is no file\n$/);
  assert.strictEqual(status, 0);
});

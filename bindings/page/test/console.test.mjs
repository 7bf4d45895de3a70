// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What a page says, and which of its errors are uncaught.
import assert from "node:assert";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import test from "node:test";
import { folder, png, run, write } from "./support.mjs";

test("errors that a handler of the page prevents are none of the run", () => {
  const handled = [
    `window.addEventListener("error", event => { event.preventDefault(); console.log("caught") })`,
    `window.onerror = () => { console.log("caught"); return true }`,
    `window.addEventListener("unhandledrejection", event => { event.preventDefault(); console.log("caught") })`,
  ];
  const thrown = [
    '<script>throw new Error("script")</script>',
    '<script>requestAnimationFrame(() => { throw new Error("frame") })</script>',
    '<script>setTimeout(() => { throw new Error("timer") }, 1)</script>',
    '<script type="module">throw new Error("module")</script>',
  ];
  const rejected = '<script>Promise.reject(new Error("promise"))</script>';
  for (const [handler, page] of [...thrown.map((one, i) => [handled[i % 2], one]), [handled[2], rejected]]) {
    assert.deepStrictEqual(run(`<script>${handler}</script>${page}`), { status: 0, stdout: "caught\n", stderr: "" });
    assert.strictEqual(run(page).status, 1);
  }
});

test("places are those of the file, and stacks have the page's lines alone", () => {
  const page = `<!doctype html>
    <p>text</p>
    <script>
      throw new Error("line 4");
    </script>
    <script>
      console.error(new Error("told"));
      console.trace("here");
    </script>`;
  const { stderr } = run(page);
  assert.deepStrictEqual(stderr.replaceAll(/file:\S*\/page/g, "page").trim().split("\n"), [
    "Uncaught Error: line 4", "    at page.html:4:13",
    "Error: told", "    at page.html:7:21",
    "Trace: here", "    at page.html:8:15",
  ]);
});

test("alerts are shown, and a page cannot close its window", () => {
  const page = '<body><script>alert({}); window.close(); console.log(document.body !== null)</script>';
  assert.deepStrictEqual(run(page), { status: 0, stdout: "[object Object]\ntrue\n", stderr: "" });
});

test("a page is read as its byte order mark or its meta element says, or as UTF-8", () => {
  const script = '<script>console.log("\u2605\u00e9")</script>';
  const utf16 = Buffer.from(`\ufeff${script}`, "utf16le");
  const utf8 = text => Buffer.from(text + script);
  for (const bytes of [
    utf16, utf8(""), utf8('\ufeff<meta charset="iso-8859-1">'), utf8('<!-- <meta charset="iso-8859-1"> -->'),
    utf8('<meta name="description" content="the charset=windows-1251 is">'), utf8('<meta charset="utf-16">'),
  ]) {
    write("charset.html", bytes);
    assert.strictEqual(run(png("charset.html")).stdout, "\u2605\u00e9\n");
  }
});

test("standard output that cannot be written makes the status 3", { skip: !fs.existsSync("/dev/full") }, () => {
  write("full.html", "<script>console.log(1)</script>");
  const main = new URL("../main.js", import.meta.url).pathname;
  const options = JSON.stringify({ file: `${folder}/full.html`, timeout: 60, frames: 1, webgpu: false });
  const stdio = ["ignore", fs.openSync("/dev/full", "w"), "pipe"];
  const { status, stderr } = spawnSync(process.execPath, ["--experimental-vm-modules", "--no-warnings", main, options], { stdio });
  assert.match(String(stderr), /^error: standard output cannot be written: ENOSPC/);
  assert.strictEqual(status, 3);
});

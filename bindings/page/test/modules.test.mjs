// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Module scripts: when they run, what they import, and how they fail.
import assert from "node:assert";
import test from "node:test";
import { run, write } from "./support.mjs";

write("m/util.js", 'console.log("util"); export const u = 1;');
write("m/main.js", 'import { u } from "./util.js"; console.log("main", u);');
write("m/slow.js", 'await new Promise(resolve => setTimeout(resolve, 20)); export const t = 3; console.log("slow");');
write("m/a.js", 'import { b } from "./b.js"; export const a = () => b;');
write("m/b.js", 'import { a } from "./a.js"; export const b = 2; export const other = () => a;');
write("m/data.json", '{"k": 4}');

function printed(page) {
  const { status, stdout, stderr } = run(page);
  assert.deepStrictEqual([status, stderr], [0, ""]);
  return stdout.trimEnd().split("\n");
}

test("they are deferred: in order, when the document is there, before DOMContentLoaded and load", () => {
  const page = `<script>
      document.addEventListener("DOMContentLoaded", () => console.log("content"));
      window.addEventListener("load", () => console.log("load"));
    </script>
    <script type="module">console.log("first", document.readyState, document.querySelector("p") !== null);
      addEventListener("load", () => console.log("own load"));</script>
    <script type="module">await new Promise(resolve => setTimeout(resolve, 50)); console.log("awaited");
      const script = document.createElement("script");
      script.type = "module";
      script.textContent = 'console.log("added")';
      document.body.append(script);</script>
    <script type="module">console.log("last")</script>
    <script>console.log("classic")</script><p></p>`;
  assert.deepStrictEqual(printed(page), ["classic", "first interactive true", "last", "content", "load", "own load", "awaited", "added"]);
});

test("each runs once, however often and in whatever way it is imported", () => {
  assert.deepStrictEqual(printed(`<script type="module" src="m/main.js"></script>
    <script type="module" src="m/util.js"></script><script type="module" src="m/main.js"></script>
    <script type="module">
      import { a } from "./m/a.js";
      const [one, two] = await Promise.all([import("./m/slow.js"), import("./m/slow.js")]);
      console.log(one === two, one.t, a());
    </script>`), ["util", "main 1", "slow", "true 3 2"]);
});

test("classic scripts can import, and are left out where modules take their place", () => {
  assert.deepStrictEqual(printed(`<script nomodule>console.log("nomodule")</script>
    <script>import("./m/main.js").then(() => console.log("imported"))</script>`), ["util", "main 1", "imported"]);
});

test("import maps name modules and folders, import.meta resolves", () => {
  assert.deepStrictEqual(printed(`<script type="importmap">{"imports": {"lib/": "./m/", "lib/u": "./m/util.js"}}</script>
    <script type="module">import "lib/main.js"; import { u } from "lib/u";
      console.log(u, import.meta.resolve("lib/x.js").endsWith("/m/x.js"), import.meta.url === document.URL)</script>`),
  ["util", "main 1", "1 true true"]);
});

test("JSON is a module too", { skip: Number(process.versions.node.split(".")[0]) < 20 }, () => {
  assert.deepStrictEqual(printed(`<script type="module">import data from "./m/data.json" with { type: "json" };
    console.log(data.k, data instanceof Object)</script>`), ["4 true"]);
});

test("what cannot be imported is said, once and with its place", () => {
  const missing = run('<script type="module" onerror="console.log(1)" src="m/nowhere.js"></script>');
  assert.deepStrictEqual([missing.status, missing.stdout], [1, "1\n"]);
  assert.match(missing.stderr, /^\S+nowhere\.js does not exist\n$/);
  const unnamed = run('<script type="module">import "three"</script>');
  assert.match(unnamed.stderr, /^'three' in file:\S+ is neither an address nor in the import map\n$/);
  write("m/bad.js", "let a = ;");
  assert.match(run('<script type="module" src="m/bad.js"></script>').stderr, /bad\.js: SyntaxError: Unexpected token ';'/);
  const { stdout } = run(`<script type="module">
    for (const i of [1, 2]) await import("./m/nowhere.js").catch(error => console.log(i, error instanceof TypeError));
  </script>`);
  assert.strictEqual(stdout, "1 true\n2 true\n");
});

test("modules that are added late do not make the page load again", () => {
  assert.deepStrictEqual(printed(`<script type="module" async>console.log("early")</script><script>
    addEventListener("load", () => {
      console.log("load");
      const script = document.createElement("script");
      script.type = "module";
      script.textContent = 'console.log("late")';
      document.body.append(script);
    });</script>`), ["early", "load", "late"]);
});

test("places in inline modules are those of the file", () => {
  assert.match(run('<p>\n</p>\n<script type="module">\nthrow new Error("here")</script>').stderr, /page\.html:4:7/);
});

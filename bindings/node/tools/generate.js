// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// generate.js FOLDER: writes WebGPU's interfaces as classes, one file each, from the IDL of the specification.
//
// webidl2js does all conversions that Web IDL asks for. What it cannot express is rewritten first, one row each below,
// and is done by hand in lib/ (namespaces, set-likes, what inherits from classes of Node's own). What it does otherwise than
// Web IDL is rewritten in its output. A row that no longer fits the IDL or the output is an error.
"use strict";

const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const Webidl2js = require("webidl2js");

const REWRITES = [
  // Set-likes: lib/set_like.js.
  [/interface (GPUSupportedFeatures|WGSLLanguageFeatures) \{\s*readonly setlike<DOMString>;\s*\};/g, ""],
  [/readonly attribute (GPUSupportedFeatures|WGSLLanguageFeatures) /g, "readonly attribute any "],
  // Namespaces of constants: lib/constants.js reads them itself.
  [/namespace \w+ \{[^}]*\};/g, ""],
  // Node has these classes: lib/events.js. A device is made as an EventTarget there.
  [/interface GPUDevice : EventTarget/g, "interface GPUDevice"],
  [/interface GPUUncapturedErrorEvent : Event \{[^}]*\};/g, ""],
  [/dictionary GPUUncapturedErrorEventInit : EventInit \{[^}]*\};/g, ""],
  [/interface GPUPipelineError : DOMException \{[^}]*\};/g, ""],
  [/attribute EventHandler onuncapturederror/g, "attribute any onuncapturederror"],
  // Another specification's object holds it.
  [/Navigator includes NavigatorGPU;|WorkerNavigator includes NavigatorGPU;/g, ""],
  // Undefined is no type that webidl2js has: the implementation converts the values, and makes the difference.
  [/record<DOMString, \(GPUSize64 or undefined\)>/g, "record<DOMString, any>"],
  [/readonly attribute \(GPUTextureViewDimension or undefined\) /g, "readonly attribute any "],
  // Members that are empty dictionaries by default may be absent for the implementation.
  [/ = \{\};/g, ";"],
  // Shared memory is no part of a union that webidl2js has: lib/buffer_source.js.
  [/AllowSharedBufferSource (data\b)/g, "any $1"],
  // Sources of images that Node does not have.
  [/required \(HTMLVideoElement or VideoFrame\) source/g, "required any source"],
  [/typedef \(ImageBitmap or[^)]*\) GPUCopyExternalImageSource;/g, "typedef any GPUCopyExternalImageSource;"],
  [/readonly attribute \(HTMLCanvasElement or OffscreenCanvas\) canvas/g, "readonly attribute any canvas"],
];

const IS_ITERABLE = `function isIterable(value) {
  return isObject(value) && typeof value[Symbol.iterator] === "function";
}`;

// Of the classes that webidl2js writes, and of its utils.js.
const OUTPUT_REWRITES = [
  // A Proxy of an object, or what has got its `impl` otherwise, is no object of the interface.
  [/value\[implSymbol\] instanceof Impl\.implementation(?=;)/g, "$& && utils.wrapperForImpl(value[implSymbol]) === value"],
  // An object that is not iterable is told by its call and member, as what is no object is.
  [/if \(!utils\.isObject\((\w+)\)\)( \{\s*throw [^;]* is not an iterable object\.")/g, "if (!utils.isIterable($1))$2"],
  [/^module\.exports = exports = \{/m, `${IS_ITERABLE}\n\n$&\n  isIterable,`],
  // webidl2js looks for [AllowShared] at types alone; the IDL has one Uint32Array, which has it as an argument.
  [/conversions\["Uint32Array"\]\(curArg, \{/g, "$& allowShared: true,"],
];

// Of other specifications.
const BESIDES = `
enum PredefinedColorSpace { "srgb", "display-p3" };
`;

function rewrite(idl) {
  for (const [pattern, replacement] of REWRITES) {
    const before = idl;
    idl = idl.replace(pattern, replacement);
    if (idl === before) throw new Error(`${pattern} is not in the IDL any more: see tools/generate.js`);
  }
  return idl.replace(/\[Exposed=[^\]]*\]\s*(?!\s*(interface))/g, "") + BESIDES;
}

function rewriteOutput(folder) {
  const unused = new Set(OUTPUT_REWRITES);
  for (const name of fs.readdirSync(folder)) {
    const file = path.join(folder, name);
    let text = fs.readFileSync(file, "utf8");
    for (const row of OUTPUT_REWRITES) {
      const before = text;
      text = text.replace(...row);
      if (text !== before) unused.delete(row);
    }
    fs.writeFileSync(file, text);
  }
  for (const [pattern] of unused) throw new Error(`webidl2js does not write ${pattern} any more: see tools/generate.js`);
}

async function main(folder) {
  const idl = fs.readFileSync(require.resolve("@webref/idl/webgpu.idl"), "utf8");
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "lockstep-idl-"));
  fs.writeFileSync(path.join(scratch, "webgpu.webidl"), rewrite(idl));
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const transformer = new Webidl2js({ implSuffix: "-impl" });
  transformer.addSource(scratch, path.join(__dirname, "../impl"));
  await transformer.generate(folder);
  rewriteOutput(folder);
  fs.rmSync(scratch, { recursive: true });
}

main(process.argv[2]).catch(error => {
  console.error(error.stack);
  process.exit(1);
});

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const native = require("./native.js");
const utils = require("../dist/interfaces/utils.js");

// What the implementation classes have in common. `native` is the addon's handle; the rest is whatever else the private
// data holds.
class Implementation {
  constructor(globalObject, _args, data) {
    this.globalObject = globalObject;
    Object.assign(this, data);
  }
}

// GPUObjectBase. The label is kept here; the addon gets it to name the object in messages.
class ObjectBase extends Implementation {
  constructor(globalObject, args, data) {
    super(globalObject, args, data);
    this._label ??= "";
  }
  get label() {
    return this._label;
  }
  set label(label) {
    this._label = label;
    if (this.native !== undefined) native.setLabel(this.native, label);
  }
}

// An interface's new implementation object with its wrapper.
function make(name, globalObject, data) {
  return require(`../dist/interfaces/${name}.js`).createImpl(globalObject, [], data);
}

// Promises that the addon settles resolve to what users see.
const wrapperOf = utils.wrapperForImpl;

module.exports = { Implementation, ObjectBase, make, wrapperOf };

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

// An interface that is `readonly setlike<DOMString>` and no more.
function defineSetLike(globalObject, name) {
  const sets = new WeakMap();
  const setOf = object => {
    const set = sets.get(object);
    if (set === undefined) throw new globalObject.TypeError(`called on an object that is not a valid instance of ${name}`);
    return set;
  };
  const constructor = class {
    constructor() {
      throw new globalObject.TypeError("Illegal constructor");
    }
    get size() {
      return setOf(this).size;
    }
    has(value) {
      const set = setOf(this);
      if (arguments.length === 0) throw new globalObject.TypeError(`Failed to execute 'has' on '${name}': 1 argument required`);
      return set.has(`${value}`);
    }
    entries() {
      return setOf(this).entries();
    }
    values() {
      return setOf(this).values();
    }
    forEach(callback, thisArgument) {
      for (const value of setOf(this)) callback.call(thisArgument, value, value, this);
    }
  };
  const { prototype } = constructor;
  for (const member of ["size", "has", "entries", "values", "forEach"]) {
    Object.defineProperty(prototype, member, { enumerable: true });
  }
  Object.defineProperties(prototype, {
    keys: { value: prototype.values, writable: true, enumerable: true, configurable: true },
    [Symbol.iterator]: { value: prototype.values, writable: true, configurable: true },
    [Symbol.toStringTag]: { value: name, configurable: true },
  });
  Object.defineProperty(constructor, "name", { value: name });
  Object.defineProperty(globalObject, name, { value: constructor, configurable: true, writable: true });
  return values => {
    const object = Object.create(prototype);
    sets.set(object, new Set(values));
    return object;
  };
}

module.exports = { defineSetLike };

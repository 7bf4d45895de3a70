#!/usr/bin/env python3
# SPDX-FileCopyrightText: Lockstep authors
# SPDX-License-Identifier: Apache-2.0
"""Holds the includes of the rooms against cmake/layers.txt.

Three rules: a room includes only rooms that its arrows reach; from another room only headers that its CMake file lists as
public; and LLVM, Vulkan and N-API headers each have one home. Prints every breach and exits 1 where there is one.
Tests (*_test.cc) may include any room: they compare engines.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
# Rooms whose sources lie elsewhere.
ELSEWHERE = {ROOT / "bindings/node/src": "bindings/node"}
HOMES = {"llvm/": "codegen/llvm", "llvm-c/": "codegen/llvm", "vulkan/": "gpu/vulkan", "napi": "bindings/node"}


def read_arrows():
    arrows = {}
    for line in (ROOT / "cmake/layers.txt").read_text().splitlines():
        if line.startswith("#") or "->" not in line:
            continue
        room, used = line.split("->")
        arrows[room.strip()] = used.split()
    return arrows


def closure(arrows, room, seen=None):
    seen = set() if seen is None else seen
    for used in arrows[room]:
        if used not in seen:
            seen.add(used)
            closure(arrows, used, seen)
    return seen


def room_of(path, rooms):
    """The room that a path relative to src/ lies in: the longest room that is a prefix of it."""
    fitting = [room for room in rooms if path.startswith(room + "/")]
    return max(fitting, key=len) if fitting else None


def public_headers(room):
    cmake = SRC / room / "CMakeLists.txt"
    if not cmake.exists():
        return set()
    listed = re.search(r"HEADERS\s+([^)]*?)(?:\s(?:FOLDERS|USES|PRIVATE_USES|SHARED)\b|\))", cmake.read_text(), re.S)
    return {f"{room}/{header}" for header in listed.group(1).split()} if listed else set()


def breaches():
    arrows = read_arrows()
    public = {room: public_headers(room) for room in arrows}
    for path in sorted(path for folder in (SRC, *ELSEWHERE) for path in folder.rglob("*")):
        if path.suffix not in (".h", ".cc"):
            continue
        relative = path.relative_to(ROOT).as_posix()
        room = ELSEWHERE.get(path.parent) or room_of(relative.removeprefix("src/"), arrows)
        if room is None:
            yield f"{relative}: lies in no room of cmake/layers.txt"
            continue
        is_test = relative.endswith(("_test.cc", "_fuzz.cc", "_bench.cc")) or "for_test" in relative
        allowed = closure(arrows, room) | {room}
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+["<]([^">]+)[">]', line)
            if not match:
                continue
            header = match.group(1)
            for prefix, home in HOMES.items():
                if header.startswith(prefix) and room != home:
                    yield f"{relative}:{number}: includes {header}; only {home} may"
            if not (SRC / header).exists():
                continue
            target = room_of(header, arrows)
            if target == room or is_test:
                continue
            if target not in allowed:
                yield f"{relative}:{number}: {room} may not use {target} (cmake/layers.txt)"
            elif header.endswith(".h") and header not in public[target]:
                yield f"{relative}:{number}: {header} is not a public header of {target} (its CMakeLists.txt)"


def main():
    found = list(breaches())
    for breach in found:
        print(breach, file=sys.stderr)
    if found:
        print(f"{len(found)} includes break the arrows between rooms", file=sys.stderr)
        return 1
    print("== includes follow the arrows")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-FileCopyrightText: Lockstep authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that every path that the documentation names exists.

A path is the target of a relative link, or a word in backticks with a slash in it or with the ending of a source file.
It may be shortened from the left (`ir/transform`, `op.def`), hold a `*`, and leave out the ending (`gpu/cpu/memory` is a
pair of files). What is built or lies on the user's machine is none of the tree's: names with $, ~, <, = or a blank, and
those below build/; `foo` stands for any name. Prints every name that fits nothing and exits 1 where there is one.
"""
import fnmatch
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENDINGS = (".cc", ".h", ".def", ".py", ".sh", ".md", ".txt", ".cmake", ".wgsl", ".json")


def tree():
    """Every file and folder that is not built, and files without their ending."""
    paths = set()
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [f for f in folders if not f.startswith((".git", "build", "__pycache__"))]
        for name in folders + files:
            path = pathlib.PurePosixPath(os.path.relpath(os.path.join(folder, name), ROOT))
            paths.update((str(path), str(path.with_suffix(""))))
    return paths


def named(text):
    """Pairs (line number, name)."""
    for number, line in enumerate(text.splitlines(), 1):
        for target in re.findall(r"\]\(([^)#\s]+)", line):
            if "://" not in target:
                yield number, target
        for word in re.findall(r"`([^`\s]+)`", line):
            if re.search(r"[$~<>=:{}(]|^//|^\.\.|^build/|^/|^foo", word):
                continue
            if "/" in word or (word.endswith(ENDINGS) and re.fullmatch(r"[a-z_*][\w.*-]+", word)):
                yield number, word


def exists(name, paths):
    name = name.rstrip("/")
    if "*" not in name and name in paths:
        return True
    return any(fnmatch.fnmatchcase(path, name) or fnmatch.fnmatchcase(path, "*/" + name) for path in paths)


def main():
    paths = tree()
    missing = 0
    for doc in sorted(set(ROOT.glob("*.md")) | set(ROOT.glob("docs/**/*.md"))):
        for number, name in named(doc.read_text()):
            if not exists(name, paths):
                print(f"{doc.relative_to(ROOT)}:{number}: there is no '{name}'", file=sys.stderr)
                missing += 1
    if missing:
        return 1
    print("== paths in the documentation exist")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-FileCopyrightText: Lockstep authors
# SPDX-License-Identifier: Apache-2.0
"""Holds functions to 60 lines and files to 800 (CONTRIBUTING.md).

A function counts from the first line of its signature to its closing brace. Flat tables and pure dispatch may be longer
where a comment above says so: "flat table" or "pure dispatch". The tree is formatted by clang-format, so that a block ends
at the first line that is its own indentation and a brace. Prints every breach and exits 1 where there is one.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src", "tests", "fuzz", "bench")
MAX_FUNCTION, MAX_FILE = 60, 800
CONTAINER = re.compile(r"^\s*(inline )?(namespace|class|struct|enum|union|extern|template <|#)")
MARK = re.compile(r"flat table|pure dispatch", re.I)


def signature(lines, at):
    """The first line of what opens a block at line `at`: continued lines end without ; or a brace."""
    while at > 0 and re.match(r"^\s*(\S.*)?[\w,(&|>*)]$", lines[at - 1]) and not re.match(r"^\s*(//|#|public:|private:)", lines[at - 1]):
        at -= 1
    return at


def functions(lines):
    """Triples (first line, last line, its text) of blocks that are functions, outermost only."""
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.endswith("{") and not line.lstrip().startswith(("//", "#")):
            first = signature(lines, at)
            head = " ".join(part.strip() for part in lines[first:at + 1])
            if not CONTAINER.match(head) and "(" in head and not re.search(r"(=|\[\])\s*\{+$", head):
                indent = line[: len(line) - len(line.lstrip())] if first == at else lines[first][: len(lines[first]) - len(lines[first].lstrip())]
                end = at + 1
                while end < len(lines) and not re.match(re.escape(indent) + r"\}", lines[end]):
                    end += 1
                yield first, end, head
                at = end
        at += 1


def breaches(path):
    lines = path.read_text(errors="replace").splitlines()
    if len(lines) > MAX_FILE:
        yield f"{path.relative_to(ROOT)}: {len(lines)} lines, more than {MAX_FILE}"
    for first, last, head in functions(lines):
        length = last - first + 1
        if length > MAX_FUNCTION and not any(MARK.search(line) for line in lines[max(0, first - 6):first + 3]):
            yield f"{path.relative_to(ROOT)}:{first + 1}: {length} lines, more than {MAX_FUNCTION}: {head[:80]}"


def main():
    found = [breach for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.suffix in (".cc", ".h")
             for breach in breaches(path)]
    for breach in found:
        print(breach, file=sys.stderr)
    if found:
        return 1
    print(f"== functions have at most {MAX_FUNCTION} lines, files {MAX_FILE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-FileCopyrightText: Lockstep authors
# SPDX-License-Identifier: Apache-2.0
"""What Node programs wait for, with Lockstep's package and with the npm package `webgpu` (Dawn), in turns.

    bench/node_api.py [--rounds N] [--repeats N] [--only TEXT]

LOCKSTEP_BENCH_MODULES names the folder whose node_modules has `webgpu`, and VK_ICD_FILENAMES its Vulkan driver
(SwiftShader's, say). Prints medians in milliseconds and how many times slower Dawn is; fails where results differ.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGES = sorted((HERE.parent / "examples/pages").glob("*.html")) + sorted((HERE.parent.parent / "shared/seeds").glob("*.html"))
WORKS = {
    "node_api.mjs": [
        "price rank page",
        "rating histogram page",
        "1,000 submits with readback",
        "10,000 dispatches in one submit",
        "200 new compute pipelines",
    ],
    "node_render.mjs": [
        *map(str, PAGES),
        "1,000,000 small triangles",
        "100 full-screen quads, light",
        "100 full-screen quads, heavy",
        "multisampled scene with depth",
    ],
}


def times(script, implementation, work, repeats):
    lines = subprocess.run(["node", HERE / script, implementation, work, str(repeats)],
                           stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    found = [line for line in lines if line.startswith("check ")]
    return [float(line) for line in lines if line[:1].isdigit()], found[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="", help="works whose names have this text")
    options = parser.parse_args()
    print(f"{'work':34} {'lockstep ms':>12} {'dawn ms':>12} {'dawn/lockstep':>14}")
    for script, work in [(script, work) for script, works in WORKS.items() for work in works if options.only in work]:
        measured, checks = {"lockstep": [], "dawn": []}, set()
        for _ in range(options.rounds):
            for implementation, found in measured.items():
                more, check = times(script, implementation, work, options.repeats)
                found += more
                checks.add(check)
        if len(checks) > 1:
            sys.exit(f"{work}: results differ: {checks}")
        ours, theirs = (statistics.median(measured[name]) for name in ("lockstep", "dawn"))
        print(f"{pathlib.Path(work).name:34} {ours:12.2f} {theirs:12.2f} {theirs / ours:14.2f}", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-FileCopyrightText: Lockstep authors
# SPDX-License-Identifier: Apache-2.0
"""Times Lockstep against its peers on the same kernels, in turn (A B A B ...), and prints medians and ratios.

    bench/run.py BUILD [--rounds N] [--only KERNEL,...] [--dawn]

BUILD holds bin/lockstep and, where their packages are installed, bench/lockstep_bench_opencl (pocl) and
bench/lockstep_bench_vulkan (lavapipe, Mandelbrot only: it has no WGSL compiler in front). --dawn also runs the npm package
`webgpu`: LOCKSTEP_BENCH_MODULES names the folder whose node_modules has it, and VK_ICD_FILENAMES its Vulkan driver
(SwiftShader). Results are compared too: for integer outputs the sums must be equal.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNELS = {
    # name: (wgsl, cl, kind, output, exact sums)
    "price_rank_tiled": ("examples/price_rank_tiled.wgsl", "price_rank_tiled.cl", "price_rank", "rank", True),
    "price_rank_storage": ("examples/price_rank_storage.wgsl", "price_rank_storage.cl", "price_rank", "rank", True),
    "histogram": ("bench/kernels/histogram.wgsl", "histogram.cl", "histogram", "stars", True),
    "mandelbrot": ("bench/kernels/mandelbrot.wgsl", "mandelbrot.cl", "mandelbrot", "steps", False),
    "matmul": ("bench/kernels/matmul.wgsl", "matmul.cl", "matmul", "c", False),
}


def lockstep(build, kernel, repeats):
    wgsl, _, _, output, _ = KERNELS[kernel]
    done = subprocess.run([build / "bin/lockstep", "run", ROOT / wgsl, "--json", "--repeat", str(repeats)],
                          capture_output=True, text=True, check=True)
    document = json.loads(done.stdout)
    return document["times_ms"], sum(v for v in document["buffers"][output]["values"] if not isinstance(v, str))


def lines_of(command, environment=None):
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        return None
    *times, last = done.stdout.split("\n")[:-1]
    return [float(t) for t in times], int(last.split()[1])


def pocl(build, kernel, repeats):
    _, cl, kind, _, _ = KERNELS[kernel]
    program = build / "bench/lockstep_bench_opencl"
    if not program.exists():
        return None
    return lines_of([program, ROOT / "bench/kernels" / cl, kind, str(repeats)])


def lavapipe(build, kernel, repeats):
    program = build / "bench/lockstep_bench_vulkan"
    driver = pathlib.Path("/usr/share/vulkan/icd.d/lvp_icd.x86_64.json")
    if kernel != "mandelbrot" or not program.exists() or not driver.exists():
        return None
    return lines_of([program, build / "bench/mandelbrot.spv", str(2048 * 2048), "128", "128", str(repeats)],
                    dict(os.environ, VK_ICD_FILENAMES=str(driver)))


def dawn(_, kernel, repeats):
    wgsl, _, kind, _, _ = KERNELS[kernel]
    return lines_of(["node", ROOT / "bench/dawn_peer.mjs", ROOT / wgsl, kind, str(repeats)], dict(os.environ))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", default=",".join(KERNELS))
    parser.add_argument("--dawn", action="store_true")
    options = parser.parse_args()
    peers = {"pocl": pocl, "lavapipe": lavapipe}
    if options.dawn:
        peers["dawn"] = dawn
    wrong = False
    print(f"{'kernel':20} {'lockstep ms':>12}" + "".join(f" {p + ' ms':>12} {p + '/lockstep':>14}" for p in peers))
    for kernel in options.only.split(","):
        times = {name: [] for name in ["lockstep", *peers]}
        sums = {}
        ratios = {name: [] for name in peers}
        for _ in range(options.rounds):
            mine, sums["lockstep"] = lockstep(options.build, kernel, options.repeats)
            times["lockstep"] += mine
            for name, peer in peers.items():
                found = peer(options.build, kernel, 2 if name == "dawn" else options.repeats)
                if found is None:
                    continue
                times[name] += found[0]
                sums[name] = found[1]
                ratios[name].append(statistics.median(found[0]) / statistics.median(mine))
        row = f"{kernel:20} {statistics.median(times['lockstep']):12.3f}"
        for name in peers:
            if ratios[name]:
                row += f" {statistics.median(times[name]):12.3f} {statistics.median(ratios[name]):14.2f}"
            else:
                row += f" {'-':>12} {'-':>14}"
        print(row, flush=True)
        if KERNELS[kernel][4] and len(set(sums.values())) != 1:
            print(f"  outputs differ: {sums}", file=sys.stderr)
            wrong = True
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

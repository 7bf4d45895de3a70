#!/usr/bin/env python3
# SPDX-FileCopyrightText: Lockstep authors
# SPDX-License-Identifier: Apache-2.0
"""Times clean checks of `lockstep race` against a plain run of the same kernel: Lockstep's own, pocl's, and that of
Oclgrind with race detection on the OpenCL twin, in turn; medians and ratios of kernel time.

    bench/race.py BUILD [--rounds N]

BUILD is as for bench/run.py. Oclgrind (Debian's package) is left out where it is not installed; what it is given is
small, since it takes seconds; its own start is taken off by a run without a kernel's work.
"""
import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# name: (wgsl, flags, cl, kind of the OpenCL peer)
CHECKS = {
    "price rank 16384": ("examples/price_rank_tiled.wgsl", [], "price_rank_tiled.cl", "price_rank:16384"),
    "histogram 2^22": ("bench/kernels/histogram.wgsl", ["--dispatch", "1024"], "histogram.cl", "histogram:1024"),
}
SMALL = {
    "price rank 2048": ("examples/price_rank_tiled.wgsl",
                        ["--buffer", "prices: 2048 x f32 = random 5..60 seed 7", "--buffer", "rank: 2048 x u32",
                         "--dispatch", "8"], "price_rank_tiled.cl", "price_rank:2048"),
    "histogram 65536": ("bench/kernels/histogram.wgsl", ["--dispatch", "16"], "histogram.cl", "histogram:16"),
}


def lockstep(build, command, wgsl, flags):
    extra = ["--repeat", "1"] if command == "run" else []
    done = subprocess.run([build / "bin/lockstep", command, ROOT / wgsl, "--json", *flags, *extra],
                          capture_output=True, text=True)
    document = json.loads(done.stdout)
    assert not document.get("races"), document["races"]
    return document["times_ms"][0]


def pocl(build, cl, kind):
    done = subprocess.run([build / "bench/lockstep_bench_opencl", ROOT / "bench/kernels" / cl, kind, "3"],
                          capture_output=True, text=True, check=True)
    return statistics.median(float(line) for line in done.stdout.split("\n")[:-2])


def oclgrind(build, cl, kind):
    start = time.perf_counter()
    subprocess.run(["oclgrind", "--data-races", build / "bench/lockstep_bench_opencl", ROOT / "bench/kernels" / cl,
                    kind, "1"], capture_output=True, check=True)
    return (time.perf_counter() - start) * 1e3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(f"{'kernel':18} {'race ms':>9} {'run ms':>9} {'race/run':>9} {'pocl ms':>9} {'race/pocl':>9}")
    for name, (wgsl, flags, cl, kind) in CHECKS.items():
        race, run, peer = [], [], []
        for _ in range(options.rounds):
            race.append(lockstep(options.build, "race", wgsl, flags))
            run.append(lockstep(options.build, "run", wgsl, flags))
            peer.append(pocl(options.build, cl, kind))
        of_run = statistics.median(a / b for a, b in zip(race, run))
        of_pocl = statistics.median(a / b for a, b in zip(race, peer))
        print(f"{name:18} {statistics.median(race):9.3f} {statistics.median(run):9.3f} {of_run:9.2f}"
              f" {statistics.median(peer):9.3f} {of_pocl:9.2f}", flush=True)
    if shutil.which("oclgrind") is None:
        return
    print(f"{'kernel':18} {'race ms':>9} {'oclgrind ms':>12} {'oclgrind/race':>14}")
    for name, (wgsl, flags, cl, kind) in SMALL.items():
        race, peer = [], []
        for _ in range(options.rounds):
            race.append(lockstep(options.build, "race", wgsl, flags))
            peer.append(oclgrind(options.build, cl, kind))
        ratio = statistics.median(b / a for a, b in zip(race, peer))
        print(f"{name:18} {statistics.median(race):9.3f} {statistics.median(peer):12.1f} {ratio:14.0f}", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env bash
# SPDX-FileCopyrightText: Lockstep authors
# SPDX-License-Identifier: Apache-2.0
#
# fuzz/run.sh BUILD [SECONDS [TARGET...]]: runs each target for SECONDS (60), seeded from the examples. The corpus grows in
# BUILD/corpus; what crashes is left in BUILD/findings with a line that runs it again.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
seconds=${2:-60}
shift $(( $# < 2 ? $# : 2 ))
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(front_end_fuzz engines_fuzz ir_text_fuzz description_fuzz)
for target in "${targets[@]}"; do
  corpus=$build/corpus/$target
  mkdir -p "$corpus" "$build/findings"
  cp -n examples/*.wgsl bench/kernels/*.wgsl "$corpus" 2>/dev/null || true
  echo "== $target for $seconds s"
  if ! "$build/fuzz/$target" -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 -max_len=8192 -dict=fuzz/wgsl.dict \
      -artifact_prefix="$build/findings/$target-" "$corpus" > "$build/$target.log" 2>&1; then
    tail -40 "$build/$target.log"
    echo "$target found something: run $build/fuzz/$target on the file in $build/findings named above" >&2
    exit 1
  fi
  tail -1 "$build/$target.log"
done

#!/usr/bin/env bash
# SPDX-FileCopyrightText: Lockstep authors
# SPDX-License-Identifier: Apache-2.0
#
# fuzz/run.sh BUILD [SECONDS [TARGET...]]: runs each target for SECONDS (60). Shaders grow from fuzz/seeds, the examples and
# the benchmarks, IR from the passes' golden files. The corpus grows in BUILD/corpus; what crashes is left in BUILD/findings
# with a line that runs it again.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
seconds=${2:-60}
shift $(( $# < 2 ? $# : 2 ))
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(front_end_fuzz engines_fuzz ir_text_fuzz description_fuzz)

seed_shaders() {
  cp -n fuzz/seeds/*.wgsl examples/*.wgsl bench/kernels/*.wgsl "$1"
}

# The halves of a golden file are a module each.
seed_ir() {
  local file
  for file in src/ir/transform/testdata/*/*.ir; do
    csplit -s -z -n 1 -f "$1/$(basename "$(dirname "$file")")-$(basename "$file")-" "$file" '/^\/\/ ====/' '{*}'
  done
}

# The first byte says what the rest is (description_fuzz.cc).
seed_descriptions() {
  local number=0 line
  while IFS= read -r line; do
    printf '\000%s' "$line" > "$1/line$((number += 1))"
  done < <(grep -h '^//' examples/*.wgsl | sed 's|^// *||' | sort -u)
  printf '\0011.5e-3' > "$1/number"
  printf '\002\223NUMPY\001\000v\000{"descr": "<f4", "fortran_order": False, "shape": (3, 4), }\n' > "$1/npy"
  printf '\0031,2,3,4\n5,6,7,8\n' > "$1/csv"
  printf '\004[[[1, 2.5, -3], 4], [[1e3, 0, 0], 7]]' > "$1/json"
  printf '\005%032d' 7 > "$1/bin"
}

for target in "${targets[@]}"; do
  corpus=$build/corpus/$target
  mkdir -p "$corpus" "$build/findings"
  limits=(-max_total_time="$seconds" -rss_limit_mb=4096 -malloc_limit_mb=1024 -timeout=60 -max_len=8192)
  case $target in
    front_end_fuzz) seed_shaders "$corpus"; limits+=(-dict=fuzz/wgsl.dict) ;;
    engines_fuzz)
      seed_shaders "$corpus"
      # Choices for random programs: a byte of 1, then anything.
      for number in $(seq 40); do
        { printf '\001'; for i in $(seq $((number / 2 + 1))); do printf '%s' "$number $i" | sha256sum | cut -c1-48 | tr -d '\n'; done; } \
          > "$corpus/choices$number"
      done
      limits+=(-dict=fuzz/wgsl.dict) ;;
    ir_text_fuzz) seed_ir "$corpus" ;;
    description_fuzz) seed_descriptions "$corpus" ;;
  esac
  echo "== $target for $seconds s"
  if ! "$build/fuzz/$target" "${limits[@]}" -artifact_prefix="$build/findings/$target-" "$corpus" \
      > "$build/$target.log" 2>&1; then
    tail -40 "$build/$target.log"
    echo "$target found something: run $build/fuzz/$target on the file in $build/findings named above" >&2
    exit 1
  fi
  grep -h 'cov: ' "$build/$target.log" | tail -1
  tail -1 "$build/$target.log"
done

#!/usr/bin/env bash
# SPDX-FileCopyrightText: Lockstep authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs the main job on the embedded CPU device: tools/demo.sh PROGRAM
set -euo pipefail
lockstep=$1
cd "$(dirname "$0")/.."
for example in price_rank_tiled price_rank_storage rating_histogram; do
  echo
  echo "\$ lockstep run examples/$example.wgsl"
  "$lockstep" run "examples/$example.wgsl"
done

#!/usr/bin/env bash
# SPDX-FileCopyrightText: Lockstep authors
# SPDX-License-Identifier: Apache-2.0
# make bench: what it needs beyond make build, then the table.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh bench
cmake --preset bench > /dev/null
cmake --build --preset bench -j 2
python3 bench/run.py "$1" "${@:2}"

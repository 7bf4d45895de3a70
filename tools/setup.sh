#!/usr/bin/env bash
# SPDX-FileCopyrightText: Lockstep authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs the Debian packages that Lockstep needs and that are missing. Does nothing, and needs no root, where all are there.
# With `node` also Node, where it is missing or too old, the fonts that pages draw with, and the npm packages of bindings.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  g++ cmake ninja-build ccache python3 git
  llvm-22-dev libtbb-dev libfmt-dev libcli11-dev nlohmann-json3-dev libpng-dev libunistring-dev
  libgtest-dev libgmock-dev
)
case "${1:-}" in
  bench) packages+=(libbenchmark-dev pocl-opencl-icd oclgrind ocl-icd-opencl-dev opencl-headers mesa-vulkan-drivers libvulkan-dev glslang-tools) ;;
  node)
    packages+=(fonts-dejavu-core)
    [ "$(node -p 'process.versions.node.split(".")[0] >= 18' 2>/dev/null)" = true ] || packages+=(nodejs)
    command -v npm >/dev/null || packages+=(npm)
    ;;
  fuzz) packages+=(clang libclang-rt-14-dev) ;;
esac

install_packages() {
  local missing=()
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  if [ ${#missing[@]} -eq 0 ]; then
    return
  fi

  echo "== installing: ${missing[*]}"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "these packages are missing and you are not root: run 'apt-get install ${missing[*]}' as root, then try again" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  export DEBIAN_FRONTEND=noninteractive
  local log
  log=$(mktemp)
  if ! { "${as_root[@]}" apt-get update -q && "${as_root[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -20 "$log" >&2
    echo "installing failed: check the lines above, then run 'apt-get install ${missing[*]}' and try again" >&2
    exit 1
  fi
  rm -f "$log"
}

# The npm packages that a folder's lock file names, where they are not there yet.
install_modules() {
  local folder=$1
  if [ ! "$folder/node_modules/.package-lock.json" -ot "$folder/package-lock.json" ]; then
    return
  fi
  echo "== installing the npm packages of $folder"
  if ! (cd "$folder" && npm ci --no-progress) >"$folder/npm.log" 2>&1; then
    tail -20 "$folder/npm.log" >&2
    echo "installing failed: check the lines above, then run 'npm ci' in $folder and try again" >&2
    exit 1
  fi
  rm -f "$folder/npm.log"
}

install_packages
if [ "${1:-}" = node ]; then
  install_modules bindings/node
  install_modules bindings/page
fi

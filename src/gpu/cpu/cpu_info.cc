// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/cpu_info.h"

#include <fstream>
#include <string_view>

namespace lockstep::gpu::cpu {
namespace {

std::string ValueOf(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return {};
  const size_t first = line.find_first_not_of(" \t", colon + 1);
  return first == std::string_view::npos ? std::string() : std::string(line.substr(first));
}

}  // namespace

CpuInfo GetCpuInfo() {
  CpuInfo info;
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while ((info.model.empty() || info.vendor.empty()) && std::getline(file, line)) {
    if (line.compare(0, 10, "model name") == 0) info.model = ValueOf(line);
    if (line.compare(0, 9, "vendor_id") == 0) info.vendor = ValueOf(line);
  }
  if (info.model.empty()) info.model = "CPU";
  if (info.vendor == "AuthenticAMD") info.vendor = "amd";
  if (info.vendor == "GenuineIntel") info.vendor = "intel";
#if defined(__x86_64__)
  info.vectors = "SSE";
  if (__builtin_cpu_supports("avx2")) {
    info.vectors = "AVX2";
    info.vector_lanes = 8;
  }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")) {
    info.vectors = "AVX-512";
    info.vector_lanes = 16;
  }
#elif defined(__aarch64__)
  if (info.vendor.empty()) info.vendor = "arm";
  info.vectors = "NEON";
#endif
  return info;
}

}  // namespace lockstep::gpu::cpu

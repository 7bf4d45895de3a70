// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/cpu_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "gpu/cpu/memory.h"
#include "ir/op.h"

namespace lockstep::gpu::cpu {
namespace {

// Kernels address buffers by 32-bit offsets.
constexpr uint64_t kMaxBinding = 0x7ffffffc;

struct CpuInfo {
  std::string model;    // "AMD EPYC"
  std::string vendor;   // "amd", "intel", "arm", or as the system says
  std::string vectors;  // "AVX2"
};

std::string ValueOf(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return {};
  const size_t first = line.find_first_not_of(" \t", colon + 1);
  return first == std::string_view::npos ? std::string() : std::string(line.substr(first));
}

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
  }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")) {
    info.vectors = "AVX-512";
  }
#elif defined(__aarch64__)
  if (info.vendor.empty()) info.vendor = "arm";
  info.vectors = "NEON";
#endif
  return info;
}

// Of WebGPU's guarantees (#adapter-capability-guarantees) the tests hold them all against this.
hal::Limits MakeLimits() {
  hal::Limits limits;
  limits.max_texture_dimension_1d = 16384;
  limits.max_texture_dimension_2d = 16384;
  limits.max_texture_array_layers = 2048;
  limits.max_bind_groups = 8;
  limits.max_dynamic_uniform_buffers_per_pipeline_layout = 64;
  limits.max_dynamic_storage_buffers_per_pipeline_layout = 64;
  limits.max_sampled_textures_per_shader_stage = 64;
  limits.max_samplers_per_shader_stage = 64;
  limits.max_storage_buffers_per_shader_stage = 64;
  limits.max_storage_buffers_in_vertex_stage = 64;
  limits.max_storage_buffers_in_fragment_stage = 64;
  limits.max_storage_textures_per_shader_stage = 64;
  limits.max_storage_textures_in_vertex_stage = 64;
  limits.max_storage_textures_in_fragment_stage = 64;
  limits.max_uniform_buffers_per_shader_stage = 64;
  limits.max_buffer_size = std::max<uint64_t>(UsableMemory() / 8 * 4, limits.max_buffer_size);
  limits.max_uniform_buffer_binding_size = std::min(kMaxBinding, limits.max_buffer_size);
  limits.max_storage_buffer_binding_size = limits.max_uniform_buffer_binding_size;
  limits.min_uniform_buffer_offset_alignment = 32;
  limits.min_storage_buffer_offset_alignment = 32;
  limits.max_compute_workgroup_storage_size = 1 << 20;
  limits.max_compute_invocations_per_workgroup = 1024;
  limits.max_compute_workgroup_size_x = 1024;
  limits.max_compute_workgroup_size_y = 1024;
  limits.max_compute_workgroup_size_z = 1024;
  return limits;
}

}  // namespace

std::string Identifier(std::string_view name) {
  std::string identifier;
  bool apart = false;  // something that may not stand in it comes between
  for (const char c : name) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if ((lower < 'a' || lower > 'z') && (lower < '0' || lower > '9')) {
      apart = true;
      continue;
    }
    if (apart && !identifier.empty()) identifier += '-';
    apart = false;
    identifier += lower;
  }
  return identifier;
}

hal::AdapterInfo MakeAdapterInfo(uint32_t threads) {
  const CpuInfo cpu = GetCpuInfo();
  hal::AdapterInfo info;
  info.kind = hal::DeviceKind::kCpu;
  info.name = fmt::format("{}, {} thread{}, {}", cpu.model, threads, threads == 1 ? "" : "s", cpu.vectors);
  info.vendor = Identifier(cpu.vendor);
  info.architecture = Identifier(cpu.vectors);
  info.device = Identifier(cpu.model);
  info.description = "Lockstep's engine for the CPU";
  info.fallback = true;
  info.features = {"core-features-and-limits", "timestamp-query",         "depth-clip-control",
                   "float32-blendable",        "indirect-first-instance", "rg11b10ufloat-renderable",
                   "texture-formats-tier1",    "dual-source-blending",    "clip-distances"};
  info.limits = MakeLimits();
  return info;
}

}  // namespace lockstep::gpu::cpu

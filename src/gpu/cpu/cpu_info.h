// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What this machine calls itself and what its vectors are.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::gpu::cpu {

struct CpuInfo {
  std::string model;          // "AMD EPYC"
  std::string vendor;         // "amd", "intel", "arm", or as the system says
  std::string vectors;        // "AVX2"
  uint32_t vector_lanes = 4;  // of 32 bits
};
CpuInfo GetCpuInfo();

}  // namespace lockstep::gpu::cpu

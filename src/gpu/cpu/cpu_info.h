// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What this machine calls itself, and what its device can do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gpu/hal/device.h"

namespace lockstep::gpu::cpu {

// `threads`: as many as dispatches use.
hal::AdapterInfo MakeAdapterInfo(uint32_t threads);

// WebGPU: #normalized-identifier-string, "amd-epyc-7763" for "AMD EPYC(tm) 7763".
std::string Identifier(std::string_view name);

}  // namespace lockstep::gpu::cpu

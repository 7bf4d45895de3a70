// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Limits by name: what GPUSupportedLimits shows and what requestDevice asks for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gpu/hal/device.h"

namespace lockstep::gpu::core {

enum class LimitClass : uint8_t { kMaximum, kAlignment };

struct LimitInfo {
  std::string_view name;  // "maxBufferSize"
  LimitClass limit_class;
  uint64_t (*get)(const hal::Limits&);
  void (*set)(hal::Limits&, uint64_t);
};
std::span<const LimitInfo> AllLimits();

using RequiredLimits = std::map<std::string, uint64_t>;

// What a device gets that asks for `required` of an adapter that can do `supported`: WebGPU's defaults, made
// better where asked (#gpuadapter). Otherwise `error` says why not, with both numbers.
std::optional<hal::Limits> ResolveLimits(const RequiredLimits& required, const hal::Limits& supported,
                                         std::string& error);

}  // namespace lockstep::gpu::core

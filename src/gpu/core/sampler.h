// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUSampler (#samplers).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gpu/core/enums.h"
#include "gpu/core/object.h"

namespace lockstep::gpu::core {

struct SamplerDescriptor {
  std::string label;
  AddressMode address_mode_u = AddressMode::kClampToEdge;
  AddressMode address_mode_v = AddressMode::kClampToEdge;
  AddressMode address_mode_w = AddressMode::kClampToEdge;
  FilterMode mag_filter = FilterMode::kNearest;
  FilterMode min_filter = FilterMode::kNearest;
  MipmapFilterMode mipmap_filter = MipmapFilterMode::kNearest;
  float lod_min_clamp = 0, lod_max_clamp = 32;
  std::optional<CompareFunction> compare;
  uint16_t max_anisotropy = 1;
};

class Sampler : public Object {
 public:
  Sampler(std::shared_ptr<Device> device, const SamplerDescriptor& descriptor)
      : Object(std::move(device), descriptor.label), descriptor_(descriptor) {}

  const SamplerDescriptor& descriptor() const { return descriptor_; }
  bool comparison() const { return descriptor_.compare.has_value(); }
  bool filtering() const;

 private:
  SamplerDescriptor descriptor_;
};

}  // namespace lockstep::gpu::core

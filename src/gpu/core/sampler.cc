// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/sampler.h"

#include <fmt/format.h>

#include "gpu/core/device.h"

namespace lockstep::gpu::core {
namespace {

std::optional<Error> Validate(const SamplerDescriptor& d) {
  const std::string name = Named("sampler", d.label);
  if (!(d.lod_min_clamp >= 0))
    return ValidationError(fmt::format("{} has lodMinClamp {}, which is below 0", name, d.lod_min_clamp));
  if (!(d.lod_max_clamp >= d.lod_min_clamp)) {
    return ValidationError(fmt::format("{} has lodMaxClamp {}, which is below its lodMinClamp {}", name,
                                       d.lod_max_clamp, d.lod_min_clamp));
  }
  if (d.max_anisotropy < 1)
    return ValidationError(fmt::format("{} has maxAnisotropy 0, which is below 1", name));
  const bool linear = d.mag_filter == FilterMode::kLinear && d.min_filter == FilterMode::kLinear &&
                      d.mipmap_filter == MipmapFilterMode::kLinear;
  if (d.max_anisotropy > 1 && !linear) {
    return ValidationError(fmt::format(
        "{} has maxAnisotropy {}: magFilter, minFilter and mipmapFilter must be linear then (they "
        "are {}, {} and {})",
        name, d.max_anisotropy, EnumName(d.mag_filter), EnumName(d.min_filter), EnumName(d.mipmap_filter)));
  }
  return std::nullopt;
}

}  // namespace

bool Sampler::filtering() const {
  return descriptor_.min_filter == FilterMode::kLinear || descriptor_.mag_filter == FilterMode::kLinear ||
         descriptor_.mipmap_filter == MipmapFilterMode::kLinear;
}

std::shared_ptr<Sampler> Device::CreateSampler(const SamplerDescriptor& descriptor) {
  auto sampler = std::make_shared<Sampler>(shared_from_this(), descriptor);
  if (const std::optional<Error> error = Validate(descriptor)) {
    Report(*error);
    sampler->Invalidate();
  }
  return sampler;
}

}  // namespace lockstep::gpu::core

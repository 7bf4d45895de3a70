// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/bind_group.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/core/device.h"

namespace lockstep::gpu::core {
namespace {

// One binding against its slot; every message names the buffer by its label.
std::optional<Error> ValidateBuffer(const Device& device, const BufferBinding& bound,
                                    const BufferBindingLayout& layout, const std::string& place) {
  if (!bound.buffer || !bound.buffer->ValidToUseWith(device)) {
    return ValidationError(
        fmt::format("{} is given a buffer that is missing, invalid or of another device", place));
  }
  const hal::Limits& limits = device.limits();
  const std::string name = Named("buffer", *bound.buffer);
  const bool uniform = layout.type == BufferBindingType::kUniform;
  const uint64_t size = bound.EffectiveSize();
  const uint32_t usage = uniform ? buffer_usage::kUniform : buffer_usage::kStorage;
  if (!bound.buffer->Has(usage)) {
    return ValidationError(fmt::format("{} needs the usage {}, which {} lacks (it has {})", place,
                                       BufferUsageNames(usage), name,
                                       BufferUsageNames(bound.buffer->usage())));
  }
  const uint32_t alignment =
      uniform ? limits.min_uniform_buffer_offset_alignment : limits.min_storage_buffer_offset_alignment;
  if (bound.offset % alignment != 0) {
    return ValidationError(fmt::format("{} begins at byte {} of {}, which is not a multiple of {}", place,
                                       bound.offset, name, alignment));
  }
  if (bound.offset > bound.buffer->size() || size > bound.buffer->size() - bound.offset) {
    return ValidationError(fmt::format("{} spans {} bytes from {} of {}, which has {}", place, size,
                                       bound.offset, name, bound.buffer->size()));
  }
  if (size == 0) return ValidationError(fmt::format("{} is given an empty range of {}", place, name));
  if (size < layout.min_binding_size) {
    return ValidationError(fmt::format("{} needs {} bytes at least and is given {} of {}", place,
                                       layout.min_binding_size, size, name));
  }
  const uint64_t limit =
      uniform ? limits.max_uniform_buffer_binding_size : limits.max_storage_buffer_binding_size;
  if (size > limit) {
    return ValidationError(
        fmt::format("{} is given {} bytes of {}, which exceeds the limit {} of {}", place, size, name,
                    uniform ? "maxUniformBufferBindingSize" : "maxStorageBufferBindingSize", limit));
  }
  if (!uniform && size % 4 != 0) {
    return ValidationError(
        fmt::format("{} is given {} bytes of {}, which is not a multiple of 4", place, size, name));
  }
  return std::nullopt;
}

std::optional<Error> Validate(const Device& device, const BindGroupDescriptor& descriptor,
                              const std::vector<BindGroupEntry>& sorted) {
  const std::string name = Named("bind group", descriptor.label);
  if (!descriptor.layout || !descriptor.layout->ValidToUseWith(device)) {
    return ValidationError(fmt::format("the layout of {} is invalid or of another device", name));
  }
  const BindGroupLayout& layout = *descriptor.layout;
  if (sorted.size() != layout.entries().size()) {
    return ValidationError(
        fmt::format("{} has {} entries and its layout {}", name, sorted.size(), layout.entries().size()));
  }
  for (size_t i = 0; i < sorted.size(); ++i) {
    const std::string place = fmt::format("binding {} of {}", sorted[i].binding, name);
    if (i > 0 && sorted[i].binding == sorted[i - 1].binding)
      return ValidationError(fmt::format("{} is given twice", place));
    const BindGroupLayoutEntry* slot = layout.Find(sorted[i].binding);
    if (slot == nullptr) return ValidationError(fmt::format("{} is not in its layout", place));
    std::optional<Error> error = ValidateBuffer(device, std::get<BufferBinding>(sorted[i].resource),
                                                std::get<BufferBindingLayout>(slot->resource), place);
    if (error) return error;
  }
  return std::nullopt;
}

}  // namespace

uint64_t BufferBinding::EffectiveSize() const {
  if (size) return *size;
  return buffer && buffer->size() > offset ? buffer->size() - offset : 0;
}

BindGroup::BindGroup(std::shared_ptr<Device> device, std::string label,
                     std::shared_ptr<BindGroupLayout> layout, std::vector<BindGroupEntry> entries)
    : Object(std::move(device), std::move(label)), layout_(std::move(layout)), entries_(std::move(entries)) {}

std::shared_ptr<BindGroup> Device::CreateBindGroup(const BindGroupDescriptor& descriptor) {
  std::vector<BindGroupEntry> sorted = descriptor.entries;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.binding < b.binding; });
  const std::optional<Error> error = Validate(*this, descriptor, sorted);
  auto group =
      std::make_shared<BindGroup>(shared_from_this(), descriptor.label, descriptor.layout, std::move(sorted));
  if (error) {
    Report(*error);
    group->Invalidate();
  }
  return group;
}

}  // namespace lockstep::gpu::core

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/render_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/core/device.h"

namespace lockstep::gpu::core {
namespace {

using Formats = std::vector<std::optional<TextureFormat>>;

Formats WithoutTrailingNulls(Formats formats) {
  while (!formats.empty() && !formats.back()) formats.pop_back();
  return formats;
}

}  // namespace

bool RenderPassLayout::empty() const {
  return !depth_stencil_format && WithoutTrailingNulls(color_formats).empty();
}

bool RenderPassLayout::Equals(const RenderPassLayout& other) const {
  return depth_stencil_format == other.depth_stencil_format && sample_count == other.sample_count &&
         WithoutTrailingNulls(color_formats) == WithoutTrailingNulls(other.color_formats);
}

std::string RenderPassLayout::Text() const {
  std::string text;
  for (const std::optional<TextureFormat>& format : WithoutTrailingNulls(color_formats))
    text += fmt::format("{}{}", text.empty() ? "" : ", ", format ? EnumName(*format) : "none");
  if (text.empty()) text = "no color";
  text += fmt::format("; {}", depth_stencil_format ? EnumName(*depth_stencil_format) : "no depth or stencil");
  return text + fmt::format("; {} sample{}", sample_count, sample_count == 1 ? "" : "s");
}

Complaint CheckColorBytes(const Device& device, const Formats& formats) {
  uint32_t total = 0;
  for (const std::optional<TextureFormat>& format : formats) {
    if (!format) continue;
    const hal::TextureFormatInfo& info = hal::FormatInfo(*format);
    total = (total + info.render_alignment - 1) / info.render_alignment * info.render_alignment;
    total += info.render_bytes;
  }
  const uint32_t limit = device.limits().max_color_attachment_bytes_per_sample;
  if (total <= limit) return std::nullopt;
  return fmt::format(
      "its color attachments take {} bytes a sample, which exceeds the limit "
      "maxColorAttachmentBytesPerSample "
      "of {}",
      total, limit);
}

}  // namespace lockstep::gpu::core

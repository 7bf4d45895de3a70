// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/render_bundle.h"

#include <fmt/format.h>

#include <utility>

#include "gpu/core/device.h"
#include "gpu/core/texture.h"

namespace lockstep::gpu::core {
namespace {

Complaint CheckLayout(const Device& device, const RenderPassLayout& layout) {
  const uint32_t limit = device.limits().max_color_attachments;
  if (layout.color_formats.size() > limit) {
    return fmt::format("it has {} color formats, which exceeds the limit maxColorAttachments of {}",
                       layout.color_formats.size(), limit);
  }
  for (size_t i = 0; i < layout.color_formats.size(); ++i) {
    const std::optional<TextureFormat>& format = layout.color_formats[i];
    if (!format) continue;
    if (const Complaint missing = MissingFeature(device, *format)) return missing;
    const hal::TextureFormatInfo& info = hal::FormatInfo(*format);
    if (info.depth_or_stencil() || !device.Supports(info.render))
      return fmt::format("color format {} is {}, which no color attachment can have", i, EnumName(*format));
  }
  if (layout.depth_stencil_format) {
    if (const Complaint missing = MissingFeature(device, *layout.depth_stencil_format)) return missing;
    if (!hal::FormatInfo(*layout.depth_stencil_format).depth_or_stencil())
      return fmt::format("its depthStencilFormat is {}, which has neither depth nor stencil",
                         EnumName(*layout.depth_stencil_format));
  }
  if (layout.empty()) return "it has neither a color format nor a depthStencilFormat";
  return CheckColorBytes(device, layout.color_formats);
}

}  // namespace

RenderBundleEncoder::RenderBundleEncoder(std::shared_ptr<Device> device,
                                         const RenderBundleEncoderDescriptor& descriptor)
    : RenderCommands(std::move(device), descriptor.label) {
  set_targets({descriptor.layout, descriptor.depth_read_only, descriptor.stencil_read_only});
}

bool RenderBundleEncoder::CheckOpen(std::string_view call) {
  if (finished_) {
    device().Report(ValidationError(fmt::format("{}: the encoder is finished", Where(call))));
    return false;
  }
  return valid();
}

void RenderBundleEncoder::Fail(std::string message) {
  if (!error_) error_ = std::move(message) + InDebugGroup();
}

void RenderBundleEncoder::Use(const std::shared_ptr<Resource>& resource) {
  if (known_.insert(resource.get()).second) used_.push_back(resource);
}

std::shared_ptr<RenderBundle> RenderBundleEncoder::Finish(const std::string& label) {
  std::optional<std::string> error = error_;
  if (!valid()) error = CheckUsable(kind(), this, device());
  if (finished_) error = "the encoder is finished";
  if (!error) error = CheckPopped();
  if (!error) error = usage_.Check();
  if (!error_ && error) error = fmt::format("{}: {}", Where("finish"), *error);
  finished_ = true;
  auto bundle = std::make_shared<RenderBundle>(
      shared_device(), label,
      RenderBundleContents{targets(), std::move(usage_), std::move(used_), std::move(draws_)});
  if (error) {
    device().Report(ValidationError(*error));
    bundle->Invalidate("its encoding failed");
  }
  return bundle;
}

std::shared_ptr<RenderBundleEncoder> Device::CreateRenderBundleEncoder(
    const RenderBundleEncoderDescriptor& descriptor) {
  auto encoder = std::make_shared<RenderBundleEncoder>(shared_from_this(), descriptor);
  if (lost_) encoder->Invalidate();
  if (const Complaint complaint = CheckLayout(*this, descriptor.layout)) {
    Report(
        ValidationError(fmt::format("{}: {}", Named("render bundle encoder", descriptor.label), *complaint)));
    encoder->Invalidate();
  }
  return encoder;
}

}  // namespace lockstep::gpu::core

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "gpu/core/device.h"
#include "gpu/core/texture.h"

namespace lockstep::gpu::core {
namespace {

using hal::Aspect;

// The format of a view of these aspects (WebGPU: #abstract-opdef-resolving-gputextureaspect). None: the
// texture lacks the aspect.
std::optional<TextureFormat> ResolveAspect(TextureFormat format, TextureAspect aspects) {
  if (aspects == TextureAspect::kAll) return format;
  const Aspect aspect = aspects == TextureAspect::kDepthOnly ? Aspect::kDepth : Aspect::kStencil;
  const hal::TextureFormatInfo& info = hal::FormatInfo(format);
  if (!info.Has(aspect)) return std::nullopt;
  return info[aspect].format;
}

TextureViewDimension DefaultDimension(const Texture& texture) {
  switch (texture.dimension()) {
    case TextureDimension::k1d:
      return TextureViewDimension::k1d;
    case TextureDimension::k2d:
      return texture.array_layer_count() == 1 ? TextureViewDimension::k2d : TextureViewDimension::k2dArray;
    case TextureDimension::k3d:
      return TextureViewDimension::k3d;
  }
  UNREACHABLE("texture dimension");
}

// What a view of a dimension is of: the texture's dimension, and how many layers.
struct ViewRule {
  TextureDimension texture;
  uint32_t layers;  // 0: any
  bool multiple;    // of `layers`
  bool square;
};
ViewRule RuleOf(TextureViewDimension dimension) {
  switch (dimension) {
    case TextureViewDimension::k1d:
      return {TextureDimension::k1d, 1, false, false};
    case TextureViewDimension::k2d:
      return {TextureDimension::k2d, 1, false, false};
    case TextureViewDimension::k2dArray:
      return {TextureDimension::k2d, 0, false, false};
    case TextureViewDimension::kCube:
      return {TextureDimension::k2d, 6, false, true};
    case TextureViewDimension::kCubeArray:
      return {TextureDimension::k2d, 6, true, true};
    case TextureViewDimension::k3d:
      return {TextureDimension::k3d, 1, false, false};
  }
  UNREACHABLE("view dimension");
}

uint32_t Rest(uint32_t all, uint32_t first) { return all > first ? all - first : 0; }

// WebGPU: #abstract-opdef-resolving-gputextureviewdescriptor-defaults.
TextureViewDescriptor Resolve(const Texture& texture, const TextureViewDescriptor& descriptor) {
  TextureViewDescriptor d = descriptor;
  if (!d.format) d.format = ResolveAspect(texture.format(), d.aspect).value_or(texture.format());
  if (!d.mip_level_count) d.mip_level_count = Rest(texture.descriptor().mip_level_count, d.base_mip_level);
  if (!d.dimension) d.dimension = DefaultDimension(texture);
  if (!d.array_layer_count) {
    const ViewRule rule = RuleOf(*d.dimension);
    const bool rest = rule.layers == 0 || rule.multiple;
    d.array_layer_count = rest ? Rest(texture.array_layer_count(), d.base_array_layer) : rule.layers;
  }
  if (d.usage == 0) d.usage = texture.descriptor().usage;
  return d;
}

Complaint CheckFormat(const Texture& texture, const TextureViewDescriptor& d) {
  const std::string_view name = EnumName(texture.format());
  if (Complaint missing = MissingFeature(texture.device(), *d.format))
    return "has a format that is not there: " + *missing;
  const std::optional<TextureFormat> wanted = ResolveAspect(texture.format(), d.aspect);
  if (!wanted) return fmt::format("is of the aspect {}, which {} lacks", EnumName(d.aspect), name);
  if (d.format == wanted) return std::nullopt;
  if (d.aspect != TextureAspect::kAll)
    return fmt::format("is of the aspect {} of {} and has the format {}: it must be {}", EnumName(d.aspect),
                       name, EnumName(*d.format), EnumName(*wanted));
  const std::vector<TextureFormat>& others = texture.descriptor().view_formats;
  if (std::find(others.begin(), others.end(), *d.format) != others.end()) return std::nullopt;
  return fmt::format("has the format {}, which is neither the texture's ({}) nor one of its viewFormats",
                     EnumName(*d.format), name);
}

Complaint CheckViewUsage(const Texture& texture, const TextureViewDescriptor& d) {
  const uint32_t usage = texture.descriptor().usage;
  if ((d.usage & ~usage) != 0)
    return fmt::format("has usage {}, which the texture lacks (it has {})", TextureUsageNames(d.usage),
                       TextureUsageNames(usage));
  if (texture.Has(texture_usage::kTransientAttachment) && d.usage != usage)
    return fmt::format("has usage {}: of a TRANSIENT_ATTACHMENT it must be the texture's, {}",
                       TextureUsageNames(d.usage), TextureUsageNames(usage));
  return CheckFormatOfUsage(texture.device(), *d.format, d.usage);
}

Complaint CheckSwizzle(const Device& device, const std::string& swizzle) {
  if (!IsSwizzle(swizzle)) return fmt::format("has the swizzle '{}', which is not four of rgba01", swizzle);
  if (swizzle == "rgba" || device.HasFeature("texture-component-swizzle")) return std::nullopt;
  return fmt::format("has the swizzle {}, which needs the feature texture-component-swizzle", swizzle);
}

// Of mip levels, of layers.
Complaint CheckRange(std::string_view what, uint32_t first, uint32_t count, uint32_t all) {
  if (count == 0) return fmt::format("has no {} (from {} of {})", what, first, all);
  if (uint64_t{first} + count <= all) return std::nullopt;
  return fmt::format("has {} {} from {}, and the texture {}", count, what, first, all);
}

Complaint CheckDimension(const Texture& texture, const TextureViewDescriptor& d) {
  const std::string_view name = EnumName(*d.dimension);
  const ViewRule rule = RuleOf(*d.dimension);
  const Extent3D& size = texture.descriptor().size;
  const uint32_t layers = *d.array_layer_count;
  if (texture.descriptor().sample_count > 1 && d.dimension != TextureViewDimension::k2d)
    return fmt::format("is {} of a multisampled texture: it must be 2d", name);
  if (texture.dimension() != rule.texture)
    return fmt::format("is {} of a texture that is {}", name, EnumName(texture.dimension()));
  if (rule.multiple && layers % rule.layers != 0)
    return fmt::format("is {} and has {} layers: it must be a multiple of {}", name, layers, rule.layers);
  if (!rule.multiple && rule.layers != 0 && layers != rule.layers)
    return fmt::format("is {} and has {} layers: it must have {}", name, layers, rule.layers);
  if (rule.square && size.width != size.height)
    return fmt::format("is {} of a texture of {} x {} texels: it must be square", name, size.width,
                       size.height);
  return std::nullopt;
}

std::optional<Error> Validate(const Texture& texture, const TextureViewDescriptor& d) {
  if (const Complaint unusable = CheckUsable("texture", &texture, texture.device()))
    return ValidationError(fmt::format("{}: {}", Named("view", d.label), *unusable));
  Complaint complaint = CheckFormat(texture, d);
  if (!complaint) complaint = CheckSwizzle(texture.device(), d.swizzle);
  if (!complaint) complaint = CheckViewUsage(texture, d);
  if (!complaint)
    complaint =
        CheckRange("mip levels", d.base_mip_level, *d.mip_level_count, texture.descriptor().mip_level_count);
  if (!complaint)
    complaint = CheckRange("layers", d.base_array_layer, *d.array_layer_count, texture.array_layer_count());
  if (!complaint) complaint = CheckDimension(texture, d);
  if (!complaint) return std::nullopt;
  return ValidationError(
      fmt::format("{} of {} {}", Named("view", d.label), Named("texture", texture), *complaint));
}

}  // namespace

bool IsSwizzle(std::string_view text) {
  return text.size() == 4 && text.find_first_not_of("rgba01") == std::string_view::npos;
}

bool Includes(TextureAspect aspects, Aspect aspect) {
  switch (aspects) {
    case TextureAspect::kAll:
      return true;
    case TextureAspect::kDepthOnly:
      return aspect == Aspect::kDepth;
    case TextureAspect::kStencilOnly:
      return aspect == Aspect::kStencil;
  }
  UNREACHABLE("aspect");
}

TextureView::TextureView(std::shared_ptr<Texture> texture, const TextureViewDescriptor& descriptor)
    : Object(texture->shared_device(), descriptor.label),
      texture_(std::move(texture)),
      descriptor_(descriptor) {}

bool TextureView::Sees(Aspect aspect) const {
  return texture_->format_info().Has(aspect) && Includes(descriptor_.aspect, aspect);
}

Aspect TextureView::SeenAspect() const {
  return *std::find_if(hal::kAspects.begin(), hal::kAspects.end(),
                       [&](Aspect aspect) { return Sees(aspect); });
}

abi::Swizzle TextureView::Swizzle() const {
  static constexpr std::string_view kLetters = "rgba01";  // by abi::Channel
  abi::Swizzle swizzle{};
  for (size_t i = 0; i < swizzle.size(); ++i)
    swizzle[i] = static_cast<abi::Channel>(kLetters.find(descriptor_.swizzle[i]));
  return swizzle;
}

bool TextureView::Aliases(const TextureView& other) const {
  return std::any_of(hal::kAspects.begin(), hal::kAspects.end(),
                     [&](Aspect aspect) { return Overlaps(other, aspect); });
}

bool TextureView::Overlaps(const TextureView& other, Aspect aspect) const {
  const auto overlap = [](uint32_t a, uint32_t a_count, uint32_t b, uint32_t b_count) {
    return a < uint64_t{b} + b_count && b < uint64_t{a} + a_count;
  };
  const TextureViewDescriptor &a = descriptor_, &b = other.descriptor_;
  return texture_ == other.texture_ && Sees(aspect) && other.Sees(aspect) &&
         overlap(a.base_mip_level, *a.mip_level_count, b.base_mip_level, *b.mip_level_count) &&
         overlap(a.base_array_layer, *a.array_layer_count, b.base_array_layer, *b.array_layer_count);
}

Extent3D TextureView::RenderExtent() const {
  Extent3D extent =
      hal::LogicalMipExtent(texture_->dimension(), texture_->descriptor().size, descriptor_.base_mip_level);
  extent.depth_or_array_layers = 1;
  return extent;
}

std::shared_ptr<TextureView> Texture::CreateView(const TextureViewDescriptor& descriptor) {
  const TextureViewDescriptor resolved = Resolve(*this, descriptor);
  auto view = std::make_shared<TextureView>(shared_from_this(), resolved);
  if (const std::optional<Error> error = Validate(*this, resolved)) {
    device().Report(*error);
    view->Invalidate();
  }
  return view;
}

}  // namespace lockstep::gpu::core

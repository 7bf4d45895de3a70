// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/attachments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "gpu/core/device.h"

namespace lockstep::gpu::core {
namespace {

// WebGPU: #abstract-opdef-get-as-texture-view.
Complaint ResolveView(const Device& device, const AttachmentView& given, std::shared_ptr<TextureView>& view) {
  if (const auto* texture = std::get_if<std::shared_ptr<Texture>>(&given)) {
    if (Complaint complaint = CheckUsable("texture", *texture, device)) return complaint;
    view = (*texture)->CreateView();
  } else {
    view = std::get<std::shared_ptr<TextureView>>(given);
  }
  return CheckUsable("view", view, device);
}

std::string NameOf(const TextureView& view) {
  return fmt::format("a view of {}", Named("texture", *view.texture()));
}

// WebGPU: #abstract-opdef-renderable-texture-view.
Complaint CheckRenderable(const TextureView& view) {
  const TextureViewDescriptor& d = view.descriptor();
  if (!view.Has(texture_usage::kRenderAttachment))
    return fmt::format("lacks the usage RENDER_ATTACHMENT (it has {})", TextureUsageNames(d.usage));
  const TextureViewDimension dimension = view.dimension();
  if (dimension != TextureViewDimension::k2d && dimension != TextureViewDimension::k2dArray &&
      dimension != TextureViewDimension::k3d)
    return fmt::format("is {}: it must be 2d, 2d-array or 3d", EnumName(dimension));
  if (*d.mip_level_count != 1) return fmt::format("has {} mip levels: it must have 1", *d.mip_level_count);
  if (*d.array_layer_count != 1) return fmt::format("has {} layers: it must have 1", *d.array_layer_count);
  const hal::TextureFormatInfo& format = view.texture()->format_info();
  const bool all = std::all_of(hal::kAspects.begin(), hal::kAspects.end(),
                               [&](hal::Aspect aspect) { return !format.Has(aspect) || view.Sees(aspect); });
  if (!all) return fmt::format("is of the aspect {}: it must be of all", EnumName(d.aspect));
  if (d.swizzle != "rgba") return fmt::format("has the swizzle {}: it must have rgba", d.swizzle);
  return std::nullopt;
}

Complaint CheckDepthSlice(const TextureView& view, const std::optional<uint32_t>& slice) {
  if (view.dimension() != TextureViewDimension::k3d) {
    if (!slice) return std::nullopt;
    return fmt::format("is {} and given a depthSlice, which is for 3d", EnumName(view.dimension()));
  }
  if (!slice) return "is 3d and not given a depthSlice";
  const Extent3D extent = hal::LogicalMipExtent(
      view.texture()->dimension(), view.texture()->descriptor().size, view.descriptor().base_mip_level);
  if (*slice < extent.depth_or_array_layers) return std::nullopt;
  return fmt::format("is given the depthSlice {} and has {}", *slice, extent.depth_or_array_layers);
}

// WebGPU: #abstract-opdef-to-a-texel-value-of-texture-format.
Complaint CheckClearValue(TextureFormat format, const abi::Color& value) {
  const TextureSampleType type = hal::FormatInfo(format)[hal::Aspect::kColor].sample_type;
  double least = -double{std::numeric_limits<float>::max()}, most = std::numeric_limits<float>::max();
  std::string_view name = "f32";
  if (type == TextureSampleType::kSint) {
    least = std::numeric_limits<int32_t>::min();
    most = std::numeric_limits<int32_t>::max();
    name = "i32";
  } else if (type == TextureSampleType::kUint) {
    least = 0;
    most = std::numeric_limits<uint32_t>::max();
    name = "u32";
  }
  for (const double component : value) {
    const double converted = name == "f32" ? component : std::trunc(component);
    if (converted >= least && converted <= most) continue;
    return fmt::format("is cleared to {}, which is no {}", component, name);
  }
  return std::nullopt;
}

Complaint CheckResolve(const Device& device, const Attachments::Color& color) {
  const TextureView &view = *color.view, &resolve = *color.resolve;
  if (view.texture()->descriptor().sample_count == 1)
    return fmt::format("is of {}, which has 1 sample: only several are resolved", NameOf(view));
  if (const uint32_t samples = resolve.texture()->descriptor().sample_count; samples != 1)
    return fmt::format("has {} samples: it must have 1", samples);
  if (Complaint complaint = CheckRenderable(resolve)) return complaint;
  if (resolve.dimension() == TextureViewDimension::k3d) return "is 3d: it must be 2d";
  const Extent3D size = resolve.RenderExtent(), wanted = view.RenderExtent();
  if (size.width != wanted.width || size.height != wanted.height) {
    return fmt::format("is {} x {} and the attachment {} x {}", size.width, size.height, wanted.width,
                       wanted.height);
  }
  if (resolve.format() != view.format() || resolve.texture()->format() != view.texture()->format()) {
    return fmt::format("has the format {} (its texture {}) and the attachment {} (its texture {})",
                       EnumName(resolve.format()), EnumName(resolve.texture()->format()),
                       EnumName(view.format()), EnumName(view.texture()->format()));
  }
  if (!device.Supports(hal::FormatInfo(resolve.format()).resolve))
    return fmt::format("has the format {}, which cannot be resolved", EnumName(resolve.format()));
  if (resolve.Has(texture_usage::kTransientAttachment)) return "has the usage TRANSIENT_ATTACHMENT";
  return std::nullopt;
}

// WebGPU: #abstract-opdef-gpurenderpasscolorattachment-valid-usage, without the resolve target.
Complaint CheckColor(const Attachments::Color& color, const std::optional<uint32_t>& slice) {
  const TextureView& view = *color.view;
  if (Complaint complaint = CheckRenderable(view)) return complaint;
  if (hal::FormatInfo(view.format()).depth_or_stencil())
    return fmt::format("has the format {}, which is no color", EnumName(view.format()));
  if (Complaint complaint = CheckDepthSlice(view, slice)) return complaint;
  if (view.Has(texture_usage::kTransientAttachment) &&
      (color.load_op != LoadOp::kClear || color.store_op != StoreOp::kDiscard))
    return "has the usage TRANSIENT_ATTACHMENT: its loadOp must be clear and its storeOp discard";
  return color.load_op == LoadOp::kClear ? CheckClearValue(view.format(), color.clear_value) : std::nullopt;
}

// One aspect of a depth-stencil attachment.
struct AspectOps {
  std::string_view name;  // "depth"
  bool is_there, read_only;
  const std::optional<LoadOp>& load;
  const std::optional<StoreOp>& store;
};

Complaint CheckOps(const AspectOps& ops, bool transient) {
  const bool wanted = ops.is_there && !ops.read_only;
  if (wanted && (!ops.load || !ops.store))
    return fmt::format("is given no {0}{1}, which writable {0} needs", ops.name,
                       ops.load ? "StoreOp" : "LoadOp");
  if (!wanted && (ops.load || ops.store)) {
    return fmt::format("is given a {}{}, and its {} {}", ops.name, ops.load ? "LoadOp" : "StoreOp", ops.name,
                       ops.is_there ? "is read-only" : "is not there");
  }
  if (transient && ops.is_there && (ops.load != LoadOp::kClear || ops.store != StoreOp::kDiscard)) {
    return fmt::format(
        "has the usage TRANSIENT_ATTACHMENT: its {0}LoadOp must be clear and its {0}StoreOp discard",
        ops.name);
  }
  return std::nullopt;
}

// WebGPU: #abstract-opdef-gpurenderpassdepthstencilattachment-valid-usage.
Complaint CheckDepthStencil(const TextureView& view, const RenderPassDepthStencilAttachment& d) {
  const hal::TextureFormatInfo& format = hal::FormatInfo(view.format());
  if (!format.depth_or_stencil())
    return fmt::format("has the format {}, which has neither depth nor stencil", EnumName(view.format()));
  if (Complaint complaint = CheckRenderable(view)) return complaint;
  if (d.depth_load_op == LoadOp::kClear) {
    if (!d.depth_clear_value) return "is cleared and given no depthClearValue";
    if (!(*d.depth_clear_value >= 0 && *d.depth_clear_value <= 1))
      return fmt::format("has the depthClearValue {}: it must be between 0 and 1", *d.depth_clear_value);
  }
  const bool transient = view.Has(texture_usage::kTransientAttachment);
  const AspectOps depth{"depth", format.Has(hal::Aspect::kDepth), d.depth_read_only, d.depth_load_op,
                        d.depth_store_op};
  if (Complaint complaint = CheckOps(depth, transient)) return complaint;
  const AspectOps stencil{"stencil", format.Has(hal::Aspect::kStencil), d.stencil_read_only,
                          d.stencil_load_op, d.stencil_store_op};
  return CheckOps(stencil, transient);
}

// Adds a view's size and samples to what the others have, which must be the same.
Complaint CheckAlike(Attachments& attachments, bool is_first, const TextureView& view) {
  const Extent3D size = view.RenderExtent();
  const uint32_t samples = view.texture()->descriptor().sample_count;
  if (is_first) {
    attachments.size = size;
    attachments.layout.sample_count = samples;
    return std::nullopt;
  }
  const Extent3D& other = attachments.size;
  if (samples != attachments.layout.sample_count)
    return fmt::format("has {} samples and the attachments before {}", samples,
                       attachments.layout.sample_count);
  if (size.width == other.width && size.height == other.height) return std::nullopt;
  return fmt::format("is {} x {} and the attachments before {} x {}", size.width, size.height, other.width,
                     other.height);
}

Complaint ResolveColor(const Device& device, const RenderPassColorAttachment& given,
                       Attachments::Color& color, std::string& place) {
  color.depth_slice = given.depth_slice.value_or(0);
  color.clear_value = given.clear_value;
  color.load_op = given.load_op;
  color.store_op = given.store_op;
  if (const Complaint complaint = ResolveView(device, given.view, color.view)) return ": " + *complaint;
  if (const Complaint complaint = CheckColor(color, given.depth_slice))
    return fmt::format(", {}, {}", NameOf(*color.view), *complaint);
  if (!given.resolve_target) return std::nullopt;
  place = "the resolve target of " + place;
  if (const Complaint complaint = ResolveView(device, *given.resolve_target, color.resolve))
    return ": " + *complaint;
  if (const Complaint complaint = CheckResolve(device, color))
    return fmt::format(", {}, {}", NameOf(*color.resolve), *complaint);
  return std::nullopt;
}

// A part of a texture that is drawn to or resolved to.
struct Region {
  std::string name;
  const TextureView* view;
  uint32_t slice;
};

Complaint CheckDisjoint(const Attachments& attachments) {
  std::vector<Region> regions;
  for (size_t i = 0; i < attachments.colors.size(); ++i) {
    const std::optional<Attachments::Color>& color = attachments.colors[i];
    if (!color) continue;
    const std::string name = fmt::format("color attachment {}", i);
    regions.push_back({name, color->view.get(), color->depth_slice});
    if (color->resolve) regions.push_back({"the resolve target of " + name, color->resolve.get(), 0});
  }
  for (size_t i = 0; i < regions.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (regions[i].slice != regions[k].slice || !regions[i].view->Aliases(*regions[k].view)) continue;
      return fmt::format("{} and {} are the same part of {}", regions[k].name, regions[i].name,
                         Named("texture", *regions[i].view->texture()));
    }
  }
  return std::nullopt;
}

Complaint ResolveColors(const Device& device, const RenderPassDescriptor& descriptor,
                        Attachments& attachments) {
  const auto& given = descriptor.color_attachments;
  const uint32_t limit = device.limits().max_color_attachments;
  if (given.size() > limit) {
    return fmt::format("{} color attachments exceed the limit maxColorAttachments of {}", given.size(),
                       limit);
  }
  for (size_t i = 0; i < given.size(); ++i) {
    std::optional<Attachments::Color>& color = attachments.colors.emplace_back();
    std::optional<TextureFormat>& format = attachments.layout.color_formats.emplace_back();
    if (!given[i]) continue;
    std::string place = fmt::format("color attachment {}", i);
    color.emplace();
    if (const Complaint complaint = ResolveColor(device, *given[i], *color, place)) return place + *complaint;
    const bool is_first = attachments.layout.empty();
    if (const Complaint complaint = CheckAlike(attachments, is_first, *color->view))
      return fmt::format("{}, {}, {}", place, NameOf(*color->view), *complaint);
    format = color->view->format();
  }
  return std::nullopt;
}

Complaint ResolveDepthStencil(const Device& device, const RenderPassDepthStencilAttachment& given,
                              Attachments& attachments) {
  static constexpr std::string_view kPlace = "the depth-stencil attachment";
  Attachments::DepthStencil& resolved = attachments.depth_stencil.emplace();
  resolved.state = given;
  if (const Complaint complaint = ResolveView(device, given.view, resolved.view))
    return fmt::format("{}: {}", kPlace, *complaint);
  Complaint complaint = CheckDepthStencil(*resolved.view, given);
  if (!complaint) complaint = CheckAlike(attachments, attachments.layout.empty(), *resolved.view);
  if (complaint) return fmt::format("{}, {}, {}", kPlace, NameOf(*resolved.view), *complaint);
  attachments.layout.depth_stencil_format = resolved.view->format();
  return std::nullopt;
}

}  // namespace

Complaint ResolveAttachments(const Device& device, const RenderPassDescriptor& descriptor,
                             Attachments& attachments) {
  if (Complaint complaint = ResolveColors(device, descriptor, attachments)) return complaint;
  if (descriptor.depth_stencil_attachment) {
    if (Complaint complaint = ResolveDepthStencil(device, *descriptor.depth_stencil_attachment, attachments))
      return complaint;
  }
  if (attachments.layout.empty()) return "there is neither a color attachment nor a depth-stencil attachment";
  if (Complaint complaint = CheckColorBytes(device, attachments.layout.color_formats)) return complaint;
  return CheckDisjoint(attachments);
}

}  // namespace lockstep::gpu::core

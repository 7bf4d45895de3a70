// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/render_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gpu/core/command_encoder.h"
#include "gpu/core/device.h"
#include "gpu/core/render_bundle.h"

namespace lockstep::gpu::core {

RenderPass::RenderPass(std::shared_ptr<CommandEncoder> encoder, const RenderPassDescriptor& descriptor,
                       bool begun)
    : RenderCommands(encoder->shared_device(), descriptor.label, encoder.get()),
      pass_(encoder, begun),
      max_draw_count_(descriptor.max_draw_count) {
  if (!begun) Invalidate();
}

Complaint RenderPass::Begin(const RenderPassDescriptor& descriptor) {
  if (Complaint complaint = ResolveAttachments(device(), descriptor, attachments_)) return complaint;
  occlusion_queries_ = descriptor.occlusion_query_set;
  if (occlusion_queries_) {
    if (Complaint complaint = CheckUsable("query set", occlusion_queries_, device())) return complaint;
    if (occlusion_queries_->type() != QueryType::kOcclusion)
      return fmt::format("occlusion is written to {}, which is for timestamps",
                         Named("query set", *occlusion_queries_));
    Use(occlusion_queries_);
  }
  RenderTargets targets{attachments_.layout};
  if (attachments_.depth_stencil) {
    targets.depth_read_only = attachments_.depth_stencil->state.depth_read_only;
    targets.stencil_read_only = attachments_.depth_stencil->state.stencil_read_only;
  }
  set_targets(std::move(targets));
  UseAttachments();
  const uint32_t width = attachments_.size.width, height = attachments_.size.height;
  state_.viewport.width = static_cast<float>(width);
  state_.viewport.height = static_cast<float>(height);
  state_.scissor = {0, 0, width, height};
  return std::nullopt;
}

void RenderPass::UseAttachments() {
  const auto use = [&](const std::shared_ptr<TextureView>& view, PassUse::As as, size_t index) {
    Use(view->texture());
    usage_.Add(view, std::nullopt, PassAccess::kAttachment, {as, static_cast<uint32_t>(index)});
  };
  for (size_t i = 0; i < attachments_.colors.size(); ++i) {
    const std::optional<Attachments::Color>& color = attachments_.colors[i];
    if (!color) continue;
    use(color->view, PassUse::As::kColorAttachment, i);
    if (color->resolve) use(color->resolve, PassUse::As::kResolveTarget, i);
  }
  if (!attachments_.depth_stencil) return;
  const std::shared_ptr<TextureView>& view = attachments_.depth_stencil->view;
  Use(view->texture());
  const auto use_aspect = [&](hal::Aspect aspect, bool read_only) {
    if (view->Sees(aspect))
      usage_.Add(view, aspect, read_only ? PassAccess::kRead : PassAccess::kAttachment,
                 {PassUse::As::kDepthStencil});
  };
  use_aspect(hal::Aspect::kDepth, targets().depth_read_only);
  use_aspect(hal::Aspect::kStencil, targets().stencil_read_only);
}

void RenderPass::SetViewport(const abi::Viewport& v) {
  static constexpr std::string_view kCall = "setViewport";
  if (!CheckOpen(kCall)) return;
  const double largest = device().limits().max_texture_dimension_2d;
  const double range = largest * 2;
  const auto check = [&](double first, double length) {
    return first >= -range && length >= 0 && length <= largest && first + length <= range - 1;
  };
  if (!check(v.x, v.width) || !check(v.y, v.height)) {
    return FailIn(kCall,
                  fmt::format("{} x {} pixels at ({}, {}) are no viewport: lengths are at most {}, and "
                              "it must lie within {} and {}",
                              v.width, v.height, v.x, v.y, largest, -range, range - 1));
  }
  if (!(v.min_depth >= 0 && v.max_depth <= 1 && v.min_depth <= v.max_depth)) {
    return FailIn(kCall,
                  fmt::format("depths from {} to {} are no range within 0 and 1", v.min_depth, v.max_depth));
  }
  state_.viewport = v;
}

void RenderPass::SetScissorRect(const abi::ScissorRect& rect) {
  static constexpr std::string_view kCall = "setScissorRect";
  if (!CheckOpen(kCall)) return;
  const Extent3D& size = attachments_.size;
  if (uint64_t{rect.x} + rect.width > size.width || uint64_t{rect.y} + rect.height > size.height) {
    return FailIn(kCall, fmt::format("{} x {} pixels at ({}, {}) do not fit attachments of {} x {}",
                                     rect.width, rect.height, rect.x, rect.y, size.width, size.height));
  }
  state_.scissor = rect;
}

void RenderPass::SetBlendConstant(const abi::Color& color) {
  if (!CheckOpen("setBlendConstant")) return;
  std::transform(color.begin(), color.end(), state_.blend_constant.begin(),
                 [](double component) { return static_cast<float>(component); });
}

void RenderPass::SetStencilReference(uint32_t reference) {
  if (CheckOpen("setStencilReference")) state_.stencil_reference = reference;
}

void RenderPass::BeginOcclusionQuery(uint32_t query) {
  static constexpr std::string_view kCall = "beginOcclusionQuery";
  if (!CheckOpen(kCall)) return;
  if (!occlusion_queries_) return FailIn(kCall, "the pass has no occlusionQuerySet");
  if (query >= occlusion_queries_->count()) {
    return FailIn(kCall, fmt::format("query {} of {}, which has {}", query,
                                     Named("query set", *occlusion_queries_), occlusion_queries_->count()));
  }
  if (state_.occlusion_query)
    return FailIn(kCall, fmt::format("query {} is not ended", *state_.occlusion_query));
  if (std::find(begun_queries_.begin(), begun_queries_.end(), query) != begun_queries_.end())
    return FailIn(kCall, fmt::format("query {} was written in this pass already", query));
  begun_queries_.push_back(query);
  state_.occlusion_query = query;
}

void RenderPass::EndOcclusionQuery() {
  static constexpr std::string_view kCall = "endOcclusionQuery";
  if (!CheckOpen(kCall)) return;
  if (!state_.occlusion_query) return FailIn(kCall, "no occlusion query is open");
  state_.occlusion_query.reset();
}

Complaint RenderPass::CheckBundle(const std::shared_ptr<RenderBundle>& bundle) const {
  if (Complaint complaint = CheckUsable("render bundle", bundle, device())) return complaint;
  const std::string name = Named("render bundle", *bundle);
  const RenderTargets& other = bundle->targets();
  if (!targets().layout.Equals(other.layout)) {
    return fmt::format("{} draws to ({}), and the render pass has ({})", name, other.layout.Text(),
                       targets().layout.Text());
  }
  if (targets().depth_read_only && !other.depth_read_only)
    return fmt::format("{} was not made for depth that is read-only", name);
  if (targets().stencil_read_only && !other.stencil_read_only)
    return fmt::format("{} was not made for stencil that is read-only", name);
  return std::nullopt;
}

void RenderPass::ExecuteBundles(std::span<const std::shared_ptr<RenderBundle>> bundles) {
  static constexpr std::string_view kCall = "executeBundles";
  if (!CheckOpen(kCall)) return;
  for (const std::shared_ptr<RenderBundle>& bundle : bundles) {
    if (const Complaint complaint = CheckBundle(bundle)) return FailIn(kCall, *complaint);
  }
  for (const std::shared_ptr<RenderBundle>& bundle : bundles) {
    for (const std::shared_ptr<Resource>& resource : bundle->used()) Use(resource);
    usage_.Merge(bundle->usage());
    for (const DrawCommand& draw : bundle->draws()) {
      draws_.push_back(draw);
      draws_.back().state = state_;
    }
  }
  ResetBindings();
}

Complaint RenderPass::CheckEnd() const {
  if (Complaint complaint = CheckPopped()) return complaint;
  if (state_.occlusion_query) return fmt::format("occlusion query {} is not ended", *state_.occlusion_query);
  if (draws_.size() > max_draw_count_)
    return fmt::format("{} draws exceed the maxDrawCount of {}", draws_.size(), max_draw_count_);
  return usage_.Check();
}

void RenderPass::End() {
  if (!pass_.End(*this) || !valid()) return;
  if (const Complaint complaint = CheckEnd()) FailIn("end", *complaint);
  pass_.Record(RenderPassCommand{label(), std::move(attachments_), occlusion_queries_,
                                 std::move(begun_queries_), std::move(draws_)});
  pass_.RecordEnd();
}

}  // namespace lockstep::gpu::core

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPURenderPassEncoder (#render-passes). All of a pass is one command, which is recorded when the pass ends.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/pass_state.h"
#include "gpu/core/render_commands.h"

namespace lockstep::gpu::core {

class RenderBundle;

class RenderPass : public RenderCommands {
 public:
  RenderPass(std::shared_ptr<CommandEncoder> encoder, const RenderPassDescriptor& descriptor, bool begun);
  std::string_view kind() const override { return "render pass"; }

  void SetViewport(const abi::Viewport& viewport);
  void SetScissorRect(const abi::ScissorRect& scissor);
  void SetBlendConstant(const abi::Color& color);
  void SetStencilReference(uint32_t reference);
  void BeginOcclusionQuery(uint32_t query);
  void EndOcclusionQuery();
  void ExecuteBundles(std::span<const std::shared_ptr<RenderBundle>> bundles);
  void End();

 private:
  friend class CommandEncoder;
  bool CheckOpen(std::string_view call) override { return pass_.CheckOpen(*this, call); }
  void Fail(std::string message) override { pass_.Fail(*this, std::move(message)); }
  void Use(const std::shared_ptr<Resource>& resource) override { pass_.Use(resource); }

  // What is wrong with the descriptor, but for timestamps.
  Complaint Begin(const RenderPassDescriptor& descriptor);
  void UseAttachments();
  Complaint CheckBundle(const std::shared_ptr<RenderBundle>& bundle) const;
  Complaint CheckEnd() const;

  PassState pass_;
  Attachments attachments_;
  std::shared_ptr<QuerySet> occlusion_queries_;
  std::vector<uint32_t> begun_queries_;
  uint64_t max_draw_count_;
};

}  // namespace lockstep::gpu::core

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPURenderBundle and GPURenderBundleEncoder (#bundles): draws that are encoded once, for many passes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "gpu/core/render_commands.h"

namespace lockstep::gpu::core {

struct RenderBundleEncoderDescriptor {
  std::string label;
  RenderPassLayout layout;
  bool depth_read_only = false, stencil_read_only = false;
};

// What a bundle holds.
struct RenderBundleContents {
  RenderTargets targets;
  PassUsage usage;
  std::vector<std::shared_ptr<Resource>> used;
  std::vector<DrawCommand> draws;
};

class RenderBundle : public Object {
 public:
  RenderBundle(std::shared_ptr<Device> device, std::string label, RenderBundleContents contents)
      : Object(std::move(device), std::move(label)), contents_(std::move(contents)) {}

  const RenderTargets& targets() const { return contents_.targets; }
  const PassUsage& usage() const { return contents_.usage; }
  const std::vector<std::shared_ptr<Resource>>& used() const { return contents_.used; }
  const std::vector<DrawCommand>& draws() const { return contents_.draws; }

 private:
  RenderBundleContents contents_;
};

class RenderBundleEncoder : public RenderCommands {
 public:
  RenderBundleEncoder(std::shared_ptr<Device> device, const RenderBundleEncoderDescriptor& descriptor);
  std::string_view kind() const override { return "render bundle encoder"; }

  std::shared_ptr<RenderBundle> Finish(const std::string& label = {});

 private:
  bool CheckOpen(std::string_view call) override;
  void Fail(std::string message) override;
  void Use(const std::shared_ptr<Resource>& resource) override;

  std::optional<std::string> error_;  // the first
  std::vector<std::shared_ptr<Resource>> used_;
  std::unordered_set<const Resource*> known_;  // of used_
  bool finished_ = false;
};

}  // namespace lockstep::gpu::core

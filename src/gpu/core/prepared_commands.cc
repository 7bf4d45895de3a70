// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/prepared_commands.h"

#include <fmt/format.h>

#include <chrono>

#include "gpu/core/device.h"

namespace lockstep::gpu::core {
namespace {

// Null where the compiler has refused it, or where it was told to stop meanwhile.
template <typename Made>
const Made* Await(const Compiled<Made>& compiled, const std::atomic<uint32_t>& cancel) {
  constexpr std::chrono::milliseconds kLook{10};
  while (compiled.wait_for(kLook) != std::future_status::ready) {
    if (cancel.load() != 0) return nullptr;
  }
  return compiled.get().get();
}

}  // namespace

hal::TexelPlace PlaceOf(hal::Texture* memory, const TexelCopyTextureInfo& info) {
  return {memory, CopiedAspect(info), info.mip_level, info.origin};
}

PreparedCommands::PreparedCommands(const Device& device)
    : watched_(device.options().watch),
      max_workgroups_(device.limits().max_compute_workgroups_per_dimension),
      indirect_first_instance_(device.HasFeature("indirect-first-instance")) {}

std::optional<Result<hal::ExecuteResult>> PreparedCommands::WaitForPipelines(
    const std::atomic<uint32_t>& cancel) {
  const auto stopped = [&]() -> Result<hal::ExecuteResult> {
    if (cancel.load() != 0) return Failure{FailureKind::kInterrupted, "interrupted"};
    return hal::ExecuteResult();
  };
  for (const PendingDispatch& pending : dispatches_) {
    const hal::ComputePipeline* pipeline = Await(pending.compiled, cancel);
    if (pipeline == nullptr) return stopped();
    std::get<hal::Dispatch>(commands_[pending.command]).pipeline = pipeline;
  }
  for (const PendingDraw& pending : draws_) {
    const hal::RenderPipeline* pipeline = Await(pending.compiled, cancel);
    if (pipeline == nullptr) return stopped();
    std::get<hal::RenderPass>(commands_[pending.command]).draws[pending.draw].pipeline = pipeline;
  }
  return std::nullopt;
}

std::string PreparedCommands::NameOf(uint64_t command) const {
  for (size_t i = 0; i < dispatches_.size(); ++i) {
    if (dispatches_[i].command == command)
      return fmt::format("a dispatch of {}", Named("compute pipeline", *pipelines_[i]));
  }
  for (const auto& [number, label] : passes_) {
    if (number == command) return Named("render pass", label);
  }
  return "a copy";
}

hal::Dispatch PreparedCommands::Translate(const DispatchCommand& command) {
  hal::Dispatch dispatch;
  dispatches_.push_back({commands_.size(), command.pipeline->compiled()});
  pipelines_.push_back(command.pipeline);
  dispatch.buffers = Resources(command.buffers);
  dispatch.textures = Textures(command.textures);
  dispatch.workgroups = command.workgroups;
  dispatch.max_workgroups = max_workgroups_;
  const EvaluatedStage& stage = command.pipeline->stage();
  const uint64_t size = uint64_t{stage.workgroup_size[0]} * stage.workgroup_size[1] * stage.workgroup_size[2];
  if (stage.uses_workgroup_index) dispatch.max_total_workgroups = UINT32_MAX;
  if (stage.uses_global_invocation_index) dispatch.max_total_workgroups = UINT32_MAX / size;
  if (command.indirect) dispatch.indirect = Keep(*command.indirect);
  dispatch.indirect_offset = command.indirect_offset;
  return dispatch;
}

std::vector<hal::BoundBuffer> PreparedCommands::Resources(const std::vector<BoundRange>& ranges) {
  std::vector<hal::BoundBuffer> resources;
  for (const BoundRange& range : ranges)
    resources.push_back({Keep(*range.buffer), range.offset, range.size / 4 * 4});
  return resources;
}

std::vector<hal::BoundTexture> PreparedCommands::Textures(
    const std::vector<std::shared_ptr<TextureView>>& views) {
  std::vector<hal::BoundTexture> textures;
  for (const std::shared_ptr<TextureView>& view : views) {
    const TextureViewDescriptor& d = view->descriptor();
    hal::BoundTexture& texture = textures.emplace_back();
    texture.texture = Keep(*view->texture());
    texture.format = view->format();
    texture.dimension = view->dimension();
    texture.aspect = view->SeenAspect();
    texture.base_mip_level = d.base_mip_level;
    texture.mip_level_count = *d.mip_level_count;
    texture.base_array_layer = d.base_array_layer;
    texture.array_layer_count = *d.array_layer_count;
    texture.swizzle = view->Swizzle();
  }
  return textures;
}

hal::BoundBuffer PreparedCommands::Whole(const BoundRange& range) {
  if (!range.buffer) return {};
  return {Keep(*range.buffer), range.offset, range.size};
}

hal::RenderTarget PreparedCommands::Target(const TextureView& view, uint32_t depth_slice) {
  const TextureViewDescriptor& d = view.descriptor();
  const bool is_3d = view.dimension() == TextureViewDimension::k3d;
  return {Keep(*view.texture()), view.format(), d.base_mip_level, is_3d ? depth_slice : d.base_array_layer};
}

std::optional<hal::RenderColorAttachment> PreparedCommands::Attachment(
    const std::optional<Attachments::Color>& color) {
  if (!color) return std::nullopt;
  hal::RenderColorAttachment attachment;
  attachment.target = Target(*color->view, color->depth_slice);
  if (color->resolve) attachment.resolve = Target(*color->resolve, 0);
  attachment.load_op = color->load_op;
  attachment.store_op = color->store_op;
  attachment.clear_value = color->clear_value;
  return attachment;
}

hal::RenderDepthStencilAttachment PreparedCommands::Attachment(
    const Attachments::DepthStencil& depth_stencil) {
  const RenderPassDepthStencilAttachment& d = depth_stencil.state;
  hal::RenderDepthStencilAttachment attachment;
  attachment.target = Target(*depth_stencil.view, 0);
  attachment.depth_load_op = d.depth_load_op.value_or(LoadOp::kLoad);
  attachment.depth_store_op = d.depth_store_op.value_or(StoreOp::kStore);
  attachment.depth_clear_value = d.depth_clear_value.value_or(0);
  attachment.stencil_load_op = d.stencil_load_op.value_or(LoadOp::kLoad);
  attachment.stencil_store_op = d.stencil_store_op.value_or(StoreOp::kStore);
  attachment.stencil_clear_value = d.stencil_clear_value & 0xff;  // as many bits as stencil has
  return attachment;
}

hal::RenderDraw PreparedCommands::Draw(const DrawCommand& command) {
  hal::RenderDraw draw;
  draw.vertex_resources = Resources(command.bindings->vertex_resources);
  draw.fragment_resources = Resources(command.bindings->fragment_resources);
  draw.vertex_textures = Textures(command.bindings->vertex_textures);
  draw.fragment_textures = Textures(command.bindings->fragment_textures);
  for (const BoundRange& range : command.bindings->vertex_buffers)
    draw.vertex_buffers.push_back(Whole(range));
  draw.viewport = command.state.viewport;
  draw.scissor = command.state.scissor;
  draw.blend_constant = command.state.blend_constant;
  draw.stencil_reference = command.state.stencil_reference;
  draw.occlusion_query = command.state.occlusion_query;
  draw.index_format = command.index_format;
  draw.indices = Whole(command.indices);
  draw.count = command.count;
  draw.instance_count = command.instance_count;
  draw.first = command.first;
  draw.base_vertex = command.base_vertex;
  draw.first_instance = command.first_instance;
  if (command.indirect) draw.indirect = Keep(*command.indirect);
  draw.indirect_offset = command.indirect_offset;
  draw.indirect_first_instance = indirect_first_instance_;
  return draw;
}

hal::RenderPass PreparedCommands::Translate(const RenderPassCommand& command) {
  passes_.emplace_back(commands_.size(), command.label);
  hal::RenderPass pass;
  pass.width = command.attachments.size.width;
  pass.height = command.attachments.size.height;
  pass.sample_count = command.attachments.layout.sample_count;
  for (const std::optional<Attachments::Color>& color : command.attachments.colors)
    pass.colors.push_back(Attachment(color));
  if (command.attachments.depth_stencil) pass.depth_stencil = Attachment(*command.attachments.depth_stencil);
  if (command.occlusion_queries) pass.occlusion_queries = Keep(*command.occlusion_queries);
  pass.begun_queries = command.begun_queries;
  if (watched_) drawn_.emplace_back();
  for (const DrawCommand& draw : command.draws) {
    if (watched_) drawn_.back().push_back(draw.bindings->pipeline);
    draws_.push_back({commands_.size(), pass.draws.size(), draw.bindings->pipeline->compiled()});
    pass.draws.push_back(Draw(draw));
  }
  return pass;
}

hal::CopyBuffer PreparedCommands::Translate(const CopyCommand& command) {
  return {Keep(*command.from), command.from_offset, Keep(*command.to), command.to_offset, command.size};
}

hal::ClearBuffer PreparedCommands::Translate(const ClearCommand& command) {
  return {Keep(*command.buffer), command.offset, command.size};
}

hal::WriteTimestamp PreparedCommands::Translate(const WriteTimestampCommand& command) {
  return {Keep(*command.queries), command.index};
}

hal::ResolveQueries PreparedCommands::Translate(const ResolveQueriesCommand& command) {
  return {Keep(*command.queries), command.first, command.count, Keep(*command.to), command.to_offset};
}

hal::TexelPlace PreparedCommands::Place(const TexelCopyTextureInfo& info) {
  return PlaceOf(Keep(*info.texture), info);
}

hal::CopyBufferToTexture PreparedCommands::Translate(const BufferToTextureCommand& command) {
  return {Keep(*command.from.buffer), LinearLayout(command.from), Place(command.to), command.size};
}

hal::CopyTextureToBuffer PreparedCommands::Translate(const TextureToBufferCommand& command) {
  return {Place(command.from), Keep(*command.to.buffer), LinearLayout(command.to), command.size};
}

hal::CopyTextureToTexture PreparedCommands::Translate(const TextureToTextureCommand& command) {
  return {Place(command.from), Place(command.to), command.size};
}

}  // namespace lockstep::gpu::core

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/render_commands.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/core/device.h"

namespace lockstep::gpu::core {
namespace {

constexpr uint64_t kDrawArguments = 16, kIndexedDrawArguments = 20;  // bytes

uint64_t BytesOf(IndexFormat format) { return format == IndexFormat::kUint16 ? 2 : 4; }

bool IsStrip(PrimitiveTopology topology) {
  return topology == PrimitiveTopology::kLineStrip || topology == PrimitiveTopology::kTriangleStrip;
}

// A range of a buffer that is set, with its default size; what is wrong with it.
Complaint CheckRange(const Buffer& buffer, uint64_t offset, const std::optional<uint64_t>& given,
                     uint64_t alignment, uint32_t usage, uint64_t& size) {
  const std::string name = Named("buffer", buffer);
  size = given.value_or(buffer.size() > offset ? buffer.size() - offset : 0);
  if (!buffer.Has(usage)) {
    return fmt::format("{} lacks the usage {} (it has {})", name, BufferUsageNames(usage),
                       BufferUsageNames(buffer.usage()));
  }
  if (offset % alignment != 0)
    return fmt::format("the offset {} into {} is not a multiple of {}", offset, name, alignment);
  if (offset > buffer.size() || size > buffer.size() - offset)
    return fmt::format("{} bytes at {} do not fit {} of {} bytes", size, offset, name, buffer.size());
  return std::nullopt;
}

}  // namespace

void RenderCommands::SetPipeline(const std::shared_ptr<RenderPipeline>& pipeline) {
  static constexpr std::string_view kCall = "setPipeline";
  if (!CheckOpen(kCall)) return;
  if (const Complaint complaint = CheckUsable("render pipeline", pipeline, device()))
    return FailIn(kCall, *complaint);
  const std::string name = Named("render pipeline", *pipeline);
  if (!targets_.layout.Equals(pipeline->target_layout())) {
    return FailIn(kCall, fmt::format("{} draws to ({}), and the {} has ({})", name,
                                     pipeline->target_layout().Text(), kind(), targets_.layout.Text()));
  }
  if (pipeline->writes_depth() && targets_.depth_read_only)
    return FailIn(kCall, fmt::format("{} writes depth, which is read-only", name));
  if (pipeline->writes_stencil() && targets_.stencil_read_only)
    return FailIn(kCall, fmt::format("{} writes stencil, which is read-only", name));
  pipeline_ = pipeline;
  bindings_.reset();
}

void RenderCommands::GroupIsSet(uint32_t index, const BindGroup* group, std::span<const uint32_t>) {
  bindings_.reset();
  if (group != nullptr) usage_.Add(index, groups_.at(index).group);
}

void RenderCommands::SetIndexBuffer(const std::shared_ptr<Buffer>& buffer, IndexFormat format,
                                    uint64_t offset, std::optional<uint64_t> size) {
  static constexpr std::string_view kCall = "setIndexBuffer";
  if (!CheckOpen(kCall)) return;
  if (const Complaint complaint = CheckUsable("buffer", buffer, device())) return FailIn(kCall, *complaint);
  uint64_t bytes = 0;
  if (const Complaint complaint =
          CheckRange(*buffer, offset, size, BytesOf(format), buffer_usage::kIndex, bytes))
    return FailIn(kCall, *complaint);
  Use(buffer);
  usage_.Add(buffer, PassAccess::kRead, {PassUse::As::kIndexBuffer});
  indices_ = {buffer, offset, bytes};
  index_format_ = format;
}

void RenderCommands::SetVertexBuffer(uint32_t slot, const std::shared_ptr<Buffer>& buffer, uint64_t offset,
                                     std::optional<uint64_t> size) {
  static constexpr std::string_view kCall = "setVertexBuffer";
  if (!CheckOpen(kCall)) return;
  if (slot >= device().limits().max_vertex_buffers) {
    return FailIn(kCall, fmt::format("slot {} exceeds the limit: maxVertexBuffers is {}", slot,
                                     device().limits().max_vertex_buffers));
  }
  bindings_.reset();
  if (!buffer) {
    if (offset != 0 || size.value_or(0) != 0)
      return FailIn(kCall,
                    fmt::format("no buffer is given, and {} bytes at {} of it", size.value_or(0), offset));
    vertex_buffers_.erase(slot);
    return;
  }
  if (const Complaint complaint = CheckUsable("buffer", buffer, device())) return FailIn(kCall, *complaint);
  uint64_t bytes = 0;
  if (const Complaint complaint = CheckRange(*buffer, offset, size, 4, buffer_usage::kVertex, bytes))
    return FailIn(kCall, *complaint);
  Use(buffer);
  usage_.Add(buffer, PassAccess::kRead, {PassUse::As::kVertexBuffer, slot});
  vertex_buffers_[slot] = {buffer, offset, bytes};
}

bool RenderCommands::CheckVertexBuffersSet(std::string_view call) {
  const auto& layouts = pipeline_->vertex_buffers();
  for (uint32_t slot = 0; slot < layouts.size(); ++slot) {
    if (!layouts[slot] || vertex_buffers_.contains(slot)) continue;
    FailIn(call, fmt::format("{} needs vertex buffer {}, which is not set",
                             Named("render pipeline", *pipeline_), slot));
    return false;
  }
  return true;
}

// WebGPU: #dom-supported-limits-maxbindgroupsplusvertexbuffers.
bool RenderCommands::CheckSpace(std::string_view call) {
  const uint32_t groups = groups_.empty() ? 0 : groups_.rbegin()->first + 1;
  const uint32_t buffers = vertex_buffers_.empty() ? 0 : vertex_buffers_.rbegin()->first + 1;
  const uint32_t limit = device().limits().max_bind_groups_plus_vertex_buffers;
  if (groups + buffers <= limit) return true;
  FailIn(call, fmt::format("{} bind groups and {} vertex buffers are set, which exceeds the limit "
                           "maxBindGroupsPlusVertexBuffers of {}",
                           groups, buffers, limit));
  return false;
}

bool RenderCommands::CheckDraw(std::string_view call) {
  if (bindings_) return true;
  if (!CheckGroups(call, pipeline_.get()) || !CheckVertexBuffersSet(call) || !CheckSpace(call)) return false;
  const RenderPipeline::CompiledStage& vertex = pipeline_->vertex();
  const std::optional<RenderPipeline::CompiledStage>& fragment = pipeline_->fragment();
  const UsageScope used = UsedBy(*pipeline_);
  if (!CheckSizes(call, vertex.stage, used)) return false;
  if (fragment && !CheckSizes(call, fragment->stage, used)) return false;
  if (const Complaint complaint = used.CheckAliasing()) {
    FailIn(call, *complaint);
    return false;
  }
  auto bindings = std::make_shared<DrawBindings>();
  bindings->pipeline = pipeline_;
  bindings->vertex_resources = RangesOf(vertex.stage, vertex.slots, used);
  bindings->vertex_textures = ViewsOf(vertex.stage, vertex.slots, used);
  if (fragment) {
    bindings->fragment_resources = RangesOf(fragment->stage, fragment->slots, used);
    bindings->fragment_textures = ViewsOf(fragment->stage, fragment->slots, used);
  }
  const auto& layouts = pipeline_->vertex_buffers();
  for (uint32_t slot = 0; slot < layouts.size(); ++slot)
    bindings->vertex_buffers.push_back(layouts[slot] ? vertex_buffers_.at(slot) : BoundRange());
  bindings_ = std::move(bindings);
  return true;
}

bool RenderCommands::CheckIndexed(std::string_view call) {
  if (!CheckDraw(call)) return false;
  if (!indices_.buffer) {
    FailIn(call, "no index buffer is set");
    return false;
  }
  const abi::PrimitiveState& primitive = pipeline_->primitive();
  if (!IsStrip(primitive.topology) || primitive.strip_index_format == index_format_) return true;
  const std::optional<IndexFormat>& wanted = primitive.strip_index_format;
  FailIn(call,
         fmt::format("the indices are {}, and the stripIndexFormat of {} is {}", EnumName(index_format_),
                     Named("render pipeline", *pipeline_), wanted ? EnumName(*wanted) : "not given"));
  return false;
}

bool RenderCommands::CheckVertexRanges(std::string_view call, std::optional<uint64_t> vertices,
                                       uint64_t instances) {
  const auto& layouts = pipeline_->vertex_buffers();
  for (size_t slot = 0; slot < layouts.size(); ++slot) {
    if (!layouts[slot]) continue;
    const abi::VertexBufferLayout& layout = *layouts[slot];
    const bool per_instance = layout.step_mode == VertexStepMode::kInstance;
    if (!per_instance && !vertices) continue;
    const uint64_t count = per_instance ? instances : *vertices;
    if (count == 0) continue;
    const uint64_t needed = (count - 1) * layout.array_stride + LastAttributeEnd(layout);
    const BoundRange& range = bindings_->vertex_buffers[slot];
    if (needed <= range.size) continue;
    FailIn(call, fmt::format("{} {} need {} bytes of vertex buffer {}, which has {} ({})", count,
                             per_instance ? "instances" : "vertices", needed, slot, range.size,
                             Named("buffer", *range.buffer)));
    return false;
  }
  return true;
}

void RenderCommands::Record(DrawCommand draw) {
  draw.bindings = bindings_;
  draw.state = state_;
  if (draw.index_format) draw.indices = indices_;
  draws_.push_back(std::move(draw));
}

void RenderCommands::Draw(uint32_t vertex_count, uint32_t instance_count, uint32_t first_vertex,
                          uint32_t first_instance) {
  static constexpr std::string_view kCall = "draw";
  if (!CheckOpen(kCall) || !CheckDraw(kCall)) return;
  if (!CheckVertexRanges(kCall, uint64_t{first_vertex} + vertex_count,
                         uint64_t{first_instance} + instance_count))
    return;
  DrawCommand draw;
  draw.count = vertex_count;
  draw.instance_count = instance_count;
  draw.first = first_vertex;
  draw.first_instance = first_instance;
  Record(std::move(draw));
}

void RenderCommands::DrawIndexed(uint32_t index_count, uint32_t instance_count, uint32_t first_index,
                                 int32_t base_vertex, uint32_t first_instance) {
  static constexpr std::string_view kCall = "drawIndexed";
  if (!CheckOpen(kCall) || !CheckIndexed(kCall)) return;
  const uint64_t indices = indices_.size / BytesOf(index_format_);
  if (uint64_t{first_index} + index_count > indices) {
    return FailIn(kCall, fmt::format("{} indices from {} are drawn, and the index buffer has {} ({})",
                                     index_count, first_index, indices, Named("buffer", *indices_.buffer)));
  }
  if (!CheckVertexRanges(kCall, std::nullopt, uint64_t{first_instance} + instance_count)) return;
  DrawCommand draw;
  draw.index_format = index_format_;
  draw.count = index_count;
  draw.instance_count = instance_count;
  draw.first = first_index;
  draw.base_vertex = base_vertex;
  draw.first_instance = first_instance;
  Record(std::move(draw));
}

void RenderCommands::DrawIndirectly(std::string_view call, bool indexed,
                                    const std::shared_ptr<Buffer>& buffer, uint64_t offset) {
  if (!CheckOpen(call)) return;
  if (!(indexed ? CheckIndexed(call) : CheckDraw(call))) return;
  if (!CheckIndirect(call, buffer, offset, indexed ? kIndexedDrawArguments : kDrawArguments)) return;
  Use(buffer);
  usage_.Add(buffer, PassAccess::kRead, {PassUse::As::kIndirect});
  DrawCommand draw;
  if (indexed) draw.index_format = index_format_;
  draw.indirect = buffer;
  draw.indirect_offset = offset;
  Record(std::move(draw));
}

void RenderCommands::DrawIndirect(const std::shared_ptr<Buffer>& buffer, uint64_t offset) {
  DrawIndirectly("drawIndirect", false, buffer, offset);
}

void RenderCommands::DrawIndexedIndirect(const std::shared_ptr<Buffer>& buffer, uint64_t offset) {
  DrawIndirectly("drawIndexedIndirect", true, buffer, offset);
}

void RenderCommands::ResetBindings() {
  groups_.clear();
  pipeline_.reset();
  indices_ = {};
  vertex_buffers_.clear();
  bindings_.reset();
}

}  // namespace lockstep::gpu::core

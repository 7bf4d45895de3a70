// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/render.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "gpu/cpu/clock.h"
#include "gpu/cpu/query_set.h"
#include "gpu/cpu/texture.h"
#include "ir/transform/stage_io.h"
#include "raster/render_pass.h"

namespace lockstep::gpu::cpu {
namespace {

const CpuRenderPipeline& PipelineOf(const hal::RenderDraw& draw) {
  return static_cast<const CpuRenderPipeline&>(*draw.pipeline);
}

raster::DepthFormat DepthFormatOf(hal::TextureFormat format) {
  const hal::TextureFormatInfo& info = hal::FormatInfo(format);
  if (!info.Has(hal::Aspect::kDepth)) return raster::DepthFormat::kNone;
  // depth24plus is kept as a float.
  return info[hal::Aspect::kDepth].bytes == 2 ? raster::DepthFormat::kUnorm16 : raster::DepthFormat::kFloat32;
}

raster::Surface SurfaceOf(const hal::RenderTarget& target, hal::Aspect aspect) {
  auto& texture = static_cast<LinearTexture&>(*target.texture);
  const Blocks blocks = texture.layout().At(texture.memory(), aspect, target.mip_level, {0, 0, target.layer});
  return {blocks.first, blocks.row_bytes};
}

raster::ColorAttachment ColorOf(const hal::RenderColorAttachment& from) {
  raster::ColorAttachment to;
  to.surface = SurfaceOf(from.target, hal::Aspect::kColor);
  const auto format = raster::FindColorFormat(hal::EnumName(from.target.format));
  CHECK(format.has_value());
  to.format = *format;
  to.load_op = from.load_op;
  to.store_op = from.store_op;
  to.clear_value = from.clear_value;
  if (from.resolve) to.resolve = SurfaceOf(*from.resolve, hal::Aspect::kColor);
  return to;
}

raster::DepthStencilAttachment DepthStencilOf(const hal::RenderDepthStencilAttachment& from) {
  raster::DepthStencilAttachment to;
  const hal::TextureFormatInfo& format = hal::FormatInfo(from.target.format);
  to.depth_format = DepthFormatOf(from.target.format);
  if (format.Has(hal::Aspect::kDepth)) to.depth = SurfaceOf(from.target, hal::Aspect::kDepth);
  to.depth_load_op = from.depth_load_op;
  to.depth_store_op = from.depth_store_op;
  to.depth_clear_value = from.depth_clear_value;
  to.has_stencil = format.Has(hal::Aspect::kStencil);
  if (to.has_stencil) to.stencil = SurfaceOf(from.target, hal::Aspect::kStencil);
  to.stencil_load_op = from.stencil_load_op;
  to.stencil_store_op = from.stencil_store_op;
  to.stencil_clear_value = static_cast<uint8_t>(from.stencil_clear_value);
  return to;
}

class LentThreads : public raster::Threads {
 public:
  LentThreads(const RenderContext& context, uint64_t stack_bytes)
      : context_(context), stack_bytes_(stack_bytes) {}

  uint32_t slots() const override { return context_.thread_count; }

  bool ForEach(uint64_t count, const Run& run) override {
    if (!failure_.ok()) return false;
    bool stopped = false;
    const auto range = [&](uint32_t slot, uint64_t first, uint64_t last) {
      abi::Worker worker{context_.workers[slot].workgroup(), context_.workers[slot].frame(), 0};
      if (context_.observer) worker.observer = context_.observer(slot);
      for (uint64_t i = first; i < last; ++i) {
        worker.random_state = Mix64(i);
        if (*context_.cancel == 0 && run(slot, worker, i)) continue;
        stopped = true;
        return false;
      }
      return true;
    };
    failure_ = context_.threads.Run(count, context_.thread_count, stack_bytes_, range);
    return failure_.ok() && !stopped;
  }

  const Result<>& failure() const { return failure_; }

 private:
  const RenderContext& context_;
  uint64_t stack_bytes_;
  Result<> failure_ = Ok();
};

// The passes' draws as the rasteriser has them; holds what they point to.
class Draws {
 public:
  Draws(const hal::RenderPass& pass, const RenderContext& context)
      : pass_(pass), guards_(context.guards), details_(context.details) {}

  // None where an indirect draw does nothing.
  Result<std::optional<raster::Draw>> Make(const hal::RenderDraw& from) {
    raster::Draw draw;
    draw.number = static_cast<uint32_t>(&from - pass_.draws.data());
    draw.pipeline = &PipelineOf(from).pipeline(details_);
    for (const auto& [to, resources] : {std::pair{&draw.vertex_resources, &from.vertex_resources},
                                        std::pair{&draw.fragment_resources, &from.fragment_resources}}) {
      Result<BoundViews> bound = BoundViews::Bind(*resources, guards_);
      if (!bound.ok()) return bound.failure();
      to->assign(bound->views().begin(), bound->views().end());
      bound_.push_back(std::move(*bound));
    }
    draw.vertex_textures = textures_.emplace_back(from.vertex_textures).views();
    draw.fragment_textures = textures_.emplace_back(from.fragment_textures).views();
    for (const hal::BoundBuffer& buffer : from.vertex_buffers) {
      if (buffer.buffer == nullptr)
        draw.vertex_buffers.emplace_back();
      else
        draw.vertex_buffers.push_back({buffer.buffer->bytes().data() + buffer.offset, buffer.size});
    }
    draw.vertex_buffers.resize(draw.pipeline->vertex_buffers.size());
    SetState(from, draw);
    return SetCounts(from, draw) ? std::optional(std::move(draw)) : std::nullopt;
  }

  // Tells the queries what passed.
  void Finish() const {
    for (const uint32_t query : pass_.begun_queries)
      static_cast<CpuQuerySet&>(*pass_.occlusion_queries).values[query] = 0;
    for (const auto& [query, passed] : passed_)
      static_cast<CpuQuerySet&>(*pass_.occlusion_queries).values[query] = passed.load();
  }

 private:
  void SetState(const hal::RenderDraw& from, raster::Draw& draw) {
    draw.viewport = from.viewport;
    draw.scissor = from.scissor;
    draw.blend_constant = from.blend_constant;
    draw.stencil_reference = from.stencil_reference;
    if (from.occlusion_query) draw.samples_passed = &passed_[*from.occlusion_query];
    if (!from.index_format) return;
    draw.index_format = *from.index_format;
    draw.indices = from.indices.buffer->bytes().data() + from.indices.offset;
    draw.index_bytes = from.indices.size;
  }

  static bool SetCounts(const hal::RenderDraw& from, raster::Draw& draw) {
    draw.count = from.count;
    draw.instance_count = from.instance_count;
    draw.first = from.first;
    draw.base_vertex = from.base_vertex;
    draw.first_instance = from.first_instance;
    if (from.indirect == nullptr) return true;
    uint32_t words[5] = {};
    const size_t bytes = (from.index_format ? 5 : 4) * sizeof(uint32_t);
    std::memcpy(words, from.indirect->bytes().data() + from.indirect_offset, bytes);
    draw.count = words[0];
    draw.instance_count = words[1];
    draw.first = words[2];
    draw.base_vertex = from.index_format ? static_cast<int32_t>(words[3]) : 0;
    draw.first_instance = words[from.index_format ? 4 : 3];
    return draw.first_instance == 0 || from.indirect_first_instance;
  }

  const hal::RenderPass& pass_;
  Guards guards_;
  bool details_;
  std::deque<BoundViews> bound_;
  std::deque<BoundTextures> textures_;
  std::unordered_map<uint32_t, std::atomic<uint64_t>> passed_;  // by query
};

raster::Stage StageOf(const codegen::Kernel& kernel, const ir::Module& module) {
  raster::Stage stage{kernel.entry(), ir::StageLayoutOf(module), {}};
  stage.used_inputs = ir::UsedInputs(module, stage.layout);
  return stage;
}

void UseStages(const WatchedStages& stages, bool details, raster::Pipeline& pipeline) {
  const auto stage_of = [](const WatchedCode& code) { return StageOf(*code.kernel, code.module); };
  pipeline.vertex = stage_of(stages.vertex(details));
  if (const WatchedCode* fragment = stages.fragment(details)) pipeline.fragment = stage_of(*fragment);
}

Result<uint64_t> PrepareWorkers(const hal::RenderPass& pass, const RenderContext& context) {
  uint64_t workgroup_bytes = 0, frame_bytes = 0, stack_bytes = 0;
  for (const hal::RenderDraw& draw : pass.draws) {
    PipelineOf(draw).ForEachKernel(context.details, [&](const codegen::Kernel& kernel) {
      workgroup_bytes = std::max<uint64_t>(workgroup_bytes, kernel.workgroup_bytes);
      frame_bytes = std::max<uint64_t>(frame_bytes, kernel.frame_bytes);
      stack_bytes = std::max<uint64_t>(stack_bytes, kernel.stack_bytes);
    });
  }
  for (uint32_t slot = 0; slot < context.thread_count; ++slot) {
    if (Result<> fits = context.workers[slot].Fit(workgroup_bytes, frame_bytes, context.guards); !fits.ok())
      return fits.failure();
  }
  return stack_bytes;
}

}  // namespace

Result<> CpuRenderPipeline::MakeStages(KernelCache& cache, const hal::RenderPipelineDescriptor& descriptor,
                                       const hal::PipelineOptions& options) {
  Result<TieredKernel> vertex = TieredKernel::Make(cache, *descriptor.vertex, options);
  if (!vertex.ok()) return vertex.failure();
  vertex_ = std::move(*vertex);
  pipeline_.vertex = StageOf(vertex_->code(), *descriptor.vertex);
  if (descriptor.fragment == nullptr) return Ok();
  Result<TieredKernel> fragment = TieredKernel::Make(cache, *descriptor.fragment, options);
  if (!fragment.ok()) return fragment.failure();
  fragment_ = std::move(*fragment);
  pipeline_.fragment = StageOf(fragment_->code(), *descriptor.fragment);
  return Ok();
}

Result<> CpuRenderPipeline::MakeWatchedStages(KernelCache& cache,
                                              const hal::RenderPipelineDescriptor& descriptor,
                                              const hal::PipelineOptions& options) {
  Result<WatchedStages> stages = WatchedStages::Make(cache, descriptor, options);
  if (!stages.ok()) return stages.failure();
  watched_ = std::make_unique<WatchedStages>(std::move(*stages));
  UseStages(*watched_, false, pipeline_);
  return Ok();
}

Result<> CpuRenderPipeline::MakeDetailed(KernelCache& cache) const {
  if (detailed_) return Ok();
  if (Result<> made = watched_->MakeDetailed(cache); !made.ok()) return made;
  detailed_ = pipeline_;
  UseStages(*watched_, true, *detailed_);
  return Ok();
}

Result<std::unique_ptr<CpuRenderPipeline>> CpuRenderPipeline::Make(
    KernelCache& cache, const hal::RenderPipelineDescriptor& descriptor,
    const hal::PipelineOptions& options) {
  auto made = std::make_unique<CpuRenderPipeline>();
  Result<> stages = options.watch ? made->MakeWatchedStages(cache, descriptor, options)
                                  : made->MakeStages(cache, descriptor, options);
  if (!stages.ok()) return stages.failure();
  raster::Pipeline& pipeline = made->pipeline_;
  pipeline.vertex_buffers = descriptor.vertex_buffers;
  pipeline.primitive = descriptor.primitive;
  if (descriptor.depth_stencil_format)
    pipeline.depth_format = DepthFormatOf(*descriptor.depth_stencil_format);
  pipeline.depth_stencil = descriptor.depth_stencil;
  pipeline.multisample = descriptor.multisample;
  for (const auto& target : descriptor.targets)
    pipeline.targets.push_back(target ? std::optional(target->state) : std::nullopt);
  return made;
}

void CpuRenderPipeline::Prepare(KernelCache& cache, uint64_t vertices, uint64_t fragments) const {
  if (watched_) return;
  vertex_->Prepare(cache, vertices);
  pipeline_.vertex.entry = vertex_->code().entry();
  if (!fragment_) return;
  fragment_->Prepare(cache, fragments);
  pipeline_.fragment->entry = fragment_->code().entry();
}

void CpuRenderPipeline::Ran(double seconds) const {
  if (vertex_) vertex_->Ran(seconds);
  if (fragment_) fragment_->Ran(seconds);
}

bool IsWatched(const hal::RenderPass& pass) {
  return !pass.draws.empty() && PipelineOf(pass.draws[0]).watched() != nullptr;
}

void PrepareKernels(const hal::RenderPass& pass, KernelCache& cache) {
  constexpr uint64_t kMost = uint64_t{1} << 32;  // more make no difference, and sums of them do not overflow
  struct Invocations {
    uint64_t vertices = 0, fragments = 0;
  };
  std::unordered_map<const CpuRenderPipeline*, Invocations> invocations;
  for (const hal::RenderDraw& draw : pass.draws) {
    Invocations& of = invocations[&PipelineOf(draw)];
    of.vertices +=
        draw.indirect == nullptr ? std::min(kMost, uint64_t{draw.count} * draw.instance_count) : kMost;
    of.fragments += uint64_t{pass.width} * pass.height;  // as if each draw covered all
  }
  for (const auto& [pipeline, of] : invocations) pipeline->Prepare(cache, of.vertices, of.fragments);
}

Result<bool> Perform(const hal::RenderPass& pass, const RenderContext& context) {
  const Result<uint64_t> stack_bytes = PrepareWorkers(pass, context);
  if (!stack_bytes.ok()) return stack_bytes.failure();
  raster::Attachments attachments;
  attachments.width = pass.width;
  attachments.height = pass.height;
  attachments.samples = pass.sample_count;
  for (const auto& color : pass.colors)
    attachments.colors.push_back(color ? std::optional(ColorOf(*color)) : std::nullopt);
  if (pass.depth_stencil) attachments.depth_stencil = DepthStencilOf(*pass.depth_stencil);

  const auto start = std::chrono::steady_clock::now();
  LentThreads threads(context, *stack_bytes);
  abi::Dispatch dispatch;
  dispatch.cancel = context.cancel;
  raster::RenderPass rendering(attachments, threads, dispatch);
  Draws draws(pass, context);
  bool done = rendering.Begin();
  for (const hal::RenderDraw& from : pass.draws) {
    if (!done) break;
    Result<std::optional<raster::Draw>> draw = draws.Make(from);
    if (!draw.ok()) return draw.failure();
    if (*draw) done = rendering.Add(std::move(**draw));
  }
  done = done && rendering.End();
  if (!threads.failure().ok()) return threads.failure().failure();
  if (done) draws.Finish();
  std::unordered_set<const CpuRenderPipeline*> ran;
  for (const hal::RenderDraw& draw : pass.draws) ran.insert(&PipelineOf(draw));
  for (const CpuRenderPipeline* pipeline : ran) pipeline->Ran(SecondsSince(start));
  return done;
}

}  // namespace lockstep::gpu::cpu

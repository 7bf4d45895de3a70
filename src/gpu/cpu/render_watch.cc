// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/render_watch.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gpu/cpu/render.h"
#include "gpu/cpu/snapshot.h"
#include "gpu/cpu/texture.h"
#include "observe/race/detector.h"
#include "observe/race/recorder.h"

namespace lockstep::gpu::cpu {
namespace {

namespace race = observe::race;

bool MayWrite(const ir::Variable& variable) {
  return variable.space == ir::AddressSpace::kStorage && variable.access != ir::Access::kRead;
}

bool MayWrite(const ir::Module& module) {
  for (uint32_t i = 0; i < module.variables.size(); ++i) {
    if (MayWrite(module.variables[ir::VariableId(i)])) return true;
  }
  return false;
}

const WatchedStages& StagesOf(const hal::RenderDraw& draw) {
  return *static_cast<const CpuRenderPipeline&>(*draw.pipeline).watched();
}

// What the events of all the draws of a pass mean.
class PassProgram {
 public:
  PassProgram(const hal::RenderPass& pass, bool details) {
    for (const hal::RenderDraw& draw : pass.draws) {
      Add(StagesOf(draw).vertex(details), draw.vertex_resources);
      const WatchedCode* const fragment = StagesOf(draw).fragment(details);
      if (fragment != nullptr)
        Add(*fragment, draw.fragment_resources);
      else
        program_.stages.emplace_back();
    }
  }
  const observe::Program& program() const { return program_; }

 private:
  struct Known {
    CodeNumbers code;
    const std::vector<hal::BoundBuffer>* resources = nullptr;  // of the last draw
    observe::Numbers numbers;
  };

  void Add(const WatchedCode& code, const std::vector<hal::BoundBuffer>& resources) {
    const auto [it, is_new] = known_.try_emplace(&code);
    Known& known = it->second;
    if (is_new) known.code = AddCode(program_, code, static_cast<uint32_t>(known_.size()));
    if (known.resources == nullptr || !Same(*known.resources, resources)) {
      std::vector<BoundMemory> bound;
      for (const hal::BoundBuffer& buffer : resources)
        bound.push_back({MemoryOf(*buffer.buffer), buffer.offset / 4, buffer.size / 4});
      known.numbers = {AddVariables(program_, code, known.code, bound), known.code.site};
      known.resources = &resources;
    }
    program_.stages.push_back(known.numbers);
  }

  static bool Same(const std::vector<hal::BoundBuffer>& a, const std::vector<hal::BoundBuffer>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
      return x.buffer == y.buffer && x.offset == y.offset && x.size == y.size;
    });
  }

  uint32_t MemoryOf(const hal::Buffer& buffer) {
    const auto next = static_cast<uint32_t>(program_.memories.size());
    const auto [it, is_new] = memories_.try_emplace(&buffer, next);
    if (is_new) program_.memories.push_back(0);  // until a variable that is watched has it
    return it->second;
  }

  observe::Program program_;
  std::unordered_map<const WatchedCode*, Known> known_;
  std::unordered_map<const hal::Buffer*, uint32_t> memories_;
};

// What the pass changes: buffers that fragments may write, and attachments that begin with what they had.
std::vector<abi::BufferView> WrittenBy(const hal::RenderPass& pass) {
  std::unordered_map<hal::Buffer*, abi::BufferView> buffers;
  for (const hal::RenderDraw& draw : pass.draws) {
    if (!StagesOf(draw).writes()) continue;
    for (const hal::BoundBuffer& bound : draw.fragment_resources)
      buffers[bound.buffer] = {bound.buffer->bytes().data(), bound.buffer->bytes().size()};
  }
  std::vector<abi::BufferView> written;
  for (const auto& [buffer, view] : buffers) written.push_back(view);
  const auto add = [&](const hal::RenderTarget& target, hal::Aspect aspect) {
    auto& texture = static_cast<LinearTexture&>(*target.texture);
    const Blocks blocks =
        texture.layout().At(texture.memory(), aspect, target.mip_level, {0, 0, target.layer});
    written.push_back({blocks.first, blocks.row_bytes * pass.height});
  };
  for (const auto& color : pass.colors) {
    if (color && color->load_op == abi::LoadOp::kLoad) add(color->target, hal::Aspect::kColor);
  }
  if (!pass.depth_stencil) return written;
  const hal::TextureFormatInfo& format = hal::FormatInfo(pass.depth_stencil->target.format);
  for (const hal::Aspect aspect : {hal::Aspect::kDepth, hal::Aspect::kStencil}) {
    if (format.Has(aspect)) add(pass.depth_stencil->target, aspect);
  }
  return written;
}

Result<> MakeDetailed(const hal::RenderPass& pass, KernelCache& cache) {
  for (const hal::RenderDraw& draw : pass.draws) {
    Result<> made = static_cast<const CpuRenderPipeline&>(*draw.pipeline).MakeDetailed(cache);
    if (!made.ok()) return made;
  }
  return Ok();
}

}  // namespace

Result<WatchedStages::Stage> WatchedStages::MakeStage(KernelCache& cache, const ir::Module& lowered,
                                                      const hal::PipelineOptions& options) {
  Stage stage{lowered, Instrument(lowered, false), std::nullopt};
  if (Result<> compiled = CompileWatched(stage.first, cache, options); !compiled.ok())
    return compiled.failure();
  return stage;
}

Result<WatchedStages> WatchedStages::Make(KernelCache& cache, const hal::RenderPipelineDescriptor& descriptor,
                                          const hal::PipelineOptions& options) {
  WatchedStages stages;
  stages.options_ = options;
  Result<Stage> vertex = MakeStage(cache, *descriptor.vertex, options);
  if (!vertex.ok()) return vertex.failure();
  stages.vertex_ = std::move(*vertex);
  if (descriptor.fragment == nullptr) return stages;
  Result<Stage> fragment = MakeStage(cache, *descriptor.fragment, options);
  if (!fragment.ok()) return fragment.failure();
  stages.fragment_ = std::move(*fragment);
  stages.writes_ = MayWrite(*descriptor.fragment);
  return stages;
}

Result<> WatchedStages::MakeDetailed(KernelCache& cache) {
  for (Stage* stage : {&vertex_, fragment_ ? &*fragment_ : nullptr}) {
    if (stage == nullptr || stage->detailed) continue;
    WatchedCode detailed = Instrument(stage->lowered, true);
    if (Result<> compiled = CompileWatched(detailed, cache, options_); !compiled.ok()) return compiled;
    stage->detailed = std::move(detailed);
  }
  return Ok();
}

Result<bool> WatchPass(const hal::RenderPass& pass, const RenderContext& context, KernelCache& cache,
                       uint32_t number, observe::Findings& findings) {
  const bool writes = std::any_of(pass.draws.begin(), pass.draws.end(),
                                  [](const hal::RenderDraw& draw) { return StagesOf(draw).writes(); });
  const PassProgram first(pass, false);
  RenderContext look = context;
  if (writes) look.thread_count = 1;
  Result<std::unique_ptr<race::Detector>> detector =
      race::Detector::Make(first.program(), look.thread_count, kWatchLanes);
  if (!detector.ok()) return detector.failure();
  const Snapshot before(writes ? WrittenBy(pass) : std::vector<abi::BufferView>());
  look.observer = [&](uint32_t slot) { return (*detector)->observer(slot); };
  Result<bool> done = Perform(pass, look);
  if (!done.ok() || !*done) return done;
  for (auto& out : (*detector)->Bounds().Report(first.program(), number))
    findings.out_of_bounds.push_back(std::move(out));
  const race::WordSet suspects = (*detector)->Suspects();
  if (suspects.empty()) return true;
  if (Result<> made = MakeDetailed(pass, cache); !made.ok()) return made.failure();
  before.Restore();
  const PassProgram second(pass, true);
  race::Recorder recorder(second.program(), suspects, kWatchLanes);
  look.observer = [&](uint32_t) { return &recorder; };
  look.details = true;
  done = Perform(pass, look);
  if (!done.ok() || !*done) return done;
  for (auto& found : recorder.Report(number)) findings.races.push_back(std::move(found));
  return true;
}

}  // namespace lockstep::gpu::cpu

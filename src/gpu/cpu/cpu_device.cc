// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/cpu_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "abi/grid.h"
#include "abi/kernel.h"
#include "gpu/cpu/clock.h"
#include "gpu/cpu/copies.h"
#include "gpu/cpu/cpu_info.h"
#include "gpu/cpu/kernel_cache.h"
#include "gpu/cpu/kernel_memory.h"
#include "gpu/cpu/query_set.h"
#include "gpu/cpu/render.h"
#include "gpu/cpu/render_watch.h"
#include "gpu/cpu/snapshot.h"
#include "gpu/cpu/texture.h"
#include "gpu/cpu/tiered_kernel.h"
#include "gpu/cpu/watch.h"
#include "gpu/cpu/workgroups.h"
#include "interp/interpreter.h"
#include "ir/op.h"
#include "ir/transform/pipeline.h"
#include "observe/race/detector.h"
#include "observe/race/recorder.h"

namespace lockstep::gpu::cpu {
namespace {

// What all buffers and textures of a device take together.
using MemoryUse = std::atomic<uint64_t>;

// A part of it.
struct Share {
  Share(uint64_t bytes, std::shared_ptr<MemoryUse> use)
      : size(bytes), before(use->fetch_add(bytes)), use_(std::move(use)) {}
  ~Share() {
    if (use_) *use_ -= size;
  }
  Share(Share&&) = default;

  uint64_t size, before;  // bytes: of this, and those in use without it

 private:
  std::shared_ptr<MemoryUse> use_;
};

struct Memory {
  Share share;
  Pages pages;
};

class CpuBuffer : public hal::Buffer {
 public:
  explicit CpuBuffer(Memory memory) : memory_(std::move(memory)) {}
  uint64_t size() const override { return memory_.pages.size(); }
  std::span<std::byte> bytes() override { return memory_.pages.bytes(); }

 private:
  Memory memory_;
};

class CpuTexture : public LinearTexture {
 public:
  CpuTexture(const TextureLayout& layout, Memory memory)
      : LinearTexture(layout), memory_(std::move(memory)) {}
  std::byte* memory() override { return memory_.pages.data(); }

 private:
  Memory memory_;
};

class CpuPipeline : public hal::ComputePipeline {
 public:
  mutable std::optional<TieredKernel> kernel;  // guarded by CpuDevice::dispatch_mutex_
  ir::Module module;                           // for the interpreter
  hal::PipelineOptions options;
  // With PipelineOptions::watch: the module as lowered and the code for both looks, the second made when a
  // first one needs it.
  ir::Module lowered;
  bool depends_on_order = false;
  WatchedCode watched;
  mutable std::optional<WatchedCode> detailed;
  mutable std::map<uint32_t, std::shared_ptr<codegen::Kernel>> shuffled;  // by lanes
};

class CpuDevice : public hal::Device {
 public:
  explicit CpuDevice(const Options& options)
      : options_(options),
        info_(MakeAdapterInfo(DefaultThreads())),
        usable_memory_(UsableMemory()),
        kernels_({options.library_folders, options.cache_folder, options.cache_bytes, options.build_id}) {}

  const hal::AdapterInfo& info() const override { return info_; }
  Result<std::unique_ptr<hal::Buffer>> CreateBuffer(uint64_t size) override;
  Result<std::unique_ptr<hal::QuerySet>> CreateQuerySet(hal::QueryType, uint32_t count) override {
    return std::unique_ptr<hal::QuerySet>(std::make_unique<CpuQuerySet>(count));
  }
  Result<std::unique_ptr<hal::Texture>> CreateTexture(const hal::TextureDescriptor& descriptor) override;
  Result<std::unique_ptr<hal::ComputePipeline>> CreateComputePipeline(
      const ir::Module& module, const hal::PipelineOptions& options) override;
  Result<std::unique_ptr<hal::RenderPipeline>> CreateRenderPipeline(
      const hal::RenderPipelineDescriptor& descriptor, const hal::PipelineOptions& options) override;
  Result<hal::ExecuteResult> Execute(std::span<const hal::Command> commands,
                                     const hal::ExecuteOptions& options) override;
  Result<std::string> Show(const ir::Module& module, std::string_view form,
                           const hal::PipelineOptions& options) override;

 private:
  struct Run;  // one dispatch that is being run

  Result<Memory> Allocate(uint64_t size) const;
  Result<> RunCommand(const hal::Command& command, const hal::ExecuteOptions& options,
                      hal::ExecuteResult& result);
  Result<> RunDispatch(const hal::Dispatch& dispatch, const hal::ExecuteOptions& options,
                       hal::ExecuteResult& result);
  Result<> RunPass(const hal::RenderPass& pass, const hal::ExecuteOptions& options, uint32_t number);
  Result<> Interpret(Run& run, const ir::Module& module, interp::Options options);
  void PrepareKernels(std::span<const hal::Command> commands, const hal::ExecuteOptions& options);
  Result<> RunKernel(Run& run);
  Result<> RunKernel(Run& run, const codegen::Kernel& kernel, uint32_t threads,
                     const std::function<abi::Observer*(uint32_t thread)>& observer);
  Result<> Watch(Run& run, uint32_t dispatch);
  Result<> RunSchedule(Run& run);
  Result<> RunWatched(Run& run, const WatchedCode& code, uint32_t threads,
                      const std::function<abi::Observer*(uint32_t thread)>& observer);
  Result<> Compile(WatchedCode* code, const hal::PipelineOptions& options);
  Result<> PrepareWorkers(const codegen::Kernel& kernel, uint32_t threads);

  Options options_;
  hal::AdapterInfo info_;
  uint64_t usable_memory_;
  KernelCache kernels_;
  std::shared_ptr<MemoryUse> memory_use_ = std::make_shared<MemoryUse>(0);
  std::mutex dispatch_mutex_;  // guards what follows: one dispatch runs at a time
  std::vector<WorkerMemory> workers_;
  WorkgroupThreads threads_;
};

// Workgroups of a dispatch.
uint64_t Total(const std::array<uint32_t, 3>& counts) { return uint64_t{counts[0]} * counts[1] * counts[2]; }

struct CpuDevice::Run {
  const CpuPipeline& pipeline;
  const hal::ExecuteOptions& options;
  std::array<uint32_t, 3> counts;
  std::span<const abi::BufferView> views;
  std::span<const abi::TextureView* const> textures;
  const volatile uint32_t* cancel;
  double seconds = 0;
  uint64_t total() const { return Total(counts); }
  // What orders workgroups; 0: the canonical schedule.
  uint64_t seed() const { return pipeline.options.watch ? options.schedule_seed : options.shuffle_seed; }
};

bool IsSet(const std::atomic<uint32_t>* cancel) { return cancel != nullptr && cancel->load() != 0; }

Failure Interrupted() { return {FailureKind::kInterrupted, "interrupted"}; }

// Nanoseconds from a point in the past.
uint64_t Timestamp(uint64_t step) {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  const auto now = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
  return now / step * step;
}

Result<Memory> CpuDevice::Allocate(uint64_t size) const {
  Share share(size, memory_use_);
  if (size > usable_memory_ || share.before > usable_memory_ - size) {
    return Failure{
        FailureKind::kEnvironment,
        fmt::format("out of memory: {} bytes more than the {} in use do not fit the {} of this machine", size,
                    share.before, usable_memory_)};
  }
  Result<Pages> pages = Pages::Allocate(size, options_.guards);
  if (!pages.ok()) return pages.failure();
  return Memory{std::move(share), std::move(*pages)};
}

Result<std::unique_ptr<hal::Buffer>> CpuDevice::CreateBuffer(uint64_t size) {
  Result<Memory> memory = Allocate(size);
  if (!memory.ok()) return memory.failure();
  return std::unique_ptr<hal::Buffer>(std::make_unique<CpuBuffer>(std::move(*memory)));
}

Result<std::unique_ptr<hal::Texture>> CpuDevice::CreateTexture(const hal::TextureDescriptor& descriptor) {
  const TextureLayout layout(descriptor);
  Result<Memory> memory = Allocate(layout.bytes());
  if (!memory.ok()) return memory.failure();
  return std::unique_ptr<hal::Texture>(std::make_unique<CpuTexture>(layout, std::move(*memory)));
}

Result<std::unique_ptr<hal::ComputePipeline>> CpuDevice::CreateComputePipeline(
    const ir::Module& module, const hal::PipelineOptions& options) {
  auto pipeline = std::make_unique<CpuPipeline>();
  if (options.watch) {
    pipeline->options = options;
    pipeline->options.quick = false;
    pipeline->lowered = module;
    pipeline->depends_on_order = DependsOnOrder(module);
    pipeline->watched = Instrument(module, false);
    if (Result<> compiled = Compile(&pipeline->watched, pipeline->options); !compiled.ok())
      return compiled.failure();
  } else if (options_.engine == Engine::kInterpreter) {
    pipeline->module = module;
    ir::RunCpuPipeline(pipeline->module);
  } else {
    Result<TieredKernel> kernel = TieredKernel::Make(kernels_, module, options);
    if (!kernel.ok()) return kernel.failure();
    pipeline->kernel = std::move(*kernel);
  }
  return std::unique_ptr<hal::ComputePipeline>(std::move(pipeline));
}

Result<std::unique_ptr<hal::RenderPipeline>> CpuDevice::CreateRenderPipeline(
    const hal::RenderPipelineDescriptor& descriptor, const hal::PipelineOptions& options) {
  Result<std::unique_ptr<CpuRenderPipeline>> made = CpuRenderPipeline::Make(kernels_, descriptor, options);
  if (!made.ok()) return made.failure();
  return std::unique_ptr<hal::RenderPipeline>(std::move(*made));
}

Result<std::string> CpuDevice::Show(const ir::Module& module, std::string_view form,
                                    const hal::PipelineOptions& options) {
  if (form == "lanes") return kernels_.Show(module, codegen::Emit::kLanes, options);
  if (form == "llvm") return kernels_.Show(module, codegen::Emit::kLlvm, options);
  if (form == "asm") return kernels_.Show(module, codegen::Emit::kAsm, options);
  return Failure{FailureKind::kUsage, fmt::format("the CPU device has no form '{}'", form)};
}

Result<hal::ExecuteResult> CpuDevice::Execute(std::span<const hal::Command> commands,
                                              const hal::ExecuteOptions& options) {
  hal::ExecuteResult result;
  const auto progress = [&](uint64_t number) {
    if (options.progress != nullptr) options.progress->store(number);
  };
  const auto runs_shaders = [](const hal::Command& command) {
    return std::holds_alternative<hal::Dispatch>(command) || std::holds_alternative<hal::RenderPass>(command);
  };
  if (std::any_of(commands.begin(), commands.end(), runs_shaders)) {
    progress(hal::kNoCommand);
    const std::lock_guard lock(dispatch_mutex_);
    PrepareKernels(commands, options);
  }
  for (size_t number = 0; number < commands.size(); ++number) {
    std::unique_lock lock(dispatch_mutex_, std::defer_lock);
    if (runs_shaders(commands[number])) {
      progress(hal::kNoCommand);
      lock.lock();
    }
    progress(number);
    if (IsSet(options.cancel)) return Interrupted();
    const Result<> done = RunCommand(commands[number], options, result);
    if (!done.ok()) return done.failure();
  }
  return result;
}

// Before the first command, so that neither timestamps nor whoever looks how long a command takes see the
// compiler at work.
void CpuDevice::PrepareKernels(std::span<const hal::Command> commands, const hal::ExecuteOptions& options) {
  constexpr uint64_t kMost = uint64_t{1} << 32;  // more make no difference, and sums of them do not overflow
  std::unordered_map<const CpuPipeline*, uint64_t> workgroups;
  for (const hal::Command& command : commands) {
    if (const auto* pass = std::get_if<hal::RenderPass>(&command)) cpu::PrepareKernels(*pass, kernels_);
    const auto* dispatch = std::get_if<hal::Dispatch>(&command);
    if (dispatch == nullptr) continue;
    const auto* pipeline = static_cast<const CpuPipeline*>(dispatch->pipeline);
    if (!pipeline->kernel || !pipeline->kernel->quick()) continue;
    const bool known = dispatch->indirect == nullptr;  // else it may be many
    workgroups[pipeline] += known ? std::min(kMost, Total(dispatch->workgroups)) : kMost;
  }
  for (const auto& [pipeline, count] : workgroups) {
    if (IsSet(options.cancel)) return;
    pipeline->kernel->Prepare(kernels_, count);
  }
}

Result<> CpuDevice::RunCommand(const hal::Command& command, const hal::ExecuteOptions& options,
                               hal::ExecuteResult& result) {
  if (const auto* dispatch = std::get_if<hal::Dispatch>(&command))
    return RunDispatch(*dispatch, options, result);
  if (const auto* pass = std::get_if<hal::RenderPass>(&command))
    return RunPass(*pass, options, result.render_passes++);
  std::visit(
      [&](const auto& other) {
        using Other = std::decay_t<decltype(other)>;
        if constexpr (std::is_same_v<Other, hal::WriteTimestamp>)
          Perform(other, Timestamp(options.timestamp_step));
        else if constexpr (!std::is_same_v<Other, hal::Dispatch> && !std::is_same_v<Other, hal::RenderPass>)
          Perform(other);
      },
      command);
  return Ok();
}

// Generated code polls it as a plain word.
const volatile uint32_t* CancelWord(const std::atomic<uint32_t>* cancel) {
  static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));
  static constexpr uint32_t kNeverCancel = 0;
  return cancel != nullptr ? reinterpret_cast<const volatile uint32_t*>(cancel) : &kNeverCancel;
}

Result<> CpuDevice::RunPass(const hal::RenderPass& pass, const hal::ExecuteOptions& options,
                            uint32_t number) {
  const uint32_t threads = options.threads != 0 ? options.threads : DefaultThreads();
  if (workers_.size() < threads) workers_.resize(threads);
  const RenderContext context{threads_,        workers_, threads, options_.guards, CancelWord(options.cancel),
                              /*observer=*/{}, false};
  observe::Findings unasked;
  observe::Findings& findings = options.findings != nullptr ? *options.findings : unasked;
  const Result<bool> done =
      IsWatched(pass) ? WatchPass(pass, context, kernels_, number, findings) : Perform(pass, context);
  if (!done.ok()) return done.failure();
  if (!*done) return Interrupted();
  return Ok();
}

Result<> CpuDevice::RunDispatch(const hal::Dispatch& dispatch, const hal::ExecuteOptions& options,
                                hal::ExecuteResult& result) {
  Run run{static_cast<const CpuPipeline&>(*dispatch.pipeline),
          options,
          dispatch.workgroups,
          {},
          {},
          CancelWord(options.cancel)};
  bool skip = false;
  if (dispatch.indirect != nullptr) {
    std::memcpy(run.counts.data(), dispatch.indirect->bytes().data() + dispatch.indirect_offset,
                sizeof(run.counts));
    skip = std::any_of(run.counts.begin(), run.counts.end(),
                       [&](uint32_t n) { return n > dispatch.max_workgroups; }) ||
           run.total() > dispatch.max_total_workgroups;
  }
  result.skipped.push_back(skip ? 1 : 0);
  if (skip || run.total() == 0) {
    result.dispatch_seconds.push_back(0);
    return Ok();
  }
  const Result<BoundViews> bound = BoundViews::Bind(dispatch.buffers, options_.guards);
  if (!bound.ok()) return bound.failure();
  run.views = bound->views();
  const BoundTextures textures(dispatch.textures);
  run.textures = textures.views();
  const bool watched = run.pipeline.options.watch;
  const auto number = static_cast<uint32_t>(result.dispatch_seconds.size());
  Result<> done = watched && options.schedule_seed != 0     ? RunSchedule(run)
                  : watched                                 ? Watch(run, number)
                  : options_.engine == Engine::kInterpreter ? Interpret(run, run.pipeline.module, {})
                                                            : RunKernel(run);
  if (done.ok()) result.dispatch_seconds.push_back(run.seconds);
  return done;
}

Result<> CpuDevice::Interpret(Run& run, const ir::Module& module, interp::Options options) {
  options.cancel = run.cancel;
  options.weak_failure_seed = run.options.weak_failure_seed;
  options.textures = run.textures;
  const auto start = std::chrono::steady_clock::now();
  Result<> done = interp::Run(module, run.views, run.counts, options);
  run.seconds = SecondsSince(start);
  if (!done.ok() && *run.cancel != 0) return Interrupted();
  return done;
}

Result<> CpuDevice::PrepareWorkers(const codegen::Kernel& kernel, uint32_t threads) {
  if (workers_.size() < threads) workers_.resize(threads);
  for (uint32_t slot = 0; slot < threads; ++slot) {
    const Result<> fits = workers_[slot].Fit(kernel.workgroup_bytes, kernel.frame_bytes, options_.guards);
    if (!fits.ok()) return fits.failure();
  }
  return Ok();
}

Result<> CpuDevice::RunKernel(Run& run) {
  const uint32_t wanted = run.options.threads != 0 ? run.options.threads : DefaultThreads();
  TieredKernel& kernel = *run.pipeline.kernel;
  kernel.Prepare(kernels_, 0);
  Result<> done = RunKernel(run, kernel.code(), wanted, [](uint32_t) { return nullptr; });
  kernel.Ran(run.seconds);
  return done;
}

Result<> CpuDevice::RunKernel(Run& run, const codegen::Kernel& kernel, uint32_t wanted,
                              const std::function<abi::Observer*(uint32_t thread)>& observer) {
  const abi::KernelEntry entry = kernel.entry();
  const uint64_t total = run.total();
  const auto threads = static_cast<uint32_t>(std::min<uint64_t>(wanted, total));
  if (Result<> ready = PrepareWorkers(kernel, threads); !ready.ok()) return ready;

  abi::Dispatch dispatch;
  dispatch.buffers = run.views.data();
  dispatch.cancel = run.cancel;
  std::copy(run.counts.begin(), run.counts.end(), dispatch.workgroup_count);
  dispatch.weak_failure_seed = run.options.weak_failure_seed;
  dispatch.textures = run.textures.data();
  const uint64_t seed = run.seed();
  const bool shuffle = seed != 0;
  const Permutation order(total, seed);
  const uint32_t groups = std::max(1u, kernel.groups);
  std::atomic<bool> cancelled{false};

  const auto run_chunk = [&](uint32_t slot, uint64_t first, uint64_t last) {
    abi::Worker worker{workers_[slot].workgroup(), workers_[slot].frame(), 0};
    worker.observer = observer(slot);
    worker.schedule_step = StepThroughGroups(groups, seed);
    for (uint64_t number = first; number < last; ++number) {
      const uint64_t linear = shuffle ? order(number) : number;
      const std::array<uint32_t, 3> at = abi::PlaceInGrid(linear, run.counts);
      worker.random_state = Mix64(linear + Mix64(dispatch.weak_failure_seed));
      worker.schedule_state = Mix64(linear + Mix64(seed));
      if (worker.observer != nullptr) worker.observer->workgroup(worker.observer, linear);
      if (*run.cancel != 0 || entry(&dispatch, &worker, at[0], at[1], at[2]) != abi::kDone) {
        cancelled = true;
        return false;
      }
    }
    return true;
  };
  threads_.Prepare(total, threads, kernel.stack_bytes);
  const auto start = std::chrono::steady_clock::now();
  if (Result<> ran = threads_.Run(total, threads, kernel.stack_bytes, run_chunk); !ran.ok()) return ran;
  run.seconds = SecondsSince(start);
  if (cancelled) return Interrupted();
  return Ok();
}

// ------------------------------------------------------------------------------------------------ watching

Result<> CpuDevice::Compile(WatchedCode* code, const hal::PipelineOptions& options) {
  if (options_.engine == Engine::kInterpreter) return Ok();
  return CompileWatched(*code, kernels_, options);
}

Result<> CpuDevice::RunWatched(Run& run, const WatchedCode& code, uint32_t threads,
                               const std::function<abi::Observer*(uint32_t thread)>& observer) {
  if (code.kernel != nullptr) return RunKernel(run, *code.kernel, threads, observer);
  interp::Options options;
  options.observer = observer(0);
  return Interpret(run, code.module, options);
}

// Another order of all that the specification leaves open: on the engine one of workgroups, lane groups and
// (by the width) lanes; for small dispatches every second time one of single instructions, of several
// workgroups at once, in the interpreter.
Result<> CpuDevice::RunSchedule(Run& run) {
  constexpr uint64_t kMaxInterpreted = 4096;  // invocations
  constexpr uint64_t kMaxSteps = 2000000;
  constexpr uint32_t kWidths[] = {1, 4, 8, 1};
  const uint64_t seed = run.options.schedule_seed;
  const uint64_t invocations = run.total() * run.pipeline.lowered.invocations();
  if (options_.engine == Engine::kInterpreter || (seed % 2 == 0 && invocations <= kMaxInterpreted)) {
    const Snapshot before(run.views);
    interp::Options options;
    options.schedule_seed = seed;
    options.max_steps = options_.engine == Engine::kInterpreter ? UINT64_MAX : kMaxSteps;
    Result<> done = Interpret(run, run.pipeline.lowered, options);
    const bool over = done.ok() || done.failure().kind == FailureKind::kInterrupted;
    if (over || options_.engine == Engine::kInterpreter) return done;
    before.Restore();  // too long for the interpreter
  }
  hal::PipelineOptions options = run.pipeline.options;
  options.lanes = kWidths[Mix64(seed) % 4];
  options.shuffle_groups = true;
  std::shared_ptr<codegen::Kernel>& kernel = run.pipeline.shuffled[options.lanes];
  if (kernel == nullptr) {
    Result<CachedKernel> made = kernels_.Get(run.pipeline.lowered, options);
    if (!made.ok()) return made.failure();
    kernel = made->code;
  }
  return RunKernel(run, *kernel, 1, [](uint32_t) { return nullptr; });
}

// First whatever order is fastest: where that shows no conflict and no value depends on the order, every
// order does the same. Else the canonical schedule; and where that has suspects, once more with a closer look
// at them.
Result<> CpuDevice::Watch(Run& run, uint32_t dispatch) {
  namespace race = observe::race;
  const Snapshot before(run.views);
  const WatchedCode& code = run.pipeline.watched;
  const observe::Program program = MakeProgram(code, run.views, run.counts);
  const uint32_t lanes = code.kernel != nullptr ? code.kernel->lanes : 1;
  const uint32_t wanted = run.options.threads != 0 ? run.options.threads : DefaultThreads();
  const bool parallel = code.kernel != nullptr && !run.pipeline.depends_on_order;
  uint32_t threads = parallel ? static_cast<uint32_t>(std::min<uint64_t>(wanted, run.total())) : 1;
  race::WordSet suspects;
  double seconds = 0;
  while (true) {
    Result<std::unique_ptr<race::Detector>> detector = race::Detector::Make(program, threads, lanes);
    if (!detector.ok()) return detector.failure();
    Result<> done =
        RunWatched(run, code, threads, [&](uint32_t thread) { return (*detector)->observer(thread); });
    if (!done.ok()) return done;
    if (seconds == 0) seconds = run.seconds;
    suspects = (*detector)->Suspects();
    const bool again = !suspects.empty() && threads > 1;
    if (!again && run.options.findings != nullptr) {
      for (auto& out : (*detector)->Bounds().Report(program, dispatch)) {
        run.options.findings->out_of_bounds.push_back(std::move(out));
      }
    }
    if (!again) break;
    before.Restore();
    threads = 1;
  }
  run.seconds = seconds;
  if (suspects.empty() || run.options.findings == nullptr) return Ok();
  before.Restore();
  if (!run.pipeline.detailed) {
    WatchedCode detailed = Instrument(run.pipeline.lowered, true);
    if (Result<> compiled = Compile(&detailed, run.pipeline.options); !compiled.ok()) return compiled;
    run.pipeline.detailed = std::move(detailed);
  }
  const WatchedCode& detailed = *run.pipeline.detailed;
  const observe::Program detailed_program = MakeProgram(detailed, run.views, run.counts);
  race::Recorder recorder(detailed_program, suspects, lanes);
  Result<> done = RunWatched(run, detailed, 1, [&](uint32_t) { return &recorder; });
  run.seconds = seconds;
  if (!done.ok()) return done;
  for (auto& found : recorder.Report(dispatch)) run.options.findings->races.push_back(std::move(found));
  return Ok();
}

}  // namespace

std::shared_ptr<hal::Device> MakeCpuDevice(const Options& options) {
  return std::make_shared<CpuDevice>(options);
}

}  // namespace lockstep::gpu::cpu

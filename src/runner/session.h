// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// A described run made ready: shader compiled, pipelines and buffers made, contents known. It can then be run
// again and again from its initial contents.
//
// Everything binds by group and binding: one buffer a binding, shared by all dispatches. The dispatches of a
// run are one submit. `dispatch indirect NAME` copies NAME to a private buffer just before its dispatch,
// since WebGPU forbids a buffer to be writable and indirect at once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "gpu/core/bind_group.h"
#include "gpu/core/compute_pipeline.h"
#include "gpu/core/device.h"
#include "gpu/core/queue.h"
#include "gpu/core/shader_module.h"
#include "gpu/devices/devices.h"
#include "runner/collect.h"
#include "runner/expect.h"

namespace lockstep::runner {

struct RunRequest {
  std::string file;
  std::optional<std::string> text;  // of the shader, where it is not the file's own
  DescriptionFlags flags;
  std::vector<std::string> saves;  // NAME=FILE
  uint32_t repeat = 5;
  std::string device = "cpu";
  uint32_t threads = 0;  // 0: all
  uint32_t lanes = 0;    // 0: the engine chooses
  std::optional<uint64_t> shuffle;
  std::optional<uint32_t> weak_failures;
  double time_limit = 60;  // seconds, compilation and all repeats together
  bool max_limits = false;
  std::vector<std::string> features;
  bool cache = true;
  bool watch = false;      // for races and accesses out of range (lockstep race)
  uint32_t schedules = 0;  // with `watch`: other schedules to compare with
};

enum class DiagnosticStage : uint8_t { kModule, kPipeline, kDescription };

struct StagedDiagnostic {
  diag::Diagnostic diagnostic;
  DiagnosticStage stage = DiagnosticStage::kModule;
};

// Values of `cancel`: who asked first.
inline constexpr uint32_t kRunning = 0, kStoppedByUser = 1, kStoppedByTime = 2;
using CancelFlag = std::atomic<uint32_t>;

struct SessionBuffer {
  std::string name;  // of its variable; of the first one where a binding has several
  uint32_t group = 0, binding = 0;
  wgsl::VariableId variable;  // that gives the name
  TypedLayout type;
  bool writable = false;
  std::shared_ptr<gpu::core::Buffer> buffer;
  std::vector<std::byte> initial;  // empty: zero
};

// How one run differs from an ordinary one.
struct RunMode {
  observe::Findings* findings = nullptr;  // of a watched run in the canonical schedule
  uint64_t schedule = 0;                  // not 0: the seed of another schedule
};

struct RunTimes {
  double seconds = 0;           // of the dispatches
  std::vector<size_t> skipped;  // indirect dispatches whose counts were over the limit
};

class Session {
 public:
  Session(const RunRequest& request, const gpu::devices::Options& devices)
      : request_(request), devices_(devices) {}

  // What there is to say about the shader and its directives, in any case.
  const std::vector<StagedDiagnostic>& diagnostics() const { return diagnostics_; }
  const SourceFile* source() const { return module_ ? &module_->source() : nullptr; }

  // Of a shader that compiled.
  const wgsl::Program& program() const { return module_->program(); }

  Result<> Prepare();
  // One run from the initial contents.
  Result<RunTimes> RunOnce(const CancelFlag& cancel, const RunMode& mode = {});

  const gpu::hal::AdapterInfo& adapter() const { return device_->adapter_info(); }
  std::vector<SessionBuffer>& buffers() { return buffers_; }  // in binding order
  std::span<const std::byte> Memory(const SessionBuffer& buffer) const {
    return device_->queue()->ReadBuffer(*buffer.buffer);
  }
  const std::vector<Placed<DispatchItem>>& dispatches() const { return description_.dispatches; }
  const std::vector<Placed<ExpectItem>>& expects() const { return description_.expects; }
  // The buffer that a name of the description means.
  const SessionBuffer* FindBuffer(const ResourceName& name) const;
  const ShaderNames& names() const { return *names_; }

 private:
  struct Step {
    std::shared_ptr<gpu::core::ComputePipeline> pipeline;
    std::map<uint32_t, std::shared_ptr<gpu::core::BindGroup>> groups;
    std::shared_ptr<gpu::core::Buffer> indirect;
  };

  Result<> OpenDevice();
  Result<> CompileShader();
  Result<> CheckSaveNames();
  Result<> MakePipelines();
  Result<std::shared_ptr<gpu::core::ComputePipeline>> MakePipeline(const DispatchItem& item,
                                                                   const Origin& origin);
  Result<> MakeBuffers();
  Result<> MakeBuffer(std::pair<uint32_t, uint32_t> place);
  // The variables that a buffer is for: those that a dispatch uses, else all of its binding.
  std::vector<const Resource*> VariablesAt(std::pair<uint32_t, uint32_t> place) const;
  Result<> FillBuffers();
  Result<> MakeBindGroups();
  Result<> MakeIndirectBuffers();
  Result<> CheckCounts(const DispatchItem& item, const Origin& origin) const;
  // The error that the device has reported since the last call, as a failure.
  Result<> TakeError();
  void Keep(const diag::Sink& sink, DiagnosticStage stage);

  RunRequest request_;
  gpu::devices::Options devices_;
  std::shared_ptr<gpu::core::Device> device_;
  std::shared_ptr<gpu::core::ShaderModule> module_;
  std::optional<ShaderNames> names_;
  RunDescription description_;
  std::vector<StagedDiagnostic> diagnostics_;
  std::optional<gpu::core::Error> error_;  // the first that is not taken
  std::map<std::string, std::shared_ptr<gpu::core::ComputePipeline>> pipelines_;
  std::vector<Step> steps_;  // a dispatch each
  std::vector<SessionBuffer> buffers_;
  bool filled_ = false;  // buffers that no shader can write need their contents only once
};

}  // namespace lockstep::runner

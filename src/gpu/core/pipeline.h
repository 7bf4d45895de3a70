// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUPipelineBase (#pipelines): what compute and render pipelines share. Entry points with their overrides, a
// layout that fits them all, and compilation in the background.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "gpu/core/device.h"
#include "gpu/core/evaluated_stage.h"
#include "gpu/core/finding.h"
#include "gpu/core/object.h"
#include "gpu/core/pipeline_layout.h"
#include "gpu/hal/device.h"

namespace lockstep::gpu::core {

class ShaderModule;

struct ProgrammableStage {
  std::shared_ptr<ShaderModule> module;
  std::optional<std::string> entry_point;
  Constants constants;
};

// What a stage's code is given: indices into EvaluatedStage::resources, in the order of the module's
// variables.
struct StageSlots {
  std::vector<uint32_t> buffers, textures;
};

// What the device makes of a pipeline. Of one that the compiler refused: null.
template <typename Made>
using Compiled = std::shared_future<std::shared_ptr<Made>>;

class Pipeline : public Object, public std::enable_shared_from_this<Pipeline> {
 public:
  using Object::Object;
  virtual std::string_view kind() const = 0;  // "compute pipeline"

  std::shared_ptr<BindGroupLayout> GetBindGroupLayout(uint32_t index);

  // Blocks until it is compiled, processing events meanwhile: then `valid` and the device's errors tell how
  // it went.
  void Wait();

  // What creation had to say about the shaders, places included; kept for invalid pipelines too.
  const diag::Sink& messages() const { return messages_; }
  // Of valid pipelines.
  const std::shared_ptr<PipelineLayout>& layout() const { return layout_; }

  // Of pipelines that are watched: false where the finding has been told.
  bool IsNew(const FindingKey& finding);

  // Starts to compile what is valid; `done` comes in Events::Process.
  virtual void Compile(PipelineDone done) = 0;

 protected:
  Error BadPipeline(const std::string& complaint) const;  // "compute pipeline 'x': ..."
  // The entry point of `descriptor` for a stage, with its overrides.
  std::optional<Error> Evaluate(const ProgrammableStage& descriptor, uint32_t stage,
                                std::optional<EvaluatedStage>& evaluated);
  // The layout that is given, or WebGPU's default one where none is; the stages must fit it.
  std::optional<Error> SetLayout(const std::shared_ptr<PipelineLayout>& given,
                                 std::span<const EvaluatedStage* const> stages);
  // Of a stage that was lowered.
  static StageSlots SlotsOf(const ir::Module& module, const EvaluatedStage& stage);
  // The options for the device, completed.
  hal::PipelineOptions OptionsFor(const hal::PipelineOptions& options) const;

  // `make` runs on another thread.
  template <typename Made>
  Compiled<Made> CompileWith(std::function<Result<std::unique_ptr<Made>>(hal::Device&)> make,
                             PipelineDone done) {
    struct Job {
      std::function<Result<std::unique_ptr<Made>>(hal::Device&)> make;
      std::promise<std::shared_ptr<Made>> compiled;
      std::optional<Error> error;
    };
    auto job = std::make_shared<Job>(Job{std::move(make), {}, {}});
    Compiled<Made> compiled = job->compiled.get_future().share();
    compiling_ = true;
    device().compile_worker().Do(
        [&hal = device().hal(), job = job.get()] {
          Result<std::unique_ptr<Made>> made = job->make(hal);
          if (!made.ok()) job->error = FromFailure(made.failure());
          job->compiled.set_value(made.ok() ? std::move(*made) : nullptr);
        },
        [self = shared_from_this(), job, done = std::move(done)] { self->Finish(job->error, done); });
    return compiled;
  }

 private:
  void Finish(const std::optional<Error>& error, const PipelineDone& done);

  diag::Sink messages_;
  std::shared_ptr<PipelineLayout> layout_;
  bool compiling_ = false;
  std::vector<FindingKey> told_;
};

}  // namespace lockstep::gpu::core

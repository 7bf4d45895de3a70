// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUDevice: makes all other objects. Every Create function returns an object, invalid where it reported an
// error. All objects of a device are used from one thread, the one that calls Events::Process: what is slow
// (commands, compilation) runs on threads of the device's own (worker.h), and is told there when it is done.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/core/adapter.h"
#include "gpu/core/error.h"
#include "gpu/core/watchdog.h"
#include "gpu/core/worker.h"
#include "gpu/hal/device.h"

namespace lockstep::gpu::core {

class BindGroup;
class BindGroupLayout;
class Buffer;
class CommandEncoder;
class ComputePipeline;
class Pipeline;
class PipelineLayout;
class PreparedCommands;
class QuerySet;
class Queue;
class RenderBundleEncoder;
class RenderPipeline;
class Sampler;
class ShaderModule;
class Texture;
struct BindGroupDescriptor;
struct BindGroupLayoutDescriptor;
struct BufferDescriptor;
struct ComputePipelineDescriptor;
struct PipelineLayoutDescriptor;
struct QuerySetDescriptor;
struct RenderBundleEncoderDescriptor;
struct RenderPipelineDescriptor;
struct SamplerDescriptor;
struct ShaderModuleDescriptor;
struct TextureDescriptor;

// What the compiler of a device has to say about a pipeline.
using PipelineDone = std::function<void(const std::optional<Error>&)>;

struct LostInfo {
  bool destroyed = false;  // by Destroy(); otherwise "unknown"
  std::string message;
};

class Device : public std::enable_shared_from_this<Device> {
 public:
  Device(std::shared_ptr<hal::Device> hal, std::shared_ptr<Events> events, const DeviceDescriptor& descriptor,
         const hal::Limits& limits, const DeviceOptions& options);
  ~Device();

  const std::string& label() const { return label_; }
  void set_label(std::string label) { label_ = std::move(label); }
  const hal::Limits& limits() const { return limits_; }
  const hal::AdapterInfo& adapter_info() const { return hal_->info(); }
  const DeviceOptions& options() const { return options_; }
  const std::vector<std::string>& features() const { return features_; }
  bool HasFeature(std::string_view feature) const;
  bool Supports(hal::Support support) const;
  hal::Device& hal() const { return *hal_; }
  std::shared_ptr<Queue> queue();

  // Null, and no error reported: there is no memory for a buffer that is mapped at creation (a RangeError).
  std::shared_ptr<Buffer> CreateBuffer(const BufferDescriptor& descriptor);
  std::shared_ptr<Texture> CreateTexture(const TextureDescriptor& descriptor);
  std::shared_ptr<Sampler> CreateSampler(const SamplerDescriptor& descriptor);
  std::shared_ptr<ShaderModule> CreateShaderModule(const ShaderModuleDescriptor& descriptor);
  std::shared_ptr<BindGroupLayout> CreateBindGroupLayout(const BindGroupLayoutDescriptor& descriptor);
  std::shared_ptr<PipelineLayout> CreatePipelineLayout(const PipelineLayoutDescriptor& descriptor);
  std::shared_ptr<BindGroup> CreateBindGroup(const BindGroupDescriptor& descriptor);
  // Compiled in the background; what the compiler refuses is reported when it is known. Who wants to know at
  // once calls Pipeline::Wait.
  std::shared_ptr<ComputePipeline> CreateComputePipeline(const ComputePipelineDescriptor& descriptor);
  // Errors are given to the callback and not reported (#async-pipeline-creation).
  template <typename Made>
  using PipelineCallback = std::function<void(const std::shared_ptr<Made>&, const std::optional<Error>&)>;
  void CreateComputePipelineAsync(const ComputePipelineDescriptor& descriptor,
                                  PipelineCallback<ComputePipeline> callback);
  // Likewise.
  std::shared_ptr<RenderPipeline> CreateRenderPipeline(const RenderPipelineDescriptor& descriptor);
  void CreateRenderPipelineAsync(const RenderPipelineDescriptor& descriptor,
                                 PipelineCallback<RenderPipeline> callback);
  std::shared_ptr<QuerySet> CreateQuerySet(const QuerySetDescriptor& descriptor);
  std::shared_ptr<RenderBundleEncoder> CreateRenderBundleEncoder(
      const RenderBundleEncoderDescriptor& descriptor);
  std::shared_ptr<CommandEncoder> CreateCommandEncoder(const std::string& label = {});

  // --- errors ---
  void PushErrorScope(ErrorKind filter) { scopes_.Push(filter); }
  // The callback comes in Events::Process. False: there is no scope (an OperationError).
  bool PopErrorScope(ErrorScopes::Popped callback);
  void set_uncaptured_error(ErrorScopes::Sink sink) { scopes_.set_uncaptured(std::move(sink)); }
  // A lost device reports no more errors (#losing-the-device).
  void Report(const Error& error);
  // What runs is stopped, what was submitted does nothing; objects are made all the same, invalid ones.
  void Lose(std::string message) { LoseAs({false, std::move(message)}); }
  void Destroy();
  const std::optional<LostInfo>& lost() const { return lost_; }
  // Called in Events::Process, also where the device is lost already.
  void set_lost_callback(std::function<void(const LostInfo&)> callback);

  // --- threads ---
  Events& events() const { return *events_; }
  const std::shared_ptr<Events>& shared_events() const { return events_; }
  Worker& queue_worker() { return queue_worker_; }
  Worker& compile_worker() { return compile_worker_; }
  Watchdog& watchdog() { return watchdog_; }
  // Runs `task` in Events::Process when everything that the queue was given before has run.
  void AfterQueuedWork(std::function<void()> task);
  // Polled by commands that run (hal::ExecuteOptions::cancel).
  const std::atomic<uint32_t>& stop() const { return stop_; }
  // What runs ends soon, and nothing runs after it.
  void Stop() { stop_.store(1); }

  // --- for objects ---
  std::shared_ptr<ErrorScopes::Expected> Expect() const { return scopes_.Expect(); }
  void Resolve(const std::shared_ptr<ErrorScopes::Expected>& expected, const std::optional<Error>& error);
  // Tells default layouts of different pipelines apart; an address would be unique only while its object
  // lives.
  uint64_t NextPipelineNumber() { return ++last_pipeline_number_; }
  // Those of a submit.
  void TellFindings(const observe::Findings& findings, const PreparedCommands& commands);
  // Buffers that may be mapped: they are unmapped when the device is destroyed.
  void RememberMapped(const std::shared_ptr<Buffer>& buffer);

 private:
  Result<std::unique_ptr<hal::Buffer>> AllocateBuffer(uint64_t size);
  // A pipeline that was validated, with what is wrong with it.
  void CompilePipeline(const std::shared_ptr<Pipeline>& pipeline, const std::optional<Error>& error);
  void CompilePipelineAsync(const std::shared_ptr<Pipeline>& pipeline, const std::optional<Error>& error,
                            PipelineDone callback);
  void LoseAs(LostInfo info);
  void TellLost();

  std::shared_ptr<hal::Device> hal_;
  std::shared_ptr<Events> events_;
  std::string label_, queue_label_;
  std::vector<std::string> features_;
  hal::Limits limits_;
  DeviceOptions options_;
  ErrorScopes scopes_;
  std::optional<LostInfo> lost_;
  std::function<void(const LostInfo&)> lost_callback_;
  std::weak_ptr<Queue> queue_;
  std::vector<std::weak_ptr<Buffer>> mapped_;
  uint64_t last_pipeline_number_ = 0;
  std::atomic<uint32_t> stop_{0};
  Watchdog watchdog_;
  Worker compile_worker_;
  Worker queue_worker_;  // waits for what is compiled: it goes first
};

}  // namespace lockstep::gpu::core

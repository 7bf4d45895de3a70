// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUDevice: makes all other objects. Every Create function returns an object, invalid where it reported an
// error. Thread-safe, except that an encoder is used by one thread at a time.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gpu/core/adapter.h"
#include "gpu/core/error.h"
#include "gpu/hal/device.h"

namespace lockstep::gpu::core {

class BindGroup;
class BindGroupLayout;
class Buffer;
class CommandEncoder;
class ComputePipeline;
class PipelineLayout;
class Queue;
class ShaderModule;
struct BindGroupDescriptor;
struct BindGroupLayoutDescriptor;
struct BufferDescriptor;
struct ComputePipelineDescriptor;
struct PipelineLayoutDescriptor;
struct ShaderModuleDescriptor;

struct LostInfo {
  bool destroyed = false;  // by Destroy(); otherwise "unknown"
  std::string message;
};

class Device : public std::enable_shared_from_this<Device> {
 public:
  Device(std::shared_ptr<hal::Device> hal, const DeviceDescriptor& descriptor, const hal::Limits& limits);

  const std::string& label() const { return label_; }
  const hal::Limits& limits() const { return limits_; }
  const hal::AdapterInfo& adapter_info() const { return hal_->info(); }
  const std::vector<std::string>& features() const { return features_; }
  bool HasFeature(std::string_view feature) const;
  hal::Device& hal() const { return *hal_; }
  std::shared_ptr<Queue> queue();

  std::shared_ptr<Buffer> CreateBuffer(const BufferDescriptor& descriptor);
  std::shared_ptr<ShaderModule> CreateShaderModule(const ShaderModuleDescriptor& descriptor);
  std::shared_ptr<BindGroupLayout> CreateBindGroupLayout(const BindGroupLayoutDescriptor& descriptor);
  std::shared_ptr<PipelineLayout> CreatePipelineLayout(const PipelineLayoutDescriptor& descriptor);
  std::shared_ptr<BindGroup> CreateBindGroup(const BindGroupDescriptor& descriptor);
  std::shared_ptr<ComputePipeline> CreateComputePipeline(const ComputePipelineDescriptor& descriptor);
  std::shared_ptr<CommandEncoder> CreateCommandEncoder(const std::string& label = {});

  // --- errors ---
  void PushErrorScope(ErrorKind filter) { scopes_.Push(filter); }
  bool PopErrorScope(std::optional<Error>& caught) { return scopes_.Pop(caught); }
  void set_uncaptured_error(ErrorScopes::Sink sink) { scopes_.set_uncaptured(std::move(sink)); }
  // A lost device reports no more errors (#losing-the-device).
  void Report(const Error& error);
  void Lose(std::string message) { LoseAs({false, std::move(message)}); }
  void Destroy() { LoseAs({true, "the device was destroyed"}); }
  std::optional<LostInfo> lost() const;
  void set_lost_callback(std::function<void(const LostInfo&)> callback);

  // Held while a submit runs or the host touches buffer memory: the queue is one timeline.
  std::mutex& queue_mutex() { return queue_mutex_; }
  // Tells default layouts of different pipelines apart; an address would be unique only while its object
  // lives.
  uint64_t NextPipelineNumber() { return ++last_pipeline_number_; }

 private:
  void LoseAs(LostInfo info);

  std::shared_ptr<hal::Device> hal_;
  std::string label_;
  std::vector<std::string> features_;
  hal::Limits limits_;
  ErrorScopes scopes_;
  mutable std::mutex mutex_;
  std::optional<LostInfo> lost_;
  std::function<void(const LostInfo&)> lost_callback_;
  std::weak_ptr<Queue> queue_;
  std::mutex queue_mutex_;
  std::atomic<uint64_t> last_pipeline_number_{0};
};

}  // namespace lockstep::gpu::core

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// A device that allocates and remembers, and runs nothing: what gpu/core's tests validate against.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/core/adapter.h"
#include "gpu/core/bind_group.h"
#include "gpu/core/buffer.h"
#include "gpu/core/command_encoder.h"
#include "gpu/core/compute_pass.h"
#include "gpu/core/compute_pipeline.h"
#include "gpu/core/device.h"
#include "gpu/core/query_set.h"
#include "gpu/core/queue.h"
#include "gpu/core/render_bundle.h"
#include "gpu/core/render_pass.h"
#include "gpu/core/render_pipeline.h"
#include "gpu/core/sampler.h"
#include "gpu/core/shader_module.h"
#include "gpu/core/texture.h"

namespace lockstep::gpu::core {

class FakeBuffer : public hal::Buffer {
 public:
  explicit FakeBuffer(uint64_t size) : memory_(size) {}
  uint64_t size() const override { return memory_.size(); }
  std::span<std::byte> bytes() override { return memory_; }

 private:
  std::vector<std::byte> memory_;
};

class FakeQuerySet : public hal::QuerySet {};
class FakeTexture : public hal::Texture {
 public:
  uint64_t bytes() const override { return 0; }
};

class FakePipeline : public hal::ComputePipeline {};

class FakeRenderPipeline : public hal::RenderPipeline {};

class FakeDevice : public hal::Device {
 public:
  FakeDevice() {
    info_.name = "fake";
    info_.features = {"core-features-and-limits",
                      "depth32float-stencil8",
                      "float32-filterable",
                      "shader-f16",
                      "texture-component-swizzle",
                      "texture-compression-bc",
                      "texture-compression-bc-sliced-3d",
                      "texture-formats-tier1",
                      "timestamp-query"};
    info_.limits.max_compute_workgroup_storage_size = 32768;
    info_.limits.min_storage_buffer_offset_alignment = 32;
  }
  const hal::AdapterInfo& info() const override { return info_; }
  hal::AdapterInfo& info() { return info_; }
  Result<std::unique_ptr<hal::Buffer>> CreateBuffer(uint64_t size) override {
    if (size > 1 << 20) return Failure{FailureKind::kEnvironment, "out of memory"};
    return std::unique_ptr<hal::Buffer>(std::make_unique<FakeBuffer>(size));
  }
  Result<std::unique_ptr<hal::QuerySet>> CreateQuerySet(hal::QueryType, uint32_t) override {
    return std::unique_ptr<hal::QuerySet>(std::make_unique<FakeQuerySet>());
  }
  Result<std::unique_ptr<hal::Texture>> CreateTexture(const hal::TextureDescriptor& descriptor) override {
    if (descriptor.size.width == info_.limits.max_texture_dimension_2d)
      return Failure{FailureKind::kEnvironment, "out of memory"};
    return std::unique_ptr<hal::Texture>(std::make_unique<FakeTexture>());
  }
  Result<std::unique_ptr<hal::ComputePipeline>> CreateComputePipeline(
      const ir::Module&, const hal::PipelineOptions& options) override {
    if (before_work) before_work();
    watched = options.watch;
    quick = options.quick;
    if (compile_failure) return *compile_failure;
    return std::unique_ptr<hal::ComputePipeline>(std::make_unique<FakePipeline>());
  }
  Result<std::unique_ptr<hal::RenderPipeline>> CreateRenderPipeline(
      const hal::RenderPipelineDescriptor& descriptor, const hal::PipelineOptions& options) override {
    if (before_work) before_work();
    quick = options.quick;
    render_pipeline = descriptor;
    if (compile_failure) return *compile_failure;
    return std::unique_ptr<hal::RenderPipeline>(std::make_unique<FakeRenderPipeline>());
  }
  Result<hal::ExecuteResult> Execute(std::span<const hal::Command> commands,
                                     const hal::ExecuteOptions& options) override {
    if (before_work) before_work();
    if (on_execute) on_execute(options);
    executed.assign(commands.begin(), commands.end());
    for (const hal::Command& command : commands) {
      if (const auto* write = std::get_if<hal::WriteTexture>(&command))
        written.assign(write->from.begin(), write->from.end());
    }
    if (failure) return *failure;
    return hal::ExecuteResult();
  }
  Result<std::string> Show(const ir::Module&, std::string_view, const hal::PipelineOptions&) override {
    return std::string();
  }

  std::vector<hal::Command> executed;
  hal::RenderPipelineDescriptor render_pipeline;  // that was made last; its modules are gone
  std::vector<std::byte> written;                 // of the last WriteTexture
  std::optional<Failure> failure, compile_failure;
  bool watched = false;               // the pipeline that was compiled last
  bool quick = false;                 // likewise
  std::function<void()> before_work;  // called on the threads that compile and execute
  std::function<void(const hal::ExecuteOptions&)> on_execute;

 private:
  hal::AdapterInfo info_;
};

// A device whose last uncaptured error can be looked at.
struct Fixture {
  explicit Fixture(const std::vector<std::string>& features = {}, const DeviceOptions& options = {}) {
    fake = std::make_shared<FakeDevice>();
    adapter = std::make_shared<Adapter>(fake);
    device = adapter->RequestDevice({"", features, {}}, options).device;
    device->set_uncaptured_error([this](const Error& error) { last_error = error; });
  }
  // The message of the error since the last call, empty for none.
  std::string TakeError() {
    const std::string message = last_error ? last_error->message : "";
    last_error.reset();
    return message;
  }

  void Process() { device->events().Process(); }

  std::shared_ptr<Buffer> MakeBuffer(const std::string& label, uint64_t size, uint32_t usage) {
    return device->CreateBuffer({label, size, usage, false});
  }
  std::shared_ptr<ComputePipeline> MakePipeline(const std::string& code, const Constants& constants = {}) {
    ComputePipelineDescriptor descriptor;
    descriptor.label = "test";
    descriptor.compute.module = device->CreateShaderModule({"test.wgsl", "", code});
    descriptor.compute.constants = constants;
    const std::shared_ptr<ComputePipeline> pipeline = device->CreateComputePipeline(descriptor);
    pipeline->Wait();
    return pipeline;
  }

  std::shared_ptr<FakeDevice> fake;
  std::shared_ptr<Adapter> adapter;
  std::shared_ptr<Device> device;
  std::optional<Error> last_error;
};

// With a command encoder 'e'.
struct EncodingFixture : Fixture {
  explicit EncodingFixture(const std::vector<std::string>& features = {}) : Fixture(features) {
    encoder = device->CreateCommandEncoder("e");
  }
  // The message of finish, empty where it succeeds. The next encoder follows.
  std::string Finish() {
    commands = encoder->Finish();
    encoder = device->CreateCommandEncoder("e");
    const std::string error = TakeError();
    EXPECT_EQ(commands->valid(), error.empty());
    return error;
  }
  std::string Submit() {
    const std::shared_ptr<CommandBuffer> list[] = {commands};
    device->queue()->Submit(list)->Wait();
    return TakeError();
  }

  std::shared_ptr<CommandEncoder> encoder;
  std::shared_ptr<CommandBuffer> commands;
};

}  // namespace lockstep::gpu::core

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What runs on threads of the device: submits, compilation, and when their users hear of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "gpu/core/core_test_util.h"

namespace lockstep::gpu::core {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace buffer_usage;  // NOLINT: flags, as short as WebGPU's

// A device whose work stands still until it is let go.
struct Held : Fixture {
  Held() {
    fake->before_work = [gate = gate_.get_future().share()] { gate.wait(); };
  }
  ~Held() {
    if (held_) LetGo();
    device->queue_worker().WaitIdle();
    device->compile_worker().WaitIdle();
    Process();
  }
  void LetGo() {
    held_ = false;
    gate_.set_value();
  }
  // Blocks until everything has been told.
  void Finish() {
    device->compile_worker().WaitIdle();
    device->queue_worker().WaitIdle();
    Process();
  }
  std::shared_ptr<Submission> Clear(const std::shared_ptr<Buffer>& buffer) {
    const auto encoder = device->CreateCommandEncoder();
    encoder->ClearBuffer(buffer);
    const std::shared_ptr<CommandBuffer> list[] = {encoder->Finish()};
    return device->queue()->Submit(list);
  }
  std::function<void()> Note(std::string text) {
    return [this, text = std::move(text)] { notes.push_back(text); };
  }

  std::vector<std::string> notes;

 private:
  std::promise<void> gate_;
  bool held_ = true;
};

TEST(QueueTimeline, WhatIsAskedForAfterASubmitComesAfterIt) {
  Held f;
  const auto buffer = f.MakeBuffer("b", 16, kCopyDst | kMapRead);
  f.device->queue()->OnSubmittedWorkDone(f.Note("nothing was submitted"));
  f.Process();
  EXPECT_THAT(f.notes, ElementsAre("nothing was submitted"));
  const auto submission = f.Clear(buffer);
  f.device->queue()->OnSubmittedWorkDone(f.Note("first"));
  const std::vector<std::byte> data(4, std::byte{7});
  f.device->queue()->WriteBuffer(buffer, 4, data);
  buffer->MapAsync(map_mode::kRead, 0, {}, [&](MapStatus status, const std::string&) {
    f.notes.push_back(status == MapStatus::kSuccess ? "mapped" : "not mapped");
  });
  f.device->queue()->OnSubmittedWorkDone(f.Note("second"));
  f.Process();
  EXPECT_EQ(buffer->map_state(), MapState::kPending);
  EXPECT_EQ(f.notes.size(), 1u);
  f.LetGo();
  EXPECT_TRUE(submission->Wait().ran);
  f.Finish();
  EXPECT_THAT(f.notes, ElementsAre("nothing was submitted", "first", "mapped", "second"));
  EXPECT_EQ((*buffer->GetMappedRange(0, {}))[4], std::byte{7});
}

TEST(QueueTimeline, ATextureIsWrittenInTurnWithTheBytesOfTheCall) {
  Held f;
  const auto buffer = f.MakeBuffer("b", 16, kCopyDst);
  TextureDescriptor d;
  d.size = {2, 2, 1};
  d.usage = texture_usage::kCopyDst;
  const auto texture = f.device->CreateTexture(d);
  const auto submission = f.Clear(buffer);
  std::vector<std::byte> data(8 + 12, std::byte{5});
  f.device->queue()->WriteTexture({texture}, data, {2, 10, {}}, {2, 2, 1});
  std::fill(data.begin(), data.end(), std::byte{6});
  texture->Destroy();
  f.device->queue()->OnSubmittedWorkDone(f.Note("written"));
  EXPECT_TRUE(f.fake->written.empty());
  f.LetGo();
  EXPECT_TRUE(submission->Wait().ran);
  f.Finish();
  EXPECT_EQ(f.fake->written, std::vector<std::byte>(18, std::byte{5}));
  EXPECT_THAT(f.notes, ElementsAre("written"));
  EXPECT_EQ(f.TakeError(), "");
}

TEST(QueueTimeline, AWriteThatFailsLosesTheDevice) {
  Fixture f;
  TextureDescriptor d;
  d.size = {1, 1, 1};
  d.usage = texture_usage::kCopyDst;
  const auto texture = f.device->CreateTexture(d);
  f.fake->failure = Failure{FailureKind::kEnvironment, "gone"};
  f.device->queue()->WriteTexture({texture}, std::vector<std::byte>(4), {}, {1, 1, 1});
  ASSERT_TRUE(f.device->lost().has_value());
  EXPECT_EQ(f.device->lost()->message, "gone");
}

TEST(QueueTimeline, MemoryInUseOutlivesItsBuffer) {
  Held f;
  auto buffer = f.MakeBuffer("b", 16, kCopyDst);
  auto other = f.MakeBuffer("c", 16, kCopyDst);
  const auto first = f.Clear(buffer), second = f.Clear(other);
  const std::weak_ptr<hal::Buffer> memory = buffer->memory(), other_memory = other->memory();
  buffer->Destroy();
  other.reset();
  EXPECT_FALSE(memory.expired());
  EXPECT_FALSE(other_memory.expired());
  f.LetGo();
  EXPECT_TRUE(first->Wait().ran);
  EXPECT_TRUE(second->Wait().ran);
  EXPECT_TRUE(memory.expired());
  EXPECT_TRUE(other_memory.expired());
}

TEST(QueueTimeline, ADestroyedDeviceStopsWhatRuns) {
  Fixture f;
  f.fake->before_work = [&stop = f.device->stop()] {
    while (stop.load() == 0) std::this_thread::yield();
  };
  const std::shared_ptr<CommandBuffer> list[] = {f.device->CreateCommandEncoder()->Finish()};
  const auto submission = f.device->queue()->Submit(list);
  f.device->Destroy();
  submission->Wait();
  const std::shared_ptr<CommandBuffer> next[] = {f.device->CreateCommandEncoder()->Finish()};
  EXPECT_FALSE(f.device->queue()->Submit(next)->Wait().ran);
  EXPECT_EQ(f.TakeError(), "");
}

DeviceOptions Limited(double seconds) {
  DeviceOptions options;
  options.command_seconds = seconds;
  return options;
}

TEST(TimeLimit, ACommandThatDoesNotEndLosesTheDevice) {
  Fixture f({}, Limited(0.02));
  std::string lost;
  f.device->set_lost_callback([&](const LostInfo& info) { lost = info.message; });
  f.fake->on_execute = [&](const hal::ExecuteOptions& options) {
    options.progress->store(1);
    while (options.cancel->load() == 0) std::this_thread::yield();
    f.fake->failure = Failure{FailureKind::kInterrupted, "interrupted"};
  };
  const auto pipeline = f.MakePipeline("@compute @workgroup_size(1) fn main() {}");
  const auto encoder = f.device->CreateCommandEncoder();
  encoder->ClearBuffer(f.MakeBuffer("b", 16, kCopyDst));
  const auto pass = encoder->BeginComputePass();
  pass->SetPipeline(pipeline);
  pass->DispatchWorkgroups(1);
  pass->End();
  const std::shared_ptr<CommandBuffer> list[] = {encoder->Finish()};
  const SubmitResult result = f.device->queue()->Submit(list)->Wait();
  EXPECT_EQ(
      result.failure->message,
      "a dispatch of compute pipeline 'test' takes more than 0.02 s: it is stopped, and the device is lost");
  f.Process();
  EXPECT_EQ(lost, result.failure->message);
}

// The machine's device may be shared.
TEST(TimeLimit, WaitingForOthersIsNoCommand) {
  Fixture f({}, Limited(0.01));
  f.fake->before_work = [] { std::this_thread::sleep_for(std::chrono::milliseconds(60)); };
  const std::shared_ptr<CommandBuffer> list[] = {f.device->CreateCommandEncoder()->Finish()};
  EXPECT_TRUE(f.device->queue()->Submit(list)->Wait().ran);
  EXPECT_FALSE(f.device->lost());
}

TEST(TimeLimit, IsNotForSubmitsWithACancelFlagOfTheirOwn) {
  Fixture f({}, Limited(0.01));
  const std::atomic<uint32_t> cancel{0};
  f.fake->on_execute = [&](const hal::ExecuteOptions& options) {
    EXPECT_EQ(options.cancel, &cancel);
    EXPECT_EQ(options.progress, nullptr);
  };
  hal::ExecuteOptions options;
  options.cancel = &cancel;
  const std::shared_ptr<CommandBuffer> list[] = {f.device->CreateCommandEncoder()->Finish()};
  EXPECT_TRUE(f.device->queue()->Submit(list, options)->Wait().ran);
}

TEST(QuickPipelines, AreAskedForWhereTheEmbedderWantsThem) {
  for (const bool quick : {false, true}) {
    DeviceOptions options;
    options.quick_pipelines = quick;
    Fixture f({}, options);
    f.MakePipeline("@compute @workgroup_size(1) fn main() {}");
    EXPECT_EQ(f.fake->quick, quick);
  }
}

TEST(Watching, AsksThePipelinesAndTheSubmits) {
  for (const bool watch : {false, true}) {
    DeviceOptions options;
    options.watch = watch;
    options.timestamp_step = 100000;
    Fixture f({}, options);
    f.MakePipeline("@compute @workgroup_size(1) fn main() {}");
    EXPECT_EQ(f.fake->watched, watch);
    f.fake->on_execute = [&](const hal::ExecuteOptions& asked) {
      EXPECT_EQ(asked.findings != nullptr, watch);
      EXPECT_EQ(asked.timestamp_step, 100000u);
    };
    const std::shared_ptr<CommandBuffer> list[] = {f.device->CreateCommandEncoder()->Finish()};
    EXPECT_TRUE(f.device->queue()->Submit(list)->Wait().ran);
  }
}

constexpr const char* kShader = "@compute @workgroup_size(1) fn main() {}";

ComputePipelineDescriptor Described(Fixture& f, const char* entry = "main") {
  ComputePipelineDescriptor descriptor;
  descriptor.label = "p";
  descriptor.compute.module = f.device->CreateShaderModule({"m", "", kShader});
  descriptor.compute.entry_point = entry;
  return descriptor;
}

std::shared_ptr<Submission> SubmitDispatch(Fixture& f, const std::shared_ptr<ComputePipeline>& pipeline) {
  const auto encoder = f.device->CreateCommandEncoder();
  const auto pass = encoder->BeginComputePass();
  pass->SetPipeline(pipeline);
  pass->DispatchWorkgroups(1);
  pass->End();
  const std::shared_ptr<CommandBuffer> list[] = {encoder->Finish()};
  return f.device->queue()->Submit(list);
}

TEST(Compilation, ASubmitWaitsForIt) {
  Held f;
  const auto pipeline = f.device->CreateComputePipeline(Described(f));
  EXPECT_TRUE(pipeline->valid());
  const auto submission = SubmitDispatch(f, pipeline);
  f.LetGo();
  EXPECT_TRUE(submission->Wait().ran);
  EXPECT_NE(std::get<hal::Dispatch>(f.fake->executed.at(0)).pipeline, nullptr);
}

TEST(Compilation, ALostDevicesSubmitDoesNotWaitForIt) {
  Held f;
  const auto pipeline = f.device->CreateComputePipeline(Described(f));
  const auto submission = SubmitDispatch(f, pipeline);
  f.device->Destroy();
  EXPECT_FALSE(submission->Wait().ran);
  EXPECT_THAT(f.fake->executed, IsEmpty());
}

// The scope that is open when a pipeline is made catches what its compilation says later.
TEST(Compilation, AScopeWaitsForTheErrorsThatItExpects) {
  Held f;
  f.fake->compile_failure = Failure{FailureKind::kProgram, "too large"};
  const auto pop = [&] {
    EXPECT_TRUE(f.device->PopErrorScope(
        [&](const std::optional<Error>& error) { f.notes.push_back(error ? error->message : "none"); }));
  };
  f.device->PushErrorScope(ErrorKind::kInternal);
  f.device->PushErrorScope(ErrorKind::kValidation);
  const auto pipeline = f.device->CreateComputePipeline(Described(f));
  pop();
  pop();
  f.Process();
  EXPECT_THAT(f.notes, IsEmpty());
  f.LetGo();
  f.Finish();
  EXPECT_THAT(f.notes, testing::UnorderedElementsAre("none", "too large"));
  EXPECT_FALSE(pipeline->valid());
  EXPECT_EQ(f.TakeError(), "");
}

TEST(Compilation, AsyncErrorsAreNotReported) {
  Held f;
  const auto note = [&](const std::shared_ptr<ComputePipeline>& pipeline, const std::optional<Error>& error) {
    f.notes.push_back(error ? error->message : pipeline->label());
    EXPECT_EQ(pipeline->valid(), !error);
  };
  f.device->CreateComputePipelineAsync(Described(f, "absent"), note);
  EXPECT_THAT(f.notes, IsEmpty());
  f.Process();
  ASSERT_EQ(f.notes.size(), 1u);
  EXPECT_THAT(f.notes[0], testing::HasSubstr("absent"));
  f.device->CreateComputePipelineAsync(Described(f), note);
  f.Process();
  EXPECT_EQ(f.notes.size(), 1u);
  f.LetGo();
  f.Finish();
  EXPECT_EQ(f.notes.back(), "p");
  f.fake->compile_failure = Failure{FailureKind::kProgram, "too large"};
  f.device->CreateComputePipelineAsync(Described(f), note);
  f.Finish();
  EXPECT_EQ(f.notes.back(), "too large");
  EXPECT_EQ(f.TakeError(), "");
}

}  // namespace
}  // namespace lockstep::gpu::core

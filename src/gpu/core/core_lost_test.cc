// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Devices that are lost: all calls go on, nothing runs and nothing is reported (#losing-the-device).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "gpu/core/core_test_util.h"

namespace lockstep::gpu::core {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace buffer_usage;  // NOLINT: flags, as short as WebGPU's

constexpr const char* kShader = "@compute @workgroup_size(1) fn main() {}";

ComputePipelineDescriptor Described(Fixture& f) {
  ComputePipelineDescriptor descriptor;
  descriptor.label = "p";
  descriptor.compute.module = f.device->CreateShaderModule({"m", "", kShader});
  return descriptor;
}

TEST(LostDevice, ObjectsAreMadeAllTheSame) {
  Fixture f;
  const ComputePipelineDescriptor before = Described(f);
  f.device->Destroy();
  f.fake->before_work = [] { ADD_FAILURE() << "nothing is compiled or run"; };
  EXPECT_FALSE(f.MakeBuffer("b", 16, kStorage)->valid());
  EXPECT_FALSE(f.device->CreateShaderModule({"m", "", kShader})->valid());
  TextureDescriptor texture;
  texture.size = {1, 1, 1};
  texture.usage = texture_usage::kCopyDst;
  EXPECT_FALSE(f.device->CreateTexture(texture)->valid());
  EXPECT_FALSE(f.device->CreateQuerySet({"q", QueryType::kOcclusion, 1})->valid());
  EXPECT_FALSE(f.device->CreateComputePipeline(before)->valid());
  EXPECT_NE(f.device->CreateBindGroupLayout({"l", {}}), nullptr);
  std::vector<std::string> made;
  f.device->CreateComputePipelineAsync(before, [&](const auto& pipeline, const std::optional<Error>& error) {
    made.push_back(pipeline->label() + (error ? error->message : ""));
  });
  f.device->CreateComputePipelineAsync(Described(f), [&](const auto&, const std::optional<Error>& error) {
    made.push_back(error ? error->message : "from an invalid module");
  });
  f.Process();
  EXPECT_THAT(made, ElementsAre("p", "from an invalid module"));
  EXPECT_THAT(before.compute.module->CompilationInfo(), IsEmpty());
  EXPECT_EQ(f.TakeError(), "");
}

// Its error was there before.
TEST(LostDevice, AnInvalidPipelineIsRefusedThoughTheDeviceIsLostMeanwhile) {
  Fixture f;
  ComputePipelineDescriptor wrong = Described(f);
  wrong.compute.entry_point = "missing";
  std::string told;
  f.device->CreateComputePipelineAsync(
      wrong, [&](const auto&, const std::optional<Error>& error) { told = error ? error->message : "none"; });
  f.device->Destroy();
  f.Process();
  EXPECT_THAT(told, ::testing::HasSubstr("missing"));
}

TEST(LostDevice, WhatWaitsIsTold) {
  Fixture f;
  f.device->PushErrorScope(ErrorKind::kValidation);
  f.MakeBuffer("no usage", 4, 0);
  const auto mappable = f.MakeBuffer("b", 16, kMapRead | kCopyDst);
  f.device->Lose("it broke");
  std::vector<std::string> notes;
  const auto pop = [&] {
    return f.device->PopErrorScope(
        [&](const std::optional<Error>& error) { notes.push_back(error ? error->message : "no error"); });
  };
  EXPECT_TRUE(pop());
  EXPECT_TRUE(pop()) << "there is no scope, which does not matter any more";
  f.device->queue()->OnSubmittedWorkDone([&] { notes.push_back("done"); });
  mappable->MapAsync(map_mode::kRead, 0, {}, [&](MapStatus status, const std::string& message) {
    notes.push_back(status == MapStatus::kAborted ? message : "not aborted");
  });
  EXPECT_THAT(notes, IsEmpty());
  f.Process();
  EXPECT_THAT(notes,
              ElementsAre("no error", "no error", "done", "buffer 'b' is not mapped: the device is lost"));
}

TEST(LostDevice, StopsWhatRunsAndWhatWasSubmitted) {
  Fixture f;
  int ran = 0;
  f.fake->before_work = [&, &stop = f.device->stop()] {
    ++ran;
    while (stop.load() == 0) std::this_thread::yield();
  };
  const auto submit = [&] {
    const std::shared_ptr<CommandBuffer> list[] = {f.device->CreateCommandEncoder()->Finish()};
    return f.device->queue()->Submit(list);
  };
  const auto first = submit(), second = submit();
  f.device->Lose("it broke");
  first->Wait();
  second->Wait();
  EXPECT_FALSE(submit()->Wait().ran);
  f.device->queue_worker().WaitIdle();
  EXPECT_LE(ran, 2);
  EXPECT_EQ(f.TakeError(), "");
}

TEST(LostDevice, BuffersThatAreMappedAtCreationAreMappedAllTheSame) {
  Fixture f;
  f.device->Destroy();
  const auto buffer = f.device->CreateBuffer({"b", 16, kCopySrc, true});
  EXPECT_FALSE(buffer->valid());
  ASSERT_TRUE(buffer->GetMappedRange(0, {}));
  buffer->Unmap();
  EXPECT_EQ(buffer->memory(), nullptr);
}

TEST(Buffers, WithoutMemoryNothingIsMappedAtCreation) {
  Fixture f;
  EXPECT_EQ(f.device->CreateBuffer({"b", uint64_t{1} << 52, kStorage, true}), nullptr);
  EXPECT_EQ(f.device->CreateBuffer({"b", 2 << 20, kStorage, true}), nullptr);
  EXPECT_EQ(f.TakeError(), "");
  EXPECT_FALSE(f.device->CreateBuffer({"b", 6, kStorage, true})->GetMappedRange(0, {}));
  EXPECT_EQ(f.TakeError(), "buffer 'b' of 6 bytes is mapped at creation: its size must be a multiple of 4");
}

TEST(Buffers, MappingWhileOneIsPendingFailsAtOnceAndWhileMappedLater) {
  Fixture f;
  const auto buffer = f.MakeBuffer("b", 16, kMapRead | kCopyDst);
  buffer->MapAsync(map_mode::kRead, 0, {}, [](MapStatus, const std::string&) {});
  std::vector<MapStatus> statuses;
  const auto again = [&] {
    buffer->MapAsync(map_mode::kRead, 0, {},
                     [&](MapStatus status, const std::string&) { statuses.push_back(status); });
  };
  again();
  EXPECT_THAT(statuses, ElementsAre(MapStatus::kError));
  EXPECT_EQ(f.TakeError(), "");
  f.Process();
  again();
  EXPECT_EQ(f.TakeError(), "buffer 'b' is mapped and cannot be mapped");
  EXPECT_THAT(statuses, ElementsAre(MapStatus::kError));
  f.Process();
  EXPECT_THAT(statuses, ElementsAre(MapStatus::kError, MapStatus::kError));
  EXPECT_EQ(buffer->map_state(), MapState::kMapped);
  again();
  buffer->Unmap();
  EXPECT_EQ(statuses.back(), MapStatus::kAborted);
  f.Process();  // what is posted holds its buffer, and so the device
}

}  // namespace
}  // namespace lockstep::gpu::core

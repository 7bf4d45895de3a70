// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Errors, buffers, layouts, bind groups and queue writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/core/core_test_util.h"

namespace lockstep::gpu::core {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using namespace buffer_usage;  // NOLINT: flags, as short as WebGPU's

TEST(Errors, TheInnermostScopeThatFiltersTheKindCatches) {
  Fixture f;
  f.device->PushErrorScope(ErrorKind::kValidation);
  f.device->PushErrorScope(ErrorKind::kOutOfMemory);
  f.MakeBuffer("first", 4, 0);
  f.MakeBuffer("second", 4, 0);
  std::vector<std::string> caught;
  const auto pop = [&] {
    return f.device->PopErrorScope(
        [&](const std::optional<Error>& error) { caught.push_back(error ? error->message : ""); });
  };
  ASSERT_TRUE(pop());
  ASSERT_TRUE(pop());
  EXPECT_FALSE(pop());
  EXPECT_THAT(caught, IsEmpty());
  f.Process();
  EXPECT_THAT(caught, ElementsAre("", "buffer 'first' has no usage"));
  EXPECT_EQ(f.TakeError(), "");
  f.MakeBuffer("third", 4, 0);
  EXPECT_EQ(f.TakeError(), "buffer 'third' has no usage");
}

TEST(Errors, ALostDeviceIsSilent) {
  Fixture f;
  std::string lost;
  f.device->set_lost_callback([&](const LostInfo& info) { lost = info.message; });
  f.device->Lose("it broke");
  f.device->Lose("again");
  EXPECT_EQ(lost, "");
  f.Process();
  EXPECT_EQ(lost, "it broke");
  f.MakeBuffer("b", 4, 0);
  EXPECT_EQ(f.TakeError(), "");
}

struct BadBuffer {
  uint64_t size;
  uint32_t usage;
  const char* message;
};

TEST(Buffers, CreationIsValidated) {
  Fixture f;
  const BadBuffer cases[] = {
      {4, 0, "has no usage"},
      {4, 0x8000, "usage bits that WebGPU does not have"},
      {4, kMapRead | kStorage, "MAP_READ goes only with COPY_DST"},
      {4, kMapWrite | kCopyDst, "MAP_WRITE goes only with COPY_SRC"},
      {268435460, kStorage, "buffer 'b' of 268435460 bytes exceeds the limit maxBufferSize of 268435456"}};
  for (const BadBuffer& c : cases) {
    EXPECT_FALSE(f.MakeBuffer("b", c.size, c.usage)->valid());
    EXPECT_THAT(f.TakeError(), HasSubstr(c.message));
  }
  EXPECT_TRUE(f.MakeBuffer("b", 0, kStorage)->valid());
  EXPECT_TRUE(f.MakeBuffer("b", 5, kMapRead | kCopyDst)->valid());
  EXPECT_EQ(f.TakeError(), "");
  f.MakeBuffer("large", 2 << 20, kStorage);
  EXPECT_EQ(f.last_error->kind, ErrorKind::kOutOfMemory);
}

// The statuses of MapAsync, in order, and what is asked for.
struct Maps {
  void Map(Buffer& buffer, uint32_t mode, uint64_t offset, std::optional<uint64_t> size) {
    buffer.MapAsync(mode, offset, size, [this](MapStatus status, const std::string& message) {
      statuses.push_back(status);
      last_message = message;
    });
  }
  std::vector<MapStatus> statuses;
  std::string last_message;
};

TEST(Buffers, MappingIsValidated) {
  Fixture f;
  const auto buffer = f.MakeBuffer("b", 64, kMapRead | kCopyDst);
  const auto error = [&](uint32_t mode, uint64_t offset, std::optional<uint64_t> size) {
    Maps maps;
    maps.Map(*buffer, mode, offset, size);
    EXPECT_THAT(maps.statuses, IsEmpty()) << "callbacks come in Process";
    f.Process();
    EXPECT_THAT(maps.statuses, ElementsAre(MapStatus::kError));
    EXPECT_EQ(buffer->map_state(), MapState::kUnmapped);
    return f.TakeError();
  };
  EXPECT_THAT(error(map_mode::kWrite, 0, {}), HasSubstr("has usage MAP_READ | COPY_DST and not MAP_WRITE"));
  EXPECT_THAT(error(3, 0, {}), HasSubstr("with mode 3"));
  EXPECT_THAT(error(0, 0, {}), HasSubstr("with mode 0"));
  EXPECT_THAT(error(map_mode::kRead, 4, {}), HasSubstr("offset 4 into buffer 'b' is not a multiple of 8"));
  EXPECT_THAT(error(map_mode::kRead, 0, 6), HasSubstr("size 6 of the range"));
  EXPECT_THAT(error(map_mode::kRead, 0, 68), HasSubstr("68 bytes at 0 does not fit buffer 'b' of 64 bytes"));
  EXPECT_THAT(error(map_mode::kRead, UINT64_MAX - 7, 8), HasSubstr("does not fit"));
  buffer->Destroy();
  EXPECT_THAT(error(map_mode::kRead, 0, {}), HasSubstr("is destroyed and cannot be mapped"));
}

TEST(Buffers, MappingGivesTheMappedRangeOnly) {
  Fixture f;
  const auto buffer = f.MakeBuffer("b", 64, kMapRead | kCopyDst);
  Maps maps;
  maps.Map(*buffer, map_mode::kRead, 8, 32);
  EXPECT_EQ(buffer->map_state(), MapState::kPending);
  EXPECT_FALSE(buffer->available());
  maps.Map(*buffer, map_mode::kRead, 0, {});
  EXPECT_EQ(f.TakeError(), "") << "a mapping is pending: the promise alone tells";
  f.Process();
  EXPECT_THAT(maps.statuses, UnorderedElementsAre(MapStatus::kSuccess, MapStatus::kError));
  EXPECT_FALSE(buffer->mapped_for_writing());
  EXPECT_EQ(buffer->SizeOfMappedRange(8, 8), 8u) << "gives nothing out";
  EXPECT_EQ(buffer->GetMappedRange(8, 8)->size(), 8u);
  EXPECT_FALSE(buffer->SizeOfMappedRange(8, 8));
  EXPECT_EQ(buffer->GetMappedRange(24, 0)->size(), 0u);
  EXPECT_FALSE(buffer->GetMappedRange(8, 4)) << "a view overlaps it";
  EXPECT_FALSE(buffer->GetMappedRange(0, 8));
  EXPECT_FALSE(buffer->GetMappedRange(16, 32));
  EXPECT_FALSE(buffer->GetMappedRange(20, 4));
  EXPECT_FALSE(buffer->GetMappedRange(16, 3));
  EXPECT_FALSE(buffer->GetMappedRange(16, {})) << "to the end of the buffer, which is not mapped";
  EXPECT_FALSE(buffer->GetMappedRange(16, 24)) << "an empty view lies inside";
  EXPECT_EQ(buffer->GetMappedRange(24, 16)->size(), 16u);
  EXPECT_FALSE(buffer->available());
  buffer->Unmap();
  EXPECT_TRUE(buffer->available());
  EXPECT_FALSE(buffer->GetMappedRange(8, 8));
}

TEST(Buffers, MappedAtCreationEvenWhereInvalid) {
  Fixture f;
  const auto good = f.device->CreateBuffer({"good", 16, kCopySrc, true});
  (*good->GetMappedRange(8, 4))[0] = std::byte{9};
  EXPECT_TRUE(good->mapped_for_writing());
  good->Unmap();
  EXPECT_EQ(f.device->queue()->ReadBuffer(*good)[8], std::byte{9});
  EXPECT_EQ(f.TakeError(), "");
  const auto bad = f.device->CreateBuffer({"bad", 16, 0, true});
  EXPECT_THAT(f.TakeError(), HasSubstr("has no usage"));
  EXPECT_EQ(bad->GetMappedRange(0, {})->size(), 16u);
  bad->Unmap();
  EXPECT_FALSE(bad->GetMappedRange(0, {}));
}

TEST(Buffers, APendingMapIsAbortedByUnmapDestroyAndTheDevicesLoss) {
  Fixture f;
  const auto buffer = f.MakeBuffer("b", 64, kMapRead | kCopyDst);
  Maps maps;
  maps.Map(*buffer, map_mode::kRead, 0, {});
  buffer->Unmap();
  EXPECT_THAT(maps.statuses, ElementsAre(MapStatus::kAborted)) << "at once";
  EXPECT_EQ(maps.last_message, "buffer 'b' is not mapped: it was unmapped meanwhile");
  maps.Map(*buffer, map_mode::kRead, 0, {});
  f.Process();
  EXPECT_THAT(maps.statuses, ElementsAre(MapStatus::kAborted, MapStatus::kSuccess)) << "each once";
  buffer->Unmap();

  maps = {};
  maps.Map(*buffer, map_mode::kRead, 0, {});
  const auto gone = f.MakeBuffer("gone", 64, kMapRead | kCopyDst);
  maps.Map(*gone, map_mode::kRead, 0, {});
  gone->Destroy();
  EXPECT_EQ(maps.last_message, "buffer 'gone' is not mapped: it was destroyed meanwhile");
  f.device->Destroy();
  EXPECT_THAT(maps.statuses, ElementsAre(MapStatus::kAborted, MapStatus::kAborted));
  EXPECT_EQ(maps.last_message, "buffer 'b' is not mapped: the device was destroyed meanwhile");
  maps.Map(*buffer, map_mode::kRead, 0, {});
  f.Process();
  EXPECT_THAT(maps.statuses, ElementsAre(MapStatus::kAborted, MapStatus::kAborted, MapStatus::kAborted));
  EXPECT_EQ(maps.last_message, "buffer 'b' is not mapped: the device is lost");
  EXPECT_EQ(f.TakeError(), "");
}

TEST(Queue, WriteBufferIsValidated) {
  Fixture f;
  const std::vector<std::byte> data(8, std::byte{7});
  const auto queue = f.device->queue();
  const auto buffer = f.MakeBuffer("b", 16, kCopyDst | kStorage);
  queue->WriteBuffer(buffer, 8, data);
  EXPECT_EQ(f.TakeError(), "");
  EXPECT_EQ(queue->ReadBuffer(*buffer)[8], std::byte{7});
  EXPECT_EQ(queue->ReadBuffer(*buffer)[7], std::byte{0});
  queue->WriteBuffer(buffer, 12, data);
  EXPECT_THAT(f.TakeError(), HasSubstr("8 bytes at 12 do not fit buffer 'b' of 16 bytes"));
  queue->WriteBuffer(buffer, 2, data);
  EXPECT_THAT(f.TakeError(), HasSubstr("not a multiple of 4"));
  queue->WriteBuffer(f.MakeBuffer("c", 16, kStorage), 0, data);
  EXPECT_THAT(f.TakeError(), HasSubstr("buffer 'c' lacks the usage COPY_DST"));
}

BindGroupLayoutEntry Slot(uint32_t binding, BufferBindingType type, uint64_t min_size = 0,
                          bool dynamic = false) {
  return {binding, shader_stage::kCompute, BufferBindingLayout{type, dynamic, min_size}};
}

TEST(BindGroupLayouts, CreationIsValidated) {
  Fixture f;
  const auto make = [&](std::vector<BindGroupLayoutEntry> entries) {
    return f.device->CreateBindGroupLayout({"l", std::move(entries)});
  };
  EXPECT_TRUE(make({})->valid());
  EXPECT_FALSE(make({Slot(1, BufferBindingType::kStorage), Slot(1, BufferBindingType::kUniform)})->valid());
  EXPECT_THAT(f.TakeError(), HasSubstr("binding 1 stands twice"));
  make({Slot(1000, BufferBindingType::kStorage)});
  EXPECT_THAT(f.TakeError(), HasSubstr("maxBindingsPerBindGroup of 1000"));
  std::vector<BindGroupLayoutEntry> many;
  for (uint32_t i = 0; i < 9; ++i) many.push_back(Slot(i, BufferBindingType::kStorage));
  make(many);
  EXPECT_THAT(
      f.TakeError(),
      HasSubstr(
          "9 storage buffers in one stage, which exceeds the limit maxStorageBuffersPerShaderStage of 8"));
  BindGroupLayoutEntry vertex = Slot(0, BufferBindingType::kStorage);
  vertex.visibility = shader_stage::kVertex;
  make({vertex});
  EXPECT_THAT(f.TakeError(), HasSubstr("visible to vertex shaders"));
}

TEST(BindGroups, EveryMessageNamesTheBuffer) {
  Fixture f;
  const auto layout = f.device->CreateBindGroupLayout({"l", {Slot(0, BufferBindingType::kStorage, 32)}});
  const auto uniform_layout = f.device->CreateBindGroupLayout({"u", {Slot(0, BufferBindingType::kUniform)}});
  const auto storage = f.MakeBuffer("prices", 1024, kStorage);
  const auto uniform = f.MakeBuffer("params", 131072, kUniform);
  const auto make = [&](const std::shared_ptr<BindGroupLayout>& l, uint32_t binding, BufferBinding bound) {
    const auto group = f.device->CreateBindGroup({"g", l, {{binding, std::move(bound)}}});
    const std::string error = f.TakeError();
    EXPECT_EQ(group->valid(), error.empty());
    return error;
  };
  EXPECT_EQ(make(layout, 0, {storage, 0, {}}), "");
  EXPECT_EQ(make(layout, 0, {storage, 256, 32}), "");
  EXPECT_EQ(
      make(layout, 0, {uniform, 0, 64}),
      "binding 0 of bind group 'g' needs the usage STORAGE, which buffer 'params' lacks (it has UNIFORM)");
  EXPECT_EQ(
      make(layout, 0, {storage, 4, 64}),
      "binding 0 of bind group 'g' begins at byte 4 of buffer 'prices', which is not a multiple of 256");
  EXPECT_EQ(make(layout, 0, {storage, 0, 28}),
            "binding 0 of bind group 'g' needs 32 bytes at least and is given 28 of buffer 'prices'");
  EXPECT_THAT(make(layout, 0, {storage, 512, 1024}),
              HasSubstr("spans 1024 bytes from 512 of buffer 'prices', which has 1024"));
  EXPECT_THAT(make(layout, 0, {storage, 1024, {}}), HasSubstr("empty range of buffer 'prices'"));
  EXPECT_THAT(make(layout, 0, {storage, 256, UINT64_MAX}), HasSubstr("buffer 'prices'"));
  EXPECT_THAT(make(layout, 0, {storage, 0, 34}), HasSubstr("not a multiple of 4"));
  EXPECT_THAT(make(layout, 1, {storage, 0, {}}),
              HasSubstr("binding 1 of bind group 'g' is not in its layout"));
  EXPECT_THAT(make(uniform_layout, 0, {uniform, 0, {}}),
              HasSubstr("exceeds the limit maxUniformBufferBindingSize of 65536"));
  EXPECT_EQ(make(layout, 0, {nullptr, 0, {}}), "binding 0 of bind group 'g': no buffer is given");
  f.device->CreateBindGroup({"g", layout, {}});
  EXPECT_THAT(f.TakeError(), HasSubstr("has 0 entries and its layout 1"));
}

}  // namespace
}  // namespace lockstep::gpu::core

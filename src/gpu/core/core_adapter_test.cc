// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Adapters: what they give devices, and when they refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/core/core_test_util.h"
#include "gpu/core/features.h"

namespace lockstep::gpu::core {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Adapter, LimitsAreCheckedAgainstWhatItCanDo) {
  const auto fake = std::make_shared<FakeDevice>();
  const auto request = [&](const RequiredLimits& limits) {
    return Adapter(fake).RequestDevice({"", {}, limits});
  };
  EXPECT_EQ(request({{"maxComputeWorkgroupStorageSize", 65536}}).error,
            "limit maxComputeWorkgroupStorageSize requested 65536 exceeds the adapter's 32768");
  EXPECT_EQ(request({{"maxComputeWorkgroupStorageSize", 32768}})
                .device->limits()
                .max_compute_workgroup_storage_size,
            32768u);
  // Worse than the default is the default.
  EXPECT_EQ(
      request({{"maxComputeWorkgroupStorageSize", 1}}).device->limits().max_compute_workgroup_storage_size,
      16384u);
  EXPECT_EQ(
      request({{"minStorageBufferOffsetAlignment", 64}}).device->limits().min_storage_buffer_offset_alignment,
      64u);
  EXPECT_THAT(request({{"minStorageBufferOffsetAlignment", 16}}).error,
              HasSubstr("is below the adapter's 32"));
  EXPECT_THAT(request({{"minStorageBufferOffsetAlignment", 48}}).error, HasSubstr("not a power of two"));
  EXPECT_THAT(request({{"maxMagic", 1}}).error, HasSubstr("limit maxMagic is not known"));
}

TEST(Adapter, FeaturesItLacksAreATypeError) {
  Adapter adapter(std::make_shared<FakeDevice>());
  const RequestDeviceResult result = adapter.RequestDevice({"", {"subgroups"}, {}});
  EXPECT_EQ(result.device, nullptr);
  EXPECT_TRUE(result.type_error);
  EXPECT_TRUE(adapter.RequestDevice({"", {"shader-f16"}, {}}).device->HasFeature("shader-f16"));
}

TEST(Adapter, DefaultsAreWebGPUs) {
  std::map<std::string, uint64_t> limits;
  const auto device = Adapter(std::make_shared<FakeDevice>()).RequestDevice({}).device;
  for (const LimitInfo& limit : AllLimits()) limits[std::string(limit.name)] = limit.get(device->limits());
  EXPECT_EQ(limits.size(), 36u);
  EXPECT_EQ(limits["maxTextureDimension2D"], 8192u);
  EXPECT_EQ(limits["maxBindGroupsPlusVertexBuffers"], 24u);
  EXPECT_EQ(limits["maxImmediateSize"], 64u);
  EXPECT_EQ(limits["maxVertexBufferArrayStride"], 2048u);
  EXPECT_EQ(limits["maxInterStageShaderVariables"], 16u);
  EXPECT_EQ(limits["maxColorAttachmentBytesPerSample"], 32u);
  EXPECT_EQ(limits["minUniformBufferOffsetAlignment"], 256u);
  EXPECT_THAT(device->features(), ElementsAre("core-features-and-limits"));
}

TEST(Adapter, AllStagesMayUseAsMuchAsOneThatAsksForIt) {
  auto fake = std::make_shared<FakeDevice>();
  fake->info().limits.max_storage_buffers_in_vertex_stage = 32;
  fake->info().limits.max_storage_textures_per_shader_stage = 12;
  const auto device =
      Adapter(fake)
          .RequestDevice(
              {"", {}, {{"maxStorageBuffersInVertexStage", 20}, {"maxStorageTexturesPerShaderStage", 12}}})
          .device;
  ASSERT_NE(device, nullptr);
  EXPECT_EQ(device->limits().max_storage_buffers_per_shader_stage, 20u);
  EXPECT_EQ(device->limits().max_storage_buffers_in_fragment_stage, 20u);
  EXPECT_EQ(device->limits().max_storage_textures_in_vertex_stage, 12u);
  EXPECT_EQ(device->limits().max_storage_textures_in_fragment_stage, 12u);
}

TEST(Adapter, GivesOneDeviceAndIsConsumed) {
  Adapter adapter(std::make_shared<FakeDevice>());
  EXPECT_EQ(adapter.RequestDevice({"", {}, {{"maxMagic", 1}}}).device, nullptr);
  const RequestDeviceResult first = adapter.RequestDevice({"d", {}, {}, "q"});
  ASSERT_NE(first.device, nullptr) << "a refusal costs nothing";
  EXPECT_EQ(first.device->label(), "d");
  EXPECT_EQ(first.device->queue()->label(), "q");
  const RequestDeviceResult second = adapter.RequestDevice({});
  EXPECT_EQ(second.device, nullptr);
  EXPECT_FALSE(second.type_error);
  EXPECT_EQ(second.error, "the adapter 'fake' has given a device already: request another");
  EXPECT_TRUE(adapter.RequestDevice({"", {"subgroups"}, {}}).type_error) << "this is looked at first";
}

TEST(Adapter, OfAnExpiredOneDevicesAreLost) {
  Adapter adapter(std::make_shared<FakeDevice>());
  adapter.Expire();
  const auto device = adapter.RequestDevice({}).device;
  ASSERT_TRUE(device != nullptr && device->lost());
  EXPECT_FALSE(device->lost()->destroyed);
  EXPECT_THAT(device->lost()->message, HasSubstr("expired"));
}

TEST(Features, BringWhatTheyImply) {
  EXPECT_THAT(EnabledFeatures({}), ElementsAre("core-features-and-limits"));
  EXPECT_THAT(EnabledFeatures({"texture-formats-tier2", "core-features-and-limits", "texture-formats-tier2"}),
              ElementsAre("core-features-and-limits", "texture-formats-tier2", "texture-formats-tier1",
                          "rg11b10ufloat-renderable"));
  EXPECT_THAT(EnabledFeatures({"subgroup-size-control"}),
              ElementsAre("core-features-and-limits", "subgroup-size-control", "subgroups"));
  for (const auto& [feature, implied] : kImpliedFeatures) {
    EXPECT_TRUE(IsFeatureName(feature) && IsFeatureName(implied));
  }
}

}  // namespace
}  // namespace lockstep::gpu::core

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole applications on the CPU device, as an embedder runs them: watched for races, timed, stopped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "gpu/core/bind_group.h"
#include "gpu/core/compute_pass.h"
#include "gpu/core/query_set.h"
#include "gpu/core/shader_module.h"
#include "gpu/devices/application_test_util.h"

namespace lockstep::gpu {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace core::buffer_usage;  // NOLINT: flags, as short as WebGPU's

class Application : public TestDevice {
 public:
  explicit Application(const core::DeviceOptions& options = {}, const std::vector<std::string>& features = {})
      : TestDevice(options, features) {
    buffer = device->CreateBuffer({"data", 256, kStorage | kCopyDst, false});
  }

  std::shared_ptr<core::ComputePipeline> Pipeline(const std::string& label, const std::string& body) {
    core::ComputePipelineDescriptor descriptor;
    descriptor.label = label;
    descriptor.compute.module = device->CreateShaderModule(
        {label + ".wgsl", "",
         "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n"
         "@compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {\n  " +
             body + "\n}\n"});
    return device->CreateComputePipeline(descriptor);
  }
  void Dispatch(core::CommandEncoder& encoder, const std::shared_ptr<core::ComputePipeline>& pipeline,
                const core::ComputePassDescriptor& descriptor = {}) {
    const auto pass = encoder.BeginComputePass(descriptor);
    pass->SetPipeline(pipeline);
    pass->SetBindGroup(
        0, device->CreateBindGroup(
               {"", pipeline->GetBindGroupLayout(0), {{0, {core::BufferBinding{buffer, 0, {}}}}}}));
    pass->DispatchWorkgroups(1);
    pass->End();
  }

  std::shared_ptr<core::Buffer> buffer;
};

TEST(Watching, EachFindingOfAPipelineIsToldOnceWithItsLabelAndPlace) {
  Application app(Watching());
  const auto clean = app.Pipeline("clean", "data[i] = i;");
  const auto racy = app.Pipeline("racy", "data[i / 2] += 1;");
  for (int frame = 0; frame < 3; ++frame) {
    const auto encoder = app.device->CreateCommandEncoder();
    app.Dispatch(*encoder, clean);
    app.Dispatch(*encoder, racy);
    ASSERT_TRUE(app.Submit(*encoder).ran);
  }
  ASSERT_THAT(app.findings, SizeIs(2)) << "its write with itself and with its read";
  for (const core::Finding& finding : app.findings) {
    EXPECT_EQ(finding.pipeline, "racy");
    EXPECT_THAT(
        finding.text,
        HasSubstr("racy.wgsl:3:3: error: data race on 'data[0]' and 15 more elements in dispatch 2: "));
    EXPECT_THAT(finding.text, HasSubstr("data[i / 2] += 1;"));
    EXPECT_TRUE(std::holds_alternative<observe::Race>(finding.what));
  }
}

TEST(Watching, AccessesOutOfBoundsAreFindings) {
  Application app(Watching());
  const auto encoder = app.device->CreateCommandEncoder();
  app.Dispatch(*encoder, app.Pipeline("far", "data[i + 40] = i;"));
  ASSERT_TRUE(app.Submit(*encoder).ran);
  ASSERT_THAT(app.findings, SizeIs(1));
  EXPECT_THAT(app.findings[0].text, HasSubstr("far.wgsl:3:3: error: write of 'data' out of bounds"));
  EXPECT_EQ(std::get<observe::OutOfBounds>(app.findings[0].what).count, 8u);
}

TEST(Watching, WithoutItNothingIsFound) {
  Application app;
  const auto encoder = app.device->CreateCommandEncoder();
  app.Dispatch(*encoder, app.Pipeline("racy", "data[0] = i;"));
  ASSERT_TRUE(app.Submit(*encoder).ran);
  EXPECT_THAT(app.findings, IsEmpty());
}

TEST(Endless, ADispatchLosesTheDevice) {
  core::DeviceOptions options;
  options.command_seconds = 0.1;
  Application app(options);
  const auto fine = app.Pipeline("fine", "data[i] = i;");
  const auto spin = app.Pipeline("spin", "loop { if data[0] == 77 { break; } }");
  const auto encoder = app.device->CreateCommandEncoder();
  app.Dispatch(*encoder, fine);
  app.Dispatch(*encoder, spin);
  const core::SubmitResult result = app.Submit(*encoder);
  EXPECT_FALSE(result.ran);
  app.device->events().Process();
  EXPECT_EQ(
      app.lost,
      "a dispatch of compute pipeline 'spin' takes more than 0.1 s: it is stopped, and the device is lost");
  const auto next = app.device->CreateCommandEncoder();
  next->ClearBuffer(app.buffer);
  EXPECT_FALSE(app.Submit(*next).ran);
}

// The limit is each command's, not the submit's.
TEST(Endless, ManyShortDispatchesAreFine) {
  core::DeviceOptions options;
  options.command_seconds = 0.5;
  Application app(options);
  const auto slow =
      app.Pipeline("slow", "for (var k = 0u; k < 40000u; k++) { data[i] = data[(i + k) % 64] * 3; }");
  const auto encoder = app.device->CreateCommandEncoder();
  double seconds = 0;
  for (int i = 0; i < 10; ++i) app.Dispatch(*encoder, slow);
  while (seconds < 1) {
    const auto more = app.device->CreateCommandEncoder();
    for (int i = 0; i < 100; ++i) app.Dispatch(*more, slow);
    const core::SubmitResult result = app.Submit(*more);
    ASSERT_TRUE(result.ran) << app.lost;
    for (const double s : result.times.dispatch_seconds) seconds += s;
  }
}

TEST(Timestamps, SurroundAPass) {
  Application app({}, {"timestamp-query"});
  const auto queries = app.device->CreateQuerySet({"q", core::QueryType::kTimestamp, 3});
  const auto resolved = app.device->CreateBuffer({"r", 24, kQueryResolve | kCopySrc, false});
  const auto encoder = app.device->CreateCommandEncoder();
  app.Dispatch(*encoder, app.Pipeline("p", "data[i] = i;"), {"", core::TimestampWrites{queries, 2, 0}});
  encoder->ResolveQuerySet(queries, 0, 3, resolved, 0);
  ASSERT_TRUE(app.Submit(*encoder).ran);
  uint64_t values[3];
  std::memcpy(values, app.device->queue()->ReadBuffer(*resolved).data(), sizeof(values));
  EXPECT_LT(values[2], values[0]);
  EXPECT_EQ(values[1], 0u);
}

}  // namespace
}  // namespace lockstep::gpu

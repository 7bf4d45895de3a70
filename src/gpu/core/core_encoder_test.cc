// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// States of encoders and passes, debug groups, query sets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/core/core_test_util.h"

namespace lockstep::gpu::core {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using namespace buffer_usage;  // NOLINT: flags, as short as WebGPU's

struct EncoderFixture : EncodingFixture {
  EncoderFixture() : EncodingFixture({"timestamp-query"}) {}
  std::shared_ptr<QuerySet> MakeQueries(const std::string& label, uint32_t count,
                                        QueryType type = QueryType::kTimestamp) {
    return device->CreateQuerySet({label, type, count});
  }
};

TEST(EncoderStates, APassLocksItsEncoder) {
  EncoderFixture f;
  const auto pass = f.encoder->BeginComputePass();
  f.encoder->InsertDebugMarker("too early");
  pass->End();
  EXPECT_EQ(f.Finish(), "insertDebugMarker on command encoder 'e' while a pass of it is open");
  f.encoder->BeginComputePass();
  EXPECT_EQ(f.Finish(), "a pass of command encoder 'e' is not ended");
}

TEST(EncoderStates, APassEndsOnce) {
  EncoderFixture f;
  const auto first = f.encoder->BeginComputePass({"first", {}});
  first->End();
  EXPECT_EQ(f.TakeError(), "");
  const auto second = f.encoder->BeginComputePass();
  first->End();
  EXPECT_EQ(f.TakeError(), "end in compute pass 'first': the pass has ended");
  first->InsertDebugMarker("late");
  EXPECT_EQ(f.TakeError(), "insertDebugMarker in compute pass 'first': the pass has ended");
  second->End();
  EXPECT_EQ(f.Finish(), "") << "errors after the end of a pass do not spoil the encoder";
}

// WebGPU: #dom-gpucomputepassencoder-end.
TEST(EncoderStates, APassThatWasNotBegunCannotEnd) {
  EncoderFixture f;
  const auto first = f.encoder->BeginComputePass();
  const auto second = f.encoder->BeginComputePass();
  EXPECT_EQ(f.TakeError(), "") << "the encoder is spoilt, which finish tells";
  second->InsertDebugMarker("");
  EXPECT_EQ(f.TakeError(), "");
  second->End();
  EXPECT_EQ(f.TakeError(), "end in a compute pass without a label: the pass was not begun");
  first->End();
  EXPECT_EQ(f.TakeError(), "");
  EXPECT_THAT(f.Finish(), HasSubstr("beginComputePass on command encoder 'e' while a pass"));
}

TEST(EncoderStates, AFinishedEncoderStaysFinished) {
  EncoderFixture f;
  const auto encoder = f.encoder;
  const auto pass = encoder->BeginComputePass();
  EXPECT_NE(f.Finish(), "");
  pass->End();
  EXPECT_EQ(f.TakeError(), "end in a compute pass without a label: the encoder is finished");
  const auto late = encoder->BeginComputePass();
  EXPECT_EQ(f.TakeError(), "beginComputePass on command encoder 'e', which is finished");
  late->End();
  EXPECT_EQ(f.TakeError(), "end in a compute pass without a label: the pass was not begun");
  EXPECT_FALSE(encoder->Finish()->valid());
  EXPECT_EQ(f.TakeError(), "command encoder 'e' is finished already");
}

TEST(DebugGroups, AreBalancedInEachEncoder) {
  EncoderFixture f;
  f.encoder->PushDebugGroup("frame");
  const auto pass = f.encoder->BeginComputePass();
  pass->PushDebugGroup("blur");
  pass->InsertDebugMarker("here");
  pass->PopDebugGroup();
  pass->End();
  f.encoder->PopDebugGroup();
  EXPECT_EQ(f.Finish(), "");
  f.encoder->PopDebugGroup();
  EXPECT_EQ(f.Finish(), "popDebugGroup: no debug group is open");
  f.encoder->PushDebugGroup("frame");
  EXPECT_EQ(f.Finish(), "the debug group 'frame' of command encoder 'e' is not popped");
  const auto open = f.encoder->BeginComputePass({"p", {}});
  open->PushDebugGroup("blur");
  open->End();
  EXPECT_EQ(f.TakeError(), "");
  EXPECT_THAT(f.Finish(), HasSubstr("end in compute pass 'p': the debug group 'blur' is not popped"));
  const auto other = f.encoder->BeginComputePass();
  other->PopDebugGroup();
  other->End();
  EXPECT_EQ(f.Finish(), "popDebugGroup: no debug group is open") << "those of the encoder are not the pass's";
}

TEST(DebugGroups, AreNamedByErrors) {
  EncoderFixture f;
  f.encoder->PushDebugGroup("frame");
  f.encoder->PushDebugGroup("blur");
  const auto pass = f.encoder->BeginComputePass();
  pass->DispatchWorkgroups(1);
  pass->End();
  EXPECT_EQ(
      f.Finish(),
      "dispatchWorkgroups in a compute pass without a label: no pipeline is set (in the debug group 'frame / "
      "blur')");
  f.encoder->PushDebugGroup("frame");
  const auto labelled = f.encoder->BeginComputePass({"p", {}});
  labelled->PushDebugGroup("blur");
  labelled->DispatchWorkgroups(1);
  labelled->PopDebugGroup();
  labelled->End();
  EXPECT_EQ(f.Finish(),
            "dispatchWorkgroups in compute pass 'p': no pipeline is set (in the debug group 'frame / blur')")
      << "groups of a pass are within those of its encoder";
}

TEST(EncoderStates, ErrorsNameAPassWithoutALabelToo) {
  EncoderFixture f;
  const auto pass = f.encoder->BeginComputePass();
  pass->DispatchWorkgroups(1);
  pass->End();
  EXPECT_EQ(f.Finish(), "dispatchWorkgroups in a compute pass without a label: no pipeline is set");
}

// Each call tells where, which object and why.
TEST(UnusableObjects, AreNamedByEachCall) {
  EncoderFixture f, other;
  const auto shader = "@compute @workgroup_size(1) fn main() {}";
  const auto in_pass = [&](auto call) {
    const auto pass = f.encoder->BeginComputePass({"p", {}});
    call(*pass);
    pass->End();
    return f.Finish();
  };
  EXPECT_EQ(in_pass([&](ComputePass& p) { p.SetPipeline(other.MakePipeline(shader)); }),
            "setPipeline in compute pass 'p': compute pipeline 'test' is of another device");
  EXPECT_EQ(in_pass([&](ComputePass& p) { p.SetPipeline(nullptr); }),
            "setPipeline in compute pass 'p': no compute pipeline is given");
  const auto foreign_layout = other.device->CreateBindGroupLayout({"l", {}});
  const auto group = f.device->CreateBindGroup({"g", foreign_layout, {}});
  EXPECT_EQ(f.TakeError(), "bind group 'g': bind group layout 'l' is of another device");
  const uint32_t offsets[] = {0};
  EXPECT_EQ(in_pass([&](ComputePass& p) { p.SetBindGroup(0, group, offsets); }),
            "setBindGroup in compute pass 'p': bind group 'g' is invalid, since its creation failed");
  const auto foreign = other.MakeBuffer("b", 16, kIndirect);
  EXPECT_EQ(in_pass([&](ComputePass& p) { p.DispatchWorkgroupsIndirect(foreign, 0); }),
            "dispatchWorkgroupsIndirect in compute pass 'p': buffer 'b' is of another device");
  f.encoder->CopyBufferToBuffer(foreign, 0, foreign, 0, {});
  EXPECT_EQ(f.Finish(), "the source of copyBufferToBuffer: buffer 'b' is of another device");
  f.encoder->ClearBuffer(f.MakeBuffer("none", 16, 0));
  f.TakeError();
  EXPECT_EQ(f.Finish(), "clearBuffer: buffer 'none' is invalid, since its creation failed");
  EXPECT_EQ(f.Submit(),
            "entry 0 of submit: a command buffer without a label is invalid, since its encoding failed");
  EXPECT_EQ(f.Submit(),
            "entry 0 of submit: a command buffer without a label is invalid, since its encoding failed")
      << "the first reason stays";
  f.device->CreatePipelineLayout({"pl", {foreign_layout}, 0});
  EXPECT_EQ(f.TakeError(), "pipeline layout 'pl': bind group layout 'l' is of another device");
  f.device->queue()->WriteBuffer(foreign, 0, {});
  EXPECT_EQ(f.TakeError(), "writeBuffer: buffer 'b' is of another device");
}

TEST(UnusableObjects, OfAPipelineThatFailed) {
  EncoderFixture f;
  const auto pipeline = f.MakePipeline("fn main() {}");
  f.TakeError();
  const auto layout = pipeline->GetBindGroupLayout(0);
  EXPECT_EQ(f.TakeError(),
            "getBindGroupLayout: compute pipeline 'test' is invalid, since its creation failed");
  f.device->CreateBindGroup({"g", layout, {}});
  EXPECT_EQ(
      f.TakeError(),
      "bind group 'g': a bind group layout without a label is invalid, since getBindGroupLayout failed");
}

TEST(QuerySets, CreationIsValidated) {
  EncoderFixture f;
  const auto most = f.MakeQueries("q", 4096);
  EXPECT_TRUE(most->valid());
  EXPECT_EQ(most->count(), 4096u);
  EXPECT_EQ(most->type(), QueryType::kTimestamp);
  EXPECT_TRUE(f.MakeQueries("none", 0, QueryType::kOcclusion)->valid());
  const auto many = f.MakeQueries("q", 4097);
  EXPECT_EQ(f.TakeError(), "query set 'q' has 4097 queries, which exceeds the limit of 4096");
  EXPECT_FALSE(many->valid());
  EXPECT_EQ(many->count(), 4097u);
  many->Destroy();
  many->Destroy();
  EXPECT_EQ(f.TakeError(), "");
  Fixture without;
  without.device->CreateQuerySet({"t", QueryType::kTimestamp, 1});
  EXPECT_THAT(without.TakeError(), HasSubstr("has no feature 'timestamp-query'"));
}

TEST(QuerySets, TimestampWritesAreValidated) {
  EncoderFixture f;
  const auto queries = f.MakeQueries("q", 2);
  const auto begin = [&](TimestampWrites writes) {
    const auto pass = f.encoder->BeginComputePass({"p", std::move(writes)});
    pass->DispatchWorkgroups(1);
    pass->End();
    EXPECT_EQ(f.TakeError(), "");
    return f.Finish();
  };
  const std::string place = "beginComputePass in compute pass 'p': ";
  EXPECT_EQ(begin({queries, {}, {}}),
            place + "neither the beginning nor the end of the pass is written to query set 'q'");
  EXPECT_EQ(begin({queries, 1, 1}),
            place + "the beginning and the end of the pass are both written to query 1 of query set 'q'");
  EXPECT_EQ(begin({queries, 2, {}}),
            place + "a timestamp is written to query 2 of query set 'q', which has 2");
  EXPECT_EQ(begin({queries, 0, 2}),
            place + "a timestamp is written to query 2 of query set 'q', which has 2");
  EXPECT_EQ(begin({f.MakeQueries("o", 2, QueryType::kOcclusion), 0, 1}),
            place + "timestamps are written to query set 'o', which is for occlusion queries");
  Fixture other({"timestamp-query"});
  EXPECT_EQ(begin({other.device->CreateQuerySet({"t", QueryType::kTimestamp, 2}), 0, 1}),
            place + "query set 't' is of another device");
  EXPECT_EQ(begin({nullptr, 0, 1}), place + "no query set is given");

  const auto pass = other.device->CreateCommandEncoder()->BeginComputePass();
  Fixture without;
  const auto encoder = without.device->CreateCommandEncoder();
  encoder->BeginComputePass({"", TimestampWrites{nullptr, 0, 1}})->End();
  encoder->Finish();
  EXPECT_THAT(without.TakeError(), HasSubstr("the device has no feature 'timestamp-query'"));
}

TEST(QuerySets, ResolvingIsValidated) {
  EncoderFixture f;
  const auto queries = f.MakeQueries("q", 2, QueryType::kOcclusion);
  const auto to = f.MakeBuffer("b", 272, kQueryResolve);
  const auto resolve = [&](uint32_t first, uint32_t count, const std::shared_ptr<Buffer>& buffer,
                           uint64_t offset) {
    f.encoder->ResolveQuerySet(queries, first, count, buffer, offset);
    return f.Finish();
  };
  EXPECT_EQ(resolve(0, 2, to, 0), "");
  EXPECT_EQ(resolve(0, 2, to, 256), "");
  EXPECT_EQ(resolve(1, 0, to, 256), "");
  EXPECT_EQ(resolve(0, 3, to, 0), "3 queries from 0 are resolved of query set 'q', which has 2");
  EXPECT_EQ(resolve(1, UINT32_MAX, to, 0),
            "4294967295 queries from 1 are resolved of query set 'q', which has 2");
  EXPECT_EQ(resolve(2, 0, to, 0), "0 queries from 2 are resolved of query set 'q', which has 2");
  EXPECT_EQ(resolve(0, 1, to, 128),
            "queries are resolved to byte 128 of buffer 'b', which is not a multiple of 256");
  EXPECT_EQ(resolve(0, 2, f.MakeBuffer("s", 264, kQueryResolve), 256),
            "2 queries resolved to byte 256 do not fit buffer 's' of 264 bytes");
  EXPECT_THAT(resolve(0, 1, to, uint64_t{1} << 40), HasSubstr("do not fit buffer 'b'"));
  EXPECT_EQ(resolve(0, 1, f.MakeBuffer("s", 16, kStorage), 0),
            "queries are resolved to buffer 's', which lacks the usage QUERY_RESOLVE (it has STORAGE)");
  EXPECT_EQ(resolve(0, 1, nullptr, 0), "resolveQuerySet: no buffer is given");
  f.encoder->ResolveQuerySet(nullptr, 0, 1, to, 0);
  EXPECT_EQ(f.Finish(), "resolveQuerySet: no query set is given");
}

TEST(QuerySets, WritesSurroundTheCommandsOfAPass) {
  EncoderFixture f;
  const auto queries = f.MakeQueries("q", 8);
  const auto pipeline = f.MakePipeline("@compute @workgroup_size(1) fn main() {}");
  const auto pass = f.encoder->BeginComputePass({"", TimestampWrites{queries, 3, 5}});
  pass->SetPipeline(pipeline);
  pass->DispatchWorkgroups(1);
  pass->End();
  f.encoder->ResolveQuerySet(queries, 3, 3, f.MakeBuffer("b", 24, kQueryResolve), 0);
  ASSERT_EQ(f.Finish(), "");
  ASSERT_EQ(f.Submit(), "");
  ASSERT_THAT(f.fake->executed, SizeIs(4));
  const auto& begin = std::get<hal::WriteTimestamp>(f.fake->executed[0]);
  EXPECT_EQ(begin.queries, queries->memory().get());
  EXPECT_EQ(begin.index, 3u);
  EXPECT_TRUE(std::holds_alternative<hal::Dispatch>(f.fake->executed[1]));
  EXPECT_EQ(std::get<hal::WriteTimestamp>(f.fake->executed[2]).index, 5u);
  const auto& resolve = std::get<hal::ResolveQueries>(f.fake->executed[3]);
  EXPECT_EQ(resolve.first, 3u);
  EXPECT_EQ(resolve.count, 3u);
}

TEST(QuerySets, DestroyedOnesAreRefusedAtTheSubmit) {
  EncoderFixture f;
  const auto queries = f.MakeQueries("q", 2);
  f.encoder->BeginComputePass({"", TimestampWrites{queries, 0, {}}})->End();
  ASSERT_EQ(f.Finish(), "");
  queries->Destroy();
  EXPECT_EQ(f.Submit(), "query set 'q' is destroyed and used by a submit");
  f.encoder->ResolveQuerySet(queries, 0, 1, f.MakeBuffer("b", 8, kQueryResolve), 0);
  ASSERT_EQ(f.Finish(), "") << "it is not invalid";
  EXPECT_EQ(f.Submit(), "query set 'q' is destroyed and used by a submit");
}

}  // namespace
}  // namespace lockstep::gpu::core

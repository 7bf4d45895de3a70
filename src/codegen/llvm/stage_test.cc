// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Vertices and fragments, batch by batch, against values written down here and against the interpreter.
#include "abi/stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <functional>

#include "codegen/llvm/engine_fixture.h"
#include "ir/printer.h"
#include "ir/transform/pipeline.h"
#include "ir/transform/stage_io.h"

namespace lockstep::codegen {
namespace {

using abi::StageValue;

constexpr uint32_t kBatch = abi::kStageInvocations;
constexpr uint32_t kUntouched = 0xabababab;
const std::vector<Width> kFragmentWidths = {{4, 8}, {8, 8}, {16, 8}, {32, 8},
                                            {4, 4}, {8, 4}, {16, 4}, {0, 8}};

uint32_t Bits(float f) { return std::bit_cast<uint32_t>(f); }
float AsFloat(uint32_t bits) { return std::bit_cast<float>(bits); }

ir::Module ParseText(const std::string& text) {
  Result<ir::Module> module = ir::Parse(text);
  EXPECT_TRUE(module.ok()) << module.failure().message;
  return std::move(*module);
}

// What input slot `slot` holds for invocation `i`, padding included.
using Input = std::function<uint32_t(const abi::StageSlot& slot, uint32_t i)>;

struct Stage {
  explicit Stage(const std::string& text) : program{text, {}}, layout(ir::StageLayoutOf(ParseText(text))) {}

  // `buffers`: of the module itself.
  Program& Batch(uint32_t invocations, const Input& input, std::vector<Words> buffers = {}) {
    program.invocations = invocations;
    program.buffers = std::move(buffers);
    Words in(std::max<size_t>(1, layout.inputs.size()) * kBatch, kUntouched);
    for (size_t s = 0; s < layout.inputs.size(); ++s) {
      for (uint32_t i = 0; i < kBatch; ++i) in[s * kBatch + i] = input(layout.inputs[s], i);
    }
    program.buffers.push_back(std::move(in));
    program.buffers.emplace_back(std::max<size_t>(1, layout.outputs.size()) * kBatch, kUntouched);
    return program;
  }

  // Of invocation `i`, after a run.
  uint32_t Output(const std::vector<Words>& after, StageValue value, uint32_t i, uint32_t location = 0,
                  uint32_t component = 0) const {
    for (size_t s = 0; s < layout.outputs.size(); ++s) {
      const abi::StageSlot& slot = layout.outputs[s];
      if (slot.value == value && slot.location == location && slot.component == component)
        return after.back()[s * kBatch + i];
    }
    ADD_FAILURE() << "no such output";
    return 0;
  }

  Program program;
  abi::StageLayout layout;
};

const char kVertex[] = R"(
var $offset : uniform read f32 group 0 binding 0
fn @vs() vertex {
  %v = builtin vertex_index : u32
  %i = builtin instance_index : u32
  %p = input 0 perspective center : vec3<f32>
  %n = input 2 flat first : i32
  %o = load $offset : f32
  %x = extract 0 %p : f32
  %y = extract 1 %p : f32
  %z = extract 2 %p : f32
  %xo = add %x, %o : f32
  %clip = construct %xo, %y, %z, 1f : vec4<f32>
  %sum = add %v, %i : u32
  %m = neg %n : i32
  %c = lt %v, 100u : bool
  if %c {
    exit
  } else {
    output position %clip
    output 1 %sum
    output 3 vec2<i32>(-1i, -2i)
    return
  }
  %pair = construct %m, %n : vec2<i32>
  output position %clip
  output 1 %sum
  output 3 %pair
  return
}
)";

uint32_t VertexInput(const abi::StageSlot& slot, uint32_t i) {
  if (slot.value == StageValue::kVertexIndex) return i * 3;
  if (slot.value == StageValue::kInstanceIndex) return 1000;
  if (slot.location == 2) return static_cast<uint32_t>(-5 - static_cast<int32_t>(i));
  return Bits(static_cast<float>(i) + 0.25f * static_cast<float>(slot.component));
}

TEST(Stages, Vertices) {
  Stage stage(kVertex);
  ASSERT_EQ(stage.layout.inputs.size(), 6u);
  EXPECT_EQ(stage.layout.inputs[0].value, StageValue::kVertexIndex);
  EXPECT_EQ(stage.layout.inputs[1].value, StageValue::kInstanceIndex);
  EXPECT_EQ(stage.layout.inputs[4].component, 2);
  EXPECT_EQ(stage.layout.inputs[5].location, 2u);
  EXPECT_EQ(stage.layout.inputs[5].scalar, abi::StageScalar::kI32);
  EXPECT_EQ(stage.layout.inputs[5].interpolation, abi::Interpolation::kFlat);
  for (const uint32_t invocations : {1u, 7u, 8u, 9u, 255u, 256u}) {
    const std::vector<Words> after = RunEverywhere(stage.Batch(invocations, VertexInput, {{Bits(0.5f)}}));
    for (uint32_t i = 0; i < invocations; ++i) {
      const auto f = static_cast<float>(i);
      EXPECT_EQ(AsFloat(stage.Output(after, StageValue::kPosition, i, 0, 0)), f + 0.5f);
      EXPECT_EQ(AsFloat(stage.Output(after, StageValue::kPosition, i, 0, 2)), f + 0.5f);
      EXPECT_EQ(AsFloat(stage.Output(after, StageValue::kPosition, i, 0, 3)), 1.0f);
      EXPECT_EQ(stage.Output(after, StageValue::kLocation, i, 1), i * 3 + 1000);
      const uint32_t n = i * 3 < 100 ? 5 + i : static_cast<uint32_t>(-1);
      EXPECT_EQ(stage.Output(after, StageValue::kLocation, i, 3), n) << i;
    }
  }
}

TEST(Stages, OnlyTheLaneGroupsOfTheBatchRun) {
  Stage stage(kVertex);
  LaneOptions options;
  options.lanes = 8;
  const std::vector<Words> after = RunCompiled(stage.Batch(7, VertexInput, {{Bits(0.5f)}}), options);
  EXPECT_NE(stage.Output(after, StageValue::kPosition, 6), kUntouched);
  EXPECT_EQ(AsFloat(stage.Output(after, StageValue::kPosition, 7)), 7.5f);  // like a lane of the batch
  for (uint32_t i = 8; i < kBatch; ++i) EXPECT_EQ(stage.Output(after, StageValue::kPosition, i), kUntouched);
  options.shuffle_groups = true;
  EXPECT_EQ(RunCompiled(stage.program, options), after);
}

TEST(Stages, FragmentsWithBuiltinValues) {
  Stage stage(R"(
fn @fs() fragment {
  %p = builtin position : vec4<f32>
  %front = builtin front_facing : bool
  %mask = builtin sample_mask : u32
  %s = builtin sample_index : u32
  %x = extract 0 %p : f32
  %w = extract 3 %p : f32
  %a = select %front, %x, %w : f32
  %color = construct %a, %x, 0f, 1f : vec4<f32>
  %m = xor %mask, %s : u32
  output sample_mask %m
  output frag_depth %w
  output 0 %color
  output 1 %s
  return
}
)");
  const Input input = [](const abi::StageSlot& slot, uint32_t i) {
    if (slot.value == StageValue::kFrontFacing) return i % 3 == 0 ? 1u : 0u;
    if (slot.value == StageValue::kSampleMask) return 15u;
    if (slot.value == StageValue::kSampleIndex) return i % 4;
    return Bits(static_cast<float>(i) * static_cast<float>(slot.component + 1));
  };
  for (const uint32_t invocations : {4u, 252u, 256u}) {
    const std::vector<Words> after = RunEverywhere(stage.Batch(invocations, input), kFragmentWidths);
    for (uint32_t i = 0; i < invocations; ++i) {
      const auto f = static_cast<float>(i);
      EXPECT_EQ(AsFloat(stage.Output(after, StageValue::kLocation, i)), i % 3 == 0 ? f : 4 * f);
      EXPECT_EQ(AsFloat(stage.Output(after, StageValue::kFragDepth, i)), 4 * f);
      EXPECT_EQ(stage.Output(after, StageValue::kSampleMask, i), 15u ^ (i % 4));
      EXPECT_EQ(stage.Output(after, StageValue::kLocation, i, 1), i % 4);
    }
  }
}

TEST(Stages, HalfFloatsTravelAsFloats) {
  Stage stage(R"(
fn @fs() fragment {
  %a = input 0 perspective center : vec2<f16>
  %b = add %a, %a : vec2<f16>
  output 0 %b
  return
}
)");
  const Input input = [](const abi::StageSlot& slot, uint32_t i) {
    return Bits(static_cast<float>(i) + static_cast<float>(slot.component) / 3);
  };
  const std::vector<Words> after = RunCompiled(stage.Batch(64, input), {});
  EXPECT_EQ(AsFloat(stage.Output(after, StageValue::kLocation, 5)), 10.0f);
  // 5 + 1/3 rounded to a half, twice.
  EXPECT_EQ(AsFloat(stage.Output(after, StageValue::kLocation, 5, 0, 1)), 10.6640625f);
}

// --- discard and helpers ---

const char kStorage[] =
    "var $seen : storage read_write array<u32, 256> group 0 binding 0\n"
    "var $count : storage read_write array<atomic<u32>, 4> group 0 binding 1\n";

// Invocation i of the batch is covered unless i % 8 is 5; location 0 is i.
bool IsCovered(uint32_t i) { return i % 8 != 5; }
Input CoveredInput(uint32_t invocations) {
  return [=](const abi::StageSlot& slot, uint32_t i) {
    if (slot.value != StageValue::kCoverage) return i;
    return i < invocations && IsCovered(i) ? 1u : 0u;
  };
}

TEST(Stages, HelpersWriteNothing) {
  Stage stage(std::string(kStorage) + R"(
fn @fs() fragment {
  %i = input 0 flat first : u32
  %p = access $seen, %i : ptr<storage, read_write, u32>
  store %p, 1u
  %a = access $count, 0u : ptr<storage, read_write, atomic<u32>>
  %old = atomic_rmw add %a, 1u : u32
  %b = access $count, 1u : ptr<storage, read_write, atomic<u32>>
  %max = atomic_rmw max %b, %i : u32
  output 0 %i
  return
}
)");
  EXPECT_TRUE(stage.layout.outputs.size() == 1) << "nothing is discarded";
  const std::vector<Words> after =
      RunEverywhere(stage.Batch(64, CoveredInput(64), {Words(256, 0), Words(4, 0)}), kFragmentWidths);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(after[0][i], IsCovered(i) ? 1u : 0u) << i;
  EXPECT_EQ(after[1][0], 56u);
  EXPECT_EQ(after[1][1], 63u);
  EXPECT_EQ(stage.Output(after, StageValue::kLocation, 5), 5u);  // they go on
}

const char kDiscards[] = R"(
fn @drop(%i : u32) {
  %r = rem %i, 3u : u32
  %c = eq %r, 0u : bool
  if %c {
    demote
    exit
  } else {
    exit
  }
  return
}

fn @put(%i : u32) {
  %p = access $seen, %i : ptr<storage, read_write, u32>
  store %p, 2u
  return
}

fn @fs() fragment {
  %i = input 0 flat first : u32
  %a = access $count, 0u : ptr<storage, read_write, atomic<u32>>
  %before = atomic_rmw add %a, 1u : u32
  call @drop %i
  call @put %i
  %b = access $count, 1u : ptr<storage, read_write, atomic<u32>>
  %after = atomic_rmw add %b, 1u : u32
  output 0 %i
  return
}
)";

void CheckDiscards(Stage& stage, const std::vector<Words>& after, uint32_t invocations) {
  uint32_t before = 0, later = 0;
  for (uint32_t i = 0; i < invocations; ++i) {
    const bool live = IsCovered(i) && i % 3 != 0;
    before += IsCovered(i) ? 1 : 0;
    later += live ? 1 : 0;
    EXPECT_EQ(after[0][i], live ? 2u : 0u) << i;
    EXPECT_EQ(stage.Output(after, StageValue::kCoverage, i), live ? 1u : 0u) << i;
  }
  EXPECT_EQ(after[1][0], before);
  EXPECT_EQ(after[1][1], later);
}

TEST(Stages, DiscardInFunctionsThatAreInlined) {
  Stage stage(std::string(kStorage) + kDiscards);
  for (const uint32_t invocations : {4u, 64u, 256u}) {
    const std::vector<Words> after = RunEverywhere(
        stage.Batch(invocations, CoveredInput(invocations), {Words(256, 0), Words(4, 0)}), kFragmentWidths);
    CheckDiscards(stage, after, invocations);
  }
}

TEST(Stages, DiscardInFunctionsThatStayCalls) {
  Stage stage(std::string(kStorage) + kDiscards);
  ir::Module module = ParseText(stage.program.text);
  ir::PipelineOptions options;
  options.inlining.small = 0;
  options.inlining.optional_growth = 0;
  options.inlining.total_growth = 0;
  ir::RunCpuPipeline(module, options);
  EXPECT_THAT(ir::Print(module), testing::HasSubstr("call @drop"));
  stage.Batch(256, CoveredInput(256), {Words(256, 0), Words(4, 0)});
  stage.program.module = &module;
  stage.program.pipeline = false;
  CheckDiscards(stage, RunEverywhere(stage.program, kFragmentWidths), 256);
}

TEST(Stages, DiscardInALoop) {
  Stage stage(std::string(kStorage) + R"(
fn @fs() fragment {
  %i = input 0 flat first : u32
  %a = access $count, 0u : ptr<storage, read_write, atomic<u32>>
  %p = access $seen, %i : ptr<storage, read_write, u32>
  loop @rounds (%k = 0u) {
    %done = ge %k, 10u : bool
    if %done {
      exit @rounds
    } else {
      exit
    }
    %same = eq %k, %i : bool
    if %same {
      demote
      exit
    } else {
      exit
    }
    %old = atomic_rmw add %a, 1u : u32
    %k1 = add %k, 1u : u32
    store %p, %k1
    continue %k1
  } continuing (%n : u32) {
    next %n
  }
  return
}
)");
  const std::vector<Words> after =
      RunEverywhere(stage.Batch(64, CoveredInput(64), {Words(256, 0), Words(4, 0)}), kFragmentWidths);
  uint32_t total = 0;
  for (uint32_t i = 0; i < 64; ++i) {
    const uint32_t rounds = IsCovered(i) ? std::min(i, 10u) : 0;
    total += rounds;
    EXPECT_EQ(after[0][i], rounds) << i;
    EXPECT_EQ(stage.Output(after, StageValue::kCoverage, i), IsCovered(i) && i >= 10 ? 1u : 0u) << i;
  }
  EXPECT_EQ(after[1][0], total);
}

// --- derivatives ---

TEST(Stages, DerivativesAreDifferencesInTheQuad) {
  Stage stage(R"(
var $scale : uniform read f32 group 0 binding 0
fn @fs() fragment {
  %v = input 0 perspective center : vec2<f32>
  %scale = load $scale : f32
  %dx = dpdx %v : vec2<f32>
  %dy = dpdy %v : vec2<f32>
  %zero = dpdx %scale : f32
  %x = extract 0 %v : f32
  %sum = loop @rounds (%k = 0u, %s = 0f) : f32 {
    %done = ge %k, 3u : bool
    if %done {
      exit @rounds %s
    } else {
      exit
    }
    %square = mul %x, %x : f32
    %d = dpdx %square : f32
    %s1 = add %s, %d : f32
    continue %s1
  } continuing (%sn : f32) {
    %k1 = add %k, 1u : u32
    next %k1, %sn
  }
  %dd = dpdy %sum : f32
  %a = construct %sum, %dd : vec2<f32>
  output 0 %dx
  output 1 %dy
  output 2 %zero
  output 3 %a
  return
}
)");
  const auto value = [](uint32_t component, uint32_t i) {
    const uint32_t quad = i / 4, x = i & 1, y = i >> 1 & 1;
    return static_cast<float>((quad * 7 + x * (component + 2) + y * 5 + x * y * quad) % 61);
  };
  const Input input = [&](const abi::StageSlot& slot, uint32_t i) { return Bits(value(slot.component, i)); };
  const std::vector<Words> after = RunEverywhere(stage.Batch(256, input, {{Bits(3.0f)}}), kFragmentWidths);
  for (uint32_t i = 0; i < 256; ++i) {
    for (uint32_t c = 0; c < 2; ++c) {
      EXPECT_EQ(AsFloat(stage.Output(after, StageValue::kLocation, i, 0, c)),
                value(c, i | 1) - value(c, i & ~1u));
      EXPECT_EQ(AsFloat(stage.Output(after, StageValue::kLocation, i, 1, c)),
                value(c, i | 2) - value(c, i & ~2u));
    }
    EXPECT_EQ(AsFloat(stage.Output(after, StageValue::kLocation, i, 2)), 0.0f);
    const auto sum = [&](uint32_t at) {
      const float right = value(0, at | 1), left = value(0, at & ~1u);
      return 3 * (right * right - left * left);
    };
    EXPECT_EQ(AsFloat(stage.Output(after, StageValue::kLocation, i, 3, 0)), sum(i));
    EXPECT_EQ(AsFloat(stage.Output(after, StageValue::kLocation, i, 3, 1)), sum(i | 2) - sum(i & ~2u));
  }
}

TEST(Stages, QuadsStayWholeWhateverTheWidth) {
  Stage stage(R"(
fn @fs() fragment {
  %x = input 0 perspective center : f32
  %d = dpdx %x : f32
  output 0 %d
  return
}
)");
  const Input input = [](const abi::StageSlot&, uint32_t i) { return Bits(static_cast<float>(i * i)); };
  for (const Width width : std::vector<Width>{{1, 8}, {2, 8}, {4, 1}, {1, 1}}) {
    LaneOptions options;
    options.lanes = width.lanes;
    options.native_lanes = width.native;
    const std::vector<Words> after = RunCompiled(stage.Batch(8, input), options);
    EXPECT_EQ(AsFloat(stage.Output(after, StageValue::kLocation, 2)), 5.0f) << width.lanes;
    EXPECT_EQ(AsFloat(stage.Output(after, StageValue::kLocation, 7)), 13.0f) << width.lanes;
  }
}

}  // namespace
}  // namespace lockstep::codegen

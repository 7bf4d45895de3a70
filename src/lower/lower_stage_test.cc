// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Vertex and fragment entry points: what their inputs, outputs, derivatives and discards become.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/transform/stage_io.h"
#include "support/run_program.h"

namespace lockstep::lower {
namespace {

using testing::HasSubstr;

// The entry point as lowered; it also goes through the CPU pipeline, verified after each pass.
ir::Module Lowered(const std::string& text) {
  const tests::BuiltModule built = tests::BuildModule(text);
  EXPECT_EQ(built.error, "");
  return built.lowered.value_or(ir::Module());
}

TEST(LowerStages, VertexShader) {
  EXPECT_EQ(ir::Print(Lowered(R"(
struct Out { @location(1) @interpolate(flat) id: u32, @builtin(position) p: vec4f }
@vertex fn vs(@builtin(vertex_index) v: u32, @location(0) at: vec3f) -> Out {
  return Out(v, vec4f(at, 1));
})")),
            R"(struct Out size 32 align 16 {
  id : u32 at 0
  p : vec4<f32> at 16
}


fn @vs() vertex {
  %v = builtin vertex_index : u32
  %at = input 0 perspective center : vec3<f32>
  %0 = extract 0 %at : f32
  %1 = extract 1 %at : f32
  %2 = extract 2 %at : f32
  %3 = construct %0, %1, %2, 1f : vec4<f32>
  %4 = construct %v, %3 : Out
  %5 = extract 0 %4 : u32
  output 1 %5
  %6 = extract 1 %4 : vec4<f32>
  output position %6
  return
}
)");
}

TEST(LowerStages, FragmentShader) {
  EXPECT_EQ(ir::Print(Lowered(R"(
struct In { @builtin(front_facing) front: bool, @location(2) @interpolate(linear, sample) x: f32 }
@fragment fn fs(i: In) -> @location(3) f32 {
  if i.front { discard; }
  return fwidthFine(i.x);
})")),
            R"(struct In size 8 align 4 {
  front : bool at 0
  x : f32 at 4
}


fn @fs() fragment {
  %0 = builtin front_facing : bool
  %1 = input 2 linear sample : f32
  %2 = construct %0, %1 : In
  %3 = extract 0 %2 : bool
  if %3 {
    demote
    exit
  } else {
    exit
  }
  %4 = extract 1 %2 : f32
  %5 = dpdx %4 : f32
  %6 = abs %5 : f32
  %7 = dpdy %4 : f32
  %8 = abs %7 : f32
  %9 = add %6, %8 : f32
  output 3 %9
  return
}
)");
}

TEST(LowerStages, OutputsOfEveryKind) {
  const std::string text = ir::Print(Lowered(R"(
struct Out { @builtin(frag_depth) d: f32, @builtin(sample_mask) m: u32, @location(0) c: vec4f }
@fragment fn fs(@builtin(sample_index) s: u32, @builtin(sample_mask) m: u32) -> Out {
  var out: Out;
  out.m = m & s;
  return out;
})"));
  EXPECT_THAT(text, HasSubstr("output frag_depth %"));
  EXPECT_THAT(text, HasSubstr("output sample_mask %"));
  EXPECT_THAT(text, HasSubstr("output 0 %"));
}

// Structures of more scalars than a value may have.
TEST(LowerStages, LargeStructures) {
  std::string members;
  for (int i = 0; i < 16; ++i)
    members += "@location(" + std::to_string(i) + ") m" + std::to_string(i) + ": vec4f, ";
  const ir::Module vertex =
      Lowered("struct Out { " + members +
              "@builtin(position) p: vec4f } @vertex fn vs() -> Out { var o: Out; o.m7.y = 1; "
              "return o; }");
  EXPECT_EQ(ir::StageLayoutOf(vertex).outputs.size(), 68u);
  const ir::Module fragment =
      Lowered("struct In { " + members +
              "@builtin(front_facing) f: bool } @fragment fn fs(i: In) -> @location(0) vec4f "
              "{ return select(i.m0, i.m15, i.f); }");
  EXPECT_EQ(ir::StageLayoutOf(fragment).inputs.size(), 65u);
}

TEST(LowerStages, CoverageIsAskedForWhereSomethingDependsOnIt) {
  const auto coverage = [](const std::string& body) {
    const abi::StageLayout layout = ir::StageLayoutOf(
        Lowered("@group(0) @binding(0) var<storage, read_write> n: atomic<u32>; var<private> p: u32; "
                "fn drop() { discard; } @fragment fn fs() { " +
                body + " }"));
    return std::pair(layout.inputs.size(), layout.outputs.size());
  };
  EXPECT_EQ(coverage("p = 1;"), std::pair(size_t{0}, size_t{0}));
  EXPECT_EQ(coverage("atomicAdd(&n, 1);"), std::pair(size_t{1}, size_t{0}));
  EXPECT_EQ(coverage("drop();"), std::pair(size_t{1}, size_t{1}));
}

}  // namespace
}  // namespace lockstep::lower

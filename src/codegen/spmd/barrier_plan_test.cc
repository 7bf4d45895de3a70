// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/spmd/lane_text_test_util.h"

namespace lockstep::codegen {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(BarrierPlan, ValuesThatLiveAcrossABarrier) {
  const std::string text = LanesOf(R"(
    %l = builtin local_invocation_index : u32
    %p = access $in, %l : ptr<storage, read, u32>
    %mine = load %p : u32
    %u = access $in, 7u : ptr<storage, read, u32>
    %limit = load %u : u32
    %o = access $out, 7u : ptr<storage, read_write, u32>
    %shared = load %o : u32
    %twice = mul %limit, 2u : u32
    %t = access $tile, %l : ptr<workgroup, read_write, u32>
    store %t, %mine
    barrier workgroup
    %sum = add %mine, %twice : u32
    %sum2 = add %sum, %shared : u32
    store %t, %sum2
    return
)");
  EXPECT_THAT(text, HasSubstr("%mine = load %p : u32  // varying, group slot 0"));
  EXPECT_THAT(text, HasSubstr("%limit = load %u : u32  // uniform, hoisted"));
  EXPECT_THAT(text, HasSubstr("%twice = mul %limit, 2u : u32  // uniform, hoisted"));
  // The same in all lanes of a group, but groups may read at different times.
  EXPECT_THAT(text, HasSubstr("%shared = load %o : u32  // uniform, group slot 32"));
  // Indices and pointers are made again.
  EXPECT_THAT(text.substr(text.find("barrier")), HasSubstr("builtin local_invocation_index"));
  EXPECT_THAT(text.substr(text.find("barrier")), HasSubstr("access $tile"));
}

TEST(BarrierPlan, ConstructsThatDecideAboutABarrierRunAtWorkgroupLevel) {
  const std::string text = LanesOf(R"(
    %l = builtin local_invocation_index : u32
    %u = access $in, 7u : ptr<storage, read, u32>
    %limit = load %u : u32
    %none = eq %limit, 0u : bool
    if %none {
      return
    } else {
      exit
    }
    %odd = eq %limit, 1u : bool
    if %odd {
      %p = access $out, %l : ptr<storage, read_write, u32>
      store %p, 1u
      exit
    } else {
      exit
    }
    barrier workgroup
    return
)");
  EXPECT_THAT(text, HasSubstr("if %none {  // workgroup level"));
  EXPECT_THAT(text, HasSubstr("if %odd {\n"));
}

// The front end has shown that invocations agree, by rules that know more than shapes do.
TEST(BarrierPlan, SelectorsThatAreNotKnownToBeUniform) {
  const std::string text = LanesOf(R"(
    %l = builtin local_invocation_index : u32
    %p = access $in, %l : ptr<storage, read, u32>
    %s = load %p : u32
    switch %s {
      case 3u {
        barrier workgroup
        exit
      }
      case 0u, default {
        exit
      }
    }
    %c = eq %s, 7u : bool
    if %c {
      barrier workgroup
      exit
    } else {
      exit
    }
    return
)");
  EXPECT_THAT(text, HasSubstr("%1 = any_lane %0 : bool"));
  EXPECT_THAT(text, HasSubstr("%2 = select %1, 3u, 1u : u32  // uniform"));
  EXPECT_THAT(text, HasSubstr("switch %5 {  // workgroup level"));
  EXPECT_THAT(text, HasSubstr("%6 = any_lane %c : bool  // uniform, uniform slot"));
  EXPECT_THAT(text, HasSubstr("if %6 {  // workgroup level"));
}

TEST(BarrierPlan, ACopyAtAJumpNeedsNoSlotOfItsOwn) {
  const Result<LaneKernel> kernel = BuildText(LaneKernelText(R"(
    %l = builtin local_invocation_index : u32
    %p = access $in, %l : ptr<storage, read, u32>
    %x = load %p : u32
    %r = loop @loop (%k = 0u, %sum = %x) : u32 {
      %done = ge %k, 4u : bool
      if %done {
        exit @loop %sum
      } else {
        exit
      }
      %t = access $tile, %l : ptr<workgroup, read_write, u32>
      store %t, %sum
      barrier workgroup
      %t2 = access $tile, %k : ptr<workgroup, read_write, u32>
      %y = load %t2 : u32
      %sum2 = mul %sum, %y : u32
      continue %sum2
    } continuing (%sum3 : u32) {
      %k2 = add %k, 1u : u32
      next %k2, %sum3
    }
    %o = access $out, %l : ptr<storage, read_write, u32>
    store %o, %r
    return
)"));
  ASSERT_TRUE(kernel.ok()) << kernel.failure().message;
  EXPECT_EQ(kernel->barriers.group_bytes, 64u) << PrintLanes(*kernel);  // one row of 8 lanes, rounded up
}

TEST(BarrierPlan, LoopsWithBarriersKeepVaryingParametersInTheFrame) {
  const std::string text = LanesOf(R"(
    %l = builtin local_invocation_index : u32
    %r = loop @loop (%k = 0u, %a = %l, %b = 1u) : u32 {
      %done = ge %k, 4u : bool
      if %done {
        exit @loop %a
      } else {
        exit
      }
      barrier workgroup
      continue
    } continuing {
      %k2 = add %k, 1u : u32
      next %k2, %b, %a
    }
    %p = access $out, %l : ptr<storage, read_write, u32>
    store %p, %r
    return
)");
  EXPECT_THAT(text, HasSubstr("// %k uniform, hoisted"));
  EXPECT_THAT(text, HasSubstr("// %a varying, group slot"));
  EXPECT_THAT(text, HasSubstr("// %b varying, group slot"));
}

TEST(BarrierPlan, FunctionsWithBarriersHaveRowsBehindTheirCallers) {
  const Result<LaneKernel> kernel = BuildText(R"(
var $in : storage read array<u32> group 0 binding 0
fn @inner(%x : u32, %n : u32, %l : u32, %p : ptr<function, read_write, u32>) : u32 {
  barrier workgroup
  %y = add %x, %n : u32
  %z = add %y, %l : u32
  store %p, %z
  return %z
}
fn @count(%n : u32) : u32 {
  barrier workgroup
  return %n
}
fn @outer(%x : u32, %l : u32) : u32 {
  %v = var : ptr<function, read_write, array<u32, 4>>
  %i = and %x, 3u : u32
  %p = access %v, %i : ptr<function, read_write, u32>
  %n = call @count 7u : u32
  %r = call @inner %x, %n, %l, %p : u32
  %s = add %r, %x : u32
  return %s
}
fn @main() workgroup_size(64, 1, 1) {
  %l = builtin local_invocation_index : u32
  %a = access $in, %l : ptr<storage, read, u32>
  %x = load %a : u32
  %r = call @outer %x, %l : u32
  %s = call @outer %r, %l : u32
  return
}
)");
  ASSERT_TRUE(kernel.ok()) << kernel.failure().message;
  const std::string text = PrintLanes(*kernel);
  // No mask; an index stays affine, what is uniform is passed, the rest has rows.
  EXPECT_THAT(text,
              HasSubstr("fn @inner(%x : u32, %n : u32, %l : u32, %p : ptr<function, read_write, u32>)"));
  EXPECT_THAT(text, HasSubstr("// %n uniform, hoisted\n  // %l affine 1, group slot"));
  EXPECT_THAT(text, HasSubstr("// %p varying, group slot"));
  EXPECT_THAT(text, HasSubstr("call @count 7u : u32  // workgroup level; uniform, hoisted"));
  EXPECT_THAT(text, HasSubstr("call @inner %x, %n, %l, %p.1 : u32  // workgroup level; varying, group slot"));
  // main: a row for its results. outer: the array, x, l, the result of its call and its own. inner: x, l, p,
  // its own.
  EXPECT_THAT(text, HasSubstr("and 448 a group"));
  const BarrierPlan& plan = kernel->barriers;
  uint32_t end_of_main = 0, rows = 0;
  for (const ir::FunctionId f : {ir::FunctionId(0), ir::FunctionId(2)}) {
    for (const ir::ValueId p : kernel->module.functions[f].params) {
      if (kernel->placements.Get(p).home != Home::kGroupSlot) continue;
      ++rows;
      EXPECT_GE(kernel->placements.Get(p).offset, end_of_main);
    }
    EXPECT_EQ(plan.results.Get(f).placement.home, Home::kGroupSlot);
  }
  EXPECT_EQ(rows, 5u);
  EXPECT_EQ(plan.results.Get(ir::FunctionId(1)).placement.home, Home::kUniformSlot);
}

// As the front end allows: a parameter that is uniform at each call, by rules that see more than shapes do.
TEST(BarrierPlan, WhatIsNotKnownToBeUniformIsTakenFromLaneZero) {
  const std::string text = LanesOf(R"(
    %l = builtin local_invocation_index : u32
    %p = access $in, %l : ptr<storage, read, u32>
    %i = load %p : u32
    %t = access $tile, %i : ptr<workgroup, read_write, u32>
    %u = uniform_load %t : u32
    return
)");
  EXPECT_THAT(text, HasSubstr("%i = load %p : u32  // varying, uniform slot 0"));
}

TEST(BarrierPlan, FramesAreBounded) {
  const Result<LaneKernel> kernel = BuildText(LaneKernelText(R"(
    %l = builtin local_invocation_index : u32
    %v = var : ptr<function, read_write, array<u32, 1000000>>
    zero_fill %v
    barrier workgroup
    %p = access %v, %l : ptr<function, read_write, u32>
    %x = load %p : u32
    %o = access $out, %l : ptr<storage, read_write, u32>
    store %o, %x
    return
)"));
  ASSERT_FALSE(kernel.ok());
  EXPECT_THAT(kernel.failure().message, HasSubstr("more than 64 MiB"));
}

TEST(WorkgroupMemory, VariablesThatAreUsedHavePlaces) {
  const Result<LaneKernel> kernel = BuildText(R"(
var $a : workgroup read_write array<u32, 3>
var $unused : workgroup read_write array<u32, 1000>
var $b : workgroup read_write u32
fn @main() workgroup_size(64, 1, 1) {
  %p = access $a, 1u : ptr<workgroup, read_write, u32>
  store %p, 1u
  store $b, 1u
  return
}
)");
  ASSERT_TRUE(kernel.ok()) << kernel.failure().message;
  EXPECT_EQ(kernel->workgroup_offsets.Get(ir::VariableId(0)), 0u);
  EXPECT_EQ(kernel->workgroup_offsets.Get(ir::VariableId(2)), 64u);
  EXPECT_EQ(kernel->workgroup_bytes, 128u);
}

TEST(BoundedLoops, CountersBetweenConstants) {
  const auto loop = [](std::string_view test, std::string_view step, std::string_view inner = "") {
    return LanesOf(
        "%l = builtin local_invocation_index : u32\nloop @loop (%k = 0u) {\n%d = " + std::string(test) +
        " : bool\nif %d {\nexit @loop\n} else {\nexit\n}\n" + std::string(inner) +
        "continue\n} continuing {\n%k2 = add %k, " + std::string(step) + " : u32\nnext %k2\n}\nreturn\n");
  };
  EXPECT_THAT(loop("ge %k, 100u", "1u"), HasSubstr("bounded"));
  EXPECT_THAT(loop("ge %k, 100000u", "1u"), Not(HasSubstr("bounded")));
  EXPECT_THAT(loop("ge %k, 100000u", "100u"), HasSubstr("bounded"));
  EXPECT_THAT(loop("eq %k, 100u", "1u"), Not(HasSubstr("bounded")));
  EXPECT_THAT(loop("ge %k, %l", "1u"), Not(HasSubstr("bounded")));
  EXPECT_THAT(loop("ge %k, 4294967290u", "4294967000u"),
              Not(HasSubstr("bounded")));  // may wrap past the limit
  // What is nested counts as often as it runs.
  const std::string inner =
      "loop @inner (%j = 0u) {\n%e = ge %j, 1000u : bool\nif %e {\nexit @inner\n} else {\nexit\n}\ncontinue\n"
      "} continuing {\n%j2 = add %j, 1u : u32\nnext %j2\n}\n";
  const std::string both = loop("ge %k, 1000u", "1u", inner);
  EXPECT_THAT(both, HasSubstr("(%k = 0u) {\n"));
  EXPECT_THAT(both, HasSubstr("(%j = 0u) {  // bounded"));
}

}  // namespace
}  // namespace lockstep::codegen

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/analysis/divergence.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ir/printer.h"
#include "ir/verifier.h"

namespace lockstep::ir {
namespace {

// Names of values that differ, in order, and of flagged loops' first parameters; the body of an entry point
// with the values %l (differs) and %u (uniform), %cl and %cu (conditions made of them).
class Divergence : public testing::Test {
 protected:
  void Analyze(std::string_view body, std::string_view functions = "") {
    const std::string text = fmt::format(
        "var $buffer : storage read_write array<u32> group 0 binding 0\n"
        "var $counter : storage read_write atomic<u32> group 0 binding 1\n"
        "var $tile : workgroup read_write array<u32, 64>\n"
        "var $own : private read_write u32\n{}"
        "fn @main() workgroup_size(64, 1, 1) {{\n"
        "%l = builtin local_invocation_index : u32\n%wid = builtin workgroup_id : vec3<u32>\n"
        "%u = extract 0 %wid : u32\n%cl = lt %l, 5u : bool\n%cu = lt %u, 5u : bool\n{}\nreturn\n}}\n",
        functions, body);
    Result<Module> m = Parse(text);
    ASSERT_TRUE(m.ok()) << m.failure().message;
    ASSERT_EQ(Verify(*m), "");
    module_ = *m;
    info_ = AnalyzeDivergence(module_);
  }

  bool Differs(std::string_view name) {
    for (uint32_t i = 0; i < module_.value_count(); ++i) {
      if (module_.name_of(ValueId(i)) == name) return !info_.IsUniform(ValueId(i));
    }
    ADD_FAILURE() << "no value " << name;
    return false;
  }

  InstId Loop(uint32_t number = 0) {
    for (uint32_t i = 0; i < module_.insts.size(); ++i) {
      if (module_.insts[InstId(i)].op == Op::kLoop && number-- == 0) return InstId(i);
    }
    ADD_FAILURE() << "no loop";
    return InstId(0);
  }

  Module module_;
  DivergenceInfo info_;
};

TEST_F(Divergence, FollowsOperands) {
  Analyze("%x = add %l, 1u : u32\n%y = add %u, 1u : u32\n%z = add %x, %y : u32");
  EXPECT_TRUE(Differs("x"));
  EXPECT_FALSE(Differs("y"));
  EXPECT_TRUE(Differs("z"));
}

TEST_F(Divergence, LoadsFollowTheirAddressAndMemory) {
  Analyze(
      "%p0 = access $buffer, %u : ptr<storage, read_write, u32>\n%v0 = load %p0 : u32\n"
      "%p1 = access $tile, %l : ptr<workgroup, read_write, u32>\n%v1 = load %p1 : u32\n"
      "%v2 = load $own : u32\n%v3 = atomic_load $counter : u32\n"
      "%m = var : ptr<function, read_write, u32>\n%v4 = load %m : u32\n%v5 = uniform_load $tile : array<u32, "
      "64>\n");
  EXPECT_FALSE(Differs("v0"));
  EXPECT_TRUE(Differs("v1"));
  EXPECT_TRUE(Differs("v2"));
  EXPECT_TRUE(Differs("v3"));
  EXPECT_FALSE(Differs("m"));
  EXPECT_TRUE(Differs("v4"));
  EXPECT_FALSE(Differs("v5"));
}

TEST_F(Divergence, IfResultsDifferWhereTheConditionDoes) {
  Analyze(
      "%x = if %cl : u32 { exit 1u } else { exit 2u }\n%y = if %cu : u32 { exit 1u } else { exit 2u }\n"
      "%z = if %cl : u32 { exit 7u } else { exit 7u }\n%w = if %cu : u32 { exit %l } else { exit 2u }");
  EXPECT_TRUE(Differs("x"));
  EXPECT_FALSE(Differs("y"));
  EXPECT_FALSE(Differs("z"));
  EXPECT_TRUE(Differs("w"));
}

TEST_F(Divergence, CountersStayUniformInALoopThatLanesLeaveOneByOne) {
  Analyze(R"(
    %r, %s = loop @loop (%k = 0u) : u32, u32 {
      %done = ge %k, %l : bool
      if %done { exit @loop %k, %u } else { exit }
      %t = add %k, 1u : u32
      continue
    } continuing {
      %k2 = add %k, 1u : u32
      next %k2
    })");
  EXPECT_FALSE(Differs("k"));
  EXPECT_FALSE(Differs("t"));
  EXPECT_TRUE(Differs("r"));
  EXPECT_FALSE(Differs("s"));
  EXPECT_TRUE(info_.HasDivergentExit(Loop()));
}

TEST_F(Divergence, ADivergentContinueAfterTheTestLeavesTheExitUniform) {
  Analyze(R"(
    %r = loop @loop (%k = 0u) : u32 {
      %done = ge %k, 9u : bool
      if %done { exit @loop %k } else { exit }
      if %cl { continue @loop 1u, %u } else { exit }
      continue 2u, %u
    } continuing (%a : u32, %b : u32) {
      %k2 = add %k, 1u : u32
      next %k2
    })");
  EXPECT_FALSE(Differs("k"));
  EXPECT_FALSE(Differs("r"));
  EXPECT_TRUE(Differs("a"));
  EXPECT_FALSE(Differs("b"));
  EXPECT_FALSE(info_.HasDivergentExit(Loop()));
  EXPECT_TRUE(info_.HasDivergentContinue(Loop()));
}

TEST_F(Divergence, AnExitAfterADivergentContinueIsDivergent) {
  Analyze(R"(
    %r = loop @loop (%k = 0u) : u32 {
      if %cl { continue @loop } else { exit }
      exit %k
    } continuing {
      %k2 = add %k, 1u : u32
      next %k2
    })");
  EXPECT_TRUE(Differs("r"));
  EXPECT_TRUE(info_.HasDivergentExit(Loop()));
}

TEST_F(Divergence, DivergentExitThroughAnInnerLoop) {
  Analyze(R"(
    %r = loop @outer (%i = 0u) : u32 {
      %q = loop @inner (%k = 0u) : u32 {
        if %cl { exit @outer %k } else { exit }
        if %cu { exit @inner 3u } else { exit }
        continue
      } continuing {
        next %k
      }
      continue
    } continuing {
      next %i
    })");
  EXPECT_TRUE(Differs("r"));
  EXPECT_FALSE(Differs("q"));
  EXPECT_TRUE(info_.HasDivergentExit(Loop(0)));
  EXPECT_TRUE(info_.HasDivergentExit(Loop(1)));
}

TEST_F(Divergence, AnExitAfterADivergentOneDiffers) {
  // Lanes that leave @if early meet again behind it, so the jump out of the loop is taken by some only.
  Analyze(R"(
    %r = loop @loop (%k = 0u) : u32 {
      if @if %cu {
        if %cl { exit @if } else { exit }
        exit @loop %k
      } else {
        exit
      }
      continue
    } continuing {
      %k2 = add %k, 1u : u32
      next %k2
    })");
  EXPECT_TRUE(Differs("r"));
  EXPECT_TRUE(info_.HasDivergentExit(Loop()));
}

TEST_F(Divergence, UniformLoopsAreLeftTogether) {
  Analyze(R"(
    %r = loop @loop (%k = 0u, %s = %l) : u32 {
      %done = ge %k, %u : bool
      if %done { exit @loop %k } else { exit }
      if %cl { exit } else { exit }
      continue
    } continuing {
      %k2 = add %k, 1u : u32
      next %k2, %k
    })");
  EXPECT_FALSE(Differs("r"));
  EXPECT_TRUE(Differs("s"));
  EXPECT_FALSE(info_.HasDivergentExit(Loop()));
  EXPECT_FALSE(info_.HasDivergentContinue(Loop()));
}

TEST_F(Divergence, GoesThroughCalls) {
  const char* functions = R"(
    fn @pick(%a : u32, %b : u32) : u32 {
      %c = lt %a, 3u : bool
      if %c { return 1u } else { exit }
      return %b
    }
    fn @twice(%n : u32) : u32 {
      %n2 = add %n, %n : u32
      return %n2
    }
  )";
  Analyze("%x = call @pick %l, %u : u32\n%y = call @twice %u : u32", functions);
  EXPECT_TRUE(Differs("a"));
  EXPECT_FALSE(Differs("b"));
  EXPECT_TRUE(Differs("x"));
  EXPECT_FALSE(Differs("n"));
  EXPECT_FALSE(Differs("y"));
}

TEST_F(Divergence, SwitchesAreBranches) {
  Analyze(
      "%x = switch %l : u32 { case 1u { exit 1u } case default { exit 2u } }\n"
      "%y = switch %u : u32 { case 1u { exit 1u } case default { exit 2u } }");
  EXPECT_TRUE(Differs("x"));
  EXPECT_FALSE(Differs("y"));
}

}  // namespace
}  // namespace lockstep::ir

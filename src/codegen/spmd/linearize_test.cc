// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/spmd/lane_text_test_util.h"

namespace lockstep::codegen {
namespace {

using testing::HasSubstr;
using testing::Not;

// Lane form without the notes.
std::string Bare(std::string_view body, std::string_view size = "64, 1, 1") {
  const std::string text = LanesOf(body, size);
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    std::string line = text.substr(at, end - at);
    const size_t note = line.find("// ");
    if (note != std::string::npos) line.resize(note);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    if (!line.empty()) out += line + "\n";
    at = end + 1;
  }
  return out;
}

TEST(Linearize, UniformControlFlowStaysAsItIs) {
  const std::string body = R"(%w3 = builtin workgroup_id : vec3<u32>
%w = extract 0 %w3 : u32
%r = loop @loop (%k = 0u) : u32 {
  %done = ge %k, %w : bool
  if %done {
    exit @loop %k
  } else {
    exit
  }
  %odd = eq %k, 3u : bool
  if %odd {
    continue
  } else {
    exit
  }
  continue
} continuing {
  %k2 = add %k, 1u : u32
  next %k2
}
%p = access $out, 0u : ptr<storage, read_write, u32>
store %p, %r
return
)";
  const std::string made = Bare(body);
  EXPECT_THAT(made, Not(HasSubstr("any_lane")));
  EXPECT_THAT(made, Not(HasSubstr("var")));
  EXPECT_EQ(made.substr(made.find("%r = ")), body.substr(body.find("%r = ")));
}

TEST(Linearize, ShortArmsBecomeGuards) {
  EXPECT_EQ(Bare(R"(
    %l = builtin local_invocation_index : u32
    %c = lt %l, 5u : bool
    if %c {
      %p = access $out, %l : ptr<storage, read_write, u32>
      store %p, 7u
      exit
    } else {
      exit
    }
    return
)"),
            R"(%l = builtin local_invocation_index : u32
%0 = bitcast %l : i32
%c = lt %0, 5i : bool
%p = access $out, %l : ptr<storage, read_write, u32>
store %p, 7u, %c
return
)");
}

TEST(Linearize, LongArmsStandBehindABranch) {
  EXPECT_EQ(Bare(R"(
    %l = builtin local_invocation_index : u32
    %c = lt %l, 5u : bool
    %p = access $out, %l : ptr<storage, read_write, u32>
    %r = if %c : u32 {
      %a = atomic_rmw add $sum, 1u : u32
      exit %a
    } else {
      exit 9u
    }
    store %p, %r
    return
)"),
            R"(%l = builtin local_invocation_index : u32
%0 = bitcast %l : i32
%c = lt %0, 5i : bool
%p = access $out, %l : ptr<storage, read_write, u32>
%1 = any_lane %c : bool
%2 = if %1 : u32 {
  %a = atomic_rmw add $sum, 1u, %c : u32
  exit %a
} else {
  exit 0u
}
%r = select %c, %2, 9u : u32
store %p, %r
return
)");
}

TEST(Linearize, LanesLeaveALoopOneByOne) {
  EXPECT_EQ(Bare(R"(
    %l = builtin local_invocation_index : u32
    %p = access $out, %l : ptr<storage, read_write, u32>
    %r = loop @loop (%k = 0u) : u32 {
      %done = ge %k, %l : bool
      if %done {
        exit @loop %k
      } else {
        exit
      }
      store %p, %k
      continue
    } continuing {
      %k2 = add %k, 1u : u32
      next %k2
    }
    store %p, %r
    return
)"),
            R"(%l = builtin local_invocation_index : u32
%p = access $out, %l : ptr<storage, read_write, u32>
%0 = var : ptr<function, read_write, bool>
store %0, true
%1 = var : ptr<function, read_write, u32>
store %1, 0u
loop @loop (%k = 0u) {
  %2 = load %0 : bool
  %3 = bitcast %k : i32
  %4 = bitcast %l : i32
  %done = ge %3, %4 : bool
  %5 = and %2, %done : bool
  store %1, %k, %5
  %6 = load %0 : bool
  %7 = not %5 : bool
  %8 = and %6, %7 : bool
  store %0, %8
  %9 = load %0 : bool
  %10 = any_lane %9 : bool
  if %10 {
    exit
  } else {
    exit @loop
  }
  store %p, %k, %9
  continue
} continuing {
  %11 = load %0 : bool
  %k2 = add %k, 1u : u32
  next %k2
}
%r = load %1 : u32
store %p, %r
return
)");
}

TEST(Linearize, ReturnsBeforeTheEndTakeLanesOut) {
  EXPECT_EQ(Bare(R"(
    %l = builtin local_invocation_index : u32
    %c = lt %l, 5u : bool
    if %c {
      return
    } else {
      exit
    }
    %p = access $out, %l : ptr<storage, read_write, u32>
    store %p, 1u
    return
)"),
            R"(%0 = var : ptr<function, read_write, bool>
store %0, true
%l = builtin local_invocation_index : u32
%1 = bitcast %l : i32
%c = lt %1, 5i : bool
%2 = load %0 : bool
%3 = not %c : bool
%4 = and %2, %3 : bool
store %0, %4
%5 = load %0 : bool
%6 = any_lane %5 : bool
if %6 {
  exit
} else {
  return
}
%p = access $out, %l : ptr<storage, read_write, u32>
store %p, 1u, %5
return
)");
}

TEST(Linearize, SwitchesBecomeArmsOneAfterTheOther) {
  EXPECT_EQ(Bare(R"(
    %l = builtin local_invocation_index : u32
    %s = and %l, 3u : u32
    %p = access $out, %l : ptr<storage, read_write, u32>
    %r = switch %s : u32 {
      case 0u, 2u {
        exit 10u
      }
      case 1u {
        store %p, 5u
        exit 20u
      }
      case default {
        exit 30u
      }
    }
    store %p, %r
    return
)"),
            R"(%l = builtin local_invocation_index : u32
%s = and %l, 3u : u32
%p = access $out, %l : ptr<storage, read_write, u32>
%0 = eq %s, 0u : bool
%1 = eq %s, 2u : bool
%2 = or %0, %1 : bool
%3 = eq %s, 1u : bool
%4 = or %2, %3 : bool
%5 = not %4 : bool
store %p, 5u, %3
%6 = select %3, 20u, 30u : u32
%r = select %2, 10u, %6 : u32
store %p, %r
return
)");
}

TEST(Linearize, UniformStoresUnderAMaskHappenOnce) {
  EXPECT_EQ(Bare(R"(
    %l = builtin local_invocation_index : u32
    %c = lt %l, 5u : bool
    %p = access $out, 3u : ptr<storage, read_write, u32>
    if %c {
      store %p, 5u
      exit
    } else {
      exit
    }
    store %p, 6u
    return
)"),
            R"(%l = builtin local_invocation_index : u32
%0 = bitcast %l : i32
%c = lt %0, 5i : bool
%p = access $out, 3u : ptr<storage, read_write, u32>
%1 = any_lane %c : bool
store %p, 5u, %1
store %p, 6u
return
)");
}

TEST(Linearize, PartialGroupsStartWithTheirMask) {
  EXPECT_EQ(Bare(R"(
    %l = builtin local_invocation_index : u32
    %p = access $out, %l : ptr<storage, read_write, u32>
    store %p, %l
    return
)",
                 "20, 1, 1"),
            R"(%0 = lane_mask : bool
%l = builtin local_invocation_index : u32
%p = access $out, %l : ptr<storage, read_write, u32>
store %p, %l, %0
return
)");
}

TEST(Linearize, FunctionsTakeAMask) {
  const Result<LaneKernel> kernel = BuildText(R"(
var $out : storage read_write array<u32> group 0 binding 0
fn @helper(%a : u32) : u32 {
  %c = lt %a, 3u : bool
  if %c {
    return 1u
  } else {
    exit
  }
  %p = access $out, %a : ptr<storage, read_write, u32>
  store %p, 2u
  return 4u
}
fn @main() workgroup_size(64, 1, 1) {
  %l = builtin local_invocation_index : u32
  %r = call @helper %l : u32
  return
}
)");
  ASSERT_TRUE(kernel.ok()) << kernel.failure().message;
  EXPECT_EQ(ir::Print(kernel->module, ir::FunctionId(0)), R"(fn @helper(%mask : bool, %a : u32) : u32 {
  %0 = var : ptr<function, read_write, bool>
  store %0, %mask
  %1 = var : ptr<function, read_write, u32>
  store %1, 0u
  %c = lt %a, 3u : bool
  %2 = and %mask, %c : bool
  store %1, 1u, %2
  %3 = load %0 : bool
  %4 = not %2 : bool
  %5 = and %3, %4 : bool
  store %0, %5
  %6 = load %0 : bool
  %7 = any_lane %6 : bool
  if %7 {
    exit
  } else {
    %8 = load %1 : u32
    return %8
  }
  %p = access $out, %a : ptr<storage, read_write, u32>
  store %p, 2u, %6
  store %1, 4u, %6
  %9 = load %1 : u32
  return %9
}
)");
  EXPECT_THAT(ir::Print(kernel->module), HasSubstr("call @helper true, "));
}

TEST(Linearize, DepthIsBounded) {
  std::string body = "%l = builtin local_invocation_index : u32\n%c = lt %l, 5u : bool\n";
  constexpr int kDepth = 1500;
  for (int i = 0; i < kDepth; ++i) body += "if %c {\n";
  for (int i = 0; i < kDepth; ++i) body += "exit\n} else {\nexit\n}\n";
  const Result<LaneKernel> kernel = BuildText(LaneKernelText(body + "return\n"));
  ASSERT_FALSE(kernel.ok());
  EXPECT_THAT(kernel.failure().message, HasSubstr("deeper than 1000"));
}

// Time about linear in the size: a quadratic step would take minutes here.
TEST(Linearize, LargeBodies) {
  std::string body =
      "%l = builtin local_invocation_index : u32\n%p = access $out, %l : ptr<storage, read_write, u32>\n";
  for (int i = 0; i < 20000; ++i) {
    const std::string n = std::to_string(i);
    body += "%c" + n + " = lt %l, " + n + "u : bool\nif %c" + n + " {\nstore %p, " + n +
            "u\nexit\n} else {\nexit\n}\n";
  }
  const Result<LaneKernel> kernel = BuildText(LaneKernelText(body + "return\n"));
  EXPECT_TRUE(kernel.ok());
}

// Facts travel round a loop through all of its parameters, one a round.
TEST(Linearize, LongChainsOfParameters) {
  constexpr int kParams = 2000;
  std::string loop = "loop (", next = "next ";
  for (int i = 0; i < kParams; ++i) {
    loop += (i == 0 ? "%p" : ", %p") + std::to_string(i) + " = 0u";
    next += i + 1 < kParams ? "%p" + std::to_string(i + 1) + ", " : "%l\n";
  }
  const std::string body =
      "%l = builtin local_invocation_index : u32\n" + loop +
      ") {\n%d = gt %p0, 3u : bool\nif %d {\nreturn\n} else {\nexit\n}\ncontinue\n} continuing {\n" + next +
      "}\nunreachable\n";
  const Result<LaneKernel> kernel = BuildText(LaneKernelText(body));
  EXPECT_TRUE(kernel.ok());
}

}  // namespace
}  // namespace lockstep::codegen

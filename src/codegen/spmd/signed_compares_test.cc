// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/spmd/lane_text_test_util.h"

namespace lockstep::codegen {
namespace {

using testing::HasSubstr;

TEST(SignedCompares, WhereBothSidesAreSmall) {
  const std::string small = LanesOf(R"(
    %l = builtin local_invocation_index : u32
    %p = access $in, %l : ptr<storage, read, u32>
    %x = load %p : u32
    %y = and %x, 1023u : u32
    %c = lt %y, %l : bool
    %d = lt %x, %l : bool
    %e = lt %y, 77u : bool
    %f = and %c, %d : bool
    %g = and %e, %f : bool
    %v = select %g, 1u, 2u : u32
    %o = access $out, %l : ptr<storage, read_write, u32>
    store %o, %v
    return
)");
  EXPECT_THAT(small, HasSubstr("bitcast %y : i32"));
  EXPECT_THAT(small, HasSubstr("%d = lt %x, %l : bool"));
  EXPECT_THAT(small, HasSubstr(", 77i : bool"));
}

}  // namespace
}  // namespace lockstep::codegen

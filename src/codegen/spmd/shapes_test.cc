// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/spmd/lane_text_test_util.h"

namespace lockstep::codegen {
namespace {

using testing::HasSubstr;

// The shape of x; `l` is the local index, `w` the workgroup's x.
std::string Shape1(std::string_view line, std::string_view size = "64, 1, 1", uint32_t lanes = 8) {
  std::string body =
      "%l = builtin local_invocation_index : u32\n%i = builtin local_invocation_id : vec3<u32>\n"
      "%w3 = builtin workgroup_id : vec3<u32>\n%w = extract 0 %w3 : u32\n"
      "%g3 = builtin global_invocation_id : vec3<u32>\n" +
      std::string(line) + "\n";
  const std::string store = "%p = access $out, 0u : ptr<storage, read_write, u32>\nstore %p, %x\nreturn\n";
  const std::string text = LanesOf(body + store, size, lanes);
  const size_t at = text.find("%x = ");
  if (at == std::string::npos) return text;
  const size_t note = text.find("// ", at) + 3;
  const std::string rest = text.substr(note, text.find('\n', note) - note);
  return rest.substr(0, rest.find(','));
}

TEST(Shapes, ArithmeticOnTheLocalIndex) {
  EXPECT_EQ(Shape1("%x = add %l, %w : u32"), "affine 1");
  EXPECT_EQ(Shape1("%x = sub %w, %l : u32"), "affine -1");
  EXPECT_EQ(Shape1("%x = sub %l, %l : u32"), "uniform");
  EXPECT_EQ(Shape1("%x = mul %l, 12u : u32"), "affine 12");
  EXPECT_EQ(Shape1("%x = mul %l, %w : u32"), "varying");
  EXPECT_EQ(Shape1("%x = shl %l, 4u : u32"), "affine 16");
  EXPECT_EQ(Shape1("%x = min %l, %w : u32"), "clamped 1");
  EXPECT_EQ(Shape1("%m = min %l, %w : u32\n%x = add %m, 1u : u32"), "varying");
  EXPECT_EQ(Shape1("%x = mul %l, %l : u32"), "varying");
  EXPECT_EQ(Shape1("%x = add %w, 3u : u32"), "uniform");
}

TEST(Shapes, AlignedBlocksOfLanes) {
  EXPECT_EQ(Shape1("%x = div %l, 16u : u32"), "uniform");
  EXPECT_EQ(Shape1("%x = rem %l, 16u : u32"), "affine 1");
  EXPECT_EQ(Shape1("%x = div %l, 4u : u32"), "varying");
  EXPECT_EQ(Shape1("%x = rem %l, 4u : u32"), "varying");
  EXPECT_EQ(Shape1("%x = shr %l, 3u : u32"), "uniform");
  EXPECT_EQ(Shape1("%x = shr %l, 2u : u32"), "varying");
  EXPECT_EQ(Shape1("%x = and %l, 15u : u32"), "affine 1");
  EXPECT_EQ(Shape1("%x = and %l, 48u : u32"), "uniform");
  EXPECT_EQ(Shape1("%x = and %l, 3u : u32"), "varying");
  EXPECT_EQ(Shape1("%x = xor %l, 8u : u32"), "affine 1");
  EXPECT_EQ(Shape1("%x = xor %l, 4u : u32"), "varying");
  EXPECT_EQ(Shape1("%m = add %l, 8u : u32\n%x = div %m, 16u : u32"), "uniform");
  EXPECT_EQ(Shape1("%m = add %l, 3u : u32\n%x = div %m, 16u : u32"), "varying");
  EXPECT_EQ(Shape1("%m = mul %l, 3u : u32\n%x = div %m, 16u : u32"), "varying");
}

TEST(Shapes, ComparesAgainstMultiplesOfTheGroup) {
  const auto condition = [](std::string_view compare) {
    return Shape1("%x.c = " + std::string(compare) + " : bool\n%x = select %x.c, 1u, 2u : u32");
  };
  EXPECT_EQ(condition("lt %l, 32u"), "uniform");
  EXPECT_EQ(condition("ge %l, 32u"), "uniform");
  EXPECT_EQ(condition("gt 32u, %l"), "uniform");
  EXPECT_EQ(condition("lt %l, 5u"), "varying");
  EXPECT_EQ(condition("le %l, 32u"), "varying");
  EXPECT_EQ(condition("eq %l, 32u"), "varying");
  EXPECT_EQ(condition("lt %l, %w"), "varying");
}

TEST(Shapes, IdsByTheShapeOfTheWorkgroup) {
  EXPECT_EQ(Shape1("%x = extract 0 %i : u32"), "affine 1");
  EXPECT_EQ(Shape1("%x0 = extract 0 %i : u32\n%x = add %x0, 0u : u32", "16, 4, 1"), "affine 1");
  EXPECT_EQ(Shape1("%x0 = extract 1 %i : u32\n%x = add %x0, 0u : u32", "16, 4, 1"), "uniform");
  EXPECT_EQ(Shape1("%x0 = extract 1 %i : u32\n%x = add %x0, 0u : u32", "4, 16, 1"), "varying");
  EXPECT_EQ(Shape1("%x0 = extract 0 %g3 : u32\n%x = add %x0, 0u : u32", "16, 4, 1"), "affine 1");
  EXPECT_EQ(Shape1("%x0 = extract 1 %g3 : u32\n%x = add %x0, 0u : u32", "16, 4, 1"), "uniform");
  EXPECT_EQ(Shape1("%x0 = extract 2 %g3 : u32\n%x = add %x0, 0u : u32", "16, 4, 1"), "uniform");
  EXPECT_EQ(Shape1("%x0 = extract 1 %i : u32\n%x = add %x0, 0u : u32", "24, 3, 1"), "uniform");
  EXPECT_EQ(Shape1("%x0 = extract 0 %i : u32\n%x = add %x0, 0u : u32", "24, 3, 1", 16), "varying");
}

TEST(Shapes, LoadsFromMemory) {
  const auto load = [](std::string_view space, std::string_view pointer) {
    return Shape1("%a = access " + std::string(pointer) + " : ptr<" + std::string(space) +
                  ", u32>\n%x = load %a : u32");
  };
  EXPECT_EQ(load("storage, read", "$in, %w"), "uniform");
  EXPECT_EQ(load("storage, read", "$in, %l"), "varying");
  EXPECT_EQ(load("storage, read_write", "$out, %w"), "uniform");
  EXPECT_EQ(load("workgroup, read_write", "$tile, 3u"), "uniform");
  EXPECT_EQ(Shape1("%v = var : ptr<function, read_write, u32>\nstore %v, %w\n%x = load %v : u32"), "uniform");
  EXPECT_EQ(Shape1("%v = var : ptr<function, read_write, u32>\nstore %v, %l\n%x = load %v : u32"), "varying");
}

TEST(Shapes, CountersStayUniformInLoopsThatLanesLeaveOneByOne) {
  const std::string text = LanesOf(R"(
    %l = builtin local_invocation_index : u32
    %r = loop @loop (%k = 0u) : u32 {
      %done = ge %k, %l : bool
      if %done {
        exit @loop %k
      } else {
        exit
      }
      continue
    } continuing {
      %k2 = add %k, 1u : u32
      next %k2
    }
    %p = access $out, %l : ptr<storage, read_write, u32>
    store %p, %r
    return
)");
  EXPECT_THAT(text, HasSubstr("// %k uniform"));
  EXPECT_THAT(text, HasSubstr("%r = load %1 : u32  // varying"));
}

}  // namespace
}  // namespace lockstep::codegen

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "support/source.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(SourceFile, EveryWgslLineBreakEndsALine) {
  const SourceFile file("f", "a\nb\vc\fd\re\r\nf\xc2\x85g\xe2\x80\xa8h\xe2\x80\xa9i");
  EXPECT_EQ(file.line_count(), 9u);
  EXPECT_EQ(file.Text(file.LineSpan(5)), "e");
  EXPECT_EQ(file.Text(file.LineSpan(6)), "f");
  EXPECT_EQ(file.Text(file.LineSpan(9)), "i");
}

TEST(SourceFile, ColumnsCountUtf16Units) {
  const SourceFile file("f", "x\n\xc3\xa9\xf0\x9f\x98\x80z");
  EXPECT_EQ(file.PositionOf(8), (Position{2, 4}));  // e-acute is one unit, the emoji two
  EXPECT_EQ(file.LineAt(8), "\xc3\xa9\xf0\x9f\x98\x80z");
}

TEST(SourceFile, OffsetsPastTheEndAreTheEnd) {
  const SourceFile file("f", "ab");
  EXPECT_EQ(file.PositionOf(99), (Position{1, 3}));
}

}  // namespace
}  // namespace lockstep

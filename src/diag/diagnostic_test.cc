// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "diag/diagnostic.h"

#include <gtest/gtest.h>

namespace lockstep::diag {
namespace {

constexpr Kind kUnknown{"Unknown", Severity::kError, "unresolved name '{}'", ""};

TEST(RenderText, PointsAtThePlaceWithACaretAndNotes) {
  const SourceFile file("a.wgsl", "let x = 1;\n\tlet y = zz;\n");
  Sink sink;
  sink.Emit(kUnknown, Span{20, 22}, "zz").Note(Span{4, 5}, "did you mean '{}'", "x");
  EXPECT_EQ(RenderText(sink, file),
            "a.wgsl:2:10: error: unresolved name 'zz'\n  \tlet y = zz;\n  \t        ^~\n"
            "a.wgsl:1:5: note: did you mean 'x'\n  let x = 1;\n      ^\n");
}

TEST(RenderText, CutsLongLinesAroundThePlace) {
  const SourceFile file("a.wgsl", std::string(100000, ' ') + "zz" + std::string(100000, ' '));
  Sink sink;
  sink.Emit(kUnknown, Span{100000, 100002}, "zz");
  EXPECT_LT(RenderText(sink, file).size(), 600u);
}

TEST(Sink, CountsErrorsPastTheLimitWithoutKeepingThem) {
  const SourceFile file("a.wgsl", "zz");
  Sink sink;
  for (int i = 0; i < 100; ++i) sink.Emit(kUnknown, Span{0, 2}, "zz").Note(Span{0, 1}, "here");
  EXPECT_EQ(sink.diagnostics().size(), Sink::kMaxErrors);
  EXPECT_EQ(sink.error_count(), 100u);
  EXPECT_NE(RenderText(sink, file).find("36 more errors not shown"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::diag

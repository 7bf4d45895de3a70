// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "runner/description.h"

#include <gtest/gtest.h>

namespace lockstep::runner {
namespace {

template <typename T>
T Only(std::string_view text) {
  const ParsedLine line = ParseLine(text);
  EXPECT_FALSE(line.error.has_value()) << text << ": " << (line.error ? line.error->message : "");
  EXPECT_EQ(line.items.size(), 1u) << text;
  if (line.items.size() != 1 || !std::holds_alternative<T>(line.items[0].value)) {
    ADD_FAILURE() << text << " is not such an item";
    return T();
  }
  return std::get<T>(line.items[0].value);
}

TEST(ParseLine, AWholeRunOnOneLine) {
  const ParsedLine line = ParseLine(" out: 6 x u32, dispatch 16");
  ASSERT_FALSE(line.error);
  ASSERT_EQ(line.items.size(), 2u);
  const auto& buffer = std::get<BufferItem>(line.items[0].value);
  EXPECT_EQ(buffer.name.identifier, "out");
  EXPECT_EQ(buffer.count, 6u);
  EXPECT_EQ(buffer.type, "u32");
  EXPECT_EQ(buffer.init.form, Initializer::Form::kZero);
  const auto& dispatch = std::get<DispatchItem>(line.items[1].value);
  EXPECT_EQ(dispatch.size, (std::array<uint64_t, 3>{16, 1, 1}));
  EXPECT_EQ(line.items[1].offset, 15u);
}

TEST(ParseLine, BufferForms) {
  EXPECT_EQ(Only<BufferItem>("p: Lamp").count, std::nullopt);
  EXPECT_EQ(Only<BufferItem>("p: 2 x array<vec2f, 4>").type, "array<vec2f, 4>");
  EXPECT_EQ(Only<BufferItem>("p:2x u32").count, 2u);
  EXPECT_EQ(Only<BufferItem>("0.12: 2 x u32").name.binding, (std::pair<uint32_t, uint32_t>{0, 12}));
  EXPECT_EQ(Only<BufferItem>("p: f32 = -1.5e3").init.numbers, std::vector<std::string>{"-1.5e3"});
  EXPECT_EQ(Only<BufferItem>("p: 3 x f32 = [1, 2 ,3]").init.numbers,
            (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(Only<BufferItem>("p: 3 x f32 = iota").init.form, Initializer::Form::kIota);
  EXPECT_EQ(Only<BufferItem>("dispatch: 3 x f32").name.identifier, "dispatch");
  EXPECT_EQ(Only<BufferItem>("expect: 3 x f32").name.identifier, "expect");
}

TEST(ParseLine, Random) {
  const Initializer spaced = Only<BufferItem>("p: 9 x f32 = random 0 .. 100 seed 7").init;
  EXPECT_EQ(spaced.form, Initializer::Form::kRandom);
  EXPECT_EQ(spaced.numbers, (std::vector<std::string>{"0", "100"}));
  EXPECT_EQ(spaced.seed, 7u);
  EXPECT_EQ(Only<BufferItem>("p: 9 x f32 = random 0..1").init.numbers, (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(Only<BufferItem>("p: 9 x f32 = random -0.5..0.5").init.numbers,
            (std::vector<std::string>{"-0.5", "0.5"}));
  EXPECT_EQ(Only<BufferItem>("p: 9 x f32 = random -3 .. -1").init.seed, 0u);
}

TEST(ParseLine, Files) {
  EXPECT_EQ(Only<BufferItem>("p: 9 x f32 = @a.npy").init.file, "a.npy");
  EXPECT_EQ(Only<BufferItem>("p: 9 x f32 = @\"a, b.npy\"").init.file, "a, b.npy");
  EXPECT_EQ(Only<BufferItem>("p: 9 x f32 = @'a // b.npy'").init.file, "a // b.npy");
}

TEST(ParseLine, Dispatches) {
  EXPECT_EQ(Only<DispatchItem>("dispatch 8x4 x2").size, (std::array<uint64_t, 3>{8, 4, 2}));
  const DispatchItem full = Only<DispatchItem>("dispatch 2 entry main override A = 4 override B=-1.5");
  EXPECT_EQ(full.entry, "main");
  ASSERT_EQ(full.overrides.size(), 2u);
  EXPECT_EQ(full.overrides[0].name, "A");
  EXPECT_EQ(full.overrides[1].value, "-1.5");
  const DispatchItem indirect = Only<DispatchItem>("dispatch indirect calls offset 12 entry labour");
  EXPECT_TRUE(indirect.indirect);
  EXPECT_EQ(indirect.arguments.identifier, "calls");
  EXPECT_EQ(indirect.offset, 12u);
  EXPECT_EQ(indirect.entry, "labour");
  EXPECT_TRUE(Only<DispatchItem>("dispatch indirect 0.3").arguments.by_binding());
  EXPECT_EQ(Only<DispatchItem>("dispatch 99999999999999999999999").size[0], UINT64_MAX);
}

TEST(ParseLine, Expectations) {
  const ExpectItem list = Only<ExpectItem>(" expect out: 1, -2.5, nan, ... ");
  EXPECT_EQ(list.values, (std::vector<std::string>{"1", "-2.5", "nan"}));
  EXPECT_TRUE(list.rest_unchecked);
  EXPECT_TRUE(Only<ExpectItem>("expect out unordered: 3, 1").unordered);
  const ExpectItem relative = Only<ExpectItem>("expect out: 1, 2 within 0.5%");
  EXPECT_EQ(relative.tolerance, "0.5");
  EXPECT_TRUE(relative.relative);
  EXPECT_FALSE(Only<ExpectItem>("expect out: 1 within 1e-3").relative);
  EXPECT_EQ(Only<ExpectItem>("expect out: @want.npy within 1 %").file, "want.npy");
  EXPECT_EQ(Only<ExpectItem>("expect unordered: 1, 2").name.identifier, "unordered");
}

TEST(ParseLine, EntriesAndOverrides) {
  EXPECT_EQ(Only<EntryItem>("entry main").name, "main");
  EXPECT_EQ(Only<OverrideItem>("override N = 0x10").value, "0x10");
  EXPECT_EQ(Only<EntryItem>("entry größe").name, "größe");
}

TEST(ParseLine, ARemarkIsLeftOut) {
  EXPECT_EQ(Only<DispatchItem>(" dispatch 16 // one a tile").size[0], 16u);
  EXPECT_EQ(Only<ExpectItem>("expect out: 1, 2 // not 3").values.size(), 2u);
}

struct BadLine {
  const char* text;
  const char* message;
  size_t offset;
};

TEST(ParseLine, MistakesNameTheirPlace) {
  const BadLine cases[] = {
      {"out 6 x u32", "expected ':' after the name", 3},
      {"out: 6 u32", "expected 'x' and a type", 6},
      {"out: ", "expected a type", 4},
      {"out: 6 x", "expected a type", 8},
      {"out: u32 =", "expected a number, a [list], iota, random LOW .. HIGH or @FILE", 10},
      {"out: u32 = cheese", "'cheese' is not a number", 11},
      {"out: u32 = [1, 2", "expected ',' or ']'", 16},
      {"out: u32 = []", "expected a number", 12},
      {"out: u32 = [1,,2]", "expected a number", 14},
      {"out: u32 = random 5", "expected LOW .. HIGH", 18},
      {"out: u32 = random 1 .. 2 seed x", "expected a whole number after 'seed'", 29},
      {"out: u32 = @", "expected a file's name", 12},
      {"out: u32 = @\"a", "no closing quote", 12},
      {"out: u32 = 1 2", "expected nothing after the buffer's contents", 13},
      {"dispatch x", "expected a number of workgroups", 8},
      {"dispatch 4 x x", "expected a number of workgroups", 12},
      {"dispatch 4 please", "expected 'entry NAME'", 11},
      {"dispatch 4 entry", "expected an entry point's name", 16},
      {"dispatch 4 override N", "expected '=' after the override's name", 21},
      {"dispatch indirect", "expected a variable's name", 17},
      {"dispatch indirect a offset 3", "the offset 3 is not a multiple of 4", 27},
      {"override = 3", "expected an override's name", 8},
      {"override N = many", "'many' is not a number", 13},
      {"entry", "expected an entry point's name", 5},
      {"entry a b", "expected nothing after the entry point's name", 8},
      {"expect out 1, 2", "expected ':' after the name", 10},
      {"expect out: ", "expected a number", 12},
      {"expect out: 1, 2,", "expected a number", 17},
      {"expect out: ...", "'...' is not a number", 12},
      {"expect out: 1, ..., 2", "expected ',', 'within' or the end", 18},
      {"expect out: 1 within -1", "the tolerance must be 0 or more", 21},
      {"expect out: 1 within nan", "the tolerance must be 0 or more", 21},
      {"out: 6 x u32, expect out: 1", "'expect' stands alone on its line", 14},
      {"out: 6 x u32,, dispatch 1", "expected a variable's name", 13},
      {"1.2.3: u32", "expected ':'", 3},
      {"99999999999.0: u32", "expected a variable's name or GROUP.BINDING", 13},
  };
  for (const BadLine& c : cases) {
    const ParsedLine line = ParseLine(c.text);
    ASSERT_TRUE(line.error.has_value()) << c.text;
    EXPECT_NE(line.error->message.find(c.message), std::string::npos)
        << c.text << " says: " << line.error->message;
    EXPECT_EQ(line.error->offset, c.offset) << c.text << " says: " << line.error->message;
    EXPECT_TRUE(line.items.empty());
  }
}

TEST(ParseFlags, TheKeywordIsOptional) {
  for (const char* text : {"16 x 2", "dispatch 16 x 2"}) {
    const ParsedLine line = ParseDispatchFlag(text);
    ASSERT_FALSE(line.error) << text;
    EXPECT_EQ(std::get<DispatchItem>(line.items[0].value).size[1], 2u);
  }
  for (const char* text : {"out: 1, 2", "expect out: 1, 2"}) {
    const ParsedLine line = ParseExpectFlag(text);
    ASSERT_FALSE(line.error) << text;
    EXPECT_EQ(std::get<ExpectItem>(line.items[0].value).values.size(), 2u);
  }
  EXPECT_TRUE(ParseBufferFlag("out: 1 x u32, dispatch 4").error.has_value());
  EXPECT_TRUE(ParseOverrideFlag("N").error.has_value());
  EXPECT_FALSE(ParseOverrideFlag("N=4").error.has_value());
}

TEST(StartOf, TellsWhatAWarningNeeds) {
  EXPECT_EQ(StartOf(" out: blah").before_colon->identifier, "out");
  EXPECT_EQ(StartOf("0.1: blah").before_colon->binding, (std::pair<uint32_t, uint32_t>{0, 1}));
  EXPECT_TRUE(StartOf("dispatch 16 groups").number_follows);
  EXPECT_FALSE(StartOf("dispatch the rest").number_follows);
  EXPECT_EQ(StartOf("entry main is it").name_follows, "main");
  EXPECT_EQ(StartOf("dispatch indirect args later").name_follows, "args");
  EXPECT_FALSE(StartOf("the entry main").keyword);
}

TEST(ParseLine, HostileTextEndsInAnError) {
  const std::string deep(100000, '[');
  EXPECT_TRUE(ParseLine("out: u32 = " + deep).error.has_value());
  EXPECT_TRUE(ParseLine(std::string(100000, ',')).error.has_value());
  std::string any;
  for (int c = 1; c < 256; ++c) any += static_cast<char>(c);
  EXPECT_TRUE(ParseLine(any).error.has_value());
}

}  // namespace
}  // namespace lockstep::runner

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "wgsl/lexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "wgsl/parser.h"

namespace lockstep::wgsl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> Errors(const std::string& text) {
  const SourceFile file("t.wgsl", text);
  diag::Sink sink;
  Lex(file, sink);
  std::vector<std::string> out;
  for (const diag::Diagnostic& d : sink.diagnostics())
    out.push_back(fmt::format("{} {}", d.span.begin, d.message));
  return out;
}

// The texts of the tokens, with a space between.
std::string Cut(const std::string& text) {
  const SourceFile file("t.wgsl", text);
  diag::Sink sink;
  const TokenStream stream = Lex(file, sink);
  EXPECT_EQ(diag::RenderText(sink, file), "");
  std::string out;
  for (const Token& token : stream.tokens) {
    if (token.kind != TokenKind::kEnd) out += (out.empty() ? "" : " ") + std::string(file.Text(token.span()));
  }
  return out;
}

NumberLiteral Number(const std::string& text) {
  diag::Sink sink;
  const ScannedNumber scanned = ScanNumber(text, 0, sink);
  EXPECT_FALSE(sink.has_errors()) << text;
  EXPECT_EQ(scanned.end, text.size()) << text;
  return scanned.number;
}

TEST(Lexer, CutsTheLongestTokens) {
  EXPECT_EQ(Cut("a-->b->c+++d&&&e|||f!==g"), "a -- > b -> c ++ + d && & e || | f != = g");
  EXPECT_EQ(Cut("x>>=1<<2>=3<=4==5=6"), "x >>= 1 << 2 >= 3 <= 4 == 5 = 6");
  EXPECT_EQ(Cut("1.5.x a.0 1..2"), "1.5 . x a .0 1. .2");
  EXPECT_EQ(Cut("0x1e+5 1e+5 0x1p-2"), "0x1e + 5 1e+5 0x1p-2");
  EXPECT_EQ(Cut("_ _a a_ _1"), "_ _a a_ _1");
}

TEST(Lexer, SkipsBlanksAndComments) {
  EXPECT_EQ(Cut("a\t\n\v\f\r\n\xc2\x85\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\xa8\xe2\x80\xa9"
                "b"),
            "a b");
  EXPECT_EQ(Cut("a/**/b/* /* / * */ ** */c// d\ne // f\xe2\x80\xa8g // */\rh"), "a b c e g h");
  EXPECT_THAT(Errors("a /* /* */ b"), ElementsAre("2 this block comment is never closed: expected '*/'"));
  EXPECT_THAT(Errors("/*/"), ElementsAre(HasSubstr("never closed")));
}

TEST(Lexer, TakesUnicodeNames) {
  const std::string names = "Δέλτα réflexion Кызыл 𐰓𐰏𐰇 朝焼け سلام 검정 שָׁלוֹם गुलाबी փիրուզ";
  EXPECT_EQ(Cut(names), names);
  // Compared by code points: a composed and a decomposed letter make two names.
  const SourceFile file("t.wgsl", "\xc3\xa9 e\xcc\x81 \xc3\xa9");
  diag::Sink sink;
  const TokenStream stream = Lex(file, sink);
  EXPECT_EQ(stream.names.size(), 2u);
  EXPECT_EQ(stream.tokens[0].payload, stream.tokens[2].payload);
  EXPECT_THAT(Errors("a\xe2\x82\xac"), ElementsAre("1 '€' has no meaning in WGSL"));
  EXPECT_THAT(Errors("__a __a a__"), ElementsAre("0 the name '__a' must not start with two underscores"));
}

TEST(Lexer, RefusesTextThatIsNoText) {
  EXPECT_THAT(Errors("a \xff b"), ElementsAre("2 the text from here on is not valid UTF-8"));
  EXPECT_THAT(Errors("a // \xc3"), ElementsAre("5 the text from here on is not valid UTF-8"));
  EXPECT_THAT(Errors(std::string("a\0b", 3)),
              ElementsAre("1 the text must not have a null character (U+0000)"));
  EXPECT_THAT(Errors("\xef\xbb\xbf"
                     "a"),
              ElementsAre("0 the text must not begin with a byte order mark (U+FEFF)"));
  EXPECT_THAT(Errors("a # \x01"),
              ElementsAre("2 '#' has no meaning in WGSL", "4 U+0001 has no meaning in WGSL"));
  EXPECT_THAT(Errors(std::string(kMaxSourceBytes + 1, ' ')),
              ElementsAre(HasSubstr("more than the 16777216")));
  EXPECT_THAT(Errors(std::string(kMaxTokens + 1, ';')),
              ElementsAre(HasSubstr("more than the 2097152 tokens")));
}

TEST(Lexer, ReadsIntegers) {
  EXPECT_EQ(Number("0").int_value, 0u);
  EXPECT_EQ(Number("2147483647i").int_value, 2147483647u);
  EXPECT_EQ(Number("4294967295u").suffix, 'u');
  EXPECT_EQ(Number("0xFFFFFFFFu").int_value, 0xffffffffu);
  EXPECT_EQ(Number("9223372036854775807").int_value, 9223372036854775807u);
  EXPECT_EQ(Number("0X000000000000000000000012").int_value, 18u);
  EXPECT_THAT(
      Errors(
          "2147483648i 4294967296u 9223372036854775808 0x80000000i 0x8000000000000000 0x10000000000000000"),
      ElementsAre("0 value 2147483648 cannot be represented as 'i32', which holds -2147483648 to 2147483647",
                  "12 value 4294967296 cannot be represented as 'u32', which holds 0 to 4294967295",
                  "24 value 9223372036854775808 cannot be represented as 'abstract-int', which holds "
                  "-9223372036854775808 to 9223372036854775807",
                  "44 value 0x80000000 cannot be represented as 'i32', which holds -2147483648 to 2147483647",
                  "56 value 0x8000000000000000 cannot be represented as 'abstract-int', which holds "
                  "-9223372036854775808 to 9223372036854775807",
                  "75 value 0x10000000000000000 cannot be represented as 'abstract-int', which holds "
                  "-9223372036854775808 to 9223372036854775807"));
  EXPECT_THAT(
      Errors("012 00 1l 0x 0xg 1u8 01u"),
      ElementsAre("0 an integer literal must not have leading zeros",
                  "4 an integer literal must not have leading zeros",
                  "8 'l' is not a valid suffix of an integer literal",
                  "10 expected a hexadecimal digit after '0x'", "13 expected a hexadecimal digit after '0x'",
                  "18 'u8' is not a valid suffix of an integer literal",
                  "21 an integer literal must not have leading zeros"));
}

TEST(Lexer, ReadsDecimalFloats) {
  for (const char* text : {"0.e+4f", "01.", ".01", "12.34", ".0f", "0h", "1e-3", "1.e5", "1f", "01e5"}) {
    EXPECT_TRUE(Number(text).is_float) << text;
  }
  EXPECT_EQ(Number("0.1").float_value, 0.1);
  EXPECT_EQ(Number("0.1f").float_value, static_cast<double>(0.1f));
  EXPECT_EQ(Number("0.1h").float_value, 0.0999755859375);
  EXPECT_EQ(Number("65504h").float_value, 65504.0);
  EXPECT_EQ(Number("6e-8h").float_value, std::ldexp(1.0, -24));
  EXPECT_EQ(Number("1e-400").float_value, 0.0);
  EXPECT_EQ(Number("1e-60f").float_value, 0.0);
  EXPECT_EQ(Number("0.0e999999999999999999").float_value, 0.0);
  EXPECT_EQ(Number("0." + std::string(400, '0') + "1e401").float_value, 1.0);
  EXPECT_THAT(
      Errors("1e400 1e39f 65520h 1e 1e+f 01f 1.5u 1.5ff"),
      ElementsAre("0 value 1e400 cannot be represented as 'abstract-float', which holds "
                  "-1.7976931348623157e+308 to 1.7976931348623157e+308",
                  "6 value 1e39 cannot be represented as 'f32', which holds -3.4028235e+38 to 3.4028235e+38",
                  "12 value 65520 cannot be represented as 'f16', which holds -65504 to 65504",
                  HasSubstr("expected a digit in the exponent"),
                  HasSubstr("expected a digit in the exponent"), HasSubstr("leading zeros"),
                  "34 'u' is not a valid suffix of a float literal",
                  "39 'ff' is not a valid suffix of a float literal"));
}

TEST(Lexer, ReadsHexadecimalFloats) {
  EXPECT_EQ(Number("0xa.fp+2").float_value, 43.75);
  EXPECT_EQ(Number("0x1P+4f").float_value, 16.0);
  EXPECT_EQ(Number("0X.3").float_value, 0.1875);
  EXPECT_EQ(Number("0x3p+2h").float_value, 12.0);
  EXPECT_EQ(Number("0x1.fffffep127f").float_value, static_cast<double>(3.40282347e38f));
  EXPECT_EQ(Number("0x1p-149f").float_value, std::ldexp(1.0, -149));
  EXPECT_EQ(Number("0x1p-1074").float_value, std::ldexp(1.0, -1074));
  EXPECT_EQ(Number("0x0p999999999999").float_value, 0.0);
  EXPECT_EQ(Number("0x1.5f").float_value, 1.0 + 95.0 / 256);
  EXPECT_EQ(Number("0x1.00000001p0").float_value, 1.0 + std::ldexp(1.0, -32));
  EXPECT_THAT(
      Errors("0x1.00000001p0f 0x1p-150f 0x1.001p0h 0x1p128f 0x1p1024 0x.p1 0x1p 0x1.8h"),
      ElementsAre(
          "0 value 0x1.00000001p0 cannot be represented exactly as 'f32'",
          "16 value 0x1p-150 cannot be represented exactly as 'f32'",
          "26 value 0x1.001p0 cannot be represented exactly as 'f16'",
          "37 value 0x1p128 cannot be represented as 'f32', which holds -3.4028235e+38 to 3.4028235e+38",
          "46 value 0x1p1024 cannot be represented as 'abstract-float', which holds -1.7976931348623157e+308 "
          "to 1.7976931348623157e+308",
          HasSubstr("expected a hexadecimal digit"), HasSubstr("expected a digit in the exponent"),
          HasSubstr("'h' is not a valid suffix of a hexadecimal literal without an exponent")));
}

TEST(DumpTokens, GivesEachTokenALine) {
  const SourceFile file("t.wgsl", "var<private> é: array<u32>;\nfn f(){ x>>=1.5f; }");
  diag::Sink sink;
  EXPECT_EQ(DumpTokens(file, sink),
            "1:1 keyword 'var'\n1:4 template-start '<'\n1:5 identifier 'private'\n1:12 template-end '>'\n"
            "1:14 identifier 'é'\n1:15 symbol ':'\n1:17 identifier 'array'\n1:22 template-start '<'\n"
            "1:23 identifier 'u32'\n1:26 template-end '>'\n1:27 symbol ';'\n"
            "2:1 keyword 'fn'\n2:4 identifier 'f'\n2:5 symbol '('\n2:6 symbol ')'\n2:7 symbol '{'\n"
            "2:9 identifier 'x'\n2:10 symbol '>>='\n2:13 float '1.5f'\n2:17 symbol ';'\n2:19 symbol '}'\n");
}

}  // namespace
}  // namespace lockstep::wgsl

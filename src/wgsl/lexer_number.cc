// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Numeric literals (WGSL: #numeric-literals). The longest prefix that is a literal is taken; letters and
// digits that follow it at once are an error, as no literal can stand beside a word. Decimal floats are
// rounded once, by std::from_chars, to the type that the suffix names; hexadecimal ones are put together from
// 64 significand bits.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "support/shorten.h"
#include "wgsl/diagnostics.h"
#include "wgsl/lexer.h"
#include "wgsl/type.h"

namespace lockstep::wgsl {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Exponents are clamped here: far outside of every type, far inside of int64_t, whatever the number of
// digits.
constexpr int64_t kExponentLimit = 1'000'000'000;

// Nearest binary16 value; infinite past its range.
double NearestHalf(double value) {
  if (value == 0 || std::isinf(value)) return value;
  const int exponent = std::max(std::ilogb(value), -14) - 10;
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -exponent)), exponent);
  return std::abs(rounded) > 65504.0 ? std::numeric_limits<double>::infinity() : rounded;
}

class NumberScanner {
 public:
  NumberScanner(std::string_view text, uint32_t begin, diag::Sink& sink)
      : text_(text), begin_(begin), pos_(begin), sink_(sink) {}
  ScannedNumber Run();

 private:
  char At(uint32_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  char Peek() const { return At(pos_); }
  bool Accept(char lower, char upper) {
    if (Peek() != lower && Peek() != upper) return false;
    ++pos_;
    return true;
  }
  Span Whole() const { return {begin_, pos_}; }

  void Decimal();
  void Hexadecimal();
  bool Exponent(int64_t& value);
  void Suffix();
  void FinishInt(uint64_t value, bool overflow);
  void FinishDecimalFloat(uint32_t digits_end);
  void FinishHexFloat(uint64_t significand, int64_t exponent, bool dropped);
  bool DecimalOverflows(std::string_view digits) const;
  std::string Value() const;
  void OutOfRange(TypeKind type);

  std::string_view text_;
  uint32_t begin_;
  uint32_t pos_;
  diag::Sink& sink_;
  NumberLiteral number_;
};

ScannedNumber NumberScanner::Run() {
  if (Peek() == '0' && (At(pos_ + 1) == 'x' || At(pos_ + 1) == 'X')) {
    Hexadecimal();
  } else {
    Decimal();
  }
  return {number_, pos_};
}

// After `e` or `p`: an optional sign and digits.
bool NumberScanner::Exponent(int64_t& value) {
  const bool negative = Peek() == '-';
  if (Peek() == '+' || Peek() == '-') ++pos_;
  if (!IsDigit(Peek())) {
    sink_.Emit(kExponentWithoutDigits, Whole());
    return false;
  }
  int64_t magnitude = 0;
  for (; IsDigit(Peek()); ++pos_) magnitude = std::min(magnitude * 10 + (Peek() - '0'), kExponentLimit);
  value = negative ? -magnitude : magnitude;
  return true;
}

// The suffix, and the check that nothing else follows.
void NumberScanner::Suffix() {
  const uint32_t at = pos_;
  while (IsLetter(Peek()) || IsDigit(Peek())) ++pos_;
  const std::string_view suffix = text_.substr(at, pos_ - at);
  if (suffix.empty()) return;
  if (suffix == "f" || suffix == "h") {
    number_.is_float = true;
    number_.suffix = suffix[0];
  } else if (!number_.is_float && (suffix == "i" || suffix == "u")) {
    number_.suffix = suffix[0];
  } else {
    sink_.Emit(kInvalidNumberSuffix, Span{at, pos_}, suffix,
               number_.is_float ? "a float literal" : "an integer literal");
  }
}

// The literal as messages show it: without its suffix, and not all of its thousand digits.
std::string NumberScanner::Value() const {
  return Shortened(text_.substr(begin_, pos_ - begin_ - (number_.suffix != 0 ? 1 : 0)));
}

void NumberScanner::OutOfRange(TypeKind type) {
  const NumberTypeText text = TextOfNumberType(type);
  sink_.Emit(kLiteralOutOfRange, Whole(), Value(), text.name, text.range);
}

void NumberScanner::FinishInt(uint64_t value, bool overflow) {
  uint64_t limit = std::numeric_limits<int64_t>::max();
  TypeKind type = TypeKind::kAbstractInt;
  if (number_.suffix == 'i') {
    limit = std::numeric_limits<int32_t>::max();
    type = TypeKind::kI32;
  } else if (number_.suffix == 'u') {
    limit = std::numeric_limits<uint32_t>::max();
    type = TypeKind::kU32;
  }
  if (overflow || value > limit) {
    OutOfRange(type);
    value = 0;
  }
  number_.int_value = value;
}

void NumberScanner::Decimal() {
  while (IsDigit(Peek())) ++pos_;
  const uint32_t int_end = pos_;
  if (Peek() == '.') {
    number_.is_float = true;
    ++pos_;
    while (IsDigit(Peek())) ++pos_;
  }
  bool fine = true;
  if (Accept('e', 'E')) {
    number_.is_float = true;
    int64_t exponent = 0;
    fine = Exponent(exponent);
  }
  const uint32_t digits_end = pos_;
  const bool has_float_form = number_.is_float;
  Suffix();
  const bool leading_zero = text_[begin_] == '0' && int_end - begin_ > 1;
  if (!has_float_form && leading_zero) {
    sink_.Emit(kLeadingZero, Whole());
  } else if (number_.is_float) {
    if (fine) FinishDecimalFloat(digits_end);
  } else {
    uint64_t value = 0;
    const auto result = std::from_chars(text_.data() + begin_, text_.data() + int_end, value);
    FinishInt(value, result.ec == std::errc::result_out_of_range);
  }
}

// from_chars says "out of range" both for too large and for too small: which of them? By the place of the
// first digit that is not zero, and the exponent.
bool NumberScanner::DecimalOverflows(std::string_view digits) const {
  const size_t e = digits.find_first_of("eE");
  int64_t exponent = 0;
  if (e != std::string_view::npos) {
    const bool negative = digits[e + 1] == '-';
    for (const char c : digits.substr(e + 1)) {
      if (IsDigit(c)) exponent = std::min(exponent * 10 + (c - '0'), kExponentLimit);
    }
    if (negative) exponent = -exponent;
  }
  const std::string_view significand = digits.substr(0, e);
  const size_t point = std::min(significand.find('.'), significand.size());
  const size_t first = significand.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  return static_cast<int64_t>(point) - static_cast<int64_t>(first) + exponent > 0;
}

void NumberScanner::FinishDecimalFloat(uint32_t digits_end) {
  const std::string_view digits = text_.substr(begin_, digits_end - begin_);
  const char* const first = digits.data();
  const char* const last = first + digits.size();
  double value = 0;
  std::errc error{};
  TypeKind type = TypeKind::kAbstractFloat;
  if (number_.suffix == 'f') {
    float single = 0;
    error = std::from_chars(first, last, single).ec;
    value = single;
    type = TypeKind::kF32;
  } else {
    error = std::from_chars(first, last, value).ec;
  }
  if (error != std::errc{}) value = DecimalOverflows(digits) ? std::numeric_limits<double>::infinity() : 0;
  if (number_.suffix == 'h') {
    value = NearestHalf(value);
    type = TypeKind::kF16;
  }
  if (std::isinf(value)) {
    OutOfRange(type);
    value = 0;
  }
  number_.float_value = value;
}

void NumberScanner::Hexadecimal() {
  pos_ += 2;
  uint64_t significand = 0;  // the first 16 significant digits
  int64_t scale = 0;         // times 2^scale
  uint32_t digits = 0;
  bool dropped = false, point = false;
  for (;; ++pos_) {
    if (Peek() == '.' && !point) {
      point = number_.is_float = true;
      continue;
    }
    const int digit = HexValue(Peek());
    if (digit < 0) break;
    ++digits;
    if (significand >> 60 == 0) {
      significand = significand << 4 | static_cast<uint64_t>(digit);
      if (point) scale -= 4;
    } else {
      dropped = dropped || digit != 0;
      if (!point) scale += 4;
    }
  }
  if (digits == 0) {
    sink_.Emit(kHexWithoutDigits, Whole(), text_.substr(begin_, 2));
    return;
  }
  int64_t exponent = 0;
  const bool has_exponent = Accept('p', 'P');
  const bool fine = !has_exponent || Exponent(exponent);
  if (has_exponent) number_.is_float = true;
  const bool plain_int = !number_.is_float;
  Suffix();
  // `f` and `h` need an exponent (WGSL: #syntax-hex_float_literal).
  if (!has_exponent && number_.suffix != 0 && (!plain_int || number_.is_float)) {
    sink_.Emit(kInvalidNumberSuffix, Span{pos_ - 1, pos_}, text_.substr(pos_ - 1, 1),
               "a hexadecimal literal without an exponent");
    return;
  }
  if (!fine) return;
  if (plain_int) return FinishInt(significand, scale > 0);
  FinishHexFloat(significand, scale + exponent, dropped);
}

void NumberScanner::FinishHexFloat(uint64_t significand, int64_t exponent, bool dropped) {
  const int clamped = static_cast<int>(std::clamp<int64_t>(exponent, -20000, 20000));
  // long double holds 64 significand bits, so the only rounding is the one to the type.
  const long double exact = std::ldexp(static_cast<long double>(significand), clamped);
  double value = static_cast<double>(exact);
  TypeKind type = TypeKind::kAbstractFloat;
  if (number_.suffix == 'f') {
    value = static_cast<float>(exact);
    type = TypeKind::kF32;
  } else if (number_.suffix == 'h') {
    value = NearestHalf(value);
    type = TypeKind::kF16;
  }
  if (std::isinf(value)) {
    OutOfRange(type);
    return;
  }
  if (number_.suffix != 0 &&
      (dropped || static_cast<long double>(value) != exact || (exact == 0 && significand != 0))) {
    sink_.Emit(kLiteralNotExact, Whole(), Value(), TextOfNumberType(type).name);
    return;
  }
  number_.float_value = value;
}

}  // namespace

ScannedNumber ScanNumber(std::string_view text, uint32_t begin, diag::Sink& sink) {
  return NumberScanner(text, begin, sink).Run();
}

}  // namespace lockstep::wgsl

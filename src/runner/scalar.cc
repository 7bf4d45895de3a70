// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "runner/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "support/check.h"
#include "support/half.h"
#include "support/shorten.h"

namespace lockstep::runner {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() &&
         std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
         });
}

enum class Form : uint8_t { kNone, kDecimalInteger, kHexInteger, kDecimal, kNan, kInfinity };

struct Parts {
  Form form = Form::kNone;
  bool negative = false;
  std::string_view body;  // without the sign, and without 0x
};

Form FormOfDecimal(std::string_view body) {
  size_t i = 0;
  size_t digits = 0;
  bool integer = true;
  for (; i < body.size() && IsDigit(body[i]); ++i) ++digits;
  if (i < body.size() && body[i] == '.') {
    integer = false;
    for (++i; i < body.size() && IsDigit(body[i]); ++i) ++digits;
  }
  if (digits == 0) return Form::kNone;
  if (i < body.size() && (body[i] == 'e' || body[i] == 'E')) {
    integer = false;
    ++i;
    if (i < body.size() && (body[i] == '+' || body[i] == '-')) ++i;
    const size_t first = i;
    while (i < body.size() && IsDigit(body[i])) ++i;
    if (i == first) return Form::kNone;
  }
  if (i != body.size()) return Form::kNone;
  return integer ? Form::kDecimalInteger : Form::kDecimal;
}

Parts Split(std::string_view text) {
  Parts parts;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    parts.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  parts.body = text;
  if (EqualsIgnoringCase(text, "nan"))
    parts.form = Form::kNan;
  else if (EqualsIgnoringCase(text, "inf") || EqualsIgnoringCase(text, "infinity"))
    parts.form = Form::kInfinity;
  else if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    parts.body = text.substr(2);
    const bool hex = std::all_of(parts.body.begin(), parts.body.end(), [](char c) {
      return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    });
    parts.form = hex ? Form::kHexInteger : Form::kNone;
  } else {
    parts.form = FormOfDecimal(text);
  }
  return parts;
}

// The magnitude of an integer; None where it does not fit 64 bits.
std::optional<uint64_t> Magnitude(const Parts& parts) {
  uint64_t value = 0;
  const int base = parts.form == Form::kHexInteger ? 16 : 10;
  const char* end = parts.body.data() + parts.body.size();
  const auto [stop, error] = std::from_chars(parts.body.data(), end, value, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// from_chars leaves its argument alone where the value over- or underflows, so both ends are decided here.
template <typename Float>
Float DecimalTo(const Parts& parts) {
  Float value = 0;
  const auto [stop, error] = std::from_chars(parts.body.data(), parts.body.data() + parts.body.size(), value);
  if (error == std::errc::result_out_of_range) {
    long double wide = 0;
    const auto wide_result = std::from_chars(parts.body.data(), parts.body.data() + parts.body.size(), wide);
    const bool large = wide_result.ec == std::errc() ? wide > 1
                                                     : parts.body.find("e-") == std::string_view::npos &&
                                                           parts.body.find("E-") == std::string_view::npos;
    value = large ? std::numeric_limits<Float>::infinity()
                  : static_cast<Float>(wide_result.ec == std::errc() ? wide : 0);
  }
  return parts.negative ? -value : value;
}

Converted Bad(std::string_view number, ScalarKind kind) {
  return {std::nullopt, fmt::format("{} is not {} {}", Shortened(number),
                                    kind == ScalarKind::kI32 ? "an" : "a", ScalarName(kind))};
}

Converted BadRange(std::string_view number, ScalarKind kind) {
  return {std::nullopt, fmt::format("{} is out of range for {}", Shortened(number), ScalarName(kind))};
}

Converted FloatBits(float value) { return {std::bit_cast<uint32_t>(value), {}}; }

Converted ConvertSpecial(const Parts& parts, ScalarKind kind, std::string_view text) {
  if (!IsFloat(kind)) return Bad(text, kind);
  double value = parts.form == Form::kNan ? std::numeric_limits<double>::quiet_NaN() : HUGE_VAL;
  if (parts.negative) value = -value;
  if (kind == ScalarKind::kF16) return {HalfBits(value), {}};
  return FloatBits(static_cast<float>(value));
}

// Lays out `digits` x 10^(exponent - digits.size() + 1) as JavaScript does: plain up to 21 digits, else an
// exponent.
void AppendDigits(std::string& out, std::string_view digits, int exponent) {
  const int count = static_cast<int>(digits.size());
  if (exponent >= 0 && exponent < 21) {
    if (count <= exponent + 1) {
      out.append(digits);
      out.append(static_cast<size_t>(exponent + 1 - count), '0');
    } else {
      out.append(digits.substr(0, static_cast<size_t>(exponent + 1)));
      out += '.';
      out.append(digits.substr(static_cast<size_t>(exponent + 1)));
    }
  } else if (exponent < 0 && exponent >= -6) {
    out += "0.";
    out.append(static_cast<size_t>(-exponent - 1), '0');
    out.append(digits);
  } else {
    out += digits[0];
    if (count > 1) {
      out += '.';
      out.append(digits.substr(1));
    }
    fmt::format_to(std::back_inserter(out), "e{}{}", exponent < 0 ? '-' : '+', std::abs(exponent));
  }
}

// `text` is what to_chars wrote in scientific form: [-]d[.ddd]e[+-]xx.
void AppendScientific(std::string& out, std::string_view text) {
  if (text[0] == '-') {
    out += '-';
    text.remove_prefix(1);
  }
  const size_t e = text.find('e');
  std::string digits(1, text[0]);
  if (e > 2) digits.append(text.substr(2, e - 2));
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  int exponent = 0;
  const char* from = text.data() + e + 1;
  if (*from == '+') ++from;
  std::from_chars(from, text.data() + text.size(), exponent);
  AppendDigits(out, digits, exponent);
}

bool AppendSpecial(std::string& out, double value, NumberStyle style) {
  if (std::isfinite(value)) return false;
  const std::string_view name = std::isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity";
  if (style == NumberStyle::kJson)
    fmt::format_to(std::back_inserter(out), "\"{}\"", name);
  else
    out.append(name);
  return true;
}

template <typename Float>
void AppendFloat(std::string& out, Float value, NumberStyle style) {
  if (AppendSpecial(out, value, style)) return;
  if (value == 0) {
    out += std::signbit(value) ? "-0" : "0";
    return;
  }
  std::array<char, 64> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific).ptr;
  AppendScientific(out, std::string_view(buffer.data(), static_cast<size_t>(end - buffer.data())));
}

// No library knows the shortest decimal of a half; five digits always suffice.
void AppendHalf(std::string& out, uint16_t bits, NumberStyle style) {
  const double value = HalfValue(bits);
  if (AppendSpecial(out, value, style)) return;
  if (value == 0) {
    out += std::signbit(value) ? "-0" : "0";
    return;
  }
  std::array<char, 64> buffer;
  for (int precision = 0; precision < 6; ++precision) {
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                   std::chars_format::scientific, precision)
                         .ptr;
    double read = 0;
    std::from_chars(buffer.data(), end, read);
    if (HalfBits(read) != bits) continue;
    AppendScientific(out, std::string_view(buffer.data(), static_cast<size_t>(end - buffer.data())));
    return;
  }
  UNREACHABLE("a half that five digits do not name");
}

}  // namespace

std::string_view ScalarName(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::kI32:
      return "i32";
    case ScalarKind::kU32:
      return "u32";
    case ScalarKind::kF32:
      return "f32";
    case ScalarKind::kF16:
      return "f16";
  }
  UNREACHABLE("scalar kind");
}

uint32_t ScalarBytes(ScalarKind kind) { return kind == ScalarKind::kF16 ? 2 : 4; }
bool IsFloat(ScalarKind kind) { return kind == ScalarKind::kF32 || kind == ScalarKind::kF16; }

double ToDouble(Scalar scalar) {
  switch (scalar.kind) {
    case ScalarKind::kI32:
      return static_cast<int32_t>(scalar.bits);
    case ScalarKind::kU32:
      return scalar.bits;
    case ScalarKind::kF32:
      return std::bit_cast<float>(scalar.bits);
    case ScalarKind::kF16:
      return HalfValue(scalar.bits);
  }
  UNREACHABLE("scalar kind");
}

bool IsNumber(std::string_view text) { return Split(text).form != Form::kNone; }

std::optional<double> TextToDouble(std::string_view number) {
  const Parts parts = Split(number);
  switch (parts.form) {
    case Form::kNone:
      return std::nullopt;
    case Form::kNan:
      return std::numeric_limits<double>::quiet_NaN();
    case Form::kInfinity:
      return parts.negative ? -HUGE_VAL : HUGE_VAL;
    case Form::kHexInteger: {
      const std::optional<uint64_t> magnitude = Magnitude(parts);
      if (!magnitude) return std::nullopt;
      return parts.negative ? -static_cast<double>(*magnitude) : static_cast<double>(*magnitude);
    }
    case Form::kDecimalInteger:
    case Form::kDecimal:
      return DecimalTo<double>(parts);
  }
  UNREACHABLE("form");
}

Converted ConvertInteger(bool negative, uint64_t magnitude, ScalarKind kind) {
  const std::string text = fmt::format("{}{}", negative ? "-" : "", magnitude);
  const double value = negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
  switch (kind) {
    case ScalarKind::kU32:
      if ((negative && magnitude != 0) || magnitude > 0xffffffffu) return BadRange(text, kind);
      return {static_cast<uint32_t>(magnitude), {}};
    case ScalarKind::kI32:
      if (magnitude > (negative ? 0x80000000u : 0x7fffffffu)) return BadRange(text, kind);
      return {static_cast<uint32_t>(negative ? ~magnitude + 1 : magnitude), {}};
    case ScalarKind::kF32:
      return FloatBits(negative ? -static_cast<float>(magnitude) : static_cast<float>(magnitude));
    case ScalarKind::kF16:
      if (std::fabs(value) >= 65520) return BadRange(text, kind);
      return {HalfBits(value), {}};
  }
  UNREACHABLE("scalar kind");
}

Converted ConvertDouble(double value, ScalarKind kind) {
  if (kind == ScalarKind::kF32) {
    const float narrow = static_cast<float>(value);
    if (std::isinf(narrow) && !std::isinf(value)) return BadRange(FormatDouble(value), kind);
    return FloatBits(narrow);
  }
  if (kind == ScalarKind::kF16) {
    if (std::isfinite(value) && std::fabs(value) >= 65520) return BadRange(FormatDouble(value), kind);
    return {HalfBits(value), {}};
  }
  if (!std::isfinite(value) || value != std::trunc(value)) return Bad(FormatDouble(value), kind);
  if (std::fabs(value) > 4294967296.0) return BadRange(FormatDouble(value), kind);
  return ConvertInteger(value < 0, static_cast<uint64_t>(std::fabs(value)), kind);
}

Converted ConvertText(std::string_view number, ScalarKind kind) {
  const Parts parts = Split(number);
  if (parts.form == Form::kNone)
    return {std::nullopt, fmt::format("'{}' is not a number", Shortened(number))};
  if (parts.form == Form::kNan || parts.form == Form::kInfinity) return ConvertSpecial(parts, kind, number);
  const bool integer = parts.form == Form::kDecimalInteger || parts.form == Form::kHexInteger;
  if (parts.form == Form::kHexInteger || (integer && !IsFloat(kind))) {
    const std::optional<uint64_t> magnitude = Magnitude(parts);
    if (!magnitude) return BadRange(number, kind);
    return ConvertInteger(parts.negative, *magnitude, kind);
  }
  if (kind == ScalarKind::kF32) {  // straight from the text: by way of double it would round twice
    const float value = DecimalTo<float>(parts);
    return std::isinf(value) ? BadRange(number, kind) : FloatBits(value);
  }
  Converted converted = ConvertDouble(DecimalTo<double>(parts), kind);
  if (!converted.bits) return kind == ScalarKind::kF16 ? BadRange(number, kind) : Bad(number, kind);
  return converted;
}

void AppendScalar(std::string& out, Scalar scalar, NumberStyle style) {
  switch (scalar.kind) {
    case ScalarKind::kI32:
      fmt::format_to(std::back_inserter(out), "{}", static_cast<int32_t>(scalar.bits));
      return;
    case ScalarKind::kU32:
      fmt::format_to(std::back_inserter(out), "{}", scalar.bits);
      return;
    case ScalarKind::kF32:
      AppendFloat(out, std::bit_cast<float>(scalar.bits), style);
      return;
    case ScalarKind::kF16:
      AppendHalf(out, static_cast<uint16_t>(scalar.bits), style);
      return;
  }
}

std::string FormatScalar(Scalar scalar, NumberStyle style) {
  std::string out;
  AppendScalar(out, scalar, style);
  return out;
}

std::string FormatDouble(double value, NumberStyle style) {
  std::string out;
  AppendFloat(out, value, style);
  return out;
}

std::string FormatSeconds(double seconds) {
  if (seconds == 0) return "0 ns";  // nothing ran: three digits would pretend that something was measured
  struct Unit {
    double scale;
    std::string_view name;
  };
  static constexpr std::array<Unit, 4> kUnits = {{{1e9, "ns"}, {1e6, "us"}, {1e3, "ms"}, {1, "s"}}};
  for (const Unit& unit : kUnits) {
    const double value = seconds * unit.scale;
    // 999.5 and more would print as 1000: that is the next unit's.
    if (value >= 999.5 && unit.scale != 1) continue;
    const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f} {}", value, decimals, unit.name);
  }
  UNREACHABLE("a time fits some unit");
}

}  // namespace lockstep::runner

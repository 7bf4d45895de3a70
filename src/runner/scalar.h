// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers as people write them and as buffers hold them. Everything that a run reads or prints goes through
// here, so that one rule holds everywhere: a number converts to a scalar only where no information is lost
// that the author would miss (integers exactly, floats by rounding to nearest), and prints as the shortest
// decimal that reads back as the same value of its own type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::runner {

enum class ScalarKind : uint8_t { kI32, kU32, kF32, kF16 };

std::string_view ScalarName(ScalarKind kind);  // "u32"
uint32_t ScalarBytes(ScalarKind kind);         // 2 or 4
bool IsFloat(ScalarKind kind);

// A scalar's bits: the low 16 of them for f16, two's complement for i32.
struct Scalar {
  ScalarKind kind = ScalarKind::kU32;
  uint32_t bits = 0;
};

double ToDouble(Scalar scalar);

// Whether `text` is a number of the description language: decimal with optional sign, fraction and exponent,
// a hexadecimal integer, nan, inf, infinity (in any case).
bool IsNumber(std::string_view text);

// A conversion: the bits, or a reason ("-1 is not a u32").
struct Converted {
  std::optional<uint32_t> bits;
  std::string error;
};
Converted ConvertText(std::string_view number, ScalarKind kind);
Converted ConvertInteger(bool negative, uint64_t magnitude, ScalarKind kind);
Converted ConvertDouble(double value, ScalarKind kind);
// The number as a double, for tolerances and overrides; None where it is none.
std::optional<double> TextToDouble(std::string_view number);

enum class NumberStyle : uint8_t { kText, kJson };  // JSON puts NaN and the infinities in quotes
void AppendScalar(std::string& out, Scalar scalar, NumberStyle style);
std::string FormatScalar(Scalar scalar, NumberStyle style = NumberStyle::kText);
std::string FormatDouble(double value, NumberStyle style = NumberStyle::kText);

// Three significant digits in the unit that fits: "87.1 us", "1.52 ms". Never 0 unless nothing was measured.
std::string FormatSeconds(double seconds);

}  // namespace lockstep::runner

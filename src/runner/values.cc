// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "runner/values.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

#include "runner/data_file.h"
#include "runner/file_io.h"

namespace lockstep::runner {
namespace {

constexpr size_t kKinds = 4;

Failure Bad(std::string message) { return {FailureKind::kUsage, std::move(message)}; }

// `random` for scalars of one kind.
class RandomOfKind {
 public:
  std::string Prepare(const Initializer& init, ScalarKind kind) {
    kind_ = kind;
    const Converted low = ConvertText(init.numbers[0], kind);
    const Converted high = ConvertText(init.numbers[1], kind);
    if (!low.bits) return low.error;
    if (!high.bits) return high.error;
    low_ = ToDouble({kind, *low.bits});
    high_ = ToDouble({kind, *high.bits});
    high_bits_ = *high.bits;
    if (!std::isfinite(low_) || !std::isfinite(high_)) return "random needs finite bounds";
    if (IsFloat(kind) ? low_ >= high_ : low_ > high_) {
      return fmt::format("random {} .. {} is an empty range", init.numbers[0], init.numbers[1]);
    }
    return {};
  }

  uint32_t At(uint64_t random) const {
    if (!IsFloat(kind_)) {
      const auto range = static_cast<uint64_t>(high_ - low_) + 1;
      return static_cast<uint32_t>(static_cast<int64_t>(low_) + static_cast<int64_t>(random % range));
    }
    const double unit = std::ldexp(static_cast<double>(random >> 40), -24);
    const Converted value = ConvertDouble(low_ + unit * (high_ - low_), kind_);
    CHECK(value.bits.has_value());
    return ToDouble({kind_, *value.bits}) < high_ ? *value.bits : BelowHigh();
  }

 private:
  uint32_t BelowHigh() const {
    if (high_ == 0) return kind_ == ScalarKind::kF16 ? 0x8001 : 0x80000001;  // the greatest negative number
    return high_ > 0 ? high_bits_ - 1 : high_bits_ + 1;
  }

  ScalarKind kind_ = ScalarKind::kU32;
  double low_ = 0, high_ = 0;
  uint32_t high_bits_ = 0;
};

// Calls value(index, kind) for every scalar.
template <typename Value>
std::vector<uint32_t> Fill(const Layout& layout, const Value& value) {
  std::vector<uint32_t> values;
  values.reserve(layout.scalars);
  ForEachScalar(layout, [&](uint64_t, ScalarKind kind) { values.push_back(value(values.size(), kind)); });
  return values;
}

std::array<bool, kKinds> KindsIn(const Layout& layout) {
  std::array<bool, kKinds> kinds = {};
  if (layout.form == Layout::Form::kScalar) kinds[static_cast<size_t>(layout.kind)] = true;
  for (const Layout& part : layout.parts) {
    const std::array<bool, kKinds> inner = KindsIn(part);
    for (size_t i = 0; i < kKinds; ++i) kinds[i] |= inner[i];
  }
  return kinds;
}

Result<std::vector<uint32_t>> FromNumber(const std::string& number, const Layout& layout) {
  std::array<uint32_t, kKinds> bits = {};
  const std::array<bool, kKinds> kinds = KindsIn(layout);
  for (size_t i = 0; i < kKinds; ++i) {
    if (!kinds[i]) continue;
    const Converted converted = ConvertText(number, static_cast<ScalarKind>(i));
    if (!converted.bits) return Bad(converted.error);
    bits[i] = *converted.bits;
  }
  return Fill(layout, [&](uint64_t, ScalarKind kind) { return bits[static_cast<size_t>(kind)]; });
}

Result<std::vector<uint32_t>> FromList(const std::vector<std::string>& numbers, const Layout& layout) {
  if (numbers.size() != layout.scalars) {
    return Bad(fmt::format("the list has {} number{} and the buffer {} scalar{}", numbers.size(),
                           numbers.size() == 1 ? "" : "s", layout.scalars, layout.scalars == 1 ? "" : "s"));
  }
  std::string error;
  std::vector<uint32_t> values = Fill(layout, [&](uint64_t index, ScalarKind kind) {
    const Converted converted = ConvertText(numbers[index], kind);
    if (!converted.bits && error.empty()) error = converted.error;
    return converted.bits.value_or(0);
  });
  if (!error.empty()) return Bad(error);
  return values;
}

Result<std::vector<uint32_t>> FromIota(const Layout& layout) {
  std::string error;
  std::vector<uint32_t> values = Fill(layout, [&](uint64_t index, ScalarKind kind) {
    const Converted converted = ConvertInteger(false, index, kind);
    if (!converted.bits && error.empty()) error = converted.error;
    return converted.bits.value_or(0);
  });
  if (!error.empty()) return Bad(fmt::format("iota: {}", error));
  return values;
}

Result<std::vector<uint32_t>> FromRandom(const Initializer& init, const Layout& layout) {
  std::array<RandomOfKind, kKinds> random;
  const std::array<bool, kKinds> kinds = KindsIn(layout);
  for (size_t i = 0; i < kKinds; ++i) {
    if (!kinds[i]) continue;
    const std::string error = random[i].Prepare(init, static_cast<ScalarKind>(i));
    if (!error.empty()) return Bad(error);
  }
  return Fill(layout, [&](uint64_t index, ScalarKind kind) {
    return random[static_cast<size_t>(kind)].At(SplitMix64(init.seed, index));
  });
}

}  // namespace

uint64_t SplitMix64(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

Result<std::vector<uint32_t>> InitialValues(const Initializer& init, const Layout& layout,
                                            const std::string& folder) {
  switch (init.form) {
    case Initializer::Form::kZero:
      return std::vector<uint32_t>();
    case Initializer::Form::kNumber:
      return FromNumber(init.numbers[0], layout);
    case Initializer::Form::kList:
      return FromList(init.numbers, layout);
    case Initializer::Form::kIota:
      return FromIota(layout);
    case Initializer::Form::kRandom:
      return FromRandom(init, layout);
    case Initializer::Form::kFile:
      return ReadDataFile(Resolve(folder, init.file), layout);
  }
  UNREACHABLE("initializer form");
}

}  // namespace lockstep::runner

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "runner/expect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "runner/data_file.h"
#include "runner/file_io.h"

namespace lockstep::runner {
namespace {

Failure Bad(std::string message) { return {FailureKind::kUsage, std::move(message)}; }

bool Same(const Expectation& e, double got, double want) {
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want);
  if (got == want) return true;
  if (!e.tolerance || std::isinf(got) || std::isinf(want)) return false;
  return std::fabs(got - want) <= (e.relative ? *e.tolerance * std::fabs(want) : *e.tolerance);
}

bool Less(double a, double b) {  // NaN last
  if (std::isnan(a)) return false;
  return std::isnan(b) || a < b;
}

Difference Make(uint64_t index, const std::optional<Scalar>& got, double want, ScalarKind kind, bool exact) {
  Difference difference;
  difference.index = index;
  if (got) {
    difference.got = FormatScalar(*got);
    difference.got_json = FormatScalar(*got, NumberStyle::kJson);
  }
  // An exact f32 such as 0.1 prints as its own type would; a wanted number with a tolerance is a double.
  const Converted converted = exact ? ConvertDouble(want, kind) : Converted{};
  difference.want = converted.bits ? FormatScalar({kind, *converted.bits}) : FormatDouble(want);
  difference.want_json = converted.bits ? FormatScalar({kind, *converted.bits}, NumberStyle::kJson)
                                        : FormatDouble(want, NumberStyle::kJson);
  return difference;
}

Scalar At(const Layout& layout, std::span<const std::byte> memory, uint64_t index) {
  const ScalarPlace place = PlaceOf(layout, index);
  Scalar scalar{place.kind, 0};
  std::memcpy(&scalar.bits, memory.data() + place.offset, ScalarBytes(place.kind));
  return scalar;
}

std::optional<Difference> CompareOrdered(const Expectation& e, const Layout& layout,
                                         std::span<const std::byte> memory) {
  std::optional<Difference> first;
  for (uint64_t i = 0; i < e.want.size(); ++i) {
    const Scalar got = At(layout, memory, i);
    if (Same(e, ToDouble(got), e.want[i])) continue;
    if (first)
      ++first->count;
    else
      first = Make(i, got, e.want[i], got.kind, !e.tolerance);
  }
  return first;
}

// Both lists by size: without "..." they pair up; with it each wanted value takes the first that fits.
std::optional<Difference> CompareUnordered(const Expectation& e, const Layout& layout,
                                           std::span<const std::byte> memory) {
  std::vector<Scalar> got;
  got.reserve(layout.scalars);
  ForEachScalar(layout, [&](uint64_t offset, ScalarKind kind) {
    Scalar scalar{kind, 0};
    std::memcpy(&scalar.bits, memory.data() + offset, ScalarBytes(kind));
    got.push_back(scalar);
  });
  std::sort(got.begin(), got.end(), [](Scalar a, Scalar b) { return Less(ToDouble(a), ToDouble(b)); });
  std::vector<double> want = e.want;
  std::sort(want.begin(), want.end(), Less);
  std::optional<Difference> first;
  size_t next = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    if (e.rest_unchecked) {
      while (next < got.size() && !Same(e, ToDouble(got[next]), want[i]) &&
             Less(ToDouble(got[next]), want[i]))
        ++next;
    }
    if (next < got.size() && Same(e, ToDouble(got[next]), want[i])) {
      ++next;
      continue;
    }
    const std::optional<Scalar> found = next < got.size() ? std::optional<Scalar>(got[next]) : std::nullopt;
    if (first)
      ++first->count;
    else
      first = Make(i, found, want[i], layout.scalars != 0 ? PlaceOf(layout, 0).kind : ScalarKind::kF32,
                   !e.tolerance);
    if (!e.rest_unchecked) ++next;
  }
  return first;
}

}  // namespace

Result<Expectation> MakeExpectation(const ExpectItem& item, const Layout& layout, const std::string& folder) {
  Expectation e;
  e.unordered = item.unordered;
  e.rest_unchecked = item.rest_unchecked;
  if (!item.tolerance.empty()) {
    e.tolerance = TextToDouble(item.tolerance).value_or(0) / (item.relative ? 100 : 1);
    e.relative = item.relative;
  }
  if (!item.file.empty()) {
    const Result<std::vector<uint32_t>> values = ReadDataFile(Resolve(folder, item.file), layout);
    if (!values.ok()) return values.failure();
    uint64_t index = 0;
    ForEachScalar(layout, [&](uint64_t, ScalarKind kind) {
      e.want.push_back(ToDouble({kind, (*values)[index++]}));
    });
    return e;
  }
  const uint64_t count = item.values.size();
  if (count > layout.scalars || (count < layout.scalars && !e.rest_unchecked)) {
    return Bad(
        fmt::format("the list has {} number{} and the buffer {} scalar{}{}", count, count == 1 ? "" : "s",
                    layout.scalars, layout.scalars == 1 ? "" : "s",
                    count < layout.scalars ? ": end it with ', ...' to leave the rest unchecked" : ""));
  }
  for (uint64_t i = 0; i < count; ++i) {
    if (e.tolerance) {
      e.want.push_back(TextToDouble(item.values[i]).value_or(0));
      continue;
    }
    const ScalarKind kind = PlaceOf(layout, i).kind;
    const Converted converted = ConvertText(item.values[i], kind);
    if (!converted.bits) return Bad(converted.error);
    e.want.push_back(ToDouble({kind, *converted.bits}));
  }
  return e;
}

std::optional<Difference> Compare(const Expectation& expectation, const Layout& layout,
                                  std::span<const std::byte> memory) {
  return expectation.unordered ? CompareUnordered(expectation, layout, memory)
                               : CompareOrdered(expectation, layout, memory);
}

}  // namespace lockstep::runner

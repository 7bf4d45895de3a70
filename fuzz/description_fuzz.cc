// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What a run reads besides the shader: descriptions and data files. The first byte says which; anything may
// follow.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "runner/data_file.h"
#include "runner/description.h"
#include "runner/scalar.h"
#include "runner/values.h"

namespace {

using namespace lockstep::runner;  // NOLINT: a program of one page

Layout Pairs() {
  const Layout vector = Layout::OfArray(Layout::OfScalar(ScalarKind::kF32), 3, 4);
  return Layout::OfArray(Layout::OfStruct({vector, Layout::OfScalar(ScalarKind::kU32)}, {0, 12}, 16), 3, 16);
}

void Describe(std::string_view text) {
  static_cast<void>(StartOf(text));
  for (const Item& item : ParseLine(text).items) {
    const auto* buffer = std::get_if<BufferItem>(&item.value);
    if (buffer == nullptr || buffer->init.form == Initializer::Form::kFile) continue;
    static_cast<void>(InitialValues(buffer->init, Pairs(), ""));
  }
}

// A number that converts prints as one that converts to the same bits.
void RoundTrip(std::string_view text) {
  for (const ScalarKind kind : {ScalarKind::kI32, ScalarKind::kU32, ScalarKind::kF32, ScalarKind::kF16}) {
    const Converted first = ConvertText(text, kind);
    if (!first.bits) continue;
    const double value = ToDouble({kind, *first.bits});
    if (value != value) continue;
    const Converted second = ConvertText(FormatScalar({kind, *first.bits}), kind);
    if (second.bits != first.bits) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 6) {
    case 0:
      Describe(text);
      break;
    case 1:
      RoundTrip(text);
      break;
    case 2:
      static_cast<void>(ParseNpy(text, Pairs()));
      break;
    case 3:
      static_cast<void>(ParseCsv(text, Pairs()));
      break;
    case 4:
      static_cast<void>(ParseJson(text, Pairs()));
      break;
    case 5:
      static_cast<void>(ParseBin(text, Pairs()));
      break;
  }
  return 0;
}

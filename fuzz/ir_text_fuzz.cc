// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as IR text: what parses must print, and print the same again after parsing that; the verifier
// must not crash on it.
#include <cstdint>
#include <string>

#include "ir/printer.h"
#include "ir/verifier.h"
#include "support/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;
  if (size > 1 << 14) return 0;
  const Result<ir::Module> module = ir::Parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!module.ok()) return 0;
  if (!ir::Verify(*module).empty()) return 0;
  const std::string once = ir::Print(*module);
  const Result<ir::Module> again = ir::Parse(once);
  CHECK(again.ok());
  CHECK(ir::Print(*again) == once);
  return 0;
}

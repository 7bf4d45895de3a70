// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of lane form read IR text and compare the text of lane form.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "codegen/spmd/lane_form.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace lockstep::codegen {

// A kernel with buffers `in` (read), `out` and `sum`, and a tile in workgroup memory.
inline std::string LaneKernelText(std::string_view body, std::string_view size = "64, 1, 1") {
  return "var $in : storage read array<u32> group 0 binding 0\n"
         "var $out : storage read_write array<u32> group 0 binding 1\n"
         "var $sum : storage read_write atomic<u32> group 0 binding 2\n"
         "var $tile : workgroup read_write array<u32, 64>\n"
         "fn @main() workgroup_size(" +
         std::string(size) + ") {\n" + std::string(body) + "}\n";
}

inline Result<LaneKernel> BuildText(std::string_view text, uint32_t lanes = 8) {
  const Result<ir::Module> module = ir::Parse(text);
  if (!module) {
    ADD_FAILURE() << module.failure().message;
    return module.failure();
  }
  EXPECT_EQ(ir::Verify(*module), "");
  LaneOptions options;
  options.lanes = lanes;
  return BuildLaneForm(*module, options);
}

// The text of the entry point without its first and last line and its indentation.
inline std::string LanesOf(std::string_view body, std::string_view size = "64, 1, 1", uint32_t lanes = 8) {
  const Result<LaneKernel> kernel = BuildText(LaneKernelText(body, size), lanes);
  if (!kernel) return kernel.failure().message;
  const std::string text = PrintLanes(*kernel);
  std::string out;
  size_t at = text.find('\n', text.find("fn @main")) + 1;
  while (at < text.size() && text[at] != '}') {
    const size_t end = text.find('\n', at);
    out += text.substr(at + 2, end - at - 1);
    at = end + 1;
  }
  return out;
}

}  // namespace lockstep::codegen

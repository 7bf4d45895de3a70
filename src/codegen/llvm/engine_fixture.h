// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs IR text on the compiler at every lane width and on the interpreter, and compares all buffers. Buffers
// stand between guard words, which must keep their value.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/llvm/compiler.h"

namespace lockstep::codegen {

using Words = std::vector<uint32_t>;

struct Program {
  std::string text;            // unless `module` is given
  std::vector<Words> buffers;  // by slot
  std::array<uint32_t, 3> workgroups = {1, 1, 1};
  uint32_t weak_failure_seed = 0;
  bool pipeline = true;  // run the CPU pipeline's passes; otherwise the text must be robust already
  const ir::Module* module = nullptr;
  // Of vertex and fragment shaders: how many of a batch run. Their inputs and outputs are the last two
  // buffers.
  uint32_t invocations = 0;
  std::vector<const abi::TextureView*> textures = {};  // by slot
};

// The buffers after a run with these options; a gtest failure and nothing where it cannot be compiled.
std::vector<Words> RunCompiled(const Program& run, const LaneOptions& options);
std::vector<Words> RunInterpreter(const Program& run);

struct Width {
  uint32_t lanes, native;
  bool half_in_hardware = true;
};
inline const std::vector<Width> kAllWidths = {{1, 8},  {2, 8},  {4, 8}, {8, 8},
                                              {16, 8}, {32, 8}, {8, 4}, {0, 8}};
// As on a machine that has no instructions for f16.
inline const std::vector<Width> kSoftwareHalves = {
    {1, 8, false}, {8, 8, false}, {32, 8, false}, {8, 4, false}};
// Expects the same of all engines; the interpreter's buffers. What invocations past a batch give does not
// matter.
std::vector<Words> RunEverywhere(const Program& run, const std::vector<Width>& widths = kAllWidths);

// A kernel with `body`, `out : array<u32>` in slot 0 and `in : array<u32>` in slot 1.
std::string KernelText(std::string_view body, std::string_view workgroup = "64, 1, 1",
                       std::string_view globals = "");

}  // namespace lockstep::codegen

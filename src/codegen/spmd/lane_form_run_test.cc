// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Random kernels: lane form, run as its contract says at every width and in both orders of groups, must do
// what the interpreter does.
#include <gtest/gtest.h>

#include "codegen/spmd/lane_form.h"
#include "codegen/spmd/lane_simulator.h"
#include "codegen/spmd/random_kernel.h"
#include "interp/interpreter.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace lockstep::codegen {
namespace {

using Buffers = std::vector<std::vector<uint32_t>>;

constexpr uint32_t kWorkgroups = 2;

Buffers MakeBuffers(uint32_t invocations) {
  Buffers buffers(3);
  for (uint32_t i = 0; i < RandomKernel::kInputs; ++i) buffers[0].push_back((i * 2654435761u) >> 27);
  buffers[1].assign(size_t{invocations} * kWorkgroups * RandomKernel::kOutputs, 0);
  buffers[2].assign(RandomKernel::kSums, 0);
  return buffers;
}

std::string Interpret(const ir::Module& module, Buffers& buffers) {
  std::vector<abi::BufferView> views;
  for (std::vector<uint32_t>& b : buffers)
    views.push_back({reinterpret_cast<std::byte*>(b.data()), b.size() * 4});
  interp::Options options;
  options.max_steps = 20'000'000;
  options.expect_robust = true;
  const Result<> run = interp::Run(module, views, {kWorkgroups, 1, 1}, options);
  return run ? "" : run.failure().message;
}

std::string FirstDifference(const Buffers& want, const Buffers& got) {
  for (size_t b = 0; b < want.size(); ++b) {
    for (size_t i = 0; i < want[b].size(); ++i) {
      if (want[b][i] != got[b][i]) return "buffer " + std::to_string(b) + " word " + std::to_string(i);
    }
  }
  return "";
}

void CheckSeed(uint32_t seed) {
  const uint32_t sizes[] = {1, 3, 8, 16, 20, 32, 13, 64};
  const uint32_t invocations = sizes[seed % 8];
  const ir::Module module = RandomKernel(seed, invocations).Make();
  ASSERT_EQ(ir::Verify(module), "") << "seed " << seed << "\n" << ir::Print(module);
  Buffers expected = MakeBuffers(invocations);
  const std::string interpreted = Interpret(module, expected);
  ASSERT_EQ(interpreted, "") << "seed " << seed << "\n" << ir::Print(module);
  for (const uint32_t lanes : {1u, 4u, 8u, 32u}) {
    LaneOptions options;
    options.lanes = lanes;
    const Result<LaneKernel> kernel = BuildLaneForm(module, options);
    ASSERT_TRUE(kernel.ok()) << "seed " << seed << ": " << kernel.failure().message << "\n"
                             << ir::Print(module);
    for (const bool reverse : {false, true}) {
      Buffers buffers = MakeBuffers(invocations);
      LaneSimulator simulator(*kernel, &buffers, reverse);
      std::string problem;
      for (uint32_t x = 0; x < kWorkgroups && problem.empty(); ++x) problem = simulator.RunWorkgroup(x);
      ASSERT_TRUE(problem.empty() && buffers == expected)
          << "seed " << seed << ", " << lanes << " lanes" << (reverse ? ", groups in reverse" : "") << ": "
          << (problem.empty() ? FirstDifference(expected, buffers) : problem) << "\n"
          << ir::Print(module) << "\n"
          << PrintLanes(*kernel);
    }
  }
}

class RandomKernels : public ::testing::TestWithParam<uint32_t> {};

TEST_P(RandomKernels, LaneFormDoesWhatTheInterpreterDoes) {
  const uint32_t first = GetParam() * 50;
  for (uint32_t seed = first; seed < first + 50 && !HasFatalFailure(); ++seed) CheckSeed(seed);
}

INSTANTIATE_TEST_SUITE_P(Fifty, RandomKernels, ::testing::Range(0u, 10u));

}  // namespace
}  // namespace lockstep::codegen

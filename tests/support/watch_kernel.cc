// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "support/watch_kernel.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "ir/transform/instrument_races.h"
#include "ir/verifier.h"
#include "lower/lower.h"
#include "wgsl/program.h"

namespace lockstep::tests {

namespace hal = gpu::hal;

namespace {

constexpr uint64_t kOwnBytes = 64 * 8 * 4;  // of `own`

bool IsBuffer(const ir::Variable& variable) {
  return variable.space == ir::AddressSpace::kStorage || variable.space == ir::AddressSpace::kUniform;
}

// The size of the buffer bound for `variable`.
uint64_t BufferBytes(const RaceKernel& kernel, const ir::Module& module, const ir::Variable& variable) {
  const ir::Type& type = module.types[variable.type];
  const uint64_t least = (uint64_t{type.size} + 3) / 4 * 4;
  if (variable.binding == 0) return std::max<uint64_t>(least, kernel.data.size() * 4);
  if (variable.binding == 1) return std::max(least, kOwnBytes);
  const auto runtime = kernel.runtime_elements.find(variable.binding);
  if (runtime == kernel.runtime_elements.end()) return least;
  const bool array = type.kind == ir::TypeKind::kRuntimeArray;
  const ir::Type& last = array ? type : module.types[type.members.back().type];
  const uint64_t offset = array ? 0 : type.members.back().offset;
  return std::max<uint64_t>(least, offset + uint64_t{runtime->second} * last.stride);
}

}  // namespace

std::shared_ptr<hal::Device> MakeRaceDevice(gpu::cpu::Engine engine) {
  gpu::cpu::Options options;
  options.engine = engine;
  options.library_folders = {std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() /
                             "lib"};
  return gpu::cpu::MakeCpuDevice(options);
}

BuiltRaceKernel BuildRaceKernel(const RaceKernel& kernel) {
  BuiltRaceKernel built;
  const SourceFile file("test.wgsl", kernel.text);
  diag::Sink sink;
  std::optional<wgsl::Program> program = wgsl::Compile(file, {}, sink);
  for (const std::string& name : kernel.entries) {
    wgsl::FunctionId entry = wgsl::FunctionId::None();
    for (uint32_t i = 0; program && i < program->functions.size(); ++i) {
      if (program->functions[wgsl::FunctionId(i)].name == name) entry = wgsl::FunctionId(i);
    }
    const auto values = program ? wgsl::EvaluateOverrides(*program, entry, {}, sink) : std::nullopt;
    if (!values) {
      built.error = diag::RenderText(sink, file);
      return built;
    }
    built.entries.push_back(lower::Lower(*program, entry, *values));
    ir::Module instrumented = built.entries.back();
    ir::InstrumentRaces(instrumented, {true});
    built.error = ir::Verify(instrumented);
    if (!built.error.empty()) return built;
  }
  return built;
}

std::map<uint32_t, std::vector<uint32_t>> InitialMemory(const RaceKernel& kernel,
                                                        const BuiltRaceKernel& built) {
  std::map<uint32_t, std::vector<uint32_t>> memory;
  for (const ir::Module& module : built.entries) {
    for (const ir::Variable& variable : module.variables) {
      if (!IsBuffer(variable)) continue;
      std::vector<uint32_t>& words = memory[variable.binding];
      words.resize(std::max<uint64_t>(words.size(), BufferBytes(kernel, module, variable) / 4));
    }
  }
  if (memory.count(0) != 0) std::copy(kernel.data.begin(), kernel.data.end(), memory[0].begin());
  return memory;
}

Watched RunWatched(const Way& way, const RaceKernel& kernel, const BuiltRaceKernel& built) {
  Watched watched;
  hal::Device& device = *way.device;
  std::map<uint32_t, std::unique_ptr<hal::Buffer>> buffers;
  for (const auto& [binding, words] : InitialMemory(kernel, built)) {
    buffers[binding] = std::move(*device.CreateBuffer(words.size() * 4));
    std::memcpy(buffers[binding]->bytes().data(), words.data(), words.size() * 4);
  }
  std::vector<std::unique_ptr<hal::ComputePipeline>> pipelines;
  for (const ir::Module& module : built.entries) {
    hal::PipelineOptions options;
    options.watch = true;
    options.lanes = way.lanes;
    auto pipeline = device.CreateComputePipeline(module, options);
    if (!pipeline.ok()) {
      watched.error = pipeline.failure().message;
      return watched;
    }
    pipelines.push_back(std::move(*pipeline));
  }
  std::vector<hal::Command> commands;
  for (const RaceKernel::Dispatch& d : kernel.dispatches) {
    hal::Dispatch dispatch;
    dispatch.pipeline = pipelines[d.entry].get();
    dispatch.workgroups = d.workgroups;
    for (const ir::Variable& variable : built.entries[d.entry].variables) {
      if (!IsBuffer(variable)) continue;
      hal::Buffer& buffer = *buffers[variable.binding];
      dispatch.buffers.push_back({&buffer, 0, buffer.size()});
    }
    commands.emplace_back(std::move(dispatch));
  }
  hal::ExecuteOptions options;
  options.threads = way.threads;
  options.findings = &watched.findings;
  const auto ran = device.Execute(commands, options);
  if (!ran.ok()) watched.error = ran.failure().message;
  return watched;
}

std::vector<OracleFindings> AskOracle(const RaceKernel& kernel, const BuiltRaceKernel& built,
                                      uint64_t max_steps) {
  std::map<uint32_t, std::vector<uint32_t>> memory = InitialMemory(kernel, built);
  std::vector<OracleFindings> found;
  for (const RaceKernel::Dispatch& d : kernel.dispatches) {
    const ir::Module& module = built.entries[d.entry];
    std::vector<abi::BufferView> views;
    for (const ir::Variable& variable : module.variables) {
      if (!IsBuffer(variable)) continue;
      std::vector<uint32_t>& words = memory[variable.binding];
      views.push_back({reinterpret_cast<std::byte*>(words.data()), words.size() * 4});
    }
    found.push_back(RunOracle(module, views, d.workgroups, max_steps));
    if (!found.back().failure.empty()) break;
  }
  return found;
}

std::string Compare(const std::vector<OracleFindings>& want, const Watched& got, const RaceKernel& kernel,
                    const BuiltRaceKernel& built) {
  std::string differences = got.error;
  for (uint32_t i = 0; i < kernel.dispatches.size(); ++i) {
    const RaceKernel::Dispatch& d = kernel.dispatches[i];
    differences += Compare(want[i], got.findings, i, built.entries[d.entry].workgroup_size, d.workgroups);
  }
  return differences;
}

}  // namespace lockstep::tests

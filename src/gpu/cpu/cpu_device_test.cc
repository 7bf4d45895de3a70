// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/cpu_device.h"

#include <alloca.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <future>
#include <set>
#include <thread>
#include <tuple>

#include "gpu/cpu/memory.h"
#include "gpu/cpu/workgroups.h"
#include "ir/printer.h"

namespace lockstep::gpu::cpu {
namespace {

using ::testing::HasSubstr;

// out[0] counts invocations, out[1 + i] gets each workgroup's turn.
constexpr const char* kTurns = R"(var $out : storage read_write array<atomic<u32>> group 0 binding 0
fn @main() workgroup_size(1, 1, 1) {
  %w = builtin workgroup_index : u32
  %p = access $out, 0u : ptr<storage, read_write, atomic<u32>>
  %turn = atomic_rmw add %p, 1u : u32
  %i = add %w, 1u : u32
  %q = access $out, %i : ptr<storage, read_write, atomic<u32>>
  atomic_store %q, %turn
  return
}
)";

constexpr const char* kEndless = R"(var $out : storage read_write array<u32> group 0 binding 0
fn @main() workgroup_size(8, 1, 1) {
  loop { continue } continuing { next }
  unreachable
}
)";

ir::Module Parse(const char* text) {
  Result<ir::Module> module = ir::Parse(text);
  EXPECT_TRUE(module.ok()) << module.failure().message;
  return std::move(*module);
}

std::string LibraryFolder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "lib"; }

Options WithEngine(Engine engine) {
  Options options;
  options.engine = engine;
  options.library_folders = {LibraryFolder()};
  return options;
}

class Engines : public ::testing::TestWithParam<Engine> {
 protected:
  void SetUp() override { device_ = MakeCpuDevice(WithEngine(GetParam())); }

  std::unique_ptr<hal::ComputePipeline> Pipeline(const char* text) {
    Result<std::unique_ptr<hal::ComputePipeline>> pipeline = device_->CreateComputePipeline(Parse(text), {});
    EXPECT_TRUE(pipeline.ok()) << pipeline.failure().message;
    return pipeline.ok() ? std::move(*pipeline) : nullptr;
  }
  std::unique_ptr<hal::Buffer> Buffer(uint64_t words) { return std::move(*device_->CreateBuffer(words * 4)); }
  static uint32_t Word(hal::Buffer& buffer, size_t index) {
    uint32_t word = 0;
    std::memcpy(&word, buffer.bytes().data() + index * 4, 4);
    return word;
  }

  std::shared_ptr<hal::Device> device_;
};

INSTANTIATE_TEST_SUITE_P(, Engines, ::testing::Values(Engine::kCompiler, Engine::kInterpreter),
                         [](const ::testing::TestParamInfo<Engine>& tested) {
                           return tested.param == Engine::kCompiler ? "Compiler" : "Interpreter";
                         });

hal::Dispatch MakeDispatch(const hal::ComputePipeline& pipeline, hal::Buffer& buffer,
                           std::array<uint32_t, 3> workgroups) {
  hal::Dispatch dispatch;
  dispatch.pipeline = &pipeline;
  dispatch.buffers = {{&buffer, 0, buffer.size()}};
  dispatch.workgroups = workgroups;
  return dispatch;
}

TEST_P(Engines, RunEveryWorkgroupOnce) {
  const auto pipeline = Pipeline(kTurns);
  ASSERT_NE(pipeline, nullptr);
  const auto buffer = Buffer(1 + 5 * 4 * 3);
  const hal::Command commands[] = {MakeDispatch(*pipeline, *buffer, {5, 4, 3})};
  const Result<hal::ExecuteResult> result = device_->Execute(commands, {});
  ASSERT_TRUE(result.ok()) << result.failure().message;
  ASSERT_EQ(result->dispatch_seconds.size(), 1u);
  EXPECT_GT(result->dispatch_seconds[0], 0);
  EXPECT_EQ(Word(*buffer, 0), 60u);
  std::set<uint32_t> turns;
  for (size_t i = 1; i <= 60; ++i) turns.insert(Word(*buffer, i));
  EXPECT_EQ(turns.size(), 60u);
}

TEST_P(Engines, OneThreadKeepsTheLinearOrder) {
  const auto pipeline = Pipeline(kTurns);
  ASSERT_NE(pipeline, nullptr);
  const auto buffer = Buffer(301);
  const hal::Command commands[] = {MakeDispatch(*pipeline, *buffer, {100, 3, 1})};
  hal::ExecuteOptions options;
  options.threads = 1;
  ASSERT_TRUE(device_->Execute(commands, options).ok());
  for (uint32_t i = 0; i < 300; ++i) ASSERT_EQ(Word(*buffer, 1 + i), i);
}

TEST_P(Engines, IndirectCountsOverTheLimitDoNothing) {
  const auto pipeline = Pipeline(kTurns);
  ASSERT_NE(pipeline, nullptr);
  const auto buffer = Buffer(16);
  const auto arguments = Buffer(9);
  const uint32_t counts[] = {2, 3, 1, 65536, 1, 1, 4, 0, 4};
  std::memcpy(arguments->bytes().data(), counts, sizeof(counts));
  std::vector<hal::Command> commands;
  for (const uint64_t offset : {0, 12, 24}) {
    hal::Dispatch dispatch = MakeDispatch(*pipeline, *buffer, {1, 1, 1});
    dispatch.indirect = arguments.get();
    dispatch.indirect_offset = offset;
    commands.emplace_back(dispatch);
  }
  const Result<hal::ExecuteResult> result = device_->Execute(commands, {});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->skipped, (std::vector<uint8_t>{0, 1, 0}));
  EXPECT_EQ(Word(*buffer, 0), 6u);
}

// Several devices of gpu/core may share this one.
TEST_P(Engines, ADispatchHoldsUpOtherDispatchesAlone) {
  const auto endless = Pipeline(kEndless), turns = Pipeline(kTurns);
  ASSERT_TRUE(endless != nullptr && turns != nullptr);
  const auto buffer = Buffer(64), other = Buffer(64);
  std::atomic<uint32_t> cancel{0};
  std::atomic<uint64_t> progress{77}, other_progress{77};
  const auto execute = [&](const hal::Command& command, std::atomic<uint64_t>* at) {
    hal::ExecuteOptions options;
    options.cancel = &cancel;
    options.progress = at;
    return device_->Execute({&command, 1}, options).ok();
  };
  auto first = std::async(std::launch::async, [&] {
    return execute(MakeDispatch(*endless, *buffer, {1, 1, 1}), &progress);
  });
  while (progress.load() != 0) std::this_thread::yield();
  auto waits = std::async(std::launch::async, [&] {
    return execute(MakeDispatch(*turns, *other, {1, 1, 1}), &other_progress);
  });
  auto clears = std::async(std::launch::async, [&] {
    return execute(hal::ClearBuffer{other.get(), 128, 64}, nullptr);
  });
  EXPECT_EQ(clears.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  while (other_progress.load() == 77) std::this_thread::yield();
  EXPECT_EQ(other_progress.load(), hal::kNoCommand);
  cancel = 1;
  EXPECT_FALSE(first.get());
  EXPECT_FALSE(waits.get());
  EXPECT_TRUE(clears.get());
}

TEST_P(Engines, TimestampsSurroundWhatRunsBetweenThem) {
  const auto pipeline = Pipeline(kTurns);
  ASSERT_NE(pipeline, nullptr);
  const auto buffer = Buffer(1001);
  const auto resolved = Buffer(10);
  const auto queries = std::move(*device_->CreateQuerySet(hal::QueryType::kTimestamp, 4));
  std::memset(resolved->bytes().data(), 0xff, resolved->size());
  const hal::Command commands[] = {
      hal::WriteTimestamp{queries.get(), 1}, MakeDispatch(*pipeline, *buffer, {1000, 1, 1}),
      hal::WriteTimestamp{queries.get(), 2}, hal::ResolveQueries{queries.get(), 0, 4, resolved.get(), 8}};
  const auto run = [&](uint64_t step) {
    hal::ExecuteOptions options;
    options.timestamp_step = step;
    const Result<hal::ExecuteResult> result = device_->Execute(commands, options);
    EXPECT_TRUE(result.ok());
    std::array<uint64_t, 5> values{};
    std::memcpy(values.data(), resolved->bytes().data(), sizeof(values));
    EXPECT_EQ(values[0], UINT64_MAX) << "in front of the resolved ones";
    EXPECT_EQ(values[1], 0u) << "never written";
    EXPECT_EQ(values[4], 0u);
    return std::tuple(values[2], values[3], result.ok() ? result->dispatch_seconds[0] : 0);
  };
  const auto [begin, end, seconds] = run(1);
  EXPECT_GE(static_cast<double>(end - begin), seconds * 1e9);
  const auto [coarse_begin, coarse_end, coarse_seconds] = run(100000);
  EXPECT_GT(coarse_seconds, 0);
  EXPECT_EQ(coarse_begin % 100000, 0u);
  EXPECT_EQ(coarse_end % 100000, 0u);
  EXPECT_GE(coarse_end, coarse_begin);
  EXPECT_GT(coarse_end, end - 100000);
}

// A variable of which only known elements are used lies in the function's frame: far more than a thread's
// usual stack.
TEST_P(Engines, LargeFramesHaveTheStackThatTheyNeed) {
  hal::PipelineOptions options;
  options.lanes = 32;
  const Result<std::unique_ptr<hal::ComputePipeline>> pipeline = device_->CreateComputePipeline(Parse(R"(
var $out : storage read_write array<u32> group 0 binding 0
fn @main() workgroup_size(32, 1, 1) {
  %v = var : ptr<function, read_write, array<u32, 225000>>
  %w = var : ptr<function, read_write, array<u32, 225000>>
  %g = builtin global_invocation_index : u32
  zero_fill %v
  %last = access %v, 224999u : ptr<function, read_write, u32>
  store %last, %g
  copy %w, %v
  %first = access %w, 0u : ptr<function, read_write, u32>
  %zero = load %first : u32
  %last_copied = access %w, 224999u : ptr<function, read_write, u32>
  %x = load %last_copied : u32
  %y = add %x, %zero : u32
  %p = access $out, %g : ptr<storage, read_write, u32>
  store %p, %y
  return
}
)"),
                                                                                                options);
  ASSERT_TRUE(pipeline.ok()) << pipeline.failure().message;
  for (const uint32_t threads : {1u, 2u}) {
    const auto buffer = Buffer(96);
    const hal::Command commands[] = {MakeDispatch(**pipeline, *buffer, {3, 1, 1})};
    hal::ExecuteOptions run;
    run.threads = threads;
    ASSERT_TRUE(device_->Execute(commands, run).ok());
    for (uint32_t i = 0; i < 96; ++i) ASSERT_EQ(Word(*buffer, i), i);
  }
}

TEST_P(Engines, AnEndlessLoopIsCancelled) {
  const auto pipeline = Pipeline(kEndless);
  ASSERT_NE(pipeline, nullptr);
  const auto buffer = Buffer(4);
  const hal::Command commands[] = {MakeDispatch(*pipeline, *buffer, {64, 1, 1})};
  std::atomic<uint32_t> cancel{0};
  hal::ExecuteOptions options;
  options.cancel = &cancel;
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancel = 1;
  });
  const Result<hal::ExecuteResult> result = device_->Execute(commands, options);
  stopper.join();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.failure().kind, FailureKind::kInterrupted);
}

TEST_P(Engines, CopiesAndClearsRunInOrder) {
  const auto a = Buffer(4), b = Buffer(4);
  std::memset(a->bytes().data(), 0xff, 16);
  const hal::Command commands[] = {hal::CopyBuffer{a.get(), 4, b.get(), 8, 8},
                                   hal::ClearBuffer{b.get(), 12, 4}};
  ASSERT_TRUE(device_->Execute(commands, {}).ok());
  EXPECT_EQ(Word(*b, 0), 0u);
  EXPECT_EQ(Word(*b, 2), 0xffffffffu);
  EXPECT_EQ(Word(*b, 3), 0u);
}

TEST(CpuDevice, AShuffleIsAnotherOrderAndAlwaysTheSame) {
  const std::shared_ptr<hal::Device> device = MakeCpuDevice(WithEngine(Engine::kCompiler));
  const Result<std::unique_ptr<hal::ComputePipeline>> pipeline =
      device->CreateComputePipeline(Parse(kTurns), {});
  ASSERT_TRUE(pipeline.ok()) << pipeline.failure().message;
  const auto run = [&](uint64_t seed) {
    const auto buffer = std::move(*device->CreateBuffer(101 * 4));
    const hal::Command commands[] = {MakeDispatch(**pipeline, *buffer, {100, 1, 1})};
    hal::ExecuteOptions options;
    options.threads = 1;
    options.shuffle_seed = seed;
    EXPECT_TRUE(device->Execute(commands, options).ok());
    std::vector<uint32_t> words(101);
    std::memcpy(words.data(), buffer->bytes().data(), 404);
    return words;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
  EXPECT_NE(run(1), run(0));
}

TEST(CpuDevice, ManyThreadsGiveTheSameSum) {
  const std::shared_ptr<hal::Device> device = MakeCpuDevice(WithEngine(Engine::kCompiler));
  const Result<std::unique_ptr<hal::ComputePipeline>> pipeline =
      device->CreateComputePipeline(Parse(kTurns), {});
  ASSERT_TRUE(pipeline.ok()) << pipeline.failure().message;
  for (const uint32_t threads : {1u, 2u, 3u, 16u}) {
    const auto buffer = std::move(*device->CreateBuffer(20001 * 4));
    const hal::Command commands[] = {MakeDispatch(**pipeline, *buffer, {20000, 1, 1})};
    hal::ExecuteOptions options;
    options.threads = threads;
    ASSERT_TRUE(device->Execute(commands, options).ok());
    uint32_t count = 0;
    std::memcpy(&count, buffer->bytes().data(), 4);
    EXPECT_EQ(count, 20000u) << threads;
  }
}

TEST(CpuDevice, TooMuchMemoryIsRefused) {
  const std::shared_ptr<hal::Device> device = MakeCpuDevice(WithEngine(Engine::kInterpreter));
  const Result<std::unique_ptr<hal::Buffer>> buffer = device->CreateBuffer(UINT64_MAX / 8 * 4);
  ASSERT_FALSE(buffer.ok());
  EXPECT_EQ(buffer.failure().kind, FailureKind::kEnvironment);
  EXPECT_THAT(buffer.failure().message, HasSubstr("out of memory"));
  EXPECT_TRUE(device->CreateBuffer(4096).ok()) << "a refusal takes nothing";
}

TEST(CpuDevice, AMissingCompilerIsTheSurroundingsFault) {
  Options options;
  options.library_folders = {"/no/such/folder"};
  const Result<std::unique_ptr<hal::ComputePipeline>> pipeline =
      MakeCpuDevice(options)->CreateComputePipeline(Parse(kTurns), {});
  ASSERT_FALSE(pipeline.ok());
  EXPECT_EQ(pipeline.failure().kind, FailureKind::kEnvironment);
  EXPECT_THAT(pipeline.failure().message, HasSubstr("liblockstep_codegen_llvm.so is missing"));
}

TEST(CpuDevice, KernelsComeFromTheDiskCache) {
  std::string root = (std::filesystem::temp_directory_path() / "lockstep-kernels-XXXXXX").string();
  ASSERT_NE(mkdtemp(root.data()), nullptr);
  Options options = WithEngine(Engine::kCompiler);
  options.cache_folder = root + "/cache";
  for (int pass = 0; pass < 2; ++pass) {
    const std::shared_ptr<hal::Device> device = MakeCpuDevice(options);
    const Result<std::unique_ptr<hal::ComputePipeline>> pipeline =
        device->CreateComputePipeline(Parse(kTurns), {});
    ASSERT_TRUE(pipeline.ok()) << pipeline.failure().message;
    const auto buffer = std::move(*device->CreateBuffer(64));
    const hal::Command commands[] = {MakeDispatch(**pipeline, *buffer, {7, 1, 1})};
    ASSERT_TRUE(device->Execute(commands, {}).ok());
    uint32_t count = 0;
    std::memcpy(&count, buffer->bytes().data(), 4);
    EXPECT_EQ(count, 7u);
    const auto entries = std::distance(std::filesystem::directory_iterator(options.cache_folder),
                                       std::filesystem::directory_iterator());
    EXPECT_EQ(entries, 1) << "pass " << pass;
  }
  std::filesystem::remove_all(root);
}

TEST(Permutation, IsABijection) {
  for (const uint64_t count : {1u, 2u, 3u, 5u, 64u, 1000u}) {
    const Permutation order(count, 42);
    std::set<uint64_t> seen;
    for (uint64_t i = 0; i < count; ++i) {
      ASSERT_LT(order(i), count);
      seen.insert(order(i));
    }
    EXPECT_EQ(seen.size(), count);
  }
  const uint64_t huge = uint64_t{65535} * 65535 * 65535;
  EXPECT_LT(Permutation(huge, 1)(huge - 1), huge);
}

TEST(WorkgroupThreads, CoverEverythingOnceAndStopEarly) {
  for (const uint64_t stack_bytes : {uint64_t{0}, 4 * kUsualStackBytes}) {
    WorkgroupThreads pool;
    for (const uint64_t total : {0u, 1u, 63u, 64u, 65u, 10000u}) {
      std::vector<std::atomic<int>> hits(total);
      const auto hit_all = [&](uint32_t slot, uint64_t first, uint64_t last) {
        EXPECT_LT(slot, 3u);
        for (uint64_t i = first; i < last; ++i) ++hits[i];
        return true;
      };
      ASSERT_TRUE(pool.Run(total, 3, stack_bytes, hit_all).ok());
      for (const std::atomic<int>& hit : hits) ASSERT_EQ(hit.load(), 1);
    }
    std::atomic<uint64_t> runs{0};
    ASSERT_TRUE(
        pool.Run(1000000, 2, stack_bytes, [&](uint32_t, uint64_t, uint64_t) { return ++runs < 3; }).ok());
    EXPECT_LT(runs.load(), 10u);
  }
}

// Touches every page of a stack that would not fit an ordinary thread, one thread or several.
TEST(WorkgroupThreads, HaveTheStackThatIsAskedFor) {
  constexpr uint64_t kBytes = 48 << 20;
  WorkgroupThreads pool;
  for (const uint32_t threads : {1u, 3u}) {
    std::atomic<uint64_t> pages{0};
    const auto touch = [&](uint32_t, uint64_t, uint64_t) {
      auto* memory = static_cast<volatile char*>(alloca(kBytes));
      for (uint64_t at = 0; at < kBytes; at += 4096) {
        memory[at] = 1;
        ++pages;
      }
      return true;
    };
    ASSERT_TRUE(pool.Run(threads, threads, kBytes, touch).ok());
    EXPECT_EQ(pages.load(), threads * kBytes / 4096);
  }
}

TEST(WorkgroupThreads, SayWhereNoStackIsLargeEnough) {
  const Result<> ran =
      WorkgroupThreads().Run(1, 1, uint64_t{1} << 60, [](uint32_t, uint64_t, uint64_t) { return true; });
  ASSERT_FALSE(ran.ok());
  EXPECT_EQ(ran.failure().kind, FailureKind::kEnvironment);
  EXPECT_THAT(ran.failure().message, HasSubstr("stack"));
}

TEST(Pages, AreZeroAndAligned) {
  for (const Guards guards : {Guards::kNone, Guards::kBehind, Guards::kBefore}) {
    for (const uint64_t size : {4u, 16u, 100u, 4096u, 5000u}) {
      Result<Pages> pages = Pages::Allocate(size, guards);
      ASSERT_TRUE(pages.ok());
      EXPECT_EQ(reinterpret_cast<uintptr_t>(pages->data()) % 16, 0u);
      for (const std::byte byte : pages->bytes()) ASSERT_EQ(byte, std::byte{0});
    }
  }
}

}  // namespace
}  // namespace lockstep::gpu::cpu

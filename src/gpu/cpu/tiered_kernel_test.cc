// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/tiered_kernel.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "abi/stage.h"
#include "gpu/cpu/cpu_device.h"
#include "ir/printer.h"

namespace lockstep::gpu::cpu {
namespace {

// out[i] += NUMBER, 64 invocations a workgroup.
ir::Module Adder(uint32_t number) {
  Result<ir::Module> module = ir::Parse(R"(var $out : storage read_write array<u32> group 0 binding 0
fn @main() workgroup_size(64, 1, 1) {
  %g = builtin global_invocation_index : u32
  %p = access $out, %g : ptr<storage, read_write, u32>
  %before = load %p : u32
  %after = add %before, )" + std::to_string(number) +
                                        R"(u : u32
  store %p, %after
  return
}
)");
  EXPECT_TRUE(module.ok()) << module.failure().message;
  return std::move(*module);
}

// Counts each of out's words down to 0.
ir::Module Looping() {
  Result<ir::Module> module = ir::Parse(R"(var $out : storage read_write array<u32> group 0 binding 0
fn @main() workgroup_size(64, 1, 1) {
  %g = builtin global_invocation_index : u32
  %p = access $out, %g : ptr<storage, read_write, u32>
  loop @down {
    %left = load %p : u32
    %done = eq %left, 0u : bool
    if %done {
      exit @down
    } else {
      exit
    }
    %less = sub %left, 1u : u32
    store %p, %less
    continue
  } continuing { next }
  return
}
)");
  EXPECT_TRUE(module.ok()) << module.failure().message;
  return std::move(*module);
}

std::vector<std::string> Libraries() {
  return {std::filesystem::read_symlink("/proc/self/exe").parent_path() / "lib"};
}

class TieredKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = (std::filesystem::temp_directory_path() / "lockstep-tiers-XXXXXX").string();
    ASSERT_NE(mkdtemp(root_.data()), nullptr);
    quick_.quick = true;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  KernelCacheOptions CacheOptions() const { return {Libraries(), Folder(), uint64_t{1} << 20, "test"}; }
  std::string Folder() const { return root_ + "/cache"; }
  // What is on disk was compiled for speed.
  ptrdiff_t OnDisk() const {
    if (!std::filesystem::exists(Folder())) return 0;
    return std::distance(std::filesystem::directory_iterator(Folder()),
                         std::filesystem::directory_iterator());
  }

  std::string root_;
  hal::PipelineOptions quick_;
};

TEST_F(TieredKernels, AreForSpeedUnlessAskedOtherwise) {
  KernelCache cache(CacheOptions());
  const Result<TieredKernel> kernel = TieredKernel::Make(cache, Adder(1), {});
  ASSERT_TRUE(kernel.ok()) << kernel.failure().message;
  EXPECT_FALSE(kernel->quick());
  EXPECT_EQ(OnDisk(), 1);
}

TEST_F(TieredKernels, AreCompiledAgainForManyInvocations) {
  KernelCache cache(CacheOptions());
  Result<TieredKernel> kernel = TieredKernel::Make(cache, Adder(1), quick_);
  ASSERT_TRUE(kernel.ok()) << kernel.failure().message;
  const codegen::Kernel* fast = &kernel->code();
  kernel->Prepare(cache, 1000);
  EXPECT_TRUE(kernel->quick());
  EXPECT_EQ(&kernel->code(), fast);
  EXPECT_EQ(OnDisk(), 0);
  kernel->Prepare(cache, 1000000);
  EXPECT_FALSE(kernel->quick());
  EXPECT_NE(&kernel->code(), fast);
  EXPECT_EQ(OnDisk(), 1);
}

TEST_F(TieredKernels, NeedFewerInvocationsWhereThereIsALoop) {
  KernelCache cache(CacheOptions());
  Result<TieredKernel> kernel = TieredKernel::Make(cache, Looping(), quick_);
  ASSERT_TRUE(kernel.ok()) << kernel.failure().message;
  kernel->Prepare(cache, 10);
  EXPECT_TRUE(kernel->quick());
  kernel->Prepare(cache, 1000);
  EXPECT_FALSE(kernel->quick());
}

TEST_F(TieredKernels, AreCompiledAgainWhenTheyHaveRunForLong) {
  KernelCache cache(CacheOptions());
  Result<TieredKernel> kernel = TieredKernel::Make(cache, Adder(1), quick_);
  ASSERT_TRUE(kernel.ok()) << kernel.failure().message;
  kernel->Ran(1e-9);
  kernel->Prepare(cache, 0);
  EXPECT_TRUE(kernel->quick());
  kernel->Ran(1e6);
  kernel->Prepare(cache, 0);
  EXPECT_FALSE(kernel->quick());
}

// A batch of 5 invocations that give 3 times what they get.
std::vector<uint32_t> RunBatch(const codegen::Kernel& kernel) {
  std::vector<uint32_t> in(abi::kStageInvocations), out(abi::kStageInvocations),
      frame(kernel.frame_bytes / 4 + 1);
  for (uint32_t i = 0; i < abi::kStageInvocations; ++i) in[i] = i;
  const abi::BufferView views[] = {{reinterpret_cast<std::byte*>(in.data()), in.size() * 4},
                                   {reinterpret_cast<std::byte*>(out.data()), out.size() * 4}};
  const uint32_t cancel = 0;
  abi::Dispatch dispatch;
  dispatch.buffers = views;
  dispatch.cancel = &cancel;
  abi::Worker worker;
  worker.frame = reinterpret_cast<std::byte*>(frame.data());
  worker.invocations = 5;
  EXPECT_EQ(kernel.entry()(&dispatch, &worker, 0, 0, 0), abi::kDone);
  out.resize(5);
  return out;
}

TEST_F(TieredKernels, OfVerticesAndFragmentsRunBatches) {
  for (const bool quick : {true, false}) {
    KernelCache cache(CacheOptions());
    hal::PipelineOptions options;
    options.quick = quick;
    options.lanes = 1;
    const auto make = [&](const std::string& stage) {
      Result<ir::Module> module = ir::Parse("fn @f() " + stage +
                                            " {\n  %a = input 0 flat first : u32\n  %b = mul %a, 3u : u32\n"
                                            "  output 0 %b\n  return\n}\n");
      EXPECT_TRUE(module.ok()) << module.failure().message;
      Result<TieredKernel> kernel = TieredKernel::Make(cache, *module, options);
      EXPECT_TRUE(kernel.ok()) << kernel.failure().message;
      return std::move(*kernel);
    };
    const TieredKernel vertex = make("vertex"), fragment = make("fragment");
    EXPECT_EQ(vertex.code().lanes, 1u);
    EXPECT_EQ(fragment.code().lanes, 4u);
    const std::vector<uint32_t> expected = {0, 3, 6, 9, 12};
    EXPECT_EQ(RunBatch(vertex.code()), expected);
    EXPECT_EQ(RunBatch(fragment.code()), expected);
  }
}

TEST_F(TieredKernels, ThatAreForSpeedServeEverybody) {
  for (const bool same_process : {true, false}) {
    KernelCache first(CacheOptions()), second(CacheOptions());
    ASSERT_TRUE(TieredKernel::Make(first, Adder(2), {}).ok());
    const Result<TieredKernel> kernel = TieredKernel::Make(same_process ? first : second, Adder(2), quick_);
    ASSERT_TRUE(kernel.ok());
    EXPECT_FALSE(kernel->quick());
  }
}

TEST_F(TieredKernels, ThatWereCompiledFastServeThoseWhoAskForThem) {
  KernelCache cache(CacheOptions());
  const Result<TieredKernel> first = TieredKernel::Make(cache, Adder(3), quick_);
  const Result<TieredKernel> again = TieredKernel::Make(cache, Adder(3), quick_);
  const Result<TieredKernel> other = TieredKernel::Make(cache, Adder(3), {});
  ASSERT_TRUE(first.ok() && again.ok() && other.ok());
  EXPECT_EQ(&first->code(), &again->code());
  EXPECT_NE(&first->code(), &other->code());
  EXPECT_TRUE(again->quick());
  EXPECT_FALSE(other->quick());
}

TEST_F(TieredKernels, AreForSpeedFromTheBeginningInLargePrograms) {
  std::string text = R"(var $out : storage read_write array<u32> group 0 binding 0
fn @main() workgroup_size(64, 1, 1) {
  %v0 = builtin global_invocation_index : u32
  %p = access $out, %v0 : ptr<storage, read_write, u32>
)";
  for (int i = 0; i < 2100; ++i)
    text += "  %v" + std::to_string(i + 1) + " = mul %v" + std::to_string(i) + ", %v0 : u32\n";
  text += "  store %p, %v2100\n  return\n}\n";
  Result<ir::Module> module = ir::Parse(text);
  ASSERT_TRUE(module.ok()) << module.failure().message;
  KernelCache cache(CacheOptions());
  const Result<TieredKernel> kernel = TieredKernel::Make(cache, *module, quick_);
  ASSERT_TRUE(kernel.ok()) << kernel.failure().message;
  EXPECT_FALSE(kernel->quick());
}

// Through the device: dispatches of one submit count together, and others may make pipelines meanwhile.
TEST_F(TieredKernels, OfADeviceAreCompiledAgainForASubmit) {
  Options options;
  options.library_folders = Libraries();
  options.cache_folder = Folder();
  const std::shared_ptr<hal::Device> device = MakeCpuDevice(options);
  const Result<std::unique_ptr<hal::ComputePipeline>> pipeline =
      device->CreateComputePipeline(Adder(5), quick_);
  ASSERT_TRUE(pipeline.ok()) << pipeline.failure().message;
  const auto buffer = std::move(*device->CreateBuffer(64 * 4000 * 4));
  hal::Dispatch dispatch;
  dispatch.pipeline = pipeline->get();
  dispatch.buffers = {{buffer.get(), 0, buffer->size()}};
  dispatch.workgroups = {4000, 1, 1};
  const std::vector<hal::Command> commands(5, dispatch);
  std::atomic<uint32_t> cancel{1};
  hal::ExecuteOptions stopped;
  stopped.cancel = &cancel;
  EXPECT_FALSE(device->Execute(commands, stopped).ok());
  EXPECT_EQ(OnDisk(), 0) << "nothing is compiled for what was told to stop";
  hal::ExecuteOptions one_thread;
  one_thread.threads = 1;
  std::thread maker([&] {
    for (uint32_t number = 10; number < 20; ++number)
      EXPECT_TRUE(device->CreateComputePipeline(Adder(number), quick_).ok());
  });
  ASSERT_TRUE(device->Execute({commands.data(), 1}, one_thread).ok());
  const Result<hal::ExecuteResult> result = device->Execute(commands, one_thread);
  maker.join();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(OnDisk(), 1);
  uint32_t words[2];
  std::memcpy(&words[0], buffer->bytes().data(), 4);
  std::memcpy(&words[1], buffer->bytes().data() + buffer->size() - 4, 4);
  EXPECT_EQ(words[0], 6 * 5u);
  EXPECT_EQ(words[1], 6 * 5u);
}

}  // namespace
}  // namespace lockstep::gpu::cpu

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Would an access out of range be noticed? Kernels are compiled with the robustness pass left out and given
// an index out of range: the process must die by SIGSEGV. The same kernels with the pass must run to their
// end and leave what is promised: a load reads the last element, a store does nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/llvm/compiler.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/cpu/kernel_memory.h"
#include "ir/printer.h"
#include "ir/transform/all_passes.h"
#include "ir/transform/pipeline.h"

namespace lockstep::gpu::cpu {
namespace {

constexpr uint32_t kWords = 64;  // of each buffer, rows of the uniform one, and invocations
constexpr uint32_t kRow = 1024;  // words of workgroup memory and of each invocation's array

// What the index leaves.
enum class Home { kStorage, kUniform, kWorkgroup, kFrame };

struct Access {
  const char* name;
  Home home;
  bool load;         // %v, the last element where %i is out of range
  const char* body;  // uses the index %i; %k is 1
};

constexpr Access kAccesses[] = {
    {"StorageStore", Home::kStorage, false,
     "  %p = access $data, %i : ptr<storage, read_write, u32>\n  store %p, 7u\n"},
    {"StorageLoad", Home::kStorage, true,
     "  %p = access $data, %i : ptr<storage, read_write, u32>\n  %v = load %p : u32\n"},
    {"StorageAtomic", Home::kStorage, false,
     "  %p = access $counts, %i : ptr<storage, read_write, atomic<u32>>\n  %v = atomic_rmw add %p, 1u : "
     "u32\n"},
    {"UniformLoad", Home::kUniform, true,
     "  %p = access $rows, %i, 0u : ptr<uniform, read, u32>\n  %v = load %p : u32\n"},
    {"WorkgroupStore", Home::kWorkgroup, false,
     "  %p = access $tile, %i : ptr<workgroup, read_write, u32>\n  store %p, 7u\n"},
    {"WorkgroupLoad", Home::kWorkgroup, true,
     "  %p = access $tile, %i : ptr<workgroup, read_write, u32>\n  %v = load %p : u32\n"},
    // Each with an access in range that sees it, or there would be nothing to compile.
    {"FrameStore", Home::kFrame, true,
     "  %p = access %array, %i : ptr<function, read_write, u32>\n  store %p, %l\n"
     "  %s = access %array, %k : ptr<function, read_write, u32>\n  %v = load %s : u32\n"},
    {"FrameLoad", Home::kFrame, true,
     "  %s = access %array, %k : ptr<function, read_write, u32>\n  store %s, %l\n"
     "  %p = access %array, %i : ptr<function, read_write, u32>\n  %v = load %p : u32\n"},
};

// `varying`: each invocation adds its number to the index that buffer `in` holds.
std::string Text(const Access& access, bool varying) {
  return fmt::format(R"(var $in : storage read array<u32> group 0 binding 0
var $out : storage read_write array<u32> group 0 binding 1
var $data : storage read_write array<u32> group 0 binding 2
var $counts : storage read_write array<atomic<u32>> group 0 binding 3
var $rows : uniform read array<vec4<u32>, {1}> group 0 binding 4
var $tile : workgroup read_write array<u32, {0}>
fn @main() workgroup_size({1}, 1, 1) {{
  %l = builtin local_invocation_index : u32
  %start = access $in, 0u : ptr<storage, read, u32>
  %n = load %start : u32
  %i = add %n, {2} : u32
  %second = access $in, 1u : ptr<storage, read, u32>
  %k = load %second : u32
  %array = var : ptr<function, read_write, array<u32, {0}>>
  zero_fill %array
{3}  %q = access $out, %l : ptr<storage, read_write, u32>
  store %q, {4}
  return
}}
)",
                     kRow, kWords, varying ? "%l" : "0u", access.body, access.load ? "%v" : "1u");
}

ir::Module Module(const Access& access, bool varying, bool robust) {
  Result<ir::Module> module = ir::Parse(Text(access, varying));
  EXPECT_TRUE(module.ok()) << module.failure().message << Text(access, varying);
  if (robust) {
    ir::RunCpuPipeline(*module);
    return std::move(*module);
  }
  ir::Fold(*module);
  ir::MergeCommonSubexpressions(*module);
  ir::RemoveDeadCode(*module);
  return std::move(*module);
}

struct Kernel {
  std::unique_ptr<codegen::Compiler> compiler{LockstepCreateCompiler()};
  std::unique_ptr<codegen::Kernel> code;
  Kernel(const ir::Module& module, uint32_t lanes) {
    codegen::LaneOptions options;
    options.lanes = lanes;
    options.native_lanes = compiler->native_lanes();
    auto kernel = compiler->Compile(module, options, codegen::Emit::kNone, nullptr);
    EXPECT_TRUE(kernel.ok()) << kernel.failure().message;
    code = std::move(*kernel);
  }
};

// Words 0, 1, 2 ... in every buffer; the index takes the place of the first.
std::vector<Pages> Buffers(Guards guards, uint32_t index) {
  std::vector<Pages> buffers;
  for (int slot = 0; slot < 5; ++slot) {
    const uint32_t words = slot == 4 ? 4 * kWords : kWords;
    Result<Pages> pages = Pages::Allocate(words * 4, guards);
    EXPECT_TRUE(pages.ok());
    for (uint32_t i = 0; i < words; ++i) {
      const uint32_t word = slot == 0 && i == 0 ? index : i;
      std::memcpy(pages->data() + i * 4, &word, 4);
    }
    buffers.push_back(std::move(*pages));
  }
  return buffers;
}

uint32_t Word(const std::byte* data, uint32_t index) {
  uint32_t word = 0;
  std::memcpy(&word, data + index * 4, 4);
  return word;
}

void RunOn(const codegen::Kernel& kernel, std::span<const abi::BufferView> views, Guards guards) {
  WorkerMemory memory;
  ASSERT_TRUE(memory.Fit(kernel.workgroup_bytes, kernel.frame_bytes, guards).ok());
  abi::Worker worker{memory.workgroup(), memory.frame(), 0};
  const uint32_t cancel = 0;
  abi::Dispatch dispatch;
  dispatch.buffers = views.data();
  dispatch.cancel = &cancel;
  EXPECT_EQ(kernel.entry()(&dispatch, &worker, 0, 0, 0), abi::kDone);
}

void RunOn(const codegen::Kernel& kernel, const std::vector<Pages>& buffers, Guards guards) {
  std::vector<abi::BufferView> views;
  for (const Pages& pages : buffers) views.push_back({pages.data(), pages.size()});
  RunOn(kernel, views, guards);
}

// In a child of a death test: a sanitizer's own handler would turn the signal into an exit.
void RunToDeath(const codegen::Kernel& kernel, const std::vector<Pages>& buffers, Guards guards) {
  std::signal(SIGSEGV, SIG_DFL);
  RunOn(kernel, buffers, guards);
}

// The first index whose bytes end up past everything of its kind, the last one with a 32-bit offset, and one
// between.
std::vector<uint32_t> IndicesBehind(const Access& access, const codegen::Kernel& kernel) {
  const auto bytes = static_cast<uint32_t>(access.home == Home::kWorkgroup ? kernel.workgroup_bytes
                                           : access.home == Home::kFrame   ? kernel.frame_bytes
                                                                           : kWords * 4);
  // The uniform buffer has as many rows as the others have words.
  const uint32_t stride = access.home == Home::kUniform ? 16
                          : access.home == Home::kFrame ? 4 * kernel.lanes
                                                        : 4;
  return {access.home == Home::kUniform ? kWords : (bytes + stride - 1) / stride, 0x12345678 / stride,
          0x7fffff00 / stride};
}

class GuardsDeathTest : public ::testing::TestWithParam<Access> {};

INSTANTIATE_TEST_SUITE_P(, GuardsDeathTest, ::testing::ValuesIn(kAccesses),
                         [](const ::testing::TestParamInfo<Access>& tested) { return tested.param.name; });

TEST_P(GuardsDeathTest, WithoutRobustnessAnIndexBehindFaults) {
  const Access& access = GetParam();
  for (const bool varying : {false, true}) {
    const ir::Module module = Module(access, varying, /*robust=*/false);
    for (const uint32_t lanes : {1u, 8u, 32u}) {
      const Kernel kernel(module, lanes);
      // In range it runs: what kills it is the index.
      RunOn(*kernel.code, Buffers(Guards::kBehind, 0), Guards::kBehind);
      for (const uint32_t index : IndicesBehind(access, *kernel.code)) {
        SCOPED_TRACE(fmt::format("{} lanes, index {}{}", lanes, index, varying ? ", varying" : ""));
        const std::vector<Pages> buffers = Buffers(Guards::kBehind, index);
        EXPECT_EXIT(RunToDeath(*kernel.code, buffers, Guards::kBehind), ::testing::KilledBySignal(SIGSEGV),
                    "");
      }
    }
  }
}

// An offset of -4 bytes: index -1, or the last whose 32-bit byte offset is -4.
TEST_P(GuardsDeathTest, WithoutRobustnessAnIndexBeforeFaults) {
  const Access& access = GetParam();
  const ir::Module module = Module(access, /*varying=*/true, /*robust=*/false);
  for (const uint32_t lanes : {8u, 32u}) {
    const Kernel kernel(module, lanes);
    RunOn(*kernel.code, Buffers(Guards::kBefore, 0), Guards::kBefore);
    // A frame holds other things before the array, as far as they go.
    const uint32_t index = access.home == Home::kFrame
                               ? 0u - static_cast<uint32_t>(kernel.code->frame_bytes / 4 / lanes)
                               : 0xffffffffu;
    SCOPED_TRACE(fmt::format("{} lanes", lanes));
    const std::vector<Pages> buffers = Buffers(Guards::kBefore, index);
    EXPECT_EXIT(RunToDeath(*kernel.code, buffers, Guards::kBefore), ::testing::KilledBySignal(SIGSEGV), "");
  }
}

TEST_P(GuardsDeathTest, WithRobustnessEveryIndexIsSafe) {
  const Access& access = GetParam();
  const uint32_t length = access.home == Home::kStorage || access.home == Home::kUniform ? kWords : kRow;
  const uint32_t last = access.home == Home::kStorage   ? kWords - 1
                        : access.home == Home::kUniform ? 4 * (kWords - 1)
                                                        : 0;
  for (const bool varying : {false, true}) {
    const ir::Module module = Module(access, varying, /*robust=*/true);
    for (const uint32_t lanes : {1u, 8u, 32u}) {
      const Kernel kernel(module, lanes);
      for (const uint32_t index : {length, length + 77, 0x12345678u, 0x20000000u, 0x3fffffffu, 0x80000000u}) {
        for (const Guards guards : {Guards::kBehind, Guards::kBefore}) {
          SCOPED_TRACE(fmt::format("{} lanes, index {}{}", lanes, index, varying ? ", varying" : ""));
          const std::vector<Pages> buffers = Buffers(guards, index);
          RunOn(*kernel.code, buffers, guards);
          for (uint32_t i = 0; i < kWords; ++i) {
            EXPECT_EQ(Word(buffers[1].data(), i), access.load ? last : 1u);
            EXPECT_EQ(Word(buffers[2].data(), i), i);
            EXPECT_EQ(Word(buffers[3].data(), i), i);
          }
          for (const Pages& pages : buffers) EXPECT_TRUE(pages.intact());
        }
      }
    }
  }
}

// --- the memory itself ---

TEST(PagesDeathTest, BothSidesFaultAsFarAsAnOffsetReaches) {
  constexpr int64_t kGiB = int64_t{1} << 30;
  for (const Guards guards : {Guards::kBehind, Guards::kBefore}) {
    Result<Pages> pages = Pages::Allocate(4096, guards);
    ASSERT_TRUE(pages.ok());
    volatile std::byte* data = pages->data();
    for (const int64_t offset : {int64_t{4096}, int64_t{-1}, 2 * kGiB, 4 * kGiB, -kGiB, -2 * kGiB}) {
      SCOPED_TRACE(offset);
      const auto touch = [&] {
        std::signal(SIGSEGV, SIG_DFL);
        data[offset] = std::byte{1};
      };
      EXPECT_EXIT(touch(), ::testing::KilledBySignal(SIGSEGV), "");
    }
  }
}

TEST(PagesDeathTest, WritesBesideTheDataAreFoundAtTheEnd) {
  for (const auto& [guards, offset] : {std::pair{Guards::kBehind, -1},
                                       {Guards::kBehind, 20},
                                       {Guards::kBefore, 20},
                                       {Guards::kBefore, 4095}}) {
    SCOPED_TRACE(offset);
    Result<Pages> pages = Pages::Allocate(20, guards);
    ASSERT_TRUE(pages.ok());
    EXPECT_TRUE(pages->intact());
    const std::byte old = pages->data()[offset];
    pages->data()[offset] = std::byte{1};
    EXPECT_FALSE(pages->intact());
    EXPECT_DEATH({ const Pages gone = std::move(*pages); }, "internal error");
    pages->data()[offset] = old;
  }
}

TEST(BoundViewsDeathTest, APartOfABufferEndsAtAGuardToo) {
  const Kernel kernel(Module(kAccesses[0], /*varying=*/false, /*robust=*/false), 8);
  const std::shared_ptr<hal::Device> device = MakeCpuDevice({});
  std::vector<std::unique_ptr<hal::Buffer>> buffers;
  for (int slot = 0; slot < 5; ++slot) buffers.push_back(std::move(*device->CreateBuffer(kWords * 4 * 3)));
  std::vector<hal::BoundBuffer> parts;
  for (const auto& buffer : buffers) parts.push_back({buffer.get(), kWords * 4, kWords * 4});
  const auto run = [&](uint32_t index) {
    std::memcpy(buffers[0]->bytes().data() + kWords * 4, &index, 4);
    const Result<BoundViews> bound = BoundViews::Bind(parts, Guards::kBehind);
    ASSERT_TRUE(bound.ok());
    RunOn(*kernel.code, bound->views(), Guards::kBehind);
  };
  run(5);
  EXPECT_EQ(Word(buffers[2]->bytes().data(), kWords + 5), 7u);
  const auto die = [&] {
    std::signal(SIGSEGV, SIG_DFL);
    run(kWords);
  };
  EXPECT_EXIT(die(), ::testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EQ(Word(buffers[2]->bytes().data(), 2 * kWords), 0u);
}

TEST(WorkerMemory, FitsEachKernelExactlyWithGuards) {
  WorkerMemory memory;
  for (const uint64_t bytes : {8192u, 64u, 4096u}) {
    ASSERT_TRUE(memory.Fit(bytes, 2 * bytes, Guards::kBehind).ok());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.workgroup() + bytes) % 4096, 0u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.frame() + 2 * bytes) % 4096, 0u);
  }
}

#ifdef LOCKSTEP_GUARD_PAGES
TEST(CpuDeviceDeathTest, GuardsAreTheDefaultWithAddressSanitizer) {
  EXPECT_EQ(Options().guards, Guards::kBehind);
  const std::shared_ptr<hal::Device> device = MakeCpuDevice({});
  const auto buffer = std::move(*device->CreateBuffer(64));
  volatile std::byte* data = buffer->bytes().data();
  data[63] = std::byte{1};
  EXPECT_DEATH(data[64] = std::byte{1}, "");
}
#endif

}  // namespace
}  // namespace lockstep::gpu::cpu

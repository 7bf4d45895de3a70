// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/cpu_info.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <regex>

namespace lockstep::gpu::cpu {
namespace {

TEST(Identifier, HasSmallLettersDigitsAndSingleDashes) {
  EXPECT_EQ(Identifier("AMD EPYC(tm)  9R14 "), "amd-epyc-tm-9r14");
  EXPECT_EQ(Identifier("AVX-512"), "avx-512");
  EXPECT_EQ(Identifier(" \xc3\xa9-"), "");
}

TEST(AdapterInfo, NamesAreIdentifiers) {
  const hal::AdapterInfo info = MakeAdapterInfo(2);
  const std::regex identifier("([a-z0-9]+(-[a-z0-9]+)*)?");
  for (const std::string& name : {info.vendor, info.architecture, info.device}) {
    EXPECT_TRUE(std::regex_match(name, identifier)) << name;
  }
  EXPECT_FALSE(info.device.empty());
}

// WebGPU: #adapter-capability-guarantees.
TEST(AdapterInfo, LimitsKeepTheGuarantees) {
  const hal::Limits l = MakeAdapterInfo(2).limits;
  EXPECT_GE(l.max_bindings_per_bind_group,
            2 * (l.max_sampled_textures_per_shader_stage + l.max_samplers_per_shader_stage +
                 l.max_storage_buffers_per_shader_stage + l.max_storage_textures_per_shader_stage +
                 l.max_uniform_buffers_per_shader_stage));
  EXPECT_LE(l.max_bind_groups, l.max_bind_groups_plus_vertex_buffers);
  EXPECT_LE(l.max_vertex_buffers, l.max_bind_groups_plus_vertex_buffers);
  for (const uint32_t alignment :
       {l.min_uniform_buffer_offset_alignment, l.min_storage_buffer_offset_alignment}) {
    EXPECT_TRUE(std::has_single_bit(alignment) && alignment >= 32);
  }
  EXPECT_LE(l.max_uniform_buffer_binding_size, l.max_buffer_size);
  EXPECT_LE(l.max_storage_buffer_binding_size, l.max_buffer_size);
  EXPECT_EQ(l.max_storage_buffer_binding_size % 4, 0u);
  EXPECT_EQ(l.max_vertex_buffer_array_stride % 4, 0u);
  EXPECT_EQ(l.max_immediate_size % 4, 0u);
  const uint64_t x = l.max_compute_workgroup_size_x, y = l.max_compute_workgroup_size_y,
                 z = l.max_compute_workgroup_size_z;
  EXPECT_LE(std::max({x, y, z}), l.max_compute_invocations_per_workgroup);
  EXPECT_LE(l.max_compute_invocations_per_workgroup, x * y * z);
}

}  // namespace
}  // namespace lockstep::gpu::cpu

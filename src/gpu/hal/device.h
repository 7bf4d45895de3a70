// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What a device implements. The rooms above (gpu/core) have validated everything: a device is given only what
// WebGPU allows, does minimal checking of its own (CHECK), and reports only faults of the environment, the
// time limit and compile limits of its own. Devices are made by gpu/devices.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gpu/hal/render.h"
#include "gpu/hal/texture.h"
#include "ir/module.h"
#include "observe/findings.h"
#include "support/result.h"

namespace lockstep::gpu::hal {

// WebGPU's limits (spec #limits) with its defaults.
struct Limits {
  uint32_t max_texture_dimension_1d = 8192;
  uint32_t max_texture_dimension_2d = 8192;
  uint32_t max_texture_dimension_3d = 2048;
  uint32_t max_texture_array_layers = 256;
  uint32_t max_bind_groups = 4;
  uint32_t max_bind_groups_plus_vertex_buffers = 24;
  uint32_t max_immediate_size = 64;
  uint32_t max_bindings_per_bind_group = 1000;
  uint32_t max_dynamic_uniform_buffers_per_pipeline_layout = 8;
  uint32_t max_dynamic_storage_buffers_per_pipeline_layout = 4;
  uint32_t max_sampled_textures_per_shader_stage = 16;
  uint32_t max_samplers_per_shader_stage = 16;
  uint32_t max_storage_buffers_per_shader_stage = 8;
  uint32_t max_storage_buffers_in_vertex_stage = 8;
  uint32_t max_storage_buffers_in_fragment_stage = 8;
  uint32_t max_storage_textures_per_shader_stage = 4;
  uint32_t max_storage_textures_in_vertex_stage = 4;
  uint32_t max_storage_textures_in_fragment_stage = 4;
  uint32_t max_uniform_buffers_per_shader_stage = 12;
  uint64_t max_uniform_buffer_binding_size = 65536;
  uint64_t max_storage_buffer_binding_size = 134217728;
  uint32_t min_uniform_buffer_offset_alignment = 256;
  uint32_t min_storage_buffer_offset_alignment = 256;
  uint32_t max_vertex_buffers = 8;
  uint64_t max_buffer_size = 268435456;
  uint32_t max_vertex_attributes = 16;
  uint32_t max_vertex_buffer_array_stride = 2048;
  uint32_t max_inter_stage_shader_variables = 16;
  uint32_t max_color_attachments = 8;
  uint32_t max_color_attachment_bytes_per_sample = 32;
  uint32_t max_compute_workgroup_storage_size = 16384;
  uint32_t max_compute_invocations_per_workgroup = 256;
  uint32_t max_compute_workgroup_size_x = 256;
  uint32_t max_compute_workgroup_size_y = 256;
  uint32_t max_compute_workgroup_size_z = 64;
  uint32_t max_compute_workgroups_per_dimension = 65535;
};

enum class DeviceKind { kCpu, kGpu };

struct AdapterInfo {
  DeviceKind kind = DeviceKind::kCpu;
  std::string name;  // "AMD EPYC, 2 threads, AVX2"
  // GPUAdapterInfo; the first three are normalized identifiers (#normalized-identifier-string) or empty.
  std::string vendor, architecture, device;
  std::string description;
  uint32_t subgroup_min_size = 4, subgroup_max_size = 128;  // what WebGPU says where there are no subgroups
  bool fallback = false;                                    // slow, and the same everywhere
  std::vector<std::string> features;                        // GPUFeatureName
  Limits limits;                                            // the most that the device can do
};

// Memory of the device. Zero-filled when made.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual uint64_t size() const = 0;  // bytes, a multiple of 4
  // Host access; only while no command that uses the buffer runs. The spans are valid as long as the buffer.
  virtual std::span<std::byte> bytes() = 0;
};

// Numbers, 0 until they are written.
class QuerySet {
 public:
  virtual ~QuerySet() = default;
};

class ComputePipeline {
 public:
  virtual ~ComputePipeline() = default;
};

struct Dispatch {
  const ComputePipeline* pipeline = nullptr;
  // One for each storage or uniform variable of the pipeline's module, in the order of module.variables.
  std::vector<BoundBuffer> buffers;
  std::vector<BoundTexture> textures;  // likewise for its textures
  std::array<uint32_t, 3> workgroups = {1, 1, 1};
  // Indirect: read three u32 here when the command runs instead; a count over `max_workgroups` makes it do
  // nothing.
  Buffer* indirect = nullptr;
  uint64_t indirect_offset = 0;
  uint32_t max_workgroups = 65535;
  // Indirect: likewise for the product of the counts (shaders that use workgroup_index or
  // global_invocation_index).
  uint64_t max_total_workgroups = UINT64_MAX;
};
struct CopyBuffer {
  Buffer* from;
  uint64_t from_offset;
  Buffer* to;
  uint64_t to_offset;
  uint64_t size;
};
struct ClearBuffer {
  Buffer* buffer;
  uint64_t offset;
  uint64_t size;
};
// What the device's clock shows when all commands before have run and none after, in nanoseconds.
struct WriteTimestamp {
  QuerySet* queries;
  uint32_t index;
};
// Values of queries as 64-bit numbers.
struct ResolveQueries {
  const QuerySet* queries;
  uint32_t first, count;
  Buffer* to;
  uint64_t to_offset;
};
using Command = std::variant<Dispatch, CopyBuffer, ClearBuffer, CopyBufferToTexture, CopyTextureToBuffer,
                             CopyTextureToTexture, WriteTexture, WriteTimestamp, ResolveQueries, RenderPass>;

struct PipelineOptions {
  std::string label;
  uint32_t lanes = 0;  // 0: the compiler chooses
  bool weak_failures = false;
  bool cache = true;            // look in and write to the disk cache
  bool watch = false;           // with the events that ExecuteOptions::findings needs
  bool shuffle_groups = false;  // ExecuteOptions::schedule_seed orders lane groups too
  // Ready fast, and compiled again for speed when its dispatches are worth that. Not with `watch`.
  bool quick = false;
};

inline constexpr uint64_t kNoCommand = UINT64_MAX;

struct ExecuteOptions {
  // Polled all the time; set by Ctrl-C or a time limit. The call then returns a Failure of kind kInterrupted.
  const std::atomic<uint32_t>* cancel = nullptr;
  uint32_t threads = 0;  // 0: all
  // 0: workgroups in linear order (one thread) or as threads take them. Not for pipelines made with `watch`.
  uint64_t shuffle_seed = 0;
  uint32_t weak_failure_seed = 0;
  // Not null: dispatches and render passes of pipelines made with `watch` run in the canonical schedule, and
  // what they do wrong is added here (docs/races.md).
  observe::Findings* findings = nullptr;
  // Not 0, for pipelines made with `watch`: another order of workgroups, lane groups and lanes, one a seed.
  uint64_t schedule_seed = 0;
  // Nanoseconds: timestamps are rounded down to multiples of it.
  uint64_t timestamp_step = 1;
  // Not null: kept at the number of the command that runs, or kNoCommand while none does.
  std::atomic<uint64_t>* progress = nullptr;
};

struct ExecuteResult {
  std::vector<double> dispatch_seconds;  // a Dispatch command each; the device's own time
  std::vector<uint8_t> skipped;          // likewise: an indirect dispatch over the limit did nothing
  uint32_t render_passes = 0;            // how many ran
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const AdapterInfo& info() const = 0;
  virtual Result<std::unique_ptr<Buffer>> CreateBuffer(uint64_t size) = 0;
  virtual Result<std::unique_ptr<QuerySet>> CreateQuerySet(QueryType type, uint32_t count) = 0;
  virtual Result<std::unique_ptr<Texture>> CreateTexture(const TextureDescriptor& descriptor) = 0;
  // `module` as lower/ makes it: the device runs its own pipeline of passes. Thread-safe.
  virtual Result<std::unique_ptr<ComputePipeline>> CreateComputePipeline(const ir::Module& module,
                                                                         const PipelineOptions& options) = 0;
  // Likewise.
  virtual Result<std::unique_ptr<RenderPipeline>> CreateRenderPipeline(
      const RenderPipelineDescriptor& descriptor, const PipelineOptions& options) = 0;
  // Runs the commands in order and returns when they are done.
  virtual Result<ExecuteResult> Execute(std::span<const Command> commands, const ExecuteOptions& options) = 0;
  // One of the device's text forms of a module (lockstep show --emit=lanes|llvm|asm|spirv); a Failure where
  // it has none.
  virtual Result<std::string> Show(const ir::Module& module, std::string_view form,
                                   const PipelineOptions& options) = 0;
};

}  // namespace lockstep::gpu::hal

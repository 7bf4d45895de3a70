// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The dictionaries and enumerations of the specification's IDL, member by member, for read.h.
#pragma once

#include "gpu/core/bind_group.h"
#include "gpu/core/bind_group_layout.h"
#include "gpu/core/buffer.h"
#include "gpu/core/command_encoder.h"
#include "gpu/core/compute_pipeline.h"
#include "gpu/core/pipeline_layout.h"
#include "gpu/core/query_set.h"
#include "gpu/core/shader_module.h"
#include "gpu/devices/devices.h"
#include "read.h"

namespace lockstep::bindings {

namespace core = gpu::core;

// Those of gpu/hal's tables; what is no value of them has been refused before.
template <typename Enum>
void FromName(const EnumName& name, Enum& to) {
  to = core::FindEnum<Enum>(name.text).value_or(to);
}
inline void FromName(const EnumName& name, core::ErrorKind& to) {
  using enum core::ErrorKind;
  to = name.text == "validation" ? kValidation : name.text == "internal" ? kInternal : kOutOfMemory;
}

inline void Members(const MemberReader& read, gpu::devices::Options& to) {
  read("libraryFolders", to.cpu.library_folders)("cacheFolder", to.cpu.cache_folder)("buildId",
                                                                                     to.cpu.build_id);
}
inline void Members(const MemberReader& read, core::DeviceDescriptor& to) {
  read("label", to.label)("requiredFeatures", to.required_features)("requiredLimits", to.required_limits)(
      "queueLabel", to.queue_label);
}
inline void Members(const MemberReader& read, core::BufferDescriptor& to) {
  read("label", to.label)("size", to.size)("usage", to.usage)("mappedAtCreation", to.mapped_at_creation);
}
inline void Members(const MemberReader& read, core::ShaderModuleDescriptor& to) {
  read("label", to.label)("code", to.code);
}
inline void Members(const MemberReader& read, core::BufferBindingLayout& to) {
  read("type", to.type)("hasDynamicOffset", to.has_dynamic_offset)("minBindingSize", to.min_binding_size);
}
inline void Members(const MemberReader& read, core::BindGroupLayoutEntry& to) {
  read("binding", to.binding)("visibility", to.visibility);
  read("buffer", to.buffer);
}
inline void Members(const MemberReader& read, core::BindGroupLayoutDescriptor& to) {
  read("label", to.label)("entries", to.entries);
}
inline void Members(const MemberReader& read, core::BufferBinding& to) {
  read("buffer", to.buffer)("offset", to.offset)("size", to.size);
}
inline void Members(const MemberReader& read, core::BindGroupEntry& to) {
  read("binding", to.binding)("buffer", std::get<core::BufferBinding>(to.resource));
}
inline void Members(const MemberReader& read, core::BindGroupDescriptor& to) {
  read("label", to.label)("layout", to.layout)("entries", to.entries);
}
inline void Members(const MemberReader& read, core::PipelineLayoutDescriptor& to) {
  read("label", to.label)("bindGroupLayouts", to.bind_group_layouts)("immediateSize", to.immediate_size);
}
inline void Members(const MemberReader& read, core::ProgrammableStage& to) {
  read("module", to.module)("entryPoint", to.entry_point)("constants", to.constants);
}
inline void Members(const MemberReader& read, core::ComputePipelineDescriptor& to) {
  read("label", to.label)("layout", to.layout)("compute", to.compute);
}

inline void Members(const MemberReader& read, core::QuerySetDescriptor& to) {
  read("label", to.label)("type", to.type)("count", to.count);
}
inline void Members(const MemberReader& read, core::TimestampWrites& to) {
  read("querySet", to.query_set)("beginningOfPassWriteIndex", to.beginning_of_pass_write_index)(
      "endOfPassWriteIndex", to.end_of_pass_write_index);
}
inline void Members(const MemberReader& read, core::ComputePassDescriptor& to) {
  read("label", to.label)("timestampWrites", to.timestamp_writes);
}

}  // namespace lockstep::bindings

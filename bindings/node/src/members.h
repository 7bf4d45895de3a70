// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The dictionaries and enumerations of the specification's IDL, member by member, for read.h.
#pragma once

#include "gpu/core/attachments.h"
#include "gpu/core/bind_group.h"
#include "gpu/core/bind_group_layout.h"
#include "gpu/core/buffer.h"
#include "gpu/core/command_encoder.h"
#include "gpu/core/compute_pipeline.h"
#include "gpu/core/pipeline_layout.h"
#include "gpu/core/query_set.h"
#include "gpu/core/render_bundle.h"
#include "gpu/core/render_pipeline.h"
#include "gpu/core/sampler.h"
#include "gpu/core/shader_module.h"
#include "gpu/core/texel_copy.h"
#include "gpu/core/texture.h"
#include "gpu/devices/devices.h"
#include "read.h"

namespace lockstep::bindings {

namespace core = gpu::core;

// Those of gpu/hal's tables; what is no value of them has been refused before.
template <typename Enum>
void FromName(const EnumText& name, Enum& to) {
  to = core::FindEnum<Enum>(name.text).value_or(to);
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
inline void Members(const MemberReader& read, core::SamplerBindingLayout& to) { read("type", to.type); }
inline void Members(const MemberReader& read, core::TextureBindingLayout& to) {
  read("sampleType", to.sample_type)("viewDimension", to.view_dimension)("multisampled", to.multisampled);
}
inline void Members(const MemberReader& read, core::StorageTextureBindingLayout& to) {
  read("access", to.access)("format", to.format)("viewDimension", to.view_dimension);
}
inline void Members(const MemberReader&, core::ExternalTextureBindingLayout&) {}
inline void Members(const MemberReader& read, core::BindGroupLayoutEntry& to) {
  read("binding", to.binding)("visibility", to.visibility)("buffer", to.buffer)("sampler", to.sampler);
  read("texture", to.texture)("storageTexture", to.storage_texture)("externalTexture", to.external_texture);
}
inline void Members(const MemberReader& read, core::BindGroupLayoutDescriptor& to) {
  read("label", to.label)("entries", to.entries);
}
inline void Members(const MemberReader& read, core::BufferBinding& to) {
  read("buffer", to.buffer)("offset", to.offset)("size", to.size);
}
// The resource stands under the name of the alternative that it is.
template <typename Resource>
void ReadResource(const MemberReader& read, const char* name, core::BindingResource& to) {
  if (!IsAbsent(read.Get(name))) to = ReadAs<Resource>(read.Get(name));
}
inline void Members(const MemberReader& read, core::BindGroupEntry& to) {
  read("binding", to.binding);
  ReadResource<core::BufferBinding>(read, "buffer", to.resource);
  ReadResource<Shared<core::Sampler>>(read, "sampler", to.resource);
  ReadResource<Shared<core::Texture>>(read, "texture", to.resource);
  ReadResource<Shared<core::TextureView>>(read, "textureView", to.resource);
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

inline void Members(const MemberReader& read, abi::VertexAttribute& to) {
  read("format", to.format)("offset", to.offset)("shaderLocation", to.shader_location);
}
inline void Members(const MemberReader& read, abi::VertexBufferLayout& to) {
  read("arrayStride", to.array_stride)("stepMode", to.step_mode)("attributes", to.attributes);
}
inline void Members(const MemberReader& read, core::VertexState& to) {
  Members(read, static_cast<core::ProgrammableStage&>(to));
  read("buffers", to.buffers);
}
inline void Members(const MemberReader& read, abi::PrimitiveState& to) {
  read("topology", to.topology)("stripIndexFormat", to.strip_index_format)("frontFace", to.front_face);
  read("cullMode", to.cull_mode)("unclippedDepth", to.unclipped_depth);
}
inline void Members(const MemberReader& read, abi::StencilFaceState& to) {
  read("compare", to.compare)("failOp", to.fail_op)("depthFailOp", to.depth_fail_op)("passOp", to.pass_op);
}
inline void Members(const MemberReader& read, core::DepthStencilState& to) {
  read("format", to.format)("depthWriteEnabled", to.depth_write_enabled)("depthCompare", to.depth_compare);
  read("stencilFront", to.stencil_front)("stencilBack", to.stencil_back);
  read("stencilReadMask", to.stencil_read_mask)("stencilWriteMask", to.stencil_write_mask);
  read("depthBias", to.depth_bias)("depthBiasSlopeScale", to.depth_bias_slope_scale);
  read("depthBiasClamp", to.depth_bias_clamp);
}
inline void Members(const MemberReader& read, abi::MultisampleState& to) {
  read("count", to.count)("mask", to.mask)("alphaToCoverageEnabled", to.alpha_to_coverage_enabled);
}
inline void Members(const MemberReader& read, abi::BlendComponent& to) {
  read("operation", to.operation)("srcFactor", to.src_factor)("dstFactor", to.dst_factor);
}
inline void Members(const MemberReader& read, abi::BlendState& to) {
  read("color", to.color)("alpha", to.alpha);
}
inline void Members(const MemberReader& read, core::ColorTarget& to) {
  read("format", to.format)("blend", to.state.blend)("writeMask", to.state.write_mask);
}
inline void Members(const MemberReader& read, core::FragmentState& to) {
  Members(read, static_cast<core::ProgrammableStage&>(to));
  read("targets", to.targets);
}
inline void Members(const MemberReader& read, core::RenderPipelineDescriptor& to) {
  read("label", to.label)("layout", to.layout)("vertex", to.vertex)("primitive", to.primitive);
  read("depthStencil", to.depth_stencil)("multisample", to.multisample)("fragment", to.fragment);
}
inline void Members(const MemberReader& read, core::RenderBundleEncoderDescriptor& to) {
  read("label", to.label)("colorFormats", to.layout.color_formats);
  read("depthStencilFormat", to.layout.depth_stencil_format)("sampleCount", to.layout.sample_count);
  read("depthReadOnly", to.depth_read_only)("stencilReadOnly", to.stencil_read_only);
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

// A GPUColor as a dictionary.
inline void Members(const MemberReader& read, abi::Color& to) {
  read("r", to[0])("g", to[1])("b", to[2])("a", to[3]);
}
// The view stands under the name of the alternative that it is.
inline void Members(const MemberReader& read, core::AttachmentView& to) {
  if (!IsAbsent(read.Get("texture"))) to = ReadAs<Shared<core::Texture>>(read.Get("texture"));
  if (!IsAbsent(read.Get("textureView"))) to = ReadAs<Shared<core::TextureView>>(read.Get("textureView"));
}
inline void Members(const MemberReader& read, core::RenderPassColorAttachment& to) {
  read("view", to.view)("depthSlice", to.depth_slice)("resolveTarget", to.resolve_target);
  read("clearValue", to.clear_value)("loadOp", to.load_op)("storeOp", to.store_op);
}
inline void Members(const MemberReader& read, core::RenderPassDepthStencilAttachment& to) {
  read("view", to.view)("depthClearValue", to.depth_clear_value)("depthLoadOp", to.depth_load_op);
  read("depthStoreOp", to.depth_store_op)("depthReadOnly", to.depth_read_only);
  read("stencilClearValue", to.stencil_clear_value)("stencilLoadOp", to.stencil_load_op);
  read("stencilStoreOp", to.stencil_store_op)("stencilReadOnly", to.stencil_read_only);
}
inline void Members(const MemberReader& read, core::RenderPassDescriptor& to) {
  read("label", to.label)("colorAttachments", to.color_attachments);
  read("depthStencilAttachment", to.depth_stencil_attachment)("occlusionQuerySet", to.occlusion_query_set);
  read("timestampWrites", to.timestamp_writes)("maxDrawCount", to.max_draw_count);
}

inline void Members(const MemberReader& read, core::Extent3D& to) {
  read("width", to.width)("height", to.height)("depthOrArrayLayers", to.depth_or_array_layers);
}
inline void Members(const MemberReader& read, core::Origin3D& to) { read("x", to.x)("y", to.y)("z", to.z); }
inline void Members(const MemberReader& read, core::TextureDescriptor& to) {
  read("label", to.label)("size", to.size)("mipLevelCount", to.mip_level_count)("sampleCount",
                                                                                to.sample_count);
  read("dimension", to.dimension)("format", to.format)("usage", to.usage)("viewFormats", to.view_formats);
  read("textureBindingViewDimension", to.texture_binding_view_dimension);
}
inline void Members(const MemberReader& read, core::TextureViewDescriptor& to) {
  read("label", to.label)("format", to.format)("dimension", to.dimension)("usage", to.usage)("aspect",
                                                                                             to.aspect);
  read("baseMipLevel", to.base_mip_level)("mipLevelCount", to.mip_level_count);
  read("baseArrayLayer", to.base_array_layer)("arrayLayerCount", to.array_layer_count)("swizzle", to.swizzle);
}
inline void Members(const MemberReader& read, core::SamplerDescriptor& to) {
  read("label", to.label)("addressModeU", to.address_mode_u)("addressModeV", to.address_mode_v);
  read("addressModeW", to.address_mode_w)("magFilter", to.mag_filter)("minFilter", to.min_filter);
  read("mipmapFilter", to.mipmap_filter)("lodMinClamp", to.lod_min_clamp)("lodMaxClamp", to.lod_max_clamp);
  read("compare", to.compare)("maxAnisotropy", to.max_anisotropy);
}
inline void Members(const MemberReader& read, core::TexelCopyBufferLayout& to) {
  read("offset", to.offset)("bytesPerRow", to.bytes_per_row)("rowsPerImage", to.rows_per_image);
}
inline void Members(const MemberReader& read, core::TexelCopyBufferInfo& to) {
  Members(read, static_cast<core::TexelCopyBufferLayout&>(to));
  read("buffer", to.buffer);
}
inline void Members(const MemberReader& read, core::TexelCopyTextureInfo& to) {
  read("texture", to.texture)("mipLevel", to.mip_level)("origin", to.origin)("aspect", to.aspect);
}

}  // namespace lockstep::bindings

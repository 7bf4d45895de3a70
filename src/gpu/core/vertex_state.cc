// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/vertex_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/core/device.h"

namespace lockstep::gpu::core {
namespace {

// Where attributes are: "attribute 1 of vertex buffer 0".
std::string PlaceOf(size_t buffer, size_t attribute) {
  return fmt::format("attribute {} of vertex buffer {}", attribute, buffer);
}

Complaint CheckAttribute(const hal::Limits& limits, const abi::VertexBufferLayout& layout,
                         const abi::VertexAttribute& attribute) {
  const uint32_t bytes = abi::FormatInfo(attribute.format).bytes();
  const std::string_view format = EnumName(attribute.format);
  const uint64_t end = layout.array_stride == 0 ? limits.max_vertex_buffer_array_stride : layout.array_stride;
  if (attribute.offset > end || bytes > end - attribute.offset) {
    return fmt::format("is a {} at {} and ends past {} of {}", format, attribute.offset,
                       layout.array_stride == 0 ? "the limit maxVertexBufferArrayStride" : "the arrayStride",
                       end);
  }
  const uint32_t alignment = std::min(4u, bytes);
  if (attribute.offset % alignment != 0)
    return fmt::format("is a {} at {}, which is not a multiple of {}", format, attribute.offset, alignment);
  if (attribute.shader_location >= limits.max_vertex_attributes) {
    return fmt::format("has the location {}, which exceeds the limit: maxVertexAttributes is {}",
                       attribute.shader_location, limits.max_vertex_attributes);
  }
  return std::nullopt;
}

Complaint CheckBuffer(const hal::Limits& limits, size_t slot, const abi::VertexBufferLayout& layout) {
  if (layout.array_stride > limits.max_vertex_buffer_array_stride) {
    return fmt::format(
        "vertex buffer {} has the arrayStride {}, which exceeds the limit maxVertexBufferArrayStride of {}",
        slot, layout.array_stride, limits.max_vertex_buffer_array_stride);
  }
  if (layout.array_stride % 4 != 0)
    return fmt::format("vertex buffer {} has the arrayStride {}, which is not a multiple of 4", slot,
                       layout.array_stride);
  for (size_t i = 0; i < layout.attributes.size(); ++i) {
    if (const Complaint complaint = CheckAttribute(limits, layout, layout.attributes[i]))
      return fmt::format("{} {}", PlaceOf(slot, i), *complaint);
  }
  return std::nullopt;
}

struct PlacedAttribute {
  size_t buffer, index;
  const abi::VertexAttribute* attribute;
};

std::vector<PlacedAttribute> AttributesOf(const VertexState& state) {
  std::vector<PlacedAttribute> all;
  for (size_t slot = 0; slot < state.buffers.size(); ++slot) {
    if (!state.buffers[slot]) continue;
    const std::vector<abi::VertexAttribute>& attributes = state.buffers[slot]->attributes;
    for (size_t i = 0; i < attributes.size(); ++i) all.push_back({slot, i, &attributes[i]});
  }
  return all;
}

// The scalar that a format gives; f16 takes what f32 does.
std::string_view ScalarOf(abi::ComponentKind kind) {
  switch (kind) {
    case abi::ComponentKind::kUint:
      return "u32";
    case abi::ComponentKind::kSint:
      return "i32";
    case abi::ComponentKind::kUnorm:
    case abi::ComponentKind::kSnorm:
    case abi::ComponentKind::kFloat:
      return "f32";
  }
  UNREACHABLE("component kind");
}

Complaint CheckInput(const StageFunction& vertex, const wgsl::StageVariable& input,
                     const std::vector<PlacedAttribute>& attributes) {
  const auto found = std::find_if(attributes.begin(), attributes.end(), [&](const PlacedAttribute& placed) {
    return placed.attribute->shader_location == *input.io.location;
  });
  const std::string name =
      fmt::format("input '{}' (location {}) of '{}'", input.name, *input.io.location, vertex.function.name);
  if (found == attributes.end()) return fmt::format("{} has no attribute in the vertex buffers", name);
  const wgsl::TypeTable& types = vertex.program.types;
  const wgsl::Type& type = types[input.type];
  const wgsl::TypeId scalar = type.kind == wgsl::TypeKind::kVector ? type.element : input.type;
  const abi::VertexFormat format = found->attribute->format;
  const std::string_view given = ScalarOf(abi::FormatInfo(format).kind);
  const std::string wanted = types.ToString(scalar);
  if (wanted == given || (wanted == "f16" && given == "f32")) return std::nullopt;
  return fmt::format("{} is {}, and {} is {}, which gives {}", name, types.ToString(input.type),
                     PlaceOf(found->buffer, found->index), EnumName(format), given);
}

}  // namespace

uint64_t LastAttributeEnd(const abi::VertexBufferLayout& layout) {
  uint64_t end = 0;
  for (const abi::VertexAttribute& attribute : layout.attributes)
    end = std::max(end, attribute.offset + abi::FormatInfo(attribute.format).bytes());
  return end;
}

Complaint CheckVertexState(const Device& device, const VertexState& state, const StageFunction& vertex) {
  const hal::Limits& limits = device.limits();
  if (state.buffers.size() > limits.max_vertex_buffers) {
    return fmt::format("it has {} vertex buffers, which exceeds the limit maxVertexBuffers of {}",
                       state.buffers.size(), limits.max_vertex_buffers);
  }
  for (size_t slot = 0; slot < state.buffers.size(); ++slot) {
    if (!state.buffers[slot]) continue;
    if (Complaint complaint = CheckBuffer(limits, slot, *state.buffers[slot])) return complaint;
  }
  const std::vector<PlacedAttribute> attributes = AttributesOf(state);
  if (attributes.size() > limits.max_vertex_attributes) {
    return fmt::format("it has {} vertex attributes, which exceeds the limit maxVertexAttributes of {}",
                       attributes.size(), limits.max_vertex_attributes);
  }
  for (size_t i = 0; i < attributes.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      const uint32_t location = attributes[i].attribute->shader_location;
      if (attributes[k].attribute->shader_location != location) continue;
      return fmt::format("{} and {} both have the location {}",
                         PlaceOf(attributes[k].buffer, attributes[k].index),
                         PlaceOf(attributes[i].buffer, attributes[i].index), location);
    }
  }
  for (const wgsl::StageVariable& input : vertex.function.inputs) {
    if (!input.io.location) continue;
    if (Complaint complaint = CheckInput(vertex, input, attributes)) return complaint;
  }
  return std::nullopt;
}

}  // namespace lockstep::gpu::core

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Vertex attributes (WebGPU: #vertex-processing). What is not bound reads as 0; components that a format
// lacks are 0, the fourth 1.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "raster/geometry.h"
#include "support/check.h"
#include "support/half.h"

namespace lockstep::raster {
namespace {

using abi::ComponentKind;
using abi::VertexFormatInfo;

uint32_t RawComponent(const std::byte* element, const VertexFormatInfo& format, uint32_t component) {
  if (format.bits == 0) {
    uint32_t word = 0;
    std::memcpy(&word, element, sizeof(word));
    return component < 3 ? word >> (10 * component) & 1023 : word >> 30;
  }
  uint32_t bits = 0;
  std::memcpy(&bits, element + component * (format.bits / 8), format.bits / 8);
  return bits;
}

// As the word that the shader reads: f32, i32 or u32 by the format's kind.
uint32_t Convert(uint32_t raw, const VertexFormatInfo& format, uint32_t component) {
  const uint32_t width = format.bits != 0 ? format.bits : component < 3 ? 10 : 2;
  const uint32_t unused = 32 - width;
  const int32_t extended = static_cast<int32_t>(raw << unused) >> unused;
  switch (format.kind) {
    case ComponentKind::kUint:
      return raw;
    case ComponentKind::kSint:
      return static_cast<uint32_t>(extended);
    case ComponentKind::kUnorm:
      return std::bit_cast<uint32_t>(static_cast<float>(raw) /
                                     static_cast<float>((uint64_t{1} << width) - 1));
    case ComponentKind::kSnorm: {
      const float value = static_cast<float>(extended) / static_cast<float>((uint64_t{1} << (width - 1)) - 1);
      return std::bit_cast<uint32_t>(std::fmax(value, -1.0f));
    }
    case ComponentKind::kFloat:
      return width == 32 ? raw : std::bit_cast<uint32_t>(HalfValue(raw));
  }
  UNREACHABLE("component kind");
}

// One component of an attribute for vertices in a row: values[i], or 0 where the element is not bound.
struct Column {
  const VertexBuffer& buffer;
  const abi::VertexBufferLayout& layout;
  const abi::VertexAttribute& attribute;
  const uint32_t* elements;  // vertex or instance index of each

  const std::byte* Element(uint32_t i, uint32_t bytes) const {
    const uint64_t at = elements[i] * layout.array_stride + attribute.offset;
    if (at > buffer.size || bytes > buffer.size - at) return nullptr;
    return buffer.data + at;
  }

  // Words as they are, which is what most attributes are.
  void CopyWords(uint32_t component, uint32_t count, uint32_t bytes, uint32_t* values) const {
    for (uint32_t i = 0; i < count; ++i) {
      const std::byte* const element = Element(i, bytes);
      values[i] = 0;
      if (element != nullptr) std::memcpy(&values[i], element + 4 * component, sizeof(uint32_t));
    }
  }

  void Fill(uint32_t component, uint32_t count, uint32_t* values) const {
    const VertexFormatInfo& format = abi::FormatInfo(attribute.format);
    const bool is_float = format.kind != ComponentKind::kUint && format.kind != ComponentKind::kSint;
    if (component >= format.components) {
      const uint32_t one = is_float ? std::bit_cast<uint32_t>(1.0f) : 1;
      std::fill_n(values, count, component == 3 ? one : 0);
      return;
    }
    if (format.bits == 32) return CopyWords(component, count, format.bytes(), values);
    const bool blue_first = attribute.format == abi::VertexFormat::kUnorm8x4Bgra && component < 3;
    const uint32_t place = blue_first ? 2 - component : component;
    for (uint32_t i = 0; i < count; ++i) {
      const std::byte* const element = Element(i, format.bytes());
      values[i] = element == nullptr ? 0 : Convert(RawComponent(element, format, place), format, place);
    }
  }
};

}  // namespace

void FetchVertices(const Draw& draw, const GeometryScratch& scratch, uint32_t first, uint32_t count,
                   uint32_t* input) {
  const Stage& stage = draw.pipeline->vertex;
  const auto& layouts = draw.pipeline->vertex_buffers;
  const auto fetch = [&](const abi::StageSlot& slot, uint32_t* values) {
    for (size_t b = 0; b < layouts.size(); ++b) {
      if (!layouts[b]) continue;
      const bool by_instance = layouts[b]->step_mode == abi::VertexStepMode::kInstance;
      const uint32_t* const elements =
          (by_instance ? scratch.instance_index : scratch.vertex_index).data() + first;
      for (const abi::VertexAttribute& attribute : layouts[b]->attributes) {
        if (attribute.shader_location != slot.location) continue;
        return Column{draw.vertex_buffers[b], *layouts[b], attribute, elements}.Fill(slot.component, count,
                                                                                     values);
      }
    }
  };
  for (size_t i = 0; i < stage.layout.inputs.size(); ++i, input += abi::kStageInvocations) {
    if (!stage.Uses(i)) continue;
    const abi::StageSlot& slot = stage.layout.inputs[i];
    if (slot.value == abi::StageValue::kVertexIndex)
      std::copy_n(scratch.vertex_index.data() + first, count, input);
    else if (slot.value == abi::StageValue::kInstanceIndex)
      std::copy_n(scratch.instance_index.data() + first, count, input);
    else
      fetch(slot, input);
  }
}

}  // namespace lockstep::raster

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Primitive assembly (WebGPU: #primitive-assembly): which vertices make a primitive.
#include <algorithm>
#include <cstring>

#include "raster/geometry.h"
#include "support/check.h"

namespace lockstep::raster {
namespace {

using abi::PrimitiveTopology;

bool IsStrip(PrimitiveTopology topology) {
  return topology == PrimitiveTopology::kLineStrip || topology == PrimitiveTopology::kTriangleStrip;
}

// Robust: an index that is not bound reads as 0.
uint32_t IndexAt(const Draw& draw, uint64_t i) {
  if (draw.index_format == abi::IndexFormat::kUint16) {
    uint16_t index = 0;
    if ((i + 1) * sizeof(index) <= draw.index_bytes)
      std::memcpy(&index, draw.indices + i * sizeof(index), sizeof(index));
    return index;
  }
  uint32_t index = 0;
  if ((i + 1) * sizeof(index) <= draw.index_bytes)
    std::memcpy(&index, draw.indices + i * sizeof(index), sizeof(index));
  return index;
}

void SplitStrips(DrawState& state) {
  const Draw& draw = state.draw;
  const uint32_t restart = draw.index_format == abi::IndexFormat::kUint16 ? 0xffff : 0xffffffff;
  const uint32_t corners = CornersOf(draw.pipeline->primitive.topology);
  uint32_t length = 0;  // of the strip so far
  for (uint32_t i = 0; i < draw.count; ++i) {
    if (IndexAt(draw, uint64_t{draw.first} + i) == restart) {
      length = 0;
      continue;
    }
    if (++length < corners) continue;
    state.strip_starts.push_back(i + 1 - corners);
    state.strip_odd.push_back((length - corners) % 2);
  }
}

}  // namespace

uint32_t CornersOf(PrimitiveTopology topology) {
  switch (topology) {
    case PrimitiveTopology::kPointList:
      return 1;
    case PrimitiveTopology::kLineList:
    case PrimitiveTopology::kLineStrip:
      return 2;
    case PrimitiveTopology::kTriangleList:
    case PrimitiveTopology::kTriangleStrip:
      return 3;
  }
  UNREACHABLE("topology");
}

bool Prepare(DrawState& state) {
  Draw& draw = state.draw;
  if (draw.indices != nullptr) {
    // An indirect draw may ask for indices that are not there: it ends with the last one that is.
    const uint64_t bound =
        draw.index_bytes /
        (draw.index_format == abi::IndexFormat::kUint16 ? sizeof(uint16_t) : sizeof(uint32_t));
    draw.count =
        static_cast<uint32_t>(std::min<uint64_t>(draw.count, bound - std::min<uint64_t>(bound, draw.first)));
  }
  const Pipeline& pipeline = *draw.pipeline;
  const PrimitiveTopology topology = pipeline.primitive.topology;
  const uint32_t corners = CornersOf(topology);
  const auto& outputs = pipeline.vertex.layout.outputs;
  for (uint32_t slot = 0; slot < outputs.size(); ++slot) {
    if (outputs[slot].value == abi::StageValue::kPosition)
      state.position_slots[outputs[slot].component] = slot;
  }
  if (pipeline.fragment) {
    for (const abi::StageSlot& input : pipeline.fragment->layout.inputs) {
      const auto same = [&](const abi::StageSlot& output) {
        return output.value == abi::StageValue::kLocation && output.location == input.location &&
               output.component == input.component;
      };
      const auto found = std::find_if(outputs.begin(), outputs.end(), same);
      state.varying_of_input.push_back(
          found == outputs.end() ? UINT32_MAX : static_cast<uint32_t>(found - outputs.begin()));
    }
  }
  if (!IsStrip(topology)) {
    state.primitives = draw.count / corners;
  } else if (draw.indices == nullptr) {
    state.primitives = draw.count < corners ? 0 : draw.count - corners + 1;
  } else {
    SplitStrips(state);
    state.primitives = static_cast<uint32_t>(state.strip_starts.size());
  }
  return state.primitives > 0 && draw.instance_count > 0;
}

namespace {

struct Assembler {
  const Chunk& chunk;
  GeometryScratch& scratch;
  const DrawState& state = *chunk.state;
  const Draw& draw = state.draw;
  const PrimitiveTopology topology = draw.pipeline->primitive.topology;
  const uint32_t corners = CornersOf(topology);
  uint32_t instance = 0;  // that is assembled

  uint32_t AddVertex(uint32_t index) {
    scratch.vertex_index.push_back(index);
    scratch.instance_index.push_back(draw.first_instance + instance);
    return static_cast<uint32_t>(scratch.vertex_index.size() - 1);
  }

  // The vertex of that index in this instance, shaded once where it was met not long ago.
  uint32_t IndexedVertex(uint32_t index) {
    const uint32_t place = (index * 2654435761u) >> (32 - kSeenBits);
    if (scratch.seen_key[place] == index && scratch.seen_vertex[place] != kUnseen)
      return scratch.seen_vertex[place];
    scratch.seen_key[place] = index;
    return scratch.seen_vertex[place] = AddVertex(index + static_cast<uint32_t>(draw.base_vertex));
  }

  // Positions of a primitive's corners in the vertices or indices of its instance. In odd triangles of strips
  // the last two change places, so that all face alike.
  std::array<uint32_t, 3> Positions(uint32_t primitive) const {
    if (!IsStrip(topology)) return {primitive * corners, primitive * corners + 1, primitive * corners + 2};
    const bool indexed = draw.indices != nullptr;
    const uint32_t start = indexed ? state.strip_starts[primitive] : primitive;
    const bool odd = indexed ? state.strip_odd[primitive] != 0 : primitive % 2 == 1;
    if (odd && corners == 3) return {start, start + 2, start + 1};
    return {start, start + 1, start + 2};
  }

  void Indexed(uint32_t first, uint32_t count) {
    scratch.seen_key.resize(size_t{1} << kSeenBits);
    scratch.seen_vertex.assign(size_t{1} << kSeenBits, kUnseen);
    for (uint32_t p = first; p < first + count; ++p) {
      const std::array<uint32_t, 3> positions = Positions(p);
      for (uint32_t corner = 0; corner < corners; ++corner) {
        const uint32_t index = IndexAt(draw, uint64_t{draw.first} + positions[corner]);
        scratch.corners.push_back(IndexedVertex(index));
      }
    }
  }

  // Their vertices follow each other.
  void Consecutive(uint32_t first, uint32_t count) {
    const uint32_t first_position = IsStrip(topology) ? first : first * corners;
    const uint32_t vertices = IsStrip(topology) ? count + corners - 1 : count * corners;
    const auto base = static_cast<uint32_t>(scratch.vertex_index.size());
    for (uint32_t v = 0; v < vertices; ++v) AddVertex(draw.first + first_position + v);
    for (uint32_t p = first; p < first + count; ++p) {
      const std::array<uint32_t, 3> positions = Positions(p);
      for (uint32_t corner = 0; corner < corners; ++corner)
        scratch.corners.push_back(base + positions[corner] - first_position);
    }
  }

  void Run() {
    scratch.vertex_index.clear();
    scratch.instance_index.clear();
    scratch.corners.clear();
    const uint64_t end = chunk.first + chunk.count;
    for (uint64_t at = chunk.first; at < end;) {
      instance = static_cast<uint32_t>(at / state.primitives);
      const auto primitive = static_cast<uint32_t>(at % state.primitives);
      const auto count = static_cast<uint32_t>(std::min<uint64_t>(end - at, state.primitives - primitive));
      if (draw.indices != nullptr)
        Indexed(primitive, count);
      else
        Consecutive(primitive, count);
      at += count;
    }
  }

  static constexpr uint32_t kSeenBits = 11;
  static constexpr uint32_t kUnseen = UINT32_MAX;
};

}  // namespace

void Assemble(const Chunk& chunk, GeometryScratch& scratch) { Assembler{chunk, scratch}.Run(); }

}  // namespace lockstep::raster

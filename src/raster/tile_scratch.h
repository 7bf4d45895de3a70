// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The memory that a thread draws tiles with.
#pragma once

#include <cstdint>
#include <vector>

#include "raster/geometry.h"

namespace lockstep::raster {

inline constexpr uint32_t kBatchQuads = abi::kStageInvocations / 4;

// Two by two pixels. Bit 4s + i of `coverage`: pixel i (x in bit 0, y in bit 1) at sample s.
struct Quad {
  const Triangle* triangle = nullptr;
  const Chunk* chunk = nullptr;
  uint16_t x = 0, y = 0;  // of the first pixel; both even
  uint16_t coverage = 0;
  uint16_t sample = 0;  // that is shaded, where each is shaded by itself
};

class TileScratch {
 public:
  Quad quads[kBatchQuads];
  // By invocation of the batch: perspective and linear barycentric coordinates of vertices 1 and 2, at the
  // pixel's center, at the centroid, at the sample.
  alignas(64) float perspective[3][2][abi::kStageInvocations];
  alignas(64) float linear[3][2][abi::kStageInvocations];
  // Of the pixel centers, from the tile's first. Pairs of quads that begin with the last one read beyond it.
  alignas(64) float x[abi::kStageInvocations + 4];
  alignas(64) float y[abi::kStageInvocations + 4];
  // Which batch has a quad of the tile last: two of one place are not in one batch where their order counts.
  uint32_t last_batch[kTileSize / 2][kTileSize / 2];
  uint32_t batch = 0;
  std::vector<uint32_t> input, output;  // of the fragment shader, aligned by 64 (see Aligned)
  std::vector<abi::BufferView> buffers;

  static uint32_t* Aligned(std::vector<uint32_t>& words, size_t slots) {
    words.resize(slots * abi::kStageInvocations + 16);
    const auto address = reinterpret_cast<uintptr_t>(words.data());
    return words.data() + ((64 - address % 64) % 64) / sizeof(uint32_t);
  }
};

}  // namespace lockstep::raster

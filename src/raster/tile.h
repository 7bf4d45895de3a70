// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// One tile of the attachments: all triangles that touch it, in order. The code (tile_kernels.h) is there once
// for each kind of processor.
#pragma once

#include <cstdint>
#include <span>

#include "raster/geometry.h"
#include "raster/pipeline.h"

namespace lockstep::raster {

struct TileWork {
  const Attachments* attachments = nullptr;
  TileGrid grid;
  std::span<const Chunk> chunks;
  const abi::Dispatch* dispatch = nullptr;
};

// A thread's own memory for tiles: batches of fragments, inputs and outputs of their shader.
class TileScratch;

struct ColorSpan;

struct TileFunctions {
  // Draws tile number `tile`. False where the shader was told to stop.
  bool (*draw)(const TileWork& work, uint32_t tile, abi::Worker& worker, TileScratch& scratch);
  // One texel of those channels; `channels` as the codec has them (texel_codec.h).
  void (*pack)(ColorFormat format, const uint32_t (&channels)[4], std::byte* texel);
  // The averages of `samples` texels each, of a float format.
  void (*resolve)(ColorFormat format, const std::byte* from, uint32_t samples, uint32_t count, std::byte* to);
};

// For this processor.
const TileFunctions& TileFunctionsHere();

namespace portable {
extern const TileFunctions kTileFunctions;
}
namespace avx2 {
extern const TileFunctions kTileFunctions;
}

}  // namespace lockstep::raster

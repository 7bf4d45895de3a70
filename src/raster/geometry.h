// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// From a draw's primitives to triangles in the framebuffer: vertices are fetched and shaded, primitives
// clipped, culled, and set up for the tiles. Points and lines become triangles too.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "raster/pipeline.h"

namespace lockstep::raster {

inline constexpr int32_t kSubpixelBits = 8;
inline constexpr int32_t kSubpixels = 1 << kSubpixelBits;  // of a pixel's side
inline constexpr uint32_t kTileSize = 64;                  // pixels of a tile's side

// Shaded vertices. The value of slot s of vertex v is word s * kStageInvocations + v % kStageInvocations of
// block v / kStageInvocations, as the kernel wrote it.
class VertexValues {
 public:
  explicit VertexValues(uint32_t slots) : slots_(slots) {}

  uint32_t slots() const { return slots_; }
  uint32_t size() const { return size_; }
  const uint32_t* At(uint32_t vertex) const {
    return blocks_[vertex / abi::kStageInvocations].get() + vertex % abi::kStageInvocations;
  }
  uint32_t* At(uint32_t vertex) {
    return blocks_[vertex / abi::kStageInvocations].get() + vertex % abi::kStageInvocations;
  }
  uint64_t block_bytes() const { return uint64_t{slots_} * abi::kStageInvocations * sizeof(uint32_t); }
  // Grows to `size` vertices, at least.
  void Reserve(uint32_t size);
  // One more vertex behind the others; its number.
  uint32_t Add();
  void Shaded(uint32_t size) { size_ = size; }
  void Clear(uint32_t slots);

 private:
  struct Free {
    void operator()(uint32_t* words) const;
  };
  uint32_t slots_ = 0, size_ = 0;
  std::vector<std::unique_ptr<uint32_t, Free>> blocks_;
};

// A triangle whose vertices go clockwise as one sees it, y pointing down. Edge i lies opposite of vertex i;
// its function a x + b y + c, with x and y in subpixels, is not negative inside: c of edges that are neither
// top nor left is one less, so that what lies on them does not belong to the triangle.
struct Triangle {
  std::array<int32_t, 3> a, b;
  std::array<int64_t, 3> c;
  double inverse_area;               // of the functions: edge_i * inverse_area is the barycentric coordinate
  std::array<float, 3> z;            // framebuffer depth at the vertices, biased
  std::array<float, 3> inverse_w;    // at the vertices
  std::array<uint32_t, 3> vertices;  // in the chunk's VertexValues
  uint32_t provoking;                // likewise: the vertex that flat values are of
  uint32_t primitive;                // number in the chunk
  int32_t min_x, min_y, max_x, max_y;  // pixels that it can cover, max exclusive; never none
  float min_depth, max_depth;          // what depth is clamped to
  bool front;
};

// What the tiles need of a draw; shared by its chunks.
struct DrawState {
  Draw draw;
  std::vector<uint32_t> varying_of_input;  // by slot of the fragment's inputs: the vertex's output slot
  std::array<uint32_t, 4> position_slots;  // of the vertex's outputs
  uint32_t primitives = 0;                 // of an instance
  // Indexed strips: where each primitive begins, in indices; empty otherwise.
  std::vector<uint32_t> strip_starts;
  std::vector<uint8_t> strip_odd;  // likewise: an odd one of its strip
};

// Works out the rest from `draw`; false where nothing is drawn.
bool Prepare(DrawState& state);

// Consecutive primitives of a draw, those of an instance after those of the one before.
struct Chunk {
  const DrawState* state = nullptr;
  uint64_t first = 0;
  uint32_t count = 0;
  VertexValues vertices{0};
  std::vector<Triangle> triangles;
  // The triangles that touch tile t: tile_triangles[tile_begin[t] .. tile_begin[t + 1]), in order.
  std::vector<uint32_t> tile_begin, tile_triangles;
};

inline constexpr uint32_t kChunkPrimitives = 1024;  // of a chunk, at most

struct TileGrid {
  uint32_t width = 0, height = 0;  // pixels
  uint32_t columns() const { return (width + kTileSize - 1) / kTileSize; }
  uint32_t rows() const { return (height + kTileSize - 1) / kTileSize; }
  uint32_t tiles() const { return columns() * rows(); }
};

// Of the chunk's primitive `number`, the pixel of a fragment left out.
abi::StagePlace PlaceOfPrimitive(const Chunk& chunk, uint32_t number);

// A thread's memory for what Process needs; reused.
struct GeometryScratch {
  std::vector<uint32_t> vertex_index, instance_index;  // of the chunk's vertices
  std::vector<uint32_t> corners;                       // of its primitives: numbers of vertices
  std::vector<uint32_t> corners_per_primitive;
  std::vector<uint32_t> seen_key, seen_vertex;  // indexed draws: which vertices an instance has
  std::vector<uint32_t> input;                  // memory of the kernel's inputs
  std::vector<abi::BufferView> buffers;
};

// Shades the chunk's vertices and fills its triangles. False where the kernel was told to stop.
bool Process(Chunk& chunk, const TileGrid& grid, const abi::Dispatch& dispatch, abi::Worker& worker,
             GeometryScratch& scratch);

// Invocations beyond a batch of `count`, which run too where lanes are left over, get the inputs of the last
// one; those of fragments are helpers.
void PadBatch(const Stage& stage, uint32_t* input, uint32_t count);

// --- its parts ---

// Numbers of the corners of the chunk's primitives (2, 3 or 1 each), vertices numbered within the chunk as
// they are first met (assemble.cc).
void Assemble(const Chunk& chunk, GeometryScratch& scratch);

// The attributes of vertices [first, first + count) as the kernel's inputs (vertex_fetch.cc).
void FetchVertices(const Draw& draw, const GeometryScratch& scratch, uint32_t first, uint32_t count,
                   uint32_t* input);

// Clips and sets up (setup.cc).
void SetUpPrimitives(Chunk& chunk, const TileGrid& grid, const GeometryScratch& scratch);

uint32_t CornersOf(abi::PrimitiveTopology topology);  // 1, 2 or 3

}  // namespace lockstep::raster

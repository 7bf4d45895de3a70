// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "raster/render_pass.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <deque>

#include "raster/geometry.h"
#include "raster/tile.h"
#include "raster/tile_scratch.h"

namespace lockstep::raster {
namespace {

// Chunks of a round: their vertices and triangles are kept until the tiles are drawn.
constexpr size_t kRoundChunks = 64;

// A color of the API as the channels of a format.
void ToChannels(const ColorFormatInfo& format, const abi::Color& color, uint32_t (&channels)[4]) {
  for (size_t i = 0; i < 4; ++i) {
    const double v = color[i];
    if (!format.integer())
      channels[i] = std::bit_cast<uint32_t>(static_cast<float>(v));
    else if (format.kind == TexelKind::kSint)
      channels[i] = static_cast<uint32_t>(static_cast<int32_t>(std::clamp(v, -2147483648.0, 2147483647.0)));
    else
      channels[i] = static_cast<uint32_t>(std::clamp(v, 0.0, 4294967295.0));
  }
}

// `count` copies of an element of `bytes`.
void Repeat(std::byte* to, const std::byte* element, size_t bytes, uint64_t count) {
  const uint64_t total = bytes * count;
  if (total == 0) return;
  std::memcpy(to, element, bytes);
  const uint64_t piece = bytes * (2048 / bytes);  // that stays in the cache
  for (uint64_t done = bytes; done < total;) {
    const uint64_t more = std::min({done, piece, total - done});
    std::memcpy(to + done, to, more);
    done += more;
  }
}

}  // namespace

struct RenderPass::State {
  State(const Attachments& to, Threads& lent, const abi::Dispatch& constants, const TileFunctions& kernels)
      : attachments(to), threads(lent), dispatch(constants), functions(kernels) {
    grid = {to.width, to.height};
    // Where there are many tiles, chunks of triangles that touch them all must not fill the memory.
    chunk_primitives = std::clamp(512 * kChunkPrimitives / std::max(1u, grid.tiles()), 16u, kChunkPrimitives);
    geometry.resize(lent.slots());
    tiles.resize(lent.slots());
  }

  // Fills rows of the surface, in parallel where there are many.
  bool Fill(const Surface& surface, const std::byte* texel, size_t bytes) {
    constexpr uint32_t kRows = 64;
    const auto fill = [&](uint32_t, abi::Worker&, uint64_t i) {
      const auto first = static_cast<uint32_t>(i * kRows);
      for (uint32_t y = first; y < std::min(first + kRows, attachments.height); ++y)
        Repeat(surface.texels + y * surface.row_bytes, texel, bytes,
               uint64_t{attachments.width} * attachments.samples);
      return true;
    };
    return threads.ForEach((attachments.height + kRows - 1) / kRows, fill);
  }

  bool FillColor(const ColorAttachment& color, const abi::Color& value) {
    uint32_t channels[4];
    ToChannels(InfoOf(color.format), value, channels);
    std::byte texel[16];
    functions.pack(color.format, channels, texel);
    return Fill(color.surface, texel, InfoOf(color.format).bytes());
  }

  bool FillDepth(const DepthStencilAttachment& attachment, float value) {
    std::byte texel[4];
    if (attachment.depth_format == DepthFormat::kUnorm16) {
      const auto bits = static_cast<uint16_t>(std::clamp(value, 0.0f, 1.0f) * 65535.0f + 0.5f);
      std::memcpy(texel, &bits, sizeof(bits));
      return Fill(attachment.depth, texel, sizeof(bits));
    }
    std::memcpy(texel, &value, sizeof(value));
    return Fill(attachment.depth, texel, sizeof(value));
  }

  bool FillStencil(const DepthStencilAttachment& attachment, uint8_t value) {
    const auto texel = static_cast<std::byte>(value);
    return Fill(attachment.stencil, &texel, 1);
  }

  bool Load() {
    for (const auto& color : attachments.colors) {
      if (color && color->load_op == abi::LoadOp::kClear && !FillColor(*color, color->clear_value))
        return false;
    }
    if (!attachments.depth_stencil) return true;
    const DepthStencilAttachment& both = *attachments.depth_stencil;
    if (both.depth_format != DepthFormat::kNone && both.depth_load_op == abi::LoadOp::kClear &&
        !FillDepth(both, both.depth_clear_value))
      return false;
    return !both.has_stencil || both.stencil_load_op != abi::LoadOp::kClear ||
           FillStencil(both, both.stencil_clear_value);
  }

  // Discarded attachments read as zero (WebGPU: #dom-gpustoreop-discard).
  bool StoreOrDiscard() {
    for (const auto& color : attachments.colors) {
      if (!color) continue;
      if (color->resolve && !Resolve(*color)) return false;
      if (color->store_op == abi::StoreOp::kDiscard && !FillColor(*color, {})) return false;
    }
    if (!attachments.depth_stencil) return true;
    const DepthStencilAttachment& both = *attachments.depth_stencil;
    if (both.depth_format != DepthFormat::kNone && both.depth_store_op == abi::StoreOp::kDiscard &&
        !FillDepth(both, 0))
      return false;
    return !both.has_stencil || both.stencil_store_op != abi::StoreOp::kDiscard || FillStencil(both, 0);
  }

  bool Resolve(const ColorAttachment& color) {
    const auto resolve = [&](uint32_t, abi::Worker&, uint64_t y) {
      functions.resolve(color.format, color.surface.texels + y * color.surface.row_bytes, attachments.samples,
                        attachments.width, color.resolve->texels + y * color.resolve->row_bytes);
      return true;
    };
    return threads.ForEach(attachments.height, resolve);
  }

  bool Add(Draw draw) {
    DrawState& state = draws.emplace_back();
    state.draw = std::move(draw);
    if (!Prepare(state)) {
      draws.pop_back();
      return true;
    }
    const uint64_t total = uint64_t{state.primitives} * state.draw.instance_count;
    for (uint64_t first = 0; first < total; first += chunk_primitives) {
      if (used == kRoundChunks && !Round()) return false;
      if (used == chunks.size()) chunks.emplace_back();
      Chunk& chunk = chunks[used++];
      chunk.state = &state;
      chunk.first = first;
      chunk.count = static_cast<uint32_t>(std::min<uint64_t>(chunk_primitives, total - first));
    }
    return true;
  }

  // Draws the chunks that are there.
  bool Round() {
    if (used == 0) return true;
    const auto process = [&](uint32_t slot, abi::Worker& worker, uint64_t i) {
      return Process(chunks[i], grid, dispatch, worker, geometry[slot]);
    };
    if (!threads.ForEach(used, process)) return false;
    const TileWork work{&attachments, grid, {chunks.data(), used}, &dispatch};
    const auto draw = [&](uint32_t slot, abi::Worker& worker, uint64_t tile) {
      if (!tiles[slot]) tiles[slot] = std::make_unique<TileScratch>();
      return functions.draw(work, static_cast<uint32_t>(tile), worker, *tiles[slot]);
    };
    if (!threads.ForEach(grid.tiles(), draw)) return false;
    used = 0;
    while (draws.size() > 1) draws.pop_front();  // the last one may go on
    return true;
  }

  const Attachments& attachments;
  Threads& threads;
  const abi::Dispatch& dispatch;
  const TileFunctions& functions;
  TileGrid grid;
  uint32_t chunk_primitives = kChunkPrimitives;
  std::deque<DrawState> draws;  // that chunks point to
  std::vector<Chunk> chunks;    // the first `used` ones wait for the round
  size_t used = 0;
  std::vector<GeometryScratch> geometry;            // by slot
  std::vector<std::unique_ptr<TileScratch>> tiles;  // likewise
};

RenderPass::RenderPass(const Attachments& attachments, Threads& threads, const abi::Dispatch& dispatch,
                       const TileFunctions& functions)
    : state_(std::make_unique<State>(attachments, threads, dispatch, functions)) {}
RenderPass::~RenderPass() = default;

bool RenderPass::Begin() { return state_->Load(); }
bool RenderPass::Add(Draw draw) { return state_->Add(std::move(draw)); }
bool RenderPass::End() { return state_->Round() && state_->StoreOrDiscard(); }

}  // namespace lockstep::raster

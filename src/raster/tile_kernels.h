// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Drawing one tile: coverage, early depth and stencil tests, batches of quads for the fragment shader, and
// what comes after it. Included once for each kind of processor.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "raster/color_output.h"
#include "raster/tile.h"
#include "raster/tile_scratch.h"

namespace lockstep::raster::LOCKSTEP_RASTER_ISA {

struct SamplePosition {
  int32_t x, y;  // subpixels from the pixel's corner
};
// WebGPU: #multisample-state; Vulkan's standard sample locations.
inline constexpr SamplePosition kCenter = {kSubpixels / 2, kSubpixels / 2};
inline constexpr SamplePosition kFourSamples[] = {{96, 32}, {224, 96}, {32, 160}, {160, 224}};

inline constexpr I8 kLaneX = {0, 1, 0, 1, 2, 3, 2, 3};  // of two quads side by side
inline constexpr I8 kLaneY = {0, 0, 1, 1, 0, 0, 1, 1};
inline constexpr F8 kQuadX = {0, 1, 0, 1, 0, 1, 0, 1};  // of any two
inline constexpr F8 kQuadY = {0, 0, 1, 1, 0, 0, 1, 1};

// A function that is linear over the tile: of pixels from the tile's first pixel's center.
struct Plane {
  float base = 0, dx = 0, dy = 0;
  LOCKSTEP_INLINE F8 At(const F8& x, const F8& y) const { return base + dx * x + dy * y; }
};

struct DoublePlane {
  double base, dx, dy;
  Plane ToFloat() const { return {static_cast<float>(base), static_cast<float>(dx), static_cast<float>(dy)}; }
};

// Barycentric coordinate of vertex i.
inline DoublePlane Barycentric(const Triangle& t, size_t i, int32_t tile_x, int32_t tile_y) {
  const int64_t x = int64_t{tile_x} * kSubpixels + kCenter.x, y = int64_t{tile_y} * kSubpixels + kCenter.y;
  const int64_t at = t.a[i] * x + t.b[i] * y + t.c[i];
  return {static_cast<double>(at) * t.inverse_area, t.a[i] * t.inverse_area * kSubpixels,
          t.b[i] * t.inverse_area * kSubpixels};
}

inline Plane Interpolated(const std::array<float, 3>& v, const DoublePlane& b1, const DoublePlane& b2) {
  const double d1 = double{v[1]} - v[0], d2 = double{v[2]} - v[0];
  return DoublePlane{v[0] + d1 * b1.base + d2 * b2.base, d1 * b1.dx + d2 * b2.dx, d1 * b1.dy + d2 * b2.dy}
      .ToFloat();
}

// Pixels from the center.
constexpr float Offset(int32_t subpixels) {
  return static_cast<float>(subpixels - kSubpixels / 2) / static_cast<float>(kSubpixels);
}

// The edges of a triangle as 32-bit functions of pixels from the tile's first.
struct TileEdges {
  int32_t a[3], b[3], c[kMaxSamples][3];
  I8 lanes[3];
  uint32_t crossing = 0;  // bit i: edge i goes through the tile's part
};

// What observers are told of the fragments of a batch.
struct FragmentBatch : abi::StageBatch {
  FragmentBatch(const Draw& of, const Quad* batch) : quads(batch) {
    draw = of.number;
    fragments = true;
    place = [](const abi::StageBatch& self, uint32_t invocation) {
      const Quad& quad = static_cast<const FragmentBatch&>(self).quads[invocation / 4];
      abi::StagePlace at = PlaceOfPrimitive(*quad.chunk, quad.triangle->primitive);
      at.x = quad.x + (invocation & 1);
      at.y = quad.y + (invocation >> 1 & 1);
      at.sample = quad.sample;
      return at;
    };
  }
  const Quad* quads;
};

class TileRenderer {
 public:
  TileRenderer(const TileWork& work, uint32_t tile, abi::Worker& worker, TileScratch& scratch)
      : work_(work), worker_(worker), scratch_(scratch), dispatch_(*work.dispatch) {
    tile_ = tile;
    tile_x_ = static_cast<int32_t>(tile % work.grid.columns() * kTileSize);
    tile_y_ = static_cast<int32_t>(tile / work.grid.columns() * kTileSize);
    samples_ = work.attachments->samples;
    ++scratch_.batch;
  }

  bool Run() {
    for (const Chunk& chunk : work_.chunks) {
      const uint32_t begin = chunk.tile_begin[tile_], end = chunk.tile_begin[tile_ + 1];
      if (begin == end) continue;
      if (dispatch_.cancel != nullptr && *dispatch_.cancel != 0) return false;
      if (chunk.state != state_ && !UseDraw(*chunk.state)) return false;
      for (uint32_t i = begin; i < end; ++i) {
        if (!DrawTriangle(chunk, chunk.triangles[chunk.tile_triangles[i]])) return false;
      }
    }
    if (!Flush()) return false;
    CountPassed();
    return true;
  }

 private:
  // --- the draw ---
  bool UseDraw(const DrawState& state) {
    if (!Flush()) return false;
    CountPassed();
    state_ = &state;
    pipeline_ = state.draw.pipeline;
    test_ = DepthStencilTest(*work_.attachments, pipeline_->depth_stencil, state.draw.stencil_reference);
    sample_mask_ = pipeline_->multisample.mask;
    shades_ = pipeline_->fragment.has_value();
    per_sample_ = asks_position_ = asks_barycentrics_ = false;
    std::fill_n(asks_sampling_, 3, false);
    bool late = pipeline_->multisample.alpha_to_coverage_enabled;
    coverage_output_ = mask_output_ = depth_output_ = kNoSlot;
    if (shades_) late |= ReadLayout(*pipeline_->fragment);
    late_ = late && (test_.active() || state.draw.samples_passed != nullptr);
    tests_early_ = test_.active() && !late_;
    ordered_ = late_;
    UseHiddenBlocks();
    for (const auto& target : pipeline_->targets) {
      if (target && (target->blend || target->write_mask != abi::color_write::kAll)) ordered_ = true;
    }
    const size_t inputs = shades_ ? pipeline_->fragment->layout.inputs.size() : 0;
    const size_t outputs = shades_ ? pipeline_->fragment->layout.outputs.size() : 0;
    input_ = TileScratch::Aligned(scratch_.input, inputs);
    output_ = TileScratch::Aligned(scratch_.output, outputs);
    scratch_.buffers = state.draw.fragment_resources;
    const uint64_t row = abi::kStageInvocations * sizeof(uint32_t);
    scratch_.buffers.push_back({reinterpret_cast<std::byte*>(input_), inputs * row});
    scratch_.buffers.push_back({reinterpret_cast<std::byte*>(output_), outputs * row});
    dispatch_.buffers = scratch_.buffers.data();
    dispatch_.textures = state.draw.fragment_textures.data();
    if (shades_) UseTargets();
    return true;
  }

  void UseHiddenBlocks() {
    const int fails_towards = tests_early_ ? test_.FailsTowards() : 0;
    if (fails_towards != fails_towards_) known_ = 0;
    fails_towards_ = fails_towards;
  }

  // What the batches' colors are written with.
  void UseTargets() {
    target_count_ = 0;
    for (uint32_t i = 0; i < pipeline_->targets.size(); ++i) {
      const bool attached = i < work_.attachments->colors.size() && work_.attachments->colors[i];
      if (!attached || !pipeline_->targets[i] || pipeline_->targets[i]->write_mask == 0) continue;
      ColorBatch& batch = targets_[target_count_];
      batch.quads = scratch_.quads;
      batch.attachments = work_.attachments;
      batch.attachment = &*work_.attachments->colors[i];
      batch.state = &*pipeline_->targets[i];
      batch.blend_constant = state_->draw.blend_constant.data();
      bool written = false;
      for (uint32_t c = 0; c < 4; ++c) {
        batch.channels[c] = ChannelOf(i, c, 0);
        batch.second_channels[c] = ChannelOf(i, c, 1);
        written |= batch.channels[c] != nullptr;
      }
      if (written) ++target_count_;
    }
  }

  // True where the tests must come after the shader.
  bool ReadLayout(const Stage& stage) {
    const abi::StageLayout& layout = stage.layout;
    bool late = false;
    for (size_t i = 0; i < layout.inputs.size(); ++i) {
      const abi::StageSlot& slot = layout.inputs[i];
      asks_position_ |= slot.value == abi::StageValue::kPosition && stage.Uses(i);
      per_sample_ |= slot.value == abi::StageValue::kSampleIndex;
      // The shader discards or writes to storage.
      late |= slot.value == abi::StageValue::kCoverage;
      if (slot.value != abi::StageValue::kLocation || slot.interpolation == abi::Interpolation::kFlat)
        continue;
      per_sample_ |= slot.sampling == abi::Sampling::kSample;
      if (!stage.Uses(i)) continue;
      asks_barycentrics_ = true;
      asks_sampling_[SamplingOf(slot)] = true;
    }
    for (uint32_t i = 0; i < layout.outputs.size(); ++i) {
      const abi::StageValue value = layout.outputs[i].value;
      if (value == abi::StageValue::kCoverage) coverage_output_ = i;
      if (value == abi::StageValue::kSampleMask) mask_output_ = i;
      if (value == abi::StageValue::kFragDepth) depth_output_ = i;
    }
    per_sample_ &= samples_ > 1;
    return late || mask_output_ != kNoSlot || depth_output_ != kNoSlot;
  }

  // 0 center, 1 centroid, 2 sample.
  static size_t SamplingOf(const abi::StageSlot& slot) {
    if (slot.sampling == abi::Sampling::kCentroid) return 1;
    return slot.sampling == abi::Sampling::kSample ? 2 : 0;
  }

  void CountPassed() {
    if (passed_ != 0 && state_ != nullptr && state_->draw.samples_passed != nullptr)
      state_->draw.samples_passed->fetch_add(passed_, std::memory_order_relaxed);
    passed_ = 0;
  }

  SamplePosition Sample(uint32_t s) const { return samples_ == 1 ? kCenter : kFourSamples[s]; }

  // --- coverage ---
  bool DrawTriangle(const Chunk& chunk, const Triangle& t) {
    chunk_ = &chunk;
    triangle_ = &t;
    constexpr auto kSize = static_cast<int32_t>(kTileSize);
    min_x_ = std::max(t.min_x - tile_x_, 0);
    min_y_ = std::max(t.min_y - tile_y_, 0);
    max_x_ = std::min(t.max_x - tile_x_, kSize);
    max_y_ = std::min(t.max_y - tile_y_, kSize);
    if (!SetUpEdges(t)) return true;
    if (tests_early_) z_plane_ = DepthOf(t);
    for (int32_t y = min_y_ & -kBlock; y < max_y_; y += kBlock) {
      for (int32_t x = min_x_ & -kBlock; x < max_x_; x += kBlock) {
        const uint32_t crossing = edges_.crossing == 0 ? 0 : CrossBlock(x, y, kBlock);
        if (crossing == kOutside || (fails_towards_ != 0 && IsHidden(x, y))) continue;
        if (!DrawBlock(x, y, kBlock, crossing)) return false;
      }
    }
    return true;
  }

  // Whether no sample of the block can pass the depth test: the triangle's depth there is beyond the farthest
  // one that is stored. Depths are monotone along x and y even as they are rounded, so those of two corners
  // bound all; they lie half a pixel outside, since samples do not lie in the middle.
  bool IsHidden(int32_t x, int32_t y) {
    const auto block =
        static_cast<uint32_t>(y / kBlock * (static_cast<int32_t>(kTileSize) / kBlock) + x / kBlock);
    const uint64_t bit = uint64_t{1} << block;
    if ((known_ & bit) == 0) {
      farthest_[block] =
          test_.Farthest(static_cast<uint32_t>(tile_x_ + x), static_cast<uint32_t>(tile_y_ + y), kBlock);
      known_ |= bit;
    }
    constexpr float kReach = kBlock - 0.5f;
    const bool nearest_is_least = fails_towards_ > 0;
    const float left = static_cast<float>(x), top = static_cast<float>(y);
    const float nearest_x = (z_plane_.dx > 0) == nearest_is_least ? left - 0.5f : left + kReach;
    const float nearest_y = (z_plane_.dy > 0) == nearest_is_least ? top - 0.5f : top + kReach;
    const F8 nearest = z_plane_.At(Splat(nearest_x), Splat(nearest_y));
    if (std::isnan(nearest[0])) return false;
    const F8 clamped = Clamp(nearest, triangle_->min_depth, triangle_->max_depth);
    if (test_.Fails(clamped, farthest_[block])) return true;
    if (test_.writes_depth()) known_ &= ~bit;
    return false;
  }

  Plane DepthOf(const Triangle& t) const {
    return Interpolated(t.z, Barycentric(t, 1, tile_x_, tile_y_), Barycentric(t, 2, tile_x_, tile_y_));
  }

  // False where no sample of this tile's part can be inside. Edges that all of it lies inside of are dropped:
  // their functions need not fit 32 bits.
  bool SetUpEdges(const Triangle& t) {
    edges_.crossing = 0;
    for (size_t i = 0; i < 3; ++i) {
      int64_t c[kMaxSamples];
      int64_t least = INT64_MAX, most = INT64_MIN;
      for (uint32_t s = 0; s < samples_; ++s) {
        const int64_t x = int64_t{tile_x_} * kSubpixels + Sample(s).x,
                      y = int64_t{tile_y_} * kSubpixels + Sample(s).y;
        c[s] = (t.a[i] * x + t.b[i] * y + t.c[i]) >> kSubpixelBits;
        least = std::min(least, c[s]);
        most = std::max(most, c[s]);
      }
      const int64_t a0 = int64_t{t.a[i]} * min_x_, a1 = int64_t{t.a[i]} * (max_x_ - 1);
      const int64_t b0 = int64_t{t.b[i]} * min_y_, b1 = int64_t{t.b[i]} * (max_y_ - 1);
      if (most + std::max(a0, a1) + std::max(b0, b1) < 0) return false;
      if (least + std::min(a0, a1) + std::min(b0, b1) >= 0) continue;
      edges_.crossing |= 1u << i;
      edges_.a[i] = t.a[i];
      edges_.b[i] = t.b[i];
      for (uint32_t s = 0; s < samples_; ++s) edges_.c[s][i] = static_cast<int32_t>(c[s]);
      edges_.lanes[i] = kLaneX * t.a[i] + kLaneY * t.b[i];
    }
    return true;
  }

  static constexpr uint32_t kOutside = 8;

  // The edges that go through the block, or kOutside.
  uint32_t CrossBlock(int32_t x, int32_t y, int32_t size) const {
    uint32_t crossing = 0;
    for (size_t i = 0; i < 3; ++i) {
      if ((edges_.crossing >> i & 1) == 0) continue;
      const int32_t a = edges_.a[i], b = edges_.b[i];
      const int32_t rise = (std::max(a, 0) + std::max(b, 0)) * (size - 1);
      const int32_t fall = (std::min(a, 0) + std::min(b, 0)) * (size - 1);
      bool outside = true, inside = true;
      for (uint32_t s = 0; s < samples_; ++s) {
        const int32_t at = edges_.c[s][i] + a * x + b * y;
        outside &= at + rise < 0;
        inside &= at + fall >= 0;
      }
      if (outside) return kOutside;
      if (!inside) crossing |= 1u << i;
    }
    return crossing;
  }

  // Nothing to test before the shader.
  bool DrawWholeBlock(int32_t x, int32_t y, int32_t size) {
    if (!late_) passed_ += static_cast<uint64_t>(size) * static_cast<uint64_t>(size) * samples_;
    if (!shades_) return true;
    const uint32_t all = samples_ == 1 ? 0xf : 0xffff;
    const auto px = static_cast<uint32_t>(tile_x_ + x), py = static_cast<uint32_t>(tile_y_ + y);
    const auto end = static_cast<uint32_t>(size);
    if (ordered_ || per_sample_) {
      for (uint32_t row = 0; row < end; row += 2) {
        for (uint32_t column = 0; column < end; column += 2) {
          if (!AddQuad(px + column, py + row, all)) return false;
        }
      }
      return true;
    }
    if (count_ + end * end / 4 > kBatchQuads && !Flush()) return false;
    Quad* to = scratch_.quads + count_;
    for (uint32_t row = 0; row < end; row += 2) {
      for (uint32_t column = 0; column < end; column += 2) *to++ = QuadAt(px + column, py + row, all, 0);
    }
    count_ += end * end / 4;
    return true;
  }

  bool DrawBlock(int32_t x, int32_t y, int32_t size, uint32_t crossing) {
    const bool within_bounds = x >= min_x_ && y >= min_y_ && x + size <= max_x_ && y + size <= max_y_;
    const uint32_t every_sample = (1u << samples_) - 1;
    if (crossing == 0 && within_bounds && !test_.active() && (sample_mask_ & every_sample) == every_sample)
      return DrawWholeBlock(x, y, size);
    const int32_t first_x = std::max(x, min_x_ & -4), last_x = std::min(x + size, max_x_);
    const int32_t first_y = std::max(y, min_y_ & -2), last_y = std::min(y + size, max_y_);
    for (int32_t row = first_y; row < last_y; row += 2) {
      for (int32_t column = first_x; column < last_x; column += 4) {
        uint32_t coverage[kMaxSamples];
        uint32_t any = 0;
        const uint32_t within = Within(column, row);
        for (uint32_t s = 0; s < samples_; ++s) {
          coverage[s] = within & Inside(column, row, s, crossing);
          if ((sample_mask_ >> s & 1) == 0) coverage[s] = 0;
          any |= coverage[s];
        }
        if (any != 0 && !DrawPair(column, row, coverage)) return false;
      }
    }
    return true;
  }

  // The pixels of two quads at (x, y) that lie within the triangle's bounds.
  uint32_t Within(int32_t x, int32_t y) const {
    if (x >= min_x_ && x + 4 <= max_x_ && y >= min_y_ && y + 2 <= max_y_) return 255;
    const I8 px = kLaneX + x, py = kLaneY + y;
    return SignBits((px >= min_x_) & (px < max_x_) & (py >= min_y_) & (py < max_y_));
  }

  LOCKSTEP_INLINE uint32_t Inside(int32_t x, int32_t y, uint32_t s, uint32_t crossing) const {
    I8 outside = {};
    for (size_t i = 0; i < 3; ++i) {
      if ((crossing >> i & 1) != 0)
        outside |= edges_.lanes[i] + (edges_.c[s][i] + edges_.a[i] * x + edges_.b[i] * y);
    }
    return ~SignBits(outside) & 255;
  }

  // --- quads ---
  bool DrawPair(int32_t x, int32_t y, uint32_t (&coverage)[kMaxSamples]) {
    const auto px = static_cast<uint32_t>(tile_x_ + x), py = static_cast<uint32_t>(tile_y_ + y);
    if (tests_early_ && test_.four_depths()) {
      if (!TestFourDepths(x, y, coverage)) return true;
    } else if (tests_early_) {
      uint32_t any = 0;
      for (uint32_t s = 0; s < samples_; ++s) {
        if (coverage[s] == 0) continue;
        const F8 fx = ToFloat(kLaneX + x) + Offset(Sample(s).x),
                 fy = ToFloat(kLaneY + y) + Offset(Sample(s).y);
        const F8 z = Clamp(z_plane_.At(fx, fy), triangle_->min_depth, triangle_->max_depth);
        coverage[s] = test_.Test({{px, px + 2}, {py, py}}, s, coverage[s], z, triangle_->front);
        any |= coverage[s];
      }
      if (any == 0) return true;
    }
    if (!late_) {
      for (uint32_t s = 0; s < samples_; ++s)
        passed_ += static_cast<uint64_t>(__builtin_popcount(coverage[s]));
    }
    if (!shades_) return true;
    for (uint32_t q = 0; q < 2; ++q) {
      uint32_t mask = 0;
      for (uint32_t s = 0; s < samples_; ++s) mask |= (coverage[s] >> (4 * q) & 15) << (4 * s);
      if (mask != 0 && !AddQuad(px + 2 * q, py, mask)) return false;
    }
    return true;
  }

  // Early depth tests of four samples, two pixels side by side at a time. False where none passes.
  LOCKSTEP_INLINE bool TestFourDepths(int32_t x, int32_t y, uint32_t (&coverage)[kMaxSamples]) {
    constexpr const SamplePosition(&kAt)[4] = kFourSamples;
    constexpr F8 kOffsetX = {Offset(kAt[0].x),     Offset(kAt[1].x),     Offset(kAt[2].x),
                             Offset(kAt[3].x),     Offset(kAt[0].x) + 1, Offset(kAt[1].x) + 1,
                             Offset(kAt[2].x) + 1, Offset(kAt[3].x) + 1};
    constexpr F8 kOffsetY = {Offset(kAt[0].y), Offset(kAt[1].y), Offset(kAt[2].y), Offset(kAt[3].y),
                             Offset(kAt[0].y), Offset(kAt[1].y), Offset(kAt[2].y), Offset(kAt[3].y)};
    const uint32_t bits = coverage[0] | coverage[1] << 8 | coverage[2] << 16 | coverage[3] << 24;
    uint32_t passed_bits = 0;
    for (int32_t lane = 0; lane < 8; lane += 2) {
      // Bit 4p + s: sample s of pixel `lane` + p.
      const uint32_t samples = PixelSamples(bits >> lane) | PixelSamples(bits >> (lane + 1)) << 4;
      if (samples == 0) continue;
      const int32_t px = x + kLaneX[lane], py = y + kLaneY[lane];
      const F8 fx = static_cast<float>(px) + kOffsetX, fy = static_cast<float>(py) + kOffsetY;
      const F8 z = Clamp(z_plane_.At(fx, fy), triangle_->min_depth, triangle_->max_depth);
      const uint32_t passed = test_.TestFour(static_cast<uint32_t>(tile_x_ + px),
                                             static_cast<uint32_t>(tile_y_ + py), samples, z);
      passed_bits |= SampleBits(passed & 15) << lane | SampleBits(passed >> 4) << (lane + 1);
    }
    for (uint32_t s = 0; s < 4; ++s) coverage[s] = passed_bits >> (8 * s) & 255;
    return passed_bits != 0;
  }
  // Bits 0, 8, 16, 24 as bits 0 to 3, and back.
  static uint32_t PixelSamples(uint32_t bits) { return (bits & 0x01010101u) * 0x01020408u >> 24 & 15; }
  static uint32_t SampleBits(uint32_t samples) {
    return (samples & 1) | (samples & 2) << 7 | (samples & 4) << 14 | (samples & 8) << 21;
  }

  bool AddQuad(uint32_t x, uint32_t y, uint32_t coverage) {
    if (ordered_ && scratch_.last_batch[y % kTileSize / 2][x % kTileSize / 2] == scratch_.batch && !Flush())
      return false;
    if (!per_sample_) return ShadeQuad(x, y, coverage, 0);
    for (uint32_t s = 0; s < samples_; ++s) {
      const uint32_t of_sample = coverage & 15u << (4 * s);
      if (of_sample != 0 && !ShadeQuad(x, y, of_sample, s)) return false;
    }
    return true;
  }

  LOCKSTEP_INLINE bool ShadeQuad(uint32_t x, uint32_t y, uint32_t coverage, uint32_t sample) {
    if (count_ == kBatchQuads && !Flush()) return false;
    if (ordered_) scratch_.last_batch[y % kTileSize / 2][x % kTileSize / 2] = scratch_.batch;
    scratch_.quads[count_++] = QuadAt(x, y, coverage, sample);
    return true;
  }
  LOCKSTEP_INLINE Quad QuadAt(uint32_t x, uint32_t y, uint32_t coverage, uint32_t sample) const {
    return {triangle_,
            chunk_,
            static_cast<uint16_t>(x),
            static_cast<uint16_t>(y),
            static_cast<uint16_t>(coverage),
            static_cast<uint16_t>(sample)};
  }

  // --- batches ---
  bool Flush() {
    if (count_ == 0) return true;
    if (asks_position_ || asks_barycentrics_) PlaceQuads();
    ForRuns([&](uint32_t begin, uint32_t end) { FillRun(begin, end); });
    PadBatch(*pipeline_->fragment, input_, 4 * count_);
    worker_.invocations = 4 * count_;
    const FragmentBatch told(state_->draw, scratch_.quads);
    if (worker_.observer != nullptr) worker_.observer->batch(worker_.observer, told);
    if (pipeline_->fragment->entry(&dispatch_, &worker_, 0, 0, 0) != abi::kDone) return false;
    AfterShader();
    for (uint32_t i = 0; i < target_count_; ++i) {
      targets_[i].count = count_;
      FunctionsOf(targets_[i].attachment->format).write(targets_[i]);
    }
    count_ = 0;
    ++scratch_.batch;
    return true;
  }

  // Calls visit(begin, end) for the quads of each triangle.
  template <typename Visit>
  LOCKSTEP_INLINE void ForRuns(const Visit& visit) const {
    for (uint32_t begin = 0, end = 0; begin < count_; begin = end) {
      for (end = begin + 1; end < count_ && scratch_.quads[end].triangle == scratch_.quads[begin].triangle;)
        ++end;
      visit(begin, end);
    }
  }

  void PlaceQuads() {
    for (uint32_t i = 0; i < count_; i += 2) {
      const Quad& p = scratch_.quads[i];
      const Quad& q = scratch_.quads[i + 1 < count_ ? i + 1 : i];
      const int32_t a = p.x | p.y << 16, b = q.x | q.y << 16;
      const I8 places = {a, a, a, a, b, b, b, b};
      Store(scratch_.x + 4 * i, ToFloat((places & 0xffff) - tile_x_) + kQuadX);
      Store(scratch_.y + 4 * i, ToFloat((places >> 16) - tile_y_) + kQuadY);
    }
  }

  // Calls visit(first quad, x, y of two quads' pixel centers from the tile's first, is there a second).
  template <typename Visit>
  LOCKSTEP_INLINE void ForPairs(uint32_t begin, uint32_t end, const Visit& visit) const {
    for (uint32_t i = begin; i < end; i += 2)
      visit(i, Load<F8>(scratch_.x + 4 * i), Load<F8>(scratch_.y + 4 * i), i + 1 < end);
  }

  template <typename Vector>
  static LOCKSTEP_INLINE void StorePair(void* to, const Vector& v, bool both) {
    if (both)
      Store(to, v);
    else
      std::memcpy(to, &v, sizeof(v) / 2);
  }

  // Where the values of the quads' pixels are taken: at the center, the centroid, or the sample.
  void Locate(size_t sampling, uint32_t quad, bool both, F8& x, F8& y) const {
    if (samples_ == 1 || (sampling == 0 && !per_sample_)) return;
    for (int lane = 0; lane < (both ? 8 : 4); ++lane) {
      const Quad& q = scratch_.quads[quad + static_cast<uint32_t>(lane >> 2)];
      const uint32_t covered = q.coverage >> (lane & 3) & 0x1111u;
      SamplePosition at = kCenter;
      if (per_sample_ && sampling != 1)
        at = Sample(q.sample);
      else if (sampling == 1 && covered != 0x1111u && covered != 0)
        at = Sample(static_cast<uint32_t>(__builtin_ctz(covered)) / 4);
      x[lane] += Offset(at.x);
      y[lane] += Offset(at.y);
    }
  }

  // The inputs of quads of one triangle.
  void FillRun(uint32_t begin, uint32_t end) {
    if (pipeline_->fragment->layout.inputs.empty()) return;
    const Triangle& t = *scratch_.quads[begin].triangle;
    const DoublePlane d1 = Barycentric(t, 1, tile_x_, tile_y_), d2 = Barycentric(t, 2, tile_x_, tile_y_);
    if (asks_barycentrics_) {
      for (size_t sampling = 0; sampling < 3; ++sampling) {
        if (asks_sampling_[sampling]) Barycentrics(t, d1.ToFloat(), d2.ToFloat(), sampling, begin, end);
      }
    }
    const auto& inputs = pipeline_->fragment->layout.inputs;
    for (uint32_t slot = 0; slot < inputs.size(); ++slot) {
      if (!pipeline_->fragment->Uses(slot)) continue;
      uint32_t* const row = input_ + slot * abi::kStageInvocations;
      if (inputs[slot].value == abi::StageValue::kLocation)
        FillVarying(inputs[slot], state_->varying_of_input[slot], begin, end, row);
      else
        FillBuiltin(inputs[slot], d1, d2, begin, end, row);
    }
  }

  void Barycentrics(const Triangle& t, const Plane& b1, const Plane& b2, size_t sampling, uint32_t begin,
                    uint32_t end) {
    const float w0 = t.inverse_w[0], w1 = t.inverse_w[1], w2 = t.inverse_w[2];
    ForPairs(begin, end, [&](uint32_t quad, F8 x, F8 y, bool both) {
      Locate(sampling, quad, both, x, y);
      const F8 l1 = b1.At(x, y), l2 = b2.At(x, y);
      StorePair(&scratch_.linear[sampling][0][4 * quad], l1, both);
      StorePair(&scratch_.linear[sampling][1][4 * quad], l2, both);
      const F8 w = 1.0f / (w0 + (w1 - w0) * l1 + (w2 - w0) * l2);
      StorePair(&scratch_.perspective[sampling][0][4 * quad], l1 * w1 * w, both);
      StorePair(&scratch_.perspective[sampling][1][4 * quad], l2 * w2 * w, both);
    });
  }

  void FillVarying(const abi::StageSlot& slot, uint32_t varying, uint32_t begin, uint32_t end,
                   uint32_t* row) const {
    if (varying == UINT32_MAX) return std::fill(row + 4 * begin, row + 4 * end, 0u);
    const Quad& first = scratch_.quads[begin];
    const auto value = [&](uint32_t vertex) {
      return first.chunk->vertices.At(vertex)[varying * abi::kStageInvocations];
    };
    if (slot.interpolation == abi::Interpolation::kFlat)
      return std::fill(row + 4 * begin, row + 4 * end, value(first.triangle->provoking));
    const auto number = [&](size_t i) { return Bits<float>(value(first.triangle->vertices[i])); };
    const float v0 = number(0), d1 = number(1) - v0, d2 = number(2) - v0;
    const auto& both_modes =
        slot.interpolation == abi::Interpolation::kLinear ? scratch_.linear : scratch_.perspective;
    const float* const b1 = both_modes[SamplingOf(slot)][0];
    const float* const b2 = both_modes[SamplingOf(slot)][1];
    for (uint32_t i = 4 * begin; i < 4 * end; i += 8) {
      const F8 v = v0 + d1 * Load<F8>(b1 + i) + d2 * Load<F8>(b2 + i);
      StorePair(row + i, v, i + 8 <= 4 * end);
    }
  }

  void FillBuiltin(const abi::StageSlot& slot, const DoublePlane& d1, const DoublePlane& d2, uint32_t begin,
                   uint32_t end, uint32_t* row) const {
    const Triangle& t = *scratch_.quads[begin].triangle;
    switch (slot.value) {
      case abi::StageValue::kPosition:
        return FillPosition(slot.component, d1, d2, begin, end, row);
      case abi::StageValue::kFrontFacing:
        return std::fill(row + 4 * begin, row + 4 * end, t.front ? 1u : 0u);
      case abi::StageValue::kSampleIndex:
        for (uint32_t i = begin; i < end; ++i)
          std::fill_n(row + 4 * i, 4, uint32_t{scratch_.quads[i].sample});
        return;
      case abi::StageValue::kSampleMask:
      case abi::StageValue::kCoverage:
        for (uint32_t i = 4 * begin; i < 4 * end; ++i) {
          const uint32_t covered = scratch_.quads[i / 4].coverage >> (i & 3) & 0x1111u;
          const uint32_t bits = (covered & 1) | (covered >> 3 & 2) | (covered >> 6 & 4) | (covered >> 9 & 8);
          row[i] = slot.value == abi::StageValue::kCoverage ? (bits != 0 ? 1u : 0u) : bits;
        }
        return;
      default:
        return std::fill(row + 4 * begin, row + 4 * end, 0u);
    }
  }

  void FillPosition(uint32_t component, const DoublePlane& d1, const DoublePlane& d2, uint32_t begin,
                    uint32_t end, uint32_t* row) const {
    if (component < 2) {
      const float first = static_cast<float>(component == 0 ? tile_x_ : tile_y_) + 0.5f;
      return ForPairs(begin, end, [&](uint32_t quad, F8 x, F8 y, bool both) {
        Locate(0, quad, both, x, y);
        StorePair(row + 4 * quad, first + (component == 0 ? x : y), both);
      });
    }
    const Triangle& t = *scratch_.quads[begin].triangle;
    const Plane plane = Interpolated(component == 2 ? t.z : t.inverse_w, d1, d2);
    // Rounding must not take it out of the viewport's range, unless that is not asked for.
    const bool clamps = component == 2 && !pipeline_->primitive.unclipped_depth;
    const float least = clamps ? t.min_depth : -INFINITY, most = clamps ? t.max_depth : INFINITY;
    ForPairs(begin, end, [&](uint32_t quad, F8 x, F8 y, bool both) {
      Locate(0, quad, both, x, y);
      StorePair(row + 4 * quad, Clamp(plane.At(x, y), least, most), both);
    });
  }

  // --- after the shader ---
  void AfterShader() {
    const bool by_alpha = pipeline_->multisample.alpha_to_coverage_enabled && samples_ > 1;
    const uint32_t* const alpha = by_alpha ? ChannelOf(0, 3, 0) : nullptr;  // null: all of it
    if (coverage_output_ != kNoSlot || mask_output_ != kNoSlot || alpha != nullptr) {
      for (uint32_t i = 0; i < 4 * count_; ++i) {
        if (!KeepSamples(i, alpha))
          scratch_.quads[i / 4].coverage &= static_cast<uint16_t>(~(0x1111u << (i & 3)));
      }
    }
    if (!late_) return;
    ForRuns([&](uint32_t begin, uint32_t end) {
      const Plane depth = DepthOf(*scratch_.quads[begin].triangle);
      for (uint32_t i = begin; i < end; ++i) TestLate(i, depth);
    });
  }

  // Takes away the samples of invocation i that the shader does, or its alpha; false where it takes all.
  bool KeepSamples(uint32_t i, const uint32_t* alpha) {
    const auto output = [&](uint32_t slot) { return output_[slot * abi::kStageInvocations + i]; };
    if (coverage_output_ != kNoSlot && output(coverage_output_) == 0) return false;
    uint32_t kept = mask_output_ != kNoSlot ? output(mask_output_) : ~0u;
    if (alpha != nullptr) {
      const auto value = Bits<float>(alpha[i]);
      const float clamped = value > 0 ? std::min(value, 1.0f) : 0.0f;
      kept &= (1u << static_cast<uint32_t>(clamped * static_cast<float>(samples_) + 0.5f)) - 1;
    }
    uint32_t keep_bits = 0;
    for (uint32_t s = 0; s < samples_; ++s) {
      if ((kept >> s & 1) != 0) keep_bits |= 1u << (4 * s + (i & 3));
    }
    const uint32_t of_pixel = 0x1111u << (i & 3);
    scratch_.quads[i / 4].coverage &= static_cast<uint16_t>(keep_bits | ~of_pixel);
    return true;
  }

  void TestLate(uint32_t index, const Plane& depth) {
    Quad& quad = scratch_.quads[index];
    const Triangle& t = *quad.triangle;
    uint32_t passed = 0;
    for (uint32_t s = 0; s < samples_; ++s) {
      const uint32_t lanes = quad.coverage >> (4 * s) & 15;
      if (lanes == 0) continue;
      const F8 x = kQuadX + static_cast<float>(quad.x - tile_x_) + Offset(Sample(s).x);
      const F8 y = kQuadY + static_cast<float>(quad.y - tile_y_) + Offset(Sample(s).y);
      F8 z = depth.At(x, y);
      if (depth_output_ != kNoSlot) {
        for (int lane = 0; lane < 4; ++lane)
          z[lane] = Bits<float>(
              output_[depth_output_ * abi::kStageInvocations + 4 * index + static_cast<uint32_t>(lane)]);
      }
      z = Clamp(z, t.min_depth, t.max_depth);
      const Places at{{quad.x, quad.x}, {quad.y, quad.y}};
      passed |= test_.Test(at, s, lanes, z, t.front) << (4 * s);
    }
    quad.coverage = static_cast<uint16_t>(passed);
    passed_ += static_cast<uint64_t>(__builtin_popcount(passed));
  }

  // The shader's values for a channel of a target; null: it has none.
  const uint32_t* ChannelOf(uint32_t location, uint32_t component, uint32_t blend_src) const {
    const auto& outputs = pipeline_->fragment->layout.outputs;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].value == abi::StageValue::kLocation && outputs[i].location == location &&
          outputs[i].component == component && outputs[i].blend_src == blend_src)
        return output_ + i * abi::kStageInvocations;
    }
    return nullptr;
  }

  static constexpr uint32_t kNoSlot = UINT32_MAX;
  static constexpr int32_t kBlock = 8;  // pixels of a side

  const TileWork& work_;
  abi::Worker& worker_;
  TileScratch& scratch_;
  abi::Dispatch dispatch_;
  uint32_t tile_ = 0, samples_ = 1;
  int32_t tile_x_ = 0, tile_y_ = 0;  // of the tile's first pixel

  // Of the draw.
  const DrawState* state_ = nullptr;
  const Pipeline* pipeline_ = nullptr;
  DepthStencilTest test_;
  uint32_t sample_mask_ = ~0u;
  bool shades_ = false, tests_early_ = false, late_ = false, ordered_ = false, per_sample_ = false;
  bool asks_position_ = false, asks_barycentrics_ = false;
  bool asks_sampling_[3] = {};
  uint32_t coverage_output_ = kNoSlot, mask_output_ = kNoSlot, depth_output_ = kNoSlot;
  uint32_t *input_ = nullptr, *output_ = nullptr;
  ColorBatch targets_[kMaxColorTargets];  // the first `target_count_`; their count is the batch's
  uint32_t target_count_ = 0;
  uint64_t passed_ = 0;  // samples, not yet told

  // Of the triangle; pixels from the tile's first.
  const Chunk* chunk_ = nullptr;
  const Triangle* triangle_ = nullptr;
  int32_t min_x_ = 0, min_y_ = 0, max_x_ = 0, max_y_ = 0;
  TileEdges edges_;
  Plane z_plane_;

  uint32_t count_ = 0;  // quads of the batch

  // Blocks of the tile whose farthest depth is known, a bit each; all for the direction `fails_towards_`.
  uint64_t known_ = 0;
  int fails_towards_ = 0;
  float farthest_[(kTileSize / kBlock) * (kTileSize / kBlock)];
};

const TileFunctions kTileFunctions = {
    [](const TileWork& work, uint32_t tile, abi::Worker& worker, TileScratch& scratch) {
      return TileRenderer(work, tile, worker, scratch).Run();
    },
    [](ColorFormat format, const uint32_t (&channels)[4], std::byte* texel) {
      FunctionsOf(format).pack(channels, texel);
    },
    [](ColorFormat format, const std::byte* from, uint32_t samples, uint32_t count, std::byte* to) {
      FunctionsOf(format).resolve(from, samples, count, to);
    }};

}  // namespace lockstep::raster::LOCKSTEP_RASTER_ISA

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Depth and stencil tests of two quads, a sample at a time (WebGPU: #processing-depth-stencil).
#pragma once

#include <algorithm>
#include <cmath>

#include "raster/pipeline.h"
#include "raster/simd.h"

namespace lockstep::raster::LOCKSTEP_RASTER_ISA {

// Lanes 0 to 3 are the pixels of one quad, 4 to 7 those of another: x grows in bit 0 of the lane, y in bit 1.
struct Places {
  uint32_t x[2] = {}, y[2] = {};  // of the first pixels
  uint32_t XOf(int lane) const { return x[lane >> 2] + static_cast<uint32_t>(lane & 1); }
  uint32_t YOf(int lane) const { return y[lane >> 2] + static_cast<uint32_t>(lane >> 1 & 1); }
};

LOCKSTEP_INLINE I8 Compare(abi::CompareFunction function, const F8& a, const F8& b) {
  switch (function) {
    case abi::CompareFunction::kNever:
      return I8{};
    case abi::CompareFunction::kLess:
      return a < b;
    case abi::CompareFunction::kEqual:
      return a == b;
    case abi::CompareFunction::kLessEqual:
      return a <= b;
    case abi::CompareFunction::kGreater:
      return a > b;
    case abi::CompareFunction::kNotEqual:
      return a != b;
    case abi::CompareFunction::kGreaterEqual:
      return a >= b;
    case abi::CompareFunction::kAlways:
      return ~I8{};
  }
  __builtin_unreachable();
}

LOCKSTEP_INLINE I8 Apply(abi::StencilOperation operation, const I8& value, int32_t reference) {
  switch (operation) {
    case abi::StencilOperation::kKeep:
      return value;
    case abi::StencilOperation::kZero:
      return I8{};
    case abi::StencilOperation::kReplace:
      return Splat(reference);
    case abi::StencilOperation::kInvert:
      return ~value & 255;
    case abi::StencilOperation::kIncrementClamp:
      return Min(value + 1, Splat(255));
    case abi::StencilOperation::kDecrementClamp:
      return Max(value - 1, I8{});
    case abi::StencilOperation::kIncrementWrap:
      return (value + 1) & 255;
    case abi::StencilOperation::kDecrementWrap:
      return (value - 1) & 255;
  }
  __builtin_unreachable();
}

class DepthStencilTest {
 public:
  DepthStencilTest() = default;
  DepthStencilTest(const Attachments& attachments, const abi::DepthStencilState& state, uint32_t reference)
      : samples_(attachments.samples),
        width_(attachments.width),
        height_(attachments.height),
        state_(&state) {
    if (!attachments.depth_stencil) return;
    const DepthStencilAttachment& attachment = *attachments.depth_stencil;
    if (state.depth_compare != abi::CompareFunction::kAlways || state.depth_write_enabled) {
      depth_format_ = attachment.depth_format;
      depth_ = attachment.depth;
    }
    static constexpr abi::StencilFaceState kIdle;
    if (attachment.has_stencil && (state.stencil_front != kIdle || state.stencil_back != kIdle)) {
      stencil_ = attachment.stencil;
      has_stencil_ = true;
    }
    reference_ = static_cast<int32_t>(reference & 255);
  }

  bool needs_depth() const { return depth_format_ != DepthFormat::kNone; }
  bool active() const { return needs_depth() || has_stencil_; }

  // Float depth of four samples and nothing else: then TestFour can take Test's place.
  bool four_depths() const {
    return samples_ == 4 && depth_format_ == DepthFormat::kFloat32 && !has_stencil_;
  }

  // Which way depths go that fail: 1 where larger ones do, -1 where smaller ones do; 0: who knows, or a
  // failure changes something.
  int FailsTowards() const {
    if (depth_format_ != DepthFormat::kFloat32 || has_stencil_) return 0;
    switch (state_->depth_compare) {
      case abi::CompareFunction::kLess:
      case abi::CompareFunction::kLessEqual:
        return 1;
      case abi::CompareFunction::kGreater:
      case abi::CompareFunction::kGreaterEqual:
        return -1;
      default:
        return 0;
    }
  }
  // Of `size` by `size` pixels, those outside left out: the largest depth (FailsTowards: 1) or the smallest.
  float Farthest(uint32_t x, uint32_t y, uint32_t size) const {
    const uint32_t count = std::min(size, width_ - x) * samples_, rows = std::min(size, height_ - y);
    const bool largest = FailsTowards() > 0;
    float worst = largest ? -INFINITY : INFINITY;
    F8 worst_lanes = Splat(worst);
    for (uint32_t row = 0; row < rows; ++row) {
      const std::byte* const from =
          depth_.texels + (y + row) * depth_.row_bytes + uint64_t{x} * samples_ * sizeof(float);
      uint32_t i = 0;
      for (; i + 8 <= count; i += 8) {
        const F8 stored = Load<F8>(from + i * sizeof(float));
        worst_lanes = largest ? Max(stored, worst_lanes) : Min(stored, worst_lanes);
      }
      for (; i < count; ++i) {
        float stored;
        std::memcpy(&stored, from + i * sizeof(float), sizeof(stored));
        if (largest ? stored > worst : stored < worst) worst = stored;
      }
    }
    for (int lane = 0; lane < 8; ++lane)
      worst = largest ? std::max(worst, worst_lanes[lane]) : std::min(worst, worst_lanes[lane]);
    return worst;
  }
  // Whether depth `z`, one for all lanes, fails against all that are not beyond `farthest`.
  bool Fails(const F8& z, float farthest) const {
    return SignBits(Compare(state_->depth_compare, z, Splat(farthest))) == 0;
  }
  bool writes_depth() const { return needs_depth() && state_->depth_write_enabled; }

  // The samples that pass, of those in `samples`: bit 4p + s is sample s of the pixel (x + p, y). Both
  // pixels' texels are read, the second one's only where it is inside.
  LOCKSTEP_INLINE uint32_t TestFour(uint32_t x, uint32_t y, uint32_t samples, const F8& z) const {
    std::byte* const texels = depth_.texels + y * depth_.row_bytes + uint64_t{x} * 4 * sizeof(float);
    F8 stored = {};
    const size_t bytes = x + 1 < width_ ? sizeof(F8) : sizeof(F8) / 2;
    if (bytes == sizeof(F8))
      stored = Load<F8>(texels);
    else
      std::memcpy(&stored, texels, sizeof(F8) / 2);
    const I8 passed = Compare(state_->depth_compare, z, stored) & LanesOf(samples);
    if (state_->depth_write_enabled) {
      const F8 kept = Select(passed, z, stored);
      if (bytes == sizeof(F8))
        Store(texels, kept);
      else
        std::memcpy(texels, &kept, sizeof(F8) / 2);
    }
    return SignBits(passed);
  }

  // The lanes that pass, of those in `lanes`.
  uint32_t Test(const Places& at, uint32_t sample, uint32_t lanes, F8 z, bool front) const {
    I8 stencil = {};
    uint32_t stencil_passed = lanes;
    const abi::StencilFaceState& face = front ? state_->stencil_front : state_->stencil_back;
    if (has_stencil_) {
      stencil = LoadStencil(at, sample, lanes);
      const auto mask = static_cast<int32_t>(state_->stencil_read_mask & 255);
      stencil_passed &= SignBits(
          Compare(face.compare, Splat(static_cast<float>(reference_ & mask)), ToFloat(stencil & mask)));
    }
    uint32_t passed = stencil_passed;
    if (needs_depth()) {
      if (depth_format_ == DepthFormat::kUnorm16) z = ToFloat(ToInt(Clamp(z, 0, 1) * 65535.0f + 0.5f));
      if (state_->depth_compare != abi::CompareFunction::kAlways)
        passed &= SignBits(Compare(state_->depth_compare, z, LoadDepth(at, sample, passed)));
      if (state_->depth_write_enabled && passed != 0) StoreDepth(at, sample, passed, z);
    }
    if (has_stencil_) {
      I8 updated = Apply(face.fail_op, stencil, reference_);
      updated = Select(LanesOf(stencil_passed), Apply(face.depth_fail_op, stencil, reference_), updated);
      updated = Select(LanesOf(passed), Apply(face.pass_op, stencil, reference_), updated);
      const auto write = static_cast<int32_t>(state_->stencil_write_mask & 255);
      StoreStencil(at, sample, lanes, (stencil & ~write) | (updated & write));
    }
    return passed;
  }

 private:
  using L4 = int64_t __attribute__((vector_size(32)));

  bool Whole(const Places& at) const {
    return samples_ == 1 && at.x[0] + 1 < width_ && at.y[0] + 1 < height_ && at.x[1] + 1 < width_ &&
           at.y[1] + 1 < height_;
  }
  std::byte* TexelOf(const Surface& surface, const Places& at, int lane, uint32_t sample,
                     uint32_t bytes) const {
    return surface.texels + at.YOf(lane) * surface.row_bytes +
           (uint64_t{at.XOf(lane)} * samples_ + sample) * bytes;
  }
  static int64_t LoadPair(const std::byte* from) {
    int64_t v;
    std::memcpy(&v, from, sizeof(v));
    return v;
  }

  F8 LoadDepth(const Places& at, uint32_t sample, uint32_t lanes) const {
    if (depth_format_ == DepthFormat::kFloat32 && Whole(at)) {
      const std::byte* const first = TexelOf(depth_, at, 0, 0, sizeof(float));
      const std::byte* const second = TexelOf(depth_, at, 4, 0, sizeof(float));
      return Bits<F8>(L4{LoadPair(first), LoadPair(first + depth_.row_bytes), LoadPair(second),
                         LoadPair(second + depth_.row_bytes)});
    }
    F8 values = {};
    for (int lane = 0; lane < 8; ++lane) {
      if ((lanes >> lane & 1) == 0) continue;
      if (depth_format_ == DepthFormat::kUnorm16) {
        uint16_t value;
        std::memcpy(&value, TexelOf(depth_, at, lane, sample, sizeof(value)), sizeof(value));
        values[lane] = value;
      } else {
        float value;
        std::memcpy(&value, TexelOf(depth_, at, lane, sample, sizeof(value)), sizeof(value));
        values[lane] = value;
      }
    }
    return values;
  }

  void StoreDepth(const Places& at, uint32_t sample, uint32_t lanes, const F8& z) const {
    if (lanes == 255 && depth_format_ == DepthFormat::kFloat32 && Whole(at)) {
      const auto pairs = Bits<L4>(z);
      for (int q = 0; q < 2; ++q) {
        std::byte* const first = TexelOf(depth_, at, 4 * q, 0, sizeof(float));
        const int64_t rows[2] = {pairs[2 * q], pairs[2 * q + 1]};
        std::memcpy(first, &rows[0], sizeof(int64_t));
        std::memcpy(first + depth_.row_bytes, &rows[1], sizeof(int64_t));
      }
      return;
    }
    for (int lane = 0; lane < 8; ++lane) {
      if ((lanes >> lane & 1) == 0) continue;
      if (depth_format_ == DepthFormat::kUnorm16) {
        const auto value = static_cast<uint16_t>(z[lane]);
        std::memcpy(TexelOf(depth_, at, lane, sample, sizeof(value)), &value, sizeof(value));
      } else {
        const float value = z[lane];
        std::memcpy(TexelOf(depth_, at, lane, sample, sizeof(value)), &value, sizeof(value));
      }
    }
  }

  I8 LoadStencil(const Places& at, uint32_t sample, uint32_t lanes) const {
    I8 values = {};
    for (int lane = 0; lane < 8; ++lane) {
      if ((lanes >> lane & 1) != 0)
        values[lane] = std::to_integer<int32_t>(*TexelOf(stencil_, at, lane, sample, 1));
    }
    return values;
  }

  void StoreStencil(const Places& at, uint32_t sample, uint32_t lanes, const I8& values) const {
    for (int lane = 0; lane < 8; ++lane) {
      if ((lanes >> lane & 1) != 0)
        *TexelOf(stencil_, at, lane, sample, 1) = static_cast<std::byte>(values[lane]);
    }
  }

  uint32_t samples_ = 1, width_ = 0, height_ = 0;
  const abi::DepthStencilState* state_ = nullptr;
  DepthFormat depth_format_ = DepthFormat::kNone;
  Surface depth_, stencil_;
  bool has_stencil_ = false;
  int32_t reference_ = 0;
};

}  // namespace lockstep::raster::LOCKSTEP_RASTER_ISA

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Drawing without a compiler: stages are functions in C++, one invocation a call.
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <vector>

#include "raster/render_pass.h"
#include "raster/tile.h"
#include "support/check.h"

namespace lockstep::raster {

// Reads and writes the slots of one invocation.
struct Invocation {
  const uint32_t* in = nullptr;
  uint32_t* out = nullptr;
  float Float(uint32_t slot) const { return std::bit_cast<float>(in[slot * abi::kStageInvocations]); }
  uint32_t Word(uint32_t slot) const { return in[slot * abi::kStageInvocations]; }
  void Set(uint32_t slot, float v) const { out[slot * abi::kStageInvocations] = std::bit_cast<uint32_t>(v); }
  void SetWord(uint32_t slot, uint32_t v) const { out[slot * abi::kStageInvocations] = v; }
};

template <auto kShader>
int32_t RunShader(const abi::Dispatch* dispatch, abi::Worker* worker, uint32_t, uint32_t, uint32_t) {
  const auto* const in = reinterpret_cast<const uint32_t*>(dispatch->buffers[0].data);
  auto* const out = reinterpret_cast<uint32_t*>(dispatch->buffers[1].data);
  for (uint32_t i = 0; i < worker->invocations; ++i) kShader(Invocation{in + i, out + i});
  return abi::kDone;
}

inline abi::StageSlot Location(uint32_t location, uint8_t component,
                               abi::Interpolation interpolation = abi::Interpolation::kPerspective,
                               abi::StageScalar scalar = abi::StageScalar::kF32) {
  abi::StageSlot slot;
  slot.component = component;
  slot.location = location;
  slot.scalar = scalar;
  slot.interpolation = interpolation;
  return slot;
}

inline abi::StageSlot Builtin(abi::StageValue value, uint8_t component = 0,
                              abi::StageScalar scalar = abi::StageScalar::kU32) {
  abi::StageSlot slot;
  slot.value = value;
  slot.component = component;
  slot.scalar = scalar;
  return slot;
}

class OneThread : public Threads {
 public:
  uint32_t slots() const override { return 1; }
  bool ForEach(uint64_t count, const Run& run) override {
    abi::Worker worker;
    for (uint64_t i = 0; i < count; ++i) {
      if (!run(0, worker, i)) return false;
    }
    return true;
  }
};

// Vertices of four floats (clip coordinates) and four more (a color) each.
struct Vertex {
  float x = 0, y = 0, z = 0, w = 1;
  float r = 1, g = 1, b = 1, a = 1;
};

inline void PassThrough(const Invocation& i) {
  for (uint32_t slot = 0; slot < 8; ++slot) i.Set(slot, i.Float(slot));
}
inline void ColorOut(const Invocation& i) {
  for (uint32_t slot = 0; slot < 4; ++slot) i.Set(slot, i.Float(slot));
}

// An image with one color attachment, and a pipeline that gives vertices' colors on.
class Canvas {
 public:
  Canvas(uint32_t width, uint32_t height, ColorFormat format = ColorFormat::kRgba8Unorm, uint32_t samples = 1)
      : width_(width), height_(height), bytes_(InfoOf(format).bytes()) {
    attachments.width = width;
    attachments.height = height;
    attachments.samples = samples;
    texels.resize(size_t{width} * height * bytes_ * samples);
    ColorAttachment color;
    color.surface = {texels.data(), uint64_t{width} * bytes_ * samples};
    color.format = format;
    color.load_op = abi::LoadOp::kClear;
    attachments.colors = {color};
    pipeline.multisample.count = samples;
    pipeline.vertex.entry = RunShader<PassThrough>;
    for (uint8_t c = 0; c < 4; ++c) {
      pipeline.vertex.layout.inputs.push_back(Location(0, c));
      pipeline.vertex.layout.outputs.push_back(
          Builtin(abi::StageValue::kPosition, c, abi::StageScalar::kF32));
    }
    Stage fragment;
    fragment.entry = RunShader<ColorOut>;
    for (uint8_t c = 0; c < 4; ++c) {
      pipeline.vertex.layout.inputs.push_back(Location(1, c));
      pipeline.vertex.layout.outputs.push_back(Location(0, c));
      fragment.layout.inputs.push_back(Location(0, c));
      fragment.layout.outputs.push_back(Location(0, c));
    }
    pipeline.fragment = fragment;
    pipeline.vertex_buffers = {abi::VertexBufferLayout{
        sizeof(Vertex),
        abi::VertexStepMode::kVertex,
        {{abi::VertexFormat::kFloat32x4, 0, 0}, {abi::VertexFormat::kFloat32x4, 16, 1}}}};
    pipeline.targets = {abi::ColorTargetState{}};
  }
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  // With depth, as floats.
  void AddDepth(float clear) {
    depth.resize(size_t{width_} * height_ * attachments.samples);
    DepthStencilAttachment attachment;
    attachment.depth_format = DepthFormat::kFloat32;
    attachment.depth = {reinterpret_cast<std::byte*>(depth.data()),
                        uint64_t{width_} * attachments.samples * sizeof(float)};
    attachment.depth_load_op = abi::LoadOp::kClear;
    attachment.depth_clear_value = clear;
    attachments.depth_stencil = attachment;
    pipeline.depth_format = DepthFormat::kFloat32;
    pipeline.depth_stencil.depth_write_enabled = true;
    pipeline.depth_stencil.depth_compare = abi::CompareFunction::kLess;
  }

  raster::Draw DrawOf(const std::vector<Vertex>& vertices) const {
    raster::Draw draw;
    draw.pipeline = &pipeline;
    draw.vertex_buffers = {
        {reinterpret_cast<const std::byte*>(vertices.data()), vertices.size() * sizeof(Vertex)}};
    draw.viewport = {0, 0, static_cast<float>(width_), static_cast<float>(height_), 0, 1};
    draw.scissor = {0, 0, width_, height_};
    draw.count = static_cast<uint32_t>(vertices.size());
    return draw;
  }

  void Render(std::vector<raster::Draw> draws, const TileFunctions& functions = TileFunctionsHere()) {
    OneThread threads;
    const uint32_t never = 0;
    abi::Dispatch dispatch;
    dispatch.cancel = &never;
    RenderPass pass(attachments, threads, dispatch, functions);
    bool done = pass.Begin();
    for (raster::Draw& draw : draws) done = done && pass.Add(std::move(draw));
    CHECK(done && pass.End());
  }
  void Render(const std::vector<Vertex>& vertices, const TileFunctions& functions = TileFunctionsHere()) {
    Render(std::vector<raster::Draw>{DrawOf(vertices)}, functions);
  }

  // Of rgba8 formats.
  std::array<int, 4> At(uint32_t x, uint32_t y) const {
    std::array<int, 4> channels;
    for (size_t c = 0; c < 4; ++c)
      channels[c] = std::to_integer<int>(texels[(size_t{y} * width_ + x) * 4 + c]);
    return channels;
  }
  int Red(uint32_t x, uint32_t y) const { return At(x, y)[0]; }

  Attachments attachments;
  Pipeline pipeline;
  std::vector<std::byte> texels;
  std::vector<float> depth;

 private:
  uint32_t width_, height_, bytes_;
};

// A rectangle in pixels of a canvas of that size, as two triangles.
inline std::vector<Vertex> Rectangle(float width, float height, float x0, float y0, float x1, float y1,
                                     Vertex like = {}) {
  const auto at = [&](float x, float y) {
    Vertex v = like;
    v.x = (2 * x / width - 1) * like.w;
    v.y = (1 - 2 * y / height) * like.w;
    v.z = like.z * like.w;
    return v;
  };
  return {at(x0, y0), at(x0, y1), at(x1, y0), at(x1, y0), at(x0, y1), at(x1, y1)};
}

}  // namespace lockstep::raster

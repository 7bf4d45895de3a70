// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Which pixels primitives cover, and with what values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "raster/raster_test_util.h"

namespace lockstep::raster {
namespace {

using ::testing::ElementsAre;

std::vector<const TileFunctions*> AllFunctions() {
  std::vector<const TileFunctions*> all = {&portable::kTileFunctions};
  if (&TileFunctionsHere() != all[0]) all.push_back(&TileFunctionsHere());
  return all;
}

constexpr abi::BlendState kAdd = {
    {abi::BlendOperation::kAdd, abi::BlendFactor::kOne, abi::BlendFactor::kOne},
    {abi::BlendOperation::kAdd, abi::BlendFactor::kOne, abi::BlendFactor::kOne}};

// A mesh of random triangles over the whole image: each pixel belongs to one of them.
TEST(Coverage, SharedEdgesCoverEachPixelOnce) {
  std::mt19937 random(7);
  for (const TileFunctions* functions : AllFunctions()) {
    for (int round = 0; round < 8; ++round) {
      constexpr int kCells = 9;
      std::uniform_real_distribution<float> jitter(-0.24f, 0.24f);
      std::vector<std::array<float, 2>> points;
      for (int y = 0; y <= kCells; ++y) {
        for (int x = 0; x <= kCells; ++x) {
          const bool border = x == 0 || y == 0 || x == kCells || y == kCells;
          const auto at = [&](int i) {
            return 2 * (static_cast<float>(i) + (border ? 0 : jitter(random))) / kCells - 1;
          };
          const float px = at(x), py = at(y);
          points.push_back({px, py});
        }
      }
      std::vector<Vertex> vertices;
      const auto add = [&](int x, int y) {
        Vertex v;
        v.x = points[static_cast<size_t>(y * (kCells + 1) + x)][0];
        v.y = points[static_cast<size_t>(y * (kCells + 1) + x)][1];
        v.r = 1 / 255.0f;
        vertices.push_back(v);
      };
      for (int y = 0; y < kCells; ++y) {
        for (int x = 0; x < kCells; ++x) {
          add(x, y), add(x + 1, y), add(x, y + 1);
          add(x + 1, y), add(x, y + 1), add(x + 1, y + 1);
        }
      }
      Canvas canvas(150, 150, ColorFormat::kRgba8Unorm, round % 2 == 0 ? 1 : 4);
      canvas.pipeline.targets[0]->blend = kAdd;
      canvas.Render(vertices, *functions);
      for (size_t i = 0; i < canvas.texels.size(); i += 4)
        ASSERT_EQ(std::to_integer<int>(canvas.texels[i]), 1) << "texel " << i / 4 << " in round " << round;
    }
  }
}

TEST(Coverage, PixelCentersAndTheTopLeftRule) {
  Canvas canvas(8, 8);
  canvas.Render(Rectangle(8, 8, 1.5f, 2.5f, 4.5f, 5.5f));
  for (uint32_t y = 0; y < 8; ++y) {
    for (uint32_t x = 0; x < 8; ++x) {
      const bool inside =
          x >= 1 && x < 4 && y >= 2 && y < 5;  // edges on centers: left and top ones belong to it
      EXPECT_EQ(canvas.Red(x, y), inside ? 255 : 0) << x << " " << y;
    }
  }
}

TEST(Coverage, ScissorAndViewport) {
  Canvas canvas(100, 100);
  raster::Draw draw = canvas.DrawOf(Rectangle(2, 2, 0, 0, 2, 2));
  const std::vector<Vertex> vertices = Rectangle(2, 2, 0, 0, 2, 2);
  draw = canvas.DrawOf(vertices);
  draw.viewport = {10, 20, 70, 60, 0, 1};
  draw.scissor = {30, 0, 100, 70};
  canvas.Render({draw});
  for (uint32_t y = 0; y < 100; ++y) {
    for (uint32_t x = 0; x < 100; ++x)
      ASSERT_EQ(canvas.Red(x, y), x >= 30 && x < 80 && y >= 20 && y < 70 ? 255 : 0) << x << " " << y;
  }
}

// What lies beyond the viewport is clipped, though the scissor would let it through.
TEST(Coverage, NothingIsDrawnOutsideOfTheViewport) {
  const auto inside = [](float x, float first, float size) {
    return x + 0.5f >= first && x + 0.5f < first + size;
  };
  const abi::Viewport views[] = {{4, 3, 8, 9, 0, 1},
                                 {4.25f, 3.5f, 8, 9.125f, 0, 1},
                                 {-5, -3, 11, 9, 0, 1},
                                 {6.75f, 12.5f, 40, 30, 0, 1},
                                 {-2.5f, 20, 3.0f, 3, 0, 1}};
  for (const uint32_t samples : {1u, 4u}) {
    for (const abi::Viewport& view : views) {
      Canvas canvas(16, 16, ColorFormat::kRgba8Unorm, samples);
      const std::vector<Vertex> vertices = {{-9, -9}, {27, -9}, {-9, 27}};
      raster::Draw draw = canvas.DrawOf(vertices);
      draw.viewport = view;
      canvas.Render({draw});
      for (uint32_t y = 0; samples == 1 && y < 16; ++y) {
        for (uint32_t x = 0; x < 16; ++x) {
          const bool hit = inside(static_cast<float>(x), view.x, view.width) &&
                           inside(static_cast<float>(y), view.y, view.height);
          ASSERT_EQ(canvas.Red(x, y), hit ? 255 : 0) << x << " " << y << " in " << view.x << " " << view.y;
        }
      }
      if (samples == 1) continue;
      constexpr float kAt[4][2] = {{0.375f, 0.125f}, {0.875f, 0.375f}, {0.125f, 0.625f}, {0.625f, 0.875f}};
      for (uint32_t i = 0; i < 16 * 16 * 4; ++i) {
        const float x = static_cast<float>(i / 4 % 16) + kAt[i % 4][0] - 0.5f,
                    y = static_cast<float>(i / 64) + kAt[i % 4][1] - 0.5f;
        const bool hit = inside(x, view.x, view.width) && inside(y, view.y, view.height);
        ASSERT_EQ(std::to_integer<int>(canvas.texels[size_t{i} * 4]), hit ? 255 : 0) << i << " in " << view.x;
      }
    }
  }
}

TEST(Coverage, PointsAndLinesEndAtTheViewport) {
  for (const auto topology : {abi::PrimitiveTopology::kPointList, abi::PrimitiveTopology::kLineList}) {
    Canvas canvas(16, 16);
    canvas.pipeline.primitive.topology = topology;
    const std::vector<Vertex> vertices = {{-3, 0}, {3, 0}, {1.1f, 0.9f}, {0.5f, 0.5f}};
    raster::Draw draw = canvas.DrawOf(vertices);
    draw.viewport = {4, 4, 8, 8, 0, 1};
    canvas.Render({draw});
    uint32_t count = 0;
    for (uint32_t y = 0; y < 16; ++y) {
      for (uint32_t x = 0; x < 16; ++x) {
        if (canvas.Red(x, y) == 0) continue;
        ++count;
        EXPECT_TRUE(x >= 4 && x < 12 && y >= 4 && y < 12) << x << " " << y;
      }
    }
    const bool points = topology == abi::PrimitiveTopology::kPointList;
    EXPECT_EQ(count, points ? 1u : 10u) << "a row of eight, and two of the other line";
  }
}

TEST(Coverage, CullingAndFacing) {
  const std::vector<Vertex> ccw = {{-1, -1}, {3, -1}, {-1, 3}};
  for (const auto face : {abi::FrontFace::kCcw, abi::FrontFace::kCw}) {
    for (const auto cull : {abi::CullMode::kNone, abi::CullMode::kFront, abi::CullMode::kBack}) {
      Canvas canvas(4, 4);
      canvas.pipeline.primitive.front_face = face;
      canvas.pipeline.primitive.cull_mode = cull;
      canvas.Render(ccw);
      const bool front = face == abi::FrontFace::kCcw;
      const bool culled = cull == (front ? abi::CullMode::kFront : abi::CullMode::kBack);
      EXPECT_EQ(canvas.Red(1, 1), culled ? 0 : 255);
    }
  }
}

TEST(Coverage, TrianglesBehindTheEyeAndBeyondTheGuardBand) {
  // A floor that begins behind the eye and goes on to near the horizon.
  Canvas canvas(64, 64);
  canvas.Render({{-5, -1, 0.1f, -1}, {5, -1, 0.1f, -1}, {0, -1, 10, 1000}});
  for (uint32_t y = 0; y < 64; ++y) EXPECT_EQ(canvas.Red(32, y), y >= 32 ? 255 : 0) << y;
  // x far outside on both sides
  Canvas wide(64, 64);
  wide.Render({{-1e8f, -1, 0.5f, 1}, {1e8f, -1, 0.5f, 1}, {0, 1e8f, 0.5f, 1}});
  for (uint32_t y = 0; y < 64; ++y) {
    for (uint32_t x = 0; x < 64; ++x) ASSERT_EQ(wide.Red(x, y), 255) << x << " " << y;
  }
  const float nan = std::nanf("");
  Canvas none(8, 8);
  none.Render({{nan, -1}, {3, nan}, {-1, 3}, {-INFINITY, -1}, {INFINITY, -1}, {0, INFINITY}});
  EXPECT_EQ(none.Red(4, 4), 0);
}

TEST(Coverage, NearAndFarPlanes) {
  Canvas canvas(64, 1);
  // z goes from -1 at the left to 2 at the right: a third of the width lies within [0, 1].
  canvas.Render({{-1, -1, -1}, {1, -1, 2}, {-1, 1, -1}, {1, -1, 2}, {-1, 1, -1}, {1, 1, 2}});
  for (uint32_t x = 0; x < 64; ++x) {
    const float z = (static_cast<float>(x) + 0.5f) / 64 * 3 - 1;
    EXPECT_EQ(canvas.Red(x, 0), z >= 0 && z <= 1 ? 255 : 0) << x;
  }
}

// The distance is x: what lies left of the middle is cut off, of points and lines too.
TEST(Coverage, ClipDistances) {
  using abi::PrimitiveTopology;
  for (const auto topology :
       {PrimitiveTopology::kTriangleList, PrimitiveTopology::kLineList, PrimitiveTopology::kPointList}) {
    Canvas canvas(8, 8);
    canvas.pipeline.primitive.topology = topology;
    canvas.pipeline.vertex.entry = RunShader<[](const Invocation& i) {
      PassThrough(i);
      i.Set(8, i.Float(0));
    }>;
    canvas.pipeline.vertex.layout.outputs.push_back(
        Builtin(abi::StageValue::kClipDistance, 0, abi::StageScalar::kF32));
    canvas.Render({{-1, 0.125f}, {3, 0.125f}, {-1, -3}});
    for (uint32_t x = 0; x < 8; ++x)
      EXPECT_EQ(canvas.Red(x, 3), x >= 4 && topology != PrimitiveTopology::kPointList ? 255 : 0) << x;
  }
}

TEST(Primitives, Points) {
  Canvas canvas(8, 8);
  canvas.pipeline.primitive.topology = abi::PrimitiveTopology::kPointList;
  canvas.Render({{-1 + 2 * 2.5f / 8, 1 - 2 * 3.5f / 8}, {-1 + 2 * 6.7f / 8, 1 - 2 * 1.1f / 8}});
  for (uint32_t y = 0; y < 8; ++y) {
    for (uint32_t x = 0; x < 8; ++x) {
      const bool hit = (x == 2 && y == 3) || (x == 6 && y == 1);
      EXPECT_EQ(canvas.Red(x, y), hit ? 255 : 0) << x << " " << y;
    }
  }
}

TEST(Primitives, LinesHaveOnePixelAStep) {
  for (const float slope : {0.0f, 0.3f, 0.9f, -0.6f}) {
    Canvas canvas(16, 16);
    canvas.pipeline.primitive.topology = abi::PrimitiveTopology::kLineList;
    const auto y_at = [&](float x) { return 8.2f + slope * (x - 8); };
    const auto vertex = [&](float x) { return Vertex{2 * x / 16 - 1, 1 - 2 * y_at(x) / 16}; };
    canvas.Render({vertex(2.5f), vertex(13.5f)});
    for (uint32_t x = 0; x < 16; ++x) {
      int pixels = 0;
      for (uint32_t y = 0; y < 16; ++y) {
        if (canvas.Red(x, y) == 0) continue;
        ++pixels;
        EXPECT_NEAR(static_cast<float>(y) + 0.5f, y_at(static_cast<float>(x) + 0.5f), 0.51f) << x;
      }
      EXPECT_EQ(pixels, x >= 2 && x < 13 ? 1 : 0) << x << ", slope " << slope;
    }
  }
}

TEST(Primitives, StripsRestart) {
  Canvas canvas(12, 1);
  canvas.pipeline.primitive.topology = abi::PrimitiveTopology::kTriangleStrip;
  canvas.pipeline.primitive.cull_mode = abi::CullMode::kBack;  // odd triangles face as even ones do
  canvas.pipeline.primitive.front_face = abi::FrontFace::kCw;
  std::vector<Vertex> vertices;
  for (int i = 0; i < 8; ++i)
    vertices.push_back({2 * static_cast<float>(i / 2 * 3) / 12 - 1, i % 2 == 0 ? -1.0f : 1.0f});
  for (const bool restart : {false, true}) {
    std::vector<uint16_t> indices = {0, 1, 2, 3, 4, 5, 6, 7};
    if (restart) indices.insert(indices.begin() + 4, 0xffff);
    raster::Draw draw = canvas.DrawOf(vertices);
    draw.indices = reinterpret_cast<const std::byte*>(indices.data());
    draw.index_bytes = indices.size() * sizeof(uint16_t);
    draw.index_format = abi::IndexFormat::kUint16;
    draw.count = static_cast<uint32_t>(indices.size());
    canvas.Render({draw});
    for (uint32_t x = 0; x < 9; ++x) {
      const bool gap = restart && x >= 3 && x < 6;
      EXPECT_EQ(canvas.Red(x, 0), gap ? 0 : 255) << x << " restart " << restart;
    }
  }
}

// As an indirect draw may ask for them.
TEST(Primitives, IndicesThatAreNotThereAreNotDrawn) {
  for (const auto topology :
       {abi::PrimitiveTopology::kTriangleList, abi::PrimitiveTopology::kTriangleStrip}) {
    Canvas canvas(8, 8);
    canvas.pipeline.primitive.topology = topology;
    const std::vector<Vertex> vertices = {{-1, -1}, {3, -1}, {-1, 3}};
    const std::vector<uint32_t> indices = {0, 1, 2};
    raster::Draw draw = canvas.DrawOf(vertices);
    draw.indices = reinterpret_cast<const std::byte*>(indices.data());
    draw.index_bytes = indices.size() * sizeof(uint32_t);
    draw.count = UINT32_MAX;
    canvas.Render({draw});
    EXPECT_EQ(canvas.Red(4, 4), 255);
    Canvas none(8, 8);
    draw.pipeline = &none.pipeline;
    draw.first = 4000000000;
    none.Render({draw});
    EXPECT_EQ(none.Red(4, 4), 0);
  }
}

TEST(Primitives, ManyTilesAndManyDraws) {
  Canvas canvas(4096, 1024);  // 1,024 tiles: smaller chunks
  canvas.pipeline.targets[0]->blend = kAdd;
  std::vector<Vertex> all = Rectangle(2, 2, 0, 0, 2, 2);
  for (Vertex& v : all) v.r = 1 / 255.0f;
  std::vector<raster::Draw> draws(10, canvas.DrawOf(all));
  canvas.Render(draws);
  EXPECT_EQ(canvas.Red(0, 0), 10);
  EXPECT_EQ(canvas.Red(4095, 1023), 10);
}

TEST(Values, PerspectiveAndLinear) {
  // Red goes from 0 to 1 where w goes from 1 to 3: half way over the image perspective gives a quarter.
  for (const auto interpolation :
       {abi::Interpolation::kPerspective, abi::Interpolation::kLinear, abi::Interpolation::kFlat}) {
    Canvas canvas(64, 2, ColorFormat::kRgba32Float);
    for (abi::StageSlot& slot : canvas.pipeline.fragment->layout.inputs) slot.interpolation = interpolation;
    const auto vertex = [](float x, float y, float w, float red) { return Vertex{x * w, y * w, 0, w, red}; };
    canvas.Render({vertex(-1, -1, 1, 0), vertex(1, -1, 3, 1), vertex(-1, 1, 1, 0), vertex(1, -1, 3, 1),
                   vertex(-1, 1, 1, 0), vertex(1, 1, 3, 1)});
    for (uint32_t x = 0; x < 64; ++x) {
      float red;
      std::memcpy(&red, canvas.texels.data() + size_t{x} * 16, sizeof(red));
      const float t = (static_cast<float>(x) + 0.5f) / 64;
      const float perspective = t / 3 / (1 - t + t / 3);
      if (interpolation == abi::Interpolation::kFlat)
        EXPECT_TRUE(red == 0 || red == 1);
      else
        EXPECT_NEAR(red, interpolation == abi::Interpolation::kLinear ? t : perspective, 1e-5f) << x;
    }
  }
}

// The near plane cuts the triangle where w is 1.5 and so on: what is linear in the framebuffer stays so.
TEST(Values, LinearOnesOfClippedTriangles) {
  for (const bool behind : {false, true}) {  // the last vertex behind the eye
    Canvas canvas(32, 32, ColorFormat::kRgba32Float);
    for (abi::StageSlot& slot : canvas.pipeline.fragment->layout.inputs)
      slot.interpolation = abi::Interpolation::kLinear;
    // Red is the place in the framebuffer, wherever that is.
    const auto vertex = [](float x, float y, float z, float w) {
      return Vertex{x * w, y * w, z * w, w, 0.5f * x + 0.25f * y};
    };
    const Vertex last = behind ? vertex(0, -3, 0.5f, -0.5f) : vertex(-0.5f, 1, -0.5f, 4);
    canvas.Render({vertex(-1, -1, 0.5f, 1), vertex(1, -1, 0.5f, 2), last});
    uint32_t drawn = 0;
    for (uint32_t i = 0; i < 32 * 32; ++i) {
      float color[4];
      std::memcpy(color, canvas.texels.data() + size_t{i} * 16, sizeof(color));
      if (color[3] == 0) continue;
      ++drawn;
      const float x = (static_cast<float>(i % 32) + 0.5f) / 16 - 1,
                  y = 1 - (static_cast<float>(i / 32) + 0.5f) / 16;
      ASSERT_NEAR(color[0], 0.5f * x + 0.25f * y, 1e-3f) << i << " behind " << behind;
    }
    EXPECT_GT(drawn, 50u);
  }
}

// What is not clipped by depth is clamped for the test alone.
TEST(Values, PositionOfUnclippedDepthIsNotClamped) {
  Canvas canvas(4, 4, ColorFormat::kRgba32Float);
  canvas.AddDepth(1);
  canvas.pipeline.primitive.unclipped_depth = true;
  canvas.pipeline.depth_stencil.depth_compare = abi::CompareFunction::kAlways;
  auto& inputs = canvas.pipeline.fragment->layout.inputs;
  inputs = {Builtin(abi::StageValue::kPosition, 2, abi::StageScalar::kF32)};
  canvas.pipeline.fragment->entry = RunShader<[](const Invocation& i) {
    for (uint32_t slot = 0; slot < 4; ++slot) i.Set(slot, i.Float(0));
  }>;
  canvas.Render({{-1, -1, 1.5f}, {3, -1, 1.5f}, {-1, 3, 1.5f}});
  float red;
  std::memcpy(&red, canvas.texels.data(), sizeof(red));
  EXPECT_EQ(red, 1.5f);
  EXPECT_EQ(canvas.depth[0], 1.0f);
}

TEST(Depth, TheNearestWinsInAnyOrderAndBothIsaAgree) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> place(-1.5f, 1.5f), unit(0.01f, 0.99f);
  std::vector<Vertex> vertices;
  for (int i = 0; i < 3 * 300; ++i) {
    vertices.push_back(
        {place(random), place(random), unit(random), 1, unit(random), unit(random), unit(random), 1});
  }
  std::vector<Vertex> reversed;
  for (size_t i = vertices.size(); i > 0; i -= 3)
    reversed.insert(reversed.end(), vertices.begin() + static_cast<long>(i) - 3,
                    vertices.begin() + static_cast<long>(i));
  std::vector<std::byte> first;
  for (const TileFunctions* functions : AllFunctions()) {
    for (const auto& order : {vertices, reversed}) {
      Canvas canvas(133, 97);
      canvas.AddDepth(1);
      canvas.Render(order, *functions);
      if (first.empty()) first = canvas.texels;
      EXPECT_EQ(canvas.texels, first);
    }
  }
}

TEST(Depth, LateTestsGiveTheSamePicture) {
  const std::vector<Vertex> vertices = {{-1, -1, 0.2f, 1, 1, 0, 0, 1}, {3, -1, 0.9f, 1, 1, 0, 0, 1},
                                        {-1, 3, 0.2f, 1, 1, 0, 0, 1},  {-1, -1, 0.7f, 1, 0, 1, 0, 1},
                                        {3, -1, 0.1f, 1, 0, 1, 0, 1},  {-1, 3, 0.7f, 1, 0, 1, 0, 1}};
  Canvas early(64, 64);
  early.AddDepth(1);
  early.Render(vertices);
  Canvas late(64, 64);
  late.AddDepth(1);
  late.pipeline.fragment->layout.inputs.push_back(
      Builtin(abi::StageValue::kCoverage, 0, abi::StageScalar::kBool));
  late.Render(vertices);
  EXPECT_EQ(early.texels, late.texels);
  EXPECT_EQ(early.depth, late.depth);
  EXPECT_THAT(early.At(2, 32), ElementsAre(255, 0, 0, 255));
  EXPECT_THAT(early.At(62, 32), ElementsAre(0, 255, 0, 255));
}

// Early tests leave out blocks that are hidden: random triangles over each other, some with other tests or
// without writing depth, some that discard nothing but might and so are tested late.
TEST(Depth, WhatIsHiddenIsHiddenInAnyMixOfTests) {
  using abi::CompareFunction;
  std::mt19937 random(11);
  std::uniform_real_distribution<float> place(-1.3f, 1.3f), unit(-0.2f, 1.2f);
  for (int scene = 0; scene < 60; ++scene) {
    const uint32_t samples = scene % 2 == 0 ? 1 : 4;
    const uint32_t width = 30 + static_cast<uint32_t>(random() % 80),
                   height = 20 + static_cast<uint32_t>(random() % 60);
    std::vector<std::vector<Vertex>> meshes;
    std::vector<Pipeline> kinds;  // of the draws; tested early or late by what is added below
    Canvas early(width, height, ColorFormat::kRgba8Unorm, samples),
        late(width, height, ColorFormat::kRgba8Unorm, samples);
    const float clear = scene % 3 == 0 ? 0.5f : scene % 3 == 1 ? 1.0f : 0.0f;
    for (Canvas* canvas : {&early, &late}) canvas->AddDepth(clear);
    for (int i = 0; i < 8; ++i) {
      Pipeline kind = early.pipeline;
      const bool usual = random() % 3 != 0;
      kind.depth_stencil.depth_compare =
          usual ? (scene % 3 == 2 ? CompareFunction::kGreaterEqual : CompareFunction::kLess)
                : static_cast<CompareFunction>(random() % 8);
      kind.depth_stencil.depth_write_enabled = random() % 4 != 0;
      kind.primitive.unclipped_depth = random() % 4 == 0;
      if (random() % 5 == 0)
        kind.fragment->layout.inputs.push_back(
            Builtin(abi::StageValue::kCoverage, 0, abi::StageScalar::kBool));
      kinds.push_back(kind);
      std::vector<Vertex>& mesh = meshes.emplace_back();
      for (int v = 0; v < 3 * 20; ++v) {
        const float w = 1 + 2 * std::fabs(place(random));
        const float depth = v % 5 == 0 ? 0.5f : unit(random);
        mesh.push_back(
            {place(random) * w, place(random) * w, depth * w, w, unit(random), unit(random), 1, 1});
      }
    }
    std::vector<Pipeline> all_late = kinds;
    for (Pipeline& kind : all_late) {
      if (kind.fragment->layout.inputs.size() == 4)
        kind.fragment->layout.inputs.push_back(
            Builtin(abi::StageValue::kCoverage, 0, abi::StageScalar::kBool));
    }
    const auto render = [&](Canvas& canvas, const std::vector<Pipeline>& pipelines) {
      std::vector<raster::Draw> draws;
      for (size_t i = 0; i < meshes.size(); ++i) {
        draws.push_back(canvas.DrawOf(meshes[i]));
        draws.back().pipeline = &pipelines[i];
      }
      canvas.Render(std::move(draws));
    };
    render(early, kinds);
    render(late, all_late);
    ASSERT_EQ(early.texels, late.texels) << "scene " << scene;
    ASSERT_EQ(early.depth, late.depth) << "scene " << scene;
  }
}

TEST(Depth, OcclusionCountsSamples) {
  for (const uint32_t samples : {1u, 4u}) {
    Canvas canvas(20, 20, ColorFormat::kRgba8Unorm, samples);
    canvas.AddDepth(0.5f);
    const std::vector<Vertex> near = Rectangle(20, 20, 2, 3, 7, 9, {0, 0, 0.25f}),
                              far = Rectangle(20, 20, 0, 0, 20, 20, {0, 0, 0.75f});
    std::atomic<uint64_t> passed{0}, hidden{0};
    std::vector<raster::Draw> draws = {canvas.DrawOf(near), canvas.DrawOf(far)};
    draws[0].samples_passed = &passed;
    draws[1].samples_passed = &hidden;
    canvas.Render(draws);
    EXPECT_EQ(passed, 30u * samples);
    EXPECT_EQ(hidden, 0u);
  }
}

// Without depth and stencil too.
TEST(Depth, OcclusionDoesNotCountWhatTheShaderDiscards) {
  Canvas canvas(20, 20);
  canvas.pipeline.fragment->entry = RunShader<[](const Invocation& i) {
    ColorOut(i);
    i.SetWord(4, i.Float(0) > 0.5f ? 1 : 0);
  }>;
  const abi::StageSlot coverage = Builtin(abi::StageValue::kCoverage, 0, abi::StageScalar::kBool);
  canvas.pipeline.fragment->layout.inputs.push_back(coverage);
  canvas.pipeline.fragment->layout.outputs.push_back(coverage);
  const std::vector<Vertex> kept = Rectangle(20, 20, 0, 0, 20, 20),
                            gone = Rectangle(20, 20, 2, 3, 7, 9, {0, 0, 0, 1, 0});
  std::atomic<uint64_t> passed{0}, discarded{0};
  std::vector<raster::Draw> draws = {canvas.DrawOf(kept), canvas.DrawOf(gone)};
  draws[0].samples_passed = &passed;
  draws[1].samples_passed = &discarded;
  canvas.Render(draws);
  EXPECT_EQ(passed, 400u);
  EXPECT_EQ(discarded, 0u);
}

TEST(Stencil, MasksWhatIsDrawnLater) {
  Canvas canvas(16, 16);
  std::vector<std::byte> stencil(256);
  DepthStencilAttachment attachment;
  attachment.has_stencil = true;
  attachment.stencil = {stencil.data(), 16};
  attachment.stencil_load_op = abi::LoadOp::kClear;
  canvas.attachments.depth_stencil = attachment;
  Pipeline mark = canvas.pipeline;
  mark.targets[0]->write_mask = 0;
  mark.depth_stencil.stencil_front.pass_op = mark.depth_stencil.stencil_back.pass_op =
      abi::StencilOperation::kReplace;
  canvas.pipeline.depth_stencil.stencil_front.compare = canvas.pipeline.depth_stencil.stencil_back.compare =
      abi::CompareFunction::kEqual;
  const std::vector<Vertex> part = Rectangle(16, 16, 4, 5, 9, 11), all = Rectangle(16, 16, 0, 0, 16, 16);
  std::vector<raster::Draw> draws = {canvas.DrawOf(part), canvas.DrawOf(all)};
  draws[0].pipeline = &mark;
  draws[0].stencil_reference = draws[1].stencil_reference = 7;
  canvas.Render(draws);
  for (uint32_t y = 0; y < 16; ++y) {
    for (uint32_t x = 0; x < 16; ++x) {
      const bool inside = x >= 4 && x < 9 && y >= 5 && y < 11;
      EXPECT_EQ(canvas.Red(x, y), inside ? 255 : 0);
      EXPECT_EQ(std::to_integer<int>(stencil[y * 16 + x]), inside ? 7 : 0);
    }
  }
}

TEST(Colors, BlendInOrder) {
  Canvas canvas(8, 8);
  canvas.pipeline.targets[0]->blend = abi::BlendState{
      {abi::BlendOperation::kAdd, abi::BlendFactor::kSrcAlpha, abi::BlendFactor::kOneMinusSrcAlpha},
      {abi::BlendOperation::kAdd, abi::BlendFactor::kOne, abi::BlendFactor::kZero}};
  std::vector<Vertex> vertices;
  float expected = 0;
  for (int i = 0; i < 20; ++i) {
    const float red = static_cast<float>(i % 3) / 2;
    for (Vertex v : Rectangle(8, 8, 0, 0, 8, 8, {0, 0, 0, 1, red, 0, 0, 0.25f})) vertices.push_back(v);
    expected = red * 0.25f + expected * 0.75f;
  }
  canvas.Render(vertices);
  EXPECT_NEAR(canvas.Red(3, 3), expected * 255, 3);
}

TEST(Colors, MultisampledEdgesResolveToShares) {
  Canvas canvas(8, 8, ColorFormat::kRgba8Unorm, 4);
  std::vector<std::byte> resolved(256);
  canvas.attachments.colors[0]->resolve = Surface{resolved.data(), 32};
  canvas.Render(Rectangle(8, 8, 0, 0, 3.5f, 8));
  EXPECT_EQ(std::to_integer<int>(resolved[4 * 2]), 255);
  EXPECT_EQ(std::to_integer<int>(resolved[4 * 3]), 128) << "two of four samples";
  EXPECT_EQ(std::to_integer<int>(resolved[4 * 4]), 0);
}

// A pixel of each format cleared, and drawn on, gives the same bytes; those of known values are these.
TEST(Colors, FormatsKeepTheirValues) {
  const abi::Color color = {0.25, 0.5, 1, 0.75};
  for (size_t f = 0; f < std::size(kColorFormats); ++f) {
    const auto format = static_cast<ColorFormat>(f);
    if (InfoOf(format).integer()) continue;
    Canvas cleared(4, 4, format);
    cleared.attachments.colors[0]->clear_value = color;
    cleared.Render(std::vector<raster::Draw>{});
    for (const bool masked : {false, true}) {
      Canvas drawn(4, 4, format);
      if (masked) {
        drawn.attachments.colors[0]->clear_value = {color[0], 0, color[2], 0};
        drawn.pipeline.targets[0]->write_mask = abi::color_write::kGreen | abi::color_write::kAlpha;
      }
      drawn.Render(Rectangle(4, 4, 0, 0, 4, 4, {0, 0, 0, 1, 0.25f, 0.5f, 1, 0.75f}));
      EXPECT_EQ(drawn.texels, cleared.texels) << InfoOf(format).name << " masked " << masked;
    }
  }
  const auto bytes = [&](ColorFormat format) {
    Canvas canvas(1, 1, format);
    canvas.attachments.colors[0]->clear_value = color;
    canvas.Render(std::vector<raster::Draw>{});
    std::vector<int> all;
    for (const std::byte b : canvas.texels) all.push_back(std::to_integer<int>(b));
    return all;
  };
  EXPECT_THAT(bytes(ColorFormat::kRgba8Unorm), ElementsAre(64, 128, 255, 191));
  EXPECT_THAT(bytes(ColorFormat::kBgra8Unorm), ElementsAre(255, 128, 64, 191));
  EXPECT_THAT(bytes(ColorFormat::kRgba8UnormSrgb), ElementsAre(137, 188, 255, 191));
  EXPECT_THAT(bytes(ColorFormat::kRgba8Snorm), ElementsAre(32, 64, 127, 95));
  EXPECT_THAT(bytes(ColorFormat::kRgba16Float), ElementsAre(0, 0x34, 0, 0x38, 0, 0x3c, 0, 0x3a));
  EXPECT_THAT(bytes(ColorFormat::kRgb10a2Unorm), ElementsAre(0x00, 0x01, 0xf8, 0xbf | 0x3f));
  EXPECT_THAT(bytes(ColorFormat::kRg11b10Ufloat), ElementsAre(0x40, 0x03, 0x1c, 0x78));
}

}  // namespace
}  // namespace lockstep::raster

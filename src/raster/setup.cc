// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Clipping, culling and setup (WebGPU: #primitive-clipping, #rasterization).
//
// Triangles are clipped by the near and far planes, by clip distances, and by a guard band around the
// viewport that keeps the edge functions of a tile within 32 bits; what the viewport and the scissor cut off
// is left to the tiles' bounds. A viewport that ends within a pixel takes the place of the guard band.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "raster/geometry.h"

namespace lockstep::raster {
namespace {

using abi::PrimitiveTopology;
using Vec4 = std::array<float, 4>;

// Pixels that a clipped vertex may be away from the framebuffer's corner. Differences of subpixels have 24
// bits then, and an edge function over a tile's 64 pixels less than 31.
constexpr float kGuardBand = 16384;
constexpr float kSmallestW = 0x1p-60f;

struct Corner {
  Vec4 position;  // clip space
  uint32_t vertex = 0;
  bool is_new = false;  // made by clipping
};

// A plane in clip space: inside where the dot product is not negative.
struct Plane {
  Vec4 normal;
  float offset = 0;
  float Distance(const Vec4& p) const {
    return normal[0] * p[0] + normal[1] * p[1] + normal[2] * p[2] + normal[3] * p[3] + offset;
  }
};

// In the framebuffer.
struct Point {
  int32_t x = 0, y = 0;  // subpixels
  float z = 0, inverse_w = 1;
};

struct Setup {
  Chunk& chunk;
  const GeometryScratch& scratch;
  const DrawState& state = *chunk.state;
  const Draw& draw = state.draw;
  const Pipeline& pipeline = *draw.pipeline;
  int32_t least_x, least_y, most_x, most_y;  // pixels that viewport and scissor leave, most exclusive
  bool whole_pixels;                         // the viewport's edges are between pixels
  std::vector<Plane> planes;
  std::vector<uint32_t> distance_slots;  // of the vertex's outputs: clip distances, which count as planes
  std::vector<uint32_t> linear_slots;    // likewise: what is linear in the framebuffer
  uint32_t primitive = 0;                // that is set up

  Setup(Chunk& to, const TileGrid& grid, const GeometryScratch& from) : chunk(to), scratch(from) {
    const abi::Viewport& view = draw.viewport;
    const auto range = [](uint32_t first, uint32_t size, float view_first, float view_size, uint32_t pixels,
                          int32_t& least, int32_t& most) {
      const double end = std::min<double>(pixels, uint64_t{first} + size);
      least = static_cast<int32_t>(std::clamp<double>(std::floor(view_first), first, end));
      most = static_cast<int32_t>(std::clamp<double>(std::ceil(view_first + view_size), least, end));
    };
    range(draw.scissor.x, draw.scissor.width, view.x, view.width, grid.width, least_x, most_x);
    range(draw.scissor.y, draw.scissor.height, view.y, view.height, grid.height, least_y, most_y);
    whole_pixels = true;
    for (const float edge : {view.x, view.y, view.x + view.width, view.y + view.height})
      whole_pixels &= edge == std::floor(edge);
    AddPlanes();
    AddSlots();
  }

  void AddSlots() {
    const auto& outputs = pipeline.vertex.layout.outputs;
    for (uint32_t slot = 0; slot < outputs.size(); ++slot) {
      if (outputs[slot].value == abi::StageValue::kClipDistance) distance_slots.push_back(slot);
    }
    if (!pipeline.fragment) return;
    const auto& inputs = pipeline.fragment->layout.inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const uint32_t slot = state.varying_of_input[i];
      if (inputs[i].interpolation == abi::Interpolation::kLinear && slot != UINT32_MAX)
        linear_slots.push_back(slot);
    }
  }

  // w first: what lies behind it has no place in the framebuffer.
  void AddPlanes() {
    planes.push_back({{0, 0, 0, 1}, -kSmallestW});
    if (!pipeline.primitive.unclipped_depth) {
      planes.push_back({{0, 0, 1, 0}});
      planes.push_back({{0, 0, -1, 1}});
    }
    // x_framebuffer = center + x / w * half lies within the band: half x + (band + center) w >= 0, and so on.
    // Or x / w itself within the viewport.
    const auto band = [&](int axis, float origin, float size) {
      const float half = whole_pixels ? size / 2 : 1;
      const float center = whole_pixels ? origin + half : 0;
      const float reach = whole_pixels ? kGuardBand : 1;
      for (const float sign : {1.0f, -1.0f}) {
        Plane plane{};
        plane.normal[axis] = sign * half;
        plane.normal[3] = reach + sign * center;
        planes.push_back(plane);
      }
    };
    band(0, draw.viewport.x, draw.viewport.width);
    // y points down in the framebuffer.
    band(1, draw.viewport.y, draw.viewport.height);
    planes[planes.size() - 2].normal[1] *= -1;
    planes[planes.size() - 1].normal[1] *= -1;
  }

  Corner CornerOf(uint32_t vertex) const {
    const uint32_t* const values = chunk.vertices.At(vertex);
    Corner corner;
    for (size_t i = 0; i < 4; ++i) {
      corner.position[i] = std::bit_cast<float>(values[state.position_slots[i] * abi::kStageInvocations]);
    }
    corner.vertex = vertex;
    return corner;
  }

  Point Project(const Vec4& p) const {
    const abi::Viewport& view = draw.viewport;
    const float inverse_w = 1 / p[3];
    const float x = view.x + (p[0] * inverse_w + 1) * 0.5f * view.width;
    const float y = view.y + (1 - p[1] * inverse_w) * 0.5f * view.height;
    const float z = view.min_depth + p[2] * inverse_w * (view.max_depth - view.min_depth);
    const auto snap = [](float v) {
      return static_cast<int32_t>(std::lrint(std::clamp(v, -kGuardBand, kGuardBand) * kSubpixels));
    };
    return {snap(x), snap(y), z, inverse_w};
  }

  // A new vertex between two, t of the way from a to b. Flat values are never taken from it. Those that are
  // linear in the framebuffer are multiplied with w, which makes them linear here, until `Finish`.
  Corner Between(const Corner& a, const Corner& b, float t) {
    Corner made;
    made.is_new = true;
    for (size_t i = 0; i < 4; ++i) made.position[i] = a.position[i] + t * (b.position[i] - a.position[i]);
    made.vertex = chunk.vertices.Add();
    const auto& outputs = pipeline.vertex.layout.outputs;
    for (uint32_t slot = 0; slot < chunk.vertices.slots(); ++slot) {
      const float va = Value(a, slot), vb = Value(b, slot);
      Word(made, slot) = outputs[slot].scalar == abi::StageScalar::kF32
                             ? std::bit_cast<uint32_t>(va + t * (vb - va))
                             : Word(a, slot);
    }
    for (const uint32_t slot : linear_slots) {
      const auto product = [&](const Corner& c) {
        return c.is_new ? Value(c, slot) : Value(c, slot) * c.position[3];
      };
      const float va = product(a), vb = product(b);
      Word(made, slot) = std::bit_cast<uint32_t>(va + t * (vb - va));
    }
    return made;
  }
  void Finish(const std::vector<Corner>& corners) {
    for (const Corner& corner : corners) {
      if (!corner.is_new) continue;
      for (const uint32_t slot : linear_slots)
        Word(corner, slot) = std::bit_cast<uint32_t>(Value(corner, slot) / corner.position[3]);
    }
  }

  uint32_t& Word(const Corner& corner, uint32_t slot) {
    return chunk.vertices.At(corner.vertex)[slot * abi::kStageInvocations];
  }
  float Value(const Corner& corner, uint32_t slot) const {
    return std::bit_cast<float>(chunk.vertices.At(corner.vertex)[slot * abi::kStageInvocations]);
  }

  // Planes and, behind them, clip distances.
  size_t boundaries() const { return planes.size() + distance_slots.size(); }
  float Distance(size_t boundary, const Corner& corner) const {
    if (boundary < planes.size()) return planes[boundary].Distance(corner.position);
    return Value(corner, distance_slots[boundary - planes.size()]);
  }

  // Sutherland and Hodgman's; the polygon that is left, in `polygon`.
  void Clip(std::vector<Corner>& polygon, uint32_t outside) {
    std::vector<Corner> kept;
    for (size_t p = 0; p < boundaries(); ++p) {
      if ((outside >> p & 1) == 0) continue;
      kept.clear();
      for (size_t i = 0; i < polygon.size(); ++i) {
        const Corner& a = polygon[i];
        const Corner& b = polygon[(i + 1) % polygon.size()];
        const float da = Distance(p, a), db = Distance(p, b);
        if (da >= 0) kept.push_back(a);
        if ((da >= 0) == (db >= 0)) continue;
        // From the inside out, so that neighbours that share the edge get the same vertex.
        kept.push_back(da >= 0 ? Between(a, b, da / (da - db)) : Between(b, a, db / (db - da)));
      }
      polygon.swap(kept);
    }
    Finish(polygon);
  }

  // Bit p: it lies outside of boundary p. NaN is outside of all.
  uint32_t Outcode(const Corner& corner) const {
    uint32_t code = 0;
    for (size_t p = 0; p < boundaries(); ++p) {
      code |= static_cast<uint32_t>(!(Distance(p, corner) >= 0)) << p;
    }
    return code;
  }

  void ClippedTriangle(const std::array<Corner, 3>& corners) {
    uint32_t any = 0, all = ~0u;
    for (const Corner& corner : corners) {
      const uint32_t code = Outcode(corner);
      any |= code;
      all &= code;
    }
    if (all != 0) return;
    const uint32_t provoking = corners[0].vertex;
    if (any == 0) {
      return AddTriangle(
          {Project(corners[0].position), Project(corners[1].position), Project(corners[2].position)},
          {corners[0].vertex, corners[1].vertex, corners[2].vertex}, provoking);
    }
    for (const Corner& corner : corners) {
      if (!std::all_of(corner.position.begin(), corner.position.end(),
                       [](float v) { return std::isfinite(v); }))
        return;
    }
    std::vector<Corner> polygon(corners.begin(), corners.end());
    Clip(polygon, any);
    for (size_t i = 2; i < polygon.size(); ++i) {
      AddTriangle(
          {Project(polygon[0].position), Project(polygon[i - 1].position), Project(polygon[i].position)},
          {polygon[0].vertex, polygon[i - 1].vertex, polygon[i].vertex}, provoking);
    }
  }

  // The pixel's square around the point, when that is inside of the clip volume.
  void PointAt(const Corner& corner) {
    const Vec4& at_clip = corner.position;
    const bool in_view = std::fabs(at_clip[0]) <= at_clip[3] && std::fabs(at_clip[1]) <= at_clip[3];
    if (!in_view || Outcode(corner) != 0) return;
    const Point center = Project(corner.position);
    const auto at = [&](int32_t x, int32_t y) {
      Point p = center;
      p.x += x * kSubpixels / 2;
      p.y += y * kSubpixels / 2;
      return p;
    };
    Quad({at(-1, -1), at(1, -1), at(1, 1), at(-1, 1)},
         {corner.vertex, corner.vertex, corner.vertex, corner.vertex}, corner.vertex);
  }

  // One pixel wide across its longer direction: as Bresenham's, without the last pixel.
  void LineBetween(const Corner& from, const Corner& to) {
    const uint32_t code_a = Outcode(from), code_b = Outcode(to);
    if ((code_a & code_b) != 0) return;
    std::vector<Corner> ends = {from, to};
    if ((code_a | code_b) != 0 && !ClipLine(ends)) return;
    const Point a = Project(ends[0].position), b = Project(ends[1].position);
    const bool along_x = std::abs(int64_t{b.x} - a.x) >= std::abs(int64_t{b.y} - a.y);
    const auto beside = [&](Point p, int32_t side) {
      (along_x ? p.y : p.x) += side * kSubpixels / 2;
      return p;
    };
    Quad({beside(a, -1), beside(b, -1), beside(b, 1), beside(a, 1)},
         {ends[0].vertex, ends[1].vertex, ends[1].vertex, ends[0].vertex}, from.vertex);
  }

  bool ClipLine(std::vector<Corner>& ends) {
    float begin = 0, end = 1;
    for (size_t p = 0; p < boundaries(); ++p) {
      const float da = Distance(p, ends[0]), db = Distance(p, ends[1]);
      if (!(da >= 0) && !(db >= 0)) return false;
      if (!(da >= 0)) begin = std::max(begin, da / (da - db));
      if (!(db >= 0)) end = std::min(end, da / (da - db));
    }
    if (!(begin < end)) return false;
    const Corner a = ends[0], b = ends[1];
    if (begin > 0) ends[0] = Between(a, b, begin);
    if (end < 1) ends[1] = Between(a, b, end);
    Finish(ends);
    return true;
  }

  // Points and lines have no back.
  void Quad(const std::array<Point, 4>& p, const std::array<uint32_t, 4>& vertices, uint32_t provoking) {
    for (const size_t i : {size_t{1}, size_t{2}}) {
      EmitTriangle({p[0], p[i], p[i + 1]}, {vertices[0], vertices[i], vertices[i + 1]}, provoking, true,
                   false);
    }
  }

  // Twice the area, y pointing down: positive where the vertices go clockwise as one sees it.
  static int64_t Area(const std::array<Point, 3>& p) {
    return (int64_t{p[1].x} - p[0].x) * (int64_t{p[2].y} - p[0].y) -
           (int64_t{p[2].x} - p[0].x) * (int64_t{p[1].y} - p[0].y);
  }

  void AddTriangle(const std::array<Point, 3>& p, const std::array<uint32_t, 3>& vertices,
                   uint32_t provoking) {
    const int64_t area = Area(p);
    if (area == 0) return;
    const bool front = (area < 0) == (pipeline.primitive.front_face == abi::FrontFace::kCcw);
    if (pipeline.primitive.cull_mode == (front ? abi::CullMode::kFront : abi::CullMode::kBack)) return;
    EmitTriangle(p, vertices, provoking, front, true);
  }

  // WebGPU: #depth-bias, for which `p` is a triangle's.
  float DepthBias(const std::array<Point, 3>& p, int64_t area) const {
    const abi::DepthStencilState& bias = pipeline.depth_stencil;
    if (bias.depth_bias == 0 && bias.depth_bias_slope_scale == 0) return 0;
    const double scale = static_cast<double>(kSubpixels) / static_cast<double>(area);
    const double z1 = double{p[1].z} - p[0].z, z2 = double{p[2].z} - p[0].z;
    const double dx = (z1 * (p[2].y - p[0].y) - z2 * (p[1].y - p[0].y)) * scale;
    const double dy = (z2 * (p[1].x - p[0].x) - z1 * (p[2].x - p[0].x)) * scale;
    const auto slope = static_cast<float>(std::max(std::fabs(dx), std::fabs(dy)));
    const float value =
        static_cast<float>(bias.depth_bias) * BiasUnit(p) + slope * bias.depth_bias_slope_scale;
    if (bias.depth_bias_clamp > 0) return std::min(value, bias.depth_bias_clamp);
    if (bias.depth_bias_clamp < 0) return std::max(value, bias.depth_bias_clamp);
    return value;
  }

  // The smallest difference of depths that the format resolves: of floats at the triangle's largest one.
  float BiasUnit(const std::array<Point, 3>& p) const {
    if (pipeline.depth_format == DepthFormat::kUnorm16) return 0x1p-16f;
    const float largest = std::max({std::fabs(p[0].z), std::fabs(p[1].z), std::fabs(p[2].z)});
    return std::ldexp(1.0f, std::ilogb(std::max(largest, 0x1p-100f)) - 23);
  }

  void EmitTriangle(std::array<Point, 3> p, std::array<uint32_t, 3> vertices, uint32_t provoking, bool front,
                    bool biased) {
    int64_t area = Area(p);
    if (area == 0) return;
    if (area < 0) {
      std::swap(p[1], p[2]);
      std::swap(vertices[1], vertices[2]);
      area = -area;
    }
    Triangle t;
    if (!Bounds(p, t)) return;
    const float bias = biased ? DepthBias(p, area) : 0;
    for (size_t i = 0; i < 3; ++i) {
      const Point& from = p[(i + 1) % 3];
      const Point& to = p[(i + 2) % 3];
      t.a[i] = from.y - to.y;
      t.b[i] = to.x - from.x;
      const bool top_or_left = t.a[i] > 0 || (t.a[i] == 0 && t.b[i] > 0);
      t.c[i] = -(int64_t{t.a[i]} * from.x + int64_t{t.b[i]} * from.y) - (top_or_left ? 0 : 1);
      t.z[i] = p[i].z + bias;
      t.inverse_w[i] = p[i].inverse_w;
    }
    t.inverse_area = 1 / static_cast<double>(area);
    t.vertices = vertices;
    t.provoking = provoking;
    t.primitive = primitive;
    t.min_depth = draw.viewport.min_depth;
    t.max_depth = draw.viewport.max_depth;
    t.front = front;
    chunk.triangles.push_back(t);
  }

  // The pixels with samples that may lie inside.
  bool Bounds(const std::array<Point, 3>& p, Triangle& t) const {
    const auto [min_x, max_x] = std::minmax({p[0].x, p[1].x, p[2].x});
    const auto [min_y, max_y] = std::minmax({p[0].y, p[1].y, p[2].y});
    // With one sample, in the pixel's middle, its column counts from half a pixel on.
    const int32_t reach = pipeline.multisample.count == 1 ? kSubpixels / 2 : 0;
    const auto first = [&](int32_t v) {
      return (v - reach + (reach != 0 ? kSubpixels - 1 : 0)) >> kSubpixelBits;
    };
    const auto last = [&](int32_t v) { return ((v - reach) >> kSubpixelBits) + 1; };
    t.min_x = std::max(first(min_x), least_x);
    t.min_y = std::max(first(min_y), least_y);
    t.max_x = std::min(last(max_x), most_x);
    t.max_y = std::min(last(max_y), most_y);
    return t.min_x < t.max_x && t.min_y < t.max_y;
  }

  void Run() {
    const uint32_t corners = CornersOf(pipeline.primitive.topology);
    for (size_t i = 0; i < scratch.corners.size(); i += corners, ++primitive) {
      const Corner first = CornerOf(scratch.corners[i]);
      if (corners == 1)
        PointAt(first);
      else if (corners == 2)
        LineBetween(first, CornerOf(scratch.corners[i + 1]));
      else
        ClippedTriangle({first, CornerOf(scratch.corners[i + 1]), CornerOf(scratch.corners[i + 2])});
    }
  }
};

void Bin(Chunk& chunk, const TileGrid& grid) {
  const uint32_t columns = grid.columns();
  const auto each_tile = [&](const Triangle& t, const auto& visit) {
    for (uint32_t y = static_cast<uint32_t>(t.min_y) / kTileSize;
         y <= (static_cast<uint32_t>(t.max_y) - 1) / kTileSize; ++y) {
      for (uint32_t x = static_cast<uint32_t>(t.min_x) / kTileSize;
           x <= (static_cast<uint32_t>(t.max_x) - 1) / kTileSize; ++x)
        visit(y * columns + x);
    }
  };
  chunk.tile_begin.assign(grid.tiles() + 1, 0);
  for (const Triangle& t : chunk.triangles)
    each_tile(t, [&](uint32_t tile) { ++chunk.tile_begin[tile + 1]; });
  for (size_t i = 1; i < chunk.tile_begin.size(); ++i) chunk.tile_begin[i] += chunk.tile_begin[i - 1];
  chunk.tile_triangles.resize(chunk.tile_begin.back());
  std::vector<uint32_t> next(chunk.tile_begin.begin(), chunk.tile_begin.end() - 1);
  for (uint32_t i = 0; i < chunk.triangles.size(); ++i)
    each_tile(chunk.triangles[i], [&](uint32_t tile) { chunk.tile_triangles[next[tile]++] = i; });
}

}  // namespace

void SetUpPrimitives(Chunk& chunk, const TileGrid& grid, const GeometryScratch& scratch) {
  chunk.triangles.clear();
  Setup(chunk, grid, scratch).Run();
  Bin(chunk, grid);
}

}  // namespace lockstep::raster

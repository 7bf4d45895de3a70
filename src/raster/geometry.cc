// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "raster/geometry.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "support/check.h"

namespace lockstep::raster {

void VertexValues::Free::operator()(uint32_t* words) const {
  ::operator delete[](words, std::align_val_t{64});
}

void VertexValues::Reserve(uint32_t size) {
  const size_t blocks = (size_t{size} + abi::kStageInvocations - 1) / abi::kStageInvocations;
  while (blocks_.size() < blocks) {
    blocks_.emplace_back(static_cast<uint32_t*>(::operator new[](block_bytes(), std::align_val_t{64})));
  }
}

uint32_t VertexValues::Add() {
  Reserve(size_ + 1);
  return size_++;
}

void VertexValues::Clear(uint32_t slots) {
  if (slots != slots_) blocks_.clear();
  slots_ = slots;
  size_ = 0;
}

void PadBatch(const Stage& stage, uint32_t* input, uint32_t count) {
  constexpr uint32_t kMostLanes = 64;
  const uint32_t end = std::min(abi::kStageInvocations, (count + kMostLanes - 1) / kMostLanes * kMostLanes);
  for (size_t i = 0; i < stage.layout.inputs.size(); ++i, input += abi::kStageInvocations) {
    const bool is_coverage = stage.layout.inputs[i].value == abi::StageValue::kCoverage;
    if (stage.Uses(i)) std::fill(input + count, input + end, is_coverage ? 0 : input[count - 1]);
  }
}

abi::StagePlace PlaceOfPrimitive(const Chunk& chunk, uint32_t number) {
  const uint64_t place = chunk.first + number;
  abi::StagePlace at;
  at.instance = static_cast<uint32_t>(place / chunk.state->primitives);
  at.primitive = static_cast<uint32_t>(place % chunk.state->primitives);
  return at;
}

namespace {

// What observers are told of vertices of a chunk.
struct VertexBatch : abi::StageBatch {
  VertexBatch(const Draw& of, const GeometryScratch& vertices, uint32_t begin)
      : first_instance(of.first_instance), scratch(vertices), first(begin) {
    draw = of.number;
    place = [](const abi::StageBatch& self, uint32_t invocation) {
      const auto& batch = static_cast<const VertexBatch&>(self);
      const size_t vertex =  // or a repeated one behind the last
          std::min<size_t>(size_t{batch.first} + invocation, batch.scratch.vertex_index.size() - 1);
      abi::StagePlace at;
      at.vertex = batch.scratch.vertex_index[vertex];
      at.instance = batch.scratch.instance_index[vertex] - batch.first_instance;
      return at;
    };
  }
  uint32_t first_instance;
  const GeometryScratch& scratch;
  uint32_t first;
};

bool Shade(Chunk& chunk, const abi::Dispatch& dispatch, abi::Worker& worker, GeometryScratch& scratch) {
  const Draw& draw = chunk.state->draw;
  const Stage& stage = draw.pipeline->vertex;
  const auto count = static_cast<uint32_t>(scratch.vertex_index.size());
  chunk.vertices.Clear(static_cast<uint32_t>(stage.layout.outputs.size()));
  chunk.vertices.Reserve(count);
  const size_t input_words = stage.layout.inputs.size() * abi::kStageInvocations;
  scratch.input.resize(input_words);
  scratch.buffers = draw.vertex_resources;
  scratch.buffers.push_back(
      {reinterpret_cast<std::byte*>(scratch.input.data()), input_words * sizeof(uint32_t)});
  scratch.buffers.push_back({});
  abi::Dispatch batch = dispatch;
  batch.buffers = scratch.buffers.data();
  batch.textures = draw.vertex_textures.data();
  for (uint32_t first = 0; first < count; first += abi::kStageInvocations) {
    worker.invocations = std::min(abi::kStageInvocations, count - first);
    FetchVertices(draw, scratch, first, worker.invocations, scratch.input.data());
    PadBatch(stage, scratch.input.data(), worker.invocations);
    scratch.buffers.back() = {reinterpret_cast<std::byte*>(chunk.vertices.At(first)),
                              chunk.vertices.block_bytes()};
    const VertexBatch told(draw, scratch, first);
    if (worker.observer != nullptr) worker.observer->batch(worker.observer, told);
    if (stage.entry(&batch, &worker, 0, 0, 0) != abi::kDone) return false;
  }
  chunk.vertices.Shaded(count);
  return true;
}

}  // namespace

bool Process(Chunk& chunk, const TileGrid& grid, const abi::Dispatch& dispatch, abi::Worker& worker,
             GeometryScratch& scratch) {
  Assemble(chunk, scratch);
  if (!Shade(chunk, dispatch, worker, scratch)) return false;
  SetUpPrimitives(chunk, grid, scratch);
  return true;
}

}  // namespace lockstep::raster

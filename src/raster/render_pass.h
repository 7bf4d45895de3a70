// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// A render pass on the processor: sort-middle. Draws collect until there is enough work; then chunks of their
// primitives are made into triangles, in parallel (geometry.h), and after that the tiles of the attachments
// are drawn, in parallel, each going through the triangles that touch it in the order of the API (tile.h). So
// pictures do not depend on threads, and blending needs no locks. docs/raster.md tells more.
#pragma once

#include <functional>
#include <memory>

#include "raster/pipeline.h"

namespace lockstep::raster {

// The threads that the device lends.
class Threads {
 public:
  virtual ~Threads() = default;
  virtual uint32_t slots() const = 0;
  // Calls run(slot, worker, i) for each i below count, a slot by one thread at a time. False where it was
  // told to stop, or `run` gave false: then some calls did not happen.
  using Run = std::function<bool(uint32_t slot, abi::Worker& worker, uint64_t i)>;
  virtual bool ForEach(uint64_t count, const Run& run) = 0;
};

struct TileFunctions;  // tile.h
const TileFunctions& TileFunctionsHere();

class RenderPass {
 public:
  // `dispatch` has what is constant for the kernels: `cancel`. `functions` are of one kind of processor.
  RenderPass(const Attachments& attachments, Threads& threads, const abi::Dispatch& dispatch,
             const TileFunctions& functions = TileFunctionsHere());
  ~RenderPass();

  // Does load operations. All three give false when the pass was told to stop: the attachments are undefined
  // then.
  [[nodiscard]] bool Begin();
  [[nodiscard]] bool Add(Draw draw);
  // Draws what is left, resolves, and does store operations.
  [[nodiscard]] bool End();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep::raster

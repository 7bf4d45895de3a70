// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What an instrumented kernel tells while it runs (ir/transform/instrument_races.h puts the events in). The
// kernel calls the functions of the Observer of its worker; an observer belongs to one thread.
//
// An event stands for a group of lanes: lane i is the invocation first_invocation + i of the workgroup that
// runs, and takes part where bit i of `mask` is set. Arrays have one word a lane (Observer::lanes of them);
// the words of lanes that take no part mean nothing.
#pragma once

#include <cstdint>

namespace lockstep::abi {

enum class AccessKind : uint32_t { kRead, kWrite, kAtomicRead, kAtomicWrite, kAtomicRmw };

inline bool Writes(AccessKind kind) { return kind != AccessKind::kRead && kind != AccessKind::kAtomicRead; }
inline bool IsAtomic(AccessKind kind) { return kind >= AccessKind::kAtomicRead; }

// Which memory a barrier orders, within its workgroup. Executing any of them joins the workgroup's
// invocations.
enum BarrierBits : uint32_t { kBarrierWorkgroup = 1, kBarrierStorage = 2, kBarrierTexture = 4 };

// The words that one access touches and how: an immediate of the code.
constexpr uint32_t PackAccess(AccessKind kind, uint32_t words) {
  return words << 3 | static_cast<uint32_t>(kind);
}
constexpr AccessKind KindOfPacked(uint32_t packed) { return static_cast<AccessKind>(packed & 7); }
constexpr uint32_t WordsOfPacked(uint32_t packed) { return packed >> 3; }

// Added to the length of an event `bounds`, which is smaller, where the index was an i32.
inline constexpr uint32_t kSignedIndex = uint32_t{1} << 31;

// One invocation of a vertex or fragment shader.
struct StagePlace {
  uint32_t instance = 0;   // from 0 in its draw
  uint32_t primitive = 0;  // of the instance; of fragments
  uint32_t vertex = 0;     // vertex_index, of vertices
  uint32_t x = 0, y = 0;   // the pixel, of fragments
  uint32_t sample = 0;     // likewise, where each is shaded by itself
};

// Vertices or fragments that are about to run (abi/stage.h).
struct StageBatch {
  uint32_t draw = 0;  // number in its render pass
  bool fragments = false;
  StagePlace (*place)(const StageBatch& self, uint32_t invocation) = nullptr;  // those of the batch
};

struct Observer {
  // Called by whoever runs workgroups, before each: its number in linear order (x runs fastest).
  void (*workgroup)(Observer* self, uint64_t number) = nullptr;
  // Lanes access the words [offsets[i], offsets[i] + words) of a variable. `site` numbers the place in the
  // source. `details` has rows of one word a lane, as the site says; null for a kernel without them.
  void (*access)(Observer* self, uint32_t site, uint32_t packed, uint32_t variable, uint32_t first_invocation,
                 uint64_t mask, const uint32_t* offsets, const uint32_t* details) = nullptr;
  // Lanes would access past a length (or with kSignedIndex): the access is clamped or left out.
  void (*bounds)(Observer* self, uint32_t site, uint32_t variable, uint32_t first_invocation, uint64_t mask,
                 const uint32_t* indices, const uint32_t* lengths) = nullptr;
  // The workgroup passes a barrier (BarrierBits).
  void (*barrier)(Observer* self, uint32_t bits) = nullptr;
  uint32_t lanes = 1;

  // A shortcut for what loops do most, reading what everybody reads: where the cell of the word,
  // cells[variable][offset], has this value, a plain read by several lanes changes nothing and is not told.
  // [0] for workgroup memory, [1] for storage.
  const uint64_t* const* cells = nullptr;
  uint64_t quiet[2] = {};

  // Called by whoever runs vertices and fragments, instead of `workgroup`: nothing orders them.
  void (*batch)(Observer* self, const StageBatch& batch) = nullptr;
};

}  // namespace lockstep::abi

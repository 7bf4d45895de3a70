// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// How vertex and fragment kernels get and give their values. One call of such a kernel runs a batch:
// Worker::invocations of at most kStageInvocations invocations, vertices or fragments.
//
// Its inputs and outputs lie in two memories of the host, bound as the buffers that follow the module's own,
// as structure of arrays: the value of slot s of invocation i of the batch is word s * kStageInvocations + i.
// A slot is one scalar of 32 bits; f16 values travel as f32. Invocations past the batch, up to a multiple of
// the kernel's lanes, run like the others: the host puts there any values, but no coverage, so that they are
// helpers.
//
// Fragments come in quads: invocations 4k .. 4k + 3 are the pixels (x, y), (x + 1, y), (x, y + 1), (x + 1, y
// + 1).
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::abi {

inline constexpr uint32_t kStageInvocations = 256;

// What a slot holds (WGSL: #builtin-inputs-outputs).
enum class StageValue : uint8_t {
  kLocation,        // a component of the user-defined value `location`
  kVertexIndex,     // u32, to vertices
  kInstanceIndex,   // u32, to vertices
  kPosition,        // f32 x 4: clip coordinates of a vertex; framebuffer coordinates and 1/w to a fragment
  kClipDistance,    // f32 each, of a vertex
  kFrontFacing,     // bool, to fragments
  kPrimitiveIndex,  // u32, to fragments
  kSampleIndex,     // u32, to fragments
  kSampleMask,      // u32, to and of fragments
  kFragDepth,       // f32, of a fragment
  // Bool, to fragments: false for a helper, which runs for the derivatives of its quad alone: its stores and
  // atomics do nothing. Only where the kernel asks for it. As an output of those that discard: whether the
  // fragment still counts.
  kCoverage,
};

enum class StageScalar : uint8_t { kF32, kI32, kU32, kBool };  // a bool is 0 or 1

// Of user-defined values between vertices and fragments (WGSL: #interpolation).
enum class Interpolation : uint8_t { kPerspective, kLinear, kFlat };
enum class Sampling : uint8_t { kCenter, kCentroid, kSample, kFirst, kEither };  // the last two of kFlat

struct StageSlot {
  StageValue value = StageValue::kLocation;
  uint8_t component = 0;  // of the vector, or the element of clip_distances
  uint8_t blend_src = 0;  // of a fragment's output
  uint32_t location = 0;
  StageScalar scalar = StageScalar::kF32;
  Interpolation interpolation = Interpolation::kPerspective;  // of user-defined values
  Sampling sampling = Sampling::kCenter;
  friend bool operator==(const StageSlot&, const StageSlot&) = default;
};

// Slots in order: the built-in values first, as the enumeration has them; then locations and components,
// upwards.
struct StageLayout {
  std::vector<StageSlot> inputs, outputs;
};

}  // namespace lockstep::abi

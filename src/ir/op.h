// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Enumerations of the IR: operations (ir/op.def), and what their `imm` fields mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "abi/stage.h"
#include "abi/texture.h"

namespace lockstep::ir {

enum class Op : uint8_t {
#define OP(Name, text, kind, effect) k##Name,
#include "ir/op.def"
};

enum class OpKind : uint8_t { kUnary, kBinary, kCompare, kTernary, kValue, kMemory, kControl, kExit, kLanes };
enum class Effect : uint8_t { kPure, kRead, kWrite, kControl };

std::string_view OpText(Op op);
OpKind KindOf(Op op);
Effect EffectOf(Op op);
std::optional<Op> OpFromText(std::string_view text);
inline bool IsExit(Op op) { return KindOf(op) == OpKind::kExit; }

enum class Stage : uint8_t { kCompute, kVertex, kFragment };
std::string_view StageText(Stage stage);  // "vertex"
std::optional<Stage> StageFromText(std::string_view text);

enum class Builtin : uint32_t {
#define BUILTIN(Name, text, stage, scalar, width) k##Name,
#include "ir/builtins.def"
};
Stage StageOf(Builtin builtin);
// Every device dispatches at most that many workgroups in each dimension (abi::Dispatch::workgroup_count):
// range analysis relies on it. The product of three still fits 64 bits.
inline constexpr uint32_t kMaxWorkgroupsPerDimension = (1u << 21) - 1;
std::string_view BuiltinText(Builtin builtin);  // "local_invocation_id"
std::optional<Builtin> BuiltinFromText(std::string_view text);

// What `input` and `output` mean. Locations are below kMaxLocations, which limits of devices are far below.
inline constexpr uint32_t kMaxLocations = 1 << 16;
struct StageInput {
  uint32_t location = 0;
  abi::Interpolation interpolation = abi::Interpolation::kPerspective;
  abi::Sampling sampling = abi::Sampling::kCenter;
};
struct StageOutput {
  abi::StageValue value =
      abi::StageValue::kLocation;  // kLocation, kPosition, kClipDistance, kFragDepth, kSampleMask
  uint32_t location = 0;
  uint32_t blend_src = 0;
};
uint32_t Pack(const StageInput& input);
uint32_t Pack(const StageOutput& output);
StageInput UnpackInput(uint32_t imm);
StageOutput UnpackOutput(uint32_t imm);
std::string_view InterpolationText(abi::Interpolation interpolation);  // "perspective"
std::optional<abi::Interpolation> InterpolationFromText(std::string_view text);
std::string_view SamplingText(abi::Sampling sampling);  // "center"
std::optional<abi::Sampling> SamplingFromText(std::string_view text);
// Of outputs that are built in: "frag_depth".
std::string_view BuiltinOutputText(abi::StageValue value);
std::optional<abi::StageValue> BuiltinOutputFromText(std::string_view text);

std::string_view TextureNumberText(abi::TextureNumber number);  // "width"
std::optional<abi::TextureNumber> TextureNumberFromText(std::string_view text);

// Reads or changes the scalar of an atomic.
inline bool IsAtomic(Op op) {
  return op == Op::kAtomicLoad || op == Op::kAtomicStore || op == Op::kAtomicRmw ||
         op == Op::kAtomicCompareExchange;
}
// Where the guard of a write stands among the operands of those that can have one; none for others.
std::optional<uint32_t> GuardPosition(Op op);
enum class AtomicOp : uint32_t { kAdd, kSub, kMax, kMin, kAnd, kOr, kXor, kExchange };
std::string_view AtomicOpText(AtomicOp op);  // "add"
std::optional<AtomicOp> AtomicOpFromText(std::string_view text);

}  // namespace lockstep::ir

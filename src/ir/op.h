// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Enumerations of the IR: operations (ir/op.def), and what their `imm` fields mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

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

// Values that an entry point gets (WGSL #builtin-inputs-outputs).
enum class Builtin : uint32_t {
  kLocalInvocationId,      // vec3<u32>
  kLocalInvocationIndex,   // u32
  kGlobalInvocationId,     // vec3<u32>
  kWorkgroupId,            // vec3<u32>
  kNumWorkgroups,          // vec3<u32>
  kGlobalInvocationIndex,  // u32, language feature linear_indexing
  kWorkgroupIndex,         // u32, language feature linear_indexing
};
// Every device dispatches at most that many workgroups in each dimension (abi::Dispatch::workgroup_count):
// range analysis relies on it. The product of three still fits 64 bits.
inline constexpr uint32_t kMaxWorkgroupsPerDimension = (1u << 21) - 1;
std::string_view BuiltinText(Builtin builtin);  // "local_invocation_id"
std::optional<Builtin> BuiltinFromText(std::string_view text);

// Reads or changes the scalar of an atomic.
inline bool IsAtomic(Op op) {
  return op == Op::kAtomicLoad || op == Op::kAtomicStore || op == Op::kAtomicRmw ||
         op == Op::kAtomicCompareExchange;
}
enum class AtomicOp : uint32_t { kAdd, kSub, kMax, kMin, kAnd, kOr, kXor, kExchange };
std::string_view AtomicOpText(AtomicOp op);  // "add"
std::optional<AtomicOp> AtomicOpFromText(std::string_view text);

}  // namespace lockstep::ir

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/op.h"

#include <array>
#include <unordered_map>

#include "support/check.h"

namespace lockstep::ir {
namespace {

struct OpRow {
  std::string_view text;
  OpKind kind;
  Effect effect;
};

constexpr OpRow kOps[] = {
#define OP(Name, text, kind, effect) {text, OpKind::k##kind, Effect::k##effect},
#include "ir/op.def"
};
constexpr size_t kOpCount = sizeof(kOps) / sizeof(kOps[0]);

constexpr std::string_view kBuiltinTexts[] = {
    "local_invocation_id", "local_invocation_index",  "global_invocation_id", "workgroup_id",
    "num_workgroups",      "global_invocation_index", "workgroup_index",
};

constexpr std::string_view kAtomicOpTexts[] = {"add", "sub", "max", "min", "and", "or", "xor", "exchange"};

template <typename Enum, size_t kCount>
std::optional<Enum> FindText(const std::string_view (&texts)[kCount], std::string_view text) {
  for (size_t i = 0; i < kCount; ++i) {
    if (texts[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

std::unordered_map<std::string_view, Op> MakeOpIndex() {
  std::unordered_map<std::string_view, Op> index;
  for (size_t i = 0; i < kOpCount; ++i) index.emplace(kOps[i].text, static_cast<Op>(i));
  return index;
}

}  // namespace

std::string_view OpText(Op op) { return kOps[static_cast<size_t>(op)].text; }
OpKind KindOf(Op op) { return kOps[static_cast<size_t>(op)].kind; }
Effect EffectOf(Op op) { return kOps[static_cast<size_t>(op)].effect; }

std::optional<Op> OpFromText(std::string_view text) {
  static const std::unordered_map<std::string_view, Op> kIndex = MakeOpIndex();
  const auto it = kIndex.find(text);
  if (it == kIndex.end()) return std::nullopt;
  return it->second;
}

std::string_view BuiltinText(Builtin builtin) { return kBuiltinTexts[static_cast<size_t>(builtin)]; }
std::optional<Builtin> BuiltinFromText(std::string_view text) {
  return FindText<Builtin>(kBuiltinTexts, text);
}

std::string_view AtomicOpText(AtomicOp op) { return kAtomicOpTexts[static_cast<size_t>(op)]; }
std::optional<AtomicOp> AtomicOpFromText(std::string_view text) {
  return FindText<AtomicOp>(kAtomicOpTexts, text);
}

}  // namespace lockstep::ir

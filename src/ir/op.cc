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
#define BUILTIN(Name, text, stage, scalar, width) text,
#include "ir/builtins.def"
};
constexpr Stage kBuiltinStages[] = {
#define BUILTIN(Name, text, stage, scalar, width) Stage::k##stage,
#include "ir/builtins.def"
};

constexpr std::string_view kStageTexts[] = {"compute", "vertex", "fragment"};
constexpr std::string_view kInterpolationTexts[] = {"perspective", "linear", "flat"};
constexpr std::string_view kSamplingTexts[] = {"center", "centroid", "sample", "first", "either"};

struct OutputRow {
  abi::StageValue value;
  std::string_view text;
};
constexpr OutputRow kBuiltinOutputs[] = {
    {abi::StageValue::kPosition, "position"},
    {abi::StageValue::kClipDistance, "clip_distances"},
    {abi::StageValue::kFragDepth, "frag_depth"},
    {abi::StageValue::kSampleMask, "sample_mask"},
};

constexpr std::string_view kAtomicOpTexts[] = {"add", "sub", "max", "min", "and", "or", "xor", "exchange"};

constexpr std::string_view kTextureNumberTexts[] = {"width",  "height", "depth",
                                                    "layers", "levels", "samples"};
static_assert(std::size(kTextureNumberTexts) == abi::kTextureNumbers);

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

Stage StageOf(Builtin builtin) { return kBuiltinStages[static_cast<size_t>(builtin)]; }

std::string_view StageText(Stage stage) { return kStageTexts[static_cast<size_t>(stage)]; }
std::optional<Stage> StageFromText(std::string_view text) { return FindText<Stage>(kStageTexts, text); }

std::string_view InterpolationText(abi::Interpolation interpolation) {
  return kInterpolationTexts[static_cast<size_t>(interpolation)];
}
std::optional<abi::Interpolation> InterpolationFromText(std::string_view text) {
  return FindText<abi::Interpolation>(kInterpolationTexts, text);
}
std::string_view SamplingText(abi::Sampling sampling) {
  return kSamplingTexts[static_cast<size_t>(sampling)];
}
std::optional<abi::Sampling> SamplingFromText(std::string_view text) {
  return FindText<abi::Sampling>(kSamplingTexts, text);
}

std::string_view BuiltinOutputText(abi::StageValue value) {
  for (const OutputRow& row : kBuiltinOutputs) {
    if (row.value == value) return row.text;
  }
  return {};
}
std::optional<abi::StageValue> BuiltinOutputFromText(std::string_view text) {
  for (const OutputRow& row : kBuiltinOutputs) {
    if (row.text == text) return row.value;
  }
  return std::nullopt;
}

uint32_t Pack(const StageInput& input) {
  CHECK(input.location < kMaxLocations);
  return input.location | static_cast<uint32_t>(input.interpolation) << 16 |
         static_cast<uint32_t>(input.sampling) << 24;
}
uint32_t Pack(const StageOutput& output) {
  CHECK(output.location < kMaxLocations);
  return output.location | static_cast<uint32_t>(output.value) << 16 | output.blend_src << 24;
}
StageInput UnpackInput(uint32_t imm) {
  return {imm & 0xffff, static_cast<abi::Interpolation>(imm >> 16 & 0xff),
          static_cast<abi::Sampling>(imm >> 24)};
}
StageOutput UnpackOutput(uint32_t imm) {
  return {static_cast<abi::StageValue>(imm >> 16 & 0xff), imm & 0xffff, imm >> 24};
}

std::optional<uint32_t> GuardPosition(Op op) {
  if (op == Op::kAtomicLoad) return 1;
  if (op == Op::kStore || op == Op::kCopy || op == Op::kAtomicStore || op == Op::kAtomicRmw) return 2;
  if (op == Op::kAtomicCompareExchange) return 3;
  return std::nullopt;
}

std::string_view TextureNumberText(abi::TextureNumber number) {
  return kTextureNumberTexts[static_cast<size_t>(number)];
}
std::optional<abi::TextureNumber> TextureNumberFromText(std::string_view text) {
  return FindText<abi::TextureNumber>(kTextureNumberTexts, text);
}

std::string_view AtomicOpText(AtomicOp op) { return kAtomicOpTexts[static_cast<size_t>(op)]; }
std::optional<AtomicOp> AtomicOpFromText(std::string_view text) {
  return FindText<AtomicOp>(kAtomicOpTexts, text);
}

}  // namespace lockstep::ir

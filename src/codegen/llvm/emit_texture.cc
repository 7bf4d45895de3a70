// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Textures: numbers are read from their view, texels by a function of the host (abi/texture.h) that gets the
// places of all lanes as rows of words and gives four rows of channels. What all lanes share is asked for
// once.
#include "codegen/llvm/emitter.h"

namespace lockstep::codegen {

using llvm::ArrayRef;
using Value = llvm::Value*;

namespace {
constexpr uint32_t kDispatchTextures = offsetof(abi::Dispatch, textures);
constexpr uint32_t kViewLoad = offsetof(abi::TextureView, load);
constexpr uint32_t kViewNumbers = offsetof(abi::TextureView, numbers);
constexpr uint32_t kChannels = 4;
}  // namespace

Value Emitter::TextureView(ir::ValueId texture) {
  const Value views = InvariantField(dispatch_, kDispatchTextures, b_.getPtrTy());
  return InvariantField(b_.CreateInBoundsGEP(b_.getPtrTy(), views, Scalar(Get(texture)[0])), 0,
                        b_.getPtrTy());
}

LaneValue Emitter::TextureNumber(ir::InstId inst) {
  const uint32_t number = kViewNumbers + ir_.insts[inst].imm * 4;
  return {Component::Uniform(InvariantField(TextureView(ir_.operands(inst)[0]), number, b_.getInt32Ty()))};
}

// The memory that a call's rows are in; one for all, since nothing stays there.
Value Emitter::TexelRows() {
  if (texel_rows_ == nullptr)
    texel_rows_ = Alloca(uint64_t{lanes()} * 4 * (abi::kTexelPlaces + kChannels), 64);
  return texel_rows_;
}

LaneValue Emitter::TextureLoad(ir::InstId inst) {
  const auto operands = ir_.operands(inst);
  const bool uniform = kernel_.shapes.Get(ir_.result(inst)).uniform();
  const uint32_t width = uniform ? 1 : lanes();
  const Value memory = TexelRows();
  const auto row = [&](uint32_t number, uint32_t part) {
    return b_.CreateConstInBoundsGEP1_32(b_.getInt32Ty(), memory, number * width + part * native());
  };
  const auto put = [&](uint32_t number, const Component& c) {
    if (uniform) {
      b_.CreateAlignedStore(Scalar(c), row(number, 0), llvm::Align(4));
      return;
    }
    for (uint32_t p = 0; p < part_count(); ++p)
      b_.CreateAlignedStore(Part(c, p), row(number, p), llvm::Align(4));
  };
  const LaneValue coordinates = Get(operands[1]);
  for (uint32_t i = 0; i < 3; ++i)
    put(abi::kTexelX + i, i < coordinates.size() ? coordinates[i] : Component::Uniform(U32(0)));
  put(abi::kTexelLayer, Get(operands[2])[0]);
  put(abi::kTexelLevel, Get(operands[3])[0]);

  Value mask = b_.getInt64(1);
  if (!uniform)
    mask = LaneBits(operands.size() > 4 ? Get(operands[4])[0] : Component::Uniform(b_.getInt1(true)));
  const Value view = TextureView(operands[0]);
  const Value arguments[] = {view, U32(width), mask, memory, row(abi::kTexelPlaces, 0)};
  CallHost(InvariantField(view, kViewLoad, b_.getPtrTy()), arguments);

  LaneValue texel;
  for (uint32_t c = 0; c < kChannels; ++c) {
    const uint32_t number = abi::kTexelPlaces + c;
    llvm::Type* scalar = shared_.ScalarType(ir_.types.ScalarOf(ir_.type_of(ir_.result(inst))));
    const auto get = [&](llvm::Type* type, uint32_t part) -> Value {
      return b_.CreateAlignedLoad(type, row(number, part), llvm::Align(4));
    };
    if (uniform) {
      texel.push_back(Component::Uniform(get(scalar, 0)));
      continue;
    }
    Parts parts;
    for (uint32_t p = 0; p < part_count(); ++p) parts.push_back(get(shared_.Vector(scalar), p));
    texel.push_back(Component::Varying(std::move(parts)));
  }
  return texel;
}

}  // namespace lockstep::codegen

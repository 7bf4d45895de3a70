// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// vec4s and their like: the scalars that a lane wants lie in one 16-byte chunk, every lane in its own. A
// lane's chunk is one load or store of four words, and four lanes are transposed in registers:
//
//     lane 0: x0 y0 z0 w0        x: x0 x1 x2 x3
//     lane 1: x1 y1 z1 w1   <->  y: y0 y1 y2 y3     in each quarter of a vector of 16 lanes, each half of one
//     of 8 lane 2: x2 y2 z2 w2        z: z0 z1 z2 z3 lane 3: x3 y3 z3 w3        w: w0 w1 w2 w3
//
// A chunk lies inside of its element: types with such members are aligned to 16 bytes. What else is in the
// chunk is read and dropped; written is a chunk only where all four words are.
#include "codegen/llvm/emitter.h"
#include "llvm/IR/Constants.h"

namespace lockstep::codegen {

using llvm::ArrayRef;
using Value = llvm::Value*;

namespace {

// Two vectors of which each quarter of the result takes pairs: pick[i] < 4 from a's quarter, else from b's.
llvm::SmallVector<int, 16> InQuarters(uint32_t native, const std::array<int, 4>& pick) {
  llvm::SmallVector<int, 16> mask;
  for (uint32_t q = 0; q < native / 4; ++q) {
    for (const int p : pick)
      mask.push_back(static_cast<int>(4 * q) + (p < 4 ? p : static_cast<int>(native) + p - 4));
  }
  return mask;
}

}  // namespace

// Its own inverse: the four vectors as rows of 4 x 4 blocks.
std::array<Value, 4> Emitter::Transpose(const std::array<Value, 4>& v) {
  const auto shuffle = [&](Value a, Value b, const std::array<int, 4>& pick) {
    return b_.CreateShuffleVector(a, b, InQuarters(native(), pick));
  };
  const Value low01 = shuffle(v[0], v[1], {0, 4, 1, 5});
  const Value high01 = shuffle(v[0], v[1], {2, 6, 3, 7});
  const Value low23 = shuffle(v[2], v[3], {0, 4, 1, 5});
  const Value high23 = shuffle(v[2], v[3], {2, 6, 3, 7});
  return {shuffle(low01, low23, {0, 1, 4, 5}), shuffle(low01, low23, {2, 3, 6, 7}),
          shuffle(high01, high23, {0, 1, 4, 5}), shuffle(high01, high23, {2, 3, 6, 7})};
}

// The chunk that each leaf lies in, by its offset / 16; empty where chunks do not pay or may cross elements.
std::vector<uint32_t> Emitter::ChunksOf(const Place& place, const std::vector<Leaf>& leaves) {
  if (place.layout != Layout::kBytes || native() < 4 || leaves.size() < 2) return {};
  for (const Place::Term& term : place.terms) {
    if (term.stride % 16 != 0) return {};
  }
  std::vector<uint32_t> chunks;
  uint32_t different = 1;
  for (const Leaf& leaf : leaves) {
    if (MemoryType(leaf.scalar, false)->isHalfTy()) return {};
    chunks.push_back((place.constant + leaf.offset) / 16);
    if (chunks.size() > 1 && chunks.back() != chunks[chunks.size() - 2]) ++different;
  }
  if (different * 2 > leaves.size()) chunks.clear();
  return chunks;
}

Parts Emitter::LoadChunks(const Place& place, const std::vector<Leaf>& leaves,
                          const std::vector<uint32_t>& chunks,
                          llvm::function_ref<Value(uint32_t lane, uint32_t offset)> address) {
  Parts parts(leaves.size() * part_count());
  llvm::Type* row = llvm::FixedVectorType::get(b_.getInt32Ty(), 4);
  for (size_t begin = 0, end = 0; begin < leaves.size(); begin = end) {
    while (end < leaves.size() && chunks[end] == chunks[begin]) ++end;
    for (uint32_t p = 0; p < part_count(); ++p) {
      std::array<Value, 4> rows;
      for (uint32_t i = 0; i < 4; ++i) {
        llvm::SmallVector<Value, 4> quarters;
        for (uint32_t q = 0; q < native() / 4; ++q) {
          const uint32_t lane = p * native() + 4 * q + i;
          quarters.push_back(
              Annotate(b_.CreateAlignedLoad(row, address(lane, chunks[begin] * 16), llvm::Align(4)), place));
        }
        rows[i] = Concatenate(quarters);
      }
      const std::array<Value, 4> columns = Transpose(rows);
      for (size_t i = begin; i < end; ++i) {
        const Value words = columns[(place.constant + leaves[i].offset) % 16 / 4];
        llvm::Type* type = shared_.Vector(MemoryType(leaves[i].scalar, false));
        parts[i * part_count() + p] = FromMemory(b_.CreateBitCast(words, type), leaves[i].scalar);
      }
    }
  }
  return parts;
}

// True where all leaves come in whole chunks, in order.
bool Emitter::FillsChunks(const Place& place, const std::vector<Leaf>& leaves,
                          const std::vector<uint32_t>& chunks) {
  if (chunks.empty() || leaves.size() % 4 != 0) return false;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if ((place.constant + leaves[i].offset) % 16 / 4 != i % 4 || chunks[i] != chunks[i / 4 * 4]) return false;
  }
  return true;
}

void Emitter::StoreChunks(const Place& place, const std::vector<Leaf>& leaves,
                          const std::vector<uint32_t>& chunks, const LaneValue& value,
                          llvm::function_ref<Value(uint32_t lane, uint32_t offset)> address) {
  llvm::Type* words = shared_.Vector(b_.getInt32Ty());
  for (size_t begin = 0; begin < leaves.size(); begin += 4) {
    for (uint32_t p = 0; p < part_count(); ++p) {
      std::array<Value, 4> columns;
      for (uint32_t i = 0; i < 4; ++i) columns[i] = b_.CreateBitCast(Part(value[begin + i], p), words);
      const std::array<Value, 4> rows = Transpose(columns);
      for (uint32_t lane = 0; lane < native(); ++lane) {
        const int first = static_cast<int>(lane / 4 * 4);
        const Value chunk = b_.CreateShuffleVector(rows[lane % 4], {first, first + 1, first + 2, first + 3});
        Annotate(
            b_.CreateAlignedStore(chunk, address(p * native() + lane, chunks[begin] * 16), llvm::Align(4)),
            place);
      }
    }
  }
}

// One vector of several side by side, by pairs.
Value Emitter::Concatenate(ArrayRef<Value> vectors) {
  llvm::SmallVector<Value, 4> left(vectors.begin(), vectors.end());
  while (left.size() > 1) {
    llvm::SmallVector<Value, 4> next;
    for (size_t i = 0; i + 1 < left.size(); i += 2) {
      const auto width = llvm::cast<llvm::FixedVectorType>(left[i]->getType())->getNumElements() * 2;
      llvm::SmallVector<int, 16> all;
      for (unsigned e = 0; e < width; ++e) all.push_back(static_cast<int>(e));
      next.push_back(b_.CreateShuffleVector(left[i], left[i + 1], all));
    }
    left = next;
  }
  return left[0];
}

}  // namespace lockstep::codegen

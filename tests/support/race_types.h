// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Random types of memory for random_race.h: scalars, vectors, matrices, arrays, structs and atomics.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace lockstep::tests {

struct RaceType {
  enum class Kind : uint8_t {
    kU32,
    kI32,
    kF32,
    kBool,
    kVector,
    kMatrix,
    kArray,
    kStruct,
    kAtomicU32,
    kAtomicI32
  };
  struct Member {
    std::string name;
    const RaceType* type;
  };
  Kind kind = Kind::kU32;
  std::string text;                   // as WGSL writes it
  const RaceType* element = nullptr;  // vector, matrix (its column), array
  uint32_t count = 0;                 // likewise; 0: a runtime array
  std::vector<Member> members;
  uint32_t scalars = 1;
  bool atomics = false;     // holds some
  bool all_atomic = false;  // and nothing else
  bool constructible = true;

  bool IsArray() const { return kind == Kind::kArray; }
  bool IsInteger() const { return kind == Kind::kU32 || kind == Kind::kI32; }
};

// A small generator of numbers, the same everywhere.
class RaceRandom {
 public:
  explicit RaceRandom(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x1234567u) { Next(); }
  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(Next() % n); }
  bool OneIn(uint32_t n) { return Below(n) == 0; }

 private:
  uint64_t state_;
};

class RaceTypes {
 public:
  explicit RaceTypes(RaceRandom* random) : random_(*random) {}

  struct Allow {
    bool atomics = true;
    bool bools = true;  // no buffer holds them
  };
  const RaceType* Make(uint32_t depth, Allow allow);
  const RaceType* Array(const RaceType* element, uint32_t count);  // count 0: a runtime array
  const RaceType* Struct(std::vector<RaceType::Member> members);
  const RaceType* Scalar(RaceType::Kind kind);
  const std::string& declarations() const { return declarations_; }

 private:
  const RaceType* Leaf(Allow allow);
  const RaceType* Vector(const RaceType* scalar, uint32_t width);
  const RaceType* Matrix();
  const RaceType* Add(RaceType type);

  RaceRandom& random_;
  std::deque<RaceType> types_;
  std::string declarations_;
  uint32_t structs_ = 0;
};

}  // namespace lockstep::tests

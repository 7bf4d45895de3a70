// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// A shadow cell: 64 bits for each 32-bit word of memory that is watched, enough to say at once whether some
// pair of accesses to the word conflicts, whatever the order in which they are seen.
//
//   63        24  23      22..19  18..15   14..11  10    9..0
//   epoch         suspect others  earlier  now     many  invocation
//
//   now        kinds of access in this interval (between two barriers that order this memory) of this
//   workgroup invocation who made them; `many`: more than one did (and the field is 0) earlier    kinds of
//   access of this workgroup in intervals before others     kinds of access of other workgroups (storage)
//   epoch      number of the interval; rises at each barrier that orders the memory and with each workgroup,
//   so
//              that an old cell shows by itself that it is old and nothing is ever cleared
//   suspect    a conflict has been seen; stays
//
// Inside of a workgroup two invocations conflict when one of them writes plainly, or one reads plainly and
// another writes atomically. With one owner nothing conflicts. With many: some plain write makes a conflict
// with whoever is not its writer; without plain writes only plain reads against atomic writes can. (The last
// errs where one invocation makes both and others only read atomically; a suspect is looked at again exactly,
// by race/recorder.h, so an error costs time and nothing else. WGSL cannot even write such a program.) Across
// workgroups the same test on kinds is exact. Storage cells belong to one thread; the kinds that threads have
// seen are compared at the end.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "abi/observe.h"

namespace lockstep::observe::race {

struct FreeCells {
  void operator()(uint64_t* cells) const { std::free(cells); }
};
using Cells = std::unique_ptr<uint64_t[], FreeCells>;
// Zero, and no memory where nothing is written; null where there is none left.
inline Cells MakeCells(uint64_t words) {
  return Cells(static_cast<uint64_t*>(std::calloc(words, sizeof(uint64_t))));
}

// Sets of kinds of access.
enum : uint64_t { kPlainRead = 1, kPlainWrite = 2, kAtomicRead = 4, kAtomicWrite = 8 };

inline uint64_t SetOf(abi::AccessKind kind) {
  switch (kind) {
    case abi::AccessKind::kRead:
      return kPlainRead;
    case abi::AccessKind::kWrite:
      return kPlainWrite;
    case abi::AccessKind::kAtomicRead:
      return kAtomicRead;
    case abi::AccessKind::kAtomicWrite:
    case abi::AccessKind::kAtomicRmw:
      return kAtomicWrite;
  }
  return 0;
}

// Whether some access of `a` conflicts with some of `b`, made by different invocations that nothing orders.
inline bool Conflict(uint64_t a, uint64_t b) {
  if (a == 0 || b == 0) return false;
  if (((a | b) & kPlainWrite) != 0) return true;
  return ((a & kPlainRead) != 0 && (b & kAtomicWrite) != 0) ||
         ((b & kPlainRead) != 0 && (a & kAtomicWrite) != 0);
}

inline constexpr uint64_t kOwner = 0x3ff, kMany = 1 << 10, kKinds = 15;
inline constexpr uint32_t kNowShift = 11, kEarlierShift = 15, kOthersShift = 19, kEpochShift = 24;
inline constexpr uint64_t kSuspect = uint64_t{1} << 23;

// The kinds of all accesses that a cell has seen.
inline uint64_t SeenBy(uint64_t cell) {
  return (cell >> kNowShift | cell >> kEarlierShift | cell >> kOthersShift) & kKinds;
}

// What `cell` becomes by an access of `kinds` by `invocation` in the interval `epoch` (shifted to its place);
// `first_epoch` (likewise) is the first interval of the workgroup that runs. Sets kSuspect where that shows a
// conflict.
inline uint64_t After(uint64_t cell, uint64_t kinds, uint32_t invocation, uint64_t epoch,
                      uint64_t first_epoch, bool shared) {
  const uint64_t owner = invocation;
  if ((cell ^ epoch) >> kEpochShift == 0) {
    if ((cell & kMany) == 0 && (cell & kOwner) != owner) cell = (cell & ~kOwner) | kMany;
    cell |= kinds << kNowShift;
  } else {
    uint64_t others = cell >> kOthersShift & kKinds;
    uint64_t earlier = (cell >> kEarlierShift | cell >> kNowShift) & kKinds;
    if (cell < first_epoch) {  // of another workgroup
      others |= earlier;
      earlier = 0;
    }
    cell = epoch | (cell & kSuspect) | owner | kinds << kNowShift;
    if (shared) cell |= earlier << kEarlierShift | others << kOthersShift;
  }
  const uint64_t now = cell >> kNowShift & kKinds;
  bool conflict = (cell & kMany) != 0 && Conflict(now, now);
  if (shared) {
    conflict |= Conflict(now | (cell >> kEarlierShift & kKinds), cell >> kOthersShift & kKinds);
  }
  return conflict ? cell | kSuspect : cell;
}

}  // namespace lockstep::observe::race

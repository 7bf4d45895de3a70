// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a pointer points: a base address, a constant, and one term (index * stride) for each index of its
// `access` chain that is no constant. Nothing is computed until something is loaded or stored; then the terms
// decide how (Access). Offsets of accesses that happen fit 31 bits: bindings are smaller than 2 GiB.
#pragma once

#include <cstdint>

#include "codegen/llvm/lane_value.h"
#include "ir/module.h"
#include "llvm/IR/Metadata.h"

namespace lockstep::codegen {

enum class Layout : uint8_t {
  kBytes,  // WGSL's memory layout: buffers, workgroup memory
  kWords,  // a word a scalar, one copy for the group: uniform `var`s
  kRows,   // a row of `lanes` words a scalar: `var`s; offsets count words of a lane
};

struct Place {
  llvm::Value* base = nullptr;
  llvm::Value* size = nullptr;  // i64: bytes of the whole binding, for array_length
  // i64: where `base` is in the group's part of the frame, of a `var` there. At workgroup level, where there
  // is no group, it takes the place of `base`.
  llvm::Value* in_frame = nullptr;
  Layout layout = Layout::kBytes;
  bool shared = false;     // storage memory: other threads see it
  bool read_only = false;  // nothing writes it during a dispatch
  ir::TypeId type;         // of what lies there
  uint32_t constant = 0;   // bytes; kRows: words
  struct Term {
    Component index;
    uint32_t stride;
  };
  llvm::SmallVector<Term, 2> terms;
  llvm::MDNode* scope = nullptr;
};

// The shape of a place's offsets.
struct Access {
  enum class Kind : uint8_t {
    kUniform,
    kAffine,   // lane 0's address, and `stride` bytes from lane to lane
    kClamped,  // affine where `fits` holds at run time, otherwise varying
    kVarying,
  };
  Kind kind = Kind::kUniform;
  int64_t stride = 0;
  llvm::Value* first = nullptr;  // i64: lane 0's offset, without the place's constant
  llvm::Value* fits = nullptr;   // i1
};

}  // namespace lockstep::codegen

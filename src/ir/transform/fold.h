// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Computes at compile time what can be: constants, algebra that holds bit for bit, composites taken apart
// where they were put together, branches on constants, switches with one case that only its end leaves, loops
// that run once.
//
//   %a = add 2u, 3u : u32                    if lt(5u, 4u) { A } else { B }
//   %b = mul %x, 1u : u32         ->         B
//
// transform/fold_rules.h has the rules for single instructions. What folding leaves without users is dce's to
// remove. One call walks the module once; the pipeline repeats it with dce, as each makes work for the other.
#pragma once

#include "ir/module.h"

namespace lockstep::ir {

// True where something changed.
bool Fold(Module& module);

}  // namespace lockstep::ir

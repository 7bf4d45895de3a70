// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// An `if` whose arms are cheap and have no effect runs both and chooses: no branch, no mask.
//
//   %r = if %a : bool {                         %c = lt %x, %y : bool
//     %c = lt %x, %y : bool            ->       %r = select %a, %c, false : bool
//     exit %c                                                       (fold: and %a, %c)
//   } else { exit false }
//
// So `a && b` and `a || b` with a cheap right side become plain logic. Nothing in the IR traps, so any pure
// instruction may run; a load may where its address is in range whatever the condition was: it is formed
// outside of the `if`, or each of its indices is clamped right there. Must come after robustness for that
// reason: before it no address is known to be good.
#pragma once

#include "ir/module.h"

namespace lockstep::ir {

// True where something changed.
bool ConvertIfs(Module& module);

}  // namespace lockstep::ir

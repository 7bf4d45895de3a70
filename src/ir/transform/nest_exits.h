// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// An early exit, `continue` or return, and the jump at its block's end that goes to the same place, become
// the two arms of one `if`:
//
//   if %c { return } else { exit }              if %c { exit } else { REST  exit }
//   REST                                 ->     return
//   return
//
//   if %c { exit @switch %a } else { exit }     %r = if %c { exit %a } else { REST  exit %b }
//   REST                                 ->     exit @switch %r
//   exit @switch %b
//
// Divergent jumps over several constructs cost masks; a plain `if` costs at most one, or becomes selects.
// Switches that inlining put around bodies with early returns go away thereby (fold). Exits of loops next to
// `continue`s are left alone, and so is what stands before a barrier: a barrier need not move into an arm.
#pragma once

#include "ir/module.h"

namespace lockstep::ir {

// True where something changed.
bool NestExits(Module& module);

}  // namespace lockstep::ir

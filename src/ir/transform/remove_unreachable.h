// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Removes what control never reaches: instructions after a construct that nothing exits to (an `if` both arms
// of which return, an endless loop), continuing blocks that no `continue` leads to, and functions that are
// not called.
//
//   if %c { return } else { return }          if %c { return } else { return }
//   barrier workgroup                    ->   unreachable
//   return
//
// WGSL does not analyse unreachable code for uniformity, so a barrier there may stand anywhere: it must be
// gone before the CPU engine looks for barriers. Branches on constants are fold's business; it runs this
// again after it.
#pragma once

#include "ir/module.h"

namespace lockstep::ir {

// True where something was removed.
bool RemoveUnreachable(Module& module);

}  // namespace lockstep::ir

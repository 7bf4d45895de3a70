// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Compares of u32 that lanes differ in become compares of i32 where both sides are known to be below 2^31:
// AVX2 and SSE compare signed only, and an unsigned compare takes two instructions there.
#pragma once

#include "ir/module.h"

namespace lockstep::codegen {

void UseSignedCompares(ir::Module& module);

}  // namespace lockstep::codegen

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Which loops end soon by themselves, so that their back edges need not ask whether the dispatch was
// cancelled: those that leave by a test of a counter between constants, with a product of trip counts below
// kSoon with what is nested.
#pragma once

#include "codegen/spmd/lane_form.h"
#include "codegen/spmd/structure.h"

namespace lockstep::codegen {

inline constexpr uint64_t kSoon = 65536;  // rounds

void FindBoundedLoops(LaneKernel& kernel, const Structure& structure);

}  // namespace lockstep::codegen

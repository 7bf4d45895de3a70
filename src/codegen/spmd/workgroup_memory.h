// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the variables of the workgroup address space lie in abi::Worker::workgroup_memory, and which of them
// must be zero before the first invocation runs.
#pragma once

#include "codegen/spmd/lane_form.h"
#include "codegen/spmd/structure.h"

namespace lockstep::codegen {

// Sets workgroup_offsets, workgroup_bytes and zero_needed. Variables that no reachable instruction names take
// no room.
Result<> LayOutWorkgroupMemory(LaneKernel& kernel, const Structure& structure);

}  // namespace lockstep::codegen

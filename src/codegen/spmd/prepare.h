// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What is said in fewer words before anything else looks at the module:
//   - builtin inputs become arithmetic on local_invocation_index, workgroup_id and num_workgroups, at the
//   start of the
//     entry point, so that shapes follow from the rules for arithmetic:
//         local_invocation_id.x   index & (size.x - 1), or index % size.x; the index itself where size.y =
//         size.z = 1 global_invocation_id.x  workgroup_id.x * size.x + local_invocation_id.x
//   - private variables that only the entry point uses become `var`s; all get their initial values by stores
//   at its start.
#pragma once

#include <vector>

#include "ir/module.h"

namespace lockstep::codegen {

// `reachable`: the entry point and the functions that it calls.
void PrepareForLanes(ir::Module& module, const std::vector<ir::FunctionId>& reachable);

}  // namespace lockstep::codegen

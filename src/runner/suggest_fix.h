// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Which barrier would mend a race, found by trying: the shader is compiled and watched once more with the
// barrier in it. So the front end has agreed that it may stand there (uniform control flow), and the race is
// gone.
//
//   tile[l] = x;                  the two accesses, or calls that lead to them, stand in two statements
//   for (...) { ... tile[k] }     of one block: in front of the one of them, or of the other; else of what
//                                 is around them, or further in
#pragma once

#include "gpu/devices/devices.h"
#include "observe/findings.h"
#include "runner/session.h"

namespace lockstep::runner {

// Fills in Race::fix of races inside a workgroup, for the first kMaxRacesWithFix of them.
inline constexpr size_t kMaxRacesWithFix = 16;
// Each compiles the shader and runs it.
inline constexpr size_t kMaxTrials = 48;
void SuggestFixes(const RunRequest& request, const gpu::devices::Options& devices, const CancelFlag& cancel,
                  const wgsl::Program& program, observe::Findings& findings);

}  // namespace lockstep::runner

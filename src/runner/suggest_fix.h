// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Which barrier would mend a race, found by trying: the shader is compiled and watched once more with the
// barrier in it. So the front end has agreed that it may stand there (uniform control flow), and the race is
// gone.
//
//   tile[l] = x;                  the two accesses stand in these two statements of one block:
//   for (...) { ... tile[k] }     in front of the one of them, or of the other
#pragma once

#include "gpu/devices/devices.h"
#include "observe/findings.h"
#include "runner/session.h"

namespace lockstep::runner {

// Fills in Race::fix of races inside a workgroup, for the first kMaxRaces of them.
inline constexpr size_t kMaxRacesWithFix = 16;
void SuggestFixes(const RunRequest& request, const gpu::devices::Options& devices, const CancelFlag& cancel,
                  const wgsl::Program& program, observe::Findings& findings);

}  // namespace lockstep::runner

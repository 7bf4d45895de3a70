// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What the process finds around it; the only place that reads environment variables.
#pragma once

#include "gpu/devices/devices.h"
#include "runner/session.h"

namespace lockstep::cli {

// Where the compiler's library may lie, where compiled kernels are kept ($XDG_CACHE_HOME or ~/.cache, in
// lockstep/).
gpu::devices::Options DeviceOptions();

// Set by Ctrl-C from the first call on; a second Ctrl-C ends the process at once.
runner::CancelFlag& InterruptFlag();

}  // namespace lockstep::cli

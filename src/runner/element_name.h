// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "wgsl/program.h"

namespace lockstep::runner {

// What findings call the scalar at `offset` bytes of a buffer's variable, "state.items[3].count"; nothing
// where the variable has none there.
std::optional<std::string> ElementName(const wgsl::Program& program, wgsl::VariableId variable,
                                       uint64_t offset);

}  // namespace lockstep::runner

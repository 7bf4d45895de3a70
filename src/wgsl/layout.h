// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the members of a structure lie (WGSL #structure-member-layout).
#pragma once

#include "wgsl/type.h"

namespace lockstep::wgsl {

// Gives every member its offset, and size and alignment where no attribute did (`explicit_size`,
// `explicit_align`); then the structure its own. A runtime-sized last member counts as one element. False
// where the size does not fit 32 bits; the structure is then laid out as if it were empty.
bool LayoutStruct(const TypeTable& types, Struct& s);

}  // namespace lockstep::wgsl

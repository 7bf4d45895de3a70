// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Findings as sentences: diagnostics that point at the source, in the wording of the whole repository.
#pragma once

#include <string_view>

#include "diag/diagnostic.h"
#include "observe/findings.h"

namespace lockstep::observe {

std::string_view AccessName(abi::AccessKind kind);    // "atomic-rmw", as reports for machines have it
std::string_view RaceKindName(RaceKind kind);         // "write-write", likewise
std::string_view ScopeName(Scope scope);              // "workgroup", likewise
std::string_view BarrierName(uint32_t barrier_bits);  // "workgroupBarrier"

// `count`: how many dispatches (of a pass: render passes) the run has; with several the sentence names the
// one. `second_file`: the shader of race.second.
diag::Diagnostic Describe(const Race& race, size_t count, const SourceFile& file,
                          const SourceFile& second_file);
diag::Diagnostic Describe(const OutOfBounds& access, size_t count);

}  // namespace lockstep::observe

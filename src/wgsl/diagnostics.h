// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Every kind of diagnostic of this room: a constant kName for each row of defs/diagnostics_*.def.
#pragma once

#include "diag/diagnostic.h"

namespace lockstep::wgsl {

#define DIAGNOSTIC(Name, severity, rule, format) \
  inline constexpr diag::Kind k##Name{#Name, diag::Severity::k##severity, format, rule};
#include "wgsl/defs/diagnostics_syntax.def"

#define DIAGNOSTIC(Name, severity, rule, format) \
  inline constexpr diag::Kind k##Name{#Name, diag::Severity::k##severity, format, rule};
#include "wgsl/defs/diagnostics_resolve.def"

#define DIAGNOSTIC(Name, severity, rule, format) \
  inline constexpr diag::Kind k##Name{#Name, diag::Severity::k##severity, format, rule};
#include "wgsl/defs/diagnostics_const.def"

#define DIAGNOSTIC(Name, severity, rule, format) \
  inline constexpr diag::Kind k##Name{#Name, diag::Severity::k##severity, format, rule};
#include "wgsl/defs/diagnostics_uniformity.def"

}  // namespace lockstep::wgsl

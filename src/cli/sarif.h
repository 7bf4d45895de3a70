// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Findings in SARIF 2.1.0 (OASIS), the form that code hosts show inline.
#pragma once

#include <string>

#include "runner/run.h"
#include "support/result.h"

namespace lockstep::cli {

Result<> WriteSarif(const runner::RunReport& report, const std::string& path);

}  // namespace lockstep::cli

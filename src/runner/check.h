// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// `lockstep check`: the front end, then what making a pipeline of every compute entry point would find. No
// device is needed: the limits are WebGPU's defaults.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "support/source.h"

namespace lockstep::runner {

struct CheckOptions {
  std::vector<std::string> features;        // that `enable` may ask for
  std::map<std::string, double> overrides;  // by name
  bool module_only = false;
};

struct Checked {
  diag::Sink module;
  std::vector<diag::Diagnostic> pipeline;  // what several entry points share is here once
  std::set<std::string> overrides_used;    // of CheckOptions
  bool ok() const;
};

// `file` must outlive the result.
Checked CheckShader(const SourceFile& file, const CheckOptions& options);

}  // namespace lockstep::runner

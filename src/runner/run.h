// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// `lockstep run`: several repeats of a described run, compared with each other and with what is expected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/session.h"

namespace lockstep::runner {

struct ExpectResult {
  std::string name;
  std::optional<Difference> difference;  // of the first repeat that has one
  uint32_t repeat = 0;                   // from 1
  bool ok() const { return !difference; }
};

struct OutputBuffer {
  std::string name;
  uint32_t group = 0, binding = 0;
  std::string type;
  uint64_t count = 0;
  bool writable = false;
  Layout layout;
  std::vector<std::byte> memory;  // after the first repeat
};

struct RunReport {
  std::optional<Failure> failure;          // then only diagnostics and warnings are there
  std::shared_ptr<const Session> session;  // keeps the source that diagnostics point into
  std::vector<std::string> warnings;
  std::vector<OutputBuffer> buffers;  // in binding order
  std::string device_kind, device_name;
  std::vector<double> times_ms;  // a repeat each
  bool repeats_agree = true;
  std::string disagreement;  // which repeat first differs, and where
  std::vector<ExpectResult> expects;
  bool expectations_hold() const;
};

// `cancel` is set to kStoppedByUser from outside, and to kStoppedByTime by the time limit.
RunReport Run(const RunRequest& request, const gpu::devices::Options& devices, CancelFlag& cancel);

}  // namespace lockstep::runner

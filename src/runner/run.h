// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// `lockstep run`: several repeats of a described run, compared with each other and with what is expected.
// `lockstep race`: one watched run in the canonical schedule, and others to compare its results with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

// A scalar that another schedule left with another value.
struct ScheduleDifference {
  std::string variable, element;
  std::string values[2];       // in the canonical schedule and in the other
  std::string json_values[2];  // likewise, as JSON
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
  // Of a watched run:
  observe::Findings findings;
  std::vector<ScheduleDifference> schedule_dependent;  // the first of each variable
  uint32_t schedules = 0;                              // that were compared
  uint32_t unfinished_schedules = 0;                   // that did not end: the program waits in them
  bool expectations_hold() const;
};

// Called with why a run is to stop, from a thread of its own, where it does not: the compiler cannot be
// stopped in the middle of a function, only the process can. Nothing has been saved by then. Does not return.
using Abandon = std::function<void(const Failure& why)>;

// `cancel` is set to kStoppedByUser from outside, and to kStoppedByTime by the time limit. Without `abandon`
// the run ends when the compiler has.
RunReport Run(const RunRequest& request, const gpu::devices::Options& devices, CancelFlag& cancel,
              const Abandon& abandon = {});

}  // namespace lockstep::runner

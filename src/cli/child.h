// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// A program that runs as a child of this one, reports how far it is and is killed when it takes too long.
#pragma once

#include <string>
#include <vector>

namespace lockstep::cli {

struct ChildResult {
  enum class Kind { kExited, kSignalled, kTooLong, kInterrupted, kNotStarted };
  Kind kind;
  int value = 0;  // the exit status, the signal, the phase that took too long, errno
};

// The child writes one byte to this descriptor when it begins a phase.
inline constexpr int kProgressDescriptor = 3;
// Runs `arguments` (the first is looked up in PATH) with the writing end of a pipe as descriptor
// kProgressDescriptor. Each phase may take so many seconds; before the first it may take any time. The child
// does not outlive this process, and Ctrl-C ends it.
ChildResult RunChild(const std::vector<std::string>& arguments, const std::vector<double>& phase_seconds);

}  // namespace lockstep::cli

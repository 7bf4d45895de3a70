// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <unistd.h>

#include <cerrno>

namespace lockstep::cli {
namespace {

constexpr size_t kFlushAt = 1 << 16;

int WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = write(fd, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    text.remove_prefix(static_cast<size_t>(put));
  }
  return 0;
}

}  // namespace

void Output::Write(std::string_view text) {
  pending_ += text;
  if (pending_.size() >= kFlushAt) Flush();
}

void Output::Flush() {
  if (error_ == 0) error_ = WriteAll(STDOUT_FILENO, pending_);
  pending_.clear();
}

void Complain(std::string_view line) {
  // Where not even this can be written, nobody is there to be told.
  static_cast<void>(WriteAll(STDERR_FILENO, std::string(line) + "\n"));
}

}  // namespace lockstep::cli

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole files, read within a bound and written so that no partial file is ever seen under the name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/result.h"

namespace lockstep::runner {

inline constexpr uint64_t kMaxShaderBytes = uint64_t{16} << 20;

// Failures name the file and are the call's fault (kUsage).
Result<std::string> ReadFile(const std::string& path, uint64_t max_bytes);
// Writes beside the target and renames, so the file is there whole or not at all; it keeps its mode. Links
// are followed, and what is no regular file (a device, a pipe) is written to as it is.
Result<> WriteFileAtomically(const std::string& path, std::string_view content);
// Whether that can work, as far as can be told without writing.
Result<> CheckWritable(const std::string& path);

// `path` relative to `folder` (empty: the working directory), unless it is absolute.
std::string Resolve(const std::string& folder, const std::string& path);
std::string FolderOf(const std::string& path);

}  // namespace lockstep::runner

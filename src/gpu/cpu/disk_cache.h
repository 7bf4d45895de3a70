// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Compiled kernels on disk. An entry is a file that holds its whole key beside the object code, so that no
// collision of hashes can give a kernel to another shader, and a checksum, so that no damage is run. The
// folder is the user's own (0700); what others own or could have written is ignored. Entries appear by
// rename. Past the bound the entries that were not used for the longest time go, some time after a write.
// Nothing here is ever an error: a cache that does not work is no cache.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::gpu::cpu {

class DiskCache {
 public:
  // An empty folder: no cache. It is made on the first write.
  DiskCache(std::string folder, uint64_t max_bytes) : folder_(std::move(folder)), max_bytes_(max_bytes) {}

  std::optional<std::string> Find(std::string_view key) const;
  void Store(std::string_view key, std::string_view object) const;

 private:
  bool FolderIsOurs() const;
  std::string PathOf(std::string_view key) const;
  void Evict() const;

  std::string folder_;
  uint64_t max_bytes_;
  mutable std::atomic<uint64_t> unseen_bytes_{0};  // written since the entries were last looked at
};

}  // namespace lockstep::gpu::cpu

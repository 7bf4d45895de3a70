// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/disk_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <vector>

#include "gpu/cpu/workgroups.h"

namespace lockstep::gpu::cpu {
namespace {

constexpr uint64_t kMaxEntryBytes = uint64_t{64} << 20;
constexpr uint64_t kMagic = 0x31304b4350534c4cu;  // "LLSPCK01"
constexpr std::string_view kSuffix = ".kernel";
constexpr std::string_view kTemporary = ".new-";
constexpr time_t kAbandonedSeconds = 3600;

struct Header {
  uint64_t magic = kMagic;
  uint64_t key_bytes = 0;
  uint64_t object_bytes = 0;
  uint64_t checksum = 0;  // of key and object
};

uint64_t Hash(std::string_view data, uint64_t seed) {
  uint64_t hash = Mix64(seed ^ data.size());
  while (data.size() >= 8) {
    uint64_t word = 0;
    std::memcpy(&word, data.data(), 8);
    hash = Mix64(hash ^ word) + 0x9e3779b97f4a7c15u;
    data.remove_prefix(8);
  }
  uint64_t tail = 0;
  if (!data.empty()) std::memcpy(&tail, data.data(), data.size());
  return Mix64(hash ^ tail);
}

uint64_t Checksum(std::string_view key, std::string_view object) { return Hash(object, Hash(key, 3)); }

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

bool ReadAll(int fd, char* to, size_t size) {
  while (size > 0) {
    const ssize_t got = read(fd, to, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

bool WriteAll(int fd, const char* from, size_t size) {
  while (size > 0) {
    const ssize_t put = write(fd, from, size);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    from += put;
    size -= static_cast<size_t>(put);
  }
  return true;
}

// Makes the folder and its parents, ours alone.
void MakeFolder(const std::string& folder) {
  for (size_t slash = folder.find('/', 1); slash != std::string::npos; slash = folder.find('/', slash + 1)) {
    mkdir(folder.substr(0, slash).c_str(), 0700);
  }
  mkdir(folder.c_str(), 0700);
}

struct Entry {
  std::string path;
  uint64_t bytes;
  time_t used;
};

std::vector<Entry> Entries(const std::string& folder) {
  std::vector<Entry> entries;
  DIR* dir = opendir(folder.c_str());
  if (dir == nullptr) return entries;
  const time_t now = time(nullptr);
  while (const dirent* item = readdir(dir)) {
    const std::string_view name = item->d_name;
    const std::string path = fmt::format("{}/{}", folder, name);
    struct stat info;
    if (lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    if (name.substr(0, kTemporary.size()) == kTemporary) {
      if (now - info.st_mtime > kAbandonedSeconds) unlink(path.c_str());
      continue;
    }
    if (name.size() <= kSuffix.size() || name.substr(name.size() - kSuffix.size()) != kSuffix) continue;
    entries.push_back({path, static_cast<uint64_t>(info.st_size), info.st_mtime});
  }
  closedir(dir);
  return entries;
}

}  // namespace

std::string DiskCache::PathOf(std::string_view key) const {
  return fmt::format("{}/{:016x}{:016x}{}", folder_, Hash(key, 1), Hash(key, 2), kSuffix);
}

bool DiskCache::FolderIsOurs() const {
  struct stat info;
  return !folder_.empty() && lstat(folder_.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
         info.st_uid == geteuid() && (info.st_mode & 077) == 0;
}

std::optional<std::string> DiskCache::Find(std::string_view key) const {
  if (!FolderIsOurs()) return std::nullopt;
  const File file(open(PathOf(key).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (file.fd() < 0) return std::nullopt;
  struct stat info;
  if (fstat(file.fd(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid() ||
      (info.st_mode & 022) != 0) {
    return std::nullopt;
  }
  const auto size = static_cast<uint64_t>(info.st_size);
  Header header;
  if (size < sizeof(header) || size > kMaxEntryBytes ||
      !ReadAll(file.fd(), reinterpret_cast<char*>(&header), sizeof(header))) {
    return std::nullopt;
  }
  if (header.magic != kMagic || header.key_bytes != key.size() || header.object_bytes > kMaxEntryBytes ||
      size != sizeof(header) + header.key_bytes + header.object_bytes) {
    return std::nullopt;
  }
  std::string stored_key(header.key_bytes, '\0');
  std::string object(header.object_bytes, '\0');
  if (!ReadAll(file.fd(), stored_key.data(), stored_key.size()) ||
      !ReadAll(file.fd(), object.data(), object.size())) {
    return std::nullopt;
  }
  if (stored_key != key || Checksum(stored_key, object) != header.checksum) return std::nullopt;
  futimens(file.fd(), nullptr);  // used now
  return object;
}

void DiskCache::Store(std::string_view key, std::string_view object) const {
  if (folder_.empty() || sizeof(Header) + key.size() + object.size() > kMaxEntryBytes) return;
  MakeFolder(folder_);
  if (!FolderIsOurs()) return;
  const Header header{kMagic, key.size(), object.size(), Checksum(key, object)};
  std::string temporary = fmt::format("{}/{}XXXXXX", folder_, kTemporary);
  bool written = false;
  {
    const File file(mkostemp(temporary.data(), O_CLOEXEC));  // mode 0600
    if (file.fd() < 0) return;
    written = WriteAll(file.fd(), reinterpret_cast<const char*>(&header), sizeof(header)) &&
              WriteAll(file.fd(), key.data(), key.size()) &&
              WriteAll(file.fd(), object.data(), object.size());
  }
  if (!written || rename(temporary.c_str(), PathOf(key).c_str()) != 0) unlink(temporary.c_str());
  // Looking at all entries takes longer than writing one. This process does it when it has written a part of
  // the bound; many that write little each do it for one entry in 1024.
  const uint64_t size = sizeof(header) + key.size() + object.size();
  const bool enough = unseen_bytes_.fetch_add(size) + size > max_bytes_ / 16;
  if (!enough && header.checksum % 1024 != 0) return;
  unseen_bytes_ = 0;
  Evict();
}

void DiskCache::Evict() const {
  std::vector<Entry> entries = Entries(folder_);
  uint64_t total = 0;
  for (const Entry& entry : entries) total += entry.bytes;
  if (total <= max_bytes_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= max_bytes_ / 4 * 3) return;
    if (unlink(entry.path.c_str()) == 0) total -= entry.bytes;
  }
}

}  // namespace lockstep::gpu::cpu

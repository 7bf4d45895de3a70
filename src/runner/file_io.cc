// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "runner/file_io.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

namespace lockstep::runner {
namespace {

Failure Bad(const std::string& path, std::string_view why) {
  return {FailureKind::kUsage, fmt::format("{}: {}", path, why)};
}

std::string ErrorText(int error) {
  switch (error) {
    case ENOENT:
      return "there is no such file";
    case EACCES:
      return "permission denied";
    case EISDIR:
      return "is a folder, not a file";
    case ENOTDIR:
      return "a part of its path is not a folder";
    default: {
      std::string text = std::strerror(error);
      if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
      return text;
    }
  }
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  bool Close() {
    const int fd = fd_;
    fd_ = -1;
    return fd < 0 || close(fd) == 0;
  }

 private:
  int fd_;
};

Failure CannotWrite(const std::string& path, int error) {
  return Bad(path, fmt::format("cannot be written: {}",
                               error == ENOENT ? "there is no such folder" : ErrorText(error)));
}

struct WriteTarget {
  std::string path;            // behind the links
  std::optional<mode_t> mode;  // of the file that is there
  bool in_place = false;       // not a regular file, or a link to nothing yet
};

Result<WriteTarget> FindTarget(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return WriteTarget{path, std::nullopt, lstat(path.c_str(), &info) == 0};
  if (S_ISDIR(info.st_mode)) return CannotWrite(path, EISDIR);
  if (access(path.c_str(), W_OK) != 0) return CannotWrite(path, errno);
  if (!S_ISREG(info.st_mode)) return WriteTarget{path, std::nullopt, true};
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  if (error) return CannotWrite(path, error.value());
  return WriteTarget{real.string(), info.st_mode & 07777, false};
}

bool WriteAll(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t put = write(fd, content.data(), content.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    content.remove_prefix(static_cast<size_t>(put));
  }
  return true;
}

}  // namespace

Result<std::string> ReadFile(const std::string& path, uint64_t max_bytes) {
  // O_NONBLOCK: a named pipe that nobody writes to must not hang the run; it reads as empty.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return Bad(path, ErrorText(errno));
  struct stat info;
  if (fstat(file.get(), &info) != 0) return Bad(path, ErrorText(errno));
  if (S_ISDIR(info.st_mode)) return Bad(path, ErrorText(EISDIR));
  const auto too_large = [&] {
    return Bad(path, fmt::format("is larger than the {} bytes that are read here", max_bytes));
  };
  if (S_ISREG(info.st_mode) && static_cast<uint64_t>(info.st_size) > max_bytes) return too_large();
  std::string content;
  if (S_ISREG(info.st_mode)) content.reserve(static_cast<size_t>(info.st_size));
  std::array<char, 65536> block;
  if (!S_ISREG(info.st_mode)) fcntl(file.get(), F_SETFL, 0);  // a pipe from a shell's <( ) is waited for
  while (true) {
    const ssize_t got = read(file.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Bad(path, ErrorText(errno));
    if (got == 0) return content;
    if (content.size() + static_cast<size_t>(got) > max_bytes) return too_large();
    content.append(block.data(), static_cast<size_t>(got));
  }
}

Result<> WriteFileAtomically(const std::string& path, std::string_view content) {
  const Result<WriteTarget> target = FindTarget(path);
  if (!target.ok()) return target.failure();
  if (target->in_place) {
    const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (file.get() < 0 || !WriteAll(file.get(), content)) return CannotWrite(path, errno);
    return Ok();
  }
  std::string temporary;
  int fd = -1;
  for (int attempt = 0; attempt < 100 && fd < 0; ++attempt) {
    temporary = fmt::format("{}.{}-{}.partial", target->path, getpid(), attempt);
    fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno != EEXIST) return CannotWrite(path, errno);
  }
  Descriptor file(fd);
  const bool kept = fd >= 0 && (!target->mode || fchmod(fd, *target->mode) == 0);
  if (!kept || !WriteAll(fd, content) || !file.Close() ||
      rename(temporary.c_str(), target->path.c_str()) != 0) {
    const int error = errno;
    if (fd >= 0) unlink(temporary.c_str());
    return CannotWrite(path, error);
  }
  return Ok();
}

Result<> CheckWritable(const std::string& path) {
  const Result<WriteTarget> target = FindTarget(path);
  if (!target.ok()) return target.failure();
  const std::string folder = FolderOf(target->path);
  if (!target->in_place && access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0)
    return CannotWrite(path, errno);
  return Ok();
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {};
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string Resolve(const std::string& folder, const std::string& path) {
  if (folder.empty() || (!path.empty() && path[0] == '/')) return path;
  return folder.back() == '/' ? folder + path : folder + "/" + path;
}

}  // namespace lockstep::runner

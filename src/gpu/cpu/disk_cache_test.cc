// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/disk_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace lockstep::gpu::cpu {
namespace {

namespace fs = std::filesystem;

class DiskCaches : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "lockstep-cache-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    folder_ = root_ + "/deep/lockstep";
  }
  void TearDown() override { fs::remove_all(root_); }

  std::vector<fs::path> Entries() const {
    std::vector<fs::path> entries;
    if (!fs::exists(folder_)) return entries;
    for (const auto& entry : fs::directory_iterator(folder_)) entries.push_back(entry.path());
    return entries;
  }

  std::string root_, folder_;
};

TEST_F(DiskCaches, FindsWhatWasStored) {
  const DiskCache cache(folder_, 1 << 20);
  EXPECT_FALSE(cache.Find("key"));
  cache.Store("key", "object code");
  EXPECT_EQ(cache.Find("key"), "object code");
  EXPECT_FALSE(cache.Find("other key"));
  cache.Store("key", "new code");
  EXPECT_EQ(cache.Find("key"), "new code");
  EXPECT_EQ(Entries().size(), 1u) << "no temporary files stay behind";
  struct stat info;
  ASSERT_EQ(stat(folder_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0700u);
  ASSERT_EQ(stat(Entries()[0].c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0600u);
}

TEST_F(DiskCaches, DamageIsNotRun) {
  const DiskCache cache(folder_, 1 << 20);
  const std::string key(300, 'k'), object(5000, 'o');
  cache.Store(key, object);
  ASSERT_EQ(Entries().size(), 1u);
  const fs::path path = Entries()[0];
  std::ifstream in(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto write = [&](const std::string& content) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
  };
  for (size_t at = 0; at < whole.size(); at += 7) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    write(damaged);
    EXPECT_FALSE(cache.Find(key)) << "byte " << at;
  }
  for (const size_t length : {size_t{0}, size_t{5}, size_t{31}, size_t{32}, whole.size() - 1}) {
    write(whole.substr(0, length));
    EXPECT_FALSE(cache.Find(key)) << "length " << length;
  }
  write(whole + "x");
  EXPECT_FALSE(cache.Find(key));
  write(whole);
  EXPECT_EQ(cache.Find(key), object);
}

TEST_F(DiskCaches, WhatOthersCouldHaveWrittenIsIgnored) {
  const DiskCache cache(folder_, 1 << 20);
  cache.Store("key", "object");
  const fs::path path = Entries().at(0);
  ASSERT_EQ(chmod(path.c_str(), 0666), 0);
  EXPECT_FALSE(cache.Find("key"));
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  EXPECT_TRUE(cache.Find("key"));
  ASSERT_EQ(chmod(folder_.c_str(), 0777), 0);
  EXPECT_FALSE(cache.Find("key"));
  ASSERT_EQ(chmod(folder_.c_str(), 0700), 0);
  const fs::path moved = root_ + "/elsewhere";
  fs::rename(path, moved);
  fs::create_symlink(moved, path);
  EXPECT_FALSE(cache.Find("key"));
}

TEST_F(DiskCaches, AFolderBehindALinkIsNotOurs) {
  fs::create_directories(root_ + "/real");
  fs::permissions(root_ + "/real", fs::perms::owner_all);
  fs::create_directory_symlink(root_ + "/real", root_ + "/link");
  const DiskCache cache(root_ + "/link", 1 << 20);
  cache.Store("key", "object");
  EXPECT_FALSE(cache.Find("key"));
  EXPECT_TRUE(fs::is_empty(root_ + "/real"));
}

TEST_F(DiskCaches, StaysWithinItsBound) {
  const DiskCache cache(folder_, 10000);
  for (int i = 0; i < 50; ++i) cache.Store("key " + std::to_string(i), std::string(1000, 'x'));
  uint64_t total = 0;
  for (const fs::path& path : Entries()) total += fs::file_size(path);
  EXPECT_LE(total, 10000u);
  EXPECT_GT(total, 2000u);
}

TEST_F(DiskCaches, TheLeastRecentlyUsedGoesFirst) {
  const DiskCache cache(folder_, 3500);
  cache.Store("old", std::string(1000, 'x'));
  const fs::path old = Entries().at(0);
  const timespec times[2] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, old.c_str(), times, 0), 0);
  cache.Store("new", std::string(1000, 'x'));
  ASSERT_TRUE(cache.Find("old"));  // used: now it is the newest
  for (const fs::path& path : Entries()) {
    if (path != old) {
      ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
    }
  }
  cache.Store("third", std::string(1000, 'x'));
  cache.Store("fourth", std::string(450, 'x'));
  EXPECT_TRUE(cache.Find("old"));
  EXPECT_FALSE(cache.Find("new"));
}

TEST(DiskCache, NoFolderIsNoCache) {
  const DiskCache cache("", 1 << 20);
  cache.Store("key", "object");
  EXPECT_FALSE(cache.Find("key"));
  const DiskCache nowhere("/proc/no/such/place", 1 << 20);
  nowhere.Store("key", "object");
  EXPECT_FALSE(nowhere.Find("key"));
}

}  // namespace
}  // namespace lockstep::gpu::cpu

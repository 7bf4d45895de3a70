// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "runner/data_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <filesystem>

#include "runner/file_io.h"

namespace lockstep::runner {
namespace {

Layout Array(ScalarKind kind, uint64_t count) {
  return Layout::OfArray(Layout::OfScalar(kind), count, ScalarBytes(kind));
}

std::string Npy(const std::string& header, const std::string& data, char major = 1) {
  std::string out("\x93NUMPY", 6);
  out += major;
  out += '\0';
  const auto length = static_cast<uint32_t>(header.size());
  out.append(reinterpret_cast<const char*>(&length), major == 1 ? 2 : 4);
  return out + header + data;
}

template <typename T>
std::string Bytes(std::initializer_list<T> values) {
  std::string out;
  for (const T value : values) out.append(reinterpret_cast<const char*>(&value), sizeof(T));
  return out;
}

std::string Header(const std::string& descr, const std::string& shape, const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

using Values = std::vector<uint32_t>;

TEST(Npy, ReadsEveryType) {
  EXPECT_EQ(
      ParseNpy(Npy(Header("<u4", "(3,)"), Bytes<uint32_t>({1, 2, 0xffffffff})), Array(ScalarKind::kU32, 3))
          .value(),
      (Values{1, 2, 0xffffffff}));
  EXPECT_EQ(
      ParseNpy(Npy(Header("|u1", "(2,)"), Bytes<uint8_t>({1, 255})), Array(ScalarKind::kI32, 2)).value(),
      (Values{1, 255}));
  EXPECT_EQ(ParseNpy(Npy(Header("<i2", "(2,)"), Bytes<int16_t>({1, -1})), Array(ScalarKind::kI32, 2)).value(),
            (Values{1, 0xffffffff}));
  EXPECT_EQ(
      ParseNpy(Npy(Header("<i8", "(2, 1)"), Bytes<int64_t>({-5, 5})), Array(ScalarKind::kI32, 2)).value(),
      (Values{0xfffffffb, 5}));
  EXPECT_EQ(ParseNpy(Npy(Header("<f8", "(1,)"), Bytes<double>({0.1})), Array(ScalarKind::kF32, 1)).value(),
            (Values{0x3dcccccd}));
  EXPECT_EQ(ParseNpy(Npy(Header("<f4", "(1,)"), Bytes<float>({2.0f})), Array(ScalarKind::kU32, 1)).value(),
            (Values{2}));
  EXPECT_EQ(
      ParseNpy(Npy(Header("<f2", "(1,)"), Bytes<uint16_t>({0x3c00})), Array(ScalarKind::kF32, 1)).value(),
      (Values{0x3f800000}));
  EXPECT_EQ(ParseNpy(Npy(Header("<u4", "()"), Bytes<uint32_t>({9})), Array(ScalarKind::kU32, 1)).value(),
            (Values{9}));
  EXPECT_EQ(ParseNpy(Npy(Header("<u4", "(1,)"), Bytes<uint32_t>({9}), 2), Array(ScalarKind::kU32, 1)).value(),
            (Values{9}));
  EXPECT_EQ(ParseNpy(Npy(Header("<u4", "(1, 1)", "False"), Bytes<uint32_t>({9})), Array(ScalarKind::kU32, 1))
                .value(),
            (Values{9}));
}

struct BadFile {
  std::string content;
  const char* message;
};

TEST(Npy, SaysWhatIsWrong) {
  const std::string four = Bytes<uint32_t>({1});
  const BadFile cases[] = {
      {"", "is not a .npy file"},
      {"PK\x03\x04 something", "is not a .npy file"},
      {std::string("\x93NUMPY\x01\x00\xff\xff", 10), "ends within its header"},
      {Npy(Header("<u4", "(1,)"), four, 3), "version 3"},
      {Npy("{'descr': '<u4'}", four), "not understood"},
      {Npy("{'descr': [('a', '<u4')], 'fortran_order': False, 'shape': (1,)}", four), "not understood"},
      {Npy(Header("<u4", "(1,"), four), "not understood"},
      {Npy(Header(">u4", "(1,)"), four), "big-endian"},
      {Npy(Header("<c8", "(1,)"), four), "type '<c8'"},
      {Npy(Header("|O", "(1,)"), four), "type '|O'"},
      {Npy(Header("<u4", "(1, 1)", "True"), four), "Fortran order"},
      {Npy(Header("<u4", "(2,)"), four), "holds 2 values and the buffer 1"},
      {Npy(Header("<u4", "(99999999999999999999, 99999999999)"), four),
       "holds 2^64 values or more and the buffer 1"},
      {Npy(Header("<u4", "(1,)"), four + "x"), "has 5 bytes of data where its shape needs 4"},
      {Npy(Header("<u4", "(1,)"), "abc"), "has 3 bytes of data where its shape needs 4"},
      {Npy(Header("<i4", "(1,)"), Bytes<int32_t>({-3})), "value 0 does not fit: -3 is out of range for u32"},
      {Npy(Header("<f4", "(1,)"), Bytes<float>({0.5f})), "value 0 does not fit: 0.5 is not a u32"},
  };
  for (const BadFile& c : cases) {
    const Result<Values> values = ParseNpy(c.content, Array(ScalarKind::kU32, 1));
    ASSERT_FALSE(values.ok()) << c.message;
    EXPECT_NE(values.failure().message.find(c.message), std::string::npos) << values.failure().message;
    EXPECT_EQ(values.failure().kind, FailureKind::kUsage);
  }
}

TEST(Npy, EveryPrefixOfAFileIsHarmless) {
  const std::string whole = Npy(Header("<u4", "(1,)"), Bytes<uint32_t>({7}));
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(ParseNpy(std::string_view(whole).substr(0, length), Array(ScalarKind::kU32, 1)).ok())
        << length;
  }
}

TEST(Npy, WritesWhatItReads) {
  const Layout layout = Array(ScalarKind::kF32, 3);
  std::vector<std::byte> memory(12);
  const float values[] = {1.5f, -2, 0.1f};
  std::memcpy(memory.data(), values, 12);
  const std::string file = FormatNpy(layout, memory);
  EXPECT_EQ((file.size() - 12) % 64, 0u);
  EXPECT_NE(file.find("'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"), std::string::npos);
  EXPECT_EQ(ParseNpy(file, layout).value(), Gather(layout, memory));
}

TEST(Csv, ReadsNumbersBetweenCommasAndSpace) {
  EXPECT_EQ(ParseCsv("1,2\r\n3;4 5\n", Array(ScalarKind::kU32, 5)).value(), (Values{1, 2, 3, 4, 5}));
  EXPECT_EQ(ParseCsv("1, 2,\n3,\n", Array(ScalarKind::kU32, 3)).value(), (Values{1, 2, 3}));
  const BadFile cases[] = {{"1,,2", "no number between two commas on line 1"},
                           {"1\n2,three", "'three' on line 2 is not a number"},
                           {"1,2", "holds 2 values and the buffer 3"},
                           {"1,2,3,4", "holds more values than the 3 of the buffer"},
                           {"1,2,-3", "value 2 does not fit: -3 is out of range for u32"},
                           {"", "holds 0 values"}};
  for (const BadFile& c : cases) {
    const Result<Values> values = ParseCsv(c.content, Array(ScalarKind::kU32, 3));
    ASSERT_FALSE(values.ok()) << c.message;
    EXPECT_NE(values.failure().message.find(c.message), std::string::npos) << values.failure().message;
  }
}

TEST(Json, ReadsNestedArraysAndSpecialNumbers) {
  EXPECT_EQ(ParseJson("[[1, 2], [3]]", Array(ScalarKind::kU32, 3)).value(), (Values{1, 2, 3}));
  EXPECT_EQ(ParseJson("[0.1, \"-Infinity\", -0.0]", Array(ScalarKind::kF32, 3)).value(),
            (Values{0x3dcccccd, 0xff800000, 0x80000000}));
  const BadFile cases[] = {{"[1, 2", "is not JSON"},
                           {"[1, null, 3]", "holds null"},
                           {"{\"a\": 1}", "holds an object"},
                           {"[1, \"two\", 3]", "holds a string"},
                           {"[1, 2]", "holds 2 values"},
                           {"[1,2,3,4]", "more values than the 3"},
                           {"[1, 2, 3.5]", "value 2 does not fit"},
                           {"[true]", "truth value"}};
  for (const BadFile& c : cases) {
    const Result<Values> values = ParseJson(c.content, Array(ScalarKind::kU32, 3));
    ASSERT_FALSE(values.ok()) << c.message;
    EXPECT_NE(values.failure().message.find(c.message), std::string::npos) << values.failure().message;
  }
  EXPECT_FALSE(ParseJson(std::string(1000000, '['), Array(ScalarKind::kU32, 3)).ok());
}

TEST(Bin, HoldsScalarsWithoutPadding) {
  const Layout vector = Layout::OfArray(Layout::OfScalar(ScalarKind::kU32), 3, 4);
  const Layout layout = Layout::OfArray(vector, 2, 16);
  EXPECT_EQ(ParseBin(Bytes<uint32_t>({1, 2, 3, 4, 5, 6}), layout).value(), (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_NE(ParseBin("abc", layout).failure().message.find("has 3 bytes and the buffer's 6 values take 24"),
            std::string::npos);
}

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "lockstep-data-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(Files, EveryFormatReadsBackWhatItSaved) {
  const Layout layout = Array(ScalarKind::kF32, 4);
  std::vector<std::byte> memory(16);
  const uint32_t bits[] = {0x3dcccccd, 0x80000000, 0x7f800000, 0x7fc00000};
  std::memcpy(memory.data(), bits, 16);
  for (const char* extension : {"npy", "bin", "csv", "json"}) {
    const std::string path = folder_ + "/data." + extension;
    ASSERT_TRUE(WriteDataFile(path, layout, memory).ok());
    const Result<Values> values = ReadDataFile(path, layout);
    ASSERT_TRUE(values.ok()) << values.failure().message;
    EXPECT_EQ(*values, Gather(layout, memory)) << extension;
  }
}

TEST_F(Files, AFailedSaveLeavesNothingBehind) {
  const Result<> written = WriteFileAtomically(folder_ + "/no/such/place.csv", "1\n");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.failure().kind, FailureKind::kUsage);
  std::filesystem::create_directory(folder_ + "/taken.csv");
  EXPECT_FALSE(WriteFileAtomically(folder_ + "/taken.csv", "1\n").ok());
  size_t entries = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) entries += entry.exists() ? 1 : 0;
  EXPECT_EQ(entries, 1u);
}

TEST_F(Files, WritingFollowsLinksKeepsModesAndReplacesNoDevice) {
  namespace fs = std::filesystem;
  const auto content = [](const std::string& path) { return *ReadFile(path, 100); };
  const std::string file = folder_ + "/file", link = folder_ + "/link";
  ASSERT_TRUE(WriteFileAtomically(file, "first, and longer").ok());
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("file", link);
  ASSERT_TRUE(CheckWritable(link).ok());
  ASSERT_TRUE(WriteFileAtomically(link, "second").ok());
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(content(file), "second");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);

  const std::string dangling = folder_ + "/dangling", later = folder_ + "/later";
  fs::create_symlink("later", dangling);
  ASSERT_TRUE(WriteFileAtomically(dangling, "third").ok());
  EXPECT_TRUE(fs::is_symlink(dangling));
  EXPECT_EQ(content(later), "third");

  const std::string device = folder_ + "/device";
  fs::create_symlink("/dev/null", device);
  ASSERT_TRUE(WriteFileAtomically(device, "gone").ok());
  EXPECT_TRUE(fs::is_symlink(device));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  fs::create_symlink("/dev/full", folder_ + "/full");
  EXPECT_NE(WriteFileAtomically(folder_ + "/full", "much").failure().message.find("no space left"),
            std::string::npos);
}

TEST_F(Files, ReadingNamesTheTrouble) {
  EXPECT_NE(ReadFile(folder_, 100).failure().message.find("is a folder"), std::string::npos);
  EXPECT_NE(ReadFile(folder_ + "/none", 100).failure().message.find("there is no such file"),
            std::string::npos);
  ASSERT_TRUE(WriteFileAtomically(folder_ + "/large", std::string(101, 'x')).ok());
  EXPECT_NE(ReadFile(folder_ + "/large", 100).failure().message.find("larger than the 100 bytes"),
            std::string::npos);
  EXPECT_NE(ReadFile("/dev/zero", 100).failure().message.find("larger than the 100 bytes"),
            std::string::npos);
}

TEST(CheckSave, NpyNeedsOneType) {
  const Layout mixed =
      Layout::OfStruct({Layout::OfScalar(ScalarKind::kF32), Layout::OfScalar(ScalarKind::kU32)}, {0, 4}, 8);
  EXPECT_FALSE(CheckSave("a.npy", mixed).ok());
  EXPECT_TRUE(CheckSave("a.json", mixed).ok());
  EXPECT_FALSE(CheckSave("a.txt", mixed).ok());
  EXPECT_FALSE(CheckSave(".npy", mixed).ok());
}

}  // namespace
}  // namespace lockstep::runner

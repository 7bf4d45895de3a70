// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Buffers' scalars in files, by extension:
//   .npy   NumPy, versions 1 and 2, little-endian, C order: u1 to u8, i1 to i8, f2 to f8 in; saved with the
//   buffer's own
//          scalar type and one dimension
//   .bin   the scalars' bytes one after the other, little-endian, without padding
//   .csv   numbers between commas or white space; saved one line
//   .json  numbers, and "NaN", "Infinity", "-Infinity", in arrays of any depth; saved as one array
// A number that the buffer's type cannot hold is an error that says which one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/layout.h"
#include "support/result.h"

namespace lockstep::runner {

enum class DataFormat : uint8_t { kNpy, kBin, kCsv, kJson };
Result<DataFormat> FormatOf(const std::string& path);

// Exactly layout.scalars values; failures name the file.
Result<std::vector<uint32_t>> ReadDataFile(const std::string& path, const Layout& layout);
// Whether the buffer can be saved so: .npy needs scalars of one type.
Result<> CheckSave(const std::string& path, const Layout& layout);
Result<> WriteDataFile(const std::string& path, const Layout& layout, std::span<const std::byte> memory);

// --- the formats by themselves; messages without the file's name ---
Result<std::vector<uint32_t>> ParseNpy(std::string_view content, const Layout& layout);
Result<std::vector<uint32_t>> ParseBin(std::string_view content, const Layout& layout);
Result<std::vector<uint32_t>> ParseCsv(std::string_view content, const Layout& layout);
Result<std::vector<uint32_t>> ParseJson(std::string_view content, const Layout& layout);
std::string FormatNpy(const Layout& layout, std::span<const std::byte> memory);

}  // namespace lockstep::runner

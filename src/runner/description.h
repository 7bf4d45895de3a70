// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The language in which a run is described (docs/cli.md, "Describing a run"), as syntax: names and types are
// text here. It stands in comments of the shader and in flags.
//
//   // prices: 16384 x f32 = random 0 .. 100 seed 7, dispatch 64 entry main override TILE = 64   // a remark
//   // expect rank: 5, 0, 3, ... within 1%
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lockstep::runner {

// A resource: by its variable's name, or by group and binding.
struct ResourceName {
  std::string identifier;  // empty: `binding`
  std::pair<uint32_t, uint32_t> binding = {0, 0};
  bool by_binding() const { return identifier.empty(); }
  std::string ToString() const;  // as it was written
};

struct Initializer {
  enum class Form : uint8_t { kZero, kNumber, kList, kIota, kRandom, kFile };
  Form form = Form::kZero;
  std::vector<std::string> numbers;  // kNumber: one; kList; kRandom: low and high
  uint64_t seed = 0;                 // kRandom
  std::string file;                  // kFile
};

struct BufferItem {
  ResourceName name;
  std::optional<uint64_t> count;
  std::string type;
  Initializer init;
};

struct OverrideItem {
  std::string name;
  std::string value;  // a number
};

struct EntryItem {
  std::string name;
};

struct DispatchItem {
  bool indirect = false;
  std::array<uint64_t, 3> size = {1, 1, 1};
  ResourceName arguments;  // indirect
  uint64_t offset = 0;     // indirect: bytes
  std::string entry;       // empty: the run's
  std::vector<OverrideItem> overrides;
};

struct ExpectItem {
  ResourceName name;
  bool unordered = false;
  std::vector<std::string> values;
  bool rest_unchecked = false;  // "..."
  std::string file;             // instead of values
  std::string tolerance;        // empty: exact
  bool relative = false;        // the tolerance is a percentage
};

struct Item {
  size_t offset = 0;  // bytes into the text that was parsed
  std::variant<BufferItem, DispatchItem, EntryItem, OverrideItem, ExpectItem> value;
};

struct SyntaxError {
  size_t offset = 0;
  std::string message;
};

// Either the items, or the first error.
struct ParsedLine {
  std::vector<Item> items;
  std::optional<SyntaxError> error;
};

// A whole line, as it stands behind the `//`; a trailing `//` remark is left out.
ParsedLine ParseLine(std::string_view text);
// What a flag takes: exactly one item of its kind, the keyword itself optional for dispatch and expect.
ParsedLine ParseBufferFlag(std::string_view text);
ParsedLine ParseDispatchFlag(std::string_view text);
ParsedLine ParseExpectFlag(std::string_view text);
ParsedLine ParseOverrideFlag(std::string_view text);  // NAME=VALUE

// The length of `text` without its trailing remark.
size_t RemarkStart(std::string_view text);

// How a line begins, for the decision whether a comment that does not parse deserves a warning.
struct LineStart {
  std::optional<ResourceName> before_colon;  // NAME:
  bool keyword = false;                      // dispatch, entry, override, expect
  bool number_follows = false;               // the keyword, then a number
  std::string name_follows;                  // the keyword (and "indirect"), then this identifier
  std::optional<ResourceName> binding_follows;
};
LineStart StartOf(std::string_view text);

bool IsIdentifier(std::string_view text);

}  // namespace lockstep::runner

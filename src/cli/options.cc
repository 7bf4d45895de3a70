// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What the values of flags may be. The parser's own checks word their complaints for programmers, and put
// them into
// --help; these say what was expected, as everything else here does.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "cli/command.h"

namespace lockstep::cli {
namespace {

template <typename T>
std::optional<T> Parsed(const std::string& text) {
  T value{};
  const char* const end = text.data() + text.size();
  const std::from_chars_result result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return value;
}

template <typename T>
CLI::Option* InRange(CLI::Option* option, std::string_view what, T low, T high) {
  option->check([=](const std::string& text) {
    const std::optional<T> value = Parsed<T>(text);
    if (value && *value >= low && *value <= high) return std::string();
    return fmt::format("expected {} from {} to {}, not '{}'", what, low, high, text);
  });
  return option;
}

}  // namespace

CLI::Option* OneOf(CLI::Option* option, std::vector<std::string> values) {
  option->check([values = std::move(values)](const std::string& text) {
    if (std::find(values.begin(), values.end(), text) != values.end()) return std::string();
    return fmt::format("expected {}, not '{}'", fmt::join(values, ", "), text);
  });
  return option;
}

CLI::Option* WholeNumber(CLI::Option* option, uint64_t low, uint64_t high) {
  return InRange<uint64_t>(option, "a whole number", low, high);
}

CLI::Option* Number(CLI::Option* option, double low, double high) {
  return InRange<double>(option, "a number", low, high);
}

CLI::Option* AddLanes(CLI::App& app, uint32_t& lanes) {
  return OneOf(app.add_option("--lanes", lanes, "Lanes that the CPU device works on together"),
               {"1", "2", "4", "8", "16", "32", "64"})
      ->type_name("N");
}

std::vector<std::string> SplitList(const std::string& text) {
  std::vector<std::string> parts;
  size_t start = 0;
  while (start <= text.size()) {
    const size_t comma = std::min(text.find(',', start), text.size());
    if (comma > start) parts.push_back(text.substr(start, comma - start));
    start = comma + 1;
  }
  return parts;
}

}  // namespace lockstep::cli

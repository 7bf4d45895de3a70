// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "runner/data_file.h"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "runner/cursor.h"
#include "runner/file_io.h"
#include "support/half.h"

namespace lockstep::runner {
namespace {

// Text takes at most this many bytes a value, separators included, and some more in all.
constexpr uint64_t kMaxTextBytes = 64;
constexpr uint64_t kTextSlack = uint64_t{1} << 20;

Failure Bad(std::string message) { return {FailureKind::kUsage, std::move(message)}; }

// `holds` is UINT64_MAX where it is at least that.
Failure WrongCount(uint64_t holds, const Layout& layout) {
  if (holds == UINT64_MAX)
    return Bad(fmt::format("holds 2^64 values or more and the buffer {}", layout.scalars));
  return Bad(fmt::format("holds {} value{} and the buffer {}", holds, holds == 1 ? "" : "s", layout.scalars));
}

// Takes values one by one and converts each to the kind of its scalar.
class Collector {
 public:
  explicit Collector(const Layout& layout) : layout_(layout), common_(CommonKind(layout)) {
    values_.reserve(std::min<uint64_t>(layout.scalars, 1 << 20));
  }

  // False: there is no room for more, or the value does not convert.
  bool Add(std::string_view text) { return Room() && Take(ConvertText(text, Kind())); }
  bool AddConverted(const Converted& converted) { return Take(converted); }
  ScalarKind Kind() const { return common_ ? *common_ : PlaceOf(layout_, values_.size()).kind; }
  bool Room() {
    if (values_.size() < layout_.scalars) return true;
    too_many_ = true;
    return false;
  }

  Result<std::vector<uint32_t>> Finish() {
    if (!error_.empty()) return Bad(fmt::format("value {} {}", values_.size(), error_));
    if (too_many_) return Bad(fmt::format("holds more values than the {} of the buffer", layout_.scalars));
    if (values_.size() != layout_.scalars) return WrongCount(values_.size(), layout_);
    return std::move(values_);
  }
  bool failed() const { return too_many_ || !error_.empty(); }

 private:
  bool Take(const Converted& converted) {
    if (!converted.bits) {
      error_ = fmt::format("does not fit: {}", converted.error);
      return false;
    }
    values_.push_back(*converted.bits);
    return true;
  }

  const Layout& layout_;
  std::optional<ScalarKind> common_;
  std::vector<uint32_t> values_;
  std::string error_;
  bool too_many_ = false;
};

// nlohmann's events: numbers and their strings count, arrays may nest, all else is refused.
class JsonNumbers : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit JsonNumbers(Collector* collector) : collector_(collector) {}
  std::string error;

  // Only for numbers with a minus: -0 is one of them.
  bool number_integer(number_integer_t v) override {
    if (v == 0) return collector_->Add("-0");
    return collector_->Room() &&
           collector_->AddConverted(ConvertInteger(true, ~static_cast<uint64_t>(v) + 1, collector_->Kind()));
  }
  bool number_unsigned(number_unsigned_t v) override {
    return collector_->Room() && collector_->AddConverted(ConvertInteger(false, v, collector_->Kind()));
  }
  // By its text: a double would round twice, and makes -0 of nothing else.
  bool number_float(number_float_t, const string_t& text) override { return collector_->Add(text); }
  bool string(string_t& v) override {
    if (v == "NaN" || v == "Infinity" || v == "-Infinity") return collector_->Add(v);
    return Refuse("a string");
  }
  bool null() override { return Refuse("null"); }
  bool boolean(bool) override { return Refuse("a truth value"); }
  bool binary(binary_t&) override { return Refuse("binary data"); }
  bool start_object(size_t) override { return Refuse("an object"); }
  bool key(string_t&) override { return Refuse("an object"); }
  bool end_object() override { return true; }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override {
    error = fmt::format("is not JSON: it goes wrong at byte {}", position);
    return false;
  }

 private:
  bool Refuse(std::string_view what) {
    error = fmt::format("holds {}: expected an array of numbers", what);
    return false;
  }
  Collector* collector_;
};

// ---- .npy ----

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  uint64_t dimensions = 0;
  uint64_t count = 1;
};

// The header is a Python dictionary of three known keys.
class NpyHeaderParser {
 public:
  explicit NpyHeaderParser(std::string_view text) : cursor_(text) {}

  bool Parse(NpyHeader& header) {
    bool descr = false, order = false, shape = false;
    if (!cursor_.Eat('{')) return false;
    while (!cursor_.Eat('}')) {
      std::string key;
      if (!String(key) || !cursor_.Eat(':')) return false;
      if (key == "descr")
        descr = String(header.descr);
      else if (key == "fortran_order")
        order = Boolean(header.fortran_order);
      else if (key == "shape")
        shape = Shape(header);
      else
        return false;
      if (!cursor_.Eat(',')) {
        if (!cursor_.Eat('}')) return false;
        break;
      }
    }
    return descr && order && shape;
  }

 private:
  bool String(std::string& out) {
    cursor_.SkipSpaces();
    const char quote = cursor_.peek();
    if (quote != '\'' && quote != '"') return false;
    const size_t end = cursor_.rest().find(quote, 1);
    if (end == std::string_view::npos) return false;
    out = cursor_.rest().substr(1, end - 1);
    cursor_.set_at(cursor_.at() + end + 1);
    return true;
  }
  bool Boolean(bool& out) {
    const std::string_view word = cursor_.Identifier();
    out = word == "True";
    return out || word == "False";
  }
  bool Shape(NpyHeader& header) {
    if (!cursor_.Eat('(')) return false;
    while (!cursor_.Eat(')')) {
      const std::optional<uint64_t> extent = cursor_.Digits();
      if (!extent) return false;
      header.count = SaturatingMul(header.count, *extent);
      ++header.dimensions;
      if (!cursor_.Eat(',')) return cursor_.Eat(')');
    }
    return true;
  }
  Cursor cursor_;
};

struct NpyFile {
  NpyHeader header;
  std::string_view data;
};

Result<NpyFile> OpenNpy(std::string_view content) {
  static constexpr std::string_view kMagic("\x93NUMPY", 6);
  if (content.substr(0, 6) != kMagic || content.size() < 10) return Bad("is not a .npy file");
  const int major = static_cast<unsigned char>(content[6]);
  if (major != 1 && major != 2)
    return Bad(fmt::format("is a .npy file of version {}: versions 1 and 2 are read", major));
  const size_t length_bytes = major == 1 ? 2 : 4;
  if (content.size() < 8 + length_bytes) return Bad("ends within its header");
  uint32_t length = 0;
  std::memcpy(&length, content.data() + 8, length_bytes);
  if (content.size() - 8 - length_bytes < length) return Bad("ends within its header");
  std::string text(content.substr(8 + length_bytes, length));
  for (char& c : text) c = c == '\n' ? ' ' : c;
  NpyFile file;
  file.data = content.substr(8 + length_bytes + length);
  if (!NpyHeaderParser(text).Parse(file.header)) {
    return Bad(
        "has a .npy header that is not understood: expected a plain array with 'descr', 'fortran_order' and "
        "'shape'");
  }
  return file;
}

Converted ConvertElement(const char* at, char type, size_t bytes, ScalarKind kind) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, bytes);
  if (type == 'u') return ConvertInteger(false, bits, kind);
  if (type == 'i') {
    const bool negative = (bits >> (bytes * 8 - 1) & 1) != 0;
    if (negative && bytes < 8) bits |= ~uint64_t{0} << (bytes * 8);
    return ConvertInteger(negative, negative ? ~bits + 1 : bits, kind);
  }
  if (bytes == 2 && kind == ScalarKind::kF16) return {static_cast<uint32_t>(bits), {}};
  if (bytes == 4 && kind == ScalarKind::kF32) return {static_cast<uint32_t>(bits), {}};
  if (bytes == 2) return ConvertDouble(HalfValue(static_cast<uint32_t>(bits)), kind);
  if (bytes == 4) return ConvertDouble(ToDouble({ScalarKind::kF32, static_cast<uint32_t>(bits)}), kind);
  double value = 0;
  std::memcpy(&value, at, 8);
  return ConvertDouble(value, kind);
}

std::string_view NpyType(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::kI32:
      return "<i4";
    case ScalarKind::kU32:
      return "<u4";
    case ScalarKind::kF32:
      return "<f4";
    case ScalarKind::kF16:
      return "<f2";
  }
  UNREACHABLE("scalar kind");
}

uint64_t PackedBytes(const Layout& layout) {
  if (const std::optional<ScalarKind> common = CommonKind(layout))
    return SaturatingMul(layout.scalars, ScalarBytes(*common));
  uint64_t bytes = 0;
  ForEachScalar(layout, [&](uint64_t, ScalarKind kind) { bytes += ScalarBytes(kind); });
  return bytes;
}

std::string Packed(const Layout& layout, std::span<const std::byte> memory) {
  std::string out;
  out.reserve(PackedBytes(layout));
  ForEachScalar(layout, [&](uint64_t offset, ScalarKind kind) {
    out.append(reinterpret_cast<const char*>(memory.data()) + offset, ScalarBytes(kind));
  });
  return out;
}

std::string ListText(const Layout& layout, std::span<const std::byte> memory, NumberStyle style,
                     std::string_view open, std::string_view close) {
  std::string out(open);
  bool first = true;
  ForEachScalar(layout, [&](uint64_t offset, ScalarKind kind) {
    uint32_t bits = 0;
    std::memcpy(&bits, memory.data() + offset, ScalarBytes(kind));
    if (!first) out += ',';
    first = false;
    AppendScalar(out, {kind, bits}, style);
  });
  out += close;
  return out;
}

}  // namespace

Result<DataFormat> FormatOf(const std::string& path) {
  const auto ends = [&](std::string_view suffix) {
    return path.size() > suffix.size() &&
           std::string_view(path).substr(path.size() - suffix.size()) == suffix;
  };
  if (ends(".npy")) return DataFormat::kNpy;
  if (ends(".bin")) return DataFormat::kBin;
  if (ends(".csv")) return DataFormat::kCsv;
  if (ends(".json")) return DataFormat::kJson;
  return Bad(fmt::format("{}: data files end in .npy, .bin, .csv or .json", path));
}

Result<std::vector<uint32_t>> ParseNpy(std::string_view content, const Layout& layout) {
  const Result<NpyFile> file = OpenNpy(content);
  if (!file.ok()) return file.failure();
  const NpyHeader& header = file->header;
  const std::string& descr = header.descr;
  const char order = descr.empty() ? '\0' : descr[0];
  const std::string type = descr.size() > 1 ? descr.substr(1) : "";
  static constexpr std::string_view kKnown = " u1 u2 u4 u8 i1 i2 i4 i8 f2 f4 f8 ";
  if (type.size() != 2 || kKnown.find(fmt::format(" {} ", type)) == std::string_view::npos ||
      (order != '<' && order != '|' && order != '>' && order != '=')) {
    return Bad(fmt::format("holds elements of type '{}': u1 to u8, i1 to i8 and f2 to f8 are read", descr));
  }
  if (order == '>' && type[1] != '1')
    return Bad(fmt::format("holds big-endian elements '{}': save it as '<{}'", descr, type));
  if (header.fortran_order && header.dimensions > 1)
    return Bad("is in Fortran order: save it with numpy.ascontiguousarray");
  if (header.count != layout.scalars) return WrongCount(header.count, layout);
  const auto bytes = static_cast<size_t>(type[1] - '0');
  if (SaturatingMul(header.count, bytes) != file->data.size()) {
    return Bad(fmt::format("has {} bytes of data where its shape needs {}", file->data.size(),
                           SaturatingMul(header.count, bytes)));
  }
  Collector collector(layout);
  for (uint64_t i = 0; i < header.count; ++i) {
    if (!collector.AddConverted(
            ConvertElement(file->data.data() + i * bytes, type[0], bytes, collector.Kind())))
      break;
  }
  return collector.Finish();
}

Result<std::vector<uint32_t>> ParseBin(std::string_view content, const Layout& layout) {
  if (content.size() != PackedBytes(layout)) {
    return Bad(fmt::format("has {} bytes and the buffer's {} values take {}", content.size(), layout.scalars,
                           PackedBytes(layout)));
  }
  std::vector<uint32_t> values;
  values.reserve(layout.scalars);
  const char* at = content.data();
  ForEachScalar(layout, [&](uint64_t, ScalarKind kind) {
    uint32_t bits = 0;
    std::memcpy(&bits, at, ScalarBytes(kind));
    at += ScalarBytes(kind);
    values.push_back(bits);
  });
  return values;
}

Result<std::vector<uint32_t>> ParseCsv(std::string_view content, const Layout& layout) {
  Collector collector(layout);
  uint64_t line = 1;
  bool value_since_comma = true;
  size_t i = content.substr(0, 3) == "\xef\xbb\xbf" ? 3 : 0;  // spreadsheets write a byte order mark
  while (i < content.size()) {
    const char c = content[i];
    if (c == '\n' || c == '\r') {
      if (c == '\n') ++line;
      value_since_comma = true;  // a comma at the end of a line is a habit
      ++i;
    } else if (IsSpace(c)) {
      ++i;
    } else if (c == ',' || c == ';') {
      if (!value_since_comma) return Bad(fmt::format("has no number between two commas on line {}", line));
      value_since_comma = false;
      ++i;
    } else {
      const size_t end = std::min(content.find_first_of(",; \t\r\n", i), content.size());
      const std::string_view text = content.substr(i, end - i);
      if (!IsNumber(text)) {
        return Bad(fmt::format("'{}' on line {} is not a number", text.substr(0, 40), line));
      }
      if (!collector.Add(text)) return collector.Finish();
      value_since_comma = true;
      i = end;
    }
  }
  return collector.Finish();
}

Result<std::vector<uint32_t>> ParseJson(std::string_view content, const Layout& layout) {
  Collector collector(layout);
  JsonNumbers numbers(&collector);
  if (!nlohmann::json::sax_parse(content.begin(), content.end(), &numbers) && !collector.failed())
    return Bad(numbers.error);
  return collector.Finish();
}

Result<std::vector<uint32_t>> ReadDataFile(const std::string& path, const Layout& layout) {
  const Result<DataFormat> format = FormatOf(path);
  if (!format.ok()) return format.failure();
  const Result<std::string> content =
      ReadFile(path, SaturatingAdd(SaturatingMul(layout.scalars, kMaxTextBytes), kTextSlack));
  if (!content.ok()) return content.failure();
  Result<std::vector<uint32_t>> values = Failure{};
  switch (*format) {
    case DataFormat::kNpy:
      values = ParseNpy(*content, layout);
      break;
    case DataFormat::kBin:
      values = ParseBin(*content, layout);
      break;
    case DataFormat::kCsv:
      values = ParseCsv(*content, layout);
      break;
    case DataFormat::kJson:
      values = ParseJson(*content, layout);
      break;
  }
  if (!values.ok()) return Bad(fmt::format("{}: {}", path, values.failure().message));
  return values;
}

Result<> CheckSave(const std::string& path, const Layout& layout) {
  const Result<DataFormat> format = FormatOf(path);
  if (!format.ok()) return format.failure();
  if (*format == DataFormat::kNpy && !CommonKind(layout)) {
    return Bad(fmt::format(
        "{}: the buffer holds scalars of several types, which .npy cannot: save it as .json, .csv or .bin",
        path));
  }
  return CheckWritable(path);
}

std::string FormatNpy(const Layout& layout, std::span<const std::byte> memory) {
  const std::optional<ScalarKind> kind = CommonKind(layout);
  CHECK(kind.has_value());
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}",
                                   NpyType(*kind), layout.scalars);
  header.append((64 - (10 + header.size() + 1) % 64) % 64, ' ');  // the data begin at a multiple of 64
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  const auto length = static_cast<uint16_t>(header.size());
  out += static_cast<char>(length & 0xff);
  out += static_cast<char>(length >> 8);
  return out + header + Packed(layout, memory);
}

Result<> WriteDataFile(const std::string& path, const Layout& layout, std::span<const std::byte> memory) {
  if (Result<> possible = CheckSave(path, layout); !possible.ok()) return possible;
  const Result<DataFormat> format = FormatOf(path);
  switch (*format) {
    case DataFormat::kNpy:
      return WriteFileAtomically(path, FormatNpy(layout, memory));
    case DataFormat::kBin:
      return WriteFileAtomically(path, Packed(layout, memory));
    case DataFormat::kCsv:
      return WriteFileAtomically(path, ListText(layout, memory, NumberStyle::kText, "", "\n"));
    case DataFormat::kJson:
      return WriteFileAtomically(path, ListText(layout, memory, NumberStyle::kJson, "[", "]\n"));
  }
  UNREACHABLE("data format");
}

}  // namespace lockstep::runner

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "runner/description.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/cursor.h"
#include "runner/scalar.h"

namespace lockstep::runner {
namespace {

// Parses one item. Every method returns false once `error` is set.
class ItemParser {
 public:
  ItemParser(std::string_view text, size_t base) : text_(text), cursor_(text), base_(base) {}

  std::optional<SyntaxError> error;

  bool Parse(Item& item) {
    cursor_.SkipSpaces();
    item.offset = base_ + cursor_.at();
    if (AtKeyword("dispatch")) return cursor_.Word("dispatch") && Dispatch(item);
    if (AtKeyword("entry")) return cursor_.Word("entry") && Entry(item);
    if (AtKeyword("override")) return cursor_.Word("override") && Override(item);
    if (AtKeyword("expect")) return Fail("'expect' stands alone on its line");
    return Buffer(item);
  }

  bool Dispatch(Item& item) {
    DispatchItem dispatch;
    if (cursor_.Word("indirect")) {
      dispatch.indirect = true;
      if (!Name(dispatch.arguments) || !Offset(dispatch)) return false;
    } else if (!Size(dispatch)) {
      return false;
    }
    if (cursor_.Word("entry")) {
      dispatch.entry = cursor_.Identifier();
      if (dispatch.entry.empty()) return Fail("expected an entry point's name after 'entry'");
    }
    while (cursor_.Word("override")) {
      OverrideItem override_item;
      if (!NameAndNumber(override_item)) return false;
      dispatch.overrides.push_back(std::move(override_item));
    }
    item.value = std::move(dispatch);
    return End("expected 'entry NAME', 'override NAME = NUMBER' or the end of the dispatch");
  }

  bool Override(Item& item) {
    OverrideItem override_item;
    if (!NameAndNumber(override_item)) return false;
    item.value = std::move(override_item);
    return End("expected nothing after the override's value");
  }

  bool Buffer(Item& item) {
    BufferItem buffer;
    if (!Name(buffer.name)) return false;
    if (!cursor_.Eat(':')) return Fail("expected ':' after the name");
    const size_t start = cursor_.at();
    if (const std::optional<uint64_t> count = cursor_.Digits()) {
      if (!cursor_.Eat('x')) return Fail("expected 'x' and a type after the count, as in '6 x u32'");
      buffer.count = count;
    } else {
      cursor_.set_at(start);
    }
    const size_t equals = std::min(text_.find('=', cursor_.at()), text_.size());
    buffer.type = Trim(text_.substr(cursor_.at(), equals - cursor_.at()));
    if (buffer.type.empty()) return Fail("expected a type, as in 'NAME: 6 x u32'");
    cursor_.set_at(equals);
    if (cursor_.Eat('=') && !Init(buffer.init)) return false;
    item.value = std::move(buffer);
    return End("expected nothing after the buffer's contents");
  }

  bool Expect(Item& item) {
    ExpectItem expect;
    if (!Name(expect.name)) return false;
    expect.unordered = cursor_.Word("unordered");
    if (!cursor_.Eat(':')) return Fail("expected ':' after the name");
    if (cursor_.Eat('@')) {
      if (!File(expect.file)) return false;
    } else if (!ExpectedValues(expect)) {
      return false;
    }
    if (cursor_.Word("within") && !Tolerance(expect)) return false;
    item.value = std::move(expect);
    return End("expected ',', 'within' or the end of the line");
  }

 private:
  bool Fail(std::string message) {
    error = SyntaxError{base_ + cursor_.at(), std::move(message)};
    return false;
  }
  bool FailAt(size_t at, std::string message) {
    error = SyntaxError{base_ + at, std::move(message)};
    return false;
  }
  bool End(std::string message) {
    cursor_.SkipSpaces();
    return cursor_.done() || Fail(std::move(message));
  }

  // A keyword that is not a buffer called so: `entry: 4 x u32` describes the buffer `entry`.
  bool AtKeyword(std::string_view word) {
    Cursor ahead = cursor_;
    if (!ahead.Word(word)) return false;
    ahead.SkipSpaces();
    return ahead.peek() != ':';
  }

  bool Name(ResourceName& name) {
    if (const std::optional<uint64_t> group = cursor_.Digits()) {
      const std::optional<uint64_t> binding =
          cursor_.peek() == '.' && cursor_.Eat('.') ? cursor_.Digits() : std::nullopt;
      if (!binding || *group > UINT32_MAX || *binding > UINT32_MAX) {
        return Fail("expected a variable's name or GROUP.BINDING");
      }
      name.binding = {static_cast<uint32_t>(*group), static_cast<uint32_t>(*binding)};
      return true;
    }
    name.identifier = cursor_.Identifier();
    return !name.identifier.empty() || Fail("expected a variable's name or GROUP.BINDING");
  }

  bool Size(DispatchItem& dispatch) {
    for (size_t axis = 0; axis < 3; ++axis) {
      const std::optional<uint64_t> count = cursor_.Digits();
      if (!count) return Fail("expected a number of workgroups, as in 'dispatch 16' or 'dispatch 8 x 8'");
      dispatch.size[axis] = *count;
      if (axis == 2 || !cursor_.Eat('x')) return true;
    }
    return true;
  }

  bool Offset(DispatchItem& dispatch) {
    if (!cursor_.Word("offset")) return true;
    cursor_.SkipSpaces();
    const size_t at = cursor_.at();
    const std::optional<uint64_t> bytes = cursor_.Digits();
    if (!bytes) return Fail("expected a number of bytes after 'offset'");
    if (*bytes % 4 != 0) return FailAt(at, fmt::format("the offset {} is not a multiple of 4", *bytes));
    dispatch.offset = *bytes;
    return true;
  }

  bool Number(std::string& number, std::string_view stops) {
    cursor_.SkipSpaces();
    const size_t at = cursor_.at();
    number = cursor_.Until(stops);
    if (number.empty()) return Fail("expected a number");
    return IsNumber(number) || FailAt(at, fmt::format("'{}' is not a number", number));
  }

  bool NameAndNumber(OverrideItem& item) {
    item.name = cursor_.Identifier();
    if (item.name.empty()) return Fail("expected an override's name");
    if (!cursor_.Eat('=')) return Fail("expected '=' after the override's name");
    return Number(item.value, "");
  }

  bool Entry(Item& item) {
    EntryItem entry;
    entry.name = cursor_.Identifier();
    if (entry.name.empty()) return Fail("expected an entry point's name after 'entry'");
    item.value = std::move(entry);
    return End("expected nothing after the entry point's name");
  }

  bool Init(Initializer& init) {
    cursor_.SkipSpaces();
    if (cursor_.Eat('[')) return NumberList(init);
    if (cursor_.Eat('@')) {
      init.form = Initializer::Form::kFile;
      return File(init.file);
    }
    if (cursor_.Word("iota")) {
      init.form = Initializer::Form::kIota;
      return true;
    }
    if (cursor_.Word("random")) return Random(init);
    init.form = Initializer::Form::kNumber;
    init.numbers.resize(1);
    if (cursor_.done())
      return Fail("expected a number, a [list], iota, random LOW .. HIGH or @FILE after '='");
    return Number(init.numbers[0], "");
  }

  bool NumberList(Initializer& init) {
    init.form = Initializer::Form::kList;
    do {
      std::string number;
      if (!Number(number, ",]")) return false;
      init.numbers.push_back(std::move(number));
    } while (cursor_.Eat(','));
    return cursor_.Eat(']') || Fail("expected ',' or ']' in the list");
  }

  // LOW .. HIGH: the first ".." divides, so that `0..1` reads as 0 and 1.
  bool Random(Initializer& init) {
    init.form = Initializer::Form::kRandom;
    cursor_.SkipSpaces();
    const size_t start = cursor_.at();
    const size_t dots = text_.find("..", start);
    if (dots == std::string_view::npos) return Fail("expected LOW .. HIGH after 'random'");
    const std::string_view low = Trim(text_.substr(start, dots - start));
    if (!IsNumber(low)) return FailAt(start, fmt::format("'{}' is not a number", low));
    init.numbers.emplace_back(low);
    cursor_.set_at(dots + 2);
    std::string high;
    if (!Number(high, "")) return false;
    init.numbers.push_back(std::move(high));
    if (!cursor_.Word("seed")) return true;
    const std::optional<uint64_t> seed = cursor_.Digits();
    if (!seed) return Fail("expected a whole number after 'seed'");
    init.seed = *seed;
    return true;
  }

  bool File(std::string& file) {
    const char quote = cursor_.peek();
    if (quote != '"' && quote != '\'') {
      file = cursor_.Until("");
      return !file.empty() || Fail("expected a file's name after '@'");
    }
    const size_t start = cursor_.at() + 1;
    const size_t end = text_.find(quote, start);
    if (end == std::string_view::npos) return Fail("the file's name has no closing quote");
    if (end == start) return Fail("expected a file's name after '@'");
    file = text_.substr(start, end - start);
    cursor_.set_at(end + 1);
    return true;
  }

  bool ExpectedValues(ExpectItem& expect) {
    do {
      cursor_.SkipSpaces();
      if (!expect.values.empty() && cursor_.rest().substr(0, 3) == "...") {
        cursor_.set_at(cursor_.at() + 3);
        expect.rest_unchecked = true;
        return true;
      }
      std::string number;
      if (!Number(number, ",")) return false;
      expect.values.push_back(std::move(number));
    } while (cursor_.Eat(','));
    return true;
  }

  bool Tolerance(ExpectItem& expect) {
    cursor_.SkipSpaces();
    const size_t at = cursor_.at();
    if (!Number(expect.tolerance, "%")) return false;
    expect.relative = cursor_.Eat('%');
    const std::optional<double> value = TextToDouble(expect.tolerance);
    if (!value || !(*value >= 0)) return FailAt(at, "the tolerance must be 0 or more");
    return true;
  }

  std::string_view text_;
  Cursor cursor_;
  size_t base_;
};

// The length of a quoted file name at `at` (an '@' and a quote), 0 where there is none or it does not end.
size_t QuotedLength(std::string_view text, size_t at) {
  if (text[at] != '@' || at + 1 >= text.size() || (text[at + 1] != '"' && text[at + 1] != '\'')) return 0;
  const size_t end = text.find(text[at + 1], at + 2);
  return end == std::string_view::npos ? 0 : end + 1 - at;
}

// Ends of the items: top-level commas, and the end.
std::vector<size_t> ItemEnds(std::string_view text) {
  std::vector<size_t> ends;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (const size_t quoted = QuotedLength(text, i)) {
      i += quoted - 1;
      continue;
    }
    switch (text[i]) {
      case '(':
      case '[':
      case '<':
      case '{':
        ++depth;
        break;
      case ')':
      case ']':
      case '>':
      case '}':
        --depth;
        break;
      case ',':
        if (depth == 0) ends.push_back(i);
        break;
      default:
        break;
    }
  }
  ends.push_back(text.size());
  return ends;
}

template <typename Method>
ParsedLine ParseOne(std::string_view text, std::string_view optional_keyword, Method method) {
  Cursor cursor(text);
  size_t start = 0;
  if (!optional_keyword.empty() && cursor.Word(optional_keyword)) {
    const size_t after = cursor.at();
    cursor.SkipSpaces();
    if (cursor.peek() != ':') start = after;  // else a buffer that is called like the keyword
  }
  ParsedLine line;
  Item item;
  item.offset = start;
  ItemParser parser(text.substr(start), start);
  if ((parser.*method)(item)) line.items.push_back(std::move(item));
  line.error = parser.error;
  return line;
}

}  // namespace

std::string ResourceName::ToString() const {
  return by_binding() ? fmt::format("{}.{}", binding.first, binding.second) : identifier;
}

bool IsIdentifier(std::string_view text) {
  return !text.empty() && IsNameStart(text[0]) && std::all_of(text.begin(), text.end(), IsNamePart);
}

size_t RemarkStart(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (const size_t quoted = QuotedLength(text, i)) {
      i += quoted - 1;
      continue;
    }
    if (text[i] == '/' && i + 1 < text.size() && text[i + 1] == '/') return i;
  }
  return text.size();
}

ParsedLine ParseLine(std::string_view text) {
  text = text.substr(0, RemarkStart(text));
  Cursor cursor(text);
  if (cursor.Word("expect")) {
    cursor.SkipSpaces();
    if (cursor.peek() != ':') return ParseOne(text, "expect", &ItemParser::Expect);
  }
  ParsedLine line;
  size_t start = 0;
  for (const size_t end : ItemEnds(text)) {
    ItemParser parser(text.substr(start, end - start), start);
    Item item;
    if (!parser.Parse(item)) {
      line.items.clear();
      line.error = parser.error;
      return line;
    }
    line.items.push_back(std::move(item));
    start = end + 1;
  }
  return line;
}

ParsedLine ParseBufferFlag(std::string_view text) {
  const size_t end = ItemEnds(text).front();
  if (end == text.size()) return ParseOne(text, {}, &ItemParser::Buffer);
  ParsedLine line;
  line.error = SyntaxError{end, "expected one buffer: give the flag again for another"};
  return line;
}
ParsedLine ParseDispatchFlag(std::string_view text) {
  return ParseOne(text, "dispatch", &ItemParser::Dispatch);
}
ParsedLine ParseExpectFlag(std::string_view text) { return ParseOne(text, "expect", &ItemParser::Expect); }
ParsedLine ParseOverrideFlag(std::string_view text) { return ParseOne(text, {}, &ItemParser::Override); }

LineStart StartOf(std::string_view text) {
  LineStart start;
  Cursor cursor(text);
  const auto binding = [&]() -> std::optional<ResourceName> {
    const std::optional<uint64_t> group = cursor.Digits();
    if (!group || cursor.peek() != '.' || !cursor.Eat('.') || !IsDecimalDigit(cursor.peek()))
      return std::nullopt;
    const std::optional<uint64_t> number = cursor.Digits();
    if (!number || *group > UINT32_MAX || *number > UINT32_MAX) return std::nullopt;
    ResourceName name;
    name.binding = {static_cast<uint32_t>(*group), static_cast<uint32_t>(*number)};
    return name;
  };
  cursor.SkipSpaces();
  if (IsDecimalDigit(cursor.peek())) {
    const std::optional<ResourceName> name = binding();
    if (name && cursor.Eat(':')) start.before_colon = name;
    return start;
  }
  const std::string_view first = cursor.Identifier();
  if (first.empty()) return start;
  if (cursor.Eat(':')) {
    start.before_colon.emplace();
    start.before_colon->identifier = first;
    return start;
  }
  start.keyword = first == "dispatch" || first == "entry" || first == "override" || first == "expect";
  if (!start.keyword) return start;
  if (first == "dispatch") cursor.Word("indirect");
  cursor.SkipSpaces();
  const size_t at = cursor.at();
  start.binding_follows = binding();
  cursor.set_at(at);
  const char next = cursor.peek();
  start.number_follows = IsDecimalDigit(next) || ((next == '-' || next == '+') && cursor.rest().size() > 1 &&
                                                  IsDecimalDigit(cursor.rest()[1]));
  start.name_follows = cursor.Identifier();
  return start;
}

}  // namespace lockstep::runner

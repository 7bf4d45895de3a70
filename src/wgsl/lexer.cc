// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "wgsl/lexer.h"

#include <unictype.h>
#include <unistr.h>

#include <array>
#include <bit>
#include <iterator>
#include <string>
#include <unordered_map>

#include "wgsl/diagnostics.h"

namespace lockstep::wgsl {
namespace {

// Bytes that may begin or go on an identifier; the others of ASCII may not.
bool IsAsciiStart(unsigned char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsAsciiContinue(unsigned char c) { return IsAsciiStart(c) || (c >= '0' && c <= '9'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// What a word is: a keyword, a reserved word, or a name that was seen before.
struct Word {
  TokenKind kind;
  uint32_t name;  // index of the name; kNoName for keywords
};
constexpr uint32_t kNoName = 0xffffffffu;

struct Punctuation {
  std::string_view text;
  TokenKind kind;
};
constexpr Punctuation kPunctuation[] = {
#define TOKEN(Name, text) {text, TokenKind::k##Name},
#include "wgsl/defs/tokens.def"
};
static_assert(std::size(kPunctuation) <= 64);

// '<', '>' and '=' stay single: MarkTemplateLists glues them, and makes template brackets.
constexpr bool IsCut(const Punctuation& row) {
  const char first = row.text[0];
  if (row.text.size() > 1 && (first == '<' || first == '>' || first == '=')) return false;
  return row.kind != TokenKind::kTemplateStart && row.kind != TokenKind::kTemplateEnd;
}

// By first character: a bit for each row of kPunctuation.
constexpr std::array<uint64_t, 128> kPunctuationByFirst = [] {
  std::array<uint64_t, 128> rows{};
  for (size_t i = 0; i < std::size(kPunctuation); ++i) {
    if (IsCut(kPunctuation[i])) rows[static_cast<unsigned char>(kPunctuation[i].text[0])] |= uint64_t{1} << i;
  }
  return rows;
}();

class Lexer {
 public:
  Lexer(const SourceFile& file, diag::Sink& sink) : text_(file.text()), sink_(sink) {}
  TokenStream Run();

 private:
  struct CodePoint {
    uint32_t value;
    uint32_t length;
  };

  bool CheckText();
  void Cut();
  bool SkipBlank();  // true where it skipped something
  bool SkipComment();
  void SkipBlockComment();
  void LexWord();
  void LexNumber();
  void LexPunctuation();
  void ReportCharacter(CodePoint c);
  void Push(TokenKind kind, uint32_t begin, uint32_t end, uint32_t payload = 0);
  uint32_t WordEnd(uint32_t begin) const;  // == begin where no word begins there
  TokenKind PunctuationAt(uint32_t at, uint32_t& length) const;
  char At(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  CodePoint Decode(uint32_t at) const;

  std::string_view text_;
  diag::Sink& sink_;
  uint32_t pos_ = 0;
  bool full_ = false;
  TokenStream out_;
  std::unordered_map<std::string_view, Word> words_;
};

TokenStream Lexer::Run() {
  if (CheckText()) {
#define KEYWORD(Name, text) words_.emplace(text, Word{TokenKind::k##Name, kNoName});
#define RESERVED(text) words_.emplace(text, Word{TokenKind::kReserved, kNoName});
#include "wgsl/defs/tokens.def"
    out_.tokens.reserve(text_.size() / 4 + 1);
    Cut();
  }
  const uint32_t end = static_cast<uint32_t>(text_.size());
  out_.tokens.push_back({TokenKind::kEnd, end, end, 0});
  MarkTemplateLists(out_.tokens);
  return std::move(out_);
}

bool Lexer::CheckText() {
  if (text_.size() > kMaxSourceBytes) {
    sink_.Emit(kSourceTooLarge, Span{0, 0}, text_.size(), kMaxSourceBytes);
    return false;
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(text_.data());
  if (const uint8_t* bad = u8_check(bytes, text_.size())) {
    const uint32_t at = static_cast<uint32_t>(bad - bytes);
    sink_.Emit(kInvalidUtf8, Span{at, at + 1});
    return false;
  }
  if (const size_t at = text_.find('\0'); at != std::string_view::npos) {
    sink_.Emit(kNullCharacter, Span{static_cast<uint32_t>(at), static_cast<uint32_t>(at + 1)});
    return false;
  }
  if (text_.starts_with("\xef\xbb\xbf")) {
    sink_.Emit(kByteOrderMark, Span{0, 3});
    pos_ = 3;
  }
  return true;
}

void Lexer::Cut() {
  while (!full_ && sink_.error_count() < diag::Sink::kMaxErrors) {
    while (SkipBlank() || SkipComment()) {
    }
    if (pos_ >= text_.size()) return;
    const char c = text_[pos_];
    if (IsDigit(c) || (c == '.' && IsDigit(At(pos_ + 1)))) {
      LexNumber();
    } else if (WordEnd(pos_) != pos_) {
      LexWord();
    } else {
      LexPunctuation();
    }
  }
}

void Lexer::Push(TokenKind kind, uint32_t begin, uint32_t end, uint32_t payload) {
  if (out_.tokens.size() >= kMaxTokens) {
    if (!full_) sink_.Emit(kTooManyTokens, Span{begin, end}, kMaxTokens);
    full_ = true;
    return;
  }
  out_.tokens.push_back({kind, begin, end, payload});
}

// WGSL: #blankspace-and-line-breaks.
bool Lexer::SkipBlank() {
  const uint32_t before = pos_;
  while (pos_ < text_.size()) {
    const char c = text_[pos_];
    if (c == ' ' || (c >= '\t' && c <= '\r')) {
      ++pos_;
    } else if (c == '\xc2' && At(pos_ + 1) == '\x85') {
      pos_ += 2;
    } else if (const char last = At(pos_ + 2);
               c == '\xe2' && At(pos_ + 1) == '\x80' &&
               (last == '\x8e' || last == '\x8f' || last == '\xa8' || last == '\xa9')) {
      pos_ += 3;
    } else {
      break;
    }
  }
  return pos_ != before;
}

bool Lexer::SkipComment() {
  if (At(pos_) != '/') return false;
  if (At(pos_ + 1) == '*') {
    SkipBlockComment();
    return true;
  }
  if (At(pos_ + 1) != '/') return false;
  while (pos_ < text_.size() && LineBreakLength(text_.substr(pos_)) == 0) ++pos_;
  return true;
}

// They nest; by a counter, so that a million open ones cost nothing.
void Lexer::SkipBlockComment() {
  const uint32_t begin = pos_;
  uint32_t depth = 0;
  while (pos_ < text_.size()) {
    if (text_[pos_] == '/' && At(pos_ + 1) == '*') {
      ++depth;
      pos_ += 2;
    } else if (text_[pos_] == '*' && At(pos_ + 1) == '/') {
      pos_ += 2;
      if (--depth == 0) return;
    } else {
      ++pos_;
    }
  }
  sink_.Emit(kUnterminatedComment, Span{begin, begin + 2});
  Push(TokenKind::kInvalid, begin, pos_);
}

Lexer::CodePoint Lexer::Decode(uint32_t at) const {
  ucs4_t value = 0;
  const auto* bytes = reinterpret_cast<const uint8_t*>(text_.data()) + at;
  const int length = u8_mbtouc(&value, bytes, text_.size() - at);
  return {value, static_cast<uint32_t>(length)};
}

uint32_t Lexer::WordEnd(uint32_t begin) const {
  uint32_t at = begin;
  while (at < text_.size()) {
    const unsigned char c = static_cast<unsigned char>(text_[at]);
    if (c < 0x80) {
      if (!(at == begin ? IsAsciiStart(c) : IsAsciiContinue(c))) break;
      ++at;
      continue;
    }
    const CodePoint point = Decode(at);
    const bool fits =
        at == begin ? uc_is_property_xid_start(point.value) : uc_is_property_xid_continue(point.value);
    if (!fits) break;
    at += point.length;
  }
  return at;
}

void Lexer::LexWord() {
  const uint32_t begin = pos_;
  pos_ = WordEnd(begin);
  const std::string_view text = text_.substr(begin, pos_ - begin);
  if (text == "_") return Push(TokenKind::kUnderscore, begin, pos_);
  auto [it, is_new] = words_.emplace(text, Word{TokenKind::kIdentifier, kNoName});
  Word& word = it->second;
  const bool has_name = word.kind == TokenKind::kIdentifier || word.kind == TokenKind::kReserved;
  if (has_name && word.name == kNoName) word.name = out_.names.Add(std::string(text)).index;
  if (is_new && text.starts_with("__")) sink_.Emit(kTwoUnderscores, Span{begin, pos_}, text);
  Push(word.kind, begin, pos_, has_name ? word.name : 0);
}

void Lexer::LexNumber() {
  const uint32_t begin = pos_;
  const ScannedNumber scanned = ScanNumber(text_, begin, sink_);
  pos_ = scanned.end;
  out_.numbers.push_back(scanned.number);
  Push(scanned.number.is_float ? TokenKind::kFloat : TokenKind::kInt, begin, pos_,
       static_cast<uint32_t>(out_.numbers.size() - 1));
}

// The longest operator at `at`.
TokenKind Lexer::PunctuationAt(uint32_t at, uint32_t& length) const {
  const std::string_view rest = text_.substr(at, 2);
  TokenKind found = TokenKind::kInvalid;
  length = 0;
  const auto first = static_cast<unsigned char>(rest[0]);
  if (first >= kPunctuationByFirst.size()) return found;
  for (uint64_t rows = kPunctuationByFirst[first]; rows != 0; rows &= rows - 1) {
    const Punctuation& row = kPunctuation[std::countr_zero(rows)];
    if (row.text.size() <= length || !rest.starts_with(row.text)) continue;
    length = static_cast<uint32_t>(row.text.size());
    found = row.kind;
  }
  return found;
}

void Lexer::LexPunctuation() {
  uint32_t length = 0;
  const TokenKind kind = PunctuationAt(pos_, length);
  if (kind == TokenKind::kInvalid) {
    const CodePoint c = Decode(pos_);
    length = c.length;
    ReportCharacter(c);
  }
  Push(kind, pos_, pos_ + length);
  pos_ += length;
}

void Lexer::ReportCharacter(CodePoint c) {
  const Span span{pos_, pos_ + c.length};
  const bool printable = c.value > 0x20 && c.value != 0x7f;
  const std::string shown =
      printable ? fmt::format("'{}'", text_.substr(pos_, c.length)) : fmt::format("U+{:04X}", c.value);
  auto report = sink_.Emit(kInvalidCharacter, span, shown);
  if (c.value == '?')
    report.Note(span, "'select(if_false, if_true, condition)' does what '?:' does elsewhere");
  if (c.value == '#') report.Note(span, "there is no preprocessor: use 'const' or 'override' declarations");
  if (c.value == '"' || c.value == '\'') report.Note(span, "there are no strings or characters");
}

}  // namespace

TokenStream Lex(const SourceFile& file, diag::Sink& sink) { return Lexer(file, sink).Run(); }

}  // namespace lockstep::wgsl

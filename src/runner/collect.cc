// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "runner/collect.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/cursor.h"
#include "runner/file_io.h"

namespace lockstep::runner {
namespace {

Failure Bad(const Origin& origin, std::string_view message) {
  return {FailureKind::kUsage, fmt::format("{}: {}", origin.place, message)};
}

bool IsBlankSpace(char c) { return c == ' ' || c == '\t'; }

class Collector {
 public:
  Collector(const SourceFile& file, ShaderNames& names, RunDescription& out)
      : file_(file), names_(names), out_(out) {}

  Result<> Comment(Span span) {
    const std::string_view text = file_.Text(span);
    const ParsedLine line = ParseLine(text);
    std::string trouble;
    size_t trouble_at = 0;
    if (line.error) {
      trouble = line.error->message;
      trouble_at = line.error->offset;
    } else if (!IsDirective(line, trouble, trouble_at) && trouble.empty()) {
      return Ok();
    }
    if (!trouble.empty()) {
      if (!DeservesWarning(text)) return Ok();
      const auto at = static_cast<uint32_t>(span.begin + std::min(trouble_at, text.size()));
      const auto end = static_cast<uint32_t>(span.begin + RemarkStart(text));
      out_.warnings.push_back({{std::min(at, end), std::max(end, at)},
                               fmt::format("this comment begins like a directive and is none: {}", trouble)});
      return Ok();
    }
    for (const Item& item : line.items) {
      const auto at = static_cast<uint32_t>(span.begin + item.offset);
      if (Result<> added = Add(item, OriginAt({at, span.end})); !added.ok()) return added;
    }
    return Ok();
  }

  Result<> Flag(const ParsedLine& line, std::string_view flag) {
    Origin origin;
    origin.place = flag;
    origin.flag = true;
    for (const Item& item : line.items) {
      if (Result<> added = Add(item, origin); !added.ok()) return added;
    }
    return Ok();
  }

 private:
  Origin OriginAt(Span span) const {
    const Position at = file_.PositionOf(span.begin);
    return {fmt::format("{}:{}:{}", file_.name(), at.line, at.column), FolderOf(file_.name()), false, span};
  }

  // Whether a line that parses speaks of this shader. A name that is none of the shader's makes it a comment,
  // unless another item leaves no doubt: `dispatch 16, outt: 6 x u32` is a directive with a mistake in it.
  bool IsDirective(const ParsedLine& line, std::string& trouble, size_t& trouble_at) {
    bool certain = false, doubtful = false;
    for (const Item& item : line.items) {
      if (const auto* buffer = std::get_if<BufferItem>(&item.value)) {
        if (names_.Find(buffer->name) == nullptr) {
          doubtful = true;
          continue;
        }
        std::string error;
        if (!names_.Describe(buffer->type, buffer->count, error)) {
          trouble = error;
          trouble_at = item.offset;
          return false;
        }
        certain = true;
      } else if (const auto* dispatch = std::get_if<DispatchItem>(&item.value)) {
        (dispatch->indirect && names_.Find(dispatch->arguments) == nullptr ? doubtful : certain) = true;
      } else if (const auto* entry = std::get_if<EntryItem>(&item.value)) {
        (names_.IsDeclared(entry->name) ? certain : doubtful) = true;
      } else {
        certain =
            true;  // an override with a value, an expectation with its list: nobody writes prose like that
      }
    }
    return certain || !doubtful;
  }

  bool DeservesWarning(std::string_view text) const {
    const LineStart start = StartOf(text);
    if (start.before_colon) return names_.Find(*start.before_colon) != nullptr;
    if (!start.keyword) return false;
    return start.number_follows || (!start.name_follows.empty() && names_.IsDeclared(start.name_follows)) ||
           (start.binding_follows && names_.Find(*start.binding_follows) != nullptr);
  }

  Result<> Add(const Item& item, const Origin& origin) {
    if (const auto* buffer = std::get_if<BufferItem>(&item.value)) return AddBuffer(*buffer, origin);
    if (const auto* dispatch = std::get_if<DispatchItem>(&item.value)) return AddDispatch(*dispatch, origin);
    if (const auto* entry = std::get_if<EntryItem>(&item.value)) return AddEntry(*entry, origin);
    if (const auto* value = std::get_if<OverrideItem>(&item.value)) return AddOverride(*value, origin);
    return AddExpect(std::get<ExpectItem>(item.value), origin);
  }

  Result<> AddBuffer(const BufferItem& item, const Origin& origin) {
    const Resource* resource = names_.Find(item.name);
    if (resource == nullptr) return Bad(origin, names_.NoSuchResource(item.name));
    std::string error;
    const std::optional<TypedLayout> type = names_.Describe(item.type, item.count, error);
    if (!type) return Bad(origin, error);
    const auto same =
        std::find_if(out_.buffers.begin(), out_.buffers.end(), [&](const BufferDescription& other) {
          const Resource* there = names_.Find(other.item.name);
          return there->group == resource->group && there->binding == resource->binding;
        });
    if (same == out_.buffers.end()) {
      out_.buffers.push_back({item, origin, *type});
      return Ok();
    }
    if (same->origin.flag == origin.flag) {
      return Bad(origin, fmt::format("'{}' is described twice: the first time by {}", item.name.ToString(),
                                     same->origin.place));
    }
    if (origin.flag) *same = {item, origin, *type};
    return Ok();
  }

  Result<> CheckEntry(const std::string& name, const Origin& origin) const {
    if (name.empty() || names_.IsEntryPoint(name)) return Ok();
    const std::vector<std::string> entries = names_.EntryPoints();
    const std::string near = Nearest(name, entries);
    if (!near.empty())
      return Bad(origin, fmt::format("there is no compute entry point '{}': did you mean '{}'?", name, near));
    return Bad(origin, fmt::format("there is no compute entry point '{}': the shader has {}", name,
                                   entries.empty() ? "none" : fmt::format("{}", fmt::join(entries, ", "))));
  }

  Result<> CheckOverride(const std::string& name, const Origin& origin) const {
    if (names_.FindOverride(name) != nullptr) return Ok();
    const std::vector<std::string> overrides = names_.Overrides();
    const std::string near = Nearest(name, overrides);
    if (!near.empty())
      return Bad(origin, fmt::format("there is no override '{}': did you mean '{}'?", name, near));
    return Bad(origin,
               fmt::format("there is no override '{}': the shader has {}", name,
                           overrides.empty() ? "none" : fmt::format("{}", fmt::join(overrides, ", "))));
  }

  Result<> AddDispatch(const DispatchItem& item, const Origin& origin) {
    if (item.indirect && names_.Find(item.arguments) == nullptr)
      return Bad(origin, names_.NoSuchResource(item.arguments));
    if (Result<> entry = CheckEntry(item.entry, origin); !entry.ok()) return entry;
    for (size_t i = 0; i < item.overrides.size(); ++i) {
      if (Result<> known = CheckOverride(item.overrides[i].name, origin); !known.ok()) return known;
      for (size_t k = 0; k < i; ++k) {
        if (item.overrides[k].name != item.overrides[i].name) continue;
        return Bad(origin, fmt::format("the override '{}' is given twice", item.overrides[i].name));
      }
    }
    // Flags come last: the first of them takes the place of what the file describes.
    if (origin.flag && !out_.dispatches.empty() && !out_.dispatches.front().origin.flag)
      out_.dispatches.clear();
    out_.dispatches.push_back({item, origin});
    return Ok();
  }

  Result<> AddEntry(const EntryItem& item, const Origin& origin) {
    if (Result<> known = CheckEntry(item.name, origin); !known.ok()) return known;
    if (out_.entry && out_.entry->origin.flag == origin.flag) {
      return Bad(origin, fmt::format("the entry point is given twice: the first time by {}",
                                     out_.entry->origin.place));
    }
    out_.entry = Placed<EntryItem>{item, origin};
    return Ok();
  }

  Result<> AddOverride(const OverrideItem& item, const Origin& origin) {
    if (Result<> known = CheckOverride(item.name, origin); !known.ok()) return known;
    for (Placed<OverrideItem>& other : out_.overrides) {
      if (other.item.name != item.name) continue;
      if (other.origin.flag == origin.flag) {
        return Bad(origin, fmt::format("the override '{}' is given twice: the first time by {}", item.name,
                                       other.origin.place));
      }
      other = {item, origin};
      return Ok();
    }
    out_.overrides.push_back({item, origin});
    return Ok();
  }

  Result<> AddExpect(const ExpectItem& item, const Origin& origin) {
    const Resource* resource = names_.Find(item.name);
    if (resource == nullptr) return Bad(origin, names_.NoSuchResource(item.name));
    if (origin.flag) {  // replaces what the file expects of the same buffer
      std::vector<Placed<ExpectItem>>& all = out_.expects;
      all.erase(std::remove_if(all.begin(), all.end(),
                               [&](const Placed<ExpectItem>& other) {
                                 return !other.origin.flag && names_.Find(other.item.name) == resource;
                               }),
                all.end());
    }
    out_.expects.push_back({item, origin});
    return Ok();
  }

  const SourceFile& file_;
  ShaderNames& names_;
  RunDescription& out_;
};

// Flags win over what a dispatch of the file says for itself, too. --entry is for the dispatches that name no
// entry point; where all of them do and name the same one, it is meant to take that one's place.
Result<> ApplyFlagsToDispatches(RunDescription& description) {
  const bool has_entry_flag = description.entry && description.entry->origin.flag;
  std::vector<std::string> entries;
  for (Placed<DispatchItem>& dispatch : description.dispatches) {
    if (dispatch.origin.flag) return Ok();  // then all are
    std::erase_if(dispatch.item.overrides, [&](const OverrideItem& own) {
      return std::any_of(
          description.overrides.begin(), description.overrides.end(),
          [&](const Placed<OverrideItem>& o) { return o.origin.flag && o.item.name == own.name; });
    });
    const std::string& entry = dispatch.item.entry;
    if (std::find(entries.begin(), entries.end(), entry) == entries.end()) entries.push_back(entry);
  }
  if (!has_entry_flag || std::find(entries.begin(), entries.end(), "") != entries.end()) return Ok();
  if (entries.size() > 1) {
    return Failure{
        FailureKind::kUsage,
        fmt::format("--entry: the dispatches of the file have entry points of their own ({}): say with "
                    "--dispatch what is to run",
                    fmt::join(entries, ", "))};
  }
  for (Placed<DispatchItem>& dispatch : description.dispatches) dispatch.item.entry.clear();
  return Ok();
}

struct FlagKind {
  std::string_view name;
  const std::vector<std::string>& values;
  ParsedLine (*parse)(std::string_view);
};

std::vector<FlagKind> FlagKinds(const DescriptionFlags& flags) {
  return {{"--buffer", flags.buffers, ParseBufferFlag},
          {"--dispatch", flags.dispatches, ParseDispatchFlag},
          {"--override", flags.overrides, ParseOverrideFlag},
          {"--expect", flags.expects, ParseExpectFlag}};
}

}  // namespace

std::vector<Span> LineComments(std::string_view text) {
  std::vector<Span> comments;
  bool first_on_line = true;
  size_t i = 0;
  while (i < text.size()) {
    if (const uint32_t line_break = LineBreakLength(text.substr(i))) {
      first_on_line = true;
      i += line_break;
    } else if (text.compare(i, 2, "/*") == 0) {
      int depth = 1;  // block comments nest
      i += 2;
      while (i < text.size() && depth > 0) {
        if (text.compare(i, 2, "/*") == 0)
          ++depth, i += 2;
        else if (text.compare(i, 2, "*/") == 0)
          --depth, i += 2;
        else
          ++i;
      }
      first_on_line = false;
    } else if (text.compare(i, 2, "//") == 0) {
      size_t end = i + 2;
      while (end < text.size() && LineBreakLength(text.substr(end)) == 0) ++end;
      if (first_on_line) comments.push_back({static_cast<uint32_t>(i + 2), static_cast<uint32_t>(end)});
      i = end;
    } else {
      if (!IsBlankSpace(text[i])) first_on_line = false;
      ++i;
    }
  }
  return comments;
}

Result<> CheckFlags(const DescriptionFlags& flags) {
  for (const FlagKind& kind : FlagKinds(flags)) {
    for (const std::string& value : kind.values) {
      const ParsedLine line = kind.parse(value);
      if (line.error)
        return Failure{FailureKind::kUsage,
                       fmt::format("{} '{}': {}", kind.name, value, line.error->message)};
    }
  }
  return Ok();
}

Result<> CollectDescription(const SourceFile& file, ShaderNames& names, const DescriptionFlags& flags,
                            RunDescription& description) {
  Collector collector(file, names, description);
  for (const Span span : LineComments(file.text())) {
    if (Result<> added = collector.Comment(span); !added.ok()) return added;
  }
  for (const FlagKind& kind : FlagKinds(flags)) {
    for (const std::string& value : kind.values) {
      if (Result<> added = collector.Flag(kind.parse(value), fmt::format("{} '{}'", kind.name, value));
          !added.ok())
        return added;
    }
  }
  if (flags.entry) {
    ParsedLine entry;
    entry.items.push_back({0, EntryItem{*flags.entry}});
    if (Result<> added = collector.Flag(entry, "--entry"); !added.ok()) return added;
  }
  return ApplyFlagsToDispatches(description);
}

}  // namespace lockstep::runner

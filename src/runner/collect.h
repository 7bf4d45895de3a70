// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// From comments and flags to one description of a run. Which comments are directives: those whose whole text
// is a list of items with names of the shader in them. Any other stays a comment; one that begins like a
// directive and does not parse gets a warning.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/description.h"
#include "runner/resources.h"
#include "support/result.h"
#include "support/source.h"

namespace lockstep::runner {

// Where an item was written.
struct Origin {
  std::string place;   // "a.wgsl:3:4", "--buffer"
  std::string folder;  // what its files are relative to: the shader's, or empty
  bool flag = false;
  Span span;  // in the shader, where it is not a flag
};

template <typename T>
struct Placed {
  T item;
  Origin origin;
};

struct DirectiveWarning {
  Span span;
  std::string message;
};

struct BufferDescription {
  BufferItem item;
  Origin origin;
  TypedLayout type;
};

struct RunDescription {
  std::vector<BufferDescription> buffers;  // one a binding at most
  std::vector<Placed<DispatchItem>> dispatches;
  std::optional<Placed<EntryItem>> entry;
  std::vector<Placed<OverrideItem>> overrides;  // one a name at most
  std::vector<Placed<ExpectItem>> expects;
  std::vector<DirectiveWarning> warnings;
};

struct DescriptionFlags {
  std::vector<std::string> buffers, dispatches, expects, overrides;
  std::optional<std::string> entry;
};

// Whether the flags are well-formed by themselves, before there is a shader.
Result<> CheckFlags(const DescriptionFlags& flags);

// Failures are the call's fault and begin with the place of the item. `description.warnings` is filled in any
// case.
Result<> CollectDescription(const SourceFile& file, ShaderNames& names, const DescriptionFlags& flags,
                            RunDescription& description);

// The texts of `//` comments that are the first on their line, from behind the slashes to the end of the
// line; comments inside of block comments are none.
std::vector<Span> LineComments(std::string_view text);

}  // namespace lockstep::runner

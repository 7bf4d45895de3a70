// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What a description can name in a shader: resources, entry points, overrides, types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/description.h"
#include "runner/layout.h"
#include "support/source.h"
#include "wgsl/program.h"

namespace lockstep::runner {

struct Resource {
  std::string name;
  uint32_t group = 0, binding = 0;
  wgsl::VariableId variable;
  bool uniform = false;
  bool writable = false;
  bool runtime_sized = false;
  uint64_t min_size = 0;  // bytes, with one element of a runtime-sized array
};

// A buffer's type as a description gives it: `count` x `type`.
struct TypedLayout {
  Layout layout;
  std::string type;  // "u32", "vec3<f32>", a struct's name; atomics without the atomic
  uint64_t count = 1;
};

class ShaderNames {
 public:
  explicit ShaderNames(wgsl::Program* program);

  const std::vector<Resource>& resources() const { return resources_; }  // in the order of the text
  const Resource* Find(const ResourceName& name) const;
  bool IsEntryPoint(std::string_view name) const;
  const wgsl::Variable* FindOverride(std::string_view name) const;
  // Declared at module scope, as anything.
  bool IsDeclared(std::string_view name) const;
  std::vector<std::string> EntryPoints() const;
  std::vector<std::string> Overrides() const;

  // "there is no resource 'pirces': did you mean 'prices'?"
  std::string NoSuchResource(const ResourceName& name) const;

  // `count` x `type`; a struct with a runtime-sized tail takes the count for its tail. None: `error` says
  // why.
  std::optional<TypedLayout> Describe(std::string_view type, std::optional<uint64_t> count,
                                      std::string& error);
  // The layout of a fixed-size resource as it is declared.
  TypedLayout OfResource(const Resource& resource);
  // The directive that would give a runtime-sized resource a count: "out: COUNT x u32".
  std::string ExampleFor(const Resource& resource) const;

 private:
  TypedLayout Typed(wgsl::TypeId type, std::optional<uint64_t> count);

  wgsl::Program* program_;
  std::vector<Resource> resources_;
};

// The candidate nearest to `name`, empty where none is near.
std::string Nearest(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace lockstep::runner

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Inputs and outputs of entry points (WGSL #stage-inputs-outputs): what IO attributes say, and what a stage
// makes of them.
#include <algorithm>
#include <array>

#include "wgsl/diagnostics.h"
#include "wgsl/resolver.h"

namespace lockstep::wgsl {
namespace {

constexpr std::string_view kInterpolationTypes[] = {"perspective", "linear", "flat"};
constexpr std::string_view kSamplings[] = {"center", "centroid", "sample", "first", "either"};
constexpr uint32_t kMaxClipDistances = 8;

bool HasWord(std::string_view words, std::string_view word) {
  return words.find(word) != std::string_view::npos;
}

template <typename Enum, size_t kCount>
std::optional<Enum> FindName(const std::string_view (&names)[kCount], std::string_view name) {
  const auto found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names)) return std::nullopt;
  return static_cast<Enum>(found - std::begin(names));
}

std::string_view DirectionText(bool is_input) { return is_input ? "input" : "output"; }

std::string DescribeVariable(const Function& function, const StageVariable& variable, bool is_input) {
  if (variable.name.empty()) return fmt::format("the result of entry point '{}'", function.name);
  return fmt::format("entry point {} '{}'", DirectionText(is_input), variable.name);
}

}  // namespace

// --- what attributes say ---

IoAttributes Resolver::ReadIo(const AttributeSet& attributes, TypeId type) {
  const size_t errors_before = sink_.error_count();
  IoAttributes io;
  if (const ast::Attribute* builtin = attributes[AttributeKind::kBuiltin])
    io.builtin = BuiltinValueName(*builtin);
  if (const ast::Attribute* location = attributes[AttributeKind::kLocation])
    io.location = IoNumber(*location, AttributeKind::kLocation);
  if (const ast::Attribute* blend_src = attributes[AttributeKind::kBlendSrc])
    io.blend_src = IoNumber(*blend_src, AttributeKind::kBlendSrc);
  if (const ast::Attribute* interpolate = attributes[AttributeKind::kInterpolate])
    Interpolation(io, *interpolate);
  io.invariant = attributes[AttributeKind::kInvariant] != nullptr;
  CheckIoAttributes(attributes, type);
  io.is_wrong = sink_.error_count() != errors_before;
  return io;
}

std::optional<uint32_t> Resolver::IoNumber(const ast::Attribute& attribute, AttributeKind kind) {
  const std::optional<int64_t> value = AttributeInt(attribute, RowOf(kind).name);
  if (!value) return std::nullopt;
  const Span at = SpanOf(ast().list(attribute.args)[0]);
  if (*value < 0) {
    sink_.Emit(kAttributeNegative, at, RowOf(kind).name, *value);
  } else if (kind == AttributeKind::kBlendSrc && *value > 1) {
    sink_.Emit(kBlendSrcRange, at, *value);
  } else {
    return static_cast<uint32_t>(*value);
  }
  return std::nullopt;
}

void Resolver::Interpolation(IoAttributes& io, const ast::Attribute& attribute) {
  const auto args = ast().list(attribute.args);
  const std::string type_name = RuleText(args[0]);
  const auto type = FindName<InterpolationType>(kInterpolationTypes, type_name);
  if (!type) {
    sink_.Emit(kUnknownInterpolation, SpanOf(args[0]), program_.file->Text(SpanOf(args[0])));
    return;
  }
  const bool is_flat = *type == InterpolationType::kFlat;
  io.interpolation = *type;
  io.sampling = is_flat ? InterpolationSampling::kFirst : InterpolationSampling::kCenter;
  if (args.size() < 2) return;
  const auto sampling = FindName<InterpolationSampling>(kSamplings, RuleText(args[1]));
  if (!sampling || (*sampling >= InterpolationSampling::kFirst) != is_flat) {
    sink_.Emit(kUnknownSampling, SpanOf(args[1]), program_.file->Text(SpanOf(args[1])), type_name,
               is_flat ? "'first' or 'either'" : "'center', 'centroid' or 'sample'");
    return;
  }
  io.sampling = *sampling;
}

// What attributes need of each other and of the type, whoever uses them.
void Resolver::CheckIoAttributes(const AttributeSet& attributes, TypeId type) {
  const ast::Attribute* location = attributes[AttributeKind::kLocation];
  for (const AttributeKind kind : {AttributeKind::kInterpolate, AttributeKind::kBlendSrc}) {
    if (attributes[kind] != nullptr && location == nullptr)
      sink_.Emit(kNeedsLocation, attributes[kind]->span, RowOf(kind).name);
  }
  const ast::Attribute* builtin = attributes[AttributeKind::kBuiltin];
  if (location != nullptr && builtin != nullptr) sink_.Emit(kLocationOfBuiltin, location->span);
  const ast::Attribute* invariant = attributes[AttributeKind::kInvariant];
  const bool is_position = builtin != nullptr && RuleText(ast().list(builtin->args)[0]) == "position";
  if (invariant != nullptr && !is_position) sink_.Emit(kInvariantPlace, invariant->span);
  if (location == nullptr || !type.has_value()) return;
  const TypeKind kind = types()[type].kind;
  const TypeId scalar = kind == TypeKind::kVector ? types()[type].element : type;
  if (!types().IsNumeric(scalar)) sink_.Emit(kLocationType, location->span, TypeText(type));
}

// --- structures, used or not (WGSL #input-output-locations) ---

void Resolver::CheckLocations(const Struct& s) {
  const bool blends = std::any_of(s.members.begin(), s.members.end(),
                                  [](const StructMember& m) { return m.io.blend_src.has_value(); });
  if (blends) return CheckBlendSources(s);
  std::map<uint32_t, Span> seen;
  for (const StructMember& member : s.members) {
    if (!member.io.location) continue;
    const auto [it, is_new] = seen.try_emplace(*member.io.location, member.name_span);
    if (is_new) continue;
    sink_.Emit(kDuplicateLocation, member.name_span, s.name, *member.io.location)
        .Note(it->second, "the other member is here");
  }
}

void Resolver::CheckBlendSources(const Struct& s) {
  std::array<const StructMember*, 2> sources = {};
  size_t located = 0;
  for (const StructMember& member : s.members) {
    if (member.io.is_wrong) return;
    if (!member.io.location) continue;
    ++located;
    if (*member.io.location == 0 && member.io.blend_src) sources[*member.io.blend_src] = &member;
  }
  if (located != 2 || sources[0] == nullptr || sources[1] == nullptr) {
    sink_.Emit(kBlendSources, s.name_span, s.name);
  } else if (sources[0]->type != sources[1]->type) {
    sink_
        .Emit(kBlendSourceTypes, sources[1]->name_span, sources[0]->name, sources[1]->name,
              TypeText(sources[0]->type), TypeText(sources[1]->type))
        .Note(sources[0]->name_span, "'{}' is declared here", sources[0]->name);
  }
}

// --- entry points ---

void Resolver::AddToInterface(std::vector<StageVariable>& interface, StageVariable variable) {
  if (!variable.type.has_value()) return;
  const bool has_io = !variable.io.builtin.empty() || variable.io.location || variable.io.is_wrong;
  if (has_io || types()[variable.type].kind != TypeKind::kStruct) {
    variable.structure = variable.span;
    interface.push_back(std::move(variable));
    return;
  }
  for (const StructMember& member : types().struct_of(variable.type).members)
    interface.push_back({member.name, member.type, member.io, member.name_span, variable.span});
}

void Resolver::CheckInterface(const Function& function) {
  for (const bool is_input : {true, false}) {
    const std::vector<StageVariable>& interface = is_input ? function.inputs : function.outputs;
    for (size_t i = 0; i < interface.size(); ++i) {
      if (interface[i].io.is_wrong) continue;
      CheckStageVariable(function, interface[i], is_input);
      CheckTwice(interface, i, is_input);
    }
  }
  const bool has_position = std::any_of(function.outputs.begin(), function.outputs.end(),
                                        [](const StageVariable& v) { return v.io.builtin == "position"; });
  if (function.stage == "vertex" && !has_position)
    sink_.Emit(kMissingPosition, function.name_span, function.name);
}

void Resolver::CheckStageVariable(const Function& function, const StageVariable& variable, bool is_input) {
  if (!variable.io.builtin.empty()) return CheckBuiltinValue(function, variable, is_input);
  if (variable.io.location) return CheckLocation(function, variable, is_input);
  auto report = sink_.Emit(kIoWithoutAttribute, variable.span, DescribeVariable(function, variable, is_input),
                           function.stage == "compute" ? "@builtin" : "@builtin or @location");
  if (!(variable.structure == variable.span))
    report.Note(variable.structure, "it is an {} here", DirectionText(is_input));
}

void Resolver::CheckBuiltinValue(const Function& function, const StageVariable& variable, bool is_input) {
  const std::string& name = variable.io.builtin;
  const BuiltinValueRow* row = FindBuiltinValue(name);
  CHECK(row != nullptr);
  const Type& type = types()[variable.type];
  if (!HasWord(is_input ? row->input_of : row->output_of, function.stage)) {
    sink_.Emit(kBuiltinValueStage, variable.span, name, DirectionText(is_input), function.stage);
  } else if (name == "clip_distances") {
    const bool fits = type.kind == TypeKind::kArray && type.element == types().F32() && type.count > 0 &&
                      type.count <= kMaxClipDistances;
    if (!fits) sink_.Emit(kClipDistancesType, variable.span, kMaxClipDistances, TypeText(variable.type));
  } else if (TypeText(variable.type) != row->type) {
    sink_.Emit(kBuiltinValueType, variable.span, name, row->type, TypeText(variable.type));
  }
}

void Resolver::CheckLocation(const Function& function, const StageVariable& variable, bool is_input) {
  const auto note = [&](diag::Sink::Builder report) {
    if (!(variable.structure == variable.span))
      report.Note(variable.structure, "it is an {} here", DirectionText(is_input));
  };
  if (function.stage == "compute") return note(sink_.Emit(kIoAttributeInCompute, variable.span, "location"));
  if (variable.io.blend_src && (is_input || function.stage != "fragment"))
    return note(sink_.Emit(kBlendSrcStage, variable.span));
  const bool is_between = (function.stage == "fragment") == is_input;  // vertices give it to fragments
  if (is_between && types().IsInteger(types().ScalarOf(variable.type)) &&
      variable.io.interpolation != InterpolationType::kFlat) {
    note(sink_.Emit(kIntegerNotFlat, variable.span, DescribeVariable(function, variable, is_input),
                    TypeText(variable.type)));
  }
}

// Locations within one structure are the structure's own matter.
void Resolver::CheckTwice(const std::vector<StageVariable>& interface, size_t position, bool is_input) {
  const StageVariable& variable = interface[position];
  for (size_t i = 0; i < position; ++i) {
    const StageVariable& other = interface[i];
    const bool same_builtin = !variable.io.builtin.empty() && other.io.builtin == variable.io.builtin;
    const bool same_location = variable.io.builtin.empty() && variable.io.location &&
                               other.io.location == variable.io.location &&
                               !(other.structure == variable.structure);
    if (!same_builtin && !same_location) continue;
    const std::string what = same_builtin ? fmt::format("@builtin({})", variable.io.builtin)
                                          : fmt::format("@location({})", *variable.io.location);
    sink_.Emit(kDuplicateIo, variable.span, what, DirectionText(is_input))
        .Note(other.span, "the other {} is here", DirectionText(is_input));
    return;
  }
}

}  // namespace lockstep::wgsl

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "runner/type_text.h"

#include <fmt/format.h>

#include "runner/cursor.h"

namespace lockstep::runner {
namespace {

using wgsl::Program;
using wgsl::TypeId;

constexpr int kMaxDepth = 32;  // far more than WGSL lets types nest

class TypeParser {
 public:
  TypeParser(Program& program, std::string_view text) : program_(program), cursor_(text) {}

  std::string error;

  TypeId Parse() {
    const TypeId type = Type(0);
    if (!type.has_value()) return type;
    cursor_.SkipSpaces();
    return cursor_.done() ? type : Fail(fmt::format("'{}' is not a type", cursor_.rest()));
  }

 private:
  TypeId Fail(std::string message) {
    if (error.empty()) error = std::move(message);
    return TypeId::None();
  }

  TypeId Type(int depth) {
    if (depth > kMaxDepth) return Fail("the type nests too deep");
    const std::string_view name = cursor_.Identifier();
    if (name.empty())
      return Fail("expected a type, as in 'u32' or, with a decimal count before it, '6 x u32'");
    const TypeId declared = Declared(name);
    if (declared.has_value()) return declared;
    const TypeId plain = Predeclared(name);
    if (plain.has_value()) return plain;
    return Templated(name, depth);
  }

  // The shader's own names come first: they may shadow WGSL's.
  TypeId Declared(std::string_view name) {
    for (uint32_t i = 0; i < program_.types.struct_count(); ++i) {
      const wgsl::Struct& s = program_.types.struct_of(wgsl::StructId(i));
      if (s.name == name && !s.is_builtin_result) return program_.types.StructType(wgsl::StructId(i));
    }
    for (const wgsl::ast::DeclId id : program_.ast.globals) {
      const wgsl::ast::Decl& decl = program_.ast.decls[id];
      if (decl.kind != wgsl::ast::DeclKind::kAlias || program_.ast.name(decl.name) != name) continue;
      return program_.info(decl.type).type;
    }
    return TypeId::None();
  }

  TypeId ScalarBySuffix(char suffix) {
    switch (suffix) {
      case 'i':
        return program_.types.I32();
      case 'u':
        return program_.types.U32();
      case 'f':
        return program_.types.F32();
      case 'h':
        return program_.types.F16();
      default:
        return TypeId::None();
    }
  }

  TypeId Predeclared(std::string_view name) {
    wgsl::TypeTable& types = program_.types;
    if (name == "i32") return types.I32();
    if (name == "u32") return types.U32();
    if (name == "f32") return types.F32();
    if (name == "f16") return types.F16();
    if (name == "bool") return types.Bool();
    if (name.size() == 5 && IsVector(name.substr(0, 4))) {
      const TypeId scalar = ScalarBySuffix(name[4]);
      if (scalar.has_value()) return types.Vector(scalar, static_cast<uint32_t>(name[3] - '0'));
    }
    if (name.size() == 7 && IsMatrix(name.substr(0, 6)) && (name[6] == 'f' || name[6] == 'h')) {
      return types.Matrix(ScalarBySuffix(name[6]), static_cast<uint32_t>(name[3] - '0'),
                          static_cast<uint32_t>(name[5] - '0'));
    }
    return TypeId::None();
  }

  static bool IsSize(char c) { return c >= '2' && c <= '4'; }
  static bool IsVector(std::string_view name) {
    return name.size() == 4 && name.substr(0, 3) == "vec" && IsSize(name[3]);
  }
  static bool IsMatrix(std::string_view name) {
    return name.size() == 6 && name.substr(0, 3) == "mat" && IsSize(name[3]) && name[4] == 'x' &&
           IsSize(name[5]);
  }

  TypeId Templated(std::string_view name, int depth) {
    const bool known = IsVector(name) || IsMatrix(name) || name == "array" || name == "atomic";
    if (!known) return Fail(fmt::format("'{}' is not a type of the shader or of WGSL", name));
    if (!cursor_.Eat('<')) return Fail(fmt::format("expected '<' after '{}'", name));
    const TypeId element = Type(depth + 1);
    if (!element.has_value()) return element;
    const TypeId type = name == "array" ? Array(element) : Simple(name, element);
    if (!type.has_value()) return type;
    cursor_.Eat(',');
    return cursor_.Eat('>') ? type : Fail(fmt::format("expected '>' at the end of '{}<...'", name));
  }

  TypeId Simple(std::string_view name, TypeId element) {
    wgsl::TypeTable& types = program_.types;
    if (name == "atomic") {
      if (element == types.I32() || element == types.U32()) return types.Atomic(element);
      return Fail("an atomic is of i32 or u32");
    }
    const bool number = element == types.F32() || element == types.F16();
    if (IsMatrix(name)) {
      if (!number) return Fail("a matrix is of f32 or f16");
      return types.Matrix(element, static_cast<uint32_t>(name[3] - '0'),
                          static_cast<uint32_t>(name[5] - '0'));
    }
    if (!number && element != types.I32() && element != types.U32())
      return Fail("a vector here is of i32, u32, f32 or f16");
    return types.Vector(element, static_cast<uint32_t>(name[3] - '0'));
  }

  TypeId Array(TypeId element) {
    if (!program_.types.IsHostShareable(element) || program_.types.IsRuntimeSizedArray(element)) {
      return Fail("the array's element is not host-shareable");
    }
    const size_t before = cursor_.at();
    if (!cursor_.Eat(',')) return program_.types.RuntimeArray(element);
    cursor_.SkipSpaces();
    if (cursor_.peek() == '>') {
      cursor_.set_at(before);
      return program_.types.RuntimeArray(element);
    }
    std::optional<uint64_t> count = cursor_.Digits();
    if (count) {
      if (cursor_.peek() == 'u' || cursor_.peek() == 'i') cursor_.set_at(cursor_.at() + 1);
    } else {
      count = ConstantCount(cursor_.Identifier());
    }
    if (!count || *count == 0)
      return Fail("expected the array's length: a number or a constant of the shader, 1 or more");
    if (*count > INT32_MAX || *count * program_.types.SizeOf(element) > UINT32_MAX)
      return Fail("the array is too large");
    return program_.types.Array(element, static_cast<uint32_t>(*count));
  }

  std::optional<uint64_t> ConstantCount(std::string_view name) {
    for (const wgsl::Variable& variable : program_.variables) {
      if (!variable.is_global || variable.kind != wgsl::VariableKind::kConst || variable.name != name)
        continue;
      if (!variable.value.has_value() || !program_.types.IsInteger(variable.type)) return std::nullopt;
      const int64_t value = program_.constants[variable.value].i;
      return value > 0 ? std::optional<uint64_t>(static_cast<uint64_t>(value)) : std::nullopt;
    }
    return std::nullopt;
  }

  Program& program_;
  Cursor cursor_;
};

}  // namespace

std::optional<TypeId> ParseType(Program& program, std::string_view text, std::string& error) {
  TypeParser parser(program, text);
  const TypeId type = parser.Parse();
  if (type.has_value() && program.types.IsHostShareable(type)) return type;
  error = type.has_value() ? fmt::format("'{}' is not host-shareable: it cannot be in a buffer", text)
                           : parser.error;
  return std::nullopt;
}

}  // namespace lockstep::runner

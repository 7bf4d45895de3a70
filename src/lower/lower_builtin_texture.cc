// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Builtins on textures (WGSL: #texture-builtin-functions). A negative coordinate, layer or level becomes a
// large u32, which is as far out of range: what a load makes of those is decided where texels are read
// (abi/texture.h).
#include "lower/function_context.h"

namespace lockstep::lower {

using abi::TextureNumber;

bool FunctionContext::IsHandle(ast::ExprId id) const {
  const wgsl::TypeId type = info(id).type;
  return type.has_value() && program_.types.IsHandle(program_.types.Unreference(type));
}

bool FunctionContext::IsSampler(ast::ExprId id) const {
  return IsHandle(id) &&
         program_.types[program_.types.Unreference(info(id).type)].kind == wgsl::TypeKind::kSampler;
}

ValueId FunctionContext::Texture(ast::ExprId id) {
  while (expr(id).kind == ast::ExprKind::kParen) id = expr(id).a;
  const wgsl::VariableId variable = info(id).variable;
  const auto param = names_.find(variable);
  return param != names_.end() ? param->second.value : m_.Global(variable);
}

ValueId FunctionContext::TextureBuiltin(ast::ExprId id) {
  using B = wgsl::Builtin;
  const std::span<const ast::ExprId> args = program_.ast.list(expr(id).args);
  const wgsl::Builtin builtin = info(id).builtin;
  if (builtin == B::kTextureLoad) return TextureLoad(args);
  const ValueId texture = Texture(args[0]);
  if (builtin == B::kTextureNumLayers) return b_.TextureNumber(texture, TextureNumber::kLayers);
  if (builtin == B::kTextureNumLevels) return b_.TextureNumber(texture, TextureNumber::kLevels);
  if (builtin == B::kTextureNumSamples) return b_.TextureNumber(texture, TextureNumber::kSamples);
  CHECK(builtin == B::kTextureDimensions);
  return TextureDimensions(texture, args.size() > 1 ? IndexValue(args[1]) : ValueId::None(), ValueType(id));
}

// Of a level: those of the first one, halved as often; at least 1. There is no level behind the last one.
ValueId FunctionContext::TextureDimensions(ValueId texture, ValueId level, ir::TypeId result) {
  static constexpr TextureNumber kNumbers[] = {TextureNumber::kWidth, TextureNumber::kHeight,
                                               TextureNumber::kDepth};
  if (level.has_value()) {
    const ValueId last = b_.Sub(b_.TextureNumber(texture, TextureNumber::kLevels), b_.U32(1));
    level = b_.Min(level, last);
  }
  std::vector<ValueId> parts;
  for (uint32_t i = 0; i < types().Width(result); ++i) {
    const ValueId whole = b_.TextureNumber(texture, kNumbers[i]);
    parts.push_back(level.has_value() ? b_.Max(b_.Shr(whole, level), b_.U32(1)) : whole);
  }
  return parts.size() == 1 ? parts[0] : b_.Construct(result, parts);
}

// (texture, coordinates [, layer of an array] [, level or sample])
ValueId FunctionContext::TextureLoad(std::span<const ast::ExprId> args) {
  const ValueId texture = Texture(args[0]);
  const ir::Type& type = types()[TypeOf(texture)];
  const bool is_array = type.dimension == ir::TextureDimension::k2dArray;
  const bool is_depth = type.texture_class == ir::TextureClass::kDepth ||
                        type.texture_class == ir::TextureClass::kDepthMultisampled;
  const ValueId coordinates = Value(args[1]);
  const ir::TypeId unsigned_type = types().WithScalar(TypeOf(coordinates), types().U32());
  const ValueId layer = is_array ? IndexValue(args[2]) : b_.U32(0);
  const size_t before_level = is_array ? 3 : 2;
  const ValueId level = args.size() > before_level ? IndexValue(args[before_level]) : b_.U32(0);
  const ValueId texel = b_.TextureLoad(texture, b_.Bitcast(unsigned_type, coordinates), layer, level);
  return is_depth ? b_.Extract(texel, 0) : texel;
}

}  // namespace lockstep::lower

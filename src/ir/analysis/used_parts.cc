// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/analysis/used_parts.h"

#include <algorithm>

namespace lockstep::ir {
namespace {

constexpr uint32_t kMaxSteps = 1000;

}  // namespace

UsedParts::UsedParts(const Module& module) : module_(module), users_(module.value_count()) {
  for (const Function& function : module.functions) {
    ForEachInst(module, function.body, [&](InstId id) {
      for (const ValueId operand : module.operands(id)) users_[operand.index].push_back(id);
    });
  }
}

uint32_t UsedParts::Of(ValueId value) {
  const uint32_t width = std::max(1u, module_.types.PartCount(module_.type_of(value)));
  steps_ = 0;
  return Parts(value, (1u << width) - 1);
}

uint32_t UsedParts::Parts(ValueId value, uint32_t all) {
  uint32_t used = 0;
  for (const InstId user : users_[value.index]) {
    if (used == all || ++steps_ > kMaxSteps) return all;
    const Inst& inst = module_.insts[user];
    if (all != 1 && inst.op == Op::kExtract) {
      used |= 1u << inst.imm;
    } else if (inst.op == Op::kSwizzle) {
      const uint32_t count = module_.types.PartCount(module_.type_of(module_.result(user)));
      for (uint32_t i = 0; i < count; ++i) used |= 1u << (inst.imm >> (2 * i) & 3);
    } else if (inst.op == Op::kConstruct &&
               module_.types[module_.type_of(module_.result(user))].kind == TypeKind::kStruct) {
      const auto members = module_.operands(user);
      for (uint32_t i = 0; i < members.size(); ++i) {
        if (members[i] == value) used |= PartsOfMember(module_.result(user), i, all);
      }
    } else {
      return all;
    }
  }
  return used;
}

uint32_t UsedParts::PartsOfMember(ValueId composite, uint32_t member, uint32_t all) {
  uint32_t used = 0;
  for (const InstId user : users_[composite.index]) {
    if (used == all || ++steps_ > kMaxSteps || module_.insts[user].op != Op::kExtract) return all;
    if (module_.insts[user].imm == member) used |= Parts(module_.result(user), all);
  }
  return used;
}

}  // namespace lockstep::ir

// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "wgsl/ast.h"

namespace lockstep::wgsl::ast {

std::string_view UnaryOpText(UnaryOp op) {
  switch (op) {
    case UnaryOp::kNegate:
      return "-";
    case UnaryOp::kNot:
      return "!";
    case UnaryOp::kComplement:
      return "~";
    case UnaryOp::kAddressOf:
      return "&";
    case UnaryOp::kIndirection:
      return "*";
  }
  UNREACHABLE("unary operator");
}

std::string_view BinaryOpText(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd:
      return "+";
    case BinaryOp::kSub:
      return "-";
    case BinaryOp::kMul:
      return "*";
    case BinaryOp::kDiv:
      return "/";
    case BinaryOp::kRem:
      return "%";
    case BinaryOp::kAnd:
      return "&";
    case BinaryOp::kOr:
      return "|";
    case BinaryOp::kXor:
      return "^";
    case BinaryOp::kShl:
      return "<<";
    case BinaryOp::kShr:
      return ">>";
    case BinaryOp::kEq:
      return "==";
    case BinaryOp::kNe:
      return "!=";
    case BinaryOp::kLt:
      return "<";
    case BinaryOp::kLe:
      return "<=";
    case BinaryOp::kGt:
      return ">";
    case BinaryOp::kGe:
      return ">=";
    case BinaryOp::kLogicalAnd:
      return "&&";
    case BinaryOp::kLogicalOr:
      return "||";
  }
  UNREACHABLE("binary operator");
}

}  // namespace lockstep::wgsl::ast

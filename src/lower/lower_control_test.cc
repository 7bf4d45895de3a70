// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "lower/lower_test_util.h"

namespace lockstep::lower {
namespace {

TEST(LowerControl, Branches) {
  const std::string chain =
      "if u(0) == 0 { out[0] = 10; } else if u(0) == 1 { out[0] = 11; } else if u(0) == 2 { out[0] = 12; } "
      "else { out[0] = 13; } out[1] = 5;";
  CheckAll({
      {chain, {10, 5}, {0}},
      {chain, {11, 5}, {1}},
      {chain, {12, 5}, {2}},
      {chain, {13, 5}, {3}},
      {"if u(0) > 3 { if u(0) > 5 { out[0] = 1; } } else { out[0] = 2; }", {1}, {6}},
      {"if u(0) > 3 { return; } out[0] = 2;", {0}, {6}},
      {"if u(0) > 3 { return; } else { out[0] = 1; } out[0] += 2;", {3}, {1}},
      {"if u(0) > 3 { out[0] = 1; return; } else { out[0] = 2; return; }", {2}, {1}},
      {"{ let x = 1u; { let x = 2u; out[0] = x; } out[1] = x; }", {2, 1}},
  });
}

std::string LongChain(int n) {
  std::string text = "if u(0) == 1000 { out[0] = 1; }";
  for (int i = 0; i < n; ++i)
    text += " else if u(0) == " + std::to_string(i) + " { out[0] = " + std::to_string(100 + i) + "; }";
  return text + " else { out[0] = 7; } out[1] = 8;";
}

TEST(LowerControl, LongElseChains) {
  CheckAll({
      {LongChain(100), {1, 8}, {1000}},
      {LongChain(100), {100, 8}, {0}},
      {LongChain(100), {199, 8}, {99}},
      {LongChain(100), {7, 8}, {100}},
      // Leaving a loop from within such a chain.
      {"for (var k = 0u; ; k++) { if k == 1000 { break; } " +
           [] {
             std::string text;
             for (uint32_t i = 0; i < 40; ++i)
               text += " else if k == " + std::to_string(1000 + i) + " { continue; }";
             return text;
           }() +
           " else if k == 9 { break; } out[0] += k; }",
       {36}},
  });
}

TEST(LowerControl, ForLoops) {
  CheckAll({
      {"for (var k = 0u; k < u(0); k++) { out[0] += k; }", {10}, {5}},
      {"for (var k = 0u; k < 10; k++) { if k == 3 { continue; } if k == 6 { break; } out[0] += k; }", {12}},
      {"var k = 0u; for (; k < 4;) { k += 2; } out[0] = k;", {4}},
      {"for (var k = 0u; ; k += 3) { if k > 10 { out[0] = k; return; } }", {12}},
      {"for (var a = 0u; a < 3; a++) { for (var b = 0u; b < 3; b++) { if b > a { break; } out[a] += b + 1; } "
       "}",
       {1, 3, 6}},
      {"for (var k = 5; k > 0; k--) { if k == 4 { continue; } put_i(0, i32(out[0]) * 10 + k); }", {5321}},
      {"for (var k = 0u; k < 3; k++) { var fresh: u32; fresh += k; out[k] = fresh; }", {0, 1, 2}},
      {"for (let k = 3u; out[0] < k; ) { out[0]++; }", {3}},
  });
}

TEST(LowerControl, WhileLoops) {
  CheckAll({
      {"var n = u(0); while n != 1 { if n % 2 == 0 { n /= 2; } else { n = n * 3 + 1; } out[0]++; }",
       {16},
       {7}},
      {"var k = 0u; while true { k++; if k < 5 { continue; } break; } out[0] = k;", {5}},
      {"var k = 0u; while k < 10 && in[k] != 9 { k++; } out[0] = k;", {3}, {1, 2, 3, 9}},
      {"while false { out[0] = 1; } out[1] = 2;", {0, 2}},
  });
}

TEST(LowerControl, LoopsWithContinuing) {
  CheckAll({
      {"var k = 0u; loop { if k >= 5 { break; } out[0] += k; continuing { k++; } }", {10}},
      {"var k = 0u; loop { out[0] += 1; continuing { k += 2; break if k >= u(0); } }", {3}, {5}},
      // The continuing block uses a let of the body.
      {"var k = 0u; loop { if k > 20 { break; } let step = k + 1; out[0] += 1; if step == 3 { continue; } "
       "out[1] += step; "
       "continuing { k += step; } }",
       {5, 31}},
      {"var k = 0u; loop { let old = k; k += 3; continuing { break if old > 5; } } out[0] = k;", {9}},
      // ... a variable of the body, and a pointer to it.
      {"var k = 0u; loop { var twice = k * 2; let p = &twice; twice += 1; continuing { k += *p; break if k > "
       "10; } } "
       "out[0] = k;",
       {13}},
      // ... a pointer with an index that was evaluated in the body.
      {"var a = array<u32, 4>(1, 2, 3, 4); var k = 0u; loop { var at = k; let p = &a[at]; at = 0; k++; "
       "continuing { out[0] += *p; break if k == 4; } }",
       {10}},
      {"var k = 0u; loop { k++; switch k { case 1, 2: { continue; } case 5: { break; } default: { out[0] += "
       "k; } } "
       "if k > 6 { break; } } out[1] = k;",
       {20, 7}},
      {"loop { out[0] = 1; break; }", {1}},
      {"loop { out[0] = 4; return; }", {4}},
      {"var a = 0u; loop { var b = 0u; loop { let c = b; continuing { b++; break if c == 2; } } a += b; "
       "continuing "
       "{ break if a >= 9; } } out[0] = a;",
       {9}},
      // Nested: the inner continuing uses a let of the outer body.
      {"var a = 0u; loop { let step = a + 2; var b = 0u; loop { b++; continuing { a += step; break if b == "
       "2; } } "
       "continuing { break if a > u(0); } } out[0] = a;",
       {16},
       {4}},
  });
}

TEST(LowerControl, Switches) {
  const std::string plain =
      "switch i(0) { case 1: { out[0] = 10; } case 2, -3: { out[0] = 20; } default { out[0] = 30; } }";
  CheckAll({
      {plain, {10}, Ints({1})},
      {plain, {20}, Ints({2})},
      {plain, {20}, Ints({-3})},
      {plain, {30}, Ints({4})},
      {"switch u(0) { case 1, default: { out[0] = 1; } case 2: { out[0] = 2; } }", {1}, {7}},
      {"switch u(0) { case 1: { if u(1) == 1 { break; } out[0] = 1; } default: {} } out[1] = 2;",
       {0, 2},
       {1, 1}},
      {"switch u(0) { case 1: { if u(1) == 1 { break; } out[0] = 1; } default: {} } out[1] = 2;",
       {1, 2},
       {1, 0}},
      {"for (var k = 0u; k < 5; k++) { switch k { case 2: { continue; } case 3: { break; } default: { out[0] "
       "+= k; } } "
       "out[1] += k; }",
       {5, 8}},
      {"switch u(0) { case 1: { return; } default: { out[0] = 1; } } out[0] = 2;", {0}, {1}},
      {"switch u(0) { default: { out[0] = 3; } }", {3}},
      {"switch u(0) { case 0: { switch u(1) { case 1: { out[0] = 1; break; } default: { break; } } out[1] = "
       "2; break; } "
       "default: {} } out[2] = 3;",
       {1, 2, 3},
       {0, 1}},
      {"const k = 3; switch i(0) { case k: { out[0] = 1; } case k + 1: { out[0] = 2; } default: {} }",
       {2},
       {4}},
      {"out[0] = pick(u(0)); out[1] = pick(u(1));",
       {5, 6},
       {1, 2},
       "fn pick(k: u32) -> u32 { switch k { case 1: { return 5; } default: { return 6; } } }"},
  });
}

TEST(LowerControl, CallsAndReturns) {
  CheckAll({
      {"out[0] = early(u(0)); out[1] = early(u(1)); out[2] = early(u(2));",
       {1, 12, 99},
       {0, 5, 50},
       "fn early(n: u32) -> u32 { if n == 0 { return 1; } for (var k = 0u; k < 20; k++) { if k * 2 > n + 18 "
       "{ return k; } } "
       "return 99; }"},
      // Arguments are evaluated from left to right, and each before the call.
      {"out[0] = sub(next(), next());",
       {0xffffffff},
       {0},
       "var<private> n: u32; fn next() -> u32 { n++; return n; } fn sub(a: u32, b: u32) -> u32 { return a - "
       "b; }"},
      {"out[0] = n + next() * 10 + n * 100;",
       {110},
       {0},
       "var<private> n: u32; fn next() -> u32 { n++; return n; }"},
      {"var x = 5u; bump(&x, 3); bump(&x, x); out[0] = x;",
       {16},
       {0},
       "fn bump(p: ptr<function, u32>, by: u32) { *p += by; }"},
      {"var a = array<u32, 3>(1, 2, 3); out[0] = take(&a[u(0)]); out[1] = sum(&a); out[2] = a[1];",
       {2, 13, 9},
       {1},
       "fn take(p: ptr<function, u32>) -> u32 { let old = *p; *p = 9; return old; } "
       "fn sum(p: ptr<function, array<u32, 3>>) -> u32 { return p[0] + (*p)[1] + p[2]; }"},
      {"fill(&s, 4); out[0] = s.a[2] + count(&s.a);",
       {4 + 4},
       {0},
       "struct S { n: u32, a: array<u32, 4> } var<private> s: S; "
       "fn fill(p: ptr<private, S>, v: u32) { p.n = v; for (var k = 0u; k < 4; k++) { p.a[k] = k * 2; } } "
       "fn count(p: ptr<private, array<u32, 4>>) -> u32 { return p[2]; }"},
      {"out[0] = a(u(0)); _ = a(3); a_note();",
       {106, 1},
       {5},
       "fn a(x: u32) -> u32 { return b(x + 1); } fn b(x: u32) -> u32 { return x + 100; } fn a_note() { "
       "out[1] = 1; }"},
      {"let s = make(u(0)); out[0] = s.b.y; out[1] = make(3).a;",
       {14, 3},
       {7},
       "struct S { a: u32, b: vec2u } fn make(x: u32) -> S { return S(x, vec2u(x, x * 2)); }"},
      {"nothing(); out[0] = 1;", {1}, {0}, "fn nothing() {}"},
      {"out[0] = all_paths(u(0));",
       {7},
       {4},
       "fn all_paths(x: u32) -> u32 { loop { if x > 3 { return 7; } else { return 8; } } }"},
  });
}

TEST(LowerControl, CompoundAssignmentEvaluatesOnce) {
  CheckAll({
      {"var a = array<u32, 3>(1, 2, 3); a[next()] += 10; out[0] = a[1]; out[1] = n;",
       {12, 1},
       {0},
       "var<private> n: u32; fn next() -> u32 { n++; return n; }"},
      {"var a = array<u32, 3>(1, 2, 3); a[next()]++; a[next()]--; out[0] = a[1]; out[1] = a[2]; out[2] = n;",
       {3, 2, 2},
       {0},
       "var<private> n: u32; fn next() -> u32 { n++; return n; }"},
      // The old value is read before the right side runs.
      {"x = 5; x += change(); out[0] = x;",
       {6},
       {0},
       "var<private> x: u32; fn change() -> u32 { x = 100; return 1; }"},
      {"var v = vec3u(1, 2, 3); v[u(0)] *= 5; v.z -= 1; out[0] = v.x; out[1] = v.y; out[2] = v.z;",
       {1, 10, 2},
       {1}},
      {"var x = 0xf0u; x >>= 4; x <<= 1; x |= 1; x ^= 3; x &= 0x1e; x %= 16; out[0] = x;", {12}},
      // The left side's indices come before the right side.
      {"var a = array<u32, 3>(); a[n] = next(); out[0] = a[0]; out[1] = a[1];",
       {1, 0},
       {0},
       "var<private> n: u32; fn next() -> u32 { n++; return n; }"},
  });
}

TEST(LowerControl, DeepNestingAndDeadCode) {
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "if u(0) == 1 { ";
  deep += "out[0] = 1;";
  for (int i = 0; i < 100; ++i) deep += "}";
  CheckAll({
      {deep, {1}, {1}},
      {"out[0] = 1; return; out[0] = 2;", {1}},
      {"for (var k = 0; k < 3; k++) { out[0] += 1; continue; out[0] = 100; }", {3}},
      {"if true { return; } out[0] = 5;", {0}},
  });
}

}  // namespace
}  // namespace lockstep::lower

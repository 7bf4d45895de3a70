// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements: what is accepted, and exactly how what is not is reported.
#include "wgsl/resolve_test_util.h"

namespace lockstep::wgsl {
namespace {

TEST(ResolveBody, Conditions) {
  ExpectBodiesAccepted({
      "if all(v == v) { }",
      "for (var k = 0; k < 3; k++) { let k2 = k; _ = k2; }",
  });
  ExpectBodiesRejected({
      {"if i { }", "1:4: the condition of 'if' must be 'bool', not 'i32'"},
      {"if v == v { }", "1:4: the condition of 'if' must be 'bool', not 'vec3<bool>'"},
      {"while 1 { }", "1:7: the condition of 'while' must be 'bool', not 'abstract-int'"},
      {"for (var k = 0; k; k++) { }", "1:17: the condition of 'for' must be 'bool', not 'i32'"},
      {"for (var k = 0; k < 3; k++) { } k = 1;", "1:33: unresolved name 'k'"},
  });
}

TEST(ResolveBody, CompoundAssignments) {
  ExpectBodiesAccepted({
      "var k = 1u; k++; k--; pv.a++; wg[0]--;",
      "var k = 1; k += 2; k <<= 1; k /= 3;",
      "var k = v; k *= 2; k *= mat3x3f();",
  });
  ExpectBodiesRejected({
      {"var k: f32; k++;", "1:13: '++' needs an 'i32' or 'u32', not 'f32'"},
      {"let k = 1; k++;", "1:12: cannot assign to 'let k': declare it with 'var' to change it"},
      {"v.x++;", "1:1: cannot assign to parameter 'v': copy it to a 'var' of another name to change it"},
      {"var k = 1; k += 2u;", "1:14: operator '+=' does not take 'i32' and 'u32'"},
      {"var k = 1; k <<= 2i;", "1:14: operator '<<=' does not take 'i32' and 'i32'"},
      {"var k = 1; k /= 0;", "1:17: division by zero"},
      {"var k = 1; k += 1.5;", "1:14: operator '+=' does not take 'i32' and 'abstract-float'"},
      {"var k = 1.0; k *= v;", "1:16: operator '*=' does not take 'f32' and 'vec3<f32>'"},
      {"k += 1;", "1:1: unresolved name 'k'"},
  });
}

TEST(ResolveBody, Scopes) {
  ExpectBodiesAccepted({
      "{ let i = 1.5; _ = i; }",
      "let k = 1; { let k = 2; _ = k; }",
  });
  ExpectBodiesRejected({
      {"let i = 1.5;", "1:5: redeclaration of 'i'"},
      {"let k = 1; let k = 2;", "1:16: redeclaration of 'k'"},
      {"let k = k;", "1:9: unresolved name 'k'"},
      {"{ let k = 1; } _ = k;", "1:20: unresolved name 'k'"},
  });
}

TEST(ResolveBody, Switches) {
  ExpectBodiesAccepted({
      "switch i { case 1, 2: { } default: { } }",
      "switch 1 { case 1u: { } default { } }",
      "switch u { case 1, default { } }",
  });
  ExpectBodiesRejected({
      {"switch i { case 1: { } }", "1:1: a switch must have a default"},
      {"switch i { case 1: { } case 1: { } default { } }", "1:29: case 1 is there twice"},
      {"switch i { case 1u: { } default { } }",
       "1:17: this case is of type 'u32', but the switch is of type 'i32'"},
      {"switch f { default { } }", "1:8: a switch works on 'i32' or 'u32', not 'f32'"},
      {"switch i { case 1, default { } default { } }", "1:32: a switch has one default"},
      {"switch i { case i: { } default { } }",
       "1:17: a case selector must be a const-expression, but this is a runtime expression"},
      {"switch i { case 1.5: { } default { } }",
       "1:17: a switch works on 'i32' or 'u32', not 'abstract-float'"},
      {"switch i { case ov: { } default { } }",
       "1:17: a case selector must be a const-expression, but this is an override-expression"},
      {"switch 1i { case 1u: { } default { } }",
       "1:18: this case is of type 'u32', but the switch is of type 'i32'"},
  });
}

TEST(ResolveBody, ControlFlow) {
  ExpectBodiesAccepted({
      "loop { break; }",
      "loop { continuing { break if b; } }",
      "loop { continuing { loop { break; } switch i { default { break; } } break if b; } }",
      "while b { switch i { default { continue; } } }",
      "for (;;) { break; }",
      "for (;;) { return; }",
      "return;",
      "loop { let k = 1; if b { continue; } continuing { _ = k; break if b; } }",
      "loop { let k = 1; if b { break; } continuing { let j = k; _ = j; } }",
  });
  ExpectBodiesRejected({
      {"break;", "1:1: 'break' must be in a loop or switch"},
      {"continue;", "1:1: 'continue' must be in a loop"},
      {"loop { }", "1:1: this loop never ends: it has no 'break' or 'return' that can be reached"},
      {"loop { continue; }", "1:1: this loop never ends: it has no 'break' or 'return' that can be reached"},
      {"loop { continuing { } }",
       "1:1: this loop never ends: it has no 'break' or 'return' that can be reached"},
      {"loop { continuing { break; } }",
       "1:21: 'break' must not leave a 'continuing' block: use 'break if' at its end"},
      {"loop { continuing { continue; } }", "1:21: 'continue' must not be in a 'continuing' block"},
      {"loop { continuing { return; } }", "1:21: 'return' must not be in a 'continuing' block"},
      {"loop { if b { return; } continuing { if b { break; } } }",
       "1:45: 'break' must not leave a 'continuing' block: use 'break if' at its end"},
      {"for (;;) { }", "1:1: this loop never ends: it has no 'break' or 'return' that can be reached"},
      {"while b { loop { continue; } }",
       "1:11: this loop never ends: it has no 'break' or 'return' that can be reached"},
      {"return 1;", "1:8: this function returns no value"},
      {"loop { if b { continue; } let k = 1; continuing { _ = k; break if b; } }",
       "1:15: 'continue' passes over the declaration of 'k', which the 'continuing' block uses"},
      {"loop { continuing { let k = b; break if k && 1; } }",
       "1:43: operator '&&' does not take 'bool' and 'abstract-int'"},
      {"discard", "1:8: expected ';' after 'discard'"},
  });
}

TEST(ResolveBody, Constants) {
  ExpectBodiesAccepted({
      "const_assert 1 < 2;",
      "const k = 1; var a: array<u32, k + 1>; a[k] = 1;",
      "const k = frexp(1.5); let e: i32 = k.exp; _ = e;",
      "const k = array(1, 2, 3); let e: u32 = k[1]; let g = k[i]; _ = e; _ = g;",
      "let x = false && (1 / 0 == 0); _ = x;",
      "let x = true || (10i < i32(5 * 1000 * 1000 * 1000)); _ = x;",
      "let x = false && array<u32, 1 + 2>(0, 1, 2)[0] == 0; _ = x;",
  });
  ExpectBodiesRejected({
      {"const_assert i == 1;",
       "1:14: the condition of const_assert must be a const-expression, but this is a runtime expression"},
      {"const_assert false;", "1:14: const_assert failed"},
      {"const_assert 1;", "1:14: the condition of 'const_assert' must be 'bool', not 'abstract-int'"},
      {"const k = i;",
       "1:11: the initializer of a 'const' must be a const-expression, but this is a runtime expression"},
      {"const k = ov;",
       "1:11: the initializer of a 'const' must be a const-expression, but this is an override-expression"},
      {"let x = true && (1 / 0 == 0);", "1:18: division by zero"},
      {"let x = b && (1 / 0 == 0);", "1:15: division by zero"},
      {"let x = false && nosuch;", "1:18: unresolved name 'nosuch'"},
      {"let x = false && 1;", "1:15: operator '&&' does not take 'bool' and 'abstract-int'"},
      {"let x = false && array<u32, 1 - 1>(1)[0] == 0;",
       "1:29: the element count of an array must be at least 1, not 0"},
  });
}

TEST(ResolveBody, PointerTypes) {
  ExpectBodiesAccepted({
      "var y = 1; let x: ptr<function, i32> = &y; *x = 2; *x += 1; (*x)++;",
      "let p = &rw; let x: ptr<storage, R, read_write> = p; x.n = 1;",
  });
  ExpectBodiesRejected({
      {"let x = *i;", "1:9: '*' needs a pointer, not 'i32'"},
      {"let x = &i;", "1:10: '&' needs a variable or a part of one, but this is a value"},
      {"let x = &id;", "1:10: function 'id' is not a value: call it with '(...)'"},
      {"let x: ptr<function, i32> = &pv.a;",
       "1:29: cannot initialize 'x' of type 'ptr<function, i32>' with a value of type 'ptr<private, i32>'"},
      {"var y = 1; var x = &y;",
       "1:16: a local variable cannot be of type 'ptr<function, i32>': a pointer cannot be stored"},
      {"var y = 1; let x: ptr<function, i32, read_write> = &y;",
       "1:38: only the address space 'storage' takes an access mode"},
      {"let p = &rw; let x: ptr<storage, R> = p;",
       "1:39: cannot initialize 'x' of type 'ptr<storage, R, read>' with a value of type 'ptr<storage, R, "
       "read_write>'"},
      {"let x: ptr<storage, R, write> = &rw;",
       "1:24: access mode 'write' is not for buffers: use 'read_write'"},
      {"let x: ptr<handle, R> = &rw;", "1:12: unknown address space 'handle'"},
      {"let x: ptr<stroage, R> = &rw;", "1:12: unknown address space 'stroage', did you mean 'storage'?"},
      {"let x: R = 1;", "1:8: 'let' cannot hold a value of type 'R'"},
  });
}

TEST(ResolveBody, Statements) {
  ExpectBodiesAccepted({
      "if b { } else if !b { } else { }",
      "_ = v; _ = 1; _ = &rw; _ = ov;",
  });
  ExpectBodiesRejected({
      {"if b { } else if i { } else { }", "1:18: the condition of 'if' must be 'bool', not 'i32'"},
      {"_ = cnt;", "1:5: a value of type 'array<atomic<u32>>' cannot be read as a whole: it holds atomics"},
      {"_ = main;", "1:5: unresolved name 'main', did you mean 'min'?"},
  });
}

TEST(ResolveBody, NotOfferedYet) {
  ExpectBodiesRejected({
      {"let x = 3.0h;", "1:9: '3.0h' needs 'enable f16;' and a device that offers 'shader-f16'"},
      {"let x: f16 = 1;", "1:8: 'f16' needs 'enable f16;' and a device that offers 'shader-f16'"},
      {"let x = vec2h();", "1:9: 'vec2h' needs 'enable f16;' and a device that offers 'shader-f16'"},
      {"_ = textureSample;", "1:5: 'textureSample' is not supported yet"},
  });
}

TEST(ResolveBody, DiagnosticFilters) {
  ExpectBodiesAccepted({
      "@diagnostic(off, derivative_uniformity) { }",
      "if b @diagnostic(info, subgroup_uniformity) { }",
  });
  ExpectBodiesRejected({
      {"@diagnostic(off, derivative_uniformity) @diagnostic(error, derivative_uniformity) if b { }",
       "1:41: two diagnostic filters for 'derivative_uniformity' at the same place"},
      {"@diagnostic(none, derivative_uniformity) { }",
       "1:13: 'none' is no severity: use 'error', 'warning', 'info' or 'off'"},
      {"@must_use { }", "1:1: @must_use is not valid on a statement"},
  });
}

TEST(ResolveBody, ConstantArguments) {
  ExpectBodiesAccepted({
      "let x = pack4x8snorm(vec4f()); let y = unpack4xU8(x).x + dot4U8Packed(1, 2); _ = y;",
      "let x = extractBits(i, 0, 32); _ = x;",
      "let x = sqrt(f); _ = x;",
      "const x = 2147483647i + 1i; _ = x;",
      "let r = (1 + 2) * (3 - vec2(1)); let s: vec2i = r; _ = s;",
      "let k = (v); var w = ((k)); (w).x = 1; (w) = v;",
      "let x = array(1, 2)[i]; _ = x;",
      "let x = mat2x2(1, 2, 3, 4)[i][i]; let y: f32 = x; _ = y;",
  });
  ExpectBodiesRejected({
      {"let x = extractBits(i, 1, 32);",
       "1:9: 'extractBits' needs offset + count <= 32, but offset is 1 and count is 32"},
      {"let x = clamp(f, 2.0, 1.0);", "1:9: 'clamp' needs low <= high, but low is 2f and high is 1f"},
      {"let x = smoothstep(1.0, 1.0, f);", "1:9: 'smoothstep' needs two different edges, but both are 1f"},
      {"let x = sqrt(-1.0);", "1:9: 'sqrt' needs a value of at least 0, not -1.0"},
      {"let x = acos(2f);", "1:9: 'acos' needs a value from -1 to 1, not 2f"},
      {"let x = 1e38f * 10f;", "1:9: '1e+38f * 10f' cannot be represented as 'f32'"},
      {"let x = 1e400;",
       "1:9: value 1e400 cannot be represented as 'abstract-float', which holds -1.7976931348623157e+308 to "
       "1.7976931348623157e+308"},
      {"let x = exp(1000f);", "1:9: the result of 'exp' overflows 'f32'"},
      {"const x = 9223372036854775807 + 1;",
       "1:11: '9223372036854775807 + 1' cannot be represented as 'abstract-int'"},
      {"let x = vec3i(1, 2, 3)[3];", "1:24: index 3 is out of range for 'vec3<i32>', which has 3 components"},
      {"let x = array(1, 2)[2];",
       "1:21: index 2 is out of range for 'array<abstract-int, 2>', which has 2 elements"},
      {"let x = vec2(1, 2)[i] + 1u;", "1:23: operator '+' does not take 'i32' and 'u32'"},
  });
}

TEST(ResolveBody, SwizzleAssignments) {
  ExpectBodiesAccepted({
      "var w = vec4f(); w.xy = vec2f(); w.xyzw = vec4f();",
      "var w = vec4f(); w.xy.y = 1; w.xx.x = 1; w.xyy.xy = vec2f(); w.xxyy.zxy.xy = vec2f();",
      "var w = vec4u(); w.xy[1] = 1; w.xx[0] = 1; w.zxy[i] = 2; w.zxy[u] += 2; w.xy[0]++;",
      "var w = vec4f(); let p = &w; p.xy += vec2f(1); (*p).xy = vec2f(); p.xy.x = 1; p.zy[i] = 1;",
      "rw.tail[u].xy = vec2f(); rw.tail[u].wz[u] = 1;",
      "var w = vec4f(); (w.xy).x = 2; ((w.xyz)).zy = vec2f(); (w.xy)[ov] = 1;",
      "var a = array(vec3(1, 2, 3)); a[i].zx = vec2(1); a[i].zx.y *= 2;",
  });
  ExpectBodiesRejected({
      {"var w = vec4f(); w.xxyy.xy = vec2f();",
       "1:25: '.xy' names a component twice, so it cannot be assigned to"},
      {"var w = vec4f(); w.xyy.yy = vec2f();",
       "1:24: '.yy' names a component twice, so it cannot be assigned to"},
      {"var w = vec4f(); w.xxyy.zxy.yz = vec2f();",
       "1:29: '.yz' names a component twice, so it cannot be assigned to"},
      {"var w = vec4f(); w.zy.xyx = vec3f();",
       "1:23: '.xyx' names a component twice, so it cannot be assigned to"},
      {"var w = vec4u(); w.xy[2] = 1;",
       "1:23: index 2 is out of range for 'vec2<u32>', which has 2 components; 1:23: index 2 is out of "
       "range for 'vec2<u32>', which has 2 components"},
      {"var w = vec4u(); w.x[0] = 1;", "1:18: a value of type 'u32' cannot be indexed"},
      {"vec4f().xyz = vec3f();",
       "1:1: cannot assign to this expression: it is a value, not a place in memory"},
      {"vec4f().xyz.x = 1;", "1:1: cannot assign to this expression: it is a value, not a place in memory"},
      {"v.xy.x = 1;", "1:1: cannot assign to parameter 'v': copy it to a 'var' of another name to change it"},
      {"v.xy[0] = 1;",
       "1:1: cannot assign to parameter 'v': copy it to a 'var' of another name to change it"},
      {"un.b.xy[i] = 1;", "1:1: cannot write to 'un': address space 'uniform' is read-only here"},
      {"ro.tail[0].xy = vec2f();", "1:1: cannot write to 'ro': address space 'storage' is read-only here"},
      {"var w = vec4f(); let p = &w.xy;", "1:27: '&' needs a variable or a part of one, but this is a value"},
  });
}

}  // namespace
}  // namespace lockstep::wgsl

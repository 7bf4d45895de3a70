// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Expressions: what is accepted, and exactly how what is not is reported.
#include "wgsl/resolve_test_util.h"

namespace lockstep::wgsl {
namespace {

TEST(ResolveBody, LocalDeclarations) {
  ExpectBodiesAccepted({
      "let x = 1; var y = x; y = 2;",
      "let x: u32 = 1; _ = x;",
      "let x = 2147483648u;",
      "let x: f32 = 1;",
  });
  ExpectBodiesRejected({
      {"let x: u32 = -1;", "1:14: value -1 cannot be represented as 'u32', which holds 0 to 4294967295"},
      {"let x: u32 = 1.5;",
       "1:14: cannot initialize 'x' of type 'u32' with a value of type 'abstract-float'"},
      {"let x: i32 = 1u;", "1:14: cannot initialize 'x' of type 'i32' with a value of type 'u32'"},
      {"let x = 2147483648;",
       "1:9: value 2147483648 cannot be represented as 'i32', which holds -2147483648 to 2147483647"},
      {"let x: bool = 1;", "1:15: cannot initialize 'x' of type 'bool' with a value of type 'abstract-int'"},
  });
}

TEST(ResolveBody, LoadsAndPointers) {
  ExpectBodiesAccepted({
      "let x = rw.tail[0].x;",
      "let p = &rw.tail; _ = p;",
      "let p = &ro; let n = p.n; let q = (*p).tail[1].xy; _ = n; _ = q;",
      "let p = &pv.b; (*p).x = 1;",
      "let p = &pv.b; p.x = 1; p[1] = 2;",
      "rw.n = 1;",
  });
  ExpectBodiesRejected({
      {"let x = nothing();", "1:9: this call returns no value"},
      {"let x = ro;", "1:9: a value of type 'R' cannot be read as a whole: it has a runtime-sized array"},
      {"let x = wa;", "1:9: an atomic cannot be read directly: use atomicLoad with '&'"},
      {"let x = cnt;",
       "1:9: a value of type 'array<atomic<u32>>' cannot be read as a whole: it holds atomics"},
      {"let x = rw.tail;",
       "1:9: a value of type 'array<vec4<f32>>' cannot be read as a whole: it has a runtime-sized array"},
      {"let p = &v;", "1:10: '&' needs a variable or a part of one, but this is a value"},
      {"let p = &pv.b.x;", "1:9: '&' cannot be applied to a component of a vector"},
      {"let p = &pv.b[0];", "1:9: '&' cannot be applied to a component of a vector"},
      {"let p = &ro.n; *p = 1;", "1:16: cannot write to 'p': address space 'storage' is read-only here"},
      {"ro.n = 1;", "1:1: cannot write to 'ro': address space 'storage' is read-only here"},
      {"un.a = 1;", "1:1: cannot write to 'un': address space 'uniform' is read-only here"},
      {"rw.n = 1i;", "1:8: cannot assign a value of type 'i32' to a place of type 'u32'"},
  });
}

TEST(ResolveBody, Assignments) {
  ExpectBodiesAccepted({
      "var q = v; q.x = 1; q.xy = vec2(1, 2); q.zyx = v; q.xy += 1;",
      "pv.b.xz = vec2f(1, 2);",
  });
  ExpectBodiesRejected({
      {"ov = 1;", "1:1: cannot assign to 'override ov'"},
      {"i = 1;", "1:1: cannot assign to parameter 'i': copy it to a 'var' of another name to change it"},
      {"let q = 1; q = 2;", "1:12: cannot assign to 'let q': declare it with 'var' to change it"},
      {"const q = 1; q = 2;", "1:14: cannot assign to 'const q'"},
      {"1 = 2;", "1:1: expected a statement, found '1'"},
      {"id(1) = 2;", "1:1: cannot assign to this expression: it is a value, not a place in memory"},
      {"let q = v; q.x = 1;", "1:12: cannot assign to 'let q': declare it with 'var' to change it"},
      {"v.x = 1;", "1:1: cannot assign to parameter 'v': copy it to a 'var' of another name to change it"},
      {"var q = v; q.xx = vec2f();", "1:14: '.xx' names a component twice, so it cannot be assigned to"},
      {"var q = v; q.xy = vec3f();",
       "1:19: cannot assign a value of type 'vec3<f32>' to a place of type 'vec2<f32>'"},
      {"var q = v; q.xyzw = vec4f();", "1:14: there is no component 'w' in a vector of 3 components"},
      {"var q = v; q.xg = vec2f();", "1:14: '.xg' mixes x, y, z, w with r, g, b, a"},
      {"var q = v; q.foo = 1;", "1:14: '.foo' is not one to four of the components x, y, z, w or r, g, b, a"},
      {"let p = &pv; p = &pv;",
       "1:14: cannot assign to 'let p': it is a pointer, write '*p' to assign to what it points to"},
      {"let p = &pv; p = 3;",
       "1:14: cannot assign to 'let p': it is a pointer, write '*p' to assign to what it points to"},
      {"let p = &un; p.a = 1;", "1:14: cannot write to 'p': address space 'uniform' is read-only here"},
  });
}

TEST(ResolveBody, ArraysAndIndices) {
  ExpectBodiesAccepted({
      "var a = array(1, 2, 3); a[1] = 2; a[u] = 3; a[i] = 4;",
      "let a = array(1, 2u, 3); let c: array<u32, 3> = a; _ = c;",
      "let a = array(1, 2.5); let c: array<f32, 2> = a; _ = c;",
      "var a: array<i32, 2000>; a[0] = 1;",
      "var<function> a: u32; a = 1;",
      "wg[ov] = 1;",
      "let c = m[2]; _ = c;",
  });
  ExpectBodiesRejected({
      {"var a = array(1, 2, 3); a[3] = 2;",
       "1:27: index 3 is out of range for 'array<i32, 3>', which has 3 elements"},
      {"var a = array(1, 2, 3); a[-1] = 2;",
       "1:27: index -1 is out of range for 'array<i32, 3>', which has 3 elements"},
      {"var a = array(1, 2, 3); a[1.0] = 2;",
       "1:27: an index must be an 'i32' or 'u32', not 'abstract-float'"},
      {"var a = array(1, 2, 3); a[b] = 2;", "1:27: an index must be an 'i32' or 'u32', not 'bool'"},
      {"let a = array(1, 2u, 3i);", "1:22: the elements of this array are of type 'u32', not 'i32'"},
      {"let a = array(1, true);", "1:18: the elements of this array are of type 'abstract-int', not 'bool'"},
      {"let c: array<i32, 2> = array(1, 2.5);",
       "1:24: cannot initialize 'c' of type 'array<i32, 2>' with a value of type 'array<abstract-float, 2>'"},
      {"var a: array<i32, 2> = array<i32, 3>();",
       "1:24: cannot initialize 'a' of type 'array<i32, 2>' with a value of type 'array<i32, 3>'"},
      {"var a: array<i32, ov>;",
       "1:8: a local variable cannot be of type 'array<i32, ov>': only a 'workgroup' variable can be an "
       "array whose size is an override-expression"},
      {"var a: array<i32, u>;",
       "1:19: the element count of an array must be known before the shader runs: use a const- or "
       "override-expression"},
      {"var a: array<i32, 0>;", "1:19: the element count of an array must be at least 1, not 0"},
      {"var a: array<i32, -1>;", "1:19: the element count of an array must be at least 1, not -1"},
      {"var a: array<i32>;",
       "1:8: a local variable cannot be of type 'array<i32>': a runtime-sized array lives in a 'storage' "
       "buffer only"},
      {"var a: array<i32, 20000>;",
       "1:5: the variables of function 'body' take 80000 bytes, more than the 65536 that are allowed"},
      {"var a: atomic<u32>;",
       "1:8: a local variable cannot be of type 'atomic<u32>': atomics live in 'workgroup' variables and "
       "read_write 'storage' buffers only"},
      {"var<workgroup> a: u32;",
       "1:5: a variable of address space 'workgroup' must be declared at module scope"},
      {"var<private> a: u32;", "1:5: a variable of address space 'private' must be declared at module scope"},
      {"var<function, read_write> a: u32;", "1:15: only the address space 'storage' takes an access mode"},
      {"wg[16] = 1;", "1:4: index 16 is out of range for 'array<u32, 16>', which has 16 elements"},
      {"m[3] = vec2f();",
       "1:3: index 3 is out of range for 'mat3x2<f32>', which has 3 columns; 1:1: cannot assign to "
       "parameter 'm': copy it to a 'var' of another name to change it"},
      {"let c = m[2][2];", "1:14: index 2 is out of range for 'vec2<f32>', which has 2 components"},
  });
}

TEST(ResolveBody, Members) {
  ExpectBodiesAccepted({
      "let c = v.xyz; let d = v.rgb.zy; _ = c; _ = d;",
  });
  ExpectBodiesRejected({
      {"let c = m.x;", "1:11: type 'mat3x2<f32>' has no member 'x'"},
      {"let c = i.x;", "1:11: type 'i32' has no member 'x'"},
      {"let c = pv.d;", "1:12: structure 'S' has no member 'd'"},
      {"let c = pv.bb;", "1:12: structure 'S' has no member 'bb', did you mean 'b'?"},
      {"let c = i[0];", "1:9: a value of type 'i32' cannot be indexed"},
      {"let c = v.xyzzz;", "1:11: '.xyzzz' is not one to four of the components x, y, z, w or r, g, b, a"},
      {"let c = v.w;", "1:11: there is no component 'w' in a vector of 3 components"},
  });
}

TEST(ResolveBody, Names) {
  ExpectBodiesAccepted({
      "nothing();",
  });
  ExpectBodiesRejected({
      {"let c = nosuch;", "1:9: unresolved name 'nosuch'"},
      {"let c = bodyy;", "1:9: unresolved name 'bodyy', did you mean 'body'?"},
      {"let c = id;", "1:9: function 'id' is not a value: call it with '(...)'"},
      {"let c = min;", "1:9: builtin function 'min' is not a value: call it with '(...)'"},
      {"let c = i32;", "1:9: type 'i32' is not a value: to construct one write '(...)' after it"},
      {"let c = storage;", "1:9: address space 'storage' is not a value"},
      {"let c = vec3;", "1:9: type 'vec3' is not a value: to construct one write '(...)' after it"},
      {"pv();", "1:1: variable 'pv' cannot be called"},
      {"nosuch();", "1:1: unresolved name 'nosuch'"},
  });
}

TEST(ResolveBody, Calls) {
  ExpectBodiesAccepted({
      "id(i); _ = id(1);",
      "_ = must();",
      "atomicAdd(&wa, 1);",
      "atomicStore(&cnt[0], 1);",
  });
  ExpectBodiesRejected({
      {"id();", "1:1: 'id' takes 1 argument, not 0"},
      {"id(1, 2);", "1:1: 'id' takes 1 argument, not 2"},
      {"id(1u);", "1:4: argument 1 of 'id' must be of type 'i32', not 'u32'"},
      {"must();", "1:1: the result of 'must' must be used: assign it to '_' to ignore it"},
      {"min(1, 2);", "1:1: the result of 'min' must be used: assign it to '_' to ignore it"},
      {"vec3f();", "1:1: the result of 'vec3f' must be used: assign it to '_' to ignore it"},
      {"i32(1);", "1:1: the result of 'i32' must be used: assign it to '_' to ignore it"},
      {"arrayLength(&rw.tail);",
       "1:1: the result of 'arrayLength' must be used: assign it to '_' to ignore it"},
  });
}

TEST(ResolveBody, AtomicsAndSynchronization) {
  ExpectBodiesAccepted({
      "let r = atomicCompareExchangeWeak(&wa, 0, 1); if r.exchanged { _ = r.old_value; }",
      "workgroupBarrier(); storageBarrier();",
      "let x = workgroupUniformLoad(&wg); _ = x[0];",
      "let x = workgroupUniformLoad(&wa); _ = x;",
  });
  ExpectBodiesRejected({
      {"_ = nothing();", "1:5: this call returns no value"},
      {"_ = atomicLoad(wa);", "1:16: an atomic cannot be read directly: use atomicLoad with '&'"},
      {"_ = atomicLoad(&wg[0]);", "1:5: no matching call to 'atomicLoad(ptr<workgroup, u32>)'"},
      {"atomicAdd(&wa, 1u);", "1:1: no matching call to 'atomicAdd(ptr<workgroup, atomic<i32>>, u32)'"},
      {"atomicAdd(&cnt[0], 1.0);",
       "1:1: no matching call to 'atomicAdd(ptr<storage, atomic<u32>, read_write>, abstract-float)'"},
      {"wa = 1;", "1:1: cannot assign to a place of type 'atomic<i32>': use atomicStore"},
      {"wa += 1;", "1:1: cannot assign to a place of type 'atomic<i32>': use atomicStore"},
      {"let r = atomicCompareExchangeWeak(&wa, 0, 1); _ = r.nope;",
       "1:53: structure '__atomic_compare_exchange_result_i32' has no member 'nope'"},
      {"let x = workgroupBarrier();", "1:9: this call returns no value"},
      {"let x = workgroupUniformLoad(&pv.a);",
       "1:9: no matching call to 'workgroupUniformLoad(ptr<private, i32>)'"},
  });
}

TEST(ResolveBody, PointersToFunctions) {
  ExpectBodiesAccepted({
      "_ = arrayLength(&ro.tail);",
      "var x = 1; viaptr(&x);",
      "var x = S(); viaptr(&x.a); var y = array(1, 2); viaptr(&y[i]);",
  });
  ExpectBodiesRejected({
      {"_ = arrayLength(rw.tail);",
       "1:17: a value of type 'array<vec4<f32>>' cannot be read as a whole: it has a runtime-sized array"},
      {"_ = arrayLength(&wg);", "1:5: no matching call to 'arrayLength(ptr<workgroup, array<u32, 16>>)'"},
      {"var x = 1; viaptr(x);",
       "1:19: argument 1 of 'viaptr' must be of type 'ptr<function, i32>', not 'i32'"},
      {"var x = 1u; viaptr(&x);",
       "1:20: argument 1 of 'viaptr' must be of type 'ptr<function, i32>', not 'ptr<function, u32>'"},
      {"viaptr(&pv.a);",
       "1:8: argument 1 of 'viaptr' must be of type 'ptr<function, i32>', not 'ptr<private, i32>'"},
  });
}

TEST(ResolveBody, Constructors) {
  ExpectBodiesAccepted({
      "let x = S(1, vec3f(), array(1.0, 2, 3, 4)); _ = x;",
      "let x = vec3(1, 2, 3); let y: vec3i = x; _ = y;",
      "let x: vec3f = vec3(1, 2, 3); _ = x;",
      "let x = vec4(v, 1); let y = vec4(1, v.yz, 2); let z = vec4f(v.xy, v.xy); _ = x; _ = y; _ = z;",
      "let x = vec3f(vec3i(1, 2, 3)); let y = vec3<bool>(v); _ = x; _ = y;",
      "let x = vec3(f); let y = vec3f(1); _ = x; _ = y;",
      "let x = mat2x2(1, 2, 3, 4); let y = mat2x2f(vec2f(), vec2f()); let z = mat3x2(m); _ = x; _ = y; _ = "
      "z;",
      "let x = bool(f); let y = f32(b); let z = u32(-1i); _ = x; _ = y; _ = z;",
      "let x = array<i32, 2>(1, 2); _ = x;",
  });
  ExpectBodiesRejected({
      {"let x = S(1, vec3f());", "1:9: 'S' takes 3 arguments, not 2"},
      {"let x = S(1, vec3i(), array(1.0, 2, 3, 4));",
       "1:14: argument 2 of 'S' must be of type 'vec3<f32>', not 'vec3<i32>'"},
      {"let x = R();", "1:9: type 'R' cannot be constructed"},
      {"let x = R(1, array(vec4f()));", "1:9: type 'R' cannot be constructed"},
      {"let x = vec4(v, v);", "1:9: cannot construct 'vec4<f32>' from (vec3<f32>, vec3<f32>)"},
      {"let x = vec4(v, 1i);", "1:9: cannot construct 'vec4' from (vec3<f32>, i32)"},
      {"let x = vec3(1, 2);", "1:9: cannot construct 'vec3<abstract-int>' from (abstract-int, abstract-int)"},
      {"let x = vec3(1, 2, 3, 4);",
       "1:9: cannot construct 'vec3<abstract-int>' from (abstract-int, abstract-int, abstract-int, "
       "abstract-int)"},
      {"let x = vec2(1, true);", "1:9: cannot construct 'vec2' from (abstract-int, bool)"},
      {"let x = vec3f(true, 1, 1);",
       "1:9: cannot construct 'vec3<f32>' from (bool, abstract-int, abstract-int)"},
      {"let x = vec3f(vec2f());", "1:9: cannot construct 'vec3<f32>' from (vec2<f32>)"},
      {"let x = mat2x2(1, 2, 3);",
       "1:9: cannot construct 'mat2x2<abstract-float>' from (abstract-int, abstract-int, abstract-int)"},
      {"let x = mat2x2f(m);", "1:9: cannot construct 'mat2x2<f32>' from (mat3x2<f32>)"},
      {"let x = mat2x2(1i, 2i, 3i, 4i);", "1:9: cannot construct 'mat2x2' from (i32, i32, i32, i32)"},
      {"let x = mat2x2<i32>();", "1:16: the components of a matrix must be 'f32' or 'f16', not 'i32'"},
      {"let x = vec2<vec2f>();", "1:14: the components of a vector must be numbers or bool, not 'vec2<f32>'"},
      {"let z = u32(-1);", "1:9: value -1 cannot be represented as 'u32', which holds 0 to 4294967295"},
      {"let x = f32(v);", "1:9: cannot construct 'f32' from (vec3<f32>)"},
      {"let x = f32(1, 2);", "1:9: cannot construct 'f32' from (abstract-int, abstract-int)"},
      {"let x = array<i32, 2>(1);", "1:9: 'array<i32, 2>' needs 2 elements, not 1"},
      {"let x = array<i32, 2>(1, 2.5);",
       "1:26: the elements of this array are of type 'i32', not 'abstract-float'"},
      {"let x = array();", "1:9: 'array' needs template arguments here, as in 'array<...>'"},
      {"let x = atomic<u32>();", "1:9: type 'atomic<u32>' cannot be constructed"},
      {"let x = atomic<f32>();", "1:16: 'atomic' only supports 'i32', 'u32' or 'vec2u' types"},
      {"let x = ptr<function, i32>();", "1:9: type 'ptr<function, i32>' cannot be constructed"},
  });
}

TEST(ResolveBody, Builtins) {
  ExpectBodiesAccepted({
      "let x = bitcast<u32>(f); let y = bitcast<vec3u>(v); let z = bitcast<f32>(1); _ = x; _ = y; _ = z;",
      "let x = clamp(f, 0, 1); let y = max(u, 1); let z = mix(v, v, 0.5); _ = x; _ = y; _ = z;",
      "let x = select(1, 2, b); let y = select(v, v * 2, v > vec3f()); _ = x; _ = y;",
      "let x = frexp(f).exp; let y = modf(v).whole; let z = frexp(1.5); _ = x; _ = y; _ = z.fract;",
      "let x = ldexp(f, 2); let y = ldexp(1.0, i); _ = x; _ = y;",
  });
  ExpectBodiesRejected({
      {"let x = bitcast(f);", "1:9: 'bitcast' needs the type to convert to, as in 'bitcast<u32>(...)'"},
      {"let x = bitcast<vec2u>(v);", "1:9: no matching call to 'bitcast<vec2<u32>>(vec3<f32>)'"},
      {"let x = bitcast<bool>(f);", "1:9: no matching call to 'bitcast<bool>(f32)'"},
      {"let x = min<f32>(1, 2);", "1:9: builtin function 'min' takes no template arguments"},
      {"let x = min(1u, 2i);", "1:9: no matching call to 'min(u32, i32)'"},
      {"let x = min(f, i);", "1:9: no matching call to 'min(f32, i32)'"},
      {"let x = clamp(f, u, u);", "1:9: no matching call to 'clamp(f32, u32, u32)'"},
      {"let x = sin(i);", "1:9: no matching call to 'sin(i32)'"},
      {"let x = sin();", "1:9: no matching call to 'sin()'"},
      {"let x = dot(v, v.xy);", "1:9: no matching call to 'dot(vec3<f32>, vec2<f32>)'"},
      {"let x = cross(v.xy, v.xy);", "1:9: no matching call to 'cross(vec2<f32>, vec2<f32>)'"},
      {"let x = select(1, 2u, 3);", "1:9: no matching call to 'select(abstract-int, u32, abstract-int)'"},
      {"let x = select(v, v, vec2<bool>());",
       "1:9: no matching call to 'select(vec3<f32>, vec3<f32>, vec2<bool>)'"},
      {"let x = ldexp(f, 2u);", "1:9: no matching call to 'ldexp(f32, u32)'"},
  });
}

TEST(ResolveBody, Operators) {
  ExpectBodiesAccepted({
      "let x = transpose(m) * v.xy; let y = m * v; let z = v.xy * m; _ = x; _ = y; _ = z;",
      "let x = m + m; let y = m * 2; let z = 2 * m; _ = x; _ = y; _ = z;",
      "let x = v + 1; let y = 1 - v; let z = v * f; _ = x; _ = y; _ = z;",
      "let x = (b & b) | b; let y = (i & 3) | (4 & i); _ = x; _ = y;",
      "let x = ~i; let y = -v; let z = !b; _ = x; _ = y; _ = z;",
      "let x = 1 << u; let y: i32 = x; _ = y;",
      "let x = i << 31u; _ = x;",
      "let x = f / 0; _ = x;",
      "let x = b == b; let y = v == v; let z: vec3<bool> = y; _ = x; _ = z;",
  });
  ExpectBodiesRejected({
      {"let x = m * v.xy;", "1:11: operator '*' does not take 'mat3x2<f32>' and 'vec2<f32>'"},
      {"let x = v * m;", "1:11: operator '*' does not take 'vec3<f32>' and 'mat3x2<f32>'"},
      {"let x = m + 1;", "1:11: operator '+' does not take 'mat3x2<f32>' and 'abstract-int'"},
      {"let x = m / 2;", "1:11: operator '/' does not take 'mat3x2<f32>' and 'abstract-int'"},
      {"let x = v + 1i;", "1:11: operator '+' does not take 'vec3<f32>' and 'i32'"},
      {"let x = i + u;", "1:11: operator '+' does not take 'i32' and 'u32'"},
      {"let x = i + f;", "1:11: operator '+' does not take 'i32' and 'f32'"},
      {"let x = i + b;", "1:11: operator '+' does not take 'i32' and 'bool'"},
      {"let x = b + b;", "1:11: operator '+' does not take 'bool' and 'bool'"},
      {"let x = b & b | b; _ = x;", "1:15: mixing '&' and '|' requires parentheses"},
      {"let x = f & f;", "1:11: operator '&' does not take 'f32' and 'f32'"},
      {"let x = b ^ b;", "1:11: operator '^' does not take 'bool' and 'bool'"},
      {"let x = !i;", "1:9: operator '!' does not take 'i32'"},
      {"let x = -u;", "1:9: operator '-' does not take 'u32': unsigned numbers have no negative values"},
      {"let x = -b;", "1:9: operator '-' does not take 'bool'"},
      {"let x = ~f;", "1:9: operator '~' does not take 'f32'"},
      {"let x = i << i;", "1:11: operator '<<' does not take 'i32' and 'i32'"},
      {"let x = i << 32u;", "1:14: shift by 32 is too far: 'i32' has 32 bits"},
      {"let x = v << 1;", "1:11: operator '<<' does not take 'vec3<f32>' and 'abstract-int'"},
      {"let x = i / 0;", "1:13: division by zero"},
      {"let x = i % 0;", "1:13: remainder of a division by zero"},
      {"let x = 1 / 0;", "1:9: division by zero"},
      {"let x = 1.0 / 0;", "1:9: division by zero"},
      {"let x = ov / 0;", "1:14: division by zero"},
      {"i = 5;", "1:1: cannot assign to parameter 'i': copy it to a 'var' of another name to change it"},
      {"let x = i / vec2i(1, 0);", "1:13: division by zero"},
      {"let x = i == 1 && u > 2 || b;", "1:25: mixing '&&' and '||' requires parentheses"},
      {"let x = i == 1 && u > 2 || f;", "1:25: mixing '&&' and '||' requires parentheses"},
      {"let x = i == u;", "1:11: operator '==' does not take 'i32' and 'u32'"},
      {"let x = b < b;", "1:11: operator '<' does not take 'bool' and 'bool'"},
  });
}

}  // namespace
}  // namespace lockstep::wgsl

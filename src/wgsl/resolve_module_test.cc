// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Module-scope declarations: what is accepted, and exactly how what is not is reported.
#include "wgsl/resolve_test_util.h"

namespace lockstep::wgsl {
namespace {

TEST(ResolveModule, OrderAndCycles) {
  ExpectAccepted({
      "const a = 1; const b = a + c; const c = 2; const_assert b == 3;",
  });
  ExpectRejected({
      {"const a = b; const b = a;",
       "1:24: declarations must not depend on each other in a circle: 'a' uses 'b' uses 'a'"},
      {"const a = a;", "1:11: declarations must not depend on each other in a circle: 'a' uses 'a'"},
      {"fn f() { f(); }", "1:10: recursion is not allowed: 'f' calls 'f'"},
      {"fn f() { g(); } fn g() { f(); }", "1:26: recursion is not allowed: 'f' calls 'g' calls 'f'"},
      {"struct S { a: S }", "1:15: declarations must not depend on each other in a circle: 'S' uses 'S'"},
      {"struct S { a: T } struct T { a: array<S, 2> }",
       "1:39: declarations must not depend on each other in a circle: 'S' uses 'T' uses 'S'"},
      {"alias A = B; alias B = A;",
       "1:24: declarations must not depend on each other in a circle: 'A' uses 'B' uses 'A'"},
  });
}

TEST(ResolveModule, NamesOfTheModule) {
  ExpectAccepted({
      "fn f(f: i32) -> i32 { return f; }",
      // A parameter is in scope in the body alone: WGSL #declaration-and-scope.
      "alias foo = f32; fn f(foo: foo) -> foo { return foo; }",
      "fn f(f: i32, i32: i32, t: i32) -> i32 { return i32; }",
      "struct vec2f { x: i32 } fn f(vec2f: vec2f, b: vec2f) -> i32 { return vec2f.x + b.x; }",
      "const n = 4; fn f(n: ptr<function, array<u32, n>>, b: ptr<function, array<u32, n>>) -> "
      "array<u32, n> { return *n; }",
      "fn a() -> i32 { let a = 1; return a; }",
      "alias i = i32; alias arr = array<i, 3>; const x = arr(1, 2, 3); const y: i = x[2];",
      "const min = 3; fn f() -> i32 { return min; }",
      "alias f32 = i32; const x: f32 = 1i;",
      "struct vec3 { x: i32 } const a = vec3(1).x;",
  });
  ExpectRejected({
      {"fn f() { textureBarrier(); }",
       "1:10: 'textureBarrier' belongs to the language feature 'readonly_and_readwrite_storage_textures', "
       "which is not offered"},
      {"const a = 1; const a = 2;", "1:20: redeclaration of 'a'"},
      {"fn f() {} var<private> f: i32;", "1:24: redeclaration of 'f'"},
      {"fn f(a: i32, a: i32) {}", "1:14: redeclaration of 'a'"},
      {"fn f(a: i32) { let a = 1; }", "1:20: redeclaration of 'a'"},
      {"const a = 1; fn f() -> a { }", "1:24: 'const a' is not a type"},
      {"const min = 3; fn f() -> i32 { return min(1, 2); }", "1:39: 'const min' cannot be called"},
      {"const storage = 1; @group(0) @binding(0) var<storage> x: i32;",
       "1:46: 'const storage' is not an address space"},
      {"const read = 1; @group(0) @binding(0) var<storage, read> x: i32;",
       "1:52: 'const read' is not an access mode: use 'read' or 'read_write'"},
  });
}

// Flat table.
TEST(ResolveModule, ModuleVariables) {
  ExpectAccepted({
      "var<private> x = 1; var<private> y: f32 = 1; var<private> z: array<vec2f, 4>;",
      "override o = 1; var<private> x: i32 = o + 1;",
      "@group(0) @binding(0) var<uniform> x: i32;",
      "@group(0) @binding(0) var<storage, read_write> x: atomic<u32>;",
      "const g = 1; @group(g) @binding(g + 1) var<storage> x: u32;",
      "override n = 4; var<workgroup> x: array<u32, n>; var<workgroup> y: array<u32, n * 2>; "
      "var<workgroup> z: array<atomic<u32>, n>;",
      "override n = 4; alias A = array<u32, n>; var<workgroup> x: A; fn f(p: ptr<workgroup, array<u32, "
      "n>>) { p[0] = 1; } fn g() { f(&x); }",
  });
  ExpectRejected({
      {"let x = 1;",
       "1:1: 'let' can only be declared in a function: use 'const' or 'override' at module scope"},
      {"var x: i32;",
       "1:5: variable 'x' needs an address space at module scope, such as var<private> or var<storage>"},
      {"var<private> x;", "1:14: 'x' needs a type or an initializer"},
      {"var<private> x: i32 = y; var<private> y: i32;",
       "1:23: the initializer of a 'private' variable must be a const- or override-expression, but this is "
       "a runtime expression"},
      {"var<workgroup> x: i32 = 1;",
       "1:25: a variable of address space 'workgroup' cannot have an initializer"},
      {"var<function> x: i32;", "1:5: a variable of address space 'function' must be declared in a function"},
      {"var<handle> x: i32;", "1:5: unknown address space 'handle'"},
      {"var<uniform> x: i32;", "1:14: uniform variable 'x' needs both @group and @binding"},
      {"@group(0) var<uniform> x: i32;", "1:24: uniform variable 'x' needs both @group and @binding"},
      {"@binding(0) var<uniform> x: i32;", "1:26: uniform variable 'x' needs both @group and @binding"},
      {"@group(0) @binding(0) var<uniform> x: i32 = 1;",
       "1:45: a variable of address space 'uniform' cannot have an initializer"},
      {"@group(0) @binding(0) var<uniform> x: array<i32>;",
       "1:39: a 'uniform' variable cannot be of type 'array<i32>': a runtime-sized array lives in a "
       "'storage' buffer only"},
      {"@group(0) @binding(0) var<uniform> x: bool;",
       "1:39: a 'uniform' variable cannot be of type 'bool': 'bool' has no defined size in a buffer: use "
       "'u32'"},
      {"@group(0) @binding(0) var<uniform> x: atomic<u32>;",
       "1:39: a 'uniform' variable cannot be of type 'atomic<u32>': atomics need read_write access, which "
       "a 'uniform' buffer does not have"},
      {"@group(0) @binding(0) var<storage> x: atomic<u32>;",
       "1:39: a 'storage' variable cannot be of type 'atomic<u32>': atomics need read_write access, as in "
       "'var<storage, read_write>'"},
      {"@group(0) @binding(0) var<storage, write> x: u32;",
       "1:36: access mode 'write' is not for buffers: use 'read_write'"},
      {"@group(0) @binding(0) var<storage, read_write> x: vec3<bool>;",
       "1:51: a 'storage' variable cannot be of type 'vec3<bool>': 'bool' has no defined size in a buffer: "
       "use 'u32'"},
      {"@group(0) @binding(0) var<uniform, read> x: u32;",
       "1:36: only the address space 'storage' takes an access mode"},
      {"@group(0) @binding(0) var<private> x: u32;",
       "1:1: @group is only for 'uniform' and 'storage' variables, textures and samplers"},
      {"@group(-1) @binding(0) var<storage> x: u32;", "1:8: @group must not be negative, but is -1"},
      {"@group(0) @binding(1.5) var<storage> x: u32;",
       "1:20: the argument of '@binding' must be an 'i32' or 'u32', not 'abstract-float'"},
      {"@group(0) @group(0) @binding(0) var<storage> x: u32;", "1:11: @group is given twice"},
      {"override g = 1; @group(g) @binding(0) var<storage> x: u32;",
       "1:24: the argument of '@group' must be a const-expression, but this is an override-expression"},
      {"var<private> x: atomic<u32>;",
       "1:17: a 'private' variable cannot be of type 'atomic<u32>': atomics live in 'workgroup' variables "
       "and read_write 'storage' buffers only"},
      {"var<private> x: array<u32>;",
       "1:17: a 'private' variable cannot be of type 'array<u32>': a runtime-sized array lives in a "
       "'storage' buffer only"},
      {"override n = 4; var<private> x: array<u32, n>;",
       "1:33: a 'private' variable cannot be of type 'array<u32, n>': only a 'workgroup' variable can be "
       "an array whose size is an override-expression"},
      {"override n = 4; var<workgroup> x: array<array<u32, n>, 2>;",
       "1:41: an array whose size is an override-expression cannot be part of another type"},
      {"override n = 4; struct S { a: array<u32, n> }",
       "1:31: an array whose size is an override-expression cannot be part of another type"},
      {"override n = 4; @group(0) @binding(0) var<storage> x: array<u32, n>;",
       "1:55: a 'storage' variable cannot be of type 'array<u32, n>': only a 'workgroup' variable can be "
       "an array whose size is an override-expression"},
      {"override n = 4.5; var<workgroup> x: array<u32, n>;",
       "1:48: the element count of an array must be an integer, not 'f32'"},
      {"override n = 4; var<workgroup> x: array<u32, (n)>; fn f(p: ptr<workgroup, array<u32, n>>) { } fn "
       "g() { f(&x); }",
       "1:106: argument 1 of 'f' must be of type 'ptr<workgroup, array<u32, n>>', not 'ptr<workgroup, "
       "array<u32, (n)>>'"},
      {"override n = 4; var<workgroup> x: array<u32, n>; fn f() { var y = x; }",
       "1:67: a value of type 'array<u32, n>' cannot be read as a whole: it is sized by an "
       "override-expression"},
      {"override n = 4; fn f() { let y = array<u32, n>(); }",
       "1:34: type 'array<u32, n>' cannot be constructed"},
      {"var<workgroup> x: array<u32>;",
       "1:19: a 'workgroup' variable cannot be of type 'array<u32>': a runtime-sized array lives in a "
       "'storage' buffer only"},
      {"var<private> x: ptr<function, i32>;",
       "1:17: a 'private' variable cannot be of type 'ptr<function, i32>': a pointer cannot be stored"},
      {"var<storage, read_write, 3> x: u32;", "1:26: 'var' takes 1 or 2 template arguments, not 3"},
      {"var<1> x: u32;", "1:5: this expression is not an address space"},
      {"var<i32> x: u32;", "1:5: type 'i32' is not an address space"},
      {"var<storagee> x: u32;", "1:5: unknown address space 'storagee', did you mean 'storage'?"},
  });
}

TEST(ResolveModule, Overrides) {
  ExpectAccepted({
      "@id(1) override o: f32; @id(2) override p = true; override q = p; override r: u32 = 1;",
      "override a = 0; override b = 1 / a;",
  });
  ExpectRejected({
      {"override o: vec2f;", "1:13: an override must be a scalar: bool, i32, u32 or f32, not 'vec2<f32>'"},
      {"override o = vec2(1, 2);",
       "1:10: an override must be a scalar: bool, i32, u32 or f32, not 'vec2<i32>'"},
      {"@id(1) override o = 1; @id(1) override p = 2;", "1:24: @id(1) is used twice"},
      {"@id(65536) override o = 1;", "1:5: @id must be between 0 and 65535, not 65536"},
      {"@id(-1) override o = 1;", "1:5: @id must be between 0 and 65535, not -1"},
      {"override o = x; var<private> x: i32;",
       "1:14: the initializer of an 'override' must be a const- or override-expression, but this is a "
       "runtime expression"},
      {"override o: i32 = 1.5;",
       "1:19: cannot initialize 'o' of type 'i32' with a value of type 'abstract-float'"},
      {"override o = p; override p = o;",
       "1:30: declarations must not depend on each other in a circle: 'o' uses 'p' uses 'o'"},
      {"@id(1) const c = 1;", "1:1: attributes are not allowed on 'const' declarations"},
      {"@id(1) var<private> c = 1;", "1:1: @id is not valid on a variable"},
      {"override o = 1 / 0;", "1:14: division by zero"},
      {"override a = 0; override b = a / 0;", "1:34: division by zero"},
  });
}

TEST(ResolveModule, Structures) {
  ExpectAccepted({
      "struct S { a: i32, @align(16) b: f32, @size(32) c: vec3f, d: array<u32> }",
      "struct S { a: bool } var<private> s: S; var<workgroup> t: S;",
  });
  ExpectRejected({
      {"struct S { a: i32, a: f32 }", "1:20: two members are named 'a'"},
      {"struct S { @align(3) a: i32 }", "1:19: @align must be a positive power of 2, not 3"},
      {"struct S { @align(2) a: i32 }",
       "1:19: @align(2) is not a multiple of the 4 bytes to which 'i32' must be aligned"},
      {"struct S { @align(0) a: i32 }", "1:19: @align must be a positive power of 2, not 0"},
      {"struct S { @size(2) a: i32 }", "1:18: @size(2) is less than the 4 bytes that 'i32' takes"},
      {"struct S { @size(-1) a: i32 }", "1:18: @size must be positive and at most 2147483648, not -1"},
      {"struct S { @align(16u) @align(16) a: i32 }", "1:24: @align is given twice"},
      {"struct S { a: array<u32>, b: u32 }",
       "1:15: a runtime-sized array must be the last member of a structure"},
      {"struct S { a: array<u32> } struct T { b: S }", "1:42: a structure cannot have a member of type 'S'"},
      {"struct S { a: array<u32> } var<private> x: array<S, 2>;",
       "1:50: an array cannot have elements of type 'S'"},
      {"struct S { @size(64) a: array<u32> }",
       "1:12: @size cannot be given to a member without a fixed size"},
      {"struct S { a: ptr<function, i32> }",
       "1:15: a structure cannot have a member of type 'ptr<function, i32>'"},
      {"struct S { a: sampler }", "1:15: a structure cannot have a member of type 'sampler'"},
      {"struct S { a: texture_2d<f32> }", "1:15: a structure cannot have a member of type 'texture_2d<f32>'"},
      {"struct S { a: nosuch }", "1:15: unresolved name 'nosuch'"},
      {"struct S { a: i32 } const x = S;",
       "1:31: type 'S' is not a value: to construct one write '(...)' after it"},
      {"struct S { a: i32 } const x = S(1).b;", "1:36: structure 'S' has no member 'b'"},
      {"struct S { a: bool } @group(0) @binding(0) var<uniform> s: S;",
       "1:60: a 'uniform' variable cannot be of type 'S': 'bool' has no defined size in a buffer: use 'u32'"},
      {"struct S { @group(0) a: i32 }", "1:12: @group is not valid on a structure member"},
      {"struct S { @nosuch a: i32 }", "1:12: unknown attribute '@nosuch'"},
      {"struct S { @aling(16) a: i32 }", "1:12: unknown attribute '@aling', did you mean '@align'?"},
  });
}

TEST(ResolveModule, TypeExpressions) {
  ExpectAccepted({
      "var<private> x: array<u32, 10>; const n = 4u; alias A = array<array<f32, n>, n>;",
      "alias A = atomic<i32>;",
      "alias A = ptr<storage, array<u32>, read_write>;",
  });
  ExpectRejected({
      {"var<private> x: array<u32, 1073741824>;",
       "1:17: an array of 1073741824 elements of 4 bytes is larger than 4294967295 bytes"},
      {"alias A = array<u32, 1073741824>;",
       "1:11: an array of 1073741824 elements of 4 bytes is larger than 4294967295 bytes"},
      {"struct S { a: array<u32, 1073741823>, b: vec4u, c: u32 }",
       "1:8: structure 'S' is larger than 4294967295 bytes"},
      {"alias A = "
       "array<array<array<array<array<array<array<array<array<array<array<array<array<array<array<array<u32,"
       "1>,1>,1>,1>,1>,1>,1>,1>,1>,1>,1>,1>,1>,1>,1>,1>;",
       "1:11: a type nests more than 15 levels deep"},
      {"alias A = vec2<array<u32, 2>>;",
       "1:16: the components of a vector must be numbers or bool, not 'array<u32, 2>'"},
      {"alias A = vec2<u32, u32>;", "1:11: 'vec2' takes 1 template argument, not 2"},
      {"alias A = vec2<2>;", "1:16: expected a type"},
      {"alias A = mat2x2<i32>;", "1:18: the components of a matrix must be 'f32' or 'f16', not 'i32'"},
      {"alias A = mat2x2;", "1:11: 'mat2x2' needs template arguments here, as in 'mat2x2<...>'"},
      {"alias A = array;", "1:11: 'array' needs template arguments here, as in 'array<...>'"},
      {"alias A = i32<u32>;", "1:11: type 'i32' takes no template arguments"},
      {"alias A = atomic<f32>;", "1:18: 'atomic' only supports 'i32', 'u32' or 'vec2u' types"},
      {"alias A = atomic<vec2u>;",
       "1:18: 'atomic<vec2u>' belongs to the extension 'atomic_vec2u_min_max', which is not offered"},
      {"alias A = atomic<bool>;", "1:18: 'atomic' only supports 'i32', 'u32' or 'vec2u' types"},
      {"alias A = ptr<function>;", "1:11: 'ptr' takes 2 or 3 template arguments, not 1"},
      {"alias A = ptr<function, ptr<function, i32>>;",
       "1:25: a pointer cannot point to 'ptr<function, i32>'"},
      {"alias A = ptr<private, atomic<u32>>;",
       "1:24: what a 'private' pointer points to cannot be of type 'atomic<u32>': atomics live in "
       "'workgroup' variables and read_write 'storage' buffers only"},
      {"alias A = ptr<uniform, array<u32>>;",
       "1:24: what a 'uniform' pointer points to cannot be of type 'array<u32>': a runtime-sized array "
       "lives in a 'storage' buffer only"},
      {"alias A = main; fn main() {}", "1:11: function 'main' is not a type"},
      {"alias A = f16;", "1:11: 'f16' needs 'enable f16;' and a device that offers 'shader-f16'"},
      {"alias A = vec3h;", "1:11: 'vec3h' needs 'enable f16;' and a device that offers 'shader-f16'"},
  });
}

TEST(ResolveModule, ModuleConstants) {
  ExpectAccepted({
      "const_assert(true);",
  });
  ExpectRejected({
      {"const a: i32 = 1.0;",
       "1:16: cannot initialize 'a' of type 'i32' with a value of type 'abstract-float'"},
      {"const a = b; var<private> b: i32;",
       "1:11: the initializer of a 'const' must be a const-expression, but this is a runtime expression"},
      {"const a = f(); fn f() -> i32 { return 1; }",
       "1:11: the initializer of a 'const' must be a const-expression, but this is a runtime expression"},
      {"const_assert 1 > 2;", "1:14: const_assert failed"},
      {"const_assert 1;", "1:14: the condition of 'const_assert' must be 'bool', not 'abstract-int'"},
      {"override o = true; const_assert o;",
       "1:33: the condition of const_assert must be a const-expression, but this is an override-expression"},
  });
}

TEST(ResolveModule, FunctionsAndBehaviours) {
  ExpectAccepted({
      "fn f() -> i32 { return 1; }",
      "fn f(b: bool) -> i32 { if b { return 1; } else { return 2; } }",
      "fn f(b: bool) -> i32 { loop { if b { return 1; } } }",
      "fn f(b: bool) -> i32 { switch 1 { case 1 { return 1; } default { return 2; } } }",
      "fn f(b: bool) -> i32 { return 1; let x = 2; _ = x; }",
      "fn f(b: bool) -> i32 { loop { return 1; } }",
      "fn f() -> u32 { return 1; }",
      "fn f(a: ptr<storage, array<i32>>, b: ptr<workgroup, u32>, c: ptr<uniform, vec4f>) { }",
      "@must_use fn f() -> i32 { return 1; }",
  });
  ExpectRejected({
      {"fn f() -> i32 { }", "1:17: function 'f' can reach its end without returning a value"},
      {"fn f() -> i32 { if true { return 1; } }",
       "1:39: function 'f' can reach its end without returning a value"},
      {"fn f(b: bool) -> i32 { switch 1 { case 1 { return 1; } default { break; } } }",
       "1:77: function 'f' can reach its end without returning a value"},
      {"fn f(b: bool) -> i32 { while b { return 1; } }",
       "1:46: function 'f' can reach its end without returning a value"},
      {"fn f(b: bool) -> i32 { return 1; let x: i32 = 2.5; }",
       "1:47: cannot initialize 'x' of type 'i32' with a value of type 'abstract-float'"},
      {"fn f() -> i32 { return; }", "1:17: 'return' needs a value of type 'i32'"},
      {"fn f() -> i32 { return 1u; }",
       "1:24: cannot return a value of type 'u32' from a function that returns 'i32'"},
      {"fn f() { return 1; }", "1:17: this function returns no value"},
      {"fn f() -> array<i32> { }", "1:11: a function cannot return a value of type 'array<i32>'"},
      {"fn f() -> ptr<function, i32> { }",
       "1:11: a function cannot return a value of type 'ptr<function, i32>'"},
      {"fn f(a: array<i32>) { }", "1:9: a parameter cannot be of type 'array<i32>'"},
      {"fn f(a: atomic<u32>) { }", "1:9: a parameter cannot be of type 'atomic<u32>'"},
      {"@must_use fn f() { }", "1:1: @must_use needs a function that returns a value"},
      {"@must_use(1) fn f() -> i32 { return 1; }", "1:1: @must_use takes no arguments, not 1"},
      {"@const fn f() -> i32 { return 1; }", "1:1: @const is not for user-declared functions"},
  });
}

// Flat table.
TEST(ResolveModule, EntryPoints) {
  ExpectAccepted({
      "@compute @workgroup_size(1) fn f() { }",
      "@compute @workgroup_size(1u, 1) fn f() { }",
      "override x = 4u; @compute @workgroup_size(x, x * 2, 1) fn f() { }",
      "@compute @workgroup_size(1) fn f(@builtin(local_invocation_id) a: vec3u, "
      "@builtin(local_invocation_index) b: u32, @builtin(global_invocation_id) c: vec3<u32>, "
      "@builtin(workgroup_id) d: vec3u, @builtin(num_workgroups) e: vec3u, "
      "@builtin(global_invocation_index) g: u32, @builtin(workgroup_index) h: u32) { }",
      "struct I { @builtin(local_invocation_id) a: vec3u, @builtin(workgroup_id) b: vec3u } @compute "
      "@workgroup_size(1) fn f(i: I) { _ = i.a; }",
      "struct I { @location(0) a: vec3u }",
  });
  ExpectRejected({
      {"@workgroup_size(1) fn f() { }", "1:1: @workgroup_size is only for compute entry points"},
      {"@compute fn f() { }", "1:13: compute entry point 'f' needs @workgroup_size"},
      {"@compute @workgroup_size fn f() { }", "1:10: @workgroup_size takes 1 to 3 arguments, not 0"},
      {"@compute @workgroup_size(1, 1, 1, 1) fn f() { }",
       "1:10: @workgroup_size takes 1 to 3 arguments, not 4"},
      {"@compute @workgroup_size(0) fn f() { }", "1:26: a workgroup size must be at least 1, not 0"},
      {"@compute @workgroup_size(-1) fn f() { }", "1:26: a workgroup size must be at least 1, not -1"},
      {"@compute @workgroup_size(1.5) fn f() { }",
       "1:26: a workgroup size must be an 'i32' or 'u32', not 'abstract-float'"},
      {"@compute @workgroup_size(1u, 1i) fn f() { }",
       "1:30: the workgroup sizes must be of one type: this is 'i32', the one before 'u32'"},
      {"var<private> x = 4u; @compute @workgroup_size(x) fn f() { }",
       "1:47: a workgroup size must be a const- or override-expression, but this is a runtime expression"},
      {"@compute @compute @workgroup_size(1) fn f() { }", "1:10: @compute is given twice"},
      {"@compute @vertex @workgroup_size(1) fn f() { }",
       "1:10: a function cannot be an entry point of both @compute and @vertex"},
      {"@compute @workgroup_size(1) fn f() -> i32 { return 1; }",
       "1:39: compute entry point 'f' must not return a value"},
      {"@compute @workgroup_size(1) fn f() { } fn g() { f(); }", "1:49: entry point 'f' cannot be called"},
      {"@compute @workgroup_size(1) fn f(@builtin(local_invocation_id) a: vec3i) { }",
       "1:64: @builtin(local_invocation_id) must be of type 'vec3<u32>', not 'vec3<i32>'"},
      {"@compute @workgroup_size(1) fn f(@builtin(local_invocation_index) a: vec3u) { }",
       "1:67: @builtin(local_invocation_index) must be of type 'u32', not 'vec3<u32>'"},
      {"@compute @workgroup_size(1) fn f(@builtin(position) a: vec4f) { }",
       "1:53: @builtin(position) is not an input of a compute entry point"},
      {"@compute @workgroup_size(1) fn f(@builtin(nosuch) a: vec4f) { }",
       "1:43: unknown built-in value 'nosuch'"},
      {"@compute @workgroup_size(1) fn f(@builtin(global_invocation_ix) a: vec3u) { }",
       "1:43: unknown built-in value 'global_invocation_ix', did you mean 'global_invocation_id'?"},
      {"@compute @workgroup_size(1) fn f(a: vec4f) { }", "1:34: entry point input 'a' needs @builtin"},
      {"@compute @workgroup_size(1) fn f(@location(0) a: vec4f) { }",
       "1:34: @location is not for the inputs of a compute entry point"},
      {"@compute @workgroup_size(1) fn f(@builtin(local_invocation_id) a: vec3u, "
       "@builtin(local_invocation_id) b: vec3u) { }",
       "1:104: @builtin(local_invocation_id) is an input twice"},
      {"@compute @workgroup_size(1) fn f(@builtin(subgroup_size) a: u32) { }",
       "1:43: built-in value 'subgroup_size' needs 'enable subgroups;'"},
      {"struct I { @builtin(local_invocation_id) a: vec3u, b: vec3u } @compute @workgroup_size(1) fn f(i: "
       "I) { _ = i.a; }",
       "1:52: entry point input 'b' needs @builtin"},
      {"struct I { @builtin(local_invocation_id) a: vec3u } @compute @workgroup_size(1) fn f(i: I, "
       "@builtin(local_invocation_id) b: vec3u) { _ = i.a; }",
       "1:122: @builtin(local_invocation_id) is an input twice"},
      {"fn f(@builtin(local_invocation_id) a: vec3u) { }",
       "1:6: @builtin is only for entry points, and 'f' is none"},
      {"fn f() -> @location(0) vec4f { return vec4f(); }",
       "1:11: @location is only for entry points, and 'f' is none"},
  });
}

TEST(ResolveModule, Resources) {
  ExpectAccepted({
      "@group(0) @binding(0) var<storage> a: u32; @group(0) @binding(0) var<storage> b: u32; @compute "
      "@workgroup_size(1) fn f() { _ = a; } @compute @workgroup_size(1) fn g() { _ = b; }",
      "fn g() { discard; }",
  });
  ExpectRejected({
      {"@group(0) @binding(0) var<storage> a: u32; @group(0) @binding(0) var<storage> b: u32; @compute "
       "@workgroup_size(1) fn f() { _ = a; _ = b; }",
       "1:79: entry point 'f' uses both 'a' and 'b' at @group(0) @binding(0)"},
      {"@group(0) @binding(0) var<storage> a: u32; @group(0) @binding(0) var<storage> b: u32; fn h() { _ = "
       "b; } @compute @workgroup_size(1) fn f() { _ = a; h(); }",
       "1:79: entry point 'f' uses both 'a' and 'b' at @group(0) @binding(0)"},
      {"fn g() { discard; } @compute @workgroup_size(1) fn f() { g(); }",
       "1:10: 'discard' is only for fragment shaders"},
  });
}

TEST(ResolveModule, Directives) {
  ExpectAccepted({
      "requires pointer_composite_access, unrestricted_pointer_parameters, linear_indexing;",
      "requires swizzle_assignment, packed_4x8_integer_dot_product, uniform_buffer_standard_layout;",
      "diagnostic(off, derivative_uniformity); diagnostic(off, derivative_uniformity);",
      "diagnostic(off, derivative_uniformit);",
      "diagnostic(off, foo.bar);",
      "@diagnostic(off, foo.bar) fn f() { }",
  });
  ExpectRejected({
      {"enable f16;", "1:8: extension 'f16' needs the device feature 'shader-f16', which is not offered"},
      {"enable nosuch;", "1:8: unknown extension 'nosuch'"},
      {"enable f16, subgroup;",
       "1:8: extension 'f16' needs the device feature 'shader-f16', which is not offered; 1:13: unknown "
       "extension 'subgroup', did you mean 'subgroups'?"},
      {"requires nosuch;", "1:10: unknown language feature 'nosuch'"},
      {"requires f16;", "1:10: 'f16' is an extension: ask for it with 'enable' instead of 'requires'"},
      {"enable swizzle_assignment;",
       "1:8: 'swizzle_assignment' is a language feature: it needs no 'enable', though 'requires' may name "
       "it"},
      {"requires texture_formats_tier1;", "1:10: language feature 'texture_formats_tier1' is not offered"},
      {"diagnostic(off, derivative_uniformity); diagnostic(error, derivative_uniformity);",
       "1:59: two diagnostic filters for 'derivative_uniformity' at the same place"},
      {"diagnostic(never, derivative_uniformity);",
       "1:12: 'never' is no severity: use 'error', 'warning', 'info' or 'off'"},
      {"@diagnostic(off) fn f() { }", "1:1: @diagnostic takes 2 arguments, not 1"},
      {"@diagnostic(off, derivative_uniformity) var<private> x: i32;",
       "1:1: @diagnostic is not valid on a variable"},
  });
}

std::string Repeated(size_t count, const char* format) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += fmt::format(fmt::runtime(format), i);
  return out;
}

// WGSL #limits. Too large to be read as golden files.
TEST(ResolveModule, Limits) {
  const auto with_members = [](size_t n) { return "struct S { " + Repeated(n, "m{}: i32, ") + "}"; };
  EXPECT_EQ(ErrorsOf(with_members(1023)), "");
  EXPECT_EQ(ErrorsOf(with_members(1024)),
            "1:8: structure 'S' has 1024 members, more than the 1023 that are allowed");
  const auto with_cases = [](size_t n) {
    return "fn f(a: i32) { switch a { case " + Repeated(n, "{}, ") + "default { } } }";
  };
  EXPECT_EQ(ErrorsOf(with_cases(1022)), "");
  EXPECT_THAT(ErrorsOf(with_cases(1024)), testing::HasSubstr("more than the 1023 that are allowed"));
  const auto with_elements = [](size_t n) { return "const a = array(" + Repeated(n, "{}, ") + ");"; };
  EXPECT_EQ(ErrorsOf(with_elements(2047)), "");
  EXPECT_EQ(ErrorsOf(with_elements(2048)),
            "1:11: an array is constructed from 2048 elements, more than the 2047 that are allowed");
}

// Flat table.
TEST(ResolveModule, WholePrograms) {
  ExpectAccepted({
      "struct S { f: f32 } fn f(s: S) -> f32 { var t = s; t.f += 1; let p = &t; p.f = 2; return p.f + "
      "(*p).f; }",
      "const a = array<vec2f, 2>(vec2f(1), vec2f(2, 3)); const b = a[1].y; const_assert b == 3;",
      "const m = mat2x2f(1, 2, 3, 4) * vec2f(1, 1); const_assert m.x == 4;",
      "const x = select(1, 2, true); const y = select(vec2(1), vec2(2), vec2(true, false)); const_assert "
      "y.x == 2 && y.y == 1;",
      "struct S { a: i32, b: vec2f } const s = S(1, vec2(2, 3)); const_assert s.b.y == 3; const z = S();",
      "const x = 4; fn f() { var x = x; x++; }",
      "fn f() { for (var i = 0; i < 4; i++) { var i = 2.5; i += 1; } }",
      "const big = 0x7fffffffffffffff; const small = -0x7fffffffffffffff - 1;",
      "const a = u32(4 * 1000 * 1000 * 1000);",
      "const a = ~0; const_assert a == -1; const b = ~0u; const_assert b == 4294967295;",
      "const a = 1 << 40u;",
      "const a = 1u << 31u;",
      "var<private> a = array(1, 2.5); fn f() -> f32 { return a[0]; }",
      "var<workgroup> a: array<array<atomic<i32>, 4>, 4>; fn f() { atomicAdd(&a[1][2], 1); }",
      "struct S { a: atomic<u32>, b: u32 } var<workgroup> s: S; fn f() { atomicMax(&s.a, 2); s.b = 1; let "
      "p = &s; atomicOr(&p.a, 1); }",
      "fn f(p: ptr<workgroup, atomic<u32>>) -> u32 { return atomicLoad(p); }",
      "fn f(p: ptr<storage, atomic<u32>, read_write>) -> u32 { return atomicExchange(p, 1); }",
      "fn f(p: ptr<function, array<u32, 4>>) -> u32 { return p[3] + (*p)[2]; }",
      "fn f(p: ptr<function, vec4f>) -> vec2f { p.xy = p.zw; return p.xy; }",
      "const été = 1; const x = été;",
      "var<workgroup> t: array<f32, 16>; @compute @workgroup_size(16) fn "
      "main(@builtin(local_invocation_index) i: u32) { t[i] = f32(i); workgroupBarrier(); let s = t[15 - "
      "i]; t[i] = s; }",
  });
  ExpectRejected({
      {"const a = i32(2147483648);",
       "1:11: value 2147483648 cannot be represented as 'i32', which holds -2147483648 to 2147483647"},
      {"const a = 1u - true;", "1:14: operator '-' does not take 'u32' and 'bool'"},
      {"const a = 1 << 64u;", "1:11: '1 << 64u' cannot be represented as 'abstract-int'"},
      {"const a = 1i << 32u;", "1:11: shift by 32 is too far: 'i32' has 32 bits"},
      {"const a = 3u << 31u;", "1:11: '3u << 31u' cannot be represented as 'u32'"},
      {"const a = 1 << -1;", "1:16: value -1 cannot be represented as 'u32', which holds 0 to 4294967295"},
      {"const a = 5 % 0;", "1:11: remainder of a division by zero"},
      {"struct S { a: atomic<u32>, b: u32 } var<workgroup> s: S; fn f() { let t = s; }",
       "1:75: a value of type 'S' cannot be read as a whole: it holds atomics"},
      {"struct S { a: atomic<u32>, b: u32 } var<workgroup> s: S; fn f() { s = S(); }",
       "1:67: cannot assign to a place of type 'S'; 1:71: type 'S' cannot be constructed"},
      {"fn f(p: ptr<storage, atomic<u32>>) -> u32 { return atomicLoad(p); }",
       "1:22: what a 'storage' pointer points to cannot be of type 'atomic<u32>': atomics need read_write "
       "access, as in 'var<storage, read_write>'"},
      {"fn f(p: ptr<function, u32>) -> u32 { return p; }",
       "1:45: cannot return a value of type 'ptr<function, u32>' from a function that returns 'u32'"},
      {"fn f(p: ptr<function, u32>) -> u32 { return *p + p; }",
       "1:48: operator '+' does not take 'u32' and 'ptr<function, u32>'"},
      {"fn f(p: ptr<function, array<u32, 4>>) -> u32 { return p[4]; }",
       "1:57: index 4 is out of range for 'array<u32, 4>', which has 4 elements"},
      {"fn f(p: ptr<function, vec4f>) -> f32 { return p.q; }",
       "1:49: '.q' is not one to four of the components x, y, z, w or r, g, b, a"},
      {"fn f(p: ptr<uniform, vec4f>) { p.xy = vec2f(); }",
       "1:32: cannot write to 'p': address space 'uniform' is read-only here"},
      {"fn f() { return; g(); }", "1:18: unresolved name 'g'"},
      {"const é = 1; const x = e;", "1:24: unresolved name 'e'"},
      {"fn f() { let a = vec2f(1, 2).z; }", "1:30: there is no component 'z' in a vector of 2 components"},
      {"fn f(v: vec2f) { let a = v.b; }", "1:28: there is no component 'b' in a vector of 2 components"},
      {"fn f() { let x = array<u32, 4>; }",
       "1:18: type 'array' is not a value: to construct one write '(...)' after it"},
      {"fn f(a: u32) { if (a == 1) { let b = a; } return b; }", "1:50: unresolved name 'b'"},
      {"@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) { id.x = 1; }",
       "1:81: cannot assign to parameter 'id': copy it to a 'var' of another name to change it"},
      {"alias f = f32; alias g = f<i32>;", "1:26: type 'f' takes no template arguments"},
      {"const x = vec2<f32>;", "1:11: type 'vec2' is not a value: to construct one write '(...)' after it"},
      {"fn foo<T>() {}", "1:7: expected '(' after the name of the function"},
      {"const x: u32 = 4294967296;",
       "1:16: value 4294967296 cannot be represented as 'u32', which holds 0 to 4294967295"},
      {"const x = 1 + 2u + 3i;", "1:18: operator '+' does not take 'u32' and 'i32'"},
  });
}

}  // namespace
}  // namespace lockstep::wgsl

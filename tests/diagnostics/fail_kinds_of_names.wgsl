// lockstep check
struct S { a: i32 }
const n = 1;
fn f() { }
const a = S;
const b = f;
var<private> c: n;
fn g() { n(); }
@group(0) @binding(0) var<n> e: i32;
@group(0) @binding(0) var<storage, n> h: i32;

// lockstep check
struct S { a: i32 }
var<private> a: S<i32>;
var<private> b: array;
var<private> c: vec3;
var<private> d: vec3<f32, f32>;
var<private> e: mat2x2<f32, f32>;
fn plain() { }
fn f() { plain<i32>(); }
const g = bitcast(1);

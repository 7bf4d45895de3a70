// lockstep check
struct R { a: array<i32> }
override n = 4;
var<private> a: vec3<vec3f>;
var<private> b: mat2x2<i32>;
var<private> c: array<R, 2>;
var<private> d: array<i32, 1.5>;
var<private> e: array<i32, 0>;
var<private> f: array<vec4f, 268435456>;
var<workgroup> g: array<array<i32, n>, 2>;
var<workgroup> h: atomic<f32>;
fn i(x: i32) { var y: array<i32, x>; }
var<private> j: vec3<1>;
fn k(p: ptr<function, ptr<private, i32>>) { }

// lockstep check
struct R { tail: array<i32> }
@group(0) @binding(0) var<storage> r: R;
var<private> v: i32;
override o = 4;
const a = v;
const b = o;
override c = v;
const d: u32 = 1.5;
var<private> e;
override f;
override g = vec2f();
@id(70000) override h = 1;
@id(1) override i = 1;
@id(1) override j = 2;
const_assert 1 == 2;
const_assert 1;
fn k() { let p = r; var q: vec2f = 1; }
fn l() { var x = 1; const p: ptr<function, i32> = &x; }

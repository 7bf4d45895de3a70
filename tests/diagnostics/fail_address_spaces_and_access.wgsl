// lockstep check
struct R { a: array<i32> }
var a = 1;
var<function> b: i32;
fn f() { var<private> c: i32; }
var<private, read> d: i32;
@group(0) @binding(0) var<storage, write> e: i32;
@group(0) @binding(1) var<uniform> g: array<bool, 2>;
@group(0) @binding(2) var<storage> h: atomic<i32>;
fn i(p: ptr<function, array<i32>>) { }
fn j(p: ptr<private, void>) { }
@group(0) var<storage> k: i32;
@group(0) @binding(3) var<private> l: i32;
var<workgroup> m = 4;
var<private> o: R;
@group(0) @binding(4) var<uniform> p: R;
var<workgrup> q: i32;

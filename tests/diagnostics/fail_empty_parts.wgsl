// lockstep check
struct Empty { }
fn f(a: i32) { switch a { } }
var<private> b: vec3<>;
@workgroup_size() @compute fn g() { }

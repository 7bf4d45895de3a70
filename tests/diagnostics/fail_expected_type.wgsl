// lockstep check
var<private> a: ;
fn f(a: ) {}
var<private> c: 3;

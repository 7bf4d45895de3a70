// lockstep check
var<private> x: i32;
fn two(a: ptr<private, i32>, b: ptr<private, i32>) { *a = *b; }
fn global(a: ptr<private, i32>) { x = *a; }
fn f() {
  two(&x, &x);
  global(&x);
}

// lockstep check
fn f(a: i32) {
  switch a { let b = 1; }
}

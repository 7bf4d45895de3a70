// lockstep check
fn f() {
  if true {
}

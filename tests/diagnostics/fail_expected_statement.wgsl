// lockstep check
fn f() {
  case 1: { }
}

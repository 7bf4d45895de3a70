// lockstep check
fn f() {
  loop {
    break if true;
    continuing { }
    let a = 1;
  }
  else { }
}

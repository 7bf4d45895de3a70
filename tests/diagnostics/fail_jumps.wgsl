// lockstep check
fn f(a: bool) {
  break;
  continue;
  loop {
    if a { continue; }
    let late = a;
    continuing {
      if late { break; }
      return;
    }
  }
  loop { continuing { continue; break if a; } }
}

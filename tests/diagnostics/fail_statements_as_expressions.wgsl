// lockstep check
fn f() {
  var i = 0;
  let a = i++;
  ++i;
  let b = +i;
  i + 1;
  let c = (i = 2);
  f() = 3;
  1 = i;
}

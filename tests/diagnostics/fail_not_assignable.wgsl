// lockstep check
fn f() {
  var i = 1;
  (i + 1) = 2;
  &i += 1;
  (i)++;
  *&i = 3;
  (-i)--;
}

// lockstep check
@must_use;
@align(4) const_assert true;
fn f() { @diagnostic(off, derivative_uniformity) let x = 1; }

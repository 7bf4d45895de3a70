// lockstep check
fn f(a: i32, x: f32) {
  switch x { default { } }
  switch a { case 1u { } default { } }
  switch a { case 1, 1 { } default { } }
  switch a { default { } default { } }
  switch a { case 1 { } }
  switch a { case a { } default { } }
}

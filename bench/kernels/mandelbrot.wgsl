// How many steps until a point leaves the disc of radius 2, 256 at most: neighbouring invocations diverge.
//
// steps: 4194304 x u32
// dispatch 128 x 128

const width = 2048u;
const limit = 256u;

@group(0) @binding(0) var<storage, read_write> steps: array<u32>;

@compute @workgroup_size(16, 16)
fn mandelbrot(@builtin(global_invocation_id) global: vec3u) {
  let c = vec2f(global.xy) * (3.0 / 2048.0) - vec2f(2.25, 1.5);
  var z = vec2f(0.0);
  var n = 0u;
  while n < limit && z.x * z.x + z.y * z.y < 4.0 {
    z = vec2f(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
    n++;
  }
  steps[global.y * width + global.x] = n;
}

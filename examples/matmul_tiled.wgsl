// C = A * B for square matrices of `size` rows, row by row in memory. A workgroup computes a tile of 16x16 of C; for each step
// along the inner dimension it brings one tile of A and one of B to workgroup memory, where each number is read 16 times.
// B is twice the identity, so C must be twice A.
//
// a: 4096 x f32 = iota
// b: 4096 x f32
// c: 4096 x f32
// dispatch 16 entry make_b
// dispatch 4 x 4 entry multiply
// expect c: 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, ...

override size = 64u;
const tile = 16u;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

var<workgroup> tile_a: array<array<f32, tile>, tile>;
var<workgroup> tile_b: array<array<f32, tile>, tile>;

@compute @workgroup_size(256)
fn make_b(@builtin(global_invocation_id) global: vec3u) {
  b[global.x] = select(0.0, 2.0, global.x % (size + 1u) == 0u);
}

@compute @workgroup_size(tile, tile)
fn multiply(@builtin(global_invocation_id) global: vec3u,
            @builtin(local_invocation_id) local: vec3u) {
  var sum = 0.0;
  for (var first = 0u; first < size; first += tile) {
    tile_a[local.y][local.x] = a[global.y * size + first + local.x];
    tile_b[local.y][local.x] = b[(first + local.y) * size + global.x];
    workgroupBarrier();
    for (var k = 0u; k < tile; k++) {
      sum += tile_a[local.y][k] * tile_b[k][local.x];
    }
    workgroupBarrier();
  }
  c[global.y * size + global.x] = sum;
}

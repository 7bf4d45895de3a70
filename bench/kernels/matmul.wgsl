// C = A * B, 1024 x 1024, tiles of 16x16 in workgroup memory: the kernel of examples/matmul_tiled.wgsl at size.
//
// a: 1048576 x f32 = random -1..1 seed 1
// b: 1048576 x f32 = random -1..1 seed 2
// c: 1048576 x f32
// dispatch 64 x 64

const size = 1024u;
const tile = 16u;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

var<workgroup> tile_a: array<array<f32, tile>, tile>;
var<workgroup> tile_b: array<array<f32, tile>, tile>;

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

// A 5x5 box blur of a 64x64 picture. A workgroup blurs 16x16 pixels but needs the two pixels around them too: its tile of
// 20x20 overlaps the neighbours' (the halo), so that 256 invocations load 400 pixels. Pixels outside of the picture repeat its edge.
// The picture counts 0, 1, 2 ... in reading order, so that a blurred pixel inside equals the pixel that it replaces.
//
// source: 4096 x f32 = iota
// blurred: 4096 x f32
// dispatch 4 x 4

const width = 64;
const radius = 2;
const block = 16;
const tile_width = block + 2 * radius;

@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> blurred: array<f32>;

var<workgroup> tile: array<array<f32, tile_width>, tile_width>;

fn pixel(at: vec2i) -> f32 {
  let inside = clamp(at, vec2i(0), vec2i(width - 1));
  return source[inside.y * width + inside.x];
}

@compute @workgroup_size(block, block)
fn blur(@builtin(workgroup_id) group: vec3u,
        @builtin(local_invocation_id) local: vec3u,
        @builtin(local_invocation_index) lane: u32) {
  let corner = vec2i(group.xy) * block - radius;
  for (var i = i32(lane); i < tile_width * tile_width; i += block * block) {
    let at = vec2i(i % tile_width, i / tile_width);
    tile[at.y][at.x] = pixel(corner + at);
  }
  workgroupBarrier();

  var sum = 0.0;
  for (var y = 0u; y <= 2 * radius; y++) {
    for (var x = 0u; x <= 2 * radius; x++) {
      sum += tile[local.y + y][local.x + x];
    }
  }
  let at = group.xy * block + local.xy;
  blurred[at.y * width + at.x] = sum / 25.0;
}

// Where does each price stand among all of them? Every invocation counts the prices below its own; equal prices keep their
// order. The prices pass through workgroup memory 256 at a time, between two barriers: one that says the tile is complete,
// one that says nobody reads it any more.
//
// prices: 16384 x f32 = random 5..60 seed 7
// rank: 16384 x u32
// dispatch 64
// expect rank: 6398, 281, 14785, 9653, 7488, 4067, 7781, 5379, 2200, 6799, 1663, 15743, 15062, 14328, 14198, 9092, ...

const tile_size = 256u;

@group(0) @binding(0) var<storage, read> prices: array<f32>;
@group(0) @binding(1) var<storage, read_write> rank: array<u32>;

var<workgroup> tile: array<f32, tile_size>;

@compute @workgroup_size(tile_size)
fn rank_prices(@builtin(global_invocation_id) global: vec3u,
               @builtin(local_invocation_index) lane: u32) {
  let me = global.x;
  let price = prices[me];
  let count = arrayLength(&prices);
  var below = 0u;
  for (var first = 0u; first < count; first += tile_size) {
    tile[lane] = prices[first + lane];
    workgroupBarrier();
    for (var i = 0u; i < tile_size; i++) {
      let other = tile[i];
      below += u32(other < price || (other == price && first + i < me));
    }
    workgroupBarrier();
  }
  rank[me] = below;
}

// The price rank without tiling: every invocation reads every price straight from storage. On a machine with caches the
// difference to price_rank_tiled.wgsl is small, since all invocations read the same address at the same time.
//
// prices: 16384 x f32 = random 5..60 seed 7
// rank: 16384 x u32
// dispatch 64
// expect rank: 6398, 281, 14785, 9653, 7488, 4067, 7781, 5379, 2200, 6799, 1663, 15743, 15062, 14328, 14198, 9092, ...

@group(0) @binding(0) var<storage, read> prices: array<f32>;
@group(0) @binding(1) var<storage, read_write> rank: array<u32>;

@compute @workgroup_size(256)
fn rank_prices(@builtin(global_invocation_id) global: vec3u) {
  let me = global.x;
  let price = prices[me];
  var below = 0u;
  for (var i = 0u; i < arrayLength(&prices); i++) {
    let other = prices[i];
    below += u32(other < price || (other == price && i < me));
  }
  rank[me] = below;
}

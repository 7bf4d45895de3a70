// The rating histogram of examples/rating_histogram.wgsl on 2^26 reviews.
//
// stars: 6 x u32
// dispatch 16384

const reviews_each = 16u;

@group(0) @binding(0) var<storage, read_write> stars: array<atomic<u32>>;

var<workgroup> bins: array<atomic<u32>, 5>;

fn score(review: u32) -> u32 {
  let state = review * 747796405u + 2891336453u;
  let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
  return min(5u, 1u + (word >> 22u) % 6u);
}

@compute @workgroup_size(256)
fn count_stars(@builtin(global_invocation_id) global: vec3u,
               @builtin(local_invocation_index) lane: u32) {
  for (var i = 0u; i < reviews_each; i++) {
    atomicAdd(&bins[score(global.x * reviews_each + i) - 1u], 1u);
  }
  workgroupBarrier();
  if lane < 5u {
    let count = atomicLoad(&bins[lane]);
    atomicAdd(&stars[lane], count);
    atomicMax(&stars[5], count);
  }
}

// How many reviews gave how many stars? Counting in two levels: each workgroup counts into five bins of its own with
// workgroup atomics, then adds its bins to the result with one storage atomic each. The sixth number is the largest bin that
// any workgroup brought.
//
// stars: 6 x u32, dispatch 16

const reviews_each = 16u;

@group(0) @binding(0) var<storage, read_write> stars: array<atomic<u32>>;

var<workgroup> bins: array<atomic<u32>, 5>;

// A review's score, 1 to 5, made from its number by a small permuted congruential generator; 5 comes twice as often.
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
// expect stars: 10969, 10861, 11059, 10952, 21695, 1421

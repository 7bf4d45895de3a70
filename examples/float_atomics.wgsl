// WGSL has no atomics on floats. A sum and a maximum by compare-exchange on their bits: read, compute, try to exchange, and
// try again with the value found where another invocation was faster, or where the exchange failed for no reason at all
// (it is the weak kind). The sum of these numbers is exact in any order, since all are multiples of 0.5.
//
// samples: 2048 x f32 = iota
// result: 2 x u32
// as_float: 2 x f32
// dispatch 8 entry gather
// dispatch 1 entry publish
// expect as_float: 1048064, 1023.5

@group(0) @binding(0) var<storage, read> samples: array<f32>;
@group(0) @binding(1) var<storage, read_write> result: array<atomic<u32>, 2>;
@group(0) @binding(2) var<storage, read_write> as_float: array<f32, 2>;

fn add(value: f32) {
  var seen = atomicLoad(&result[0]);
  loop {
    let sum = bitcast<f32>(seen) + value;
    let attempt = atomicCompareExchangeWeak(&result[0], seen, bitcast<u32>(sum));
    if attempt.exchanged {
      break;
    }
    seen = attempt.old_value;
  }
}

fn raise(value: f32) {
  var seen = atomicLoad(&result[1]);
  while value > bitcast<f32>(seen) {
    let attempt = atomicCompareExchangeWeak(&result[1], seen, bitcast<u32>(value));
    if attempt.exchanged {
      break;
    }
    seen = attempt.old_value;
  }
}

@compute @workgroup_size(256)
fn gather(@builtin(global_invocation_id) global: vec3u) {
  let value = 0.5 * samples[global.x];
  add(value);
  raise(value);
}

@compute @workgroup_size(1)
fn publish() {
  as_float[0] = bitcast<f32>(atomicLoad(&result[0]));
  as_float[1] = bitcast<f32>(atomicLoad(&result[1]));
}

// Two classics on 256 numbers a workgroup. `reduce` halves the distance between partners until one sum is left; `scan` doubles
// it until every invocation holds the sum of all numbers up to its own (Hillis and Steele). Between two steps stands a barrier,
// and in the scan one more between reading and writing.
//
// numbers: 1024 x u32 = iota
// totals: 4 x u32
// running: 1024 x u32
// dispatch 4 entry reduce
// dispatch 4 entry scan
// expect totals: 32640, 98176, 163712, 229248
// expect running: 0, 1, 3, 6, 10, 15, 21, 28, 36, 45, ...

const size = 256u;

@group(0) @binding(0) var<storage, read> numbers: array<u32>;
@group(0) @binding(1) var<storage, read_write> totals: array<u32>;
@group(0) @binding(2) var<storage, read_write> running: array<u32>;

var<workgroup> cells: array<u32, size>;

@compute @workgroup_size(size)
fn reduce(@builtin(global_invocation_id) global: vec3u,
          @builtin(local_invocation_index) lane: u32,
          @builtin(workgroup_id) group: vec3u) {
  cells[lane] = numbers[global.x];
  workgroupBarrier();
  for (var half = size / 2u; half > 0u; half /= 2u) {
    if lane < half {
      cells[lane] += cells[lane + half];
    }
    workgroupBarrier();
  }
  if lane == 0u {
    totals[group.x] = cells[0];
  }
}

@compute @workgroup_size(size)
fn scan(@builtin(global_invocation_id) global: vec3u,
        @builtin(local_invocation_index) lane: u32) {
  cells[lane] = numbers[global.x];
  workgroupBarrier();
  for (var distance = 1u; distance < size; distance *= 2u) {
    var sum = cells[lane];
    if lane >= distance {
      sum += cells[lane - distance];
    }
    workgroupBarrier();
    cells[lane] = sum;
    workgroupBarrier();
  }
  running[global.x] = cells[lane];
}

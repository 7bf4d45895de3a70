// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
// The OpenCL twin of examples/price_rank_tiled.wgsl.
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void run(__global const float* prices, __global uint* rank, uint count) {
  __local float tile[256];
  const uint me = get_global_id(0);
  const uint lane = get_local_id(0);
  const float price = prices[me];
  uint below = 0;
  for (uint first = 0; first < count; first += 256) {
    tile[lane] = prices[first + lane];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 256; i++) {
      const float other = tile[i];
      below += other < price || (other == price && first + i < me);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  rank[me] = below;
}

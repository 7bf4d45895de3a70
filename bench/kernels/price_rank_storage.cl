// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
// The OpenCL twin of examples/price_rank_storage.wgsl.
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void run(__global const float* prices, __global uint* rank, uint count) {
  const uint me = get_global_id(0);
  const float price = prices[me];
  uint below = 0;
  for (uint i = 0; i < count; i++) {
    const float other = prices[i];
    below += other < price || (other == price && i < me);
  }
  rank[me] = below;
}

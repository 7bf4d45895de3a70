// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
// The OpenCL twin of examples/rating_histogram.wgsl.
uint score(uint review) {
  const uint state = review * 747796405u + 2891336453u;
  const uint word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
  return min(5u, 1u + (word >> 22) % 6u);
}
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void run(__global volatile uint* stars) {
  __local volatile uint bins[5];
  const uint lane = get_local_id(0);
  if (lane < 5) bins[lane] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint me = get_global_id(0);
  for (uint i = 0; i < 16; i++) atomic_inc(&bins[score(me * 16 + i) - 1]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane < 5) {
    const uint count = bins[lane];
    atomic_add(&stars[lane], count);
    atomic_max(&stars[5], count);
  }
}

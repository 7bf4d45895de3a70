// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
// The OpenCL twin of matmul.wgsl.
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void run(__global const float* a, __global const float* b, __global float* c) {
  __local float tile_a[16][16];
  __local float tile_b[16][16];
  const uint gx = get_global_id(0), gy = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
  float sum = 0;
  for (uint first = 0; first < 1024; first += 16) {
    tile_a[ly][lx] = a[gy * 1024 + first + lx];
    tile_b[ly][lx] = b[(first + ly) * 1024 + gx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 16; k++) sum += tile_a[ly][k] * tile_b[k][lx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[gy * 1024 + gx] = sum;
}

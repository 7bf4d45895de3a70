// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "raster/tile.h"

namespace lockstep::raster {

const TileFunctions& TileFunctionsHere() {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2) return avx2::kTileFunctions;
#endif
  return portable::kTileFunctions;
}

}  // namespace lockstep::raster

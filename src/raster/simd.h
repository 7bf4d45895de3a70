// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Eight 32-bit lanes, as GCC's and Clang's vectors. Included by the translation units that are compiled for
// one kind of processor each (LOCKSTEP_RASTER_ISA names their namespace): nothing of it may be shared between
// them, so everything is inlined always.
#pragma once

#ifndef LOCKSTEP_RASTER_ISA
#error "define LOCKSTEP_RASTER_ISA, the namespace of this kind of processor"
#endif

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace lockstep::raster::LOCKSTEP_RASTER_ISA {

#define LOCKSTEP_INLINE inline __attribute__((always_inline))

using F8 = float __attribute__((vector_size(32)));
using I8 = int32_t __attribute__((vector_size(32)));
using U8 = uint32_t __attribute__((vector_size(32)));

LOCKSTEP_INLINE F8 Splat(float v) { return F8{} + v; }
LOCKSTEP_INLINE I8 Splat(int32_t v) { return I8{} + v; }
LOCKSTEP_INLINE U8 Splat(uint32_t v) { return U8{} + v; }

// From one shape of 32 bytes to another, bits kept.
template <typename To, typename From>
LOCKSTEP_INLINE To Bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

template <typename Vector>
LOCKSTEP_INLINE Vector Load(const void* from) {
  Vector v;
  std::memcpy(&v, from, sizeof(v));
  return v;
}

template <typename Vector>
LOCKSTEP_INLINE void Store(void* to, const Vector& v) {
  std::memcpy(to, &v, sizeof(v));
}

// mask: all bits of a lane, or none.
template <typename Vector>
LOCKSTEP_INLINE Vector Select(const I8& mask, const Vector& yes, const Vector& no) {
  return Bits<Vector>((Bits<I8>(yes) & mask) | (Bits<I8>(no) & ~mask));
}

// NaN gives the second operand.
#if defined(__AVX2__)
LOCKSTEP_INLINE F8 Min(const F8& a, const F8& b) {
  return Bits<F8>(_mm256_min_ps(Bits<__m256>(a), Bits<__m256>(b)));
}
LOCKSTEP_INLINE F8 Max(const F8& a, const F8& b) {
  return Bits<F8>(_mm256_max_ps(Bits<__m256>(a), Bits<__m256>(b)));
}
#else
LOCKSTEP_INLINE F8 Min(const F8& a, const F8& b) { return Select(a < b, a, b); }
LOCKSTEP_INLINE F8 Max(const F8& a, const F8& b) { return Select(a > b, a, b); }
#endif
// NaN gives `low`.
LOCKSTEP_INLINE F8 Clamp(const F8& v, float low, float high) { return Min(Max(v, Splat(low)), Splat(high)); }
LOCKSTEP_INLINE U8 Min(const U8& a, const U8& b) { return Select(Bits<I8>(a < b), a, b); }
LOCKSTEP_INLINE I8 Min(const I8& a, const I8& b) { return Select(a < b, a, b); }
LOCKSTEP_INLINE I8 Max(const I8& a, const I8& b) { return Select(a > b, a, b); }

LOCKSTEP_INLINE F8 ToFloat(const I8& v) { return __builtin_convertvector(v, F8); }
// Truncates; out of range is undefined.
LOCKSTEP_INLINE I8 ToInt(const F8& v) { return __builtin_convertvector(v, I8); }

// Bit i: the highest bit of lane i.
LOCKSTEP_INLINE uint32_t SignBits(const I8& v) {
#if defined(__AVX2__)
  return static_cast<uint32_t>(_mm256_movemask_ps(Bits<__m256>(v)));
#elif defined(__SSE2__)
  __m128 half[2];
  std::memcpy(half, &v, sizeof(half));
  return static_cast<uint32_t>(_mm_movemask_ps(half[0]) | _mm_movemask_ps(half[1]) << 4);
#else
  uint32_t bits = 0;
  for (int i = 0; i < 8; ++i) bits |= static_cast<uint32_t>(v[i] < 0) << i;
  return bits;
#endif
}

// The lanes whose bit is set.
LOCKSTEP_INLINE I8 LanesOf(uint32_t bits) {
  const I8 each = {1, 2, 4, 8, 16, 32, 64, 128};
  return (Splat(static_cast<int32_t>(bits)) & each) != 0;
}

}  // namespace lockstep::raster::LOCKSTEP_RASTER_ISA

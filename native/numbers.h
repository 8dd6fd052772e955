/* Vectors of float32 read from numbers of 32 or 16 bits, and written to them. */
#ifndef REGARD_NUMBERS_H
#define REGARD_NUMBERS_H

#include "vectors.h"

enum { FLOAT32, BFLOAT16, INT8 };

typedef uint16_t halves __attribute__((vector_size(2 * LANES)));

INLINE int64_t bytes_of(int64_t dtype) { return dtype == BFLOAT16 ? 2 : 4; }

/* Compilers convert vectors of other widths through memory, so instructions are named. */
INLINE integers widened_integers(halves values) {
#if defined(__AVX512F__)
    return (integers)_mm512_cvtepu16_epi32((__m256i)values);
#elif defined(__AVX2__)
    return (integers)_mm256_cvtepu16_epi32((__m128i)values);
#else
    return __builtin_convertvector(values, integers);
#endif
}

/* The lower halves of numbers. */
INLINE halves lower_halves(integers values) {
#if defined(__AVX512F__)
    return (halves)_mm512_cvtepi32_epi16((__m512i)values);
#elif defined(__AVX2__)
    __m256i cut = _mm256_and_si256((__m256i)values, _mm256_set1_epi32(0xffff));
    return (halves)_mm_packus_epi32(_mm256_castsi256_si128(cut), _mm256_extracti128_si256(cut, 1));
#else
    return __builtin_convertvector(values, halves);
#endif
}

/* bfloat16 has the upper half of float32's bits. */
INLINE vector widened(halves values) { return (vector)(widened_integers(values) << 16); }

/* Rounded to the nearest, of two to the even one; NaN stays NaN. */
INLINE halves narrowed(vector values) {
    integers bits = (integers)values, rounded = bits + 0x7fff + ((bits >> 16) & 1), is_nan = values != values;
    return lower_halves(((~is_nan & rounded) | (is_nan & 0x7fc00000)) >> 16);
}

/* `dtype` is a constant where these are called, FLOAT32 or BFLOAT16. From the i-th number on, at most `count`; then zeros are read. */
INLINE vector read_numbers(const int64_t dtype, const void *from, int64_t i, int64_t count) {
    if (dtype == FLOAT32) return load_some((const float *)from + i, count);
    halves some = {0};
    if (count >= LANES) memcpy(&some, (const uint16_t *)from + i, sizeof some);
    else memcpy(&some, (const uint16_t *)from + i, count * sizeof(uint16_t));
    return widened(some);
}

INLINE void write_numbers(const int64_t dtype, void *to, int64_t i, int64_t count, vector values) {
    if (dtype == FLOAT32) {
        store_some((float *)to + i, values, count);
        return;
    }
    halves some = narrowed(values);
    if (count >= LANES) memcpy((uint16_t *)to + i, &some, sizeof some);
    else memcpy((uint16_t *)to + i, &some, count * sizeof(uint16_t));
}

#endif

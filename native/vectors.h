/* Vectors as wide as the registers of the processor that a library is compiled for, and functions of their numbers.
 *
 * A result is the same, to the last bit, whatever LANES is: sums over many numbers are 16 sums side by side (`PARTS` vectors), which
 * are added in one order, and compilers may not join a product and a sum: that is `multiply_add`, where it is wanted.
 */
#ifndef REGARD_VECTORS_H
#define REGARD_VECTORS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#if defined(__AVX512F__)
#define LANES 16
#elif defined(__AVX2__)
#define LANES 8
#else
#define LANES 4
#endif

typedef float vector __attribute__((vector_size(4 * LANES)));
typedef int32_t integers __attribute__((vector_size(4 * LANES)));
#define WIDTH 16
#define PARTS (WIDTH / LANES)
#define INLINE static inline __attribute__((always_inline))
#define EXPORT __attribute__((visibility("default")))

INLINE vector load(const float *from) {
    vector values;
    memcpy(&values, from, sizeof values);
    return values;
}

INLINE integers load_integers(const void *from) {
    integers values;
    memcpy(&values, from, sizeof values);
    return values;
}

INLINE void store(float *to, vector values) { memcpy(to, &values, sizeof values); }

/* The first `count` numbers, at most LANES, and zeros. */
INLINE vector load_some(const float *from, int64_t count) {
    if (count >= LANES) return load(from);
    float some[LANES] = {0};
    memcpy(some, from, count * sizeof(float));
    return load(some);
}

INLINE void store_some(float *to, vector values, int64_t count) {
    if (count >= LANES) store(to, values);
    else memcpy(to, &values, count * sizeof(float));
}

INLINE vector all(float value) { return value - (vector){0}; }

INLINE vector choose(integers condition, vector yes, vector no) {
    return (vector)((condition & (integers)yes) | (~condition & (integers)no));
}

/* a b + c, rounded once. */
INLINE vector multiply_add(vector a, vector b, vector c) {
#if defined(__AVX512F__)
    return (vector)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__AVX2__)
    return (vector)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__ARM_NEON)
    return (vector)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    for (int lane = 0; lane < LANES; ++lane) c[lane] = fmaf(a[lane], b[lane], c[lane]);
    return c;
#endif
}

/* The nearest whole numbers; of two, the even one. */
INLINE integers nearest(vector values) {
#if defined(__AVX512F__)
    return (integers)_mm512_cvtps_epi32((__m512)values);
#elif defined(__AVX2__)
    return (integers)_mm256_cvtps_epi32((__m256)values);
#elif defined(__ARM_NEON)
    return (integers)vcvtnq_s32_f32((float32x4_t)values);
#else
    integers whole;
    for (int lane = 0; lane < LANES; ++lane) whole[lane] = (int32_t)lrintf(values[lane]);
    return whole;
#endif
}

/* Numbers from -128 to 127 as bytes. */
INLINE void store_bytes(int8_t *to, integers values) {
#if defined(__AVX512F__)
    _mm_storeu_si128((__m128i *)to, _mm512_cvtepi32_epi8((__m512i)values));
#elif defined(__AVX2__)
    __m128i halves = _mm_packs_epi32(_mm256_castsi256_si128((__m256i)values), _mm256_extracti128_si256((__m256i)values, 1));
    _mm_storel_epi64((__m128i *)to, _mm_packs_epi16(halves, halves));
#else
    for (int lane = 0; lane < LANES; ++lane) to[lane] = (int8_t)values[lane];
#endif
}

typedef float quad __attribute__((vector_size(16)));

/* Of WIDTH numbers, halves are added until four are left, then those. */
INLINE float sum_of(const vector *sums) {
    quad parts[WIDTH / 4];
    memcpy(parts, sums, sizeof parts);
    for (int width = WIDTH / 8; width; width /= 2)
        for (int i = 0; i < width; ++i) parts[i] += parts[i + width];
    return (parts[0][0] + parts[0][2]) + (parts[0][1] + parts[0][3]);
}

/* The largest of WIDTH numbers; of NaN, nothing is said. */
INLINE float largest_of(const vector *numbers) {
    quad parts[WIDTH / 4];
    memcpy(parts, numbers, sizeof parts);
    for (int width = WIDTH / 8; width; width /= 2)
        for (int i = 0; i < width; ++i) {
            quad a = parts[i], b = parts[i + width];
            for (int lane = 0; lane < 4; ++lane) a[lane] = a[lane] > b[lane] ? a[lane] : b[lane];
            parts[i] = a;
        }
    float a = parts[0][0] > parts[0][2] ? parts[0][0] : parts[0][2], b = parts[0][1] > parts[0][3] ? parts[0][1] : parts[0][3];
    return a > b ? a : b;
}

static inline float dot(const float *a, const float *b, int64_t size) {
    vector sums[PARTS] = {{0}};
    int64_t i = 0;
    for (; i + WIDTH <= size; i += WIDTH)
        for (int part = 0; part < PARTS; ++part)
            sums[part] = multiply_add(load(a + i + part * LANES), load(b + i + part * LANES), sums[part]);
    float sum = sum_of(sums);
    for (; i < size; ++i) sum += a[i] * b[i];
    return sum;
}

/* e^x = 2^n e^r with n = round(x / log 2), so that |r| <= log 2 / 2, and e^r by its Taylor series up to r^7 / 7!.
 * Below -87.3 the result is 0 or nearly so; it never overflows for the arguments used here, which are not above 88. */
INLINE vector exponential(vector x) {
    x = choose(x < all(-87.3f), all(-87.3f), x);
    x = choose(x > all(88.0f), all(88.0f), x);
    const vector shift = all(12582912.0f); /* 1.5 * 2^23: adding it rounds to a whole number */
    vector n = multiply_add(x, all(1.44269504f), shift) - shift;
    vector r = multiply_add(n, all(-0.693145752f), x); /* log 2 in two parts, so that nothing is lost */
    r = multiply_add(n, all(-1.42860677e-6f), r);
    vector e = multiply_add(all(1.0f / 5040), r, all(1.0f / 720));
    e = multiply_add(e, r, all(1.0f / 120));
    e = multiply_add(e, r, all(1.0f / 24));
    e = multiply_add(e, r, all(1.0f / 6));
    e = multiply_add(e, r, all(0.5f));
    e = multiply_add(e, r, all(1.0f));
    e = multiply_add(e, r, all(1.0f));
    integers whole = __builtin_convertvector(n, integers);
    return e * (vector)((whole + 127) << 23);
}

#endif

/* Vectors as wide as the registers of the processor that a library is compiled for, and functions of their numbers. */
#ifndef REGARD_VECTORS_H
#define REGARD_VECTORS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
#define LANES 16
#elif defined(__AVX2__)
#define LANES 8
#else
#define LANES 4
#endif

typedef float vector __attribute__((vector_size(4 * LANES)));
typedef int32_t integers __attribute__((vector_size(4 * LANES)));
#define INLINE static inline __attribute__((always_inline))
#define EXPORT __attribute__((visibility("default")))

INLINE vector load(const float *from) {
    vector values;
    memcpy(&values, from, sizeof values);
    return values;
}

INLINE void store(float *to, vector values) { memcpy(to, &values, sizeof values); }

INLINE vector all(float value) { return value - (vector){0}; }

INLINE vector choose(integers condition, vector yes, vector no) {
    return (vector)((condition & (integers)yes) | (~condition & (integers)no));
}

typedef float quad __attribute__((vector_size(16)));

/* Halves are added until four numbers are left, then those. */
INLINE float sum_of(vector values) {
    quad parts[LANES / 4];
    memcpy(parts, &values, sizeof values);
    for (int width = LANES / 8; width; width /= 2)
        for (int i = 0; i < width; ++i) parts[i] += parts[i + width];
    return (parts[0][0] + parts[0][2]) + (parts[0][1] + parts[0][3]);
}

/* e^x = 2^n e^r with n = round(x / log 2), so that |r| <= log 2 / 2, and e^r by its Taylor series up to r^7 / 7!.
 * Below -87.3 the result is 0 or nearly so; it never overflows for the arguments used here, which are not above 88. */
INLINE vector exponential(vector x) {
    x = choose(x < all(-87.3f), all(-87.3f), x);
    x = choose(x > all(88.0f), all(88.0f), x);
    const vector shift = all(12582912.0f); /* 1.5 * 2^23: adding it rounds to a whole number */
    vector n = (x * 1.44269504f + shift) - shift;
    vector r = x - n * 0.693145752f; /* log 2 in two parts, so that nothing is lost */
    r = r - n * 1.42860677e-6f;
    vector e = all(1.0f / 5040);
    e = e * r + 1.0f / 720;
    e = e * r + 1.0f / 120;
    e = e * r + 1.0f / 24;
    e = e * r + 1.0f / 6;
    e = e * r + 0.5f;
    e = e * r + 1.0f;
    e = e * r + 1.0f;
    integers whole = __builtin_convertvector(n, integers);
    return e * (vector)((whole + 127) << 23);
}

#endif

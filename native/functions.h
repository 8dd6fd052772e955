/* Functions of single numbers: the gates of recurrent cells and the activations of layers. */
#ifndef REGARD_FUNCTIONS_H
#define REGARD_FUNCTIONS_H

#include "vectors.h"

enum { IDENTITY, RELU, GELU, GELU_TANH, SILU, TANH, QUICK_GELU };

/* erf(x) with an error below 1.5e-7. Source: Abramowitz and Stegun 1964, formula 7.1.26. */
INLINE vector error_function(vector x) {
    vector size = choose(x < all(0), -x, x), t = 1.0f / (1.0f + 0.3275911f * size);
    vector sum = multiply_add(all(1.061405429f), t, all(-1.453152027f));
    sum = multiply_add(sum, t, all(1.421413741f));
    sum = multiply_add(sum, t, all(-0.284496736f));
    sum = multiply_add(sum, t, all(0.254829592f));
    vector result = 1.0f - sum * t * exponential(-size * size);
    return choose(x < all(0), -result, result);
}

INLINE vector sigmoid(vector x) { return 1.0f / (1.0f + exponential(-x)); }

INLINE vector hyperbolic_tangent(vector x) { return 1.0f - 2.0f / (1.0f + exponential(2.0f * x)); }

/* Nearly x where x is small, and never beyond the cap. */
INLINE vector soft_capped(vector x, float cap) { return cap * hyperbolic_tangent(x * (1.0f / cap)); }

INLINE vector activated(vector x, int64_t activation) {
    switch (activation) {
        case RELU: return choose(x < all(0), all(0), x); /* NaN stays */
        case GELU: return 0.5f * x * (1.0f + error_function(x * 0.707106781f));
        case GELU_TANH: return x / (1.0f + exponential(-1.59576912f * (x + 0.044715f * x * x * x)));
        case SILU: return x / (1.0f + exponential(-x));
        case TANH: return hyperbolic_tangent(x);
        case QUICK_GELU: return x / (1.0f + exponential(-1.702f * x));
        default: return x;
    }
}

#endif

/* Linear maps, whose weights are stored in 32, 16 or 8 bits. `library.py` has the same structure. */
#ifndef REGARD_LINEAR_H
#define REGARD_LINEAR_H

#include "numbers.h"

enum { FASTEST, SCALAR, PAIRS, DOT, TILES, SQUARES }; /* how products of bytes are summed; all give the same numbers */

/* Low-rank updates of a map, of which each row has those of its adapter: y[r] += sum over k of (x[r] . down[k]) up[k]. */
typedef struct {
    int64_t num_adapters;  /* counted from 1 */
    const int64_t *ranks;  /* [num_adapters + 1]: k of adapter a goes from ranks[a - 1] to ranks[a] - 1 */
    const float *down, *up; /* [k][in], [k][out] */
} Updates;

/* y = x weight^T + bias, and the updates. The weight is packed in panels: [out / PANEL][in][PANEL], the last one filled with zeros. In bfloat16, each pair
 * of neighbours is one output of the panel's first half and one of its second, so that both are whole registers again by a shift. In
 * int8, four inputs stand together: [out / PANEL][in / 4][PANEL][4], and then 16 times 4 PANEL bytes that are read and not used. */
typedef struct {
    int64_t in, out, dtype;
    const void *weight;
    const float *bias;      /* `out` numbers, and zeros up to a whole panel; so are the next two */
    const float *scales;    /* of int8: weight[o][i] is scales[o] times the byte */
    const int32_t *offsets; /* of int8: -128 times the sum of the bytes of an output */
    int64_t kernel;         /* of int8 */
    const Updates *updates; /* NULL: there are none */
} Linear;

/* The memory that products compute in, the threads that they may use, and which updates count. */
typedef struct {
    float *room;
    int64_t num_threads;
    const int32_t *adapters; /* [row]: the number of each row's adapter, 0 for none; NULL: no row has one */
} Resources;

/* How many numbers `room` needs for a map. */
int64_t room_of_map(const Linear *map);

/* `places`: where in y each row goes; NULL: one after the other. */
void multiply_to(const Linear *map, int64_t rows, const float *x, float *y, const int64_t *places, const Resources *resources);

static inline void multiply(const Linear *map, int64_t rows, const float *x, float *y, const Resources *resources) {
    multiply_to(map, rows, x, y, 0, resources);
}

#endif

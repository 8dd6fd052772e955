/* Linear maps, whose weights are stored in 32, 16 or 8 bits. `library.py` has the same structure. */
#ifndef REGARD_LINEAR_H
#define REGARD_LINEAR_H

#include <stdint.h>

enum { FLOAT32, BFLOAT16, INT8 };
enum { FASTEST, SCALAR, PAIRS, DOT, TILES }; /* how products of bytes are summed; all give the same numbers */

/* y = x weight^T + bias. The weight is packed in panels: [out / PANEL][in][PANEL], the last one filled with zeros. In bfloat16, each pair
 * of neighbours is one output of the panel's first half and one of its second, so that both are whole registers again by a shift. In
 * int8, four inputs stand together: [out / PANEL][in / 4][PANEL][4], and then 16 times 4 PANEL bytes that are read and not used. */
typedef struct {
    int64_t in, out, dtype;
    const void *weight;
    const float *bias;      /* `out` numbers, and zeros up to a whole panel; so are the next two */
    const float *scales;    /* of int8: weight[o][i] is scales[o] times the byte */
    const int32_t *offsets; /* of int8: -128 times the sum of the bytes of an output */
    int64_t kernel;         /* of int8 */
} Linear;

/* The memory that products compute in, and the threads that they may use. */
typedef struct {
    float *room;
    int64_t num_threads;
} Resources;

/* How many numbers `room` needs for a map. */
int64_t room_of_map(const Linear *map);

/* `places`: where in y each row goes; NULL: one after the other. */
void multiply_to(const Linear *map, int64_t rows, const float *x, float *y, const int64_t *places, const Resources *resources);

static inline void multiply(const Linear *map, int64_t rows, const float *x, float *y, const Resources *resources) {
    multiply_to(map, rows, x, y, 0, resources);
}

#endif

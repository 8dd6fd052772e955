/* Products of bytes by the tiles of AMX: a sum of 64 products for each of 16 rows and 16 outputs by one instruction. */
#ifndef REGARD_TILES_H
#define REGARD_TILES_H

#include <stdint.h>

enum { TILE = 16, TILE_BYTES = 64, TILED_ROWS = 2 * TILE, TILED_OUTPUTS = 2 * TILE };

/* Whether this processor has tiles, and the system lets this process use them. */
int has_tiles(void);

/* Before the first product of a thread, and after its last. */
void begin_tiles(void);
void end_tiles(void);

/* sums[r][o] = sum over i of bytes[r][i] weights[o][i], for TILED_OUTPUTS outputs and up to TILED_ROWS rows, all of which are read.
 *
 * Args:
 *     weights: [in / 4][TILED_OUTPUTS][4], and what follows them up to a whole number of tiles, which may be anything.
 *     bytes: rows of `stride` bytes; after the last input there are zeros up to a whole number of tiles.
 */
void multiply_tiles(int64_t in, const int8_t *weights, int64_t rows, const int8_t *bytes, int64_t stride, int32_t *sums);

#endif

/* Products of bytes by the tiles of AMX.
 *
 * Source: Intel Architecture Instruction Set Extensions Programming Reference, chapter 3; Linux, Documentation/arch/x86/xstate.rst,
 * for the permission to use them.
 */
#include "tiles.h"

#if defined(__clang__)
#define KNOWS_TILES (__clang_major__ >= 12)
#else
#define KNOWS_TILES (__GNUC__ >= 11)
#endif

#if defined(__linux__) && defined(__AVX512VNNI__) && KNOWS_TILES

#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WITH_TILES __attribute__((target("amx-tile,amx-int8")))

enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18, HAS_TILES = 1 << 24, HAS_BYTE_TILES = 1 << 25 };

int has_tiles(void) {
    static int known = -1; /* what several threads may find at once is the same */
    if (known < 0) {
        unsigned int a, b, c, d = 0;
        int has = __get_cpuid_count(7, 0, &a, &b, &c, &d) && d & HAS_TILES && d & HAS_BYTE_TILES;
        known = has && !syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA);
    }
    return known;
}

/* Constant, so that it lies in memory: compilers take the instruction to read 8 bytes. */
static const struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} SIZES = {.palette = 1,
           .row_bytes = {TILE_BYTES, TILE_BYTES, TILE_BYTES, TILE_BYTES, TILE_BYTES, TILE_BYTES, TILE_BYTES, TILE_BYTES},
           .rows = {TILE, TILE, TILE, TILE, TILE, TILE, TILE, TILE}};

WITH_TILES void begin_tiles(void) { _tile_loadconfig(&SIZES); }

WITH_TILES void end_tiles(void) { _tile_release(); }

WITH_TILES void multiply_tiles(int64_t in, const int8_t *weights, int64_t rows, const int8_t *bytes, int64_t stride, int32_t *sums) {
    enum { OF_GROUP = 4 * TILED_OUTPUTS, OF_ROW = TILED_OUTPUTS * sizeof(int32_t) };
    const int8_t *lower = bytes + TILE * stride;
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int64_t i = 0; i < in; i += TILE_BYTES, weights += TILE * OF_GROUP) {
        _tile_loadd(4, weights, OF_GROUP);
        _tile_loadd(5, weights + TILE_BYTES, OF_GROUP);
        _tile_loadd(6, bytes + i, stride);
        _tile_dpbssd(0, 6, 4);
        _tile_dpbssd(1, 6, 5);
        if (rows <= TILE) continue;
        _tile_loadd(7, lower + i, stride);
        _tile_dpbssd(2, 7, 4);
        _tile_dpbssd(3, 7, 5);
    }
    _tile_stored(0, sums, OF_ROW);
    _tile_stored(1, sums + TILE, OF_ROW);
    if (rows <= TILE) return;
    _tile_stored(2, sums + TILE * TILED_OUTPUTS, OF_ROW);
    _tile_stored(3, sums + TILE * TILED_OUTPUTS + TILE, OF_ROW);
}

#else

int has_tiles(void) { return 0; }
void begin_tiles(void) {}
void end_tiles(void) {}
void multiply_tiles(int64_t in, const int8_t *weights, int64_t rows, const int8_t *bytes, int64_t stride, int32_t *sums) {
    (void)in, (void)weights, (void)rows, (void)bytes, (void)stride, (void)sums;
}

#endif

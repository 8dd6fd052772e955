/* Linear maps of few rows.
 *
 * PyTorch's matrix products are made for many rows. With the five hypotheses of one sentence they take two to five times as long as
 * the loops here.
 *
 * With weights of 32 or 16 bits, arithmetic is in float32, and each output is summed from its bias over the inputs from the first to
 * the last. With weights of 8 bits, each row of inputs is rounded to bytes, too: its largest magnitude is 127. Sums of their products
 * are whole numbers, so they are exact, and the result is the same, to the last bit, with every kernel and on every processor.
 */
#include "linear.h"

#include "threads.h"
#include "tiles.h"
#include "vectors.h"

#if defined(__AVX512F__) || defined(__ARM_NEON)
#define BLOCK 12
#else
#define BLOCK 6
#endif
#define PANEL (2 * LANES)
/* PANEL outputs are computed together, for up to BLOCK rows: as many sums as there are registers. */
#define AHEAD 512
/* Weights are fetched into the cache this many numbers before they are used. */
#define CHUNK 96
/* Rows that are rounded to bytes before the first is multiplied: whole blocks of all kernels. */
#define WORTH_TILES 4
/* Rows from which tiles are faster. */

#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)
#define HAS_DOT 1
#define FLIPS -128 /* one of the two bytes of a product has no sign */
#elif defined(__ARM_FEATURE_DOTPROD)
#define HAS_DOT 1
#define FLIPS 0
#else
#define HAS_DOT 0
#define FLIPS 0
#endif

/* Do `DO(n)` for the number of rows, a constant. */
#if BLOCK > 6
#define FOR_ROWS(count, DO)                                                                                         \
    switch (count) {                                                                                                \
        DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12)                                  \
    }
#else
#define FOR_ROWS(count, DO) \
    switch (count) { DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) }
#endif

/* PANEL outputs, or those that are left, of a row. */
INLINE void write_panel(const Linear *map, int64_t begin, float *y, int64_t row, const vector *values) {
    float *to = y + row * map->out + begin;
    int64_t left = map->out - begin;
    if (left >= PANEL) store(to, values[0]), store(to + LANES, values[1]);
    else memcpy(to, values, left * sizeof(float));
}

/* ---- Weights of 32 and 16 bits --------------------------------------------------------------------------------------------- */

/* PANEL outputs of `rows` rows, a constant. */
INLINE void float_block(const Linear *map, int64_t begin, const float *x, float *y, const int64_t *places, const int rows,
                        const int is_half) {
    const char *panel = (const char *)map->weight + begin * map->in * (is_half ? 2 : 4);
    vector sums[BLOCK][2];
    for (int r = 0; r < rows; ++r) sums[r][0] = load(map->bias + begin), sums[r][1] = load(map->bias + begin + LANES);
    for (int64_t i = 0; i < map->in; ++i) {
        vector first, second;
        if (!is_half) {
            const float *weights = (const float *)panel + i * PANEL;
            first = load(weights), second = load(weights + LANES);
            __builtin_prefetch(weights + AHEAD), __builtin_prefetch(weights + AHEAD + LANES);
        } else {
            integers pairs = load_integers((const uint16_t *)panel + i * PANEL);
            __builtin_prefetch((const uint16_t *)panel + i * PANEL + AHEAD);
            first = (vector)(pairs << 16), second = (vector)(pairs & (int32_t)0xffff0000);
        }
        for (int r = 0; r < rows; ++r) {
            vector input = all(x[r * map->in + i]);
            sums[r][0] = multiply_add(input, first, sums[r][0]), sums[r][1] = multiply_add(input, second, sums[r][1]);
        }
    }
    for (int r = 0; r < rows; ++r) write_panel(map, begin, y, places ? places[r] : r, sums[r]);
}

/* What is multiplied with what: the same for all panels. */
typedef struct {
    Linear map; /* a copy, so that the compiler knows that nothing changes it */
    int64_t rows;
    const float *x;
    float *y;
    const int64_t *places;
    const int8_t *bytes; /* of int8: the rows, rounded, */
    const float *scales; /* and their scales */
    int kernel;
} Product;

/* All panels of a product, divided among threads. */
static void share_panels(const Product *product, Items compute, int64_t num_threads) {
    const Linear *map = &product->map;
    int64_t size = map->dtype == FLOAT32 ? 4 : map->dtype == BFLOAT16 ? 2 : 1;
    int64_t work = map->in * map->out * (2 * size + product->rows) / 2; /* bytes of weights, and products */
    share_items(num_threads, work, (map->out + PANEL - 1) / PANEL, compute, product);
}

static void float_panels(const void *task, int64_t thread, int64_t first, int64_t last) {
    (void)thread;
    const Product *product = task;
    const Linear here = product->map;
    for (int64_t begin = first * PANEL; begin < here.out && begin < last * PANEL; begin += PANEL)
        for (int64_t row = 0; row < product->rows; row += BLOCK) {
            const float *inputs = product->x + row * here.in;
            float *outputs = product->places ? product->y : product->y + row * here.out;
            const int64_t *to = product->places ? product->places + row : NULL;
            int64_t count = product->rows - row < BLOCK ? product->rows - row : BLOCK;
#define OF_FLOATS(n) case n: float_block(&here, begin, inputs, outputs, to, n, 0); break;
#define OF_HALVES(n) case n: float_block(&here, begin, inputs, outputs, to, n, 1); break;
            if (here.dtype == FLOAT32) FOR_ROWS(count, OF_FLOATS)
            else FOR_ROWS(count, OF_HALVES)
        }
}

/* ---- Weights of 8 bits ----------------------------------------------------------------------------------------------------- */

/* Bytes of a row: whole tiles, and room for the last vector that is written. */
static int64_t bytes_of_row(const Linear *map) { return (map->in + LANES + TILE_BYTES - 1) / TILE_BYTES * TILE_BYTES; }

/* From one row of bytes to the next. */
INLINE int64_t stride_of(const Linear *map, int kernel) { return bytes_of_row(map) * (kernel == PAIRS ? 2 : 1); }

int64_t room_of_map(const Linear *map) {
    return map->dtype == INT8 ? CHUNK * (2 * bytes_of_row(map) / 4 + 1) : 0; /* PAIRS has magnitudes beside the bytes */
}

/* x[i] = scale byte[i], as nearly as can be, for the inputs of a row; what follows them is 0. Returns the scale.
 * `flips` are the bits that are turned round in each byte: with -128, it is 128 more, as a number without a sign. A row with a
 * number that is not finite has the scale NaN. */
static float round_row(const Linear *map, const float *x, int8_t *bytes, const int8_t flips) {
    int64_t size = map->in, i = 0;
    vector most = {0};
    integers wrong = {0};
    for (; i + LANES <= size; i += LANES) {
        vector values = load(x + i), sizes = choose(values < all(0), -values, values);
        most = choose(sizes > most, sizes, most);
        wrong |= values != values;
    }
    float largest = 0;
    int is_wrong = 0;
    for (int lane = 0; lane < LANES; ++lane) largest = most[lane] > largest ? most[lane] : largest, is_wrong |= wrong[lane] != 0;
    for (; i < size; ++i) largest = fabsf(x[i]) > largest ? fabsf(x[i]) : largest, is_wrong |= x[i] != x[i];
    float factor = 127.0f / largest;
    if (is_wrong || largest == INFINITY || factor == INFINITY) {
        memset(bytes, flips, bytes_of_row(map));
        return is_wrong || largest == INFINITY ? NAN : 0; /* what is too small to be divided by is 0 */
    }
    for (i = 0; i + LANES <= size; i += LANES) store_bytes(bytes + i, nearest(load(x + i) * factor) ^ flips);
    float rest[LANES] = {0};
    memcpy(rest, x + i, (size - i) * sizeof(float));
    store_bytes(bytes + i, nearest(load(rest) * factor) ^ flips);
    memset(bytes + i + LANES, flips, bytes_of_row(map) - i - LANES);
    return largest / 127.0f;
}

/* sum + the products of four inputs, the same for all lanes, with four weights of each lane.
 * PAIRS: inputs without their sign times weights with it, which two of are at most 2 x 127 x 127 = 32,258, so that 16 bits hold them.
 * DOT: with FLIPS, inputs are shifted by 128, as the instruction takes them without a sign; `offsets` take that away again. */
INLINE integers add_products(integers sum, const int8_t *four, const int8_t *magnitudes, integers weights, const int kernel) {
    int32_t word, size;
    memcpy(&word, four, 4);
    if (kernel == PAIRS) memcpy(&size, magnitudes, 4);
#if defined(__AVX512BW__)
    if (kernel == PAIRS) {
        __m512i inputs = _mm512_set1_epi32(word), bytes = (__m512i)weights;
        bytes = _mm512_mask_sub_epi8(bytes, _mm512_movepi8_mask(inputs), _mm512_setzero_si512(), bytes);
        return sum + (integers)_mm512_madd_epi16(_mm512_maddubs_epi16(_mm512_set1_epi32(size), bytes), _mm512_set1_epi16(1));
    }
#elif defined(__AVX2__)
    if (kernel == PAIRS) {
        __m256i inputs = _mm256_set1_epi32(word), bytes = _mm256_sign_epi8((__m256i)weights, inputs);
        return sum + (integers)_mm256_madd_epi16(_mm256_maddubs_epi16(_mm256_set1_epi32(size), bytes), _mm256_set1_epi16(1));
    }
#endif
#if defined(__AVX512VNNI__)
    if (kernel == DOT) return (integers)_mm512_dpbusd_epi32((__m512i)sum, _mm512_set1_epi32(word), (__m512i)weights);
#elif defined(__AVXVNNI__)
    if (kernel == DOT) return (integers)_mm256_dpbusd_avx_epi32((__m256i)sum, _mm256_set1_epi32(word), (__m256i)weights);
#elif defined(__ARM_FEATURE_DOTPROD)
    if (kernel == DOT) return (integers)vdotq_s32((int32x4_t)sum, vreinterpretq_s8_s32(vdupq_n_s32(word)), (int8x16_t)weights);
#endif
    int8_t bytes[4 * LANES];
    memcpy(bytes, &weights, sizeof bytes);
    for (int lane = 0; lane < LANES; ++lane)
        for (int i = 0; i < 4; ++i) sum[lane] += four[i] * bytes[4 * lane + i];
    return sum;
}

/* The kernel that is taken for some rows of a map. */
static int kernel_of(const Linear *map, int64_t rows) {
    int wants_tiles = map->kernel == TILES || (map->kernel == FASTEST && rows >= WORTH_TILES);
    if (wants_tiles && PANEL == TILED_OUTPUTS && has_tiles()) return TILES;
#if defined(__ARM_FEATURE_MATMUL_INT8)
    if (map->kernel == SQUARES || (map->kernel == FASTEST && rows > 1)) return SQUARES;
#endif
    if (HAS_DOT && map->kernel != SCALAR && map->kernel != PAIRS) return DOT;
#if defined(__AVX2__)
    if (map->kernel != SCALAR) return PAIRS;
#endif
    return SCALAR;
}

/* PANEL outputs of a row from their sums: sum scale[o] scale + bias[o]. */
INLINE void write_bytes(const Linear *map, int64_t begin, float *y, int64_t row, const integers *sums, float scale_of_row) {
    vector values[2];
    for (int part = 0; part < 2; ++part) {
        int64_t first = begin + part * LANES;
        vector scale = load(map->scales + first) * scale_of_row;
        values[part] = multiply_add(__builtin_convertvector(sums[part], vector), scale, load(map->bias + first));
    }
    write_panel(map, begin, y, row, values);
}

/* PANEL outputs of `rows` rows, a constant. */
INLINE void byte_block(const Linear *map, int64_t begin, const int8_t *bytes, const float *scales, float *y, const int64_t *places,
                       const int rows, const int kernel) {
    int64_t groups = (map->in + 3) / 4, stride = stride_of(map, kernel);
    const int8_t *panel = (const int8_t *)map->weight + begin * groups * 4;
    integers sums[BLOCK][2];
    for (int r = 0; r < rows; ++r)
        for (int part = 0; part < 2; ++part)
            sums[r][part] = kernel == DOT && FLIPS ? load_integers(map->offsets + begin + part * LANES) : (integers){0};
    for (int64_t group = 0; group < groups; ++group) {
        const int8_t *weights = panel + group * 4 * PANEL;
        integers first = load_integers(weights), second = load_integers(weights + 4 * LANES);
        __builtin_prefetch(weights + 4 * AHEAD), __builtin_prefetch(weights + 4 * AHEAD + 4 * LANES);
        for (int r = 0; r < rows; ++r) {
            const int8_t *four = bytes + r * stride + 4 * group;
            sums[r][0] = add_products(sums[r][0], four, four + stride / 2, first, kernel);
            sums[r][1] = add_products(sums[r][1], four, four + stride / 2, second, kernel);
        }
    }
    for (int r = 0; r < rows; ++r) write_bytes(map, begin, y, places ? places[r] : r, sums[r], scales[r]);
}

#if defined(__ARM_FEATURE_MATMUL_INT8)
/* SQUARES: the same by an instruction that adds, for two rows and two outputs, the products of eight inputs. Its weights are those
 * of two groups, paired here. */
INLINE void square_block(const Linear *map, int64_t begin, const int8_t *bytes, const float *scales, float *y, const int64_t *places,
                         const int rows) {
    enum { GROUP = 4 * PANEL };
    int64_t stride = stride_of(map, SQUARES);
    const int8_t *panel = (const int8_t *)map->weight + begin * ((map->in + 3) / 4) * 4;
    int32x4_t sums[(BLOCK + 1) / 2][PANEL / 2] = {0};
    for (int64_t i = 0; i < map->in; i += 8, panel += 2 * GROUP) { /* after the last input there are zeros */
        int32x4_t four[2][2], weights[PANEL / 2];
        for (int part = 0; part < 2; ++part) memcpy(four[part], panel + part * GROUP, GROUP);
        for (int half = 0; half < 2; ++half)
            weights[2 * half] = vzip1q_s32(four[0][half], four[1][half]), weights[2 * half + 1] = vzip2q_s32(four[0][half], four[1][half]);
        for (int r = 0; r < rows; r += 2) {
            const int8_t *upper = bytes + r * stride + i, *lower = r + 1 < rows ? upper + stride : upper;
            int8x16_t inputs = vcombine_s8(vld1_s8(upper), vld1_s8(lower));
            for (int o = 0; o < PANEL / 2; ++o) sums[r / 2][o] = vmmlaq_s32(sums[r / 2][o], inputs, (int8x16_t)weights[o]);
        }
    }
    for (int r = 0; r < rows; ++r) {
        integers of_row[2];
        for (int half = 0; half < 2; ++half) {
            int64x2_t two = (int64x2_t)sums[r / 2][2 * half], next = (int64x2_t)sums[r / 2][2 * half + 1];
            of_row[half] = (integers)(r % 2 ? vzip2q_s64(two, next) : vzip1q_s64(two, next));
        }
        write_bytes(map, begin, y, places ? places[r] : r, of_row, scales[r]);
    }
}
#endif

INLINE void byte_panels_by(const Product *product, int64_t first, int64_t last, const int kernel) {
    const Linear here = product->map;
    int64_t stride = stride_of(&here, kernel);
    for (int64_t begin = first * PANEL; begin < here.out && begin < last * PANEL; begin += PANEL)
        for (int64_t row = 0; row < product->rows; row += BLOCK) {
            float *outputs = product->places ? product->y : product->y + row * here.out;
            const int64_t *to = product->places ? product->places + row : NULL;
            const int8_t *bytes = product->bytes + row * stride;
            int64_t count = product->rows - row < BLOCK ? product->rows - row : BLOCK;
#define OF_BYTES(n) case n: byte_block(&here, begin, bytes, product->scales + row, outputs, to, n, kernel); break;
#if defined(__ARM_FEATURE_MATMUL_INT8)
#define OF_SQUARES(n) case n: square_block(&here, begin, bytes, product->scales + row, outputs, to, n); break;
            if (kernel == SQUARES) FOR_ROWS(count, OF_SQUARES)
            else
#endif
            FOR_ROWS(count, OF_BYTES)
        }
}

static void byte_panels_by_tiles(const Product *product, int64_t first, int64_t last) {
    const Linear here = product->map;
    int64_t stride = stride_of(&here, TILES), of_panel = (here.in + 3) / 4 * 4 * PANEL;
    int32_t sums[TILED_ROWS * TILED_OUTPUTS];
    begin_tiles();
    for (int64_t panel = first; panel < last; ++panel)
        for (int64_t row = 0; row < product->rows; row += TILED_ROWS) {
            int64_t count = product->rows - row < TILED_ROWS ? product->rows - row : TILED_ROWS;
            multiply_tiles(here.in, (const int8_t *)here.weight + panel * of_panel, count, product->bytes + row * stride, stride, sums);
            for (int64_t r = row; r < row + count; ++r) {
                integers of_row[2];
                memcpy(of_row, sums + (r - row) * TILED_OUTPUTS, sizeof of_row);
                write_bytes(&here, panel * PANEL, product->y, product->places ? product->places[r] : r, of_row, product->scales[r]);
            }
        }
    end_tiles();
}

static void byte_panels(const void *task, int64_t thread, int64_t first, int64_t last) {
    (void)thread;
    const Product *product = task;
    if (product->kernel == TILES) byte_panels_by_tiles(product, first, last);
    if (product->kernel == SCALAR) byte_panels_by(product, first, last, SCALAR);
#if defined(__AVX2__)
    if (product->kernel == PAIRS) byte_panels_by(product, first, last, PAIRS);
#endif
#if HAS_DOT
    if (product->kernel == DOT) byte_panels_by(product, first, last, DOT);
#endif
#if defined(__ARM_FEATURE_MATMUL_INT8)
    if (product->kernel == SQUARES) byte_panels_by(product, first, last, SQUARES);
#endif
}

static void multiply_bytes(Product product, const Resources *resources) {
    const Linear here = product.map;
    int64_t rows = product.rows;
    int kernel = product.kernel = kernel_of(&here, rows);
    const float *x = product.x;
    float *y = product.y, *scales = resources->room;
    const int64_t *places = product.places;
    int8_t *bytes = (int8_t *)(resources->room + CHUNK);
    product.bytes = bytes, product.scales = scales;
    for (int64_t row = 0; row < rows; row += CHUNK) {
        product.rows = rows - row < CHUNK ? rows - row : CHUNK;
        for (int64_t r = 0; r < product.rows; ++r) {
            int8_t *to = bytes + r * stride_of(&here, kernel);
            scales[r] = round_row(&here, x + (row + r) * here.in, to, kernel == DOT ? FLIPS : 0);
            int64_t size = bytes_of_row(&here);
            for (int64_t i = 0; kernel == PAIRS && i < size; ++i) to[size + i] = to[i] < 0 ? -to[i] : to[i];
        }
        product.y = places ? y : y + row * here.out;
        product.places = places ? places + row : NULL;
        share_panels(&product, byte_panels, resources->num_threads);
    }
}

/* ---- Updates --------------------------------------------------------------------------------------------------------------- */

/* y[o] += factor x[o] */
static void add_multiple(float factor, const float *x, float *y, int64_t size) {
    int64_t i = 0;
    for (; i + LANES <= size; i += LANES) store(y + i, multiply_add(all(factor), load(x + i), load(y + i)));
    for (; i < size; ++i) y[i] = fmaf(factor, x[i], y[i]);
}

static void add_updates(const Linear *map, int64_t rows, const float *x, float *y, const int64_t *places, const int32_t *adapters) {
    const Updates *updates = map->updates;
    for (int64_t row = 0; row < rows; ++row) {
        int32_t adapter = adapters[row];
        if (adapter < 1 || adapter > updates->num_adapters) continue;
        for (int64_t k = updates->ranks[adapter - 1]; k < updates->ranks[adapter]; ++k)
            add_multiple(dot(x + row * map->in, updates->down + k * map->in, map->in), updates->up + k * map->out,
                         y + (places ? places[row] : row) * map->out, map->out);
    }
}

/* ---- Maps ------------------------------------------------------------------------------------------------------------------ */

void multiply_to(const Linear *map, int64_t rows, const float *x, float *y, const int64_t *places, const Resources *resources) {
    Product product = {.map = *map, .rows = rows, .x = x, .y = y, .places = places};
    if (map->dtype == INT8) multiply_bytes(product, resources);
    else share_panels(&product, float_panels, resources->num_threads);
    if (map->updates && resources->adapters) add_updates(map, rows, x, y, places, resources->adapters);
}

EXPORT int64_t regard_panel(void) { return PANEL; }

EXPORT int64_t regard_room_of_map(const Linear *map) { return room_of_map(map); }

EXPORT void regard_linear(const Linear *map, int64_t rows, const float *x, float *y, float *room, int64_t num_threads,
                          const int32_t *adapters) {
    const Resources resources = {room, num_threads, adapters};
    begin_call();
    multiply(map, rows, x, y, &resources);
    end_call();
}

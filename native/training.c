/* Steps of training between its products: dropout with the residual sum, and the loss.
 *
 * PyTorch takes a pass through memory for each operation of these. Here, numbers are read once and written once, and computed with in
 * float32. The work is shared among PyTorch's own threads (threads.h), which are busy with its products just before and after.
 */
#include "functions.h"
#include "numbers.h"
#include "threads.h"

/* ---- Dropout --------------------------------------------------------------------------------------------------------------- */

#define DRAWN 256 /* numbers whose bits are drawn together */

typedef struct {
    int64_t size, dtype;
    const void *x, *added; /* `added`: NULL for nothing */
    void *y;
    uint64_t seed;
    int32_t threshold;
    float scale;
} Dropout;

/* The i-th of a sequence of random numbers. Source: Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators",
 * figures 16 and 17. */
INLINE uint64_t random_bits(uint64_t seed, uint64_t i) {
    uint64_t bits = seed + i * 0x9e3779b97f4a7c15;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    return bits ^ bits >> 31;
}

INLINE void drop_numbers(const Dropout *dropout, const int64_t dtype, int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
        uint64_t drawn[DRAWN / 4];
        for (int64_t i = 0; i < DRAWN / 4; ++i) drawn[i] = random_bits(dropout->seed, block * (DRAWN / 4) + i + 1);
        for (int64_t i = 0; i < DRAWN; i += LANES) {
            int64_t place = block * DRAWN + i, left = dropout->size - place;
            if (left <= 0) break;
            halves bits;
            memcpy(&bits, (const uint16_t *)drawn + i, sizeof bits);
            integers is_kept = widened_integers(bits) >= dropout->threshold;
            vector y = read_numbers(dtype, dropout->x, place, left) * choose(is_kept, all(dropout->scale), all(0)); /* NaN stays */
            if (dropout->added) y += read_numbers(dtype, dropout->added, place, left);
            write_numbers(dtype, dropout->y, place, left, y);
        }
    }
}

static void drop(const void *task, int64_t thread, int64_t begin, int64_t end) {
    const Dropout *dropout = task;
    (void)thread;
    if (dropout->dtype == BFLOAT16) drop_numbers(dropout, BFLOAT16, begin, end);
    else drop_numbers(dropout, FLOAT32, begin, end);
}

/* y[i] = added[i] + (x[i] scale where the i-th 16 random bits of the seed are not below the threshold, else 0). */
EXPORT void regard_drop(int64_t size, int64_t dtype, const void *x, const void *added, void *y, uint64_t seed, int64_t threshold,
                        double scale, int64_t num_threads) {
    Dropout dropout = {size, dtype, x, added, y, seed, (int32_t)threshold, (float)scale};
    share_in_team(num_threads, size, (size + DRAWN - 1) / DRAWN, drop, &dropout);
}

/* ---- The loss -------------------------------------------------------------------------------------------------------------- */

typedef struct {
    int64_t vocab_size, dtype;
    void *logits;
    const float *bias;     /* NULL: there is none */
    const int64_t *labels;
    float smoothing;
    double *losses;        /* of rows */
    int64_t wants_gradient;
    float *room;           /* `vocab_size` numbers for each thread */
} Loss;

/* The logits of a row with their bias, as float32 in `x`. Returns the largest; `sum` becomes their sum. */
INLINE float read_logits(const Loss *loss, const int64_t dtype, const void *row, float *x, float *sum) {
    vector largest[PARTS], sums[PARTS] = {{0}};
    for (int part = 0; part < PARTS; ++part) largest[part] = all(-INFINITY);
    for (int64_t i = 0; i < loss->vocab_size; i += WIDTH)
        for (int part = 0; part < PARTS; ++part) {
            int64_t place = i + part * LANES, left = loss->vocab_size - place;
            if (left <= 0) break;
            vector logits = read_numbers(dtype, row, place, left);
            if (loss->bias) logits += load_some(loss->bias + place, left);
            store_some(x + place, logits, left);
            sums[part] += logits; /* zeros beyond the end */
            for (int lane = 0; left < LANES && lane < LANES; ++lane) logits[lane] = lane < left ? logits[lane] : -INFINITY;
            largest[part] = choose(logits > largest[part], logits, largest[part]);
        }
    *sum = sum_of(sums);
    return largest_of(largest);
}

/* x[i] = e^(x[i] - largest). Returns their sum. */
static float exponentials(float *x, int64_t size, float largest) {
    vector sums[PARTS] = {{0}};
    for (int64_t i = 0; i < size; i += WIDTH)
        for (int part = 0; part < PARTS; ++part) {
            int64_t place = i + part * LANES, left = size - place;
            if (left <= 0) break;
            vector power = exponential(load_some(x + place, left) - largest);
            store_some(x + place, power, left);
            for (int lane = 0; left < LANES && lane < LANES; ++lane) power[lane] = lane < left ? power[lane] : 0;
            sums[part] += power;
        }
    return sum_of(sums);
}

INLINE void lose_rows(const Loss *loss, const int64_t dtype, int64_t thread, int64_t begin, int64_t end) {
    int64_t size = loss->vocab_size;
    float *x = loss->room + thread * size, smoothing = loss->smoothing;
    for (int64_t r = begin; r < end; ++r) {
        void *row = (char *)loss->logits + r * size * bytes_of(dtype);
        int64_t label = loss->labels[r];
        float sum, largest = read_logits(loss, dtype, row, x, &sum), of_label = x[label];
        float total = exponentials(x, size, largest);
        double log_total = (double)largest + log((double)total);
        loss->losses[r] = (1 - (double)smoothing) * (log_total - of_label);
        if (smoothing) loss->losses[r] += smoothing * (log_total - (double)sum / size);
        if (!loss->wants_gradient) continue;
        x[label] -= (1 - smoothing) * total;
        for (int64_t i = 0; i < size; i += LANES)
            write_numbers(dtype, row, i, size - i, load_some(x + i, size - i) * (1 / total) - smoothing / size);
    }
}

static void lose(const void *task, int64_t thread, int64_t begin, int64_t end) {
    const Loss *loss = task;
    if (loss->dtype == BFLOAT16) lose_rows(loss, BFLOAT16, thread, begin, end);
    else lose_rows(loss, FLOAT32, thread, begin, end);
}

/* The label-smoothed cross-entropy of rows of logits; with `wants_gradient`, its gradient is written in their place:
 * softmax(logits) - smoothing / vocab_size - (1 - smoothing) at the label. Nothing is written, and the result is 0, where a label is
 * no row of the vocabulary. */
EXPORT int64_t regard_loss(int64_t rows, int64_t vocab_size, int64_t dtype, void *logits, const float *bias, const int64_t *labels,
                           double smoothing, double *losses, int64_t wants_gradient, float *room, int64_t num_threads) {
    for (int64_t row = 0; row < rows; ++row)
        if (labels[row] < 0 || labels[row] >= vocab_size) return 0;
    Loss loss = {vocab_size, dtype, logits, bias, labels, (float)smoothing, losses, wants_gradient, room};
    share_in_team(num_threads, 10 * rows * vocab_size, rows, lose, &loss); /* an exponential is dear */
    return 1;
}

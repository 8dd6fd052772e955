/* Attention of many heads for few rows. As in layers.c, nothing is allocated, and each row is computed as if it were alone. */
#include "attention.h"

#include "functions.h"
#include "threads.h"

void list_allowed(const uint8_t *mask, int64_t num_keys, int32_t *list) {
    int32_t count = 0;
    for (int64_t k = 0; k < num_keys; ++k) list[1 + count] = (int32_t)k, count += mask[k] != 0;
    list[0] = count;
}

void rotate(const Distances *distances, int64_t position, float *heads, int64_t num_heads, int64_t head_dim) {
    int64_t rotated = distances->rotated, interleaved = distances->interleaved;
    int64_t pairs = rotated / 2, apart = interleaved ? 1 : pairs;
    const float *turns = distances->turns + position * rotated;
    for (int64_t head = 0; head < num_heads; ++head, heads += head_dim)
        for (int64_t pair = 0; pair < pairs; ++pair) {
            float *a = heads + (interleaved ? 2 * pair : pair), *b = a + apart;
            float cosine = turns[pair], sine = turns[pairs + pair], first = *a * cosine - *b * sine;
            *b = *b * cosine + *a * sine;
            *a = first;
        }
}

/* The keys that one query looks up. */
typedef struct {
    int64_t count;
    const int32_t *keys; /* their numbers */
    const int32_t *rows; /* of their distances in tables; where there are no tables, it has no meaning */
    float *weights;      /* room for a number for each, and WIDTH */
} Seen;

int64_t room_of_lookup(int64_t num_keys) { return 3 * (num_keys + WIDTH); }

/* The keys that a row may see, near enough, and the rows of their distances. */
static Seen see(const Lookup *lookup, int64_t number, const int32_t *allowed, float *room) {
    const Distances *distances = &lookup->attention->distances;
    int32_t *keys = (int32_t *)(room + lookup->num_keys + WIDTH), *rows = keys + lookup->num_keys + WIDTH;
    Seen seen = {.count = allowed[0], .keys = allowed + 1, .rows = rows, .weights = room};
    if (!distances->window && !distances->bias && !distances->key_vectors) return seen;
    const int64_t *step_of = lookup->step_of ? lookup->step_of + number / lookup->width * lookup->num_keys : NULL;
    int64_t step = !step_of ? number % lookup->width : lookup->steps ? lookup->steps[number] : lookup->step;
    seen.count = 0, seen.keys = keys;
    for (int64_t k = 1; k <= allowed[0]; ++k) {
        int64_t distance = step - (step_of ? step_of[allowed[k]] : allowed[k]);
        if (distances->window && (distance >= distances->window || -distance >= distances->window)) continue;
        if (distance > distances->num_before) distance = distances->num_before;
        if (-distance > distances->num_after) distance = -distances->num_after;
        keys[seen.count] = allowed[k], rows[seen.count++] = (int32_t)(distance + distances->num_after);
    }
    return seen;
}

/* The mean of LANES times `parts`, a constant, of the numbers of some vectors, from the i-th on; with `adds`, a constant, added to
 * what is there. */
INLINE void mix(const Seen *seen, const int32_t *which, const float *vectors, int64_t stride, int64_t i, const int parts, float total,
                const int adds, float *context) {
    vector sums[2] = {{0}, {0}};
    for (int64_t k = 0; k < seen->count; ++k) {
        const float *from = vectors + which[k] * stride + i;
        vector weight = all(seen->weights[k]);
        for (int part = 0; part < parts; ++part) sums[part] = multiply_add(weight, load(from + part * LANES), sums[part]);
    }
    for (int part = 0; part < parts; ++part) {
        float *to = context + i + part * LANES;
        store(to, adds ? load(to) + sums[part] / total : sums[part] / total);
    }
}

/* context[i] = sum over k of weights[k] vectors[which[k]][i] / total; with `adds`, that is added. */
INLINE void mix_all(const Seen *seen, const int32_t *which, const float *vectors, int64_t stride, int64_t dim, float total,
                    const int adds, float *context) {
    int64_t i = 0;
    for (; i + 2 * LANES <= dim; i += 2 * LANES) mix(seen, which, vectors, stride, i, 2, total, adds, context);
    for (; i + LANES <= dim; i += LANES) mix(seen, which, vectors, stride, i, 1, total, adds, context);
    for (; i < dim; ++i) {
        float sum = 0;
        for (int64_t k = 0; k < seen->count; ++k) sum = fmaf(seen->weights[k], vectors[which[k] * stride + i], sum);
        context[i] = adds ? context[i] + sum / total : sum / total;
    }
}

/* weights . tanh(query + key) */
static float additive_score(const float *weights, const float *query, const float *key, int64_t dim) {
    vector sums[PARTS] = {{0}};
    for (int64_t i = 0; i < dim; i += WIDTH)
        for (int part = 0; part < PARTS; ++part) {
            int64_t at = i + part * LANES, count = dim - at;
            if (count <= 0) continue;
            vector sum = hyperbolic_tangent(load_some(query + at, count) + load_some(key + at, count));
            sums[part] = multiply_add(load_some(weights + at, count), sum, sums[part]);
        }
    return sum_of(sums);
}

/* weights[k] = the score of query and key[k] + what the distance adds. Returns the largest. */
static float compare(const Attention *attention, int64_t head, const float *query, const float *keys, int64_t stride, const Seen *seen) {
    const Distances *distances = &attention->distances;
    int64_t dim = attention->head_dim, num_rows = distances->num_before + distances->num_after + 1;
    const float *bias = distances->bias ? distances->bias + head * num_rows : NULL;
    float largest = -INFINITY;
    for (int64_t k = 0; k < seen->count; ++k) {
        const float *key = keys + seen->keys[k] * stride;
        float score = attention->score_vector ? additive_score(attention->score_vector, query, key, dim)
                                              : dot(query, key, dim) * (float)attention->factor;
        if (attention->cap) score = soft_capped(all(score), (float)attention->cap)[0];
        if (bias) score += bias[seen->rows[k]];
        if (distances->key_vectors) {
            const float *of_distance = distances->key_vectors + seen->rows[k] * dim;
            score += dot(query, of_distance, dim);
            if (distances->compares_keys) score += dot(key, of_distance, dim);
        }
        seen->weights[k] = score;
        largest = score > largest ? score : largest;
    }
    return largest;
}

/* weights[k] = e^(weights[k] - largest). Returns their sum. */
static float exponentials(const Seen *seen, float largest) {
    float *weights = seen->weights;
    for (int64_t i = seen->count; i % WIDTH; ++i) weights[i] = -INFINITY; /* e^-87, which is nothing beside e^0 */
    vector totals[PARTS] = {{0}};
    for (int64_t i = 0; i < seen->count; i += WIDTH)
        for (int part = 0; part < PARTS; ++part) {
            vector weight = exponential(load(weights + i + part * LANES) - largest);
            store(weights + i + part * LANES, weight);
            totals[part] += weight;
        }
    return sum_of(totals);
}

INLINE const float *first_of(const Vectors *vectors, int64_t sentence, int64_t head) {
    return vectors->first + sentence * vectors->of_sentence + head * vectors->of_head;
}

/* context = sum over k of softmax(score[k]) (value[k] + the vector of its distance); 0 where nothing is seen. */
static void look_up(const Lookup *lookup, int64_t sentence, int64_t head, const float *query, const Seen *seen, float *context) {
    const Attention *attention = lookup->attention;
    const float *of_distance = attention->distances.value_vectors;
    int64_t kv_head = head / (attention->num_heads / attention->num_kv_heads), dim = attention->value_dim;
    if (!seen->count) memset(context, 0, dim * sizeof(float));
    if (!seen->count) return;
    const float *keys = first_of(&lookup->keys, sentence, kv_head), *values = first_of(&lookup->values, sentence, kv_head);
    float total = exponentials(seen, compare(attention, head, query, keys, lookup->keys.of_key, seen));
    mix_all(seen, seen->keys, values, lookup->values.of_key, dim, total, 0, context);
    if (of_distance) mix_all(seen, seen->rows, of_distance, dim, dim, total, 1, context);
}

/* Some heads of some rows. */
static void look_up_heads(const void *task, int64_t thread, int64_t begin, int64_t end) {
    const Lookup *lookup = task;
    const Attention *attention = lookup->attention;
    int64_t heads = attention->num_heads;
    float *room = lookup->room + thread * room_of_lookup(lookup->num_keys);
    Seen seen = {0};
    for (int64_t item = begin; item < end; ++item) {
        int64_t row = item / heads, head = item % heads, number = lookup->rows ? lookup->rows[row] : row;
        int64_t sentence = number / lookup->width;
        if (item == begin || !head)
            seen = see(lookup, number, lookup->allowed + (lookup->has_own_lists ? row : sentence) * (lookup->num_keys + 1), room);
        const float *query = lookup->queries + row * lookup->query_size + head * attention->head_dim;
        look_up(lookup, sentence, head, query, &seen, lookup->contexts + item * attention->value_dim);
    }
}

void look_up_all(const Lookup *lookup, int64_t num_threads) {
    const Attention *attention = lookup->attention;
    int64_t heads = lookup->num_rows * attention->num_heads;
    int64_t of_key = (attention->score_vector ? 16 : 1) * attention->head_dim + attention->value_dim; /* a tangent is dear */
    int64_t work = heads * lookup->num_keys * of_key;
    share_items(num_threads, work, heads, look_up_heads, lookup);
}

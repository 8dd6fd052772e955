/* Transformer layers for few rows: a step of decoding, or the source of a few sentences.
 *
 * Everything here is what stands between the products of linear.c.
 *
 * Each number is summed in an order that depends on its own row only. So a sentence has the same scores, to the last bit, in any
 * batch and with any number of threads. Nothing is allocated: callers bring the room (`workspace`).
 *
 * The file is compiled once for each kind of processor (build.py). Names and equations are those of the Python modules that compute
 * the same.
 */
#include "layers.h"

#include "threads.h"
#include "vectors.h"

/* ---- Functions of single numbers ------------------------------------------------------------------------------------------- */

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

INLINE vector activated(vector x, int64_t activation) {
    switch (activation) {
        case RELU: return choose(x > all(0), x, all(0));
        case GELU: return 0.5f * x * (1.0f + error_function(x * 0.707106781f));
        case GELU_TANH: return x / (1.0f + exponential(-1.59576912f * (x + 0.044715f * x * x * x)));
        case SILU: return x / (1.0f + exponential(-x));
        default: return x;
    }
}

/* x[i] = activation(x[i]) gate[i]; without gates, activation(x[i]). */
static void activate(float *x, const float *gate, int64_t size, int64_t activation) {
    for (int64_t i = 0; i < size; i += LANES) {
        float part[LANES] = {0}, factors[LANES];
        int64_t count = size - i < LANES ? size - i : LANES;
        memcpy(part, x + i, count * sizeof(float));
        vector result = activated(load(part), activation);
        if (gate) {
            memset(factors, 0, sizeof factors);
            memcpy(factors, gate + i, count * sizeof(float));
            result *= load(factors);
        }
        store(part, result);
        memcpy(x + i, part, count * sizeof(float));
    }
}

static float dot(const float *a, const float *b, int64_t size) {
    vector sums[PARTS] = {{0}};
    int64_t i = 0;
    for (; i + WIDTH <= size; i += WIDTH)
        for (int part = 0; part < PARTS; ++part)
            sums[part] = multiply_add(load(a + i + part * LANES), load(b + i + part * LANES), sums[part]);
    float sum = sum_of(sums);
    for (; i < size; ++i) sum += a[i] * b[i];
    return sum;
}

/* ---- Norms and residual connections ---------------------------------------------------------------------------------------- */

/* y[r] = (x[r] - mean) / sqrt(variance + epsilon) weight + bias; of RMS norms the mean is not taken away. x and y may be the same. */
static void normalise(const Norm *norm, int64_t rows, int64_t dim, const float *x, float *y) {
    for (int64_t row = 0; row < rows; ++row, x += dim, y += dim) {
        if (norm->kind == NO_NORM) {
            memmove(y, x, dim * sizeof(float));
            continue;
        }
        float mean = 0;
        int64_t i = 0;
        if (norm->kind == LAYER_NORM) {
            vector sums[PARTS] = {{0}};
            for (i = 0; i + WIDTH <= dim; i += WIDTH)
                for (int part = 0; part < PARTS; ++part) sums[part] += load(x + i + part * LANES);
            mean = sum_of(sums);
            for (; i < dim; ++i) mean += x[i];
            mean /= dim;
        }
        vector squares[PARTS] = {{0}};
        for (i = 0; i + WIDTH <= dim; i += WIDTH)
            for (int part = 0; part < PARTS; ++part) {
                vector away = load(x + i + part * LANES) - mean;
                squares[part] = multiply_add(away, away, squares[part]);
            }
        float square = sum_of(squares);
        for (; i < dim; ++i) square += (x[i] - mean) * (x[i] - mean);
        float scale = 1.0f / sqrtf(square / dim + (float)norm->epsilon);
        for (i = 0; i < dim; ++i) {
            float result = (x[i] - mean) * scale * (norm->weight ? norm->weight[i] : 1.0f);
            y[i] = norm->bias ? result + norm->bias[i] : result;
        }
    }
}

/* The second half of a residual connection. `y` is what the sublayer made, and is overwritten. */
static void add(const Residual *residual, int64_t rows, int64_t dim, float *x, float *y) {
    normalise(&residual->made, rows, dim, y, y);
    for (int64_t i = 0; i < rows * dim; ++i) x[i] += y[i];
    normalise(&residual->after, rows, dim, x, x);
}

/* The memory that a call computes in. */
typedef struct {
    float *numbers;            /* for each row, see `regard_row_size` */
    float *weights;            /* of a query: `num_weights` for each thread */
    int64_t num_weights;       /* a number for each key, and WIDTH */
    const int32_t *of_cells, *of_source; /* lists of allowed keys, of each row and of each sentence */
    Resources resources;       /* of products, see `room_of_map` */
} Room;

/* ---- Attention ------------------------------------------------------------------------------------------------------------- */

/* The keys and values that the heads of one query look up. */
typedef struct {
    const float *keys, *values;
    int64_t stride;           /* from one key to the next, and from one value to the next */
    const int32_t *allowed;   /* how many keys are allowed, and then their numbers */
    const int64_t *steps;     /* when each key was written; NULL where there is no bias */
    int64_t step;             /* of the query */
    float *weights;           /* room for a number for each key, and WIDTH */
} Database;

/* For each row of a mask, how many keys it allows, and then their numbers: `num_keys` + 1 places a row. */
static void list_allowed(const uint8_t *mask, int64_t num_keys, int32_t *list) {
    int32_t count = 0;
    for (int64_t k = 0; k < num_keys; ++k) list[1 + count] = (int32_t)k, count += mask[k] != 0;
    list[0] = count;
}

/* LANES times `parts`, a constant, of the numbers of a context, from the i-th on. */
INLINE void mix(const Database *database, int64_t i, const int parts, float total, float *context) {
    vector sums[2] = {{0}, {0}};
    const int32_t *keys = database->allowed + 1;
    for (int64_t k = 0; k < database->allowed[0]; ++k) {
        const float *value = database->values + keys[k] * database->stride + i;
        vector weight = all(database->weights[k]);
        for (int part = 0; part < parts; ++part) sums[part] = multiply_add(weight, load(value + part * LANES), sums[part]);
    }
    for (int part = 0; part < parts; ++part) store(context + i + part * LANES, sums[part] / total);
}

/* context = sum over k of softmax(factor query . key[k] + bias[distance]) value[k]; 0 where nothing is allowed. */
static void look_up(const Attention *attention, const float *bias, const float *query, const Database *database, float *context) {
    int64_t dim = attention->head_dim, stride = database->stride, count = database->allowed[0], i = 0;
    const int32_t *keys = database->allowed + 1;
    float *weights = database->weights, largest = -INFINITY;
    if (!count) memset(context, 0, dim * sizeof(float));
    if (!count) return;
    for (int64_t k = 0; k < count; ++k) {
        weights[k] = dot(query, database->keys + keys[k] * stride, dim) * (float)attention->factor;
        if (bias) {
            int64_t distance = database->step - database->steps[keys[k]];
            weights[k] += bias[distance < attention->num_distances ? distance : attention->num_distances - 1];
        }
        largest = weights[k] > largest ? weights[k] : largest;
    }
    for (i = count; i % WIDTH; ++i) weights[i] = -INFINITY; /* e^-87, which is nothing beside e^0 */
    vector totals[PARTS] = {{0}};
    for (i = 0; i < count; i += WIDTH)
        for (int part = 0; part < PARTS; ++part) {
            vector weight = exponential(load(weights + i + part * LANES) - largest);
            store(weights + i + part * LANES, weight);
            totals[part] += weight;
        }
    float total = sum_of(totals);
    i = 0;
    for (; i + 2 * LANES <= dim; i += 2 * LANES) mix(database, i, 2, total, context);
    for (; i + LANES <= dim; i += LANES) mix(database, i, 1, total, context);
    for (; i < dim; ++i) {
        float sum = 0;
        for (int64_t k = 0; k < count; ++k) sum = fmaf(weights[k], database->values[keys[k] * stride + i], sum);
        context[i] = sum / total;
    }
}

/* Queries and keys turned by the angle of their position. */
static void rotate(float *heads, int64_t num_heads, int64_t head_dim, int64_t rotated, int64_t interleaved, const float *turns) {
    int64_t pairs = rotated / 2, apart = interleaved ? 1 : pairs;
    for (int64_t head = 0; head < num_heads; ++head, heads += head_dim)
        for (int64_t pair = 0; pair < pairs; ++pair) {
            float *a = heads + (interleaved ? 2 * pair : pair), *b = a + apart;
            float cosine = turns[pair], sine = turns[pairs + pair], first = *a * cosine - *b * sine;
            *b = *b * cosine + *a * sine;
            *a = first;
        }
}

/* Which of all rows is the one that is computed in this place. */
INLINE int64_t number_of(const Input *input, int64_t row) { return input->rows ? input->rows[row] : row; }

/* ---- Layers ---------------------------------------------------------------------------------------------------------------- */

/* How many numbers `workspace` needs for each row, and beside them for all. */
EXPORT int64_t regard_row_size(const Stack *stack) {
    int64_t most = 2 * stack->model_dim;
    for (int64_t i = 0; i < stack->num_layers; ++i) {
        const Layer *layer = stack->layers + i;
        const Attention *self = &layer->self_attention, *cross = &layer->cross_attention;
        int64_t looked_up = self->input.out + self->num_heads * self->head_dim;
        int64_t fed = layer->inner.out + layer->gate.out;
        if (looked_up > most) most = looked_up;
        if (fed > most) most = fed;
        if (layer->has_cross_attention && 2 * cross->input.out > most) most = 2 * cross->input.out;
    }
    return most + 2 * stack->model_dim;
}

static int64_t more(int64_t size, const Linear *map) { return map->out && room_of_map(map) > size ? room_of_map(map) : size; }

/* How many numbers `workspace` needs beside those of its rows, keys and lists. */
EXPORT int64_t regard_fixed_size(const Stack *stack) {
    int64_t most = more(more(0, &stack->transform), &stack->output);
    for (int64_t i = 0; i < stack->num_layers; ++i) {
        const Layer *layer = stack->layers + i;
        const Linear *maps[] = {&layer->self_attention.input, &layer->self_attention.output, &layer->cross_attention.input,
                                &layer->cross_attention.output, &layer->inner, &layer->gate, &layer->outer};
        for (int map = 0; map < 7; ++map) most = more(most, maps[map]);
    }
    return most;
}

/* Where the heads of all rows look, and where their contexts go. */
typedef struct {
    const Attention *attention;
    const Input *input;
    const Room *room;
    const float *queries;                 /* of the first row */
    int64_t query_size;                   /* from one row to the next */
    const float *keys, *values;           /* of the first sentence and the first head */
    int64_t of_sentence, of_head, of_key; /* from one to the next */
    float *contexts;                      /* [row][head][head_dim] */
    int is_past;                          /* whether they are the cells of a decoder */
} Lookup;

/* Some heads of some rows. */
static void look_up_heads(const void *task, int64_t thread, int64_t begin, int64_t end) {
    const Lookup *lookup = task;
    const Attention *attention = lookup->attention;
    const Input *input = lookup->input;
    const Room *room = lookup->room;
    int64_t heads = attention->num_heads, dim = attention->head_dim;
    for (int64_t item = begin; item < end; ++item) {
        int64_t row = item / heads, head = item % heads, number = number_of(input, row), sentence = number / input->width;
        int64_t first = sentence * lookup->of_sentence + head / (heads / attention->num_kv_heads) * lookup->of_head;
        Database database = {.keys = lookup->keys + first, .values = lookup->values + first, .stride = lookup->of_key,
                             .weights = room->weights + thread * room->num_weights};
        if (lookup->is_past) {
            database.allowed = room->of_cells + row * (input->num_cells + 1);
            database.steps = input->step_of + sentence * input->num_cells;
            database.step = input->steps ? input->steps[number] : input->step;
        } else database.allowed = room->of_source + sentence * (input->source_length + 1);
        look_up(attention, attention->bias ? attention->bias + head * attention->num_distances : NULL,
                lookup->queries + row * lookup->query_size + head * dim, &database, lookup->contexts + item * dim);
    }
}

static void share_heads(const Lookup *lookup, int64_t num_keys) {
    int64_t heads = lookup->input->num_rows * lookup->attention->num_heads;
    int64_t work = 2 * heads * num_keys * lookup->attention->head_dim; /* scores, and values by weights */
    share_items(lookup->room->resources.num_threads, work, heads, look_up_heads, lookup);
}

/* The heads of all rows look into their past, or into the other positions. `y` is the input, and then the output. */
static void look_back(const Stack *stack, const Layer *layer, const Input *input, int64_t index, float *y, const Room *room) {
    const Attention *attention = &layer->self_attention;
    int64_t heads = attention->num_heads, kv_heads = attention->num_kv_heads, dim = attention->head_dim, width = input->width;
    int64_t rows = input->num_rows, row_size = attention->input.out;
    float *projected = room->numbers, *contexts = projected + rows * row_size;
    multiply(&attention->input, rows, y, projected, &room->resources);
    for (int64_t row = 0; stack->rotated && row < rows; ++row)
        rotate(projected + row * row_size, heads + kv_heads, dim, stack->rotated, stack->interleaved,
               stack->turns + input->positions[number_of(input, row)] * stack->rotated);
    Lookup lookup = {.attention = attention, .input = input, .room = room, .queries = projected, .query_size = row_size,
                     .contexts = contexts, .is_past = input->cells != NULL};
    if (input->cells) {
        int64_t of_head = input->num_cells * dim, all_keys = input->num_sentences * kv_heads * of_head;
        float *cells = input->cells[index];
        for (int64_t row = 0; row < rows; ++row) {
            const float *newer = projected + row * row_size + heads * dim;
            int64_t number = number_of(input, row);
            float *keys = cells + number / width * kv_heads * of_head + input->newest[number] * dim;
            for (int64_t head = 0; head < kv_heads; ++head, keys += of_head) {
                memcpy(keys, newer + head * dim, dim * sizeof(float));
                memcpy(keys + all_keys, newer + (kv_heads + head) * dim, dim * sizeof(float));
            }
        }
        lookup.keys = cells, lookup.values = cells + all_keys;
        lookup.of_sentence = kv_heads * of_head, lookup.of_head = of_head, lookup.of_key = dim;
    } else {
        lookup.keys = projected + heads * dim, lookup.values = lookup.keys + kv_heads * dim;
        lookup.of_sentence = width * row_size, lookup.of_head = dim, lookup.of_key = row_size;
    }
    share_heads(&lookup, input->cells ? input->num_cells : width);
    multiply(&attention->output, rows, contexts, y, &room->resources);
}

/* The heads of all rows look at the source. */
static void look_at_source(const Layer *layer, const Input *input, int64_t index, float *y, const Room *room) {
    const Attention *attention = &layer->cross_attention;
    int64_t dim = attention->head_dim, rows = input->num_rows, of_head = input->source_length * dim;
    float *queries = room->numbers, *contexts = queries + rows * attention->input.out;
    multiply(&attention->input, rows, y, queries, &room->resources);
    const Lookup lookup = {.attention = attention, .input = input, .room = room, .queries = queries,
                           .query_size = attention->input.out, .keys = input->source_keys[index],
                           .values = input->source_values[index], .of_sentence = attention->num_kv_heads * of_head,
                           .of_head = of_head, .of_key = dim, .contexts = contexts};
    share_heads(&lookup, input->source_length);
    multiply(&attention->output, rows, contexts, y, &room->resources);
}

static void feed_forward(const Layer *layer, int64_t rows, float *y, const Room *room) {
    float *inner = room->numbers, *gates = layer->gate.out ? inner + rows * layer->inner.out : NULL;
    multiply(&layer->inner, rows, y, inner, &room->resources);
    if (gates) multiply(&layer->gate, rows, y, gates, &room->resources);
    activate(inner, gates, rows * layer->inner.out, layer->activation);
    multiply(&layer->outer, rows, inner, y, &room->resources);
}

/* x[r] = norm(scale embedding[id] + positions[position]) */
static void embed(const Stack *stack, const Input *input, int64_t rows) {
    int64_t dim = stack->model_dim;
    for (int64_t row = 0; row < rows; ++row) {
        int64_t number = number_of(input, row), id = input->ids[number] > 0 ? input->ids[number] : 0;
        const float *of_token = stack->embedding + id * dim;
        const float *of_position = stack->positions ? stack->positions + input->positions[number] * dim : NULL;
        float *x = input->x + row * dim;
        for (int64_t i = 0; i < dim; ++i) {
            x[i] = of_token[i] * (float)stack->scale;
            if (of_position) x[i] += of_position[i];
        }
    }
    normalise(&stack->embedding_norm, rows, dim, input->x, input->x);
}

/* Whether all tokens and positions have a row in their tables. Padding may be a negative token. */
static int is_within(const Stack *stack, const Input *input) {
    for (int64_t row = 0; row < input->num_rows; ++row) {
        int64_t number = number_of(input, row);
        if (input->ids && input->ids[number] >= stack->output.out) return 0;
        if (!input->positions || !(stack->rotated || (input->ids && stack->positions))) continue;
        if (input->positions[number] < 0 || input->positions[number] >= stack->num_positions) return 0;
    }
    return 1;
}

/* All layers of a stack, one after the other: a step of a decoder, whose cells are filled, or an encoder over its source.
 * The workspace has `regard_row_size` numbers for each row, for each thread 16 numbers more than there are cells or source
 * positions, for the lists of keys one number more than cells for each row and than source positions for each sentence, and
 * `regard_fixed_size` numbers. */
int64_t run_layers(const Stack *stack, const Input *input) {
    if (!is_within(stack, input)) return 0;
    int64_t rows = input->num_rows, dim = stack->model_dim, num_cells = input->cells ? input->num_cells : 0;
    int64_t length = input->source_length, num_weights = (length > num_cells ? length : num_cells) + WIDTH;
    float *x = input->x, *y = input->workspace, *weights = y + rows * regard_row_size(stack);
    int32_t *of_source = (int32_t *)(weights + input->num_threads * num_weights), *of_cells = of_source + input->num_sentences * (length + 1);
    const Room room = {y + rows * dim, weights, num_weights, num_cells ? of_cells : NULL, of_source,
                       {(float *)(of_cells + rows * (num_cells + 1)), input->num_threads}};
    for (int64_t sentence = 0; length && sentence < input->num_sentences; ++sentence)
        list_allowed(input->source_mask + sentence * length, length, of_source + sentence * (length + 1));
    for (int64_t row = 0; num_cells && row < rows; ++row)
        list_allowed(input->ancestry + number_of(input, row) * num_cells, num_cells, of_cells + row * (num_cells + 1));
    if (input->ids) embed(stack, input, rows);
    for (int64_t i = 0; i < stack->num_layers; ++i) {
        const Layer *layer = stack->layers + i;
        normalise(&layer->self_residual.before, rows, dim, x, y);
        look_back(stack, layer, input, i, y, &room);
        add(&layer->self_residual, rows, dim, x, y);
        if (layer->has_cross_attention) {
            normalise(&layer->cross_residual.before, rows, dim, x, y);
            look_at_source(layer, input, i, y, &room);
            add(&layer->cross_residual, rows, dim, x, y);
        }
        normalise(&layer->feed_forward_residual.before, rows, dim, x, y);
        feed_forward(layer, rows, y, &room);
        add(&layer->feed_forward_residual, rows, dim, x, y);
    }
    if (!input->ids) return 1;
    normalise(&stack->last_norm, rows, dim, x, y);
    if (stack->transform.out) {
        multiply(&stack->transform, rows, y, x, &room.resources);
        activate(x, NULL, rows * dim, stack->transform_activation);
        normalise(&stack->transform_norm, rows, dim, x, y);
    }
    multiply_to(&stack->output, rows, y, input->logits, input->rows, &room.resources);
    return 1;
}

EXPORT int64_t regard_run(const Stack *stack, const Input *input) {
    begin_call();
    int64_t done = run_layers(stack, input);
    end_call();
    return done;
}

/* ---- Whether memory has changed -------------------------------------------------------------------------------------------- */

/* Eight bytes of some areas at every `steps[i]` bytes; with a step of 0, all. With `compares`, whether they are what `kept` has;
 * else they are written there, and their size is returned; `kept` may be NULL, for the size alone. */
INLINE int64_t sample(int64_t count, const char *const *starts, const int64_t *sizes, const int64_t *steps, char *kept, const int compares) {
    int64_t total = 0;
    for (int64_t i = 0; i < count; ++i) {
        if (!steps[i]) {
            if (compares && memcmp(kept + total, starts[i], sizes[i])) return 0;
            if (!compares && kept) memcpy(kept + total, starts[i], sizes[i]);
            total += sizes[i];
            continue;
        }
        uint64_t differs = 0;
        for (int64_t at = 0; at + 8 <= sizes[i]; at += steps[i], total += 8) {
            uint64_t now, before;
            memcpy(&now, starts[i] + at, 8);
            if (compares) memcpy(&before, kept + total, 8), differs |= now ^ before;
            else if (kept) memcpy(kept + total, &now, 8);
        }
        if (differs) return 0;
    }
    return compares ? 1 : total;
}

EXPORT int64_t regard_sample(int64_t count, const char *const *starts, const int64_t *sizes, const int64_t *steps, char *kept) {
    return sample(count, starts, sizes, steps, kept, 0);
}

EXPORT int64_t regard_is_sample(int64_t count, const char *const *starts, const int64_t *sizes, const int64_t *steps, char *kept) {
    return sample(count, starts, sizes, steps, kept, 1);
}

/* What the library was made from, so that one that is older than its source is not used. */
EXPORT const char *regard_source(void) { return SOURCE_DIGEST; }

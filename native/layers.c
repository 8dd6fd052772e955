/* Transformer layers for few rows: a step of decoding, or the source of a few sentences.
 *
 * Everything here is what stands around the products of linear.c and the heads of attention.c.
 *
 * Each number is summed in an order that depends on its own row only. So a sentence has the same scores, to the last bit, in any
 * batch and with any number of threads. Nothing is allocated: callers bring the room (`workspace`).
 *
 * The file is compiled once for each kind of processor (build.py). Names and equations are those of the Python modules that compute
 * the same.
 */
#include "layers.h"

#include "functions.h"
#include "threads.h"

/* ---- Activations --------------------------------------------------------------------------------------------------------- */

/* x[i] = activation(x[i]) gate[i]; without gates, activation(x[i]). */
static void activate(float *x, const float *gate, int64_t size, int64_t activation) {
    for (int64_t i = 0; i < size; i += LANES) {
        vector result = activated(load_some(x + i, size - i), activation);
        store_some(x + i, gate ? result * load_some(gate + i, size - i) : result, size - i);
    }
}

/* ---- Norms and residual connections ---------------------------------------------------------------------------------------- */

/* y[r] = (x[r] - mean) / sqrt(variance + epsilon) weight + bias; of RMS norms the mean is not taken away. x and y may be the same. */
static void normalise(const Norm *norm, int64_t rows, int64_t dim, const float *x, float *y) {
    for (int64_t row = 0; row < rows; ++row, x += dim, y += dim) {
        if (norm->kind == NO_NORM) {
            if (x != y) memcpy(y, x, dim * sizeof(float));
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

/* ---- Layers ---------------------------------------------------------------------------------------------------------------- */

/* The memory that a call computes in. */
typedef struct {
    float *beside;                       /* `model_dim` numbers for each row, for layers whose sublayers are parallel */
    float *numbers;                      /* for each row */
    const int32_t *of_cells, *of_source; /* lists of allowed keys, of each row and of each sentence */
    float *of_lookups;                   /* `room_of_lookup` for each thread */
    Resources resources;                 /* of products */
} Room;

/* Which of all rows is the one that is computed in this place. */
INLINE int64_t number_of(const Input *input, int64_t row) { return input->rows ? input->rows[row] : row; }

/* Queries, keys and values of all rows, side by side: the heads of the first two normalised, and turned by their positions. */
static void project(const Attention *attention, const Input *input, const float *x, float *projected, const Resources *resources) {
    const Distances *distances = &attention->distances;
    int64_t heads = attention->num_heads, kv_heads = attention->num_kv_heads, dim = attention->head_dim;
    multiply(&attention->input, input->num_rows, x, projected, resources);
    for (int64_t row = 0; row < input->num_rows; ++row, projected += attention->input.out) {
        float *keys = projected + heads * dim;
        if (attention->query_norm.kind) normalise(&attention->query_norm, heads, dim, projected, projected);
        if (attention->key_norm.kind) normalise(&attention->key_norm, kv_heads, dim, keys, keys);
        if (distances->rotated) rotate(distances, input->positions[number_of(input, row)], projected, heads + kv_heads, dim);
    }
}

/* Keys and values of all rows, written into their cells. */
static void fill_cells(const Attention *attention, const Input *input, const float *projected, float *cells) {
    int64_t heads = attention->num_heads, kv_heads = attention->num_kv_heads, dim = attention->head_dim;
    int64_t of_head = input->num_cells * dim, all_keys = input->num_sentences * kv_heads * of_head;
    for (int64_t row = 0; row < input->num_rows; ++row) {
        const float *newer = projected + row * attention->input.out + heads * dim;
        int64_t number = number_of(input, row);
        float *keys = cells + number / input->width * kv_heads * of_head + input->newest[number] * dim;
        for (int64_t head = 0; head < kv_heads; ++head, keys += of_head) {
            memcpy(keys, newer + head * dim, dim * sizeof(float));
            memcpy(keys + all_keys, newer + (kv_heads + head) * dim, dim * sizeof(float));
        }
    }
}

/* The heads of all rows look into their past, or into the other positions. `y` is the input, and then the output. */
static void look_back(const Attention *attention, const Input *input, float *cells, float *y, const Room *room) {
    int64_t heads = attention->num_heads, kv_heads = attention->num_kv_heads, dim = attention->head_dim, width = input->width;
    int64_t rows = input->num_rows, row_size = attention->input.out;
    float *projected = room->numbers, *contexts = projected + rows * row_size;
    project(attention, input, y, projected, &room->resources);
    Lookup lookup = {.attention = attention, .num_rows = rows, .width = width, .rows = input->rows, .queries = projected,
                     .query_size = row_size, .contexts = contexts, .room = room->of_lookups};
    if (cells) {
        int64_t of_head = input->num_cells * dim;
        fill_cells(attention, input, projected, cells);
        lookup.keys = (Vectors){cells, kv_heads * of_head, of_head, dim}, lookup.values = lookup.keys;
        lookup.values.first += input->num_sentences * kv_heads * of_head;
        lookup.num_keys = input->num_cells, lookup.allowed = room->of_cells, lookup.has_own_lists = 1;
        lookup.step = input->step, lookup.steps = input->steps, lookup.step_of = input->step_of;
    } else {
        lookup.keys = (Vectors){projected + heads * dim, width * row_size, dim, row_size}, lookup.values = lookup.keys;
        lookup.values.first += kv_heads * dim;
        lookup.num_keys = width, lookup.allowed = room->of_source;
    }
    look_up_all(&lookup, room->resources.num_threads);
    multiply(&attention->output, rows, contexts, y, &room->resources);
}

/* state = keep state + (1 - keep) new, with keep = sigmoid of what is projected; `y` is the input, and then relu(state). */
static void recur(const Linear *recurrence, const Input *input, float *states, int64_t dim, float *y, const Room *room) {
    multiply(recurrence, input->num_rows, y, room->numbers, &room->resources);
    for (int64_t row = 0; row < input->num_rows; ++row) {
        const float *keeps = room->numbers + row * 2 * dim, *newer = keeps + dim;
        float *state = states + number_of(input, row) * dim, *output = y + row * dim;
        for (int64_t i = 0; i < dim; i += LANES) {
            vector keep = sigmoid(load_some(keeps + i, dim - i));
            vector next = keep * load_some(state + i, dim - i) + (1.0f - keep) * load_some(newer + i, dim - i);
            store_some(state + i, next, dim - i);
            store_some(output + i, activated(next, RELU), dim - i);
        }
    }
}

/* The heads of all rows look at the source. */
static void look_at_source(const Layer *layer, const Input *input, int64_t index, float *y, const Room *room) {
    const Attention *attention = &layer->cross_attention;
    int64_t dim = attention->head_dim, rows = input->num_rows, of_head = input->source_length * dim;
    float *queries = room->numbers, *contexts = queries + rows * attention->input.out;
    multiply(&attention->input, rows, y, queries, &room->resources);
    normalise(&attention->query_norm, rows * attention->num_heads, dim, queries, queries);
    int64_t of_sentence = attention->num_kv_heads * of_head;
    const Lookup lookup = {.attention = attention, .num_rows = rows, .width = input->width, .rows = input->rows, .queries = queries,
                           .query_size = attention->input.out, .keys = {input->source_keys[index], of_sentence, of_head, dim},
                           .values = {input->source_values[index], of_sentence, of_head, dim}, .num_keys = input->source_length,
                           .allowed = room->of_source, .contexts = contexts, .room = room->of_lookups};
    look_up_all(&lookup, room->resources.num_threads);
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

/* The logits of the rows that are computed, bounded. */
static void cap_logits(const Stack *stack, const Input *input) {
    int64_t size = stack->output.out;
    for (int64_t row = 0; row < input->num_rows; ++row) {
        float *logits = input->logits + number_of(input, row) * size;
        for (int64_t i = 0; i < size; i += LANES)
            store_some(logits + i, soft_capped(load_some(logits + i, size - i), (float)stack->logit_cap), size - i);
    }
}

/* Whether all tokens and positions have a row in their tables. Padding may be a negative token. */
static int is_within(const Stack *stack, const Input *input) {
    for (int64_t row = 0; row < input->num_rows; ++row) {
        int64_t number = number_of(input, row);
        if (input->ids && input->ids[number] >= stack->num_tokens) return 0;
        if (!input->positions || !(stack->has_turns || (input->ids && stack->positions))) continue;
        if (input->positions[number] < 0 || input->positions[number] >= stack->num_positions) return 0;
    }
    return 1;
}

/* ---- Memory ---------------------------------------------------------------------------------------------------------------- */

/* How many numbers each row needs. */
static int64_t row_size(const Stack *stack) {
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
    return most + 3 * stack->model_dim;
}

static int64_t more(int64_t size, const Linear *map) { return map->out && room_of_map(map) > size ? room_of_map(map) : size; }

/* How many numbers products need. */
static int64_t room_of_products(const Stack *stack) {
    int64_t most = more(more(0, &stack->transform), &stack->output);
    for (int64_t i = 0; i < stack->num_layers; ++i) {
        const Layer *layer = stack->layers + i;
        const Linear *maps[] = {&layer->self_attention.input, &layer->self_attention.output, &layer->cross_attention.input,
                                &layer->cross_attention.output, &layer->recurrence, &layer->inner, &layer->gate, &layer->outer};
        for (size_t map = 0; map < sizeof maps / sizeof *maps; ++map) most = more(most, maps[map]);
    }
    return most;
}

/* The parts of a workspace: their first numbers, and where the last one ends. */
typedef struct {
    int64_t of_lookups, of_cells, of_source, of_adapters, of_products, end;
} Parts;

static Parts parts_of(const Stack *stack, const Input *input) {
    int64_t num_cells = input->cells ? input->num_cells : 0, length = input->source_length;
    Parts parts = {.of_lookups = input->num_rows * row_size(stack)};
    parts.of_cells = parts.of_lookups + input->num_threads * room_of_lookup(length > num_cells ? length : num_cells);
    parts.of_source = parts.of_cells + (num_cells ? input->num_rows * (num_cells + 1) : 0);
    parts.of_adapters = parts.of_source + input->num_sentences * (length + 1);
    parts.of_products = parts.of_adapters + input->num_rows;
    parts.end = parts.of_products + room_of_products(stack);
    return parts;
}

EXPORT int64_t regard_workspace_size(const Stack *stack, const Input *input) { return parts_of(stack, input).end; }

/* Sort a list of cells by when they were filled. The cells of padding before a prompt are filled anew after it, so that the order of
 * cells, and with it the last bit of sums, would depend on the longest prompt. */
static void sort_by_step(const int64_t *step_of, int32_t *list) {
    for (int32_t i = 2; i <= list[0]; ++i) {
        int32_t cell = list[i], at = i;
        for (; at > 1 && step_of[list[at - 1]] > step_of[cell]; --at) list[at] = list[at - 1];
        list[at] = cell;
    }
}

/* The memory of a call, with the lists of keys that its masks allow, and the adapter of each row. */
static Room prepared_room(const Stack *stack, const Input *input) {
    int64_t num_cells = input->cells ? input->num_cells : 0, length = input->source_length;
    Parts parts = parts_of(stack, input);
    float *all = input->workspace;
    int32_t *of_cells = (int32_t *)(all + parts.of_cells), *of_source = (int32_t *)(all + parts.of_source);
    for (int64_t row = 0; num_cells && row < input->num_rows; ++row) {
        int64_t number = number_of(input, row);
        int32_t *list = of_cells + row * (num_cells + 1);
        list_allowed(input->ancestry + number * num_cells, num_cells, list);
        if (!stack->layers->has_cross_attention) sort_by_step(input->step_of + number / input->width * num_cells, list);
    }
    for (int64_t sentence = 0; sentence < input->num_sentences; ++sentence)
        list_allowed(input->source_mask + sentence * length, length, of_source + sentence * (length + 1));
    int32_t *adapters = input->adapters ? (int32_t *)(all + parts.of_adapters) : NULL;
    for (int64_t row = 0; adapters && row < input->num_rows; ++row)
        adapters[row] = (int32_t)input->adapters[number_of(input, row) / input->width];
    int64_t size = input->num_rows * stack->model_dim;
    return (Room){.beside = all + size, .numbers = all + 2 * size, .of_cells = of_cells, .of_source = of_source,
                  .of_lookups = all + parts.of_lookups, .resources = {all + parts.of_products, input->num_threads, adapters}};
}

/* ---- A whole stack --------------------------------------------------------------------------------------------------------- */

static void run_layer(const Stack *stack, const Input *input, int64_t index, float *y, const Room *room) {
    const Layer *layer = stack->layers + index;
    int64_t rows = input->num_rows, dim = stack->model_dim;
    float *x = input->x, *z = room->beside;
    if (layer->is_parallel) normalise(&layer->feed_forward_residual.before, rows, dim, x, z);
    normalise(&layer->self_residual.before, rows, dim, x, y);
    if (layer->recurrence.out) recur(&layer->recurrence, input, input->states[index], dim, y, room);
    else look_back(&layer->self_attention, input, input->cells ? input->cells[index] : NULL, y, room);
    add(&layer->self_residual, rows, dim, x, y);
    if (layer->has_cross_attention) {
        normalise(&layer->cross_residual.before, rows, dim, x, y);
        look_at_source(layer, input, index, y, room);
        add(&layer->cross_residual, rows, dim, x, y);
    }
    if (!layer->is_parallel) z = y, normalise(&layer->feed_forward_residual.before, rows, dim, x, z);
    feed_forward(layer, rows, z, room);
    add(&layer->feed_forward_residual, rows, dim, x, z);
}

/* All layers of a stack, one after the other: a step of a decoder, whose cells are filled, or an encoder over its source. */
int64_t run_layers(const Stack *stack, const Input *input) {
    if (!is_within(stack, input)) return 0;
    int64_t rows = input->num_rows, dim = stack->model_dim;
    float *x = input->x, *y = input->workspace;
    const Room room = prepared_room(stack, input);
    if (input->ids) embed(stack, input, rows);
    for (int64_t i = 0; i < stack->num_layers; ++i) run_layer(stack, input, i, y, &room);
    if (!input->ids) return 1;
    normalise(&stack->last_norm, rows, dim, x, y);
    if (stack->transform.out) {
        multiply(&stack->transform, rows, y, x, &room.resources);
        activate(x, NULL, rows * dim, stack->transform_activation);
        normalise(&stack->transform_norm, rows, dim, x, y);
    }
    multiply_to(&stack->output, rows, y, input->logits, input->rows, &room.resources);
    if (stack->logit_cap) cap_logits(stack, input);
    return 1;
}

EXPORT int64_t regard_run(const Stack *stack, const Input *input) {
    begin_call();
    int64_t done = run_layers(stack, input);
    end_call();
    return done;
}

/* What the library was made from, so that one that is older than its source is not used. */
EXPORT const char *regard_source(void) { return SOURCE_DIGEST; }

/* The recurrent encoder-decoder: a direction of the encoder over all positions, and a step of the decoder for a few rows.
 *
 * As in layers.c, nothing is allocated, and each row is computed as if it were alone.
 */
#include "recurrent.h"

#include "functions.h"
#include "threads.h"

/* ---- Cells ----------------------------------------------------------------------------------------------------------------- */

/* From the gates of one row, what is read and what is remembered apart: the next state, in place. */
static void update(const Cell *cell, int64_t dim, const float *of_input, const float *of_hidden, float *hidden, float *state) {
    for (int64_t i = 0; i < dim; i += LANES) {
        int64_t count = dim - i;
        vector gates[4], before = load_some(hidden + i, count);
        for (int gate = 0; gate < (cell->is_lstm ? 4 : 2); ++gate)
            gates[gate] = load_some(of_input + gate * dim + i, count) + load_some(of_hidden + gate * dim + i, count);
        if (cell->is_lstm) {
            vector kept = sigmoid(gates[1]) * load_some(state + i, count);
            vector next = kept + sigmoid(gates[0]) * hyperbolic_tangent(gates[2]);
            store_some(state + i, next, count);
            store_some(hidden + i, sigmoid(gates[3]) * hyperbolic_tangent(next), count);
        } else {
            vector newer = load_some(of_input + 2 * dim + i, count) + sigmoid(gates[0]) * load_some(of_hidden + 2 * dim + i, count);
            vector keep = sigmoid(gates[1]);
            store_some(hidden + i, (1.0f - keep) * hyperbolic_tangent(newer) + keep * before, count);
        }
    }
}

/* ---- The encoder ----------------------------------------------------------------------------------------------------------- */

/* How many numbers `regard_read` computes in, for each sentence and once. */
EXPORT int64_t regard_room_of_reading(const Cell *cell, int64_t num_sentences) {
    return num_sentences * (3 * cell->hidden.in + cell->hidden.out + 1) + room_of_map(&cell->hidden);
}

/* One direction of an encoder. The states after each position of each source; 0 after the last one.
 *
 * `lengths`: [sentence]. `gates`: [sentence][position][stride], what was read, from the first gate of this direction on. `states`: the
 * same with another stride. `room`: `regard_room_of_reading` numbers. */
EXPORT void regard_read(const Cell *cell, int64_t is_backward, int64_t num_sentences, int64_t num_positions, const int64_t *lengths,
                        const float *gates, int64_t gate_stride, float *states, int64_t state_stride, float *room, int64_t num_threads) {
    int64_t dim = cell->hidden.in, size = num_sentences * dim;
    float *hidden = room, *state = hidden + size, *rows = state + size, *projected = rows + size;
    int32_t *open = (int32_t *)(projected + num_sentences * cell->hidden.out);
    const Resources resources = {(float *)(open + num_sentences), num_threads, NULL};
    begin_call();
    memset(hidden, 0, 2 * size * sizeof(float));
    for (int64_t time = 0; time < num_positions; ++time) {
        int64_t count = 0;
        for (int64_t sentence = 0; sentence < num_sentences; ++sentence) {
            if (lengths[sentence] <= time) memset(states + (sentence * num_positions + time) * state_stride, 0, dim * sizeof(float));
            else open[count++] = (int32_t)sentence;
        }
        for (int64_t i = 0; i < count; ++i) memcpy(rows + i * dim, hidden + open[i] * dim, dim * sizeof(float));
        multiply(&cell->hidden, count, rows, projected, &resources);
        for (int64_t i = 0; i < count; ++i) {
            int64_t sentence = open[i], position = is_backward ? lengths[sentence] - 1 - time : time;
            int64_t place = sentence * num_positions + position;
            float *newest = hidden + sentence * dim;
            update(cell, dim, gates + place * gate_stride, projected + i * cell->hidden.out, newest, state + sentence * dim);
            memcpy(states + place * state_stride, newest, dim * sizeof(float));
        }
    }
    end_call();
}

/* ---- The decoder ----------------------------------------------------------------------------------------------------------- */

INLINE int64_t number_of(const RecurrentInput *input, int64_t row) { return input->rows ? input->rows[row] : row; }

/* The width of [state, embedding, context]. */
static int64_t seen_dim(const Recurrent *model) { return 2 * model->model_dim + model->attention.value_dim; }

/* The parts of a workspace: their first numbers, and where the last one ends. Rows of `seen` are [state, embedding, context]. */
typedef struct {
    int64_t seen, queries, contexts, read, of_input, of_hidden, of_source, of_lookups, of_products, end;
} Parts;

static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static Parts parts_of(const Recurrent *model, const RecurrentInput *input) {
    int64_t rows = input->num_rows, dim = model->model_dim, of_value = model->attention.value_dim;
    Parts parts = {.queries = rows * seen_dim(model)};
    parts.contexts = parts.queries + 2 * rows * dim;
    parts.read = parts.contexts + rows * of_value;
    parts.of_input = parts.read + rows * (dim + of_value);
    parts.of_hidden = parts.of_input + rows * model->cell.input.out;
    parts.of_source = parts.of_hidden + rows * model->cell.hidden.out;
    parts.of_lookups = parts.of_source + input->num_sentences * (input->source_length + 1);
    parts.of_products = parts.of_lookups + input->num_threads * room_of_lookup(input->source_length);
    int64_t products = most(room_of_map(&model->cell.input), room_of_map(&model->cell.hidden));
    if (model->attention.input.out) products = most(products, room_of_map(&model->attention.input));
    parts.end = parts.of_products + most(products, most(room_of_map(&model->readout), room_of_map(&model->output)));
    return parts;
}

EXPORT int64_t regard_recurrent_workspace_size(const Recurrent *model, const RecurrentInput *input) { return parts_of(model, input).end; }

/* The states of all rows look at the source. `states`: [row][model_dim]; `queries` is room for as many numbers. */
static void look_at_source(const Recurrent *model, const RecurrentInput *input, const Parts *parts, const float *states, float *queries,
                           const Resources *resources) {
    const Attention *attention = &model->attention;
    int64_t length = input->source_length, dim = attention->head_dim, of_value = attention->value_dim;
    int32_t *allowed = (int32_t *)(input->workspace + parts->of_source);
    for (int64_t sentence = 0; sentence < input->num_sentences; ++sentence)
        list_allowed(input->source_mask + sentence * length, length, allowed + sentence * (length + 1));
    if (attention->input.out) multiply(&attention->input, input->num_rows, states, queries, resources);
    const Lookup lookup = {.attention = attention, .num_rows = input->num_rows, .width = input->width, .rows = input->rows,
                           .queries = attention->input.out ? queries : states, .query_size = dim,
                           .keys = {input->keys, length * dim, 0, dim}, .values = {input->memory, length * of_value, 0, of_value},
                           .num_keys = length, .allowed = allowed, .contexts = input->workspace + parts->contexts,
                           .room = input->workspace + parts->of_lookups};
    look_up_all(&lookup, resources->num_threads);
}

/* context = attention(state);  state = cell([embedding, context], state);  logits = output tanh(readout [state, embedding, context]) */
int64_t run_recurrent(const Recurrent *model, const RecurrentInput *input) {
    int64_t rows = input->num_rows, dim = model->model_dim, of_value = model->attention.value_dim;
    for (int64_t row = 0; row < rows; ++row)
        if (input->ids[number_of(input, row)] >= model->num_tokens) return 0;
    const Parts parts = parts_of(model, input);
    float *seen = input->workspace, *states = input->workspace + parts.queries, *queries = states + rows * dim;
    float *contexts = input->workspace + parts.contexts, *read = input->workspace + parts.read;
    float *of_input = input->workspace + parts.of_input, *of_hidden = input->workspace + parts.of_hidden;
    const Resources resources = {input->workspace + parts.of_products, input->num_threads, NULL};
    for (int64_t row = 0; row < rows; ++row)
        memcpy(states + row * dim, input->hidden + number_of(input, row) * dim, dim * sizeof(float));
    look_at_source(model, input, &parts, states, queries, &resources);
    for (int64_t row = 0; row < rows; ++row) {
        int64_t id = input->ids[number_of(input, row)];
        const float *of_token = model->embedding + (id > 0 ? id : 0) * dim;
        float *to = read + row * (dim + of_value);
        for (int64_t i = 0; i < dim; ++i) to[i] = of_token[i] * (float)model->scale;
        memcpy(to + dim, contexts + row * of_value, of_value * sizeof(float));
    }
    multiply(&model->cell.input, rows, read, of_input, &resources);
    multiply(&model->cell.hidden, rows, states, of_hidden, &resources);
    for (int64_t row = 0; row < rows; ++row) {
        int64_t number = number_of(input, row);
        float *hidden = input->hidden + number * dim, *to = seen + row * seen_dim(model);
        update(&model->cell, dim, of_input + row * model->cell.input.out, of_hidden + row * model->cell.hidden.out, hidden,
               input->cell ? input->cell + number * dim : NULL);
        memcpy(to, hidden, dim * sizeof(float));
        memcpy(to + dim, read + row * (dim + of_value), (dim + of_value) * sizeof(float));
    }
    multiply(&model->readout, rows, seen, states, &resources);
    for (int64_t i = 0; i < rows * dim; i += LANES)
        store_some(states + i, hyperbolic_tangent(load_some(states + i, rows * dim - i)), rows * dim - i);
    multiply_to(&model->output, rows, states, input->logits, input->rows, &resources);
    return 1;
}

EXPORT int64_t regard_run_recurrent(const Recurrent *model, const RecurrentInput *input) {
    begin_call();
    int64_t done = run_recurrent(model, input);
    end_call();
    return done;
}

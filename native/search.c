/* Beam search: what follows a model's logits, and whole steps of a model and a search in one call.
 *
 * As in layers.c, nothing is allocated, and each sentence is computed as if it were alone.
 */
#include "layers.h"
#include "recurrent.h"
#include "threads.h"
#include "vectors.h"

enum { CHUNK = 4 * LANES, BUFFER = 1024 };

/* log(sum of e^x). BUFFER numbers are read at a time, and sums are relative to the largest number so far, so that nothing
 * overflows. */
static float log_sum_exp(const float *x, int64_t size) {
    double total = 0, largest = -INFINITY;
    for (int64_t begin = 0; begin < size; begin += BUFFER) {
        int64_t end = begin + BUFFER < size ? begin + BUFFER : size, i = begin, whole = end - (end - begin) % WIDTH;
        float rest[WIDTH], highest = -INFINITY;
        vector most = all(-INFINITY), sums[PARTS] = {{0}};
        for (; i < whole; i += LANES) most = choose(load(x + i) > most, load(x + i), most);
        for (int lane = 0; lane < LANES; ++lane) highest = most[lane] > highest ? most[lane] : highest;
        for (; i < end; ++i) highest = x[i] > highest ? x[i] : highest;
        if (highest == -INFINITY) continue;
        for (int at = 0; at < WIDTH; ++at) rest[at] = whole + at < end ? x[whole + at] : -INFINITY;
        for (i = begin; i < whole; i += WIDTH)
            for (int part = 0; part < PARTS; ++part) sums[part] += exponential(load(x + i + part * LANES) - highest);
        for (int part = 0; part < PARTS; ++part) /* e^-87 for what is missing, which is nothing beside e^0 */
            sums[part] += exponential(load(rest + part * LANES) - highest);
        double sum = sum_of(sums);
        if (highest <= largest)
            total += sum * exp(highest - largest);
        else
            total = total * exp(largest - highest) + sum, largest = highest;
    }
    return (float)(largest + log(total));
}

EXPORT void regard_log_softmax(int64_t rows, int64_t size, const float *x, float *y) {
    for (int64_t row = 0; row < rows; ++row, x += size, y += size) {
        float total = log_sum_exp(x, size);
        for (int64_t i = 0; i < size; ++i) y[i] = x[i] - total;
    }
}

/* Continuations of the hypotheses of one sentence: scores of the whole, what they continue, the token, its own log-probability. */
typedef struct {
    float *best;
    int64_t *parents, *ids;
    float *added;
} Candidates;

/* The `count` continuations of highest scores[beam] + (logits[beam][token] - totals[beam]), best first; of equal ones, the last, as
 * the end symbol is among the first tokens and should not win for that. Where there are fewer, the rest has -inf. Tokens are
 * compared a chunk at a time with the worst that is kept. Without `totals`, logits are log-probabilities. */
static void find_candidates(int64_t beams, int64_t vocab_size, int64_t count, const float *scores, const float *logits,
                            const float *totals, Candidates to) {
    for (int64_t i = 0; i < count; ++i) to.best[i] = -INFINITY, to.parents[i] = to.ids[i] = 0, to.added[i] = -INFINITY;
    for (int64_t beam = 0; beam < beams; ++beam, logits += vocab_size) {
        float score = scores[beam], less = totals ? totals[beam] : 0;
        for (int64_t begin = 0; score > -INFINITY && begin < vocab_size; begin += CHUNK) {
            int64_t end = begin + CHUNK < vocab_size ? begin + CHUNK : vocab_size;
            if (end - begin == CHUNK) {
                vector highest = load(logits + begin);
                for (int64_t i = begin + LANES; i < end; i += LANES) {
                    vector next = load(logits + i);
                    highest = choose(next > highest, next, highest);
                }
                vector sums = (highest - less) + score;
                integers above = (sums >= all(to.best[count - 1])) & (sums > all(-INFINITY));
                int32_t found = 0;
                for (int i = 0; i < LANES; ++i) found |= above[i];
                if (!found) continue;
            }
            for (int64_t token = begin; token < end; ++token) {
                float log_prob = logits[token] - less, sum = score + log_prob;
                if (!(sum >= to.best[count - 1] && sum > -INFINITY)) continue;
                int64_t at = count - 1;
                for (; at > 0 && sum >= to.best[at - 1]; --at)
                    to.best[at] = to.best[at - 1], to.parents[at] = to.parents[at - 1], to.ids[at] = to.ids[at - 1],
                    to.added[at] = to.added[at - 1];
                to.best[at] = sum, to.parents[at] = beam, to.ids[at] = token, to.added[at] = log_prob;
            }
        }
    }
}

EXPORT void regard_candidates(int64_t num_sentences, int64_t beams, int64_t vocab_size, int64_t count, const float *scores,
                              const float *log_probs, Candidates to) {
    for (int64_t sentence = 0; sentence < num_sentences; ++sentence) {
        find_candidates(beams, vocab_size, count, scores, log_probs, NULL, to);
        scores += beams, log_probs += beams * vocab_size;
        to.best += count, to.parents += count, to.ids += count, to.added += count;
    }
}

/* A search without groups and phrases. What changes with each step is written in place. */
typedef struct {
    int64_t num_sentences, beams, vocab_size, room, end_id;
    int64_t *lengths;             /* [sentence]: tokens written */
    const int64_t *limits, *minima; /* [sentence]: how many may be, and how many must be before the end symbol */
    int64_t prefix_room;
    const int64_t *prefixes;      /* [sentence][prefix_room]: what targets must begin with, then -1 */
    int64_t num_banned;
    const int64_t *banned;        /* tokens that are never chosen */
    int64_t *newest;              /* [sentence][beam]: the newest token of each hypothesis */
    float *scores;                /* [sentence][beam]: -inf where there is no hypothesis */
    int64_t *ids;                 /* [sentence][beam][room]: what was written */
    float *token_log_probs;
    float *logits, *totals;       /* [sentence][beam][token], [sentence][beam]: see `find_candidates` */
    /* Of a call: what each hypothesis continues, those that finished in any order, and after the last step the number of sentences
     * that can write nothing, and of hypotheses that repeat themselves. */
    int64_t *parents;             /* [sentence][beam] */
    int64_t num_ended, *ended;    /* [ended][3]: the sentence, the newest token, and how many were written before */
    float *ended_scores;          /* [ended][2]: the score of the whole and the log-probability of that token */
    int64_t *ended_ids;           /* [ended][room]: what was written before */
    float *ended_log_probs;
    int64_t num_blocked;
    uint8_t *is_blocked;          /* [sentence] */
    int64_t loop_tokens, longest_block; /* a hypothesis repeats itself if its last `loop_tokens` are one block, again and again */
    int64_t num_repeating;
    int64_t num_undefined;        /* rows of the last step whose logits give no probabilities: one is NaN or +inf, or all are -inf */
    /* What ends a call of several steps. */
    int64_t most_steps;
    const int64_t *interrupt;     /* not 0: another thread wants it to end */
    int64_t most_ended;           /* places in `ended` */
    int64_t num_steps;            /* that the call took */
    uint8_t *is_open;             /* [sentence]: whether it had a hypothesis when the call began */
    int64_t num_best, stops_early; /* when the search of a sentence is done: see `goes_on` */
    const double *normalizers;    /* [length]: what the score of a hypothesis is divided by, to compare it with others */
    int64_t *num_finished;        /* [sentence]: hypotheses that have finished */
    double *best_finished;        /* [sentence][num_best]: the scores of the best of them, divided so, the best first */
    /* Room for one sentence. */
    Candidates candidates;        /* [2 beams] */
    int64_t *old_ids;             /* [beam][room] */
    float *old_log_probs;
    uint8_t *old_ancestry;        /* [beam][cell] */
    float *old_states;            /* [beam][model_dim], for recurrent models and layers */
    int64_t *rows;                /* [sentence][beam], for whole steps */
} Search;

/* Each hypothesis of one sentence takes over what its parent has. `size`: bytes of one, of which `used` have a meaning. */
static void follow(int64_t beams, const int64_t *parents, void *all_of_them, void *old, int64_t size, int64_t used) {
    char *to = all_of_them, *from = old;
    for (int64_t beam = 0; beam < beams; ++beam) memcpy(from + beam * size, to + beam * size, used);
    for (int64_t beam = 0; beam < beams; ++beam) memcpy(to + beam * size, from + parents[beam] * size, used);
}

static int is_token(const Search *search, int64_t id) { return 0 <= id && id < search->vocab_size; }

/* Logits of tokens that one sentence may not write become -inf. The log-probabilities of others stay what they are. */
static void forbid(const Search *search, int64_t sentence, float *logits) {
    int64_t length = search->lengths[sentence];
    int64_t only = length < search->prefix_room ? search->prefixes[sentence * search->prefix_room + length] : -1;
    for (int64_t beam = 0; beam < search->beams; ++beam, logits += search->vocab_size) {
        if (only >= 0) {
            for (int64_t id = 0; id < search->vocab_size; ++id)
                if (id != only) logits[id] = -INFINITY;
            continue;
        }
        for (int64_t i = 0; i < search->num_banned; ++i)
            if (is_token(search, search->banned[i])) logits[search->banned[i]] = -INFINITY;
        if (length + 1 < search->minima[sentence] && is_token(search, search->end_id)) logits[search->end_id] = -INFINITY;
    }
}

/* A hypothesis of a sentence has finished. */
static void note_finished(Search *search, int64_t sentence, double score) {
    double *best = search->best_finished + sentence * search->num_best;
    int64_t known = search->num_finished[sentence]++, at = known < search->num_best ? known : search->num_best;
    for (; at > 0 && score > best[at - 1]; --at)
        if (at < search->num_best) best[at] = best[at - 1];
    if (at < search->num_best) best[at] = score;
}

/* The largest score of a sentence's hypotheses; -inf: it has none. */
static float best_score(const Search *search, int64_t sentence) {
    const float *scores = search->scores + sentence * search->beams;
    float best = -INFINITY;
    for (int64_t beam = 0; beam < search->beams; ++beam) best = scores[beam] > best ? scores[beam] : best;
    return best;
}

/* Whether a hypothesis of a sentence can still become one of the best that finish: `BeamSearch.goes_on` has the same rule. */
static int goes_on(const Search *search, int64_t sentence) {
    double best = best_score(search, sentence);
    const double *finished = search->best_finished + sentence * search->num_best;
    int64_t length = search->lengths[sentence], known = search->num_finished[sentence];
    if (best == -INFINITY) return 0;
    if (search->stops_early && known >= search->beams) return best / search->normalizers[length] > finished[0];
    return known < search->num_best || best / search->normalizers[search->limits[sentence]] > finished[search->num_best - 1];
}

/* Whether the newest tokens of a hypothesis are one block of tokens, again and again. */
static int repeats_itself(const Search *search, const int64_t *ids, int64_t length) {
    if (length < search->loop_tokens) return 0;
    const int64_t *newest = ids + length - search->loop_tokens;
    for (int64_t size = 1; size <= search->longest_block; ++size) {
        int64_t i = size;
        while (i < search->loop_tokens && newest[i] == newest[i - size]) ++i;
        if (i == search->loop_tokens) return 1;
    }
    return 0;
}

/* One more token for each hypothesis of one sentence. The best `beams` candidates finish where they end; the best that go on are
 * the new hypotheses. */
static void advance_one(Search *search, int64_t sentence) {
    int64_t beams = search->beams, count = 2 * beams, room = search->room, first = sentence * beams, kept = 0;
    int64_t length = search->lengths[sentence], *parents = search->parents + first, *newest = search->newest + first;
    int64_t *ids = search->ids + first * room;
    float *scores = search->scores + first, *log_probs = search->token_log_probs + first * room;
    Candidates found = search->candidates;
    int is_active = 0;
    for (int64_t beam = 0; beam < beams; ++beam) parents[beam] = beam, is_active |= scores[beam] > -INFINITY;
    search->is_blocked[sentence] = 0;
    if (!is_active) return;
    find_candidates(beams, search->vocab_size, count, scores, search->logits + first * search->vocab_size,
                    search->totals ? search->totals + first : NULL, found);
    if (found.best[0] == -INFINITY) {
        search->is_blocked[sentence] = 1, ++search->num_blocked;
        return;
    }
    int64_t next_parents[beams], next_ids[beams];
    float next_scores[beams], added[beams];
    for (int64_t i = 0; i < count; ++i) {
        int stops = found.ids[i] == search->end_id || length + 1 >= search->limits[sentence];
        if (stops && i < beams && found.best[i] > -INFINITY) {
            int64_t to = search->num_ended++, from = found.parents[i] * room;
            search->ended[3 * to] = sentence, search->ended[3 * to + 1] = found.ids[i], search->ended[3 * to + 2] = length;
            search->ended_scores[2 * to] = found.best[i], search->ended_scores[2 * to + 1] = found.added[i];
            memcpy(search->ended_ids + to * room, ids + from, length * sizeof(int64_t));
            memcpy(search->ended_log_probs + to * room, log_probs + from, length * sizeof(float));
            note_finished(search, sentence, found.best[i] / search->normalizers[length + 1]);
        }
        if (stops || kept == beams) continue;
        next_scores[kept] = found.best[i], next_parents[kept] = found.parents[i];
        next_ids[kept] = found.ids[i], added[kept++] = found.added[i];
    }
    for (; kept < beams; ++kept) next_scores[kept] = added[kept] = -INFINITY, next_parents[kept] = next_ids[kept] = 0;
    memcpy(parents, next_parents, sizeof next_parents), memcpy(newest, next_ids, sizeof next_ids);
    memcpy(scores, next_scores, sizeof next_scores);
    follow(beams, parents, ids, search->old_ids, room * sizeof(int64_t), length * sizeof(int64_t));
    follow(beams, parents, log_probs, search->old_log_probs, room * sizeof(float), length * sizeof(float));
    for (int64_t beam = 0; beam < beams && length < room; ++beam)
        ids[beam * room + length] = newest[beam], log_probs[beam * room + length] = added[beam];
    ++search->lengths[sentence];
}

/* One step of a search, from the logits that `search` points to. Free slots and blocked sentences stay as they are. */
static void advance(Search *search) {
    search->num_blocked = search->num_repeating = 0;
    for (int64_t sentence = 0; sentence < search->num_sentences; ++sentence) {
        advance_one(search, sentence);
        for (int64_t row = sentence * search->beams; row < (sentence + 1) * search->beams; ++row)
            if (search->scores[row] > -INFINITY)
                search->num_repeating += repeats_itself(search, search->ids + row * search->room, search->lengths[sentence]);
    }
}

EXPORT void regard_advance(Search *search) {
    search->num_ended = 0;
    advance(search);
}

/* The first free cells of each sentence with a hypothesis, one for each of its rows, become their newest. 0: there are too few, and
 * nothing was done. */
static int64_t take_cells(const Search *search, const Input *input) {
    int64_t beams = input->width, num_cells = input->num_cells;
    for (int64_t sentence = 0; sentence < input->num_sentences; ++sentence) {
        const uint8_t *rows = input->ancestry + sentence * beams * num_cells;
        int64_t found = 0, is_free = best_score(search, sentence) == -INFINITY;
        for (int64_t cell = 0; cell < num_cells && found < beams; ++cell) {
            uint8_t taken = 0;
            for (int64_t beam = 0; beam < beams && !is_free; ++beam) taken |= rows[beam * num_cells + cell];
            if (!taken) input->newest[sentence * beams + found++] = cell;
        }
        if (found < beams) return 0;
    }
    for (int64_t row = 0; row < input->num_sentences * beams; ++row) {
        input->positions[row] = input->step - input->first_step[row / beams];
        if (best_score(search, row / beams) == -INFINITY) continue;
        input->ancestry[row * num_cells + input->newest[row]] = 1;
        input->step_of[row / beams * num_cells + input->newest[row]] = input->step;
    }
    return 1;
}

/* The sums by which logits become log-probabilities, of some of the rows that are computed. */
static void sum_rows(const void *task, int64_t thread, int64_t begin, int64_t end) {
    const Search *search = task;
    (void)thread;
    for (int64_t i = begin; i < end; ++i)
        search->totals[search->rows[i]] = log_sum_exp(search->logits + search->rows[i] * search->vocab_size, search->vocab_size);
}

/* ---- Whole steps of a model and a search, which share the newest tokens and the logits ------------------------------------- */

/* Rows with a hypothesis become those that are computed. How many there are. */
static int64_t list_rows(const Search *search) {
    int64_t found = 0;
    for (int64_t row = 0; row < search->num_sentences * search->beams; ++row)
        if (search->scores[row] > -INFINITY) search->rows[found++] = row;
    return found;
}

/* A step of the search from the logits of some rows. */
static void choose_tokens(Search *search, int64_t num_rows, int64_t num_threads) {
    share_items(num_threads, 32 * num_rows * search->vocab_size, num_rows, sum_rows, search);
    search->num_undefined = 0;
    for (int64_t i = 0; i < num_rows; ++i) search->num_undefined += !isfinite(search->totals[search->rows[i]]);
    for (int64_t sentence = 0; sentence < search->num_sentences; ++sentence)
        forbid(search, sentence, search->logits + sentence * search->beams * search->vocab_size);
    advance(search);
}

/* Each hypothesis takes over its parent's state. */
static void follow_states(const Search *search, float *states, int64_t dim) {
    int64_t size = dim * sizeof(float);
    for (int64_t first = 0; first < search->num_sentences * search->beams; first += search->beams)
        follow(search->beams, search->parents + first, states + first * dim, search->old_states, size, size);
}

/* A step of a model and a search. 0: there were too few free cells, and nothing was done; -1: a token or a position is beyond its
 * table. */
typedef int64_t Step(const void *model, void *input, Search *search);

static int64_t step_of_layers(const void *model, void *given, Search *search) {
    const Stack *stack = model;
    Input *input = given;
    int64_t beams = search->beams, cells = input->num_cells;
    if (!take_cells(search, input)) return 0;
    input->rows = search->rows, input->num_rows = list_rows(search);
    if (!run_layers(stack, input)) return -1;
    choose_tokens(search, input->num_rows, input->num_threads);
    for (int64_t first = 0; first < search->num_sentences * beams; first += beams)
        follow(beams, search->parents + first, input->ancestry + first * cells, search->old_ancestry, cells, cells);
    for (int64_t i = 0; i < stack->num_layers; ++i)
        if (stack->layers[i].recurrence.out) follow_states(search, input->states[i], stack->model_dim);
    ++input->step;
    return 1;
}

static int64_t recurrent_step(const void *recurrent, void *given, Search *search) {
    const Recurrent *model = recurrent;
    RecurrentInput *input = given;
    input->rows = search->rows, input->num_rows = list_rows(search);
    if (!run_recurrent(model, input)) return -1;
    choose_tokens(search, input->num_rows, input->num_threads);
    follow_states(search, input->hidden, model->model_dim);
    if (input->cell) follow_states(search, input->cell, model->model_dim);
    return 1;
}

/* Whether Python has something to do before the next step. */
static int is_over(const Search *search) {
    int64_t rows = search->num_sentences * search->beams;
    if (search->num_steps >= search->most_steps || __atomic_load_n(search->interrupt, __ATOMIC_RELAXED)) return 1;
    if (search->num_undefined || search->num_blocked || search->num_repeating || search->num_ended + rows > search->most_ended) return 1;
    for (int64_t sentence = 0; sentence < search->num_sentences; ++sentence)
        if (search->is_open[sentence] && !goes_on(search, sentence)) return 1;
    return 0;
}

/* Steps until Python has something to do: one at least, if there are cells for it. What the last step returned. */
static int64_t take_steps(Step step, const void *model, void *input, Search *search) {
    int64_t done;
    search->num_steps = search->num_ended = 0;
    for (int64_t sentence = 0; sentence < search->num_sentences; ++sentence)
        search->is_open[sentence] = best_score(search, sentence) > -INFINITY;
    begin_call();
    do {
        done = step(model, input, search);
        search->num_steps += done > 0;
    } while (done > 0 && !is_over(search));
    end_call();
    return done;
}

EXPORT int64_t regard_search_steps(const Stack *stack, Input *input, Search *search) {
    return take_steps(step_of_layers, stack, input, search);
}

EXPORT int64_t regard_recurrent_search_steps(const Recurrent *model, RecurrentInput *input, Search *search) {
    return take_steps(recurrent_step, model, input, search);
}

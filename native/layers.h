/* What the functions of layers.c are given. Matrices are in rows, one after the other. `library.py` has the same structures. */
#ifndef REGARD_LAYERS_H
#define REGARD_LAYERS_H

#include "attention.h"

/* x = after(x + made(sublayer(before(x)))): pre-norm has `before`, post-norm `after`, and sandwich norm `before` and `made`. */
typedef struct {
    Norm before, made, after;
} Residual;

typedef struct {
    Residual self_residual, cross_residual, feed_forward_residual;
    Attention self_attention, cross_attention;
    int64_t has_cross_attention;
    int64_t is_parallel; /* whether the feed-forward layer reads what self-attention reads, and not also what that adds */
    Linear recurrence; /* in the place of self-attention, an SSRU: what is kept and what is new side by side; without it its `out` is 0 */
    Linear inner, gate, outer; /* of the feed-forward layer; without a gate its `out` is 0 */
    int64_t activation;
} Layer;

typedef struct {
    int64_t num_layers, model_dim;
    int64_t has_turns;      /* whether a layer turns queries and keys by their positions */
    const Layer *layers;
    /* What stands before the layers and after them; used where the input has `ids`. */
    const float *embedding; /* [token][model_dim] */
    int64_t num_tokens;     /* that may be read */
    double scale;           /* of embeddings */
    const float *positions; /* [position][model_dim], added to embeddings; NULL: nothing is */
    int64_t num_positions;  /* rows of `positions`, and of the `turns` of attention */
    Norm embedding_norm, last_norm;
    Linear transform; /* x = norm(activation(x W + b)) before the output; without it its `out` is 0 */
    int64_t transform_activation;
    Norm transform_norm;
    Linear output;    /* of a decoder, to the vocabulary; of an encoder, to the keys and values of all layers that look at it */
    double logit_cap; /* logits x are cap tanh(x / cap); 0: there is no cap */
} Stack;

typedef struct {
    int64_t num_sentences, width; /* hypotheses of each sentence, or positions */
    int64_t num_rows;             /* how many of them are computed */
    const int64_t *rows;          /* [num_rows]: which, in order; NULL: all. `x` has only those */
    float *x;                     /* [sentence][width][model_dim], read, where there are no `ids`, and written */
    const int64_t *ids;           /* [sentence][width]: the newest tokens; NULL: `x` is given */
    int64_t *positions;           /* [sentence][width]; NULL where nothing depends on them */
    float *logits;                /* [sentence][width][output], written where there are `ids` */
    float *workspace;             /* `regard_workspace_size` numbers */
    int64_t num_threads;          /* that may compute; no number depends on it */
    const int64_t *adapters;      /* [sentence]: the number of its adapter, 0 for none; NULL: no sentence has one */
    /* Of a decoder: the past. Of an encoder, `cells` is NULL. */
    float *const *cells;          /* of each layer: [2][sentence][kv_head][cell][head_dim] */
    float *const *states;         /* of each layer with a recurrence: [sentence][width][model_dim], read and written */
    int64_t num_cells;
    int64_t step;                 /* of all rows */
    const int64_t *steps;         /* [sentence][width]: that of each row; NULL: all have `step` */
    const int64_t *first_step;    /* [sentence]: the step of its first token */
    uint8_t *ancestry;            /* [sentence][width][cell]: whether a row may see a cell */
    int64_t *newest;              /* [sentence][width]: the cell that each row fills */
    int64_t *step_of;             /* [sentence][cell]: the step at which each cell was filled */
    /* The source, for cross-attention; without it `source_keys` is NULL. Of a source itself, only the mask. */
    const float *const *source_keys, *const *source_values; /* of each layer: [sentence][kv_head][source][head_dim] */
    int64_t source_length;
    const uint8_t *source_mask;   /* [sentence][source] */
} Input;

/* All layers, see layers.c. 0: a token or a position is beyond its table, and nothing was done. */
int64_t run_layers(const Stack *stack, const Input *input);

#endif

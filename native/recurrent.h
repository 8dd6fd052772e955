/* The recurrent encoder-decoder with attention: what the functions of recurrent.c are given. `library.py` has the same structures. */
#ifndef REGARD_RECURRENT_H
#define REGARD_RECURRENT_H

#include "attention.h"

/* A GRU, or an LSTM, with its gates side by side in PyTorch's order: reset, update, new; or input, forget, new, output. */
typedef struct {
    Linear input, hidden; /* of what is read, and of the state before */
    int64_t is_lstm;
} Cell;

typedef struct {
    const float *embedding; /* [token][model_dim] */
    int64_t num_tokens, model_dim;
    double scale;           /* of embeddings */
    Attention attention;    /* one head, without `output`; its `input` makes the query of the state, and its `out` may be 0: the state is the query */
    Cell cell;              /* reads a token's embedding and the context side by side */
    Linear readout;         /* tanh(W [state, embedding, context] + b) */
    Linear output;          /* to the vocabulary */
} Recurrent;

typedef struct {
    int64_t num_sentences, width; /* hypotheses of each sentence */
    int64_t num_rows;             /* how many of them are computed */
    const int64_t *rows;          /* [num_rows]: which, in order; NULL: all */
    const int64_t *ids;           /* [sentence][width]: the newest tokens */
    float *hidden, *cell;         /* [sentence][width][model_dim], read and written; of a GRU, `cell` is NULL */
    float *logits;                /* [sentence][width][vocab_size] */
    const float *keys, *memory;   /* [sentence][source][model_dim], and [value_dim] */
    int64_t source_length;
    const uint8_t *source_mask;   /* [sentence][source] */
    float *workspace;             /* `regard_recurrent_workspace_size` numbers */
    int64_t num_threads;          /* that may compute; no number depends on it */
} RecurrentInput;

/* A step of the decoder, see recurrent.c. 0: a token is beyond the table, and nothing was done. */
int64_t run_recurrent(const Recurrent *model, const RecurrentInput *input);

#endif

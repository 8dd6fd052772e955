/* Attention of many heads: a query looks up keys, and gets the mean of their values. `library.py` has the same structures. */
#ifndef REGARD_ATTENTION_H
#define REGARD_ATTENTION_H

#include "linear.h"

enum { NO_NORM, LAYER_NORM, RMS_NORM };

typedef struct {
    int64_t kind;
    const float *weight, *bias; /* NULL: ones, zeros */
    double epsilon;
} Norm;

/* What attention knows of the distance from a key to its query. Tables have a row for each distance, from -`num_after`, of keys that
 * stand after the query, to `num_before`. Farther keys have the row of the farthest. */
typedef struct {
    int64_t window;             /* only keys nearer than this are seen; 0: all */
    int64_t num_before, num_after;
    const float *bias;          /* [head][distance], added to scores; NULL: nothing is */
    const float *key_vectors;   /* [distance][head_dim], which queries are compared with; NULL: none */
    int64_t compares_keys;      /* whether keys are compared with them as well */
    const float *value_vectors; /* [distance][head_dim], added to values; NULL: none */
    int64_t rotated, interleaved; /* how many dimensions of a head turn, 0: none; and whether neighbours are pairs */
    const float *turns;         /* [position][rotated]: the cosines, then the sines by which pairs of dimensions turn */
} Distances;

typedef struct {
    Linear input;  /* self-attention: queries, keys and values side by side; cross-attention: queries */
    Linear output;
    int64_t num_heads, num_kv_heads, head_dim, value_dim; /* the widths of queries and keys, and of values */
    double factor;              /* of the scores */
    double cap;                 /* scores s are cap tanh(s / cap); 0: there is no cap */
    const float *score_vector;  /* [head_dim]: scores are score_vector . tanh(query + key); NULL: factor query . key */
    Norm query_norm, key_norm; /* of each head */
    Distances distances;
} Attention;

/* Vectors of some sentences, heads and keys: the first one, and how far it is from one to the next. */
typedef struct {
    const float *first;
    int64_t of_sentence, of_head, of_key;
} Vectors;

/* Where the heads of some rows look, and where their contexts go. */
typedef struct {
    const Attention *attention;
    int64_t num_rows, width;              /* that are computed; of each sentence */
    const int64_t *rows;                  /* [num_rows]: which of all rows they are; NULL: all */
    const float *queries;                 /* of the first row */
    int64_t query_size;                   /* from one row to the next */
    Vectors keys, values;
    int64_t num_keys;
    const int32_t *allowed;               /* lists of `list_allowed` */
    int64_t has_own_lists;                /* whether each row has one, or each sentence */
    int64_t step;                         /* of all queries */
    const int64_t *steps, *step_of;       /* [sentence][width], [sentence][key]: when queries, and keys, were written */
    float *contexts;                      /* [row][head][value_dim] */
    float *room;                          /* `room_of_lookup` numbers for each thread */
} Lookup;

/* How many numbers a thread needs to look up among so many keys. */
int64_t room_of_lookup(int64_t num_keys);

/* For each row of a mask, how many keys it allows, and then their numbers: `num_keys` + 1 places a row. */
void list_allowed(const uint8_t *mask, int64_t num_keys, int32_t *list);

/* Queries or keys turned by the angle of their position. */
void rotate(const Distances *distances, int64_t position, float *heads, int64_t num_heads, int64_t head_dim);

/* The contexts of all heads of all rows. Without `step_of`, rows and keys are the positions of one text. */
void look_up_all(const Lookup *lookup, int64_t num_threads);

#endif

/* Several threads for one piece of work. */
#ifndef REGARD_THREADS_H
#define REGARD_THREADS_H

#include <stdint.h>

/* Computes items `begin` to `end` of a task, which must not depend on each other. `thread` is below the number of threads. */
typedef void (*Items)(const void *task, int64_t thread, int64_t begin, int64_t end);

/* Compute `count` items with at most `num_threads` threads, of which the caller is one; less one for each other call that is under
 * way. If the others are at work for somebody else, the caller does everything.
 *
 * `work`: how many numbers are read or multiplied for all items, in the time of a product's. Little is not worth waking a thread. */
void share_items(int64_t num_threads, int64_t work, int64_t count, Items compute, const void *task);

/* The same in training, with PyTorch's own threads where it has told them (`regard_use_team`): after a product, these wait for the next
 * one in a loop, and others would have to share the processors with them. `work`: how many numbers are read or written. */
void share_in_team(int64_t num_threads, int64_t work, int64_t count, Items compute, const void *task);

/* A call of the library begins, and ends. */
void begin_call(void);
void end_call(void);

#endif

/* PyTorch's own threads for one piece of work: the team of OpenMP that computes its products. */
#include <string.h>

#include "threads.h"
#include "vectors.h"

#define PARTS_OF_A_THREAD 4
#define WORTH 32768 /* numbers that are worth several threads: PyTorch's own limit */
#define DEARER 32   /* how much longer a number takes here than in a product, which is what `share_items` counts in */

static struct {
    void (*fork)(void (*)(void *), void *, unsigned, unsigned); /* all threads of the team run a function */
    int (*number)(void);                                        /* of a thread in its team */
} openmp;

/* Functions of OpenMP's library, as GCC's programs call them: `GOMP_parallel` and `omp_get_thread_num`. */
EXPORT void regard_use_team(void *fork, void *number) {
    memcpy(&openmp.fork, &fork, sizeof fork);
    memcpy(&openmp.number, &number, sizeof number);
}

typedef struct {
    Items compute;
    const void *task;
    int64_t count, together, next; /* `next` is changed by all threads */
} Work;

/* Take parts until there are none. */
static void take_parts(void *given) {
    Work *work = given;
    for (int64_t thread = openmp.number();;) {
        int64_t begin = __atomic_fetch_add(&work->next, work->together, __ATOMIC_RELAXED), end = begin + work->together;
        if (begin >= work->count) return;
        work->compute(work->task, thread, begin, end < work->count ? end : work->count);
    }
}

void share_in_team(int64_t num_threads, int64_t work, int64_t count, Items compute, const void *task) {
    if (!openmp.fork) {
        begin_call();
        share_items(num_threads, work * DEARER, count, compute, task);
        end_call();
    } else if (num_threads < 2 || count < 2 || work < WORTH) {
        compute(task, 0, 0, count);
    } else { /* always with all threads: OpenMP ends those that a team lacks, and starts them again */
        int64_t together = count / (PARTS_OF_A_THREAD * num_threads);
        Work shared = {compute, task, count, together < 1 ? 1 : together, 0};
        openmp.fork(take_parts, &shared, (unsigned)num_threads, 0);
    }
}

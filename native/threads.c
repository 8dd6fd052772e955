/* Several threads for one piece of work.
 *
 * Threads are started when they are first needed, and sleep while there is nothing to do: none waits in a loop. A piece of work is
 * divided in more parts than there are threads, and each thread takes the next part. So the caller never waits for a thread that is
 * late: it waits for parts that somebody has begun. Who computes a part changes no number.
 */
#include "threads.h"

static int64_t num_calls; /* under way */

void begin_call(void) { __atomic_add_fetch(&num_calls, 1, __ATOMIC_RELAXED); }

void end_call(void) { __atomic_sub_fetch(&num_calls, 1, __ATOMIC_RELAXED); }

#if defined(_WIN32)

void share_items(int64_t num_threads, int64_t work, int64_t count, Items compute, const void *task) {
    (void)num_threads, (void)work;
    compute(task, 0, 0, count);
}

#else

#include <fenv.h>
#include <pthread.h>
#include <signal.h>

#define MOST_THREADS 64
#ifndef WORTH /* tests have less */
#define WORTH 2500000
#endif
/* Each thread has as much work as that, some 60 microseconds of a processor of 2023. */
#define PARTS_OF_A_THREAD 4

static struct {
    pthread_mutex_t owner; /* held by the caller whose task is computed */
    pthread_mutex_t lock;  /* for what follows */
    pthread_cond_t begun, finished;
    int64_t num_helpers; /* threads that were started */
    int64_t num_wanted;  /* of them, those that may help with the task */
    int64_t num_busy;    /* of them, those that compute */
    int64_t number;      /* of the task; 0: none was given yet */
    int is_open;         /* whether there may be parts that nobody has begun */
    Items compute;
    const void *task;
    int64_t count, together, next; /* `next` is changed by all threads */
    fenv_t rounding;     /* of the caller, which may have subnormal numbers flushed to zero */
} pool = {.owner = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER,
          .begun = PTHREAD_COND_INITIALIZER, .finished = PTHREAD_COND_INITIALIZER};

/* Take parts until there are none. */
static void take_parts(int64_t thread) {
    for (;;) {
        int64_t begin = __atomic_fetch_add(&pool.next, pool.together, __ATOMIC_RELAXED);
        if (begin >= pool.count) return;
        int64_t end = begin + pool.together;
        pool.compute(pool.task, thread, begin, end < pool.count ? end : pool.count);
    }
}

static void *help(void *number) {
    int64_t index = (int64_t)(intptr_t)number, done = 0;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (pool.number == done || !pool.is_open || index >= pool.num_wanted)
            pthread_cond_wait(&pool.begun, &pool.lock);
        done = pool.number, ++pool.num_busy;
        fesetenv(&pool.rounding);
        pthread_mutex_unlock(&pool.lock);
        take_parts(index + 1);
        pthread_mutex_lock(&pool.lock);
        pool.is_open = 0;
        if (!--pool.num_busy) pthread_cond_signal(&pool.finished);
    }
    return 0;
}

/* A forked process has none of the threads. */
static void forget_helpers(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    pool.owner = pool.lock = mutex, pool.begun = pool.finished = condition;
    pool.num_helpers = pool.num_busy = pool.is_open = num_calls = 0;
}

/* Start threads until there are enough, or no more can be had. Signals are left to the threads of the program. */
static void start_helpers(int64_t count) {
    static int knows_forks = 0;
    if (!knows_forks) knows_forks = !pthread_atfork(0, 0, forget_helpers);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (pthread_t thread; knows_forks && pool.num_helpers < count; ++pool.num_helpers) {
        if (pthread_create(&thread, 0, help, (void *)(intptr_t)pool.num_helpers)) break;
        pthread_detach(thread);
    }
    pthread_sigmask(SIG_SETMASK, &before, 0);
}

void share_items(int64_t num_threads, int64_t work, int64_t count, Items compute, const void *task) {
    num_threads -= __atomic_load_n(&num_calls, __ATOMIC_RELAXED) - 1;
    if (num_threads > work / WORTH) num_threads = work / WORTH;
    if (num_threads > count) num_threads = count;
    if (num_threads > MOST_THREADS) num_threads = MOST_THREADS;
    if (num_threads < 2 || pthread_mutex_trylock(&pool.owner)) {
        compute(task, 0, 0, count);
        return;
    }
    int64_t together = count / (PARTS_OF_A_THREAD * num_threads);
    if (together < 1) together = 1;
    pthread_mutex_lock(&pool.lock);
    if (pool.num_helpers < num_threads - 1) start_helpers(num_threads - 1);
    pool.compute = compute, pool.task = task, pool.count = count, pool.together = together, pool.next = 0;
    pool.num_wanted = num_threads - 1, pool.is_open = 1, ++pool.number;
    fegetenv(&pool.rounding);
    pthread_cond_broadcast(&pool.begun);
    pthread_mutex_unlock(&pool.lock);
    take_parts(0);
    pthread_mutex_lock(&pool.lock);
    pool.is_open = 0;
    while (pool.num_busy) pthread_cond_wait(&pool.finished, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
    pthread_mutex_unlock(&pool.owner);
}

#endif

/* Several callers share items at once: compiled and run by test_shared_work.py with a checker for data races. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "threads.h"

enum { ITEMS = 100, CALLS = 2000, CALLERS = 8 };

static void square(const void *task, int64_t thread, int64_t begin, int64_t end) {
    int64_t *numbers = *(int64_t *const *)task;
    if (thread < 0 || thread > 11) abort();
    for (int64_t i = begin; i < end; ++i) numbers[i] = i * i;
}

static void *call(void *unused) {
    for (int turn = 0; turn < CALLS; ++turn) {
        int64_t room[ITEMS] = {0}, *numbers = room;
        begin_call();
        share_items(12, ITEMS, ITEMS, square, &numbers);
        end_call();
        for (int64_t i = 0; i < ITEMS; ++i) if (room[i] != i * i) abort();
    }
    return unused;
}

int main(void) {
    for (int callers = 1; callers <= CALLERS; callers *= 2) {
        pthread_t threads[CALLERS];
        for (int i = 0; i < callers; ++i) pthread_create(threads + i, 0, call, 0);
        for (int i = 0; i < callers; ++i) pthread_join(threads[i], 0);
    }
    puts("done");
}

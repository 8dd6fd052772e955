/* Whether memory has changed, by a sample of its bytes. */
#include "vectors.h"

/* Eight bytes of some areas at every `steps[i]` bytes; with a step of 0, all. With `compares`, whether they are what `kept` has;
 * else they are written there, and their size is returned; `kept` may be NULL, for the size alone. */
INLINE int64_t sample(int64_t count, const char *const *starts, const int64_t *sizes, const int64_t *steps, char *kept, const int compares) {
    int64_t total = 0;
    for (int64_t i = 0; i < count; ++i) {
        if (!steps[i]) {
            if (compares && memcmp(kept + total, starts[i], sizes[i])) return 0;
            if (!compares && kept) memcpy(kept + total, starts[i], sizes[i]);
            total += sizes[i];
            continue;
        }
        uint64_t differs = 0;
        for (int64_t at = 0; at + 8 <= sizes[i]; at += steps[i], total += 8) {
            uint64_t now, before;
            memcpy(&now, starts[i] + at, 8);
            if (compares) memcpy(&before, kept + total, 8), differs |= now ^ before;
            else if (kept) memcpy(kept + total, &now, 8);
        }
        if (differs) return 0;
    }
    return compares ? 1 : total;
}

EXPORT int64_t regard_sample(int64_t count, const char *const *starts, const int64_t *sizes, const int64_t *steps, char *kept) {
    return sample(count, starts, sizes, steps, kept, 0);
}

EXPORT int64_t regard_is_sample(int64_t count, const char *const *starts, const int64_t *sizes, const int64_t *steps, char *kept) {
    return sample(count, starts, sizes, steps, kept, 1);
}

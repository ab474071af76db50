/* nearest.c - edit distances; contracts in nearest.h. Any thread; keeps nothing. */
#include "common/nearest.h"

#include <stddef.h>
#include <string.h>

enum { MOST = 127 /* letters of a name */, FAR = 1000 };

static unsigned min3(unsigned a, unsigned b, unsigned c) {
    unsigned m = a < b ? a : b;
    return m < c ? m : c;
}

/* @return the edit distance: the number of letters to change, add or remove; MOST if `b` has MOST
 * letters or more. */
static unsigned distance(const char *a, const char *b) {
    unsigned row[MOST + 1];
    size_t n = strlen(b);
    if (n >= MOST) return MOST;
    for (size_t j = 0; j <= n; j++) row[j] = (unsigned)j;
    for (size_t i = 1; a[i - 1]; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= n; j++) {
            unsigned above = row[j];
            row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[n];
}

const char *nearest_name(const char *word, nearest_name_fn name, const void *user, unsigned count) {
    unsigned best = 0, best_distance = FAR;
    for (unsigned i = 0; i < count; i++) {
        const char *n = name(user, i);
        unsigned d = *n ? distance(word, n) : FAR;
        if (d < best_distance) best = i, best_distance = d;
    }
    return name(user, best);
}

const char *nearest_close(const char *word, nearest_name_fn name, const void *user,
                          unsigned count) {
    const size_t length = strlen(word);
    for (unsigned i = 0; i < count && length > 1; i++)
        if (!strncmp(name(user, i), word, length)) return name(user, i);
    if (!count) return NULL;
    const char *best = nearest_name(word, name, user, count);
    return *best && 2 * distance(word, best) <= length ? best : NULL;
}

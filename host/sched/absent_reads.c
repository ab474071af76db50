/* absent_reads.c - see absent_reads.h. */
#include "sched/absent_reads.h"

#include <stdlib.h>

#include "common/memory.h"
#include "exec/memory/managed_blocks.h"

enum { WORD = 64 };

struct absent_reads {
    uint64_t first_line;
    uint32_t blocks;
    uint64_t *here, *asked; /* a bit for each block; asked: somebody waits for it */
    struct hbm_request *kept;
    uint32_t num_kept,
        next;          /* those before `next` were looked at, and their blocks have not come */
    uint32_t num_left; /* of these */
    size_t cap_kept;
};

struct absent_reads *absent_reads_create(uint64_t first_line, uint32_t blocks) {
    struct absent_reads *a = heddle_alloc(sizeof *a, "reads of managed memory");
    a->first_line = first_line;
    a->blocks = blocks;
    a->here = heddle_alloc_array(blocks / WORD + 1, sizeof *a->here, "blocks of managed memory");
    a->asked = heddle_alloc_array(blocks / WORD + 1, sizeof *a->asked, "blocks of managed memory");
    return a;
}

void absent_reads_free(struct absent_reads *a) {
    if (!a) return;
    free(a->here);
    free(a->asked);
    free(a->kept);
    free(a);
}

bool absent_reads_keep(struct absent_reads *a, const struct hbm_request *r, uint32_t *block,
                       bool *first) {
    const uint64_t number = (r->line - a->first_line) >> MANAGED_LINE_BITS;
    if (r->line < a->first_line || number >= a->blocks) return false;
    const uint64_t bit = UINT64_C(1) << number % WORD;
    if (a->here[number / WORD] & bit) return false;
    *block = (uint32_t)number;
    *first = !(a->asked[number / WORD] & bit);
    a->asked[number / WORD] |= bit;
    a->kept = heddle_grow(a->kept, &a->cap_kept, a->num_kept + 1, sizeof *a->kept,
                          "reads of managed memory");
    a->kept[a->num_kept++] = *r;
    return true;
}

void absent_reads_change(struct absent_reads *a, uint32_t first, uint64_t mask, bool here) {
    uint64_t *word = &a->here[first / WORD];
    *word = here ? *word | mask : *word & ~mask;
    if (here) a->asked[first / WORD] &= ~mask;
    a->next = a->num_left = 0;
}

bool absent_reads_take(struct absent_reads *a, struct hbm_request *r) {
    while (a->next < a->num_kept) {
        *r = a->kept[a->next++];
        const uint64_t number = (r->line - a->first_line) >> MANAGED_LINE_BITS;
        if (a->here[number / WORD] >> number % WORD & 1) return true;
        a->kept[a->num_left++] = *r;
    }
    a->num_kept = a->next = a->num_left;
    return false;
}

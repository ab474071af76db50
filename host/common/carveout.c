/* carveout.c - how a launch divides an SM's unified memory into shared memory and L1; contracts in
 * carveout.h. sched/kernel.c chooses, sched/occupancy_table.c keeps what each SM has. */
#include "common/carveout.h"

#include <stdlib.h>
#include <string.h>

enum { KIB = 1024, MOST_KIB = 1024, PERCENT = 100 };

bool carveout_read_sizes(const char *text, struct carveout_sizes *out) {
    out->count = 0;
    if (!strcmp(text, "none")) return true;
    for (;;) {
        char *end;
        const unsigned long kib = strtoul(text, &end, 10);
        if (end == text || *text < '0' || *text > '9' || kib > MOST_KIB) return false;
        if (out->count == CARVEOUT_MOST_SIZES - 1) return false;
        if (out->count && kib * KIB <= out->bytes[out->count - 1]) return false;
        out->bytes[out->count++] = (uint32_t)kib * KIB;
        if (!*end) return true;
        if (*end != '/') return false;
        text = end + 1;
    }
}

/* The sizes among which launches choose: those below sm.shared, and that. None if shared memory
 * always has its most. */
static struct carveout_sizes choices(const struct config *c) {
    struct carveout_sizes s = {0};
    if (strcmp(c->sm_carveout, "auto") || !carveout_read_sizes(c->sm_shared_sizes, &s) || !s.count)
        return (struct carveout_sizes){0};
    while (s.count && s.bytes[s.count - 1] >= c->sm_shared_bytes) s.count--;
    s.bytes[s.count++] = (uint32_t)c->sm_shared_bytes;
    return s;
}

static uint64_t round_up(uint64_t n, uint64_t unit) {
    return (n + unit - 1) / unit * unit;
}

/* Bytes that the driver's own rule gives: so many that shared memory limits the CTAs of an SM only
 * where its most does. `each`: of a CTA. */
static uint64_t without_bottleneck(const struct config *c, const struct occupancy_need *need,
                                   uint64_t each) {
    const struct occupancy_need others = {.threads = need->threads, .registers = need->registers};
    return occupancy_ctas(c, &others, NULL) * each;
}

struct carveout_choice carveout_choose(const struct config *c, const struct occupancy_need *need,
                                       const struct carveout_wish *wish) {
    const struct carveout_sizes sizes = choices(c);
    const uint64_t each = round_up(need->shared_bytes + c->sm_shared_reserved, c->sm_shared_unit);
    const carveout_cache cache = wish->percent < 0 ? wish->cache : CARVEOUT_NO_PREFERENCE;
    const uint64_t least = each * (wish->ctas ? wish->ctas : 1);
    uint64_t bytes = c->sm_shared_bytes;
    if (!sizes.count) return (struct carveout_choice){.bytes = (uint32_t)bytes};
    switch (cache) {
    case CARVEOUT_PREFER_SHARED: break;
    case CARVEOUT_PREFER_L1: bytes = least; break;
    case CARVEOUT_PREFER_EQUAL:
        bytes = c->sm_unified_bytes / 2;
        if (bytes < least) bytes = least;
        break;
    default:
        bytes = without_bottleneck(c, need, each);
        if (wish->percent > 0 && bytes < c->sm_shared_bytes * (uint64_t)wish->percent / PERCENT)
            bytes = c->sm_shared_bytes * (uint64_t)wish->percent / PERCENT;
    }
    uint32_t i = 0;
    while (i + 1 < sizes.count && sizes.bytes[i] < bytes) i++;
    return (struct carveout_choice){.bytes = sizes.bytes[i],
                                    .exact = cache != CARVEOUT_NO_PREFERENCE};
}

uint32_t carveout_l1_lines(const struct config *c, uint32_t shared_bytes) {
    const uint64_t most = c->l1_sets * c->l1_ways;
    uint64_t lines = (c->sm_unified_bytes - shared_bytes) / c->l1_line_bytes;
    if (!choices(c).count) return 0;
    if (lines > most) lines = most;
    if (lines < c->l1_sets) lines = c->l1_sets;
    return (uint32_t)lines;
}

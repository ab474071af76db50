/* lir_schedule.c - the order of instructions inside a block (lir_schedule). ptx_compile.c runs the
 * pass once per kernel, before register allocation.
 *
 * List scheduling on the dependence graph of a region: of all instructions whose operands are
 * there, the one with the longest path to the end goes first, so that loads start early and their
 * latency is filled. Paths that differ little count as equal: among those the front end's order
 * stands. The cache level at which a load will hit is unknown; like ptxas, the schedule starts as
 * many loads as registers allow before it uses the first.
 *
 * When more vregs are live than a thread should have, the instruction that frees most goes first
 * instead; when far more are, the first in the front end's order that frees some, or else takes
 * none. Convergence barriers, warp synchronisation and clock reads end a region: nothing moves
 * across them. Memory accesses keep their order unless they cannot touch the same bytes.
 *
 * The functions work on one `struct region`, which is reused for all regions of the kernel. A
 * *name* is a vreg, or fn->n_vregs + a predicate. Times are cycles of the SM's clock. Only
 * schedule() changes the function: it links the instructions anew.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_liveness.h"
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_passes.h"
#include "ptx/ir/ptx_control.h"

#include <string.h>

enum {
    REGION_MAX = 512,          /* longer blocks are scheduled piece by piece */
    PRESSURE_COMFORTABLE = 24, /* live vregs before pressure counts: 32 registers fill an SM */
    PRESSURE_TO_SPARE = 16,    /* live vregs while constants may come early */
    PRESSURE_ON_TOP = 6,       /* above the limit by more: the front end's order, which had fewer */
    PRESSURE_AT_MOST = 56,     /* limit of live vregs for kernels that need more anyway */
    LATENCY_FAR = 215,         /* cycles of a load that hits in L2, on a V100 */
    WAY_STEP = 64,             /* cycles; smaller differences of path length do not count */
    LAST = 1 << 20,            /* score below all others */
    NONE = -1,
};

/* A dependence: node `to` may issue `latency` cycles after the edge's own node. */
struct edge {
    int to;
    uint32_t latency;
    int next; /* index of the next edge of the same node */
};

/* An instruction of the region. */
struct node {
    struct lir_inst *in;
    int first_edge;
    uint32_t n_before; /* predecessors not yet issued */
    uint32_t n_hard;   /* those of them that are not lazy */
    uint32_t earliest; /* cycle at which all operands are ready */
    uint32_t height;   /* longest latency from here to the end of the region */
    bool issued;
    bool lazy; /* loads a constant: waits until its reader needs nothing else */
};

/* A node that reads a name; `next`: index of the next reader of the same name. */
struct reader {
    int node, next;
};

/* A value that a name has in the region, from a definition to the next one. */
struct held {
    uint32_t uses; /* instructions that read it and are not yet issued */
    bool ends;     /* a later definition replaces it; values of a name follow each other in `held`,
                    * and in time, since dependences keep their readers in between */
    uint32_t next; /* of the name, if it ends */
};

/* The region at hand, with tables by name. A table entry is valid only if its stamp equals `now`,
 * the number of the region. */
struct region {
    struct lir_fn *fn;
    const struct ptx_latency *latency;
    struct node node[REGION_MAX];
    int n;
    struct edge *edge;
    uint32_t n_edges, cap_edges;
    int *def, *readers;   /* [name] node of the last definition; first reader since then */
    uint32_t *stamp, now; /* [name] region for which both are valid; present region */
    struct reader *reader;
    uint32_t n_readers, cap_readers;
    /* pressure */
    struct held *held;
    uint32_t n_held, cap_held;
    uint32_t *value,
        *last;           /* [name] indices of `held`: its value at this point, and its last one */
    uint32_t *use_stamp; /* [name] region for which both are valid */
    const uint64_t *live_out, *pred_live_out; /* live behind the region */
    uint64_t *alive;                          /* bit set of names live at this point */
    /* vregs and predicates in `alive`; vregs from which pressure counts */
    uint32_t n_alive, n_preds_alive, comfortable;
    uint32_t preds_comfortable; /* live predicates that leave room for what an instruction writes */
    uint32_t most_alive;        /* the largest n_alive in any region so far */
    uint32_t guard;             /* predicate that the block's branch waits for */
    uint32_t step;              /* cycles; path lengths are compared in multiples of it */
};

/* ---- the graph ------------------------------------------------------------------------------ */

/* Adds a dependence between two nodes; none if `from` is NONE or the same. */
static void add_edge(struct region *r, int from, int to, uint32_t latency) {
    if (from == NONE || from == to) return;
    struct edge *e = ARENA_PUSH(r->fn->arena, r->edge, r->n_edges, r->cap_edges);
    *e = (struct edge){.to = to, .latency = latency, .next = r->node[from].first_edge};
    r->node[from].first_edge = (int)r->n_edges - 1;
    r->node[to].n_before++;
    r->node[to].n_hard += !r->node[from].lazy;
}

/* Resets the definition and readers of a name on its first use in this region. */
static void refresh(struct region *r, uint32_t name) {
    if (r->stamp[name] == r->now) return;
    r->stamp[name] = r->now;
    r->def[name] = r->readers[name] = NONE;
}

/* @return a load or atomic with a result whose line may be far away (L2, DRAM). */
static bool is_far(const struct lir_inst *in) {
    return lir_class(in) == MIR_CLASS_MEMORY && in->m.op != MIR_LDL && in->dst;
}

/* Cycles from issue to result. */
static uint32_t latency_of(const struct region *r, const struct lir_inst *in) {
    if (in->m.op >= MIR_OP_COUNT) return 4;
    return is_far(in) ? LATENCY_FAR : r->latency->of_class[lir_class(in)];
}

/* Cycles until an instruction may read another one's result. */
static uint32_t way_of(const struct region *r, const struct lir_inst *from,
                       const struct lir_inst *to) {
    if (from->m.op >= MIR_OP_COUNT || to->m.op >= MIR_OP_COUNT) return latency_of(r, from);
    return latency_of(r, from) +
           ptx_way(r->latency, ptx_side_of(lir_class(from)), ptx_side_of(lir_class(to)));
}

/* Node `node` reads the name: an edge from its last definition, of at least `extra` cycles; adds
 * the node to the readers. */
static void read_name(struct region *r, uint32_t name, int node, uint32_t extra) {
    refresh(r, name);
    if (r->def[name] != NONE) {
        uint32_t l = way_of(r, r->node[r->def[name]].in, r->node[node].in);
        add_edge(r, r->def[name], node, l > extra ? l : extra);
    }
    *ARENA_PUSH(r->fn->arena, r->reader, r->n_readers,
                r->cap_readers) = (struct reader){.node = node, .next = r->readers[name]};
    r->readers[name] = (int)r->n_readers - 1;
}

/* Node `node` writes the name: edges from its readers and from its last definition, of one
 * cycle. */
static void write_name(struct region *r, uint32_t name, int node) {
    refresh(r, name);
    for (int k = r->readers[name]; k != NONE; k = r->reader[k].next)
        add_edge(r, r->reader[k].node, node, 1);
    add_edge(r, r->def[name], node, 1);
    r->def[name] = node;
    r->readers[name] = NONE;
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Adds edges to node i from earlier nodes whose memory accesses it must not pass. */
static void memory_edges(struct region *r, int i) {
    struct lir_inst *in = r->node[i].in;
    bool all = lir_orders_memory(in), memory = lir_touches_memory(in);
    if (!all && !memory) return;
    for (int k = i - 1; k >= 0; k--) {
        struct lir_inst *o = r->node[k].in;
        bool o_all = lir_orders_memory(o);
        if (!o_all && !lir_touches_memory(o)) continue;
        if (all || o_all || lir_may_conflict(r->fn, o, in)) add_edge(r, k, i, 1);
        if (o_all) break; /* all earlier nodes come before it already */
    }
}

/* ---- building ------------------------------------------------------------------------------- */

/* The name of predicate p. */
static uint32_t pred_name(const struct region *r, uint32_t p) {
    return r->fn->n_vregs + p;
}

/* Calls read_name for all vregs and predicates that the instruction reads. */
static void each_read(struct region *r, const struct lir_inst *in, int node) {
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        unsigned n = lir_src_vregs(in, i);
        for (unsigned k = 0; k < n; k++) read_name(r, in->src[i] + k, node, 0);
    }
    for (unsigned i = 0; i < 3; i++)
        if (in->psrc[i] >> 1) read_name(r, pred_name(r, in->psrc[i] >> 1), node, 0);
    if (in->guard >> 1) read_name(r, pred_name(r, in->guard >> 1), node, r->latency->guard);
}

/* Builds the region's edges, and the heights of its nodes. */
static void build(struct region *r) {
    r->n_edges = r->n_readers = 0;
    r->preds_comfortable = MIR_PT - 1;
    for (int i = 0; i < r->n; i++) {
        struct lir_inst *in = r->node[i].in;
        each_read(r, in, i);
        /* under a guard the old value is kept, that is, read */
        const bool keeps = in->guard != LIR_PT && !in->fresh;
        unsigned n = lir_dst_vregs(in);
        for (unsigned k = 0; k < n; k++) {
            if (keeps && !r->fn->scratch[in->dst + k]) read_name(r, in->dst + k, i, 0);
            write_name(r, in->dst + k, i);
        }
        if (in->pdst[0] && in->pdst[1]) r->preds_comfortable = MIR_PT - 2;
        for (unsigned k = 0; k < 2; k++)
            if (in->pdst[k]) {
                if (keeps && !r->fn->pred_scratch[in->pdst[k]])
                    read_name(r, pred_name(r, in->pdst[k]), i, 0);
                write_name(r, pred_name(r, in->pdst[k]), i);
            }
        memory_edges(r, i);
    }
    for (int i = r->n; i-- > 0;) {
        const struct lir_inst *in = r->node[i].in;
        uint32_t h = latency_of(r, in) / 2; /* readers in later blocks wait too */
        for (unsigned k = 0; k < 2; k++)
            if (in->pdst[k] && in->pdst[k] == r->guard) h = r->latency->guard;
        for (int e = r->node[i].first_edge; e != NONE; e = r->edge[e].next) {
            uint32_t way = r->edge[e].latency + r->node[r->edge[e].to].height;
            if (way > h) h = way;
        }
        r->node[i].height = h;
    }
}

/* ---- pressure ------------------------------------------------------------------------------- */

/* @return bit i of the set. */
static bool bit(const uint64_t *s, uint32_t i) {
    return s[i / 64] >> i % 64 & 1;
}

/* A further value of a name. @return its number */
static uint32_t new_value(struct region *r) {
    struct held *v = ARENA_PUSH(r->fn->arena, r->held, r->n_held, r->cap_held);
    *v = (struct held){0};
    return r->n_held - 1;
}

/* The last value so far of a name; its first use in this region makes the one from before it. */
static uint32_t last_value(struct region *r, uint32_t name) {
    if (r->use_stamp[name] != r->now) {
        r->use_stamp[name] = r->now;
        r->value[name] = r->last[name] = new_value(r);
    }
    return r->last[name];
}

/* Instructions of the region that read the name's present value and have not issued. */
static uint32_t uses_left(const struct region *r, uint32_t name) {
    return r->use_stamp[name] == r->now ? r->held[r->value[name]].uses : 0;
}

/* @return the name's present value is live behind the region. */
static bool stays_alive(const struct region *r, uint32_t name) {
    if (r->use_stamp[name] == r->now && r->held[r->value[name]].ends) return false;
    return name < r->fn->n_vregs ? bit(r->live_out, name)
                                 : bit(r->pred_live_out, name - r->fn->n_vregs);
}

/* Writes the names that an instruction reads, each once, into `name` (room for 16). @return
 * names */
static unsigned reads_of(const struct region *r, const struct lir_inst *in, uint32_t *name) {
    unsigned n = 0;
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        unsigned vregs = lir_src_vregs(in, i);
        for (unsigned k = 0; k < vregs; k++) name[n++] = in->src[i] + k;
    }
    for (unsigned i = 0; i < 3; i++)
        if (in->psrc[i] >> 1) name[n++] = pred_name(r, in->psrc[i] >> 1);
    if (in->guard >> 1) name[n++] = pred_name(r, in->guard >> 1);
    unsigned kept = 0;
    for (unsigned i = 0; i < n; i++) {
        bool twice = false;
        for (unsigned k = 0; k < kept; k++) twice |= name[k] == name[i];
        if (!twice) name[kept++] = name[i];
    }
    return kept;
}

/* Writes the names that an instruction defines whatever they held before into `name` (room for 16).
 * @return names */
static unsigned defines(const struct region *r, const struct lir_inst *in, uint32_t *name) {
    unsigned n = 0;
    if (in->guard != LIR_PT) return 0;
    for (unsigned k = 0; k < lir_dst_vregs(in); k++) name[n++] = in->dst + k;
    for (unsigned k = 0; k < 2; k++)
        if (in->pdst[k]) name[n++] = pred_name(r, in->pdst[k]);
    return n;
}

/* Fills the values of all names from all nodes; each name has its first one. */
static void count_uses(struct region *r) {
    uint32_t name[16];
    r->n_held = 0;
    for (int i = 0; i < r->n; i++) {
        const struct lir_inst *in = r->node[i].in;
        unsigned n = reads_of(r, in, name);
        for (unsigned k = 0; k < n; k++) {
            const uint32_t value = last_value(r, name[k]); /* may move `held` */
            r->held[value].uses++;
        }
        n = defines(r, in, name);
        for (unsigned k = 0; k < n; k++) {
            const uint32_t old = last_value(r, name[k]), next = new_value(r);
            r->held[old] = (struct held){.uses = r->held[old].uses, .ends = true, .next = next};
            r->last[name[k]] = next;
        }
    }
}

/* By how many the live vregs (*preds: predicates) grow if the instruction issues now; negative if
 * they shrink. */
static int growth(const struct region *r, const struct lir_inst *in, int *preds) {
    uint32_t name[16];
    int g = 0;
    *preds = 0;
    unsigned n = lir_dst_vregs(in);
    for (unsigned k = 0; k < n; k++) g += !bit(r->alive, in->dst + k);
    for (unsigned k = 0; k < 2; k++)
        if (in->pdst[k]) *preds += !bit(r->alive, pred_name(r, in->pdst[k]));
    n = reads_of(r, in, name);
    for (unsigned k = 0; k < n; k++)
        if (uses_left(r, name[k]) == 1 && !stays_alive(r, name[k])) {
            if (name[k] < r->fn->n_vregs)
                g--;
            else
                (*preds)--;
        }
    return g;
}

/* Adds the name to the live set or takes it out, and keeps the counts. */
static void set_alive(struct region *r, uint32_t name, bool on) {
    uint64_t m = UINT64_C(1) << name % 64;
    uint32_t *count = name < r->fn->n_vregs ? &r->n_alive : &r->n_preds_alive;
    bool was = bit(r->alive, name);
    if (on == was) return;
    r->alive[name / 64] ^= m;
    *count += on ? 1u : -1u;
}

/* The instruction issues: updates values and the live set. */
static void account(struct region *r, const struct lir_inst *in) {
    uint32_t name[16];
    unsigned n = reads_of(r, in, name);
    for (unsigned k = 0; k < n; k++)
        if (--r->held[r->value[name[k]]].uses == 0 && !stays_alive(r, name[k]))
            set_alive(r, name[k], false);
    n = defines(r, in, name);
    for (unsigned k = 0; k < n; k++) r->value[name[k]] = r->held[r->value[name[k]]].next;
    n = lir_dst_vregs(in);
    for (unsigned k = 0; k < n; k++)
        set_alive(r, in->dst + k, uses_left(r, in->dst + k) || stays_alive(r, in->dst + k));
    for (unsigned k = 0; k < 2; k++)
        if (in->pdst[k]) {
            uint32_t p = pred_name(r, in->pdst[k]);
            set_alive(r, p, uses_left(r, p) || stays_alive(r, p));
        }
}

/* ---- constants -------------------------------------------------------------------------------
 *
 * A load of a constant into a register can issue at any time, and would go first of all: it waits
 * for nothing and a long path follows it. It would then occupy a register until it is read. So it
 * waits until its reader needs it, or fills a cycle in which nothing else can issue. */

/* @return the instruction loads a constant into a register. */
static bool is_lazy(const struct lir_inst *in) {
    const struct mir_src *s = &in->m.src[0];
    return in->m.op == MIR_MOV && in->guard == LIR_PT &&
           (s->kind == MIR_SRC_IMM || s->kind == MIR_SRC_CONST ||
            (s->kind == MIR_SRC_REG && in->src[0] == 0));
}

/* @return a reader of the constant waits for constants only, or the constant has no reader in this
 * region. */
static bool is_wanted(const struct region *r, const struct node *x) {
    for (int e = x->first_edge; e != NONE; e = r->edge[e].next)
        if (r->node[r->edge[e].to].n_hard == 0) return true;
    return x->first_edge == NONE;
}

/* @return a copy without a reader in this region, whose source has other readers left. It issues
 * after those: then both may share one register. */
static bool is_early_copy(const struct region *r, const struct node *x) {
    const struct lir_inst *in = x->in;
    return x->first_edge == NONE && in->m.op == MIR_MOV && in->m.src[0].kind == MIR_SRC_REG &&
           in->src[0] && uses_left(r, in->src[0]) > 1;
}

/* ---- choosing ------------------------------------------------------------------------------- */

/* @return the best of the nodes whose predecessors have all issued; `cycle`: when the next
 * instruction may issue. */
static int choose(const struct region *r, uint32_t cycle) {
    int best = NONE;
    long best_score = 0;
    bool vregs = r->n_alive >= r->comfortable, preds = r->n_preds_alive >= r->preds_comfortable;
    bool many = r->n_alive >= r->comfortable + PRESSURE_ON_TOP;
    int filler = NONE;
    for (int i = 0; i < r->n; i++) {
        const struct node *x = &r->node[i];
        if (x->issued || x->n_before) continue;
        if (x->lazy && !is_wanted(r, x)) {
            if (filler == NONE || x->height > r->node[filler].height) filler = i;
            continue;
        }
        int p, g = growth(r, x->in, &p);
        uint32_t wait = x->earliest > cycle ? x->earliest - cycle : 0;
        long way = (long)(x->height / r->step * r->step);
        /* ready instructions before all others */
        long score = way - (long)WAY_STEP * wait - i * (long)r->step / REGION_MAX;
        /* loads are exempt: they take registers that last uses have freed */
        if (vregs && !is_far(x->in)) score -= 200L * g;
        if (many) score = (g < 0 ? 2L : g == 0 ? 1L : 0L) * REGION_MAX - i;
        /* A predicate beyond the seventh would be spilled: then those that write one go last, in
         * the front end's order. */
        if (preds) score = p > 0 ? -LAST / 2 - i : score - 400L * p;
        if (is_early_copy(r, x)) score -= LAST;
        if (best == NONE || score > best_score) {
            best = i;
            best_score = score;
        }
    }
    /* a constant fills a hole as long as registers abound */
    bool hole = best != NONE && r->node[best].earliest > cycle;
    return filler != NONE && hole && r->n_alive < PRESSURE_TO_SPARE ? filler : best;
}

/* Issues all nodes, best first, and links their instructions in that order at the region's place in
 * the block. */
static void schedule(struct region *r) {
    struct lir_inst *order[REGION_MAX];
    uint32_t cycle = 0;
    if (r->n < 2) return;
    struct lir_block *block = r->node[0].in->block;
    struct lir_inst *before = r->node[0].in->prev;
    for (int done = 0; done < r->n; done++) {
        int i = choose(r, cycle);
        struct node *x = &r->node[i];
        x->issued = true;
        if (x->earliest > cycle) cycle = x->earliest;
        for (int e = x->first_edge; e != NONE; e = r->edge[e].next) {
            struct node *to = &r->node[r->edge[e].to];
            to->n_before--;
            to->n_hard -= !x->lazy;
            if (cycle + r->edge[e].latency > to->earliest)
                to->earliest = cycle + r->edge[e].latency;
        }
        account(r, x->in);
        if (r->n_alive > r->most_alive) r->most_alive = r->n_alive;
        order[done] = x->in;
        cycle++;
    }
    for (int i = 0; i < r->n; i++) lir_unlink(order[i]);
    for (int i = 0; i < r->n; i++) {
        order[i]->block = block;
        if (before)
            lir_insert_after(before, order[i]);
        else if (block->first)
            lir_insert_before(block->first, order[i]);
        else
            lir_append(block, order[i]);
        before = order[i];
    }
}

/* ---- regions -------------------------------------------------------------------------------- */

/* @return no instruction may move across this one. */
static bool ends_region(const struct lir_inst *in) {
    enum { ENDS = MIR_TERMINATOR | MIR_CALLS | MIR_CONVERGENCE | MIR_ALL_PREDICATES };
    return lir_traits(in) & ENDS || lir_mem(in) == MIR_MEM_CLOCK || in->m.op == MIR_NOP;
}

/* Instructions of a block that form a region: n of them, from `first` on. */
struct piece {
    struct lir_inst *first;
    int n;
};

/* Schedules the region `p`: `behind` is live behind it, `before` before it. */
static void schedule_piece(struct region *r, const struct piece *p,
                           const struct lir_live_sets *behind, const struct lir_live_sets *before) {
    struct lir_inst *in = p->first;
    r->n = 0;
    r->step = 1;
    for (int i = 0; i < p->n; i++, in = in->next) {
        r->node[r->n++] = (struct node){.in = in, .first_edge = NONE, .lazy = is_lazy(in)};
        if (is_far(in)) r->step = WAY_STEP;
    }
    r->live_out = behind->vregs;
    r->pred_live_out = behind->preds;
    uint32_t names = r->fn->n_vregs + r->fn->n_preds;
    memset(r->alive, 0, (names / 64 + 1) * sizeof *r->alive);
    r->n_alive = r->n_preds_alive = 0;
    for (uint32_t k = 0; k < before->n_longs; k++)
        for (uint64_t m = before->vregs[k]; m; m &= m - 1)
            set_alive(r, 64 * k + (uint32_t)__builtin_ctzll(m), true);
    for (uint32_t k = 0; k < before->n_pred_longs; k++)
        for (uint64_t m = before->preds[k]; m; m &= m - 1)
            set_alive(r, pred_name(r, 64 * k + (uint32_t)__builtin_ctzll(m)), true);
    r->now++;
    build(r);
    count_uses(r);
    schedule(r);
}

/* Schedules the regions of a block, from its end upwards, so that the live set behind each is
 * known. now, behind: work space. */
static void schedule_block(struct region *r, struct lir_block *b, const struct lir_liveness *live,
                           struct lir_live_sets *now, struct lir_live_sets *behind) {
    struct lir_fn *fn = r->fn;
    lir_live_sets_begin(now, live, b);
    struct lir_inst *in = b->last;
    r->guard = in && lir_is_terminator(in) ? in->guard >> 1 : 0;
    while (in) {
        if (ends_region(in)) {
            lir_live_sets_step(fn, in, now);
            in = in->prev;
            continue;
        }
        memcpy(behind->vregs, now->vregs, (now->n_longs + now->n_pred_longs) * sizeof *now->vregs);
        struct piece p = {.n = 0};
        while (in && !ends_region(in) && p.n < REGION_MAX) {
            lir_live_sets_step(fn, in, now);
            p.first = in;
            p.n++;
            in = in->prev;
        }
        schedule_piece(r, &p, behind, now);
    }
}

/* The limit of live vregs, unless the caller has one: that of the present order, within bounds that
 * keep warps in the SM, and below fn->max_regs. */
static uint32_t usual_limit(struct lir_fn *fn, const struct lir_liveness *live) {
    uint32_t limit = lir_max_pressure(fn, live);
    if (limit < PRESSURE_COMFORTABLE) limit = PRESSURE_COMFORTABLE;
    if (limit > PRESSURE_AT_MOST) limit = PRESSURE_AT_MOST;
    if (fn->max_regs < limit + 12) limit = fn->max_regs > 16 ? fn->max_regs - 12 : fn->max_regs / 2;
    return limit;
}

/* Reorders the instructions inside each block. Builds control flow, definitions, liveness and the
 * tables. lir_analyze is stale afterwards. */
struct lir_pressure lir_schedule(struct lir_fn *fn, const struct ptx_latency *latency,
                                 uint32_t limit) {
    struct lir_liveness live;
    struct region *r = ARENA_NEW(fn->arena, struct region);
    lir_cfg_build(fn);
    lir_analyze(fn);
    lir_liveness_build(fn, &live, fn->arena);
    uint32_t names = fn->n_vregs + fn->n_preds;
    r->fn = fn;
    r->latency = latency;
    r->def = ARENA_ARRAY(fn->arena, int, names);
    r->readers = ARENA_ARRAY(fn->arena, int, names);
    r->stamp = ARENA_ARRAY(fn->arena, uint32_t, names);
    r->value = ARENA_ARRAY(fn->arena, uint32_t, names);
    r->last = ARENA_ARRAY(fn->arena, uint32_t, names);
    r->use_stamp = ARENA_ARRAY(fn->arena, uint32_t, names);
    r->alive = ARENA_ARRAY(fn->arena, uint64_t, names / 64 + 1);
    r->comfortable = limit ? limit : usual_limit(fn, &live);
    struct lir_live_sets now = lir_live_sets_create(fn, fn->arena);
    struct lir_live_sets behind = lir_live_sets_create(fn, fn->arena);
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        schedule_block(r, fn->blocks[b], &live, &now, &behind);
    return (struct lir_pressure){.most = r->most_alive, .limit = r->comfortable};
}

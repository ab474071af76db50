/* ptx_control.c - computes when each instruction may issue (ptx_control). ptx_compile.c calls it
 * once per kernel, on the finished code.
 *
 * Stall counts bridge results of fixed latency; six dependency counters cover those of variable
 * latency. Four steps:
 *   1. which variable-latency instructions may be outstanding at each point (their results, and
 *      their operands not yet read), and which of them something later depends on;
 *   2. a counter for each of those (choose);
 *   3. the wait masks, from a second round of step 1 in which a wait clears all of a counter;
 *   4. stall counts: for every register the cycles until it is ready, carried over block borders by
 *      their maximum over all paths into a block.
 * Steps 1, 3 and 4 each repeat until nothing changes.
 *
 * The functions below that take `struct control *c` read c->code; which fields of it each writes is
 * in its comment. All work space is in c->arena, freed at the end. Properties of instructions
 * (ptx_reads ...) are shared with ptx_check.c.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/ptx_control.h"

#include <string.h>

enum { NUM_REGS = 256 };

/* ---- properties ----------------------------------------------------------------------------- */

/* Adds n registers from `first` on; RZ is left out. */
static void add_regs(struct ptx_regs *s, unsigned first, unsigned n) {
    for (unsigned r = first; r < first + n && r < MIR_RZ; r++)
        s->reg[r / 64] |= UINT64_C(1) << r % 64;
}

/* Adds predicate p, negated or not; PT is left out. */
static void add_pred(struct ptx_regs *s, unsigned p) {
    if ((p & 7) != MIR_PT) s->pred |= (uint8_t)(1u << (p & 7));
}

/* Fills *out with the registers and predicates that the instruction reads; P2R reads all
 * predicates. */
void ptx_reads(const struct mir_inst *in, struct ptx_regs *out) {
    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < MIR_MAX_SRC; i++)
        if (in->src[i].kind == MIR_SRC_REG) add_regs(out, in->src[i].reg, mir_src_words(in, i));
    for (unsigned i = 0; i < 3; i++) add_pred(out, in->psrc[i]);
    add_pred(out, in->guard);
    if (in->op == MIR_P2R) out->pred = 0x7f;
}

/* Fills *out with the registers and predicates that the instruction writes; R2P writes all
 * predicates. */
void ptx_writes(const struct mir_inst *in, struct ptx_regs *out) {
    memset(out, 0, sizeof *out);
    add_regs(out, in->dst, mir_dst_words(in));
    add_pred(out, in->pdst[0]);
    add_pred(out, in->pdst[1]);
    if (in->op == MIR_R2P) out->pred = 0x7f;
}

/* @return the instruction has a result. */
static bool writes_any(const struct mir_inst *in) {
    return in->dst != MIR_RZ || in->pdst[0] != MIR_PT || in->pdst[1] != MIR_PT;
}

/* By the pipe of the class. */
enum ptx_side ptx_side_of(mir_class c) {
    switch (mir_class_pipe(c)) {
    case MIR_PIPE_INT: return PTX_SIDE_INT;
    case MIR_PIPE_FP32: return PTX_SIDE_FMA;
    case MIR_PIPE_SFU: return PTX_SIDE_SFU;
    case MIR_PIPE_MIO: return PTX_SIDE_MEMORY;
    default: return PTX_SIDE_OTHER;
    }
}

unsigned ptx_way(const struct ptx_latency *l, enum ptx_side from, enum ptx_side to) {
    if (from == to || (from != PTX_SIDE_INT && from != PTX_SIDE_FMA)) return 0;
    switch (to) {
    case PTX_SIDE_INT:
    case PTX_SIDE_FMA: return l->crossing;
    case PTX_SIDE_SFU: return l->to_sfu;
    case PTX_SIDE_MEMORY: return l->to_memory;
    default: return 0;
    }
}

/* @return a dependency barrier must cover the result: its class is variable, it takes longer than
 * an instruction can stall, or it is a clock value, which comes from the timing model. */
bool ptx_is_variable(const struct mir_inst *in, const struct ptx_latency *l) {
    if (!writes_any(in)) return false;
    const enum ptx_side from = ptx_side_of(mir_op_class(in->op));
    for (enum ptx_side to = 0; to < PTX_SIDES; to++)
        if (ptx_result_latency(in, l) + ptx_way(l, from, to) > MIR_MOST_STALL) return true;
    /* a clock register is fixed in the hardware, but its value comes from the timing model */
    return mir_class_variable(mir_op_class(in->op)) || mir_op_mem(in->op) == MIR_MEM_CLOCK;
}

/* @return the instruction waits in the memory pipe and reads its registers there, after issue. */
bool ptx_reads_late(const struct mir_inst *in) {
    return mir_class_pipe(mir_op_class(in->op)) == MIR_PIPE_MIO &&
           mir_class_variable(mir_op_class(in->op));
}

/* @return the timing model performs the operation and gives it a result; clock reads excepted. */
bool ptx_is_pending(const struct mir_inst *in) {
    return mir_memory_class(in) == MIR_PENDING && mir_op_mem(in->op) != MIR_MEM_CLOCK;
}

/* Cycles from issue to result, by class. */
unsigned ptx_result_latency(const struct mir_inst *in, const struct ptx_latency *l) {
    return l->of_class[mir_op_class(in->op)];
}

/* @return the sets share a register or predicate. */
static bool meet(const struct ptx_regs *a, const struct ptx_regs *b) {
    for (unsigned k = 0; k < 4; k++)
        if (a->reg[k] & b->reg[k]) return true;
    return (a->pred & b->pred) != 0;
}

/* ---- flow ----------------------------------------------------------------------------------- */

/* @return the instruction is a branch, a call, or ends threads. */
static bool ends_block(const struct mir_inst *in) {
    return mir_op_traits(in->op) & (MIR_TERMINATOR | MIR_CALLS);
}

/* Fills *f, in arena `a`: divides code[0..n), n > 0, into blocks at branches, calls, ends of
 * threads, and targets of branches. A call has no successor, nor has an indirect branch. */
void ptx_flow_build(struct ptx_flow *f, const struct mir_inst *code, uint32_t n, struct arena *a) {
    bool *leader = ARENA_ARRAY(a, bool, n + 1);
    f->block_of = ARENA_ARRAY(a, uint32_t, n + 1);
    f->begin = ARENA_ARRAY(a, uint32_t, n + 2);
    f->n_blocks = 0;
    leader[0] = true;
    for (uint32_t i = 0; i < n; i++) {
        if (!ends_block(&code[i])) continue;
        leader[i + 1] = true;
        if (code[i].op == MIR_BRA && (uint32_t)code[i].imm < n) leader[code[i].imm] = true;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (leader[i]) f->begin[f->n_blocks++] = i;
        f->block_of[i] = f->n_blocks - 1;
    }
    f->begin[f->n_blocks] = n;
    f->succ = arena_array(a, f->n_blocks + 1, sizeof *f->succ);
    for (uint32_t b = 0; b < f->n_blocks; b++) {
        const struct mir_inst *last = &code[f->begin[b + 1] - 1];
        bool falls = !ends_block(last) || last->guard != MIR_PT;
        f->succ[b][0] = falls && b + 1 < f->n_blocks ? b + 1 : UINT32_MAX;
        f->succ[b][1] = last->op == MIR_BRA ? f->block_of[last->imm] : UINT32_MAX;
    }
}

/* ---- outstanding instructions --------------------------------------------------------------- */

/* A variable-latency instruction, or one that reads its operands late. */
struct op {
    uint32_t at;                   /* its index in the code */
    struct ptx_regs reads, writes; /* operands read late; results that come late */
    bool wants_write, wants_read;  /* something depends on its result, on its operands' release */
    uint32_t first_use; /* the first instruction found that waits for its result; 0 = none */
};

/* State of ptx_control. */
struct control {
    struct mir_inst *code;
    uint32_t n;
    const struct ptx_latency *latency;
    struct arena arena;
    struct ptx_flow flow;
    struct op *op;
    uint32_t n_ops, cap_ops, n_longs; /* n_longs: 64-bit words of a set of ops */
    uint32_t *op_of;                  /* [instruction] index + 1 in op, 0 = none */
    uint64_t **pending; /* [block] sets at entry: results, then operand reads, n_longs each */
};

/* put adds i to a set, drop takes it out. */
static void put(uint64_t *s, uint32_t i) {
    s[i / 64] |= UINT64_C(1) << i % 64;
}
static void drop(uint64_t *s, uint32_t i) {
    s[i / 64] &= ~(UINT64_C(1) << i % 64);
}

/* Fills c->op, c->op_of and c->n_longs. */
static void find_ops(struct control *c) {
    c->op_of = ARENA_ARRAY(&c->arena, uint32_t, c->n + 1);
    for (uint32_t i = 0; i < c->n; i++) {
        const struct mir_inst *in = &c->code[i];
        if (!ptx_is_variable(in, c->latency) && !ptx_reads_late(in)) continue;
        struct op *o = ARENA_PUSH(&c->arena, c->op, c->n_ops, c->cap_ops);
        o->at = i;
        if (ptx_reads_late(in)) ptx_reads(in, &o->reads);
        if (ptx_is_variable(in, c->latency)) ptx_writes(in, &o->writes);
        o->reads.pred = 0; /* predicates are read at issue */
        /* An operation that the timing model performs has a barrier even if nothing reads the
         * result: the warp's later accesses may have to wait for it. */
        o->wants_write = ptx_is_pending(in);
        c->op_of[i] = c->n_ops;
    }
    c->n_longs = (c->n_ops + 63) / 64;
    if (c->n_longs == 0) c->n_longs = 1;
}

/* @return the mask of barriers that instruction i must wait for, given the sets of outstanding
 * results and operand reads. Notes in c->op what is depended on. Before barriers are `assigned` it
 * takes from the sets the operations that i waits for. */
static unsigned wait_at(struct control *c, uint32_t i, uint64_t *results, uint64_t *operands,
                        bool assigned) {
    struct ptx_regs reads, writes;
    unsigned mask = 0;
    ptx_reads(&c->code[i], &reads);
    ptx_writes(&c->code[i], &writes);
    for (uint32_t k = 0; k < c->n_longs; k++) {
        for (uint64_t m = results[k]; m; m &= m - 1) {
            uint32_t id = 64 * k + (uint32_t)__builtin_ctzll(m);
            struct op *o = &c->op[id];
            if (!meet(&o->writes, &reads) && !meet(&o->writes, &writes)) continue;
            o->wants_write = true;
            if (!o->first_use) o->first_use = i;
            if (assigned)
                mask |= 1u << c->code[o->at].wbar;
            else {
                drop(results, id);
                drop(operands, id); /* its result is there, so its operands were read */
            }
        }
        for (uint64_t m = operands[k]; m; m &= m - 1) {
            uint32_t id = 64 * k + (uint32_t)__builtin_ctzll(m);
            struct op *o = &c->op[id];
            if (!meet(&o->reads, &writes)) continue;
            const struct mir_inst *in = &c->code[o->at];
            if (assigned && in->rbar == MIR_NO_BARRIER && in->wbar < MIR_NUM_BARRIERS) {
                mask |= 1u << in->wbar; /* its result proves that its operands were read */
                continue;
            }
            o->wants_read = true;
            if (assigned)
                mask |= 1u << c->code[o->at].rbar;
            else
                drop(operands, id);
        }
    }
    return mask & 0x3f;
}

/* Takes everything from the sets that the barriers in `mask` cover: a wait for a counter completes
 * all operations counted there. */
static void clear_waited(struct control *c, unsigned mask, uint64_t *results, uint64_t *operands) {
    if (!mask) return;
    for (uint32_t k = 0; k < c->n_longs; k++) {
        for (uint64_t m = results[k] | operands[k]; m; m &= m - 1) {
            uint32_t id = 64 * k + (uint32_t)__builtin_ctzll(m);
            const struct mir_inst *in = &c->code[c->op[id].at];
            if (in->wbar < MIR_NUM_BARRIERS && mask >> in->wbar & 1) {
                drop(results, id);
                if (in->rbar == MIR_NO_BARRIER) drop(operands, id);
            }
            if (in->rbar < MIR_NUM_BARRIERS && mask >> in->rbar & 1) drop(operands, id);
        }
    }
}

/* Adds instruction i to the sets, if it is an op. */
static void issue(struct control *c, uint32_t i, uint64_t *results, uint64_t *operands) {
    if (!c->op_of[i]) return;
    uint32_t id = c->op_of[i] - 1;
    if (ptx_is_variable(&c->code[i], c->latency)) put(results, id);
    if (ptx_reads_late(&c->code[i])) put(operands, id);
}

/* Computes c->pending, from empty sets, by rounds over all blocks until nothing changes.
 * `assigned`: barriers are chosen, and it writes the wait masks of the code. */
static void flow_pending(struct control *c, bool assigned) {
    uint64_t *now = ARENA_ARRAY(&c->arena, uint64_t, 2 * c->n_longs);
    size_t bytes = 2 * c->n_longs * sizeof *now;
    if (!c->pending) {
        c->pending = ARENA_ARRAY(&c->arena, uint64_t *, c->flow.n_blocks + 1);
        for (uint32_t b = 0; b < c->flow.n_blocks; b++)
            c->pending[b] = ARENA_ARRAY(&c->arena, uint64_t, 2 * c->n_longs);
    }
    for (uint32_t b = 0; b < c->flow.n_blocks; b++) memset(c->pending[b], 0, bytes);
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t b = 0; b < c->flow.n_blocks; b++) {
            memcpy(now, c->pending[b], bytes);
            for (uint32_t i = c->flow.begin[b]; i < c->flow.begin[b + 1]; i++) {
                unsigned mask = wait_at(c, i, now, now + c->n_longs, assigned);
                if (assigned) {
                    c->code[i].wait = (uint8_t)mask;
                    clear_waited(c, mask, now, now + c->n_longs);
                }
                issue(c, i, now, now + c->n_longs);
            }
            for (unsigned s = 0; s < 2; s++) {
                uint32_t to = c->flow.succ[b][s];
                if (to == UINT32_MAX) continue;
                for (uint32_t k = 0; k < 2 * c->n_longs; k++) {
                    uint64_t old = c->pending[to][k];
                    c->pending[to][k] |= now[k];
                    changed |= c->pending[to][k] != old;
                }
            }
        }
    }
}

/* ---- choosing counters ---------------------------------------------------------------------- */

/* What a counter counts. Operands are read some cycles after the issue, results may take hundreds,
 * so a counter has either: a wait for operands must not become one for results. */
enum counted { RESULTS, OPERANDS };
/* Counters of one kind at most; ptxas of CUDA 13 does so for results, see docs/lowering.md. */
enum { OF_ONE_KIND = 4 };

/* The counters while they are assigned, in layout order. */
struct chooser {
    uint32_t busy[MIR_NUM_BARRIERS]; /* outstanding instructions counted there */
    enum counted what[MIR_NUM_BARRIERS];
    uint32_t last[MIR_NUM_BARRIERS];  /* `time` of the last use */
    uint32_t user[MIR_NUM_BARRIERS];  /* instruction that waits first for its results, 0 = none */
    unsigned class[MIR_NUM_BARRIERS]; /* of the instruction counted last */
    uint32_t time;                    /* uses so far */
};

/* The busy counter of the same kind used last, of the same class if there is one, so that a wait
 * for older operations is not held up by newer ones. MIR_NUM_BARRIERS: none. */
static unsigned shared_counter(const struct chooser *h, enum counted what, unsigned class) {
    unsigned best = MIR_NUM_BARRIERS;
    for (unsigned b = 0; b < MIR_NUM_BARRIERS; b++) {
        if (!h->busy[b] || h->what[b] != what) continue;
        if (best == MIR_NUM_BARRIERS ||
            ((h->class[b] == class) != (h->class[best] == class) ? h->class[b] == class
                                                                 : h->last[b] > h->last[best]))
            best = b;
    }
    return best;
}

/* The free counter that was used longest ago. MIR_NUM_BARRIERS: none. */
static unsigned free_counter(const struct chooser *h) {
    unsigned best = MIR_NUM_BARRIERS;
    for (unsigned b = 0; b < MIR_NUM_BARRIERS; b++)
        if (!h->busy[b] && (best == MIR_NUM_BARRIERS || h->last[b] < h->last[best])) best = b;
    return best;
}

/* Busy counters of a kind. */
static unsigned counters_of(const struct chooser *h, enum counted what) {
    unsigned n = 0;
    for (unsigned b = 0; b < MIR_NUM_BARRIERS; b++) n += h->busy[b] && h->what[b] == what;
    return n;
}

/* @return a counter for an instruction of this class, and notes its use in `h`. Results that one
 * instruction (`user`) waits for share a counter; others share one only if there is none to
 * spare. */
static unsigned choose(struct chooser *h, enum counted what, unsigned class, uint32_t user) {
    unsigned best = MIR_NUM_BARRIERS;
    for (unsigned b = 0; b < MIR_NUM_BARRIERS && user; b++)
        if (h->busy[b] && h->what[b] == what && h->user[b] == user) best = b;
    if (best == MIR_NUM_BARRIERS) {
        const unsigned own = counters_of(h, what), other = counters_of(h, !what);
        /* keep one counter for the other kind */
        const bool spare = own + other + !other < MIR_NUM_BARRIERS;
        best = own < OF_ONE_KIND && spare ? free_counter(h) : shared_counter(h, what, class);
        h->user[best] = user;
    }
    h->what[best] = what;
    h->class[best] = class;
    h->busy[best]++;
    h->last[best] = ++h->time;
    return best;
}

/* Writes wbar and rbar of the code, in layout order. It follows what is outstanding; waits free
 * counters as they will later. */
static void assign(struct control *c) {
    struct chooser h = {.time = 0};
    uint64_t *now = ARENA_ARRAY(&c->arena, uint64_t, 2 * c->n_longs);
    for (uint32_t b = 0; b < c->flow.n_blocks; b++) {
        memcpy(now, c->pending[b], 2 * c->n_longs * sizeof *now);
        for (uint32_t i = c->flow.begin[b]; i < c->flow.begin[b + 1]; i++) {
            struct mir_inst *in = &c->code[i];
            unsigned mask = wait_at(c, i, now, now + c->n_longs, true);
            clear_waited(c, mask, now, now + c->n_longs);
            for (unsigned k = 0; k < MIR_NUM_BARRIERS; k++)
                if (mask >> k & 1) h.busy[k] = h.user[k] = 0;
            if (!c->op_of[i]) continue;
            const struct op *o = &c->op[c->op_of[i] - 1];
            const unsigned class = mir_op_class(in->op);
            if (o->wants_write) in->wbar = (uint8_t)choose(&h, RESULTS, class, o->first_use);
            if (o->wants_read) in->rbar = (uint8_t)choose(&h, OPERANDS, class, 0);
            issue(c, i, now, now + c->n_longs);
        }
    }
}

/* ---- stall counts --------------------------------------------------------------------------- */

/* Cycles, from the issue of the next instruction, until registers and predicates may be read. */
struct ready {
    uint8_t reg[PTX_SIDES][NUM_REGS]; /* by instructions of this side */
    uint8_t pred[8];                  /* as an operand */
    uint8_t guard[8];                 /* as a guard */
    uint8_t tensor;                   /* the pipe of matrix products */
};

static unsigned later(unsigned a, unsigned b) {
    return a > b ? a : b;
}

/* Cycles that the instruction must wait for fixed-latency results. */
static unsigned needs(const struct control *c, const struct mir_inst *in, const struct ready *r) {
    struct ptx_regs reads, writes;
    unsigned need = 0, own = ptx_result_latency(in, c->latency);
    bool variable = ptx_is_variable(in, c->latency);
    const enum ptx_side side = ptx_side_of(mir_op_class(in->op));
    ptx_reads(in, &reads);
    ptx_writes(in, &writes);
    for (unsigned k = 0; k < 4; k++) {
        for (uint64_t m = reads.reg[k]; m; m &= m - 1)
            need = later(need, r->reg[side][64 * k + (unsigned)__builtin_ctzll(m)]);
        for (uint64_t m = writes.reg[k]; m; m &= m - 1) { /* results must not overtake older ones */
            unsigned left = r->reg[PTX_SIDE_OTHER][64 * k + (unsigned)__builtin_ctzll(m)];
            need = later(need, variable ? left : left > own ? left - own : 0);
        }
    }
    for (unsigned p = 0; p < MIR_PT; p++) {
        if (reads.pred >> p & 1) need = later(need, r->pred[p]);
        if (writes.pred >> p & 1)
            need = later(need, variable ? r->pred[p] : r->pred[p] > own ? r->pred[p] - own : 0);
    }
    if ((in->guard & 7) != MIR_PT) need = later(need, r->guard[in->guard & 7]);
    /* Else it would wait for its pipe, and only then stall for what its reader needs. */
    if (ptx_is_product(in)) need = later(need, r->tensor);
    return need;
}

/* Lets cycles pass in `r`. */
static void pass_time(struct ready *r, unsigned cycles) {
    uint8_t *v = (uint8_t *)r;
    for (size_t i = 0; i < sizeof *r; i++) v[i] = v[i] > cycles ? (uint8_t)(v[i] - cycles) : 0;
}

/* Puts the latencies of the instruction's results into `r`; 0 for those that a counter covers. */
static void note_results(const struct control *c, const struct mir_inst *in, struct ready *r) {
    struct ptx_regs writes;
    unsigned own = ptx_result_latency(in, c->latency);
    ptx_writes(in, &writes);
    if (ptx_is_variable(in, c->latency)) own = 0; /* a counter covers it */
    const enum ptx_side side = ptx_side_of(mir_op_class(in->op));
    if (ptx_is_product(in)) r->tensor = c->latency->interval[mir_op_class(in->op)];
    for (unsigned k = 0; k < 4; k++)
        for (uint64_t m = writes.reg[k]; m; m &= m - 1)
            for (enum ptx_side to = 0; to < PTX_SIDES; to++)
                r->reg[to][64 * k + (unsigned)__builtin_ctzll(m)] =
                    (uint8_t)(own ? own + ptx_way(c->latency, side, to) : 0);
    for (unsigned p = 0; p < MIR_PT; p++)
        if (writes.pred >> p & 1) {
            r->pred[p] = (uint8_t)own;
            r->guard[p] =
                (uint8_t)(ptx_is_variable(in, c->latency) ? 0 : later(own, c->latency->guard));
        }
}

/* Raises the stall count of the instruction to `cycles`, MIR_MOST_STALL at most, and sets `yield`
 * if it is long. Sets *changed if it rose. */
static void raise_stall(struct mir_inst *in, unsigned cycles, bool *changed) {
    if (cycles > MIR_MOST_STALL) cycles = MIR_MOST_STALL;
    if (in->stall >= cycles) return;
    in->stall = (uint8_t)cycles;
    if (cycles > MIR_YIELD_ABOVE) in->yield = 1; /* a long stall works only with yield */
    *changed = true;
}

/* Sets the stall count that the instruction needs without regard to results. */
static void base_stall(struct mir_inst *in) {
    in->stall = mir_op_traits(in->op) & MIR_REFETCH ? MIR_BRANCH_STALL : 1;
}

/* One round over all blocks: raises stall counts of the code, and the entry states of blocks.
 * @return something changed */
static bool stall_round(struct control *c, struct ready *entry) {
    bool changed = false;
    for (uint32_t b = 0; b < c->flow.n_blocks; b++) {
        struct ready r = entry[b];
        uint32_t begin = c->flow.begin[b], end = c->flow.begin[b + 1];
        for (uint32_t i = begin; i < end; i++) {
            struct mir_inst *in = &c->code[i];
            if (i > begin) {
                struct mir_inst *before = &c->code[i - 1];
                unsigned need = needs(c, in, &r);
                unsigned sets = (before->wbar < 6 ? 1u << before->wbar : 0) |
                                (before->rbar < 6 ? 1u << before->rbar : 0);
                /* r counts from the earliest issue of `in`; a longer stall lets all of it pass */
                if (need) {
                    raise_stall(before, before->stall + need, &changed);
                    pass_time(&r, need);
                }
                if (sets & in->wait && before->stall < 2) {
                    raise_stall(before, 2, &changed);
                    pass_time(&r, 1);
                }
            }
            note_results(c, in, &r);
            pass_time(&r, in->stall);
        }
        struct mir_inst *last = &c->code[end - 1];
        for (unsigned s = 0; s < 2; s++) {
            uint32_t to = c->flow.succ[b][s];
            if (to == UINT32_MAX) continue;
            const struct mir_inst *head = &c->code[c->flow.begin[to]];
            unsigned need = needs(c, head, &r);
            unsigned sets = (last->wbar < 6 ? 1u << last->wbar : 0) |
                            (last->rbar < 6 ? 1u << last->rbar : 0);
            if (sets & head->wait && last->stall + need < 2) need = 2u - last->stall;
            if (need) {
                raise_stall(last, last->stall + need, &changed);
                pass_time(&r, need);
            }
        }
        for (unsigned s = 0; s < 2; s++) {
            uint32_t to = c->flow.succ[b][s];
            if (to == UINT32_MAX) continue;
            uint8_t *e = (uint8_t *)&entry[to];
            const uint8_t *v = (const uint8_t *)&r;
            for (size_t i = 0; i < sizeof r; i++)
                if (v[i] > e[i]) {
                    e[i] = v[i];
                    changed = true;
                }
        }
    }
    return changed;
}

/* The set of register-file banks that operand k lies in; bit 0: even registers. */
static unsigned operand_banks(const struct mir_inst *in, unsigned k) {
    unsigned words = mir_src_words(in, k);
    return words == 0 ? 0 : words > 1 ? 3 : 1u << (in->src[k].reg & 1);
}

/* @return the next instruction of the block that reads this slot from the same bank reads the same
 * register, not written in between, and follows within FAR. The operand may then stay in the reuse
 * cache. */
static bool read_next(const struct control *c, uint32_t i, unsigned k) {
    enum { FAR = 8 }; /* instructions; later the entry belongs to another warp's instruction */
    const struct mir_inst *in = &c->code[i];
    unsigned banks = operand_banks(in, k);
    struct ptx_regs own = {0}, writes;
    add_regs(&own, in->src[k].reg, mir_src_words(in, k));
    for (uint32_t j = i + 1; j < c->n && j <= i + FAR; j++) {
        const struct mir_inst *next = &c->code[j];
        if (c->flow.block_of[i] != c->flow.block_of[j]) return false;
        ptx_writes(next - 1, &writes);
        writes.pred = 0;
        if (meet(&own, &writes)) return false;
        if (!mir_class_ports(mir_op_class((mir_op)next->op)) || !(operand_banks(next, k) & banks))
            continue;
        return operand_banks(next, k) == banks && next->src[k].reg == in->src[k].reg;
    }
    return false;
}

/* Writes the reuse bits of the code. */
static void mark_reuse(struct control *c) {
    for (uint32_t i = 0; i < c->n; i++) {
        struct mir_inst *in = &c->code[i];
        in->reuse = 0;
        if (!mir_class_ports(mir_op_class((mir_op)in->op))) continue;
        for (unsigned k = 0; k < MIR_MAX_SRC; k++)
            if (mir_src_words(in, k) && read_next(c, i, k)) in->reuse |= (uint8_t)(1u << k);
    }
}

/* Overwrites stall, yield, wbar, rbar, wait and reuse of code[0..n): resets the control
 * information, then runs the steps in order. n may be 0. */
void ptx_control(struct mir_inst *code, uint32_t n, const struct ptx_latency *latency) {
    struct control c = {.code = code, .n = n, .latency = latency};
    if (n == 0) return;
    arena_init(&c.arena);
    ptx_flow_build(&c.flow, code, n, &c.arena);
    for (uint32_t i = 0; i < n; i++) {
        code[i].wbar = code[i].rbar = MIR_NO_BARRIER;
        code[i].wait = code[i].yield = 0;
        base_stall(&code[i]);
    }
    find_ops(&c);
    flow_pending(&c, false);
    assign(&c);
    flow_pending(&c, true);
    struct ready *entry = ARENA_ARRAY(&c.arena, struct ready, c.flow.n_blocks + 1);
    while (stall_round(&c, entry)) {
    }
    mark_reuse(&c);
    arena_free(&c.arena);
}

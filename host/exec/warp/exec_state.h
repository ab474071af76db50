/* exec_state.h - the state that all rooms of exec/ work on: decoded instructions, warps, CTAs, and
 * the code by which an operation's function tells the interpreter what happened. Private to exec/.
 *
 * Ownership and threads: a warp belongs to its CTA, and a CTA to one thread at a time (exec.h). A
 * program is constant once made and shared by all threads of its launch.
 *
 * Every row of tables/mir_ops.def has a function `exec_op_<ID>`; without it the executor does not
 * link. The function gets the warp, the decoded instruction and the lanes that execute it (at least
 * one), and returns an exec_code. */
#ifndef HEDDLE_EXEC_STATE_H
#define HEDDLE_EXEC_STATE_H

#include <stddef.h>

#include "exec/exec.h"
#include "exec/warp/warp_register.h"

#define EXEC_LIKELY(x) __builtin_expect(!!(x), 1)
#define EXEC_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* What an operation's function did. */
typedef enum exec_code {
    EX_NEXT,  /* executed; on to the next instruction */
    EX_DONE,  /* the same; it has written its own records (also in the next two cases) */
    EX_JUMP,  /* executed; warp->pc and warp->active say where to go on */
    EX_STOP,  /* executed; no lane can run now: warp->status says why */
    EX_MOVED, /* not executed (its lanes wait for others); warp->pc and active say where to go on */
    EX_HELD,  /* not executed: warp->status says what the warp waits for */
    EX_FAULT, /* the CTA's fault is filled in */
} exec_code;

struct exec_op;
struct exec_shadow;
struct exec_race;
struct exec_slow;
struct exec_race_cta;
typedef exec_code (*exec_fn)(struct exec_warp *w, const struct exec_op *op, uint32_t mask);

enum { /* kind of number that source modifiers act on */
       MODS_INT,
       MODS_INT64,
       MODS_F32,
       MODS_F64,
       MODS_F16X2,
       MODS_F16,
};
enum { BASE_REGS, BASE_CONSTS }; /* index into exec_warp.base: where an operand's registers lie */

/* A decoded instruction. The registers of operand i begin at warp->base[src_base[i]] + src[i]
 * bytes. Fields without a comment are those of struct mir_inst. */
struct exec_op {
    exec_fn fn; /* executes it */
    const struct mir_inst *inst;
    uint32_t src[MIR_MAX_SRC];
    uint8_t src_base[MIR_MAX_SRC];
    uint8_t mods[MIR_MAX_SRC];      /* modifiers to apply at run time: mostly 0 for constants */
    uint8_t mods_kind[MIR_MAX_SRC]; /* MODS_* */
    uint8_t has_src;                /* bit i: operand i exists */
    uint8_t src_words[MIR_MAX_SRC], dst_words;
    uint32_t dst;             /* byte offset in the register file; of a spare register for RZ */
    uint8_t guard;            /* index into exec_warp.p */
    uint8_t pdst[2], psrc[3]; /* likewise */
    uint8_t type, type2, cmp, bop, round, sub, space, width;
    uint8_t mem;          /* mir_mem */
    uint8_t memory_class; /* mir_memory_class_t before the sector's state is known */
    uint8_t order;        /* ORDER_*, from its memory semantics */
    uint8_t wait, wbar;
    uint8_t kind; /* mir_kind */
    uint16_t flags, ptx_count;
    int32_t imm;
};
/* Release: after all earlier accesses. Acquire: before all later ones. */
enum { ORDER_BEFORE = 1, ORDER_AFTER = 2 };
/* Whether a fence or an access with memory ordering orders for more than its own CTA. */
static inline bool exec_is_wide(const struct exec_op *op) {
    return op->mem == MIR_MEM_SYS || op->inst->scope >= MIR_SCOPE_GPU;
}

/* Predicates of a warp, a bit per lane: p[0..6], p[7] = PT; p[8 + i] is the complement of p[i].
 * Writes to PT go to P_SPARE, which saves a test. */
enum { P_COMPLEMENT = 8, P_SPARE = 16, P_COUNT = 32 };

/* A launch, decoded by exec_launch_prepare(); exec_launch_finish() frees it with its arrays.
 * Constant in between, except what the race check keeps. */
struct exec_program {
    struct exec_op *code; /* [num_inst + 1]: the last one raises a fault */
    uint32_t num_inst;
    uint32_t exit_pc;                /* of an EXIT */
    warp_reg *consts;                /* constant operands as warp registers, four of zeros first */
    uint32_t num_regs;               /* registers of a warp without the spare ones */
    uint32_t num_convergence;        /* number of the highest convergence barrier used, plus 1 */
    uint32_t num_warps, num_threads; /* of a CTA */
    uint64_t num_ctas;
    bool independent;           /* no CTA can wait for another or observe their order */
    warp_reg *tid;              /* [num_warps][3]: thread indices */
    struct exec_race *race;     /* check/global_race.h; NULL: no check */
    struct exec_slow *slow;     /* ops/slow_path.h; NULL: no instruction has a slow path */
    struct exec_tagged *tagged; /* warp/special_count.h; NULL: special operations are not counted */
};

/* A posted or pending operation, with its operands as they were when the warp executed it. From the
 * CTA's pool. */
struct exec_inflight {
    struct exec_inflight *next_free;
    const struct exec_op *op;
    uint32_t lanes; /* all lanes */
    uint32_t todo;  /* lanes not completed yet */
    uint8_t space;
    uint8_t posted;       /* 1: without a result for the warp */
    uint32_t check;       /* number under which the race check follows it, 0: it does not */
    uint64_t text;        /* PRINTF: ticket of its text (device_io.h); else 0 */
    uint64_t address[32]; /* global address, or byte offset in shared memory */
    warp_reg data[8];     /* store: data; atomic: [0..3] operand, [4..7] second operand;
                           * load, atomic, clock: the result replaces [0..3] */
};

enum { SECTORS_MAX = 192, SECTORS_SLOTS = 512 };
/* Sectors that posted and pending operations of a warp accessed since its last drain, in program
 * order: a hash set of fixed size. `used` lists the places of its `count` keys. */
struct exec_sectors {
    uint32_t count;
    uint16_t used[SECTORS_MAX];
    uint64_t tag[SECTORS_SLOTS]; /* 0: free */
};

enum {
    POSTED_MAX = 16,        /* posted operations since the last drain, by program order */
    PENDING_MAX = 12,       /* pending ones not yet waited for, by program order */
    SPIN_MAX = 64,          /* rounds of a loop with strong accesses before BSYNC lets go */
    TURN_BRANCHES = 32,     /* backward branches before another group of lanes gets its turn */
    SPIN_PLAIN = 1 << 16,   /* rounds of any loop before BSYNC lets go */
    MEETINGS_MAX = 1 << 12, /* meetings of other lanes that reset these counts */
    /* Registers behind those of a warp, for results that go to RZ; registers of zeros before the
     * constants. */
    SPARE_REGS = 4,
};

/* A warp of a resident CTA. Masks have a bit per lane unless they say otherwise. */
struct exec_warp {
    const char *base[2];        /* BASE_REGS: the registers, BASE_CONSTS: the program's constants */
    const struct exec_op *code; /* the program's */
    uint32_t p[P_COUNT];        /* predicates */
    uint32_t active;            /* lanes that run together now, at pc */
    uint32_t pc;
    uint32_t live;            /* lanes that have not exited */
    uint32_t attention;       /* nonzero: exec_hazard() must run before an instruction */
    struct exec_trace *trace; /* of the running exec_warp_run, NULL when nothing is traced */
    uint8_t *local;           /* local memory: [word][lane] */
    bool timed;               /* posted and pending operations exist */
    uint64_t clock;           /* what clock registers read in an immediate launch */
    struct exec_cta *cta;
    uint32_t index;     /* in the CTA */
    uint32_t slot;      /* on the SM */
    exec_status status; /* EXEC_RAN or why it does not run */
    uint8_t hold;       /* wait bits of the instruction that could not be executed */
    bool strong_seen;   /* a strong access since the last backward branch */
    bool leaves;        /* exec_warp_forgive() */
    /* Backward branches: since the last turn; with strong accesses, of any kind since lanes last
     * met. Meetings of other lanes while some wait at BSYNC. */
    uint32_t branches, spins, plain_spins, meetings;
    uint8_t turn; /* the lane whose group had the last turn */

    uint32_t lane_pc[32];               /* of lanes that do not run now */
    uint32_t at_bsync, at_sync, at_bar; /* lanes that wait at BSYNC, a warp sync, a CTA barrier */
    uint32_t apart;   /* lanes that would have met, had BSYNC not let some of them go on alone */
    uint32_t yielded; /* lanes in a loop with YIELD, for which no BSYNC waits */
    uint32_t at_warpsync;               /* of at_sync: at WARPSYNC; their lane_pc is behind it */
    uint32_t at_b[MIR_NUM_CONVERGENCE]; /* of at_bsync: by barrier */
    warp_reg *meet;                     /* [num_convergence]: per lane, the lanes it meets there */
    warp_reg sync_mask;                 /* per lane of at_sync: its member mask */
    uint8_t bar_id, bar_mode;           /* the barrier of at_bar, mir_bar */
    uint8_t bar_expected;               /* warps that it expects, 0: all */
    bool bar_waits;                     /* the warp has arrived and waits for others */
    bool bar_whole;                     /* all lanes came together, at bar_pc; lane_pc is not set */
    uint32_t bar_pc;
    uint32_t bar_pred; /* RED: predicate of the lanes at_bar */

    /* Operations in flight, a bit each. */
    uint32_t inflight_all;
    uint32_t inflight_pending; /* with a result */
    uint32_t inflight_acquire; /* later accesses must wait for it */
    uint32_t inflight_clock;   /* reads of clock registers */
    uint32_t wait_inflight;    /* EXEC_WAIT_INFLIGHT: ready when one of these has ended, */
    bool wait_all;             /* or, if set, all of them */
    uint8_t pending_sb;        /* dependency barriers with a pending operation not waited for since,
                              * by program order */
    uint8_t acquire_sb;        /* the same, acquire operations */
    uint8_t posted, pending;   /* operations since the last wait for them, by program order */
    struct exec_inflight *inflight[EXEC_MAX_INFLIGHT]; /* by number */
    struct exec_sectors *sectors;                      /* NULL until needed */
    uint64_t executed;                                 /* instructions so far */
    struct exec_seen seen;                             /* check/look.h */
};

/* A CTA barrier. All zeros when no warp has arrived. */
struct exec_barrier {
    uint32_t arrived;  /* warps that have arrived */
    uint32_t expected; /* warps, 0: all live ones */
    uint32_t waiting;  /* warps that wait, a bit each */
    /* RED: threads arrived with a true predicate; whether one was false, whether one was true. */
    uint32_t popc;
    bool not_all, any;
};
enum { CTA_BARRIERS = 16 };

/* A resident CTA: the head of a block of memory that holds all its parts (cta.c). */
struct exec_cta {
    struct exec_cta *next_free;
    const struct exec_launch *launch;
    const struct exec_program *program;
    struct exec_pool *pool;
    size_t bytes;                   /* of this block, for reuse */
    uint32_t id[3], sm;             /* place in the grid; number of its SM */
    uint32_t num_warps, live_warps; /* live: not exited */
    uint8_t *shared;                /* shared memory */
    uint8_t *shared_state;          /* per sector: EXEC_SECTOR_STRONG */
    bool shared_strong;             /* one of them is set */
    struct exec_shadow *shadow;     /* check/shadow.h; NULL: no check */
    struct exec_race_cta *race;     /* check/global_race.h; NULL: no check */
    struct exec_counts counts;
    struct exec_special *special; /* [function->num_special]; NULL: not counted */
    struct exec_fault fault;      /* err is HEDDLE_OK: none */
    struct exec_barrier barrier[CTA_BARRIERS];
    struct exec_warp *warp; /* [num_warps] */
};

/* @return operand i, r, after its modifiers (operand.c), in tmp (a pair of registers). */
const warp_reg *exec_modify(const struct exec_op *op, unsigned i, const warp_reg *r, warp_reg *tmp);

/* The functions of the operations, in ops/ and memory/. */
#define OP(id, ...) \
    exec_code exec_op_##id(struct exec_warp *w, const struct exec_op *op, uint32_t mask);
#include "tables/mir_ops.def"
#undef OP

/* Operand i without its modifiers. */
static inline const warp_reg *exec_src_raw(const struct exec_warp *w, const struct exec_op *op,
                                           unsigned i) {
    return (const warp_reg *)(const void *)(w->base[op->src_base[i]] + op->src[i]);
}
/* Operand i after its modifiers. tmp: room for two registers, used if there are any. */
static inline const warp_reg *exec_src(const struct exec_warp *w, const struct exec_op *op,
                                       unsigned i, warp_reg *tmp) {
    const warp_reg *r = exec_src_raw(w, op, i);
    return EXEC_LIKELY(op->mods[i] == 0) ? r : exec_modify(op, i, r, tmp);
}
/* The destination registers of op; spare ones for RZ. */
static inline warp_reg *exec_dst(const struct exec_warp *w, const struct exec_op *op) {
    return (warp_reg *)(uintptr_t)(w->base[BASE_REGS] + op->dst);
}
/* Writes predicate `p` (a decoded destination) in the lanes of mask. */
static inline void exec_put_pred(struct exec_warp *w, unsigned p, uint32_t value, uint32_t mask) {
    uint32_t now = (w->p[p] & ~mask) | (value & mask);
    w->p[p] = now;
    w->p[p + P_COMPLEMENT] = ~now;
}
/* a bop b of predicates (mir_bool). */
static inline uint32_t exec_bool(unsigned bop, uint32_t a, uint32_t b) {
    return bop == MIR_AND ? a & b : bop == MIR_OR ? a | b : a ^ b;
}
/* P = t bop p, Q = !t bop p, in the lanes of mask. */
static inline void exec_put_compare(struct exec_warp *w, const struct exec_op *op, uint32_t t,
                                    uint32_t mask) {
    uint32_t p = w->p[op->psrc[0]];
    exec_put_pred(w, op->pdst[0], exec_bool(op->bop, t, p), mask);
    if (op->pdst[1] != P_SPARE) exec_put_pred(w, op->pdst[1], exec_bool(op->bop, ~t, p), mask);
}
/* Index of op in the function. */
static inline uint32_t exec_pc(const struct exec_warp *w, const struct exec_op *op) {
    return (uint32_t)(op - w->code);
}

#endif

/* exec_state.h - what the files of exec/ share: decoded instructions, the state of a warp and a
 * CTA, and how an operation's function tells the interpreter what happened.
 *
 * An operation is a function `exec_op_<ID>`, one for every row of tables/mir_ops.def (a missing one
 * does not link). It gets the warp, the decoded instruction and the lanes that execute it (never
 * none), does its work and returns an exec_code. */
#ifndef HEDDLE_EXEC_STATE_H
#define HEDDLE_EXEC_STATE_H

#include <stddef.h>

#include "exec/exec.h"
#include "exec/warp/exec_lanes.h"

#define EXEC_LIKELY(x) __builtin_expect(!!(x), 1)
#define EXEC_UNLIKELY(x) __builtin_expect(!!(x), 0)

typedef enum exec_code {
    EX_NEXT,  /* executed; on to the next instruction */
    EX_DONE,  /* the same, and it has written its own records (so have the next two) */
    EX_JUMP,  /* executed; warp->pc and warp->active say where to go on */
    EX_STOP,  /* executed; no lane can run now: warp->status says why */
    EX_MOVED, /* not executed (its lanes wait for others); go on at warp->pc, warp->active */
    EX_HELD,  /* not executed: warp->status says what the warp waits for */
    EX_FAULT, /* the CTA's fault is filled in */
} exec_code;

struct exec_op;
struct exec_shadow;
struct exec_global;
struct exec_slow;
struct exec_global_cta;
typedef exec_code (*exec_fn)(struct exec_warp *w, const struct exec_op *op, uint32_t mask);

enum { /* how source modifiers act */
       MODS_INT,
       MODS_INT64,
       MODS_F32,
       MODS_F64,
       MODS_F16X2,
       MODS_F16,
};
enum { BASE_REGS, BASE_CONSTS }; /* where an operand's rows lie */

/* A decoded instruction. Operand rows: base[src_base] + src bytes. */
struct exec_op {
    exec_fn fn;
    const struct mir_inst *inst;
    uint32_t src[MIR_MAX_SRC];
    uint8_t src_base[MIR_MAX_SRC];
    uint8_t mods[MIR_MAX_SRC]; /* left to do at run time: 0 for constants */
    uint8_t mods_kind[MIR_MAX_SRC];
    uint8_t has_src; /* bit i: operand i is there */
    uint8_t src_words[MIR_MAX_SRC], dst_words;
    uint32_t dst;             /* byte offset in the register file; of a spare row for RZ */
    uint8_t guard;            /* index into exec_warp.p */
    uint8_t pdst[2], psrc[3]; /* the same */
    uint8_t type, type2, cmp, bop, round, sub, space, width;
    uint8_t mem;          /* mir_mem */
    uint8_t memory_class; /* mir_memory_class_t before the sector's state is known */
    uint8_t order;        /* ORDER_*: what its semantics order */
    uint8_t wait, wbar;
    uint8_t kind; /* mir_kind */
    uint16_t flags, ptx_count;
    int32_t imm;
};
enum { ORDER_BEFORE = 1, ORDER_AFTER = 2 }; /* release, acquire */

/* Predicates of a warp: p[0..6], p[7] = PT; p[8 + i] is the complement of p[i]. Writes to PT go to
 * P_SPARE, so that nobody asks. */
enum { P_COMPLEMENT = 8, P_SPARE = 16, P_COUNT = 32 };

/* A launch, decoded. Read-only once made. */
struct exec_program {
    struct exec_op *code; /* num_inst + 1: the last one is for running off the end */
    uint32_t num_inst;
    row *consts;                     /* constant operands, four rows of zeros first */
    uint32_t num_regs;               /* rows of a warp without the spare ones */
    uint32_t num_convergence;        /* convergence barriers used */
    uint32_t num_warps, num_threads; /* of a CTA */
    uint64_t num_ctas;
    bool independent;           /* no CTA can wait for another one or see in what order they ran */
    row *tid;                   /* [num_warps][3]: thread indices */
    struct exec_global *global; /* check/global_race.h; NULL: not watched */
    struct exec_slow *slow;     /* ops/slow_path.h; NULL: no instruction has a slow path */
};

/* What a strong access carries while it is watched (check/global_race.h). */
struct exec_clocks;
struct exec_global_sync {
    struct exec_clocks *publish, *seen; /* what its write publishes, what its read has seen */
    uint32_t epoch, warp;
    bool strong; /* takes part */
};

/* A posted or pending operation. Its operands are those of the time of issue. */
struct exec_slot {
    struct exec_slot *next_free;
    const struct exec_op *op;
    uint32_t lanes; /* all of it */
    uint32_t todo;  /* not completed yet */
    uint8_t space;
    uint8_t posted;               /* no result for the warp */
    struct exec_text *text;       /* PRINTF: to be written; else NULL */
    uint64_t address[32];         /* global address, or byte offset in shared memory */
    struct exec_global_sync sync; /* of a CTA that is watched */
    row data[8];                  /* store: data; atomic: [0..3] operand, [4..7] second operand;
                           * load, atomic, clock: the result replaces [0..3] */
};

/* Sectors that the operations of a warp touched since its last drain, by program order: a hash
 * set of fixed size. */
enum { SECTORS_MAX = 192, SECTORS_SLOTS = 512 };
struct exec_sectors {
    uint32_t count;
    uint16_t used[SECTORS_MAX];
    uint64_t tag[SECTORS_SLOTS]; /* 0: free */
};

enum {
    POSTED_MAX = 16,      /* posted since the last drain, by program order */
    PENDING_MAX = 12,     /* pending and not yet waited for, by program order */
    SPIN_MAX = 64,        /* rounds of a loop with strong accesses before BSYNC lets go */
    TURN_BRANCHES = 32,   /* backward branches before another group of lanes gets its turn */
    SPIN_PLAIN = 1 << 16, /* rounds of any loop before BSYNC lets go */
    SPARE_ROWS = 4,
};

struct exec_warp {
    const char *base[2]; /* BASE_REGS: the registers, BASE_CONSTS: the program's constants */
    const struct exec_op *code;
    uint32_t p[P_COUNT];
    uint32_t active; /* lanes that run together now, at pc */
    uint32_t pc;
    uint32_t live;            /* not exited */
    uint32_t attention;       /* nonzero: hazards must be looked at before an instruction */
    struct exec_trace *trace; /* of the running exec_warp_run, NULL when nothing is traced */
    uint8_t *local;           /* local memory: [word][lane] */
    bool timed;               /* posted and pending operations exist */
    uint64_t clock;           /* what clock registers read in an immediate launch */
    struct exec_cta *cta;
    uint32_t index;     /* in the CTA */
    exec_status status; /* EXEC_RAN or why it does not run */
    uint8_t hold;       /* wait bits of the instruction that could not be executed */
    bool strong_seen;   /* a strong access since the last backward branch */
    uint32_t branches, spins, plain_spins;

    uint32_t lane_pc[32];               /* of lanes that do not run now */
    uint32_t at_bsync, at_sync, at_bar; /* lanes that stand at BSYNC, a warp sync, a CTA barrier */
    uint32_t apart; /* lanes that would have met, had BSYNC not let some of them go on alone */
    uint32_t at_warpsync;               /* of at_sync: at WARPSYNC, behind which they go on */
    uint32_t at_b[MIR_NUM_CONVERGENCE]; /* of at_bsync: by barrier */
    row *meet;                          /* [num_convergence]: per lane, the lanes it will meet */
    row sync_mask;                      /* per lane of at_sync: its member mask */
    uint8_t bar_id, bar_mode;           /* of at_bar */
    uint8_t bar_expected;               /* warps, 0: all */
    bool bar_waits;                     /* the warp has arrived and waits for others */
    bool bar_whole;                     /* its lanes came together, at bar_pc; lane_pc is not set */
    uint32_t bar_pc;
    uint32_t bar_pred; /* RED: predicate of the lanes at_bar */

    uint32_t slots_used;     /* bit per slot in flight */
    uint32_t slots_pending;  /* of those: with a result */
    uint32_t slots_acquire;  /* of those: later accesses must wait */
    uint32_t slots_clock;    /* of those: clock registers */
    uint32_t wait_slots;     /* EXEC_WAIT_SLOT: ready when one of these is free (any), */
    bool wait_all;           /* or all of them */
    uint8_t pending_sb;      /* dependency barriers with a pending operation not waited for since,
                              * by program order */
    uint8_t acquire_sb;      /* the same, acquire operations */
    uint8_t posted, pending; /* numbers since, by program order */
    struct exec_slot *slot[EXEC_NUM_SLOTS];
    struct exec_sectors *sectors; /* NULL until needed */
};

struct exec_barrier {
    uint32_t arrived;  /* warps */
    uint32_t expected; /* warps, 0: all live ones */
    uint32_t waiting;  /* mask of warps */
    uint32_t popc;     /* RED over the threads that have arrived */
    bool not_all, any;
};
enum { CTA_BARRIERS = 16 };

struct exec_cta {
    struct exec_cta *next_free;
    const struct exec_launch *launch;
    const struct exec_program *program;
    struct exec_pool *pool;
    size_t bytes; /* of this block, for reuse */
    uint32_t id[3], sm;
    uint32_t num_warps, live_warps;
    uint8_t *shared;
    uint8_t *shared_state;          /* per sector: EXEC_SECTOR_STRONG */
    bool shared_strong;             /* one of them is set */
    struct exec_shadow *shadow;     /* check/shadow.h; NULL: not watched */
    struct exec_global_cta *global; /* check/global_race.h; the same */
    struct exec_counts counts;
    struct exec_fault fault; /* err is HEDDLE_OK: none */
    struct exec_barrier barrier[CTA_BARRIERS];
    struct exec_warp *warp; /* [num_warps] */
};

/* cta.c */
struct exec_slot *exec_pool_slot(struct exec_pool *pool);
void exec_pool_slot_free(struct exec_pool *pool, struct exec_slot *slot);
struct exec_sectors *exec_pool_sectors(struct exec_pool *pool);

/* check/fault.c: fills the CTA's fault for the first of `lanes`. @return EX_FAULT. */
exec_code exec_raise(struct exec_warp *w, const struct exec_op *op, uint32_t lanes, heddle_err err,
                     const char *reason);

/* Adds the other side of a race to the CTA's fault. */
void exec_fault_other(struct exec_cta *cta, bool write, uint32_t thread, uint32_t pc);

/* warp/operand.c: operand i with its modifiers, in tmp (a pair of rows) when there are any. */
const row *exec_modify(const struct exec_op *op, unsigned i, const row *r, row *tmp);

/* ops/lane_groups.c: which lanes of a warp run together */

/* Takes up lanes that can run, those with the lowest pc: sets active and pc. @return EX_JUMP, or
 * EX_STOP when the warp has ended or waits at a CTA barrier, or EX_FAULT when its lanes wait for
 * each other. */
exec_code exec_choose(struct exec_warp *w);
/* The active lanes not in `gone` go on behind op; when there are none, others. */
exec_code exec_go_on(struct exec_warp *w, const struct exec_op *op, uint32_t gone);
/* Sets the pc of lanes that do not run now. */
void exec_park(struct exec_warp *w, uint32_t lanes, uint32_t pc);
/* A group has branched backwards to `target` while other lanes of the warp are elsewhere. Counts,
 * and hands over to others when it is their turn. */
exec_code exec_backward(struct exec_warp *w, uint32_t target);
/* Lets another group run that can, and resumes this one at `pc` later. */
exec_code exec_yield(struct exec_warp *w, uint32_t pc);
/* After lanes have left (exit, BREAK): lanes that waited for nobody else may go on. */
void exec_recheck(struct exec_warp *w);
/* Brings the lanes of a member mask together at op, for operations over lanes; each lane of `mask`
 * names its own members.
 * @return EX_NEXT when all live ones are among `mask`; else EX_MOVED, EX_HELD or EX_FAULT. */
exec_code exec_gather(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                      const row *members);

/* ops/op_barrier.c */
void exec_barrier_exit(struct exec_cta *cta); /* a warp has ended */
/* The warp arrives when all its live lanes stand at a CTA barrier. @return true if it now did. */
bool exec_barrier_check(struct exec_warp *w);

/* memory/in_flight.c: posted and pending operations (timed launches only) */
enum { HAZARD_PENDING = 1, HAZARD_DRAIN = 2, HAZARD_CLOCKS = 4 };
/* Before any instruction, while warp->attention is set. @return EX_NEXT or EX_HELD. */
exec_code exec_hazard(struct exec_warp *w, const struct exec_op *op, uint32_t mask);
/* A fence, barrier or exit: waits for what HAZARD_* says. @return EX_NEXT and the record's wait
 * bits, or EX_HELD. */
exec_code exec_order_point(struct exec_warp *w, const struct exec_op *op, unsigned what,
                           uint8_t *wait);

/* The lanes of a memory instruction that go to one space. */
struct exec_part {
    uint8_t space, memory_class;
    bool strong, close; /* close: aligned, within a few KiB from `low`, plain memory */
    uint32_t mask;
    uint64_t low;
};
/* The same as exec_order_point for a memory instruction, whose parts may become slots. */
exec_code exec_order_access(struct exec_warp *w, const struct exec_op *op,
                            const struct exec_part *part, unsigned parts, const uint64_t *address,
                            uint8_t *wait);
/* Makes a slot of a part; exec_order_access has seen to it that there is room.
 * @return its number, or EXEC_NO_SLOT: no memory. */
uint8_t exec_slot_add(struct exec_warp *w, const struct exec_op *op, const struct exec_part *part,
                      const uint64_t *address);
/* Fills in the operands of an operation. */
void exec_slot_capture(struct exec_slot *s, const struct exec_warp *w, const struct exec_op *op,
                       const struct exec_part *part, const uint64_t *address);

/* ops/op_system.c: the same for SYS */
void exec_system_perform(struct exec_slot *s, const struct exec_cta *cta, uint32_t lanes);

/* memory/perform.c: does it, in lane order; a result replaces the slot's data */
void exec_slot_perform(struct exec_slot *s, struct exec_cta *cta, uint32_t lanes, uint64_t clock);
/* @return why the atomic operation does not exist, or NULL. */
const char *exec_atomic_missing(const struct exec_op *op);

/* run.c */
void exec_record_plain(struct exec_warp *w, const struct exec_op *op, uint32_t mask, uint8_t wait,
                       uint8_t flags);

#define OP(id, mnemonic, cls, mem, ndst, nsrc, text) \
    exec_code exec_op_##id(struct exec_warp *w, const struct exec_op *op, uint32_t mask);
#include "tables/mir_ops.def"
#undef OP

/* memory/access.c: addresses of the lanes of mask; the others repeat one of them. */
void exec_lane_addresses(const struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                         uint64_t *address);

/* Hot forms: @return a function specialised for the instruction, or NULL. */
/* Loads and stores without their short ways, for a launch with checks; else NULL. */
exec_fn exec_watched(const struct exec_op *op);
/* Accesses to global memory that note what they touch (launch->touched); else NULL. */
exec_fn exec_noting(const struct exec_op *op);
exec_fn exec_special_int(const struct exec_op *op);
exec_fn exec_special_float(const struct exec_op *op);
exec_fn exec_special_double(const struct exec_op *op);

static inline const row *exec_src_raw(const struct exec_warp *w, const struct exec_op *op,
                                      unsigned i) {
    return (const row *)(const void *)(w->base[op->src_base[i]] + op->src[i]);
}
/* tmp: room for two rows, for operands with modifiers. */
static inline const row *exec_src(const struct exec_warp *w, const struct exec_op *op, unsigned i,
                                  row *tmp) {
    const row *r = exec_src_raw(w, op, i);
    return EXEC_LIKELY(op->mods[i] == 0) ? r : exec_modify(op, i, r, tmp);
}
static inline row *exec_dst(const struct exec_warp *w, const struct exec_op *op) {
    return (row *)(uintptr_t)(w->base[BASE_REGS] + op->dst);
}
/* Writes predicate `p` (a decoded destination) in the lanes of mask. */
static inline void exec_put_pred(struct exec_warp *w, unsigned p, uint32_t value, uint32_t mask) {
    uint32_t now = (w->p[p] & ~mask) | (value & mask);
    w->p[p] = now;
    w->p[p + P_COMPLEMENT] = ~now;
}
static inline uint32_t exec_bool(unsigned bop, uint32_t a, uint32_t b) {
    return bop == MIR_AND ? a & b : bop == MIR_OR ? a | b : a ^ b;
}
/* P = t bop p, Q = !t bop p */
static inline void exec_put_compare(struct exec_warp *w, const struct exec_op *op, uint32_t t,
                                    uint32_t mask) {
    uint32_t p = w->p[op->psrc[0]];
    exec_put_pred(w, op->pdst[0], exec_bool(op->bop, t, p), mask);
    if (op->pdst[1] != P_SPARE) exec_put_pred(w, op->pdst[1], exec_bool(op->bop, ~t, p), mask);
}
static inline uint32_t exec_pc(const struct exec_warp *w, const struct exec_op *op) {
    return (uint32_t)(op - w->code);
}

#endif

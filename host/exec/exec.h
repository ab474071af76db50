/* exec.h - the functional executor: runs the warps of CTAs on MIR, 32 lanes at a time. It runs in
 * the server: the SM groups (timing/) call it for timed launches, the scheduler (sched/) for
 * immediate ones.
 *
 * Function runs ahead of timing (ARCHITECTURE.md). exec_warp_run() executes one warp until its
 * budget is used or it must wait for the timing model. It appends a record per warp instruction to
 * a trace, from which feed/ makes timing packets. Memory operations without ordering are performed
 * at once. Posted and pending ones go in flight: the timing model performs them at the time at
 * which they take effect, then calls exec_complete(). With `immediate` set
 * (`--timing none`) every operation is performed at once and no trace is written.
 *
 * Order. Records stand in the order in which the warp executed them, and the registers that an
 * instruction reads are those of that order. Everything in a record (wait bits, class, which lanes
 * run together) depends on the program, its data and the order of records alone, never on how far
 * timing has come: the records are the same whether operations are performed early or late. The
 * timing model must obey these rules:
 *   - an operation is performed after the record that names it has issued, and exec_complete()
 *     comes after that;
 *   - a record issues only when its wait bits and those of its instruction are satisfied:
 *     dependency barrier k when every earlier operation with wbar k has been performed, the drain
 *     bit when every earlier posted operation of the warp has;
 *   - operations of one warp on one sector are performed in any order, unless the launch sets
 *     `in_order`: then in the order of records, and the executor waits less.
 *
 * Two ways to perform an operation. The warp's SM group calls exec_perform(). Another group, in
 * whose L2 slice the sector is, performs a remote operation (struct exec_remote_op): the warp's
 * group sends the operation and the operands of its lanes as numbers, the other group performs them
 * on the memory, and sends the results back as numbers. A remote operation has no pointer to its
 * warp or CTA.
 *
 * Threads: a warp, its CTA and its launch's non-const parts belong to one thread at a time. A
 * remote operation belongs to one thread, which may be another than that of the warp. Several
 * launches may run on different threads over the same memory. Shared by threads: device memory
 * (device_memory.h), heap and printf of the GPU (device_io.h), and with EXEC_CHECK_GLOBAL a
 * launch's race check (check/global_race.h). No global state. */
#ifndef HEDDLE_EXEC_EXEC_H
#define HEDDLE_EXEC_EXEC_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "exec/check/look.h"
#include "exec/check/standing.h"
#include "exec/memory/device_io.h"
#include "exec/memory/device_memory.h"
#include "exec/memory/cache_warming.h"
#include "mir/mir.h"

enum {
    EXEC_MAX_WARPS = 32,     /* warps of a CTA */
    EXEC_MAX_INFLIGHT = 31,  /* posted and pending operations of a warp in flight */
    EXEC_NO_INFLIGHT = 0xff, /* number: no operation */
    EXEC_MAX_THREADS = 64,   /* host threads of an immediate launch */
};

/* Optional checks; bounds and alignment are always checked. What they find becomes a finding, and
 * the launch goes on, if it has a list of findings; else it is a fault. */
enum {
    EXEC_CHECK_INIT = 1,   /* memory read before it was written; global memory, if it keeps that */
    EXEC_CHECK_RACE = 2,   /* shared memory, between warps; see check/shadow.h */
    EXEC_CHECK_GLOBAL = 8, /* races on global memory, between CTAs; see check/global_race.h */
    EXEC_CHECK_SYNC = 4,   /* threads of a warp at different instructions of an aligned barrier */
    /* These look at each access, so that loads and stores have no fast paths. */
    EXEC_CHECK_ACCESSES = EXEC_CHECK_INIT | EXEC_CHECK_RACE | EXEC_CHECK_GLOBAL,
};

/* How often a launch executed a special operation (mir/mir_special.h). */
struct exec_special {
    const char *form;      /* as in PTX, without operands: "div.rn.f32" */
    uint64_t warps;        /* executions; ways that a warp takes one after another count each */
    uint64_t threads;      /* lanes that executed it */
    uint64_t slow_threads; /* of these, lanes that took the slow way */
};

struct exec_findings;

/* A kernel launch. Filled by the caller, constant while it runs, but for `cancelled`. */
struct exec_launch {
    const struct mir_function *function;
    const struct mir_module *module;    /* for file names in diagnostics; may be NULL */
    const uint8_t *bank[MIR_NUM_BANKS]; /* constant banks, the caller's; bank 0: MIR_C0_* */
    uint32_t bank_size[MIR_NUM_BANKS];  /* bytes; a read beyond is an error */
    uint32_t grid[3], block[3];         /* CTAs, threads of a CTA; x, y, z */
    uint32_t shared_bytes;              /* static + dynamic, per CTA */
    uint64_t grid_id;                   /* number of the launch: %gridid, owner of its text */
    struct exec_memory *memory;
    bool immediate;                 /* --timing none: perform everything at once */
    bool in_order;                  /* timing performs the operations of a warp on one sector in
                       * program order, see above */
    uint32_t num_sms, sm_warps;     /* %nsmid, %nwarpid */
    struct exec_io *io;             /* printf, malloc; NULL: they are faults */
    uint32_t threads;               /* for exec_run_immediate(); 0: the calling one only */
    unsigned checks;                /* EXEC_CHECK_* */
    struct exec_findings *findings; /* the caller's (check/finding.h); NULL: findings are faults */
    struct exec_warming *warming;   /* log of the lines that an immediate launch without checks
                                   * accesses, then on one thread; NULL: none */
    struct exec_special *special;   /* [function->num_special] each CTA adds to it at its release,
                                   * from any thread; NULL: not counted */
    const char *name;               /* for messages; NULL: the function's */
    /* An immediate launch calls it now and then, on the thread that runs it; while it blocks, the
     * launch's other threads wait. May be NULL. */
    void (*progress)(void *user, uint64_t ctas_done);
    void *progress_user;
    bool cancelled;                 /* exec_launch_cancel() */
    struct exec_standing *standing; /* then: gets the warps of an immediate launch; or NULL */
    struct exec_program *program;   /* set by exec_launch_prepare() */
};

/* Decodes the launch's function against its constant banks, once for all its CTAs, and checks it:
 * register numbers, branch targets, widths of accesses, numbers of banks and barriers. Sets
 * launch->program. The function, its module and the banks must outlive the program. Clears the
 * strong bits of the memory when it is a timed launch and no other one runs on it.
 * @return HEDDLE_ERR_LAUNCH, ARGUMENT, INTERNAL, NOMEM, with text in diag (may be NULL). */
heddle_err exec_launch_prepare(struct exec_launch *launch, struct heddle_diag *diag);
/* Frees the program, after the last CTA has been released. Accepts a launch not prepared. */
void exec_launch_finish(struct exec_launch *launch);
/* Ends a launch before its time, from any thread, at any time: each of its warps exits when it runs
 * again, once its operations in flight have been performed; a warp at a CTA barrier when the
 * barrier opens, as it does when the others have exited, unless it counts warps. A launch that
 * exec_immediate_run() runs ends with HEDDLE_ERR_STOPPED, and adds where its warps stood to
 * `standing` (may be NULL). */
static inline void exec_launch_cancel(struct exec_launch *launch, struct exec_standing *standing) {
    launch->standing = standing;
    __atomic_store_n(&launch->cancelled, true, __ATOMIC_RELEASE);
}
static inline bool exec_launch_cancelled(const struct exec_launch *launch) {
    return __atomic_load_n(&launch->cancelled, __ATOMIC_ACQUIRE);
}

/* One executed warp instruction. Every instruction gives exactly one, also when its guard is false
 * in all lanes and for branches and barriers, except that a generic access whose lanes hit several
 * spaces gives one per space (global, shared, local; counted as one instruction). An instruction
 * that lanes of a warp reach at different times (divergence) gives a record for each group of
 * lanes; SHFL, VOTE, MATCH and REDUX that wait for the lanes of their member mask give one when all
 * are there. */
struct exec_record {
    uint32_t pc;   /* instruction index in the function */
    uint32_t mask; /* lanes that executed it: active and guard true; may be 0 */
    union {
        uint32_t access; /* memory: index into exec_trace.access, or EXEC_NO_ACCESS; records of one
                          * generic access share it */
        struct {         /* BAR */
            uint8_t id;
            uint8_t warps; /* warps that complete it, 0: all live ones of the CTA */
        } bar;
        uint32_t slow_parts;  /* EXEC_REC_SLOW: parts of the slow path that lanes run, a bit each */
        uint32_t nanoseconds; /* NANOSLEEP: shortest time of the lanes, which wake up together */
    };
    uint8_t inflight; /* number of a posted or pending operation, or EXEC_NO_INFLIGHT */
    uint8_t wait;     /* beyond inst->wait, before issue: bits 0..5 dependency barriers, bit 6
                    * (EXEC_WAIT_POSTED) all posted operations of the warp acknowledged */
    uint8_t space;    /* memory: mir_space after generic addresses were resolved */
    uint8_t flags;    /* EXEC_REC_* */
    /* Textures and surfaces: number of accesses, from `access` on; a lane's address of 0 is none.
     * 0: a single access, as of any other memory instruction. */
    uint8_t texels;
    uint8_t texel_bytes; /* size of each */
};
#define EXEC_NO_ACCESS UINT32_MAX
enum {
    EXEC_RECORD_TEXELS = 16,   /* most accesses of a record: filtered volume, two levels */
    EXEC_WAIT_POSTED = 1 << 6, /* drain */
    EXEC_REC_STRONG = 1,       /* the access is strong: misses L1 by rule */
    EXEC_REC_END = 2,          /* the warp has no lane left after this one */
    EXEC_REC_ARRIVE = 4, /* BAR: with this record the warp arrives; without the flag, the lanes are
            * the part of a diverged warp that has reached the barrier first, and wait. EXIT: the
            * remaining lanes all stand at barrier `bar`, at which the warp arrives now */
    EXEC_REC_DIVERGED = 16, /* a branch that not all active lanes follow to one target */
    EXEC_REC_SLOW = 8, /* a slow path (mir_slow.h): several warp instructions, of which this is the
                        * only record */
};

/* Addresses of a memory operation: per lane, valid where the record's mask is set. Shared and local
 * addresses are byte offsets; local ones are those of the thread's own space. */
struct exec_access {
    uint64_t address[MIR_WARP_SIZE];
};

/* The trace of a warp: exec_warp_run() appends, the caller clears. The caller provides room for
 * `capacity` records, at least 64, and as many accesses (for kernels with textures
 * EXEC_RECORD_TEXELS times as many). A warp stops (EXEC_RAN) while there is room for fewer than
 * EXEC_TRACE_ROOM more records. */
enum { EXEC_TRACE_ROOM = 3 };
struct exec_trace {
    struct exec_record *record;
    struct exec_access *access;
    uint32_t num_records, num_accesses, capacity;
};

/* Why exec_warp_run() returned. */
typedef enum exec_status {
    EXEC_RAN,           /* budget used, can go on */
    EXEC_WAIT_INFLIGHT, /* the next instruction needs a pending register; see exec_warp_wait() */
    EXEC_WAIT_DRAIN,    /* waits until all its posted operations are performed */
    EXEC_WAIT_BARRIER,  /* waits for other warps of its CTA (CTA barrier) */
    EXEC_EXITED,        /* all lanes have exited */
    EXEC_FAULT,         /* see exec_cta_fault() */
} exec_status;

/* A fault: what went wrong, and where. */
struct exec_fault {
    heddle_err err; /* ILLEGAL_ADDRESS, MISALIGNED, TRAP, BARRIER, ... */
    const struct mir_inst *inst;
    uint32_t pc;
    uint32_t cta[3], thread[3]; /* the first lane concerned */
    uint64_t address;
    uint32_t bytes; /* size of the access, 0: not an access */
    uint8_t space;
    bool write;
    const char *reason; /* detail beyond err, static text, or NULL */
    char detail[112];   /* more detail, with numbers, of textures and surfaces; may be empty */
    /* The other access of a race, the other barrier; NULL: there is none. */
    const struct mir_inst *other;
    uint32_t other_pc, other_thread[3];
    bool other_write;
    bool other_in_cta; /* it is in CTA other_cta; else in the same CTA */
    uint32_t other_cta[3];
};

/* Writes a phrase about a warp: what it waits for, and where. @return as snprintf(). */
struct exec_warp;
int exec_warp_describe(char *out, size_t size, const struct exec_warp *warp);
/* A warp as it is between two of its runs. */
struct exec_warp_view {
    uint32_t cta[3], index; /* its CTA, and its number in it */
    uint32_t live, active;  /* lanes that have not exited; that run together now */
    exec_status status;
    uint64_t executed; /* warp instructions so far */
};
void exec_warp_look_at(const struct exec_warp *warp, struct exec_warp_view *out);

/* Writes a fault as text for the user: what happened, where in PTX and source, in which CTA and
 * thread. @return characters needed, as snprintf(). */
int exec_fault_text(char *out, size_t size, const struct exec_launch *launch,
                    const struct exec_fault *fault);

struct exec_warp; /* a warp of a resident CTA */
struct exec_cta;  /* a resident CTA: shared memory, barriers, warps */
struct exec_pool; /* memory of CTAs that have ended, for reuse; one per thread */

/* Creates an empty pool; frees it with the memory that it holds. The pool must outlive its CTAs. */
heddle_err exec_pool_create(struct exec_pool **out);
void exec_pool_free(struct exec_pool *pool);

/* Makes CTA `index` (x fastest) of the launch resident on SM `sm`. The launch must be prepared and
 * outlive it. */
heddle_err exec_cta_create(struct exec_cta **out, struct exec_pool *pool,
                           const struct exec_launch *launch, uint64_t index, uint32_t sm);
/* Gives the CTA back to the pool. Its warps have nothing in flight, or the launch has failed.
 * Accepts NULL. */
void exec_cta_release(struct exec_pool *pool, struct exec_cta *cta);
unsigned exec_cta_warps(const struct exec_cta *cta);
struct exec_warp *exec_cta_warp(struct exec_cta *cta, unsigned index);
/* Sets %warpid: the warp's slot on its SM. Without it, it is the warp's number in the CTA. */
void exec_warp_set_slot(struct exec_warp *warp, uint32_t slot);
/* @return the fault after EXEC_FAULT, else NULL. */
const struct exec_fault *exec_cta_fault(const struct exec_cta *cta);
/* After EXEC_FAULT: forgets the fault, and the warp exits when it runs again, as if its launch were
 * cancelled. */
void exec_warp_forgive(struct exec_warp *warp);
/* Call when the CTA has ended and all its operations have been performed, before
 * exec_cta_release(). With EXEC_CHECK_GLOBAL, a race of an acquire is found only when the acquire
 * is performed, which may be after its warp has exited. @return the fault, which is part of the
 * CTA; NULL: none. */
const struct exec_fault *exec_cta_end(struct exec_cta *cta);

/* Runs the warp for at most `budget` warp instructions; a record is appended for each when `trace`
 * is not NULL (never when the launch is `immediate`). */
exec_status exec_warp_run(struct exec_warp *warp, uint32_t budget, struct exec_trace *trace);

/* True when exec_warp_run() can make progress: the warp waits for nothing, or its wait is over.
 * A warp that waits at a CTA barrier becomes ready when the last warp arrives. exec_cta_ready()
 * returns all ready warps of a CTA as a mask. Warps that have exited or failed are not ready. */
bool exec_warp_ready(const struct exec_warp *warp);
uint32_t exec_cta_ready(const struct exec_cta *cta);

/* After EXEC_WAIT_INFLIGHT or EXEC_WAIT_DRAIN: the wait bits that the next record of the warp will
 * need (inst->wait | record.wait: SB0..SB5 and EXEC_WAIT_POSTED). Bits that depend on the
 * instruction's addresses are missing. 0 is possible: an
 * earlier record already waited for everything, or the warp waits for a clock. */
uint8_t exec_warp_wait(const struct exec_warp *warp);

/* Performs lanes of a posted or pending operation on memory, now. `clock` is the value that a clock
 * register gets (cycles for CLOCK*, nanoseconds for GLOBALTIMER). Reads and writes memory (for a
 * shared operation the CTA's shared memory) and the operation; a system call also the launch's io,
 * a followed access also the launch's race check. `inflight`: the number of the operation, from its
 * record. */
void exec_perform(struct exec_warp *warp, uint8_t inflight, uint32_t lanes, uint64_t clock);
/* Tells the warp that these lanes have been performed. After the last one the registers get
 * their values and the number is free. @return true when the number became free. */
bool exec_complete(struct exec_warp *warp, uint8_t inflight, uint32_t lanes);
/* Lanes of the operation that touch the given sector (32-byte aligned global address). */
uint32_t exec_inflight_lanes(const struct exec_warp *warp, uint8_t inflight, uint64_t sector);

/* The effect of an operation on memory, in numbers that mean the same in every process. */
struct exec_operation {
    uint8_t mem;    /* mir_mem; an atomic without a result is MIR_MEM_RED */
    uint8_t sub;    /* atomic: mir_atom; SYS: mir_sys */
    uint8_t type;   /* mir_type */
    uint8_t width;  /* bytes of a lane, 1 to 16 */
    uint32_t check; /* EXEC_CHECK_GLOBAL: its number in the race check, 0: it is not followed */
};
/* The first four fields in one number, and back. */
static inline uint32_t exec_operation_code(const struct exec_operation *o) {
    return o->mem | (uint32_t)o->sub << 8 | (uint32_t)o->type << 16 | (uint32_t)o->width << 24;
}
static inline struct exec_operation exec_operation_of(uint32_t code, uint32_t check) {
    return (struct exec_operation){.mem = code & 0xff,
                                   .sub = code >> 8 & 0xff,
                                   .type = code >> 16 & 0xff,
                                   .width = (uint8_t)(code >> 24),
                                   .check = check};
}
/* Operands of a lane: 0, 1 or 2. */
static inline unsigned exec_operation_operands(const struct exec_operation *o) {
    switch (o->mem) {
    case MIR_MEM_LOAD: return 0;
    case MIR_MEM_STORE: return 1;
    case MIR_MEM_SYS: return 2; /* size, address or count; ticket of text (device_io.h) */
    default: return o->sub == MIR_ATOM_CAS ? 2 : 1;
    }
}
/* Whether the operation gives lanes a result. */
static inline bool exec_operation_answers(const struct exec_operation *o) {
    return o->mem == MIR_MEM_LOAD || o->mem == MIR_MEM_ATOM || o->mem == MIR_MEM_SYS;
}

/* A lane of an operation: address and operands, later the result. */
struct exec_operand {
    uint64_t address; /* global */
    uint64_t data[4]; /* [0..1]: value to store, or operand of an atomic; a result replaces it.
                       * [2..3]: second operand. A value of up to 4 bytes lies in 32 bits. Operands
                       * that the operation does not have are not set */
};

/* For the warp's side of a remote operation, on the warp's thread: an operation in flight, one of
 * its lanes, and the result of a lane (data[0..1]), which must be given before exec_complete(). Not
 * for shared memory and not for clocks. */
struct exec_operation exec_inflight_operation(const struct exec_warp *warp, uint8_t inflight);
struct exec_operand exec_inflight_operand(const struct exec_warp *warp, uint8_t inflight,
                                          unsigned lane);
void exec_inflight_answer(struct exec_warp *warp, uint8_t inflight, unsigned lane,
                          const uint64_t data[2]);

/* Lanes of an operation away from their warp, filled in by the caller. */
struct exec_remote_op {
    const struct exec_launch *launch; /* of the warp; a remote operation uses its io and program */
    struct exec_operation operation;
    uint32_t lanes; /* lanes that are here */
    struct exec_operand lane[MIR_WARP_SIZE];
};
/* Lanes of the remote operation that touch the given sector. */
uint32_t exec_remote_op_lanes(const struct exec_remote_op *op, uint64_t sector);
/* Performs some of its lanes, now: reads and writes device memory and the remote operation; a
 * system call also the launch's io, a followed access also the launch's race check. The caller
 * takes the lanes out of the remote operation. */
void exec_remote_op_perform(struct exec_remote_op *op, uint32_t lanes);

/* Kinds of accesses to memory outside of an SM (tables/access_kinds.def). */
enum exec_access_kind {
#define ACCESS(id, name, meaning) EXEC_ACCESS_##id,
#include "tables/access_kinds.def"
    EXEC_ACCESS_KINDS
};
/* What the SM group counts as it feeds a CTA's packets, with timing: rows FED of
 * tables/kernel_record.def, which says what each member is. */
struct exec_fed_counts {
#define FED(member, array) uint64_t member array;
#include "tables/kernel_record.def"
};
/* Counters of a CTA since its creation. */
struct exec_counts {
    uint64_t warp_inst;                   /* warp instructions of MIR and of its slow paths */
    uint64_t ptx_warp_inst;               /* PTX warp instructions they stand for */
    uint64_t thread_inst[MIR_KIND_COUNT]; /* thread instructions (active lanes), by kind */
    struct exec_fed_counts fed;           /* added by the SM group */
    uint64_t ctas;                        /* that have ended, of a launch that runs functionally */
};
/* Adds `counts` to *sum; copies the counters of a CTA to *out. */
void exec_counts_add(struct exec_counts *sum, const struct exec_counts *counts);
void exec_cta_counts(const struct exec_cta *cta, struct exec_counts *out);

/* Runs a whole launch functionally: at most `resident` CTAs at a time, warps in turns of `turn`
 * instructions (the caller uses 1,024). CTAs that cannot wait for each other run on
 * launch->threads threads. Results, counters and the fault (that of the lowest CTA) do not
 * depend on the number of threads, unless CTAs race on weak accesses; with EXEC_CHECK_GLOBAL one
 * thread runs them all. Sums the counters into *counts; on a fault fills *fault. */
heddle_err exec_run_immediate(struct exec_launch *launch, uint32_t resident, uint32_t turn,
                              struct exec_counts *counts, struct exec_fault *fault,
                              struct heddle_diag *diag);

/* The same in steps, for launches on several GPUs that wait for each other in memory. */
struct exec_immediate;
heddle_err exec_immediate_create(struct exec_immediate **out, struct exec_launch *launch,
                                 uint32_t resident, uint32_t turn, struct heddle_diag *diag);
/* Runs until all CTAs have ended or `patience` rounds of turns pass in which none ends (0: no
 * limit; CTAs that cannot wait for each other have no limit either). @return true: the launch
 * has ended or faulted. */
bool exec_immediate_run(struct exec_immediate *x, uint32_t patience);
/* Between two steps: adds the CTAs that are resident; and their warps. */
void exec_immediate_look(struct exec_immediate *x, struct exec_look *look);
void exec_immediate_standing(struct exec_immediate *x, struct exec_standing *s);
/* Ends the launch, run to its end or not, and frees it. @return the fault's error. */
heddle_err exec_immediate_end(struct exec_immediate *x, struct exec_counts *counts,
                              struct exec_fault *fault, struct heddle_diag *diag);

#endif

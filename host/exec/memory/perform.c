/* perform.c - performs posted and pending operations on memory, and every atomic operation.
 *
 * The SM group that simulates a sector's L2 slice calls exec_perform() or, for a warp of another
 * group, exec_remote_op_perform(), on its thread; access.c performs the atomics of immediate
 * launches here. Functions that take words, types or operands are pure but for their pointers; no
 * function records a fault.
 *
 * The timing model may perform operations on other sectors on other threads at the same time, so
 * memory is touched with relaxed atomic loads and stores of the access's size. Lanes take effect in
 * lane order; all operations on one sector are performed by one thread (its slice's owner), so an
 * atomic is a load and a store.
 *
 * An operation in flight has its operands in warp registers, a remote operation as numbers.
 * perform_lane() works on the numbers of one lane, for both. */
#include "exec/memory/perform.h"
#include "exec/check/global_race.h"
#include "exec/memory/device_io.h"
#include "exec/warp/ieee.h"
#include "exec/warp/operand_macros.h"

/* ---- words of memory */

/* Loads 1, 2, 4 or 8 bytes. */
static uint64_t load_word(const uint8_t *p, unsigned bytes) {
    switch (bytes) {
    case 1: return __atomic_load_n(p, __ATOMIC_RELAXED);
    case 2: return __atomic_load_n((const uint16_t *)(const void *)p, __ATOMIC_RELAXED);
    case 4: return __atomic_load_n((const uint32_t *)(const void *)p, __ATOMIC_RELAXED);
    default: return __atomic_load_n((const uint64_t *)(const void *)p, __ATOMIC_RELAXED);
    }
}
/* Stores the low 1, 2, 4 or 8 bytes of x. */
static void store_word(uint8_t *p, unsigned bytes, uint64_t x) {
    switch (bytes) {
    case 1: __atomic_store_n(p, (uint8_t)x, __ATOMIC_RELAXED); break;
    case 2: __atomic_store_n((uint16_t *)(void *)p, (uint16_t)x, __ATOMIC_RELAXED); break;
    case 4: __atomic_store_n((uint32_t *)(void *)p, (uint32_t)x, __ATOMIC_RELAXED); break;
    default: __atomic_store_n((uint64_t *)(void *)p, x, __ATOMIC_RELAXED); break;
    }
}

/* ---- atomics */

/* a + b as floats, rounded to nearest; `flush`: subnormal inputs and results become zeros. */
static uint32_t add_f32(uint32_t a, uint32_t b, bool flush) {
    if (flush) {
        a = f32_flush(a);
        b = f32_flush(b);
    }
    uint32_t r = f32_canonical(f32_bits(f32_from(a) + f32_from(b)));
    return flush ? f32_flush(r) : r;
}
/* a + b of one or two halves of a format, each rounded to nearest. */
static uint32_t add_halves(uint32_t a, uint32_t b, unsigned halves, const struct exec_format *f) {
    uint32_t r = 0;
    for (unsigned i = 0; i < halves; i++) {
        double x = exec_widen(a >> (16 * i) & 0xffff, f), y = exec_widen(b >> (16 * i) & 0xffff, f);
        r |= exec_narrow_sum(x, y, f, MIR_ROUND_NEAREST) << (16 * i);
    }
    return r;
}

/* a + b of a type. PTX, atom: f32 additions on global memory flush subnormals, those on shared
 * memory do not. */
static uint64_t atomic_add(uint64_t a, uint64_t b, unsigned type, bool global) {
    switch (type) {
    case MIR_F32: return add_f32((uint32_t)a, (uint32_t)b, global);
    case MIR_F64: return f64_canonical(f64_bits(f64_from(a) + f64_from(b)));
    case MIR_F16: return add_halves((uint32_t)a, (uint32_t)b, 1, &exec_f16);
    case MIR_F16X2: return add_halves((uint32_t)a, (uint32_t)b, 2, &exec_f16);
    case MIR_BF16: return add_halves((uint32_t)a, (uint32_t)b, 1, &exec_bf16);
    case MIR_BF16X2: return add_halves((uint32_t)a, (uint32_t)b, 2, &exec_bf16);
    default: return a + b;
    }
}
/* a < b as integers of a type. */
static bool less(uint64_t a, uint64_t b, unsigned type) {
    switch (type) {
    case MIR_S32: return (int32_t)a < (int32_t)b;
    case MIR_S64: return (int64_t)a < (int64_t)b;
    case MIR_U64: return a < b;
    default: return (uint32_t)a < (uint32_t)b;
    }
}
/* The value that an atomic writes: `old` is that of memory, b and c are the operands. */
static uint64_t atomic_result(const struct exec_operation *op, bool global, uint64_t old,
                              uint64_t b, uint64_t c) {
    switch (op->sub) {
    case MIR_ATOM_ADD: return atomic_add(old, b, op->type, global);
    case MIR_ATOM_MIN: return less(b, old, op->type) ? b : old;
    case MIR_ATOM_MAX: return less(old, b, op->type) ? b : old;
    case MIR_ATOM_INC: return (uint32_t)old >= (uint32_t)b ? 0 : old + 1;
    case MIR_ATOM_DEC: return (uint32_t)old == 0 || (uint32_t)old > (uint32_t)b ? b : old - 1;
    case MIR_ATOM_AND: return old & b;
    case MIR_ATOM_OR: return old | b;
    case MIR_ATOM_XOR: return old ^ b;
    case MIR_ATOM_EXCH: return b;
    default: return old == b ? c : old; /* CAS */
    }
}

/* @return static text that says which part of the atomic op (width, type, function) does not exist;
 * NULL: it exists. */
const char *exec_atomic_missing(const struct exec_op *op) {
    bool number = op->type == MIR_U32 || op->type == MIR_S32 || op->type == MIR_U64 ||
                  op->type == MIR_S64;
    unsigned half = op->type == MIR_F16 || op->type == MIR_BF16;
    unsigned pair = op->type == MIR_F16X2 || op->type == MIR_BF16X2;
    unsigned size = op->type == MIR_U64 || op->type == MIR_S64 || op->type == MIR_F64 ? 8
                    : op->type == MIR_U16 || op->type == MIR_S16 || half              ? 2
                    : op->type == MIR_B128                                            ? 16
                                                                                      : 4;
    if (op->width != size) return "atomic operation whose width is not that of its type";
    switch (op->sub) {
    case MIR_ATOM_ADD:
        return number || half || pair || op->type == MIR_F32 || op->type == MIR_F64
                   ? NULL
                   : "type of atomic addition";
    case MIR_ATOM_MIN:
    case MIR_ATOM_MAX: return number ? NULL : "type of atomic minimum or maximum";
    case MIR_ATOM_INC:
    case MIR_ATOM_DEC: return op->type == MIR_U32 ? NULL : "type of atomic increment or decrement";
    case MIR_ATOM_AND:
    case MIR_ATOM_OR:
    case MIR_ATOM_XOR: return op->width == 4 || op->width == 8 ? NULL : "type of atomic logic";
    case MIR_ATOM_EXCH:
    case MIR_ATOM_CAS: return NULL;
    default: return "atomic operation";
    }
}

/* Performs the atomic of one lane at p. data (see struct exec_operand) holds the operands; the old
 * value replaces data[0..1]. */
static void atomic_lane(const struct exec_operation *op, uint8_t *p, bool global, uint64_t *data) {
    unsigned bytes = op->width;
    if (bytes == 16) { /* EXCH or CAS */
        uint64_t old[2] = {load_word(p, 8), load_word(p + 8, 8)};
        bool equal = old[0] == data[0] && old[1] == data[1];
        for (unsigned i = 0; i < 2; i++) {
            if (op->sub == MIR_ATOM_EXCH)
                store_word(p + 8 * i, 8, data[i]);
            else if (equal)
                store_word(p + 8 * i, 8, data[2 + i]);
            data[i] = old[i];
        }
        return;
    }
    uint64_t old = load_word(p, bytes), keep = bytes == 2 ? 0xffff : UINT64_MAX;
    uint64_t second = op->sub == MIR_ATOM_CAS ? data[2] & keep : 0;
    store_word(p, bytes, atomic_result(op, global, old, data[0] & keep, second));
    data[0] = old;
}

/* ---- loads, stores, system calls */

/* Loads a lane's value at p into data, extended. */
static void load_lane(const struct exec_operation *op, const uint8_t *p, uint64_t *data) {
    if (op->width >= 8) {
        for (unsigned i = 0; i < op->width / 8u; i++) data[i] = load_word(p + 8 * i, 8);
        return;
    }
    uint32_t x = (uint32_t)load_word(p, op->width);
    if (op->type == MIR_S8 && op->width == 1) x = (uint32_t)(int8_t)x;
    if (op->type == MIR_S16 && op->width == 2) x = (uint32_t)(int16_t)x;
    data[0] = x;
}
/* Stores a lane's data at p. */
static void store_lane(const struct exec_operation *op, uint8_t *p, const uint64_t *data) {
    unsigned width = op->width, step = width < 8 ? width : 8;
    for (unsigned i = 0; i < width / step; i++) store_word(p + 8 * i, step, data[i]);
}

/* Performs a lane's system call on the launch's io: prints the ticket data[2], allocates data[0]
 * bytes (the address replaces them), or frees block data[0]. */
static void system_lane(const struct exec_operation *op, const struct exec_launch *launch,
                        uint64_t *data) {
    struct exec_io *io = launch->io;
    switch (op->sub) {
    case MIR_SYS_PRINTF:
        if (data[2]) exec_io_print(io, data[2]);
        break;
    case MIR_SYS_MALLOC: data[0] = exec_io_malloc(io, launch->memory, data[0]); break;
    case MIR_SYS_FREE: exec_io_recycle(io, data[0]); break;
    default: break;
    }
}

/* Performs one lane on memory at p, or on the launch's io. `data`: as in struct exec_operand; a
 * result replaces operands. */
static inline void perform_lane(const struct exec_operation *op, const struct exec_launch *launch,
                                uint8_t *p, bool global, uint64_t *data) {
    switch (op->mem) {
    case MIR_MEM_LOAD: load_lane(op, p, data); break;
    case MIR_MEM_STORE: store_lane(op, p, data); break;
    case MIR_MEM_SYS: system_lane(op, launch, data); break;
    default: atomic_lane(op, p, global, data); break;
    }
}

/* ---- operations in flight: operands from registers, results into them */

/* The operation of an entry in flight; an atomic without a result is a reduction. */
static struct exec_operation operation_of(const struct exec_inflight *s) {
    const struct exec_op *op = s->op;
    bool silent = op->mem == MIR_MEM_ATOM && s->posted, system = op->mem == MIR_MEM_SYS;
    return (struct exec_operation){.mem = silent ? MIR_MEM_RED : op->mem,
                                   .sub = op->sub,
                                   .type = op->type,
                                   .width = system ? 8 : op->width,
                                   .check = s->check};
}

/* Operands of lane l as numbers. Of a printf only the first lane has the ticket of the text. */
static void take_data(uint64_t *data, const struct exec_operation *op,
                      const struct exec_inflight *s, unsigned l) {
    if (op->mem == MIR_MEM_SYS) {
        data[0] = reg_pair(s->data, l);
        data[2] = l == (unsigned)__builtin_ctz(s->lanes) ? s->text : 0;
        return;
    }
    unsigned operands = exec_operation_operands(op);
    for (unsigned v = 0; v < operands; v++) {
        const warp_reg *r = s->data + (size_t)4 * v;
        data[2 * v] = op->width < 8 ? r->u[l] : reg_pair(r, l);
        if (op->width == 16) data[2 * v + 1] = reg_pair(r + 2, l);
    }
}

/* Writes x to lane l of a register pair. */
static void put_pair(warp_reg *r, unsigned l, uint64_t x) {
    r[0].u[l] = (uint32_t)x;
    r[1].u[l] = (uint32_t)(x >> 32);
}
/* Writes the result of lane l, of `width` bytes, to the operation's data. */
static void put_data(struct exec_inflight *s, unsigned width, unsigned l, const uint64_t *data) {
    if (width < 8) {
        s->data[0].u[l] = (uint32_t)data[0];
        return;
    }
    put_pair(s->data, l, data[0]);
    if (width == 16) put_pair(s->data + 2, l, data[1]);
}

/* Performs those of `lanes` that the operation has, lowest first, on device memory, the CTA's
 * shared memory or the launch's io; results go into s->data. `clock`: the value of a clock
 * register. The race check is the caller's to tell. */
void exec_inflight_perform(struct exec_inflight *s, struct exec_cta *cta, uint32_t lanes,
                           uint64_t clock) {
    if (s->op->mem == MIR_MEM_CLOCK) {
        uint64_t x = s->op->sub == MIR_SR_CLOCK_HI ? clock >> 32 : clock;
        EACH_SET(l, lanes & s->lanes) put_pair(s->data, l, x);
        return;
    }
    bool shared = s->space == MIR_SPACE_SHARED;
    uintptr_t base = shared ? (uintptr_t)cta->shared : 0;
    struct exec_operation op = operation_of(s);
    bool answers = exec_operation_answers(&op);
    if (op.width == 4 && (op.mem == MIR_MEM_RED || op.mem == MIR_MEM_ATOM)) { /* frequent */
        EACH_SET(l, lanes & s->lanes) {
            uint8_t *p = (uint8_t *)(base + (uintptr_t)s->address[l]);
            uint64_t old = load_word(p, 4), b = s->data[0].u[l], c = s->data[4].u[l];
            store_word(p, 4, atomic_result(&op, !shared, old, b, c));
            s->data[0].u[l] = (uint32_t)old;
        }
        return;
    }
    EACH_SET(l, lanes & s->lanes) {
        uint64_t data[4];
        take_data(data, &op, s, l);
        perform_lane(&op, cta->launch, (uint8_t *)(base + (uintptr_t)s->address[l]), !shared, data);
        if (answers) put_data(s, op.width, l, data);
    }
}

/* Performs lanes of operation `inflight` of warp w now (exec_inflight_perform()), and tells the
 * race check, under its lock. Runs on the thread of the warp's SM group; exec_complete() comes
 * afterwards. The warp's registers stay as they are. */
void exec_perform(struct exec_warp *w, uint8_t inflight, uint32_t lanes, uint64_t clock) {
    struct exec_inflight *s = w->inflight[inflight];
    exec_inflight_perform(s, w->cta, lanes, clock);
    if (EXEC_UNLIKELY(s->check))
        exec_race_perform(w->cta->program->race, s->check, lanes & s->lanes, s->address);
}

/* ---- remote operations */

/* On the warp's thread, to send a remote operation: @return the operation in flight as numbers.
 * Reads only. Not for clocks or shared memory. */
struct exec_operation exec_inflight_operation(const struct exec_warp *w, uint8_t inflight) {
    return operation_of(w->inflight[inflight]);
}

/* On the warp's thread: @return address and operands of one of its lanes. Reads only. Operands that
 * the operation does not have are not set. */
struct exec_operand exec_inflight_operand(const struct exec_warp *w, uint8_t inflight,
                                          unsigned lane) {
    const struct exec_inflight *s = w->inflight[inflight];
    struct exec_operation op = operation_of(s);
    struct exec_operand out;
    out.address = s->address[lane];
    take_data(out.data, &op, s, lane);
    return out;
}

/* On the warp's thread: puts a lane's result data[0..1] into the operation, before exec_complete()
 * of that lane. For operations that give a result only. */
void exec_inflight_answer(struct exec_warp *w, uint8_t inflight, unsigned lane,
                          const uint64_t data[2]) {
    struct exec_inflight *s = w->inflight[inflight];
    put_data(s, operation_of(s).width, lane, data);
}

/* @return those lanes of a remote operation that access the sector (32-byte aligned address). */
uint32_t exec_remote_op_lanes(const struct exec_remote_op *v, uint64_t sector) {
    uint32_t lanes = 0;
    EACH_SET(l, v->lanes) {
        if ((v->lane[l].address & ~(uint64_t)(EXEC_SECTOR - 1)) == sector)
            lanes |= UINT32_C(1) << l;
    }
    return lanes;
}

/* On the slice's thread: performs those of `lanes` that the remote operation has on device memory
 * or the launch's io; results go into the remote operation. Tells the race check, under its lock.
 * The remote operation has no pointer to its warp, so the warp's thread may run on. v->lanes stays;
 * the caller takes lanes out. */
void exec_remote_op_perform(struct exec_remote_op *v, uint32_t lanes) {
    const struct exec_launch *launch = v->launch;
    lanes &= v->lanes;
    EACH_SET(l, lanes)
    perform_lane(&v->operation, launch, (uint8_t *)(uintptr_t)v->lane[l].address, true,
                 v->lane[l].data);
    if (EXEC_LIKELY(!v->operation.check)) return;
    uint64_t address[MIR_WARP_SIZE];
    EACH_SET(l, lanes) address[l] = v->lane[l].address;
    exec_race_perform(launch->program->race, v->operation.check, lanes, address);
}

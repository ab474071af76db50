/* perform.c - performs posted and pending operations on memory, and every atomic operation.
 *
 * The timing model may call exec_perform() for other sectors on other threads at the same time, so
 * memory is touched with relaxed atomic loads and stores of the access's size. Lanes take effect in
 * lane order; all operations on one sector are performed by one thread (its slice's owner), so an
 * atomic is a load and a store. */
#include "exec/memory/perform.h"
#include "exec/check/global_race.h"
#include "exec/memory/device_io.h"
#include "exec/warp/ieee.h"
#include "exec/warp/operand_macros.h"

static uint64_t load_word(const uint8_t *p, unsigned bytes) {
    switch (bytes) {
    case 1: return __atomic_load_n(p, __ATOMIC_RELAXED);
    case 2: return __atomic_load_n((const uint16_t *)(const void *)p, __ATOMIC_RELAXED);
    case 4: return __atomic_load_n((const uint32_t *)(const void *)p, __ATOMIC_RELAXED);
    default: return __atomic_load_n((const uint64_t *)(const void *)p, __ATOMIC_RELAXED);
    }
}
static void store_word(uint8_t *p, unsigned bytes, uint64_t x) {
    switch (bytes) {
    case 1: __atomic_store_n(p, (uint8_t)x, __ATOMIC_RELAXED); break;
    case 2: __atomic_store_n((uint16_t *)(void *)p, (uint16_t)x, __ATOMIC_RELAXED); break;
    case 4: __atomic_store_n((uint32_t *)(void *)p, (uint32_t)x, __ATOMIC_RELAXED); break;
    default: __atomic_store_n((uint64_t *)(void *)p, x, __ATOMIC_RELAXED); break;
    }
}

static uint64_t reg_word(const warp_reg *r, unsigned l, unsigned bytes) {
    return bytes == 8 ? (uint64_t)r[1].u[l] << 32 | r[0].u[l] : r[0].u[l];
}
static void put_word(warp_reg *r, unsigned l, unsigned bytes, uint64_t x) {
    r[0].u[l] = (uint32_t)x;
    if (bytes == 8) r[1].u[l] = (uint32_t)(x >> 32);
}

/* ---- atomics */

static uint32_t add_f32(uint32_t a, uint32_t b, bool flush) {
    if (flush) {
        a = f32_flush(a);
        b = f32_flush(b);
    }
    uint32_t r = f32_canonical(f32_bits(f32_from(a) + f32_from(b)));
    return flush ? f32_flush(r) : r;
}
static uint32_t add_halves(uint32_t a, uint32_t b, unsigned halves, const struct exec_format *f) {
    uint32_t r = 0;
    for (unsigned i = 0; i < halves; i++) {
        double x = exec_widen(a >> (16 * i) & 0xffff, f), y = exec_widen(b >> (16 * i) & 0xffff, f);
        r |= exec_narrow_sum(x, y, f, MIR_ROUND_NEAREST) << (16 * i);
    }
    return r;
}

/* PTX, atom: f32 additions on global memory flush subnormals, those on shared memory do not. */
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
static bool less(uint64_t a, uint64_t b, unsigned type) {
    switch (type) {
    case MIR_S32: return (int32_t)a < (int32_t)b;
    case MIR_S64: return (int64_t)a < (int64_t)b;
    case MIR_U64: return a < b;
    default: return (uint32_t)a < (uint32_t)b;
    }
}
static uint64_t atomic_result(const struct exec_op *op, bool global, uint64_t old, uint64_t b,
                              uint64_t c) {
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

static void atomic_lane(struct exec_inflight *s, uint8_t *p, unsigned l, bool global) {
    const struct exec_op *op = s->op;
    unsigned bytes = op->width;
    if (bytes == 16) { /* exchange and compare only */
        uint64_t old[2], b[2], c[2];
        bool equal = true;
        for (unsigned i = 0; i < 2; i++) {
            old[i] = load_word(p + 8 * i, 8);
            b[i] = reg_word(s->data + 2 * i, l, 8);
            c[i] = reg_word(s->data + 4 + 2 * i, l, 8);
            equal = equal && old[i] == b[i];
        }
        for (unsigned i = 0; i < 2; i++) {
            if (op->sub == MIR_ATOM_EXCH)
                store_word(p + 8 * i, 8, b[i]);
            else if (equal)
                store_word(p + 8 * i, 8, c[i]);
            put_word(s->data + 2 * i, l, 8, old[i]);
        }
        return;
    }
    uint64_t old = load_word(p, bytes), keep = bytes == 2 ? 0xffff : UINT64_MAX;
    uint64_t b = reg_word(s->data, l, bytes) & keep, c = reg_word(s->data + 4, l, bytes) & keep;
    store_word(p, bytes, atomic_result(op, global, old, b, c));
    put_word(s->data, l, bytes, old);
}

/* ---- loads, stores, clocks, system calls */

static void load_lane(struct exec_inflight *s, const uint8_t *p, unsigned l) {
    const struct exec_op *op = s->op;
    switch (op->width) {
    case 1:
    case 2:
    case 4: {
        uint32_t x = (uint32_t)load_word(p, op->width);
        if (op->type == MIR_S8 && op->width == 1) x = (uint32_t)(int8_t)x;
        if (op->type == MIR_S16 && op->width == 2) x = (uint32_t)(int16_t)x;
        s->data[0].u[l] = x;
        break;
    }
    default:
        for (unsigned i = 0; i < op->width / 8u; i++)
            put_word(s->data + 2 * i, l, 8, load_word(p + 8 * i, 8));
    }
}
static void store_lane(struct exec_inflight *s, uint8_t *p, unsigned l) {
    unsigned width = s->op->width, step = width < 8 ? width : 8;
    for (unsigned i = 0; i < width / step; i++)
        store_word(p + 8 * i, step, reg_word(s->data + 2 * i, l, step));
}
static void clock_lane(struct exec_inflight *s, unsigned l, uint64_t clock) {
    put_word(s->data, l, 8, s->op->sub == MIR_SR_CLOCK_HI ? clock >> 32 : clock);
}

/* SYS: text goes out, blocks are given and taken back. */
static void system_lanes(struct exec_inflight *s, const struct exec_cta *cta, uint32_t lanes) {
    struct exec_io *io = cta->launch->io;
    if (s->text) exec_io_write(io, s->text);
    s->text = NULL;
    EACH_SET(l, lanes) {
        uint64_t x = reg_pair(s->data, l);
        if (s->op->sub == MIR_SYS_FREE) exec_io_recycle(io, x);
        if (s->op->sub != MIR_SYS_MALLOC) continue;
        x = exec_io_malloc(io, x);
        s->data[0].u[l] = (uint32_t)x;
        s->data[1].u[l] = (uint32_t)(x >> 32);
    }
}

void exec_inflight_perform(struct exec_inflight *s, struct exec_cta *cta, uint32_t lanes,
                           uint64_t clock) {
    bool shared = s->space == MIR_SPACE_SHARED;
    if (s->op->mem == MIR_MEM_SYS) {
        system_lanes(s, cta, lanes & s->lanes);
        return;
    }
    EACH_SET(l, lanes & s->lanes) {
        uint8_t *p = shared ? cta->shared + s->address[l] : (uint8_t *)(uintptr_t)s->address[l];
        switch (s->op->mem) {
        case MIR_MEM_LOAD: load_lane(s, p, l); break;
        case MIR_MEM_STORE: store_lane(s, p, l); break;
        case MIR_MEM_CLOCK: clock_lane(s, l, clock); break;
        default: atomic_lane(s, p, l, !shared); break;
        }
    }
}

void exec_perform(struct exec_warp *w, uint8_t inflight, uint32_t lanes, uint64_t clock) {
    struct exec_inflight *s = w->inflight[inflight];
    exec_inflight_perform(s, w->cta, lanes, clock);
    if (EXEC_UNLIKELY(w->cta->race))
        exec_race_perform(w->cta, s->op, lanes & s->lanes, s->address, &s->sync);
}

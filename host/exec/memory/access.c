/* access.c - executes loads, stores and atomics of global, shared, local and generic memory.
 *
 * Functions exec_op_<ID> execute row <ID> of tables/mir_ops.def: the interpreter (run.c) calls them
 * on the thread that runs the warp, for lanes `mask` (at least one). An access is op->width bytes a
 * lane at a + imm, global (..G), shared (..S), local (..L) or generic. They write d in the lanes of
 * mask, or memory; append records and addresses to the warp's trace, if there is one; and return
 * EX_DONE, or EX_HELD when the warp must wait first. A misaligned or unallocated address is a
 * fault: exec_raise_access() fills in the CTA's fault, sets the warp's status and returns EX_FAULT.
 *
 * LDG, STG, LD, ST, LDS, LDSM, STS, LDL and STL first try a fast path: a full warp that accesses
 * consecutive elements of global memory, shared memory without ordering, and the same word of every
 * lane's local memory. Everything else goes through access(). */
#include <string.h>

#include "exec/memory/access.h"
#include "exec/check/fault.h"
#include "exec/check/global_race.h"
#include "exec/check/shadow.h"
#include "exec/memory/in_flight.h"
#include "exec/memory/lane_access.h"
#include "exec/memory/matrix_rows.h"
#include "exec/memory/perform.h"
#include "exec/memory/stray_access.h"
#include "exec/memory/word_access.h"
#include "exec/warp/operand_macros.h"

/* ---- addresses */

/* Gives the lanes outside mask the address of one inside. */
static void repeat_active(uint32_t mask, uint64_t *address) {
    uint64_t one = address[__builtin_ctz(mask)];
    EACH_LANE(l) address[l] = mask >> l & 1 ? address[l] : one;
}
/* Sets the addresses of the lanes of mask; the others repeat one, so that loops take all lanes. */
static inline void lane_addresses(const struct exec_warp *w, const struct exec_op *op,
                                  uint32_t mask, uint64_t *address) {
    warp_reg t[2];
    const warp_reg *a = exec_src(w, op, 0, t);
    if (op->flags & MIR_ADDR64) {
        uint64_t offset = (uint64_t)(int64_t)op->imm;
        EACH_LANE(l) address[l] = ((uint64_t)a[1].u[l] << 32 | a[0].u[l]) + offset;
    } else {
        EACH_LANE(l) address[l] = a->u[l] + (uint32_t)op->imm;
    }
    if (mask != UINT32_MAX) repeat_active(mask, address);
    if (rows_of_matrices(op)) rows_repeat(op, address);
}

void exec_lane_addresses(const struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                         uint64_t *address) {
    lane_addresses(w, op, mask, address);
}
/* Divides a generic access by windows into 1 to 3 parts (@return their number), and turns shared
 * and local addresses into offsets. */
static unsigned split_generic(uint32_t mask, uint64_t *address, struct exec_part *part) {
    static const uint8_t space[] = {MIR_SPACE_GLOBAL, MIR_SPACE_SHARED, MIR_SPACE_LOCAL};
    uint32_t lanes[3] = {0, 0, 0};
    EACH_LANE(l) {
        uint32_t high = (uint32_t)(address[l] >> 32);
        unsigned s = high == MIR_SHARED_WINDOW >> 32 ? 1 : high == MIR_LOCAL_WINDOW >> 32 ? 2 : 0;
        if (s) address[l] = (uint32_t)address[l];
        lanes[s] |= UINT32_C(1) << l;
    }
    unsigned parts = 0;
    for (unsigned s = 0; s < 3; s++)
        if (lanes[s] &= mask)
            part[parts++] = (struct exec_part){.space = space[s], .mask = lanes[s]};
    return parts;
}

/* ---- checks */

/* True if all sectors of [offset, offset + bytes) are allocated in full and none is strong. */
static inline bool plain_range(const struct exec_memory *m, uint64_t offset, uint64_t bytes) {
    if (offset >= m->size || m->size - offset < bytes) return false;
    const uint8_t *state = m->state + offset / EXEC_SECTOR;
    uint64_t sectors = (offset + bytes - 1) / EXEC_SECTOR - offset / EXEC_SECTOR + 1;
    uint8_t odd = 0;
    for (uint64_t i = 0; i < sectors; i++)
        odd |= __atomic_load_n(&state[i], __ATOMIC_RELAXED) ^ EXEC_SECTOR;
    return odd == 0;
}

enum { CLOSE = 4096 }; /* bytes */
/* True if all lanes are aligned and close together in plain memory; then sets *lowest. */
static bool close_and_plain(const struct exec_memory *m, const uint64_t *address, unsigned width,
                            uint64_t *lowest) {
    uint64_t low = UINT64_MAX, high = 0, bits = 0;
    EACH_LANE(l) {
        low = address[l] < low ? address[l] : low;
        high = address[l] > high ? address[l] : high;
        bits |= address[l];
    }
    if (bits & (width - 1) || high - low > CLOSE) return false;
    *lowest = low;
    return plain_range(m, low - m->base, high - low + width);
}
/* Checks alignment and bounds of a part; sets close, low, strong, stray. @return EX_NEXT or
 * EX_FAULT. */
static exec_code check_part(struct exec_warp *w, const struct exec_op *op, struct exec_part *part,
                            const uint64_t *address) {
    const struct exec_launch *launch = w->cta->launch;
    const struct exec_memory *m = launch->memory;
    uint64_t limit = part->space == MIR_SPACE_SHARED ? launch->shared_bytes
                                                     : launch->function->local_bytes;
    if (part->space == MIR_SPACE_GLOBAL && close_and_plain(m, address, op->width, &part->low)) {
        part->close = true;
        return EX_NEXT;
    }
    EACH_SET(l, part->mask) {
        uint64_t a = address[l];
        if (EXEC_UNLIKELY(a & (op->width - 1u)))
            return exec_raise_access(w, op, l, part->space, a, HEDDLE_ERR_MISALIGNED, NULL);
        if (part->space == MIR_SPACE_GLOBAL) {
            uint64_t offset = a - m->base;
            uint8_t s = 0;
            if (EXEC_LIKELY(offset < m->size))
                s = __atomic_load_n(&m->state[offset / EXEC_SECTOR], __ATOMIC_RELAXED);
            if (EXEC_UNLIKELY((offset & (EXEC_SECTOR - 1)) + op->width >
                              (unsigned)(s & EXEC_SECTOR_BYTES))) {
                if (!launch->findings || !exec_memory_padding(m, a))
                    return exec_raise_access(w, op, l, part->space, a, HEDDLE_ERR_ILLEGAL_ADDRESS,
                                             NULL);
                part->stray |= UINT32_C(1) << l;
            }
            part->strong |= (s & EXEC_SECTOR_STRONG) != 0;
        } else {
            if (EXEC_UNLIKELY(a >= limit || limit - a < op->width))
                return exec_raise_access(w, op, l, part->space, a, HEDDLE_ERR_ILLEGAL_ADDRESS,
                                         part->space == MIR_SPACE_SHARED
                                             ? "beyond the CTA's shared memory"
                                             : "beyond the thread's stack");
            if (part->space == MIR_SPACE_SHARED && w->cta->shared_strong)
                part->strong |= w->cta->shared_state[a / EXEC_SECTOR] != 0;
        }
    }
    return EX_NEXT;
}
/* Decides how the part is performed. An immediate launch performs everything at once. */
static void classify(const struct exec_warp *w, const struct exec_op *op, struct exec_part *part) {
    part->memory_class = MIR_AHEAD;
    if (!w->timed || part->space == MIR_SPACE_LOCAL) return;
    part->memory_class = op->memory_class;
    if (part->memory_class == MIR_AHEAD && part->strong)
        part->memory_class = op->mem == MIR_MEM_LOAD ? MIR_PENDING : MIR_POSTED;
}

/* ---- performing at once */

/* Writes the destination registers of op in the lanes of mask. */
static void put_result(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                       const warp_reg *r) {
    warp_reg *d = exec_dst(w, op);
    for (unsigned i = 0; i < op->dst_words; i++) reg_put(d + i, &r[i], mask);
}
/* @return tmp, filled with the lanes' offsets from part->low. */
static const warp_reg *close_offsets(const struct exec_part *part, const uint64_t *address,
                                     warp_reg *tmp) {
    EACH_LANE(l) tmp->u[l] = (uint32_t)(address[l] - part->low);
    return tmp;
}
/* Performs a part now, on memory and registers. Atomics come here in immediate launches only. */
static void perform_ahead(struct exec_warp *w, const struct exec_op *op,
                          const struct exec_part *part, const uint64_t *address) {
    uint64_t base = part->space == MIR_SPACE_SHARED ? (uintptr_t)w->cta->shared : 0;
    bool local = part->space == MIR_SPACE_LOCAL;
    switch (op->mem) {
    case MIR_MEM_LOAD: {
        warp_reg r[4];
        if (local)
            load_local(w, op, part->mask, address, r);
        else if (part->close && op->width == 4)
            words_load(r, at(0, part->low), close_offsets(part, address, &r[1]), part->mask);
        else
            load_regs(op, base, address, r);
        if (rows_of_matrices(op)) rows_deal(op, r);
        put_result(w, op, part->mask, r);
        break;
    }
    case MIR_MEM_STORE: {
        warp_reg t[2], tmp;
        const warp_reg *r = exec_src(w, op, 1, t);
        if (local)
            store_local(w, op, part->mask, address, r);
        else if (part->close && op->width == 4)
            words_store(into(0, part->low), close_offsets(part, address, &tmp), r, part->mask);
        else
            store_regs(op, part->mask, base, address, r);
        break;
    }
    default: {
        struct exec_inflight now;
        exec_inflight_capture(&now, w, op, part, address);
        exec_inflight_perform(&now, w->cta, part->mask, 0);
        put_result(w, op, part->mask, now.data);
        break;
    }
    }
}

/* ---- the general path */

/* --memcheck: shows the access to all checks. @return EX_NEXT, EX_FAULT: one raised a fault. */
static exec_code watch(struct exec_warp *w, const struct exec_op *op, const struct exec_part *part,
                       unsigned parts, uint64_t *const address[]) {
    bool strong = op->memory_class != MIR_AHEAD, shadow = w->cta->shadow, global = w->cta->race;
    if (strong && shadow) exec_shadow_order(w);
    for (unsigned i = 0; i < parts; i++) {
        if (shadow && part[i].space == MIR_SPACE_SHARED &&
            exec_shadow_access(w, op, part[i].mask, address[i], strong) != EX_NEXT)
            return EX_FAULT;
        if (part[i].space == MIR_SPACE_GLOBAL && w->cta->launch->memory->written &&
            exec_unwritten_access(w, op, &part[i], address[i]) != EX_NEXT)
            return EX_FAULT;
        if (global && part[i].space == MIR_SPACE_GLOBAL &&
            exec_race_access(w, op, part[i].mask, address[i]) != EX_NEXT)
            return EX_FAULT;
    }
    return EX_NEXT;
}
/* perform_ahead(), then the race check. @return EX_NEXT, EX_FAULT: an acquire that raced. */
static exec_code perform_watched(struct exec_warp *w, const struct exec_op *op,
                                 const struct exec_part *part, const uint64_t *address) {
    uint32_t check = exec_race_follow(w, op, part->mask, address);
    perform_ahead(w, op, part, address);
    exec_race_perform(w->cta->program->race, check, part->mask, address);
    exec_race_unfollow(w->cta, check, true);
    return exec_race_late(w);
}
/* Executes an access of any form to `space`, each part at once or put in flight, with a record of
 * each. A strong one sets w->strong_seen. EX_HELD: nothing is done, w->status has the reason. */
static exec_code access(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                        uint8_t space) {
    struct exec_trace *trace = w->trace;
    uint64_t scratch[MIR_WARP_SIZE];
    uint64_t *address = trace ? trace->access[trace->num_accesses].address : scratch;
    struct exec_part part[3] = {{.space = space, .mask = mask}};
    unsigned parts = 1;
    lane_addresses(w, op, mask, address);
    if (space == MIR_SPACE_GENERIC) parts = split_generic(mask, address, part);
    uint64_t apart[3][MIR_WARP_SIZE], *own[3] = {address};
    for (unsigned i = 0; i < parts && parts > 1; i++) {
        own[i] = memcpy(apart[i], address, sizeof apart[i]);
        repeat_active(part[i].mask, own[i]);
    }
    for (unsigned i = 0; i < parts; i++) {
        if (check_part(w, op, &part[i], own[i]) != EX_NEXT) return EX_FAULT;
        if (op->mem >= MIR_MEM_RED && part[i].space == MIR_SPACE_LOCAL)
            return exec_raise_access(w, op, (unsigned)__builtin_ctz(part[i].mask), MIR_SPACE_LOCAL,
                                     address[__builtin_ctz(part[i].mask)],
                                     HEDDLE_ERR_ILLEGAL_ADDRESS,
                                     "atomic operation on local memory");
        if (rows_of_matrices(op) && part[i].space != MIR_SPACE_SHARED)
            return exec_raise_access(w, op, (unsigned)__builtin_ctz(part[i].mask), part[i].space,
                                     address[__builtin_ctz(part[i].mask)],
                                     HEDDLE_ERR_ILLEGAL_ADDRESS, "matrices lie in shared memory");
        classify(w, op, &part[i]);
    }
    if (op->memory_class != MIR_AHEAD) w->strong_seen = true;
    uint8_t wait = 0;
    if (w->timed && exec_order_access(w, op, part, parts, address, &wait) != EX_NEXT)
        return EX_HELD;
    for (unsigned i = 0; i < parts; i++)
        if (EXEC_UNLIKELY(part[i].stray)) exec_stray_access(w, op, &part[i], own[i], address);
    if (EXEC_UNLIKELY(w->cta->launch->checks & EXEC_CHECK_ACCESSES) &&
        watch(w, op, part, parts, own) != EX_NEXT)
        return EX_FAULT;
    for (unsigned i = 0; i < parts; i++) {
        uint8_t inflight = EXEC_NO_INFLIGHT;
        bool ahead = part[i].memory_class == MIR_AHEAD;
        if (ahead && EXEC_UNLIKELY(w->cta->race) && part[i].space == MIR_SPACE_GLOBAL) {
            if (perform_watched(w, op, &part[i], own[i]) != EX_NEXT) return EX_FAULT;
        } else if (ahead) {
            perform_ahead(w, op, &part[i], own[i]);
        } else {
            inflight = exec_inflight_add(w, op, &part[i], address);
        }
        if (!trace) continue;
        trace->record[trace->num_records++] = (struct exec_record){
            .pc = exec_pc(w, op),
            .mask = part[i].mask,
            .access = trace->num_accesses,
            .inflight = inflight,
            .wait = wait,
            .space = part[i].space,
            .flags = ahead ? 0 : EXEC_REC_STRONG,
        };
    }
    if (trace) trace->num_accesses++;
    return EX_DONE;
}

/* ---- the fast paths */

/* True if lane l's address is lane 0's plus width * l. */
static inline bool consecutive(const warp_reg *a, unsigned width) {
#if EXEC_VECTOR == 32
    const u32v lane = {0, 1, 2, 3, 4, 5, 6, 7};
#else
    const u32v lane = {0, 1, 2, 3};
#endif
    u32v odd = v_all(0);
    uint32_t lo = a[0].u[0], hi = a[1].u[0];
    if (lo > UINT32_MAX - 32 * width) return false;
    EACH_CHUNK(k) {
        u32v want = (lane + CHUNK_LANES * k) * width + lo;
        odd |= (a[0].v[k] ^ want) | (a[1].v[k] ^ hi);
    }
    u32v bad = (u32v)(odd != 0);
    return v_bits(bad, 0) == 0;
}
/* Appends the record of a full warp's access to consecutive global memory. */
static void record_consecutive(struct exec_warp *w, const struct exec_op *op, uint64_t first) {
    struct exec_trace *t = w->trace;
    uint64_t *address = t->access[t->num_accesses].address;
    EACH_LANE(l) address[l] = first + (uint64_t)l * op->width;
    t->record[t->num_records++] = (struct exec_record){
        .pc = exec_pc(w, op),
        .mask = UINT32_MAX,
        .access = t->num_accesses++,
        .inflight = EXEC_NO_INFLIGHT,
        .space = MIR_SPACE_GLOBAL,
    };
}
/* @return the first address of a full warp's weak, sector-aligned, consecutive access; else 0. */
static inline uint64_t short_way(const struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                                 unsigned bytes) {
    if (mask != UINT32_MAX || w->attention || op->memory_class != MIR_AHEAD || op->mods[0] ||
        !(op->flags & MIR_ADDR64))
        return 0;
    const warp_reg *a = exec_src_raw(w, op, 0);
    if (!consecutive(a, bytes)) return 0;
    uint64_t first = ((uint64_t)a[1].u[0] << 32 | a[0].u[0]) + (uint64_t)(int64_t)op->imm;
    const struct exec_memory *m = w->cta->launch->memory;
    if (first % EXEC_SECTOR) return 0;
    return plain_range(m, first - m->base, 32 * bytes) ? first : 0;
}
/* Loads 32 elements of one or two bytes, extended, into d. */
static void load_narrow(const struct exec_op *op, const uint8_t *p, warp_reg *d) {
    uint16_t x[MIR_WARP_SIZE];
    if (op->width == 2) {
        memcpy(x, p, sizeof x);
        if (op->type == MIR_S16)
            EACH_LANE(l) d->u[l] = (uint32_t)(int16_t)x[l];
        else
            EACH_LANE(l) d->u[l] = x[l];
    } else if (op->type == MIR_S8) {
        EACH_LANE(l) d->u[l] = (uint32_t)(int8_t)p[l];
    } else {
        EACH_LANE(l) d->u[l] = p[l];
    }
}
/* A load: the fast path if it applies, else access() to `space`. */
static inline exec_code load_global(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                                    uint8_t space) {
    uint64_t first = short_way(w, op, mask, op->width);
    if (EXEC_LIKELY(first != 0)) {
        const uint8_t *p = (const uint8_t *)(uintptr_t)first;
        warp_reg *d = exec_dst(w, op);
        if (op->width == 4) {
            reg_load(d, p);
        } else if (op->width == 16) {
            EACH_LANE(l)
            for (unsigned i = 0; i < 4; i++) memcpy(&d[i].u[l], p + 16 * l + 4 * i, 4);
        } else if (op->width == 8) {
            warp_reg64 x;
            memcpy(&x, p, sizeof x);
            reg64_put(d, &x, UINT32_MAX);
        } else {
            load_narrow(op, p, d);
        }
        if (w->trace) record_consecutive(w, op, first);
        return EX_DONE;
    }
    return access(w, op, mask, space);
}
/* A store, likewise. */
static inline exec_code store_global(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                                     uint8_t space) {
    uint64_t first = op->mods[1] ? 0 : short_way(w, op, mask, op->width);
    if (EXEC_LIKELY(first != 0)) {
        uint8_t *p = (uint8_t *)(uintptr_t)first;
        const warp_reg *r = exec_src_raw(w, op, 1);
        if (op->width == 4) {
            reg_store(p, r);
        } else if (op->width == 16) {
            EACH_LANE(l)
            for (unsigned i = 0; i < 4; i++) memcpy(p + 16 * l + 4 * i, &r[i].u[l], 4);
        } else if (op->width == 8) {
            warp_reg64 x;
            reg64_get(&x, r, r + 1);
            memcpy(p, &x, sizeof x);
        } else if (op->width == 2) {
            uint16_t x[MIR_WARP_SIZE];
            EACH_LANE(l) x[l] = (uint16_t)r->u[l];
            memcpy(p, x, sizeof x);
        } else {
            EACH_LANE(l) p[l] = (uint8_t)r->u[l];
        }
        if (w->trace) record_consecutive(w, op, first);
        return EX_DONE;
    }
    return access(w, op, mask, space);
}

/* ---- the operations */

/* LD..: d = memory, narrow values extended as the type says. ST..: memory = b. */
exec_code exec_op_LDG(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return load_global(w, op, mask, MIR_SPACE_GLOBAL);
}
exec_code exec_op_STG(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return store_global(w, op, mask, MIR_SPACE_GLOBAL);
}
/* Generic accesses take the same fast path: a generic address in device memory is a global one. */
exec_code exec_op_LD(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return load_global(w, op, mask, MIR_SPACE_GENERIC);
}
exec_code exec_op_ST(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return store_global(w, op, mask, MIR_SPACE_GENERIC);
}
/* The fast path of shared memory: words or more; with timing weak accesses, no strong sectors.
 * Checks all lanes at once, sets *address to byte offsets. @return false: it does not apply. */
static inline bool shared_way(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                              warp_reg *address) {
    uint32_t limit = w->cta->launch->shared_bytes, bad = 0, width = op->width;
    bool strong = op->memory_class != MIR_AHEAD;
    if (width < 4 || (w->timed && (strong || w->cta->shared_strong)) || w->attention ||
        op->mods[0] || op->flags & MIR_ADDR64 || limit < width)
        return false;
    if (strong) w->strong_seen = true;
    const warp_reg *a = exec_src_raw(w, op, 0);
    EACH_CHUNK(k) {
        u32v x = a->v[k] + (uint32_t)op->imm;
        address->v[k] = x;
        bad |= v_bits((u32v)(x > limit - width) | (u32v)((x & (width - 1)) != 0), k);
    }
    return (bad & mask) == 0;
}
/* Appends the record of a weak access at the offsets a. */
static void record_offsets(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                           mir_space space, const warp_reg *a) {
    struct exec_trace *t = w->trace;
    uint64_t *address = t->access[t->num_accesses].address;
    EACH_LANE(l) address[l] = a->u[l];
    t->record[t->num_records++] = (struct exec_record){
        .pc = exec_pc(w, op),
        .mask = mask,
        .access = t->num_accesses++,
        .inflight = EXEC_NO_INFLIGHT,
        .space = space,
    };
}
exec_code exec_op_LDS(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    warp_reg a;
    if (shared_way(w, op, mask, &a)) {
        warp_reg r, *d = exec_dst(w, op);
        for (unsigned i = 0; i < op->width / 4u; i++) {
            words_load(&r, w->cta->shared + 4 * i, &a, mask);
            reg_put(d + i, &r, mask);
        }
        if (w->trace) record_offsets(w, op, mask, MIR_SPACE_SHARED, &a);
        return EX_DONE;
    }
    return access(w, op, mask, MIR_SPACE_SHARED);
}
/* The general path of LDSM, also that of a launch with checks. */
static exec_code watched_rows(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return access(w, op, mask, op->flags & MIR_ADDR64 ? MIR_SPACE_GENERIC : MIR_SPACE_SHARED);
}
exec_code exec_op_LDSM(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    const unsigned rows = 8 * (op->sub & MIR_LDSM_MATRICES);
    warp_reg a;
    if (mask != UINT32_MAX || !shared_way(w, op, UINT32_MAX >> (32 - rows), &a))
        return watched_rows(w, op, mask);
    warp_reg r[4], *d = exec_dst(w, op);
    for (unsigned l = rows; l < MIR_WARP_SIZE; l++) a.u[l] = a.u[l % rows];
    for (unsigned i = 0; i < 4; i++) words_load(&r[i], w->cta->shared + 4 * i, &a, mask);
    rows_deal(op, r);
    for (unsigned i = 0; i < op->dst_words; i++) reg_put(d + i, &r[i], mask);
    if (w->trace) record_offsets(w, op, mask, MIR_SPACE_SHARED, &a);
    return EX_DONE;
}
exec_code exec_op_STS(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    warp_reg a;
    if (!op->mods[1] && shared_way(w, op, mask, &a)) {
        const warp_reg *r = exec_src_raw(w, op, 1);
        for (unsigned i = 0; i < op->width / 4u; i++)
            words_store(w->cta->shared + 4 * i, &a, r + i, mask);
        if (w->trace) record_offsets(w, op, mask, MIR_SPACE_SHARED, &a);
        return EX_DONE;
    }
    return access(w, op, mask, MIR_SPACE_SHARED);
}
/* Loads and stores of a launch with checks: always the general path. */
static exec_code watched_shared(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return access(w, op, mask, MIR_SPACE_SHARED);
}
static exec_code watched_global(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return access(w, op, mask, MIR_SPACE_GLOBAL);
}
static exec_code watched_generic(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return access(w, op, mask, MIR_SPACE_GENERIC);
}
/* @return the function of a load or store without fast paths; NULL: local memory, other op. */
exec_fn exec_checked_access(const struct exec_op *op) {
    switch (op->inst->op) {
    case MIR_LDS:
    case MIR_STS: return watched_shared;
    case MIR_LDSM: return watched_rows;
    case MIR_LDG:
    case MIR_STG: return watched_global;
    case MIR_LD:
    case MIR_ST: return watched_generic;
    default: return NULL;
    }
}
/* The fast path of local memory: all lanes access the same word, which is one warp register.
 * @return that register, or NULL: it does not apply. With a trace sets *address. */
static inline uint8_t *local_way(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                                 warp_reg *address) {
    uint32_t limit = w->cta->launch->function->local_bytes, width = op->width;
    if (width < 4 || w->attention || op->memory_class != MIR_AHEAD || op->mods[0] ||
        op->flags & MIR_ADDR64 || limit < width)
        return NULL;
    const warp_reg *a = exec_src_raw(w, op, 0);
    uint32_t one = a->u[__builtin_ctz(mask)];
    u32v odd = v_all(0);
    EACH_CHUNK(k) odd |= (a->v[k] ^ one) & v_mask(mask, k);
    one += (uint32_t)op->imm;
    if (!v_none((u32v)(odd != 0)) || one > limit - width || one & (width - 1)) return NULL;
    if (w->trace) EACH_CHUNK(k) address->v[k] = v_all(one);
    return w->local + (size_t)one * MIR_WARP_SIZE;
}
exec_code exec_op_LDL(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    warp_reg a, r;
    const uint8_t *p = local_way(w, op, mask, &a);
    if (!p) return access(w, op, mask, MIR_SPACE_LOCAL);
    warp_reg *d = exec_dst(w, op);
    for (unsigned i = 0; i < op->width / 4u; i++) {
        reg_load(&r, p + i * sizeof r);
        reg_put(d + i, &r, mask);
    }
    if (w->trace) record_offsets(w, op, mask, MIR_SPACE_LOCAL, &a);
    return EX_DONE;
}
exec_code exec_op_STL(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    warp_reg a, r;
    uint8_t *p = op->mods[1] ? NULL : local_way(w, op, mask, &a);
    if (!p) return access(w, op, mask, MIR_SPACE_LOCAL);
    const warp_reg *from = exec_src_raw(w, op, 1);
    for (unsigned i = 0; i < op->width / 4u; i++) {
        reg_load(&r, p + i * sizeof r);
        reg_put(&r, from + i, mask);
        reg_store(p + i * sizeof r, &r);
    }
    if (w->trace) record_offsets(w, op, mask, MIR_SPACE_LOCAL, &a);
    return EX_DONE;
}
/* An atomic, through access(); a form that does not exist raises HEDDLE_ERR_PTX_UNSUPPORTED. */
static exec_code atomic(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                        uint8_t space) {
    const char *missing = exec_atomic_missing(op);
    if (missing) return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, missing);
    return access(w, op, mask, space);
}
/* ATOM..: d = old value, memory = old value sub b (CAS: c if it is b). RED..: without d. */
exec_code exec_op_ATOMG(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return atomic(w, op, mask, MIR_SPACE_GLOBAL);
}
exec_code exec_op_ATOM(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return atomic(w, op, mask, MIR_SPACE_GENERIC);
}
exec_code exec_op_ATOMS(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return atomic(w, op, mask, MIR_SPACE_SHARED);
}
exec_code exec_op_RED(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    bool generic = op->space == MIR_SPACE_GENERIC;
    return atomic(w, op, mask, generic ? MIR_SPACE_GENERIC : MIR_SPACE_GLOBAL);
}
exec_code exec_op_REDS(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return atomic(w, op, mask, MIR_SPACE_SHARED);
}

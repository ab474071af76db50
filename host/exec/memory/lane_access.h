/* lane_access.h - warp registers to and from memory lane by lane, with elements of any width.
 * Private to exec/. The caller has checked bounds and alignment; addresses of lanes outside a mask
 * repeat one inside. Functions touch the registers r and memory only. */
#ifndef HEDDLE_EXEC_LANE_ACCESS_H
#define HEDDLE_EXEC_LANE_ACCESS_H

#include <string.h>

#include "exec/warp/exec_state.h"

/* x sign-extended if the access is of a narrow signed type. */
static inline uint32_t extend(uint32_t x, const struct exec_op *op) {
    if (op->width == 1 && op->type == MIR_S8) return (uint32_t)(int8_t)x;
    if (op->width == 2 && op->type == MIR_S16) return (uint32_t)(int16_t)x;
    return x;
}

/* A pointer to base + address. base: host address of shared memory, 0 for global. */
static inline const uint8_t *at(uint64_t base, uint64_t address) {
    return (const uint8_t *)(uintptr_t)(base + address);
}
/* Loads all 32 lanes, op->width bytes each, into r. */
static inline void load_regs(const struct exec_op *op, uint64_t base, const uint64_t *address,
                             warp_reg *r) {
    switch (op->width) {
    case 1: EACH_LANE(l) r->u[l] = extend(*at(base, address[l]), op); break;
    case 2:
        EACH_LANE(l) {
            uint16_t x;
            memcpy(&x, at(base, address[l]), 2);
            r->u[l] = extend(x, op);
        }
        break;
    case 4: EACH_LANE(l) memcpy(&r->u[l], at(base, address[l]), 4); break;
    default:
        for (unsigned i = 0; i < op->width / 4u; i++)
            EACH_LANE(l) memcpy(&r[i].u[l], at(base, address[l] + 4 * i), 4);
    }
}
/* The same, for stores. */
static inline uint8_t *into(uint64_t base, uint64_t address) {
    return (uint8_t *)(uintptr_t)(base + address);
}
/* Stores op->width bytes of r for each lane of mask. */
static inline void store_regs(const struct exec_op *op, uint32_t mask, uint64_t base,
                              const uint64_t *address, const warp_reg *r) {
    switch (op->width) {
    case 1: EACH_SET(l, mask) * into(base, address[l]) = (uint8_t)r->u[l]; break;
    case 2: EACH_SET(l, mask) memcpy(into(base, address[l]), &r->u[l], 2); break;
    case 4:
        if (mask == UINT32_MAX) {
            EACH_LANE(l) memcpy(into(base, address[l]), &r->u[l], 4);
        } else {
            EACH_SET(l, mask) memcpy(into(base, address[l]), &r->u[l], 4);
        }
        break;
    default: /* lane by lane: the highest lane wins when several write one address */
        EACH_SET(l, mask) {
            for (unsigned i = 0; i < op->width / 4u; i++)
                memcpy(into(base, address[l] + 4 * i), &r[i].u[l], 4);
        }
    }
}

/* A byte of a lane's local memory, in which word i of all lanes is one warp register. */
static inline uint8_t *local_byte(struct exec_warp *w, uint64_t offset, unsigned lane) {
    return w->local + (offset / 4 * MIR_WARP_SIZE + lane) * 4 + offset % 4;
}
/* Loads from the lanes' local memory, for the lanes of mask. */
static inline void load_local(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                              const uint64_t *address, warp_reg *r) {
    unsigned part = op->width < 4 ? op->width : 4;
    EACH_SET(l, mask) {
        for (unsigned i = 0; i < (op->width + 3u) / 4; i++) {
            uint32_t x = 0;
            memcpy(&x, local_byte(w, address[l] + 4 * i, l), part);
            r[i].u[l] = extend(x, op);
        }
    }
}
/* Stores to it. */
static inline void store_local(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                               const uint64_t *address, const warp_reg *r) {
    unsigned part = op->width < 4 ? op->width : 4;
    EACH_SET(l, mask) {
        for (unsigned i = 0; i < (op->width + 3u) / 4; i++)
            memcpy(local_byte(w, address[l] + 4 * i, l), &r[i].u[l], part);
    }
}

#endif

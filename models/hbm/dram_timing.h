/* dram_timing.h - timing constraints of a channel's device: the earliest clock of each command.
 *
 * Every bank, bank group, stack ID and pseudo-channel keeps the earliest clock of the next command
 * of each kind; issuing a command moves the clocks that it affects. The pseudo-channels share two
 * command buses (row: ACT, PRE, refresh; column: RD, WR). All times are clocks of the device. The
 * state is the caller's (dram_channel.h); one thread at a time. The scheduler ensures that a
 * command fits the state of the bank (RD and WR need an open row, ACT and refresh a closed
 * bank); the checker (dram_check.h), which shares no code with this, verifies it. */
#ifndef HEDDLE_MODELS_HBM_DRAM_TIMING_H
#define HEDDLE_MODELS_HBM_DRAM_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "models/hbm/dram_spec.h"

#define DRAM_NO_ROW UINT32_MAX
enum { DRAM_MAX_PCS = 2, DRAM_MAX_SIDS = 4, DRAM_MAX_GROUPS = 32, DRAM_FAW_ACTS = 4 };

/* Earliest clocks of the next commands, by kind, as far as spacings within one bank, group, stack
 * ID or pseudo-channel limit them. */
struct dram_bank_time {
    uint64_t act, rd, wr, pre;
    uint64_t refresh;   /* the bank has been closed for long enough */
    uint64_t last_used; /* last RD, WR or ACT */
    uint32_t row;       /* DRAM_NO_ROW: closed */
};
struct dram_group_time {
    uint64_t act, rd, wr;
};
struct dram_sid_time {
    uint64_t act, rd, wr;
    uint64_t refab, refpb;
};
struct dram_pc_time {
    uint64_t act, rd, wr, pre, refpb;
    uint64_t faw[DRAM_FAW_ACTS]; /* the last ACTs, each plus tFAW: a ring */
    uint32_t faw_at;             /* the oldest of them */
    uint64_t open;               /* mask of banks with an open row */
    struct dram_bank_time bank[DRAM_MAX_BANKS];
    struct dram_group_time group[DRAM_MAX_GROUPS];
    struct dram_sid_time sid[DRAM_MAX_SIDS];
};
/* The times of a channel's device. */
struct dram_timing {
    const struct dram_spec *spec; /* borrowed */
    uint64_t row_bus, column_bus; /* free from this clock on */
    struct dram_pc_time pc[DRAM_MAX_PCS];
};

/* All banks closed, no command yet; `spec` is borrowed. */
void dram_timing_init(struct dram_timing *timing, const struct dram_spec *spec);

/* The later of two clocks. */
static inline uint64_t dram_later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* @return the earliest clock of ACT, PRE, RD or WR of a bank. */
static inline uint64_t dram_act_at(const struct dram_timing *t, uint32_t pc, uint32_t bank) {
    const struct dram_pc_time *p = &t->pc[pc];
    const struct dram_spec *s = t->spec;
    uint64_t at = dram_later(p->bank[bank].act, p->act);
    at = dram_later(at, p->group[dram_bank_group(s, bank)].act);
    at = dram_later(at, p->sid[dram_bank_sid(s, bank)].act);
    at = dram_later(at, p->faw[p->faw_at]);
    return dram_later(at, t->row_bus + s->act - 1);
}
static inline uint64_t dram_pre_at(const struct dram_timing *t, uint32_t pc, uint32_t bank) {
    const struct dram_pc_time *p = &t->pc[pc];
    return dram_later(dram_later(p->bank[bank].pre, p->pre), t->row_bus);
}
static inline uint64_t dram_rd_at(const struct dram_timing *t, uint32_t pc, uint32_t bank) {
    const struct dram_pc_time *p = &t->pc[pc];
    uint64_t at = dram_later(p->bank[bank].rd, p->rd);
    at = dram_later(at, p->group[dram_bank_group(t->spec, bank)].rd);
    at = dram_later(at, p->sid[dram_bank_sid(t->spec, bank)].rd);
    return dram_later(at, t->column_bus);
}
static inline uint64_t dram_wr_at(const struct dram_timing *t, uint32_t pc, uint32_t bank) {
    const struct dram_pc_time *p = &t->pc[pc];
    uint64_t at = dram_later(p->bank[bank].wr, p->wr);
    at = dram_later(at, p->group[dram_bank_group(t->spec, bank)].wr);
    at = dram_later(at, p->sid[dram_bank_sid(t->spec, bank)].wr);
    return dram_later(at, t->column_bus);
}
/* @return the earliest clock of a refresh of one bank, or of all banks of a stack ID; they are
 * closed. */
static inline uint64_t dram_refpb_at(const struct dram_timing *t, uint32_t pc, uint32_t bank) {
    const struct dram_pc_time *p = &t->pc[pc];
    uint64_t at = dram_later(p->bank[bank].refresh, p->refpb);
    at = dram_later(at, p->sid[dram_bank_sid(t->spec, bank)].refpb);
    return dram_later(at, t->row_bus);
}
static inline uint64_t dram_refab_at(const struct dram_timing *t, uint32_t pc, uint32_t sid) {
    return dram_later(t->pc[pc].sid[sid].refab, t->row_bus);
}

/* Issues a command at clock `at`, no earlier than the functions above return. `row`: of an ACT. */
void dram_timing_issue(struct dram_timing *timing, enum dram_command_kind kind, uint32_t pc,
                       uint32_t bank, uint32_t row, uint64_t at);

#endif

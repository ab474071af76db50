/* dram_timing.c - the effect of an issued command on the earliest clocks of later ones, for the
 * device behind one channel; dram_timing.h has the state and the questions.
 *
 * dram_channel.c calls it on the back end's thread. Each of act(), pre(), rd(), wr(), refab() and
 * refpb() applies one command at clock `at`: it raises the earliest clocks of later commands in
 * `p`, by the spacings of tables/dram_timings.def; act() and pre() also set the bank's open row.
 * Nothing checks that the command was allowed. */
#include "models/hbm/dram_timing.h"

#include <string.h>

/* All banks closed, no command yet. `spec` is borrowed. */
void dram_timing_init(struct dram_timing *t, const struct dram_spec *spec) {
    memset(t, 0, sizeof *t);
    t->spec = spec;
    for (uint32_t pc = 0; pc < DRAM_MAX_PCS; pc++)
        for (uint32_t b = 0; b < DRAM_MAX_BANKS; b++) t->pc[pc].bank[b].row = DRAM_NO_ROW;
}

/* Moves a time to `at` if that is later. */
static void raise(uint64_t *time, uint64_t at) {
    if (at > *time) *time = at;
}

/* Opens `row` in the bank: tRCD to its bursts, tRAS to its PRE, tRC to its next ACT and refresh;
 * tRRD to ACTs of other banks, and tFAW to the fourth next. */
static void act(const struct dram_spec *s, struct dram_pc_time *p, uint32_t bank, uint32_t row,
                uint64_t at) {
    struct dram_bank_time *b = &p->bank[bank];
    b->row = row;
    b->last_used = at;
    p->open |= 1ull << bank;
    raise(&b->rd, at + s->rcdrd);
    raise(&b->wr, at + s->rcdwr);
    raise(&b->pre, at + s->ras);
    raise(&b->act, at + s->rc);
    raise(&b->refresh, at + s->rc);
    raise(&p->sid[dram_bank_sid(s, bank)].refab, at + s->rc);
    raise(&p->group[dram_bank_group(s, bank)].act, at + s->rrdl);
    raise(&p->act, at + s->rrds);
    raise(&p->refpb, at + s->rrds);
    p->faw[p->faw_at] = at + s->faw;
    p->faw_at = (p->faw_at + 1) % DRAM_FAW_ACTS;
}

/* Closes the bank's row: tRP to its ACT and refresh, tPPD to the next PRE of the pseudo-channel. */
static void pre(const struct dram_spec *s, struct dram_pc_time *p, uint32_t bank, uint64_t at) {
    struct dram_bank_time *b = &p->bank[bank];
    b->row = DRAM_NO_ROW;
    p->open &= ~(1ull << bank);
    raise(&b->act, at + s->rp);
    raise(&b->refresh, at + s->rp);
    raise(&p->sid[dram_bank_sid(s, bank)].refab, at + s->rp);
    raise(&p->pre, at + s->ppd);
}

/* tCCD between bursts of one kind: tCCD_L in the bank group, tCCD_S in the stack ID, tCCD_R to
 * other stack IDs. */
static void rd(const struct dram_spec *s, struct dram_pc_time *p, uint32_t bank, uint64_t at) {
    struct dram_bank_time *b = &p->bank[bank];
    uint32_t own = dram_bank_sid(s, bank);
    b->last_used = at;
    raise(&b->pre, at + s->rtp);
    raise(&p->group[dram_bank_group(s, bank)].rd, at + s->ccdl);
    for (uint32_t i = 0; i < s->sids; i++)
        raise(&p->sid[i].rd, at + (i == own ? s->ccds : s->ccdr));
    raise(&p->rd, at + s->bl); /* the data bus */
    raise(&p->wr, at + s->rtw);
    if (s->cl + s->bl > s->cwl) raise(&p->wr, at + s->cl + s->bl - s->cwl);
}

/* A later RD of the same bank group waits tWTR_L from the end of the data, of another one tWTR_S;
 * WRs as RDs in rd(). */
static void wr(const struct dram_spec *s, struct dram_pc_time *p, uint32_t bank, uint64_t at) {
    struct dram_bank_time *b = &p->bank[bank];
    uint32_t own = dram_bank_sid(s, bank);
    uint64_t end = at + s->cwl + s->bl;
    b->last_used = at;
    raise(&b->pre, end + s->wr);
    raise(&p->group[dram_bank_group(s, bank)].wr, at + s->ccdl);
    raise(&p->group[dram_bank_group(s, bank)].rd, end + s->wtrl);
    for (uint32_t i = 0; i < s->sids; i++)
        raise(&p->sid[i].wr, at + (i == own ? s->ccds : s->ccdr));
    raise(&p->wr, at + s->bl);
    raise(&p->rd, end + s->wtrs);
}

/* Blocks the stack ID's ACTs and refreshes for tRFC. */
static void refab(const struct dram_spec *s, struct dram_pc_time *p, uint32_t sid, uint64_t at) {
    raise(&p->sid[sid].act, at + s->rfc);
    raise(&p->sid[sid].refpb, at + s->rfc);
    raise(&p->sid[sid].refab, at + s->rfc);
}

/* Blocks the bank's ACT and refresh for tRFCPB, and other banks' for tRREFD. */
static void refpb(const struct dram_spec *s, struct dram_pc_time *p, uint32_t bank, uint64_t at) {
    struct dram_bank_time *b = &p->bank[bank];
    raise(&b->act, at + s->rfcpb);
    raise(&b->refresh, at + s->rfcpb);
    raise(&p->sid[dram_bank_sid(s, bank)].refab, at + s->rfcpb);
    raise(&p->act, at + s->rrefd);
    raise(&p->refpb, at + s->rrefd);
}

/* Takes the command's bus for the clock `at` and applies the command to pseudo-channel `pc`. `row`
 * counts for an ACT alone; an all-bank refresh names any bank of its stack ID. */
void dram_timing_issue(struct dram_timing *t, enum dram_command_kind kind, uint32_t pc,
                       uint32_t bank, uint32_t row, uint64_t at) {
    const struct dram_spec *s = t->spec;
    struct dram_pc_time *p = &t->pc[pc];
    if (kind == DRAM_RD || kind == DRAM_WR)
        t->column_bus = at + 1;
    else
        t->row_bus = at + 1;
    switch (kind) {
    case DRAM_ACT: act(s, p, bank, row, at); break;
    case DRAM_PRE: pre(s, p, bank, at); break;
    case DRAM_RD: rd(s, p, bank, at); break;
    case DRAM_WR: wr(s, p, bank, at); break;
    case DRAM_REFAB: refab(s, p, dram_bank_sid(s, bank), at); break;
    case DRAM_REFPB: refpb(s, p, bank, at); break;
    case DRAM_NUM_COMMANDS: break;
    }
}

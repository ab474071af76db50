/* dram_check.c - an independent check of DRAM commands against every rule of dram_rules.def;
 * contracts in dram_check.h. A memory model calls dram_watch_command() for each command, on the
 * thread of `heddle dram` or of a test; those call the rest. Functions that take a place `p` or `c`
 * compare a command with the state of its scopes and update that state, unless their comment says
 * otherwise. Those named check_* return the broken rules as a mask, bit dram_rule. */
#include "models/hbm/dram_check.h"

#include <stdbool.h>
#include <stdlib.h>

#include "common/memory.h"

/* Clock of the last command of each kind in a scope, plus 1, so that 0 means never. */
struct last {
    uint64_t of[DRAM_NUM_COMMANDS];
};

/* A bank. */
struct bank_state {
    struct last last;
    bool open;
    uint32_t row;
    uint64_t refreshed; /* clock of the last per-bank refresh */
};

/* A stack ID of a pseudo-channel. */
struct sid_state {
    struct last last;
    uint64_t done;      /* mask of banks refreshed in this round */
    uint64_t refreshed; /* clock of the last all-bank refresh */
    uint64_t refreshes; /* number so far */
};

/* A pseudo-channel. */
struct pc_state {
    struct last last;
    uint64_t acts[4];  /* a ring: clocks of the last ACTs, + 1 */
    uint32_t oldest;   /* of acts[] */
    uint64_t data_end; /* clock at which the last burst leaves the data bus */
};

/* The command buses of a channel. */
struct channel_state {
    uint64_t row_free, column_free; /* the buses: first free clock */
    uint64_t row_last, column_last; /* clock of the last command */
};

/* The scopes of dram_rules.def within which a spacing holds. */
enum scope { SCOPE_BANK, SCOPE_GROUP, SCOPE_SID, SCOPE_OTHER_SID, SCOPE_PC };

/* The state of the check: an array for each scope; owned. */
struct dram_check {
    struct dram_spec spec;
    uint32_t num_pcs;
    struct channel_state *channel;
    struct pc_state *pc;     /* of all channels */
    struct sid_state *sid;   /* of all pseudo-channels */
    struct last *group;      /* of all stack IDs */
    struct bank_state *bank; /* of all groups */
};

/* Allocates the state of every scope; no command has been issued. Copies the spec. @return
 * HEDDLE_ERR_NOMEM, without text; *out is then NULL. */
heddle_err dram_check_create(struct dram_check **out, const struct dram_spec *spec) {
    struct dram_check *c = heddle_alloc(sizeof *c, "the check of commands");
    *out = NULL;
    c->spec = *spec;
    c->num_pcs = spec->channels * spec->pcs;
    uint32_t sids = c->num_pcs * spec->sids, groups = sids * spec->groups;
    c->channel = calloc(spec->channels, sizeof *c->channel);
    c->pc = calloc(c->num_pcs, sizeof *c->pc);
    c->sid = calloc(sids, sizeof *c->sid);
    c->group = calloc(groups, sizeof *c->group);
    c->bank = calloc((size_t)groups * spec->banks, sizeof *c->bank);
    if (!c->channel || !c->pc || !c->sid || !c->group || !c->bank) {
        dram_check_free(c);
        return HEDDLE_ERR_NOMEM;
    }
    *out = c;
    return HEDDLE_OK;
}

/* Frees the state of all scopes. Accepts NULL and a check that was partly made. */
void dram_check_free(struct dram_check *c) {
    if (!c) return;
    free(c->channel);
    free(c->pc);
    free(c->sid);
    free(c->group);
    free(c->bank);
    free(c);
}

/* The places of a command in the tables, one of each scope. */
struct place {
    struct channel_state *channel;
    struct pc_state *pc;
    struct sid_state *sid, *first_sid; /* its own; the first of the pseudo-channel */
    struct last *group;
    struct bank_state *bank, *first_bank; /* its own; the first of the stack ID */
    uint32_t bank_of_sid;
};

/* Fills *p with the command's place in the tables; changes no state. @return false: the device has
 * no such place. */
static bool find_place(struct dram_check *c, const struct dram_command *k, struct place *p) {
    const struct dram_spec *s = &c->spec;
    uint32_t per_sid = s->groups * s->banks;
    bool column = k->kind == DRAM_RD || k->kind == DRAM_WR;
    if (k->channel >= s->channels || k->pc >= s->pcs || k->bank >= s->sids * per_sid ||
        (k->kind == DRAM_ACT && k->row >= s->rows) || (column && k->column >= s->columns))
        return false;
    uint32_t pc = k->channel * s->pcs + k->pc, sid = pc * s->sids + k->bank / per_sid;
    p->bank_of_sid = k->bank % per_sid;
    p->channel = &c->channel[k->channel];
    p->pc = &c->pc[pc];
    p->sid = &c->sid[sid];
    p->first_sid = &c->sid[pc * s->sids];
    p->group = &c->group[sid * s->groups + p->bank_of_sid / s->banks];
    p->first_bank = &c->bank[sid * per_sid];
    p->bank = p->first_bank + p->bank_of_sid;
    return true;
}

/* True if clock `at` is fewer than `clocks` behind the last command of the kind `previous`. */
static bool too_soon(const struct last *last, enum dram_command_kind previous, uint64_t at,
                     uint64_t clocks) {
    return last->of[previous] && at < last->of[previous] - 1 + clocks;
}

/* Checks all rules about the distance of two commands; changes no state. */
static uint64_t check_spacing(const struct dram_spec *s, const struct place *p,
                              const struct dram_command *k) {
    uint64_t broken = 0;
    bool wrong;
#define STATE(id, text)
#define RULE(id, scope, previous, next, clocks, text)                                             \
    if (k->kind == DRAM_##next) {                                                                 \
        wrong = false;                                                                            \
        switch (SCOPE_##scope) {                                                                  \
        case SCOPE_BANK: wrong = too_soon(&p->bank->last, DRAM_##previous, k->at, clocks); break; \
        case SCOPE_GROUP: wrong = too_soon(p->group, DRAM_##previous, k->at, clocks); break;      \
        case SCOPE_SID: wrong = too_soon(&p->sid->last, DRAM_##previous, k->at, clocks); break;   \
        case SCOPE_PC: wrong = too_soon(&p->pc->last, DRAM_##previous, k->at, clocks); break;     \
        case SCOPE_OTHER_SID:                                                                     \
            for (uint32_t i = 0; i < s->sids; i++)                                                \
                if (p->first_sid + i != p->sid)                                                   \
                    wrong |= too_soon(&p->first_sid[i].last, DRAM_##previous, k->at, clocks);     \
            break;                                                                                \
        }                                                                                         \
        broken |= (uint64_t)wrong << DRAM_RULE_##id;                                              \
    }
#include "models/hbm/dram_rules.def"
    return broken;
}

/* The mask of a rule, if it is broken. */
static uint64_t bit(enum dram_rule rule, bool broken) {
    return (uint64_t)broken << rule;
}

/* Checks the command's order on its command bus (row or column), that the bus is free, and for RD
 * and WR that the data bus is; then takes them. */
static uint64_t check_buses(const struct dram_spec *s, struct place *p,
                            const struct dram_command *k) {
    struct channel_state *c = p->channel;
    uint64_t broken = 0;
    if (k->kind == DRAM_RD || k->kind == DRAM_WR) {
        uint64_t data = k->at + (k->kind == DRAM_RD ? s->cl : s->cwl);
        broken |= bit(DRAM_RULE_ORDER, k->at < c->column_last);
        broken |= bit(DRAM_RULE_COLUMN_BUS, k->at < c->column_free);
        broken |= bit(DRAM_RULE_DATA_BUS, data < p->pc->data_end);
        c->column_last = k->at;
        c->column_free = k->at + 1;
        p->pc->data_end = data + s->bl;
    } else {
        uint64_t taken = k->kind == DRAM_ACT ? s->act : 1;
        broken |= bit(DRAM_RULE_ORDER, k->at < c->row_last);
        broken |= bit(DRAM_RULE_ROW_BUS, k->at + 1 < c->row_free + taken);
        c->row_last = k->at;
        c->row_free = k->at + 1;
    }
    return broken;
}

/* Checks an all-bank refresh: banks closed, not too late; notes it. */
static uint64_t check_refab(const struct dram_spec *s, struct place *p, uint64_t at) {
    uint64_t broken = 0;
    for (uint32_t i = 0; i < s->groups * s->banks; i++)
        broken |= bit(DRAM_RULE_OPEN, p->first_bank[i].open);
    broken |= bit(DRAM_RULE_LATE_AB, at > p->sid->refreshed + 9 * (uint64_t)s->refi);
    p->sid->refreshed = at;
    p->sid->refreshes++;
    return broken;
}

/* Checks a per-bank refresh: bank closed, once in a round, not too late; notes it. */
static uint64_t check_refpb(const struct dram_spec *s, struct place *p, uint64_t at) {
    uint64_t mine = 1ull << p->bank_of_sid, all = 0, broken = 0;
    for (uint32_t i = 0; i < s->groups * s->banks; i++) all |= 1ull << i;
    broken |= bit(DRAM_RULE_OPEN, p->bank->open);
    broken |= bit(DRAM_RULE_TWICE, (p->sid->done & mine) != 0);
    broken |= bit(DRAM_RULE_LATE_PB, at > p->bank->refreshed + 9 * (uint64_t)s->refi);
    p->bank->refreshed = at;
    p->sid->refreshes++;
    p->sid->done |= mine;
    if (p->sid->done == all) p->sid->done = 0;
    return broken;
}

/* Checks an ACT: bank closed, four-activate window; opens the row. */
static uint64_t check_act(const struct dram_spec *s, struct place *p,
                          const struct dram_command *k) {
    uint64_t fourth = p->pc->acts[p->pc->oldest], broken = bit(DRAM_RULE_OPEN, p->bank->open);
    broken |= bit(DRAM_RULE_FAW, fourth && k->at < fourth - 1 + s->faw);
    p->pc->acts[p->pc->oldest] = k->at + 1;
    p->pc->oldest = (p->pc->oldest + 1) % 4;
    p->bank->open = true;
    p->bank->row = k->row;
    return broken;
}

/* Checks one command and applies its effect on the state, also if it breaks rules; one for a place
 * that the device lacks changes nothing. @return the broken rules, a mask. */
uint64_t dram_check_command(struct dram_check *c, const struct dram_command *k) {
    const struct dram_spec *s = &c->spec;
    struct place p;
    if (!find_place(c, k, &p)) return bit(DRAM_RULE_RANGE, true);
    uint64_t broken = check_spacing(s, &p, k) | check_buses(s, &p, k);
    switch (k->kind) {
    case DRAM_ACT: broken |= check_act(s, &p, k); break;
    case DRAM_PRE:
        broken |= bit(DRAM_RULE_CLOSED, !p.bank->open);
        p.bank->open = false;
        break;
    case DRAM_RD:
    case DRAM_WR:
        broken |= bit(DRAM_RULE_CLOSED, !p.bank->open);
        broken |= bit(DRAM_RULE_WRONG_ROW, p.bank->open && p.bank->row != k->row);
        break;
    case DRAM_REFAB: broken |= check_refab(s, &p, k->at); break;
    case DRAM_REFPB: broken |= check_refpb(s, &p, k->at); break;
    case DRAM_NUM_COMMANDS: break;
    }
    p.bank->last.of[k->kind] = k->at + 1;
    p.group->of[k->kind] = k->at + 1;
    p.sid->last.of[k->kind] = k->at + 1;
    p.pc->last.of[k->kind] = k->at + 1;
    return broken;
}

/* Checks that no stack ID owes more than 8 + 2 refreshes at clock `at`, the end; changes nothing.
 * @return the broken rules, a mask; 0 for a device without refresh. */
uint64_t dram_check_end(struct dram_check *c, uint64_t at) {
    const struct dram_spec *s = &c->spec;
    uint64_t broken = 0, every = s->refresh == DRAM_REFRESH_ALL_BANK ? s->refi : s->refi_pb;
    if (s->refresh == DRAM_REFRESH_NONE) return 0;
    for (uint32_t i = 0; i < c->num_pcs * s->sids; i++)
        broken |= bit(DRAM_RULE_OWED, at / every > c->sid[i].refreshes + 8 + 2);
    return broken;
}

/* @return the sentence of the rule in dram_rules.def, static text. */
const char *dram_rule_text(enum dram_rule rule) {
    static const char *const text[] = {
#define RULE(id, scope, previous, next, clocks, text) text,
#define STATE(id, text) text,
#include "models/hbm/dram_rules.def"
    };
    return text[rule];
}

/* hbm_config.command (dram_command_fn), called by the model for each command on the model's thread:
 * checks it for the struct dram_watch `user`, and counts it and the rules that it breaks; keeps the
 * first command that broke any. */
void dram_watch_command(void *user, const struct dram_command *k) {
    struct dram_watch *w = user;
    uint64_t broken = dram_check_command(w->check, k);
    w->commands++;
    if (k->at > w->last_at) w->last_at = k->at;
    if (!broken) return;
    if (!w->violations++) {
        w->first = *k;
        w->first_rules = broken;
    }
    for (; broken; broken &= broken - 1) w->broken[__builtin_ctzll(broken)]++;
}

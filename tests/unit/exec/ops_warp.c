/* ops_warp.c - references and cases of the operations over lanes and of special registers (ops.h).
 * A function `void NAME(struct ref *)` is the reference of operation NAME, for one lane: it sets
 * the struct's outputs from its inputs (ops.h). */
#include "ops.h"

static uint32_t members(const struct ref *x, unsigned i) {
    return x->inst->src[i].kind == MIR_SRC_NONE ? UINT32_MAX : (uint32_t)x->all[x->lane].raw[i];
}

/* After the pseudocode of PTX's shfl. */
static void shfl(struct ref *x) {
    int lane = (int)x->lane, b = (int)x->b & 31, c = (int)x->c & 31, segment = (int)x->c >> 8 & 31;
    int max_lane = (lane & segment) | (c & ~segment), min_lane = lane & segment, j = 0;
    bool ok = false;
    switch (x->inst->sub) {
    case MIR_SHFL_UP:
        j = lane - b;
        ok = j >= max_lane;
        break;
    case MIR_SHFL_DOWN:
        j = lane + b;
        ok = j <= max_lane;
        break;
    case MIR_SHFL_BFLY:
        j = lane ^ b;
        ok = j <= max_lane;
        break;
    case MIR_SHFL_IDX:
        j = min_lane | (b & ~segment);
        ok = j <= max_lane;
        break;
    }
    if (!ok) j = lane;
    bool takes_part = x->mask >> j & 1;
    x->d[0] = (uint32_t)(takes_part ? x->all[j].a : 0); /* undefined in PTX */
    x->P = ok;
}
static void vote(struct ref *x) {
    uint32_t ballot = 0, lanes = x->mask & members(x, 0);
    for (unsigned l = 0; l < 32; l++) ballot |= (uint32_t)(lanes >> l & 1 && x->all[l].p) << l;
    x->d[0] = ballot;
    x->P = x->inst->sub == MIR_VOTE_ALL   ? ballot == lanes
           : x->inst->sub == MIR_VOTE_ANY ? ballot != 0
                                          : ballot == lanes || ballot == 0;
}
static void match(struct ref *x) {
    uint32_t same = 0, lanes = x->mask;
    for (unsigned l = 0; l < 32; l++)
        same |= (uint32_t)(lanes >> l & 1 && x->all[l].a == x->a) << l;
    if (x->inst->sub == 1) {
        x->P = same == lanes;
        same = x->P ? lanes : 0;
    }
    x->d[0] = same;
}
static void redux(struct ref *x) {
    bool first = true, sign = x->inst->type == MIR_S32;
    int64_t d = 0;
    for (unsigned l = 0; l < 32; l++) {
        if (!(x->mask >> l & 1)) continue;
        int64_t v = sign ? (int64_t)(int32_t)x->all[l].a : (int64_t)(uint32_t)x->all[l].a;
        if (first)
            d = v;
        else
            switch (x->inst->sub) {
            case MIR_ATOM_ADD: d += v; break;
            case MIR_ATOM_MIN: d = v < d ? v : d; break;
            case MIR_ATOM_MAX: d = v > d ? v : d; break;
            case MIR_ATOM_AND: d &= v; break;
            case MIR_ATOM_OR: d |= v; break;
            case MIR_ATOM_XOR: d ^= v; break;
            }
        first = false;
    }
    x->d[0] = (uint32_t)d;
}
static void activemask(struct ref *x) {
    x->d[0] = x->mask;
}

/* Special registers as warp 0 of a CTA of 32 threads sees them. */
static void s2r(struct ref *x) {
    unsigned l = x->lane;
    switch (x->inst->sub) {
    case MIR_SR_TID_X:
    case MIR_SR_LANEID: x->d[0] = l; break;
    case MIR_SR_TID_Y:
    case MIR_SR_TID_Z:
    case MIR_SR_CTAID_Y:
    case MIR_SR_CTAID_Z:
    case MIR_SR_WARPID:
    case MIR_SR_GRIDID: x->d[0] = 0; break;
    case MIR_SR_NWARPID: x->d[0] = 64; break;
    case MIR_SR_NSMID: x->d[0] = 80; break;
    case MIR_SR_LANEMASK_EQ: x->d[0] = 1u << l; break;
    case MIR_SR_LANEMASK_LT: x->d[0] = (1u << l) - 1; break;
    case MIR_SR_LANEMASK_LE: x->d[0] = (1u << l) - 1 + (1u << l); break;
    case MIR_SR_LANEMASK_GT: x->d[0] = ~((1u << l) - 1 + (1u << l)); break;
    case MIR_SR_LANEMASK_GE: x->d[0] = ~((1u << l) - 1); break;
    default: x->skip = true;
    }
}

#define NO_P .pdst = {MIR_PT, MIR_PT}
#define P1 .pdst = {4, MIR_PT}
#define SHFL_CASE(m)                                                                              \
    {"SHFL " #m, CASE(SHFL, P1, .sub = MIR_SHFL_##m, .imm = -1), shfl, VALUES_SMALL, 0, 0, 0},    \
        {"SHFL whole " #m,                                                                        \
         CASE(SHFL, P1, .sub = MIR_SHFL_##m, .imm = -1, .src = {REG(0), IMM(3), IMM(31)}),        \
         shfl,                                                                                    \
         VALUES_INT,                                                                              \
         0,                                                                                       \
         0,                                                                                       \
         6},                                                                                      \
    {                                                                                             \
        "SHFL segments " #m,                                                                      \
            CASE(SHFL, P1, .sub = MIR_SHFL_##m, .imm = -1, .src = {REG(0), REG(2), IMM(0x1807)}), \
            shfl, VALUES_INT, 0, 0, 4                                                             \
    }
#define REDUX_CASE(o, t)                                                                        \
    {                                                                                           \
        "REDUX " #o, CASE(REDUX, NO_P, .sub = MIR_ATOM_##o, .type = t, .src = {REG(0)}), redux, \
            VALUES_INT, 0, 0, 0                                                                 \
    }
#define S2R_CASE(r) \
    { "S2R " #r, CASE(S2R, NO_P, .sub = MIR_SR_##r, .src = {{0}}), s2r, VALUES_INT, 0, 0, 0 }
static const struct op_case cases[] = {
    SHFL_CASE(IDX),
    SHFL_CASE(UP),
    SHFL_CASE(DOWN),
    SHFL_CASE(BFLY),
    {"VOTE all", CASE(VOTE, P1, .sub = MIR_VOTE_ALL, .src = {{0}}), vote, VALUES_INT, 0, 0, 0},
    {"VOTE any", CASE(VOTE, P1, .sub = MIR_VOTE_ANY, .src = {{0}}), vote, VALUES_INT, 0, 0, 0},
    {"VOTE eq", CASE(VOTE, P1, .sub = MIR_VOTE_EQ, .src = {{0}}), vote, VALUES_INT, 0, 0, 0},
    {"VOTE eq true", CASE(VOTE, P1, .sub = MIR_VOTE_EQ, .psrc = {MIR_PT, 2, 3}, .src = {{0}}), vote,
     VALUES_INT, 0, 0, 0},
    {"MATCH any", CASE(MATCH, NO_P, .src = {REG(0)}), match, VALUES_SMALL, 0, 0, 0},
    {"MATCH any u64", CASE(MATCH, NO_P, .type = MIR_U64, .src = {REG(0)}), match, VALUES_SMALL, 0,
     1, 0},
    {"MATCH all", CASE(MATCH, P1, .sub = 1, .src = {REG(0)}), match, VALUES_SMALL, 0, 0, 0},
    {"MATCH all equal", CASE(MATCH, P1, .sub = 1, .src = {IMM(7)}), match, VALUES_SMALL, 0, 0, 0},
    REDUX_CASE(ADD, MIR_U32),
    REDUX_CASE(MIN, MIR_U32),
    REDUX_CASE(MAX, MIR_S32),
    REDUX_CASE(MIN, MIR_S32),
    REDUX_CASE(AND, MIR_U32),
    REDUX_CASE(OR, MIR_U32),
    REDUX_CASE(XOR, MIR_U32),
    {"ACTIVEMASK", CASE(ACTIVEMASK, NO_P, .src = {{0}}), activemask, VALUES_INT, 0, 0, 0},
    S2R_CASE(TID_X),
    S2R_CASE(TID_Y),
    S2R_CASE(TID_Z),
    S2R_CASE(CTAID_Y),
    S2R_CASE(CTAID_Z),
    S2R_CASE(LANEID),
    S2R_CASE(WARPID),
    S2R_CASE(NWARPID),
    S2R_CASE(NSMID),
    S2R_CASE(GRIDID),
    S2R_CASE(LANEMASK_EQ),
    S2R_CASE(LANEMASK_LT),
    S2R_CASE(LANEMASK_LE),
    S2R_CASE(LANEMASK_GT),
    S2R_CASE(LANEMASK_GE),
};
const struct op_case_list warp_cases = {cases, sizeof cases / sizeof *cases};

/* programs_tiles.c - operations over the members of a mask, where lanes of one warp have different
 * masks (tiles) and reach the operation at different times. A function without parameters is one
 * test program, which ops.c runs by the table at the end of this file. */
#include "control.h"

/* Tiles of 16 lanes, each with its own member mask in R6. Lanes [from, from + 8) take a detour and
 * arrive later. */
struct detour {
    uint32_t leave, back;
};
static void tile_masks(struct kernel *k) {
    setp(k, 0, MIR_CMP_LT, 0, 16);
    EMIT(k, MOV, .dst = 6, .src = {IMM(0xffff0000)});
    EMIT(k, MOV, .dst = 6, .guard = 0, .src = {IMM(0xffff)});
}
static void come_apart(struct kernel *k, struct detour *d, uint32_t from) {
    EMIT(k, IADD3, .dst = 7, .src = {REG(0), IMM(0u - from)});
    EMIT(k, ISETP, .pdst = {1, MIR_PT}, .cmp = MIR_CMP_LT, .type = MIR_U32,
         .src = {REG(7), IMM(8)});
    d->leave = EMIT(k, BRA, .guard = 1);
    d->back = HERE(k);
}
static void detour_end(struct kernel *k, const struct detour *d) {
    EMIT(k, BRA, .imm = (int32_t)d->back);
}

static uint32_t tile_redux(uint32_t t) {
    return t % 32 < 16 ? 120 : 376;
}
static uint32_t tile_match(uint32_t t) {
    return (t & 1 ? 0xaaaaaaaa : 0x55555555) & (t % 32 < 16 ? 0xffff : 0xffff0000);
}
static uint32_t tile_vote(uint32_t t) {
    return t % 32 < 16 ? 0xffff : 0x000f0000; /* lanes below 20 */
}
/* Runs REDUX, MATCH or VOTE (`op`) on two tiles, where lanes [from, from + 8) arrive late; `value`
 * is the expected result. */
static void tiles(unsigned op, uint32_t from, const char *name, uint32_t (*value)(uint32_t)) {
    struct setting s;
    struct kernel k = {0};
    struct detour d;
    set_up(&s);
    begin(&k);
    tile_masks(&k);
    EMIT(&k, LOP3, .dst = 5, .sub = 0xc0, .src = {REG(0), IMM(1)});
    setp(&k, 2, MIR_CMP_LT, 0, 20);
    come_apart(&k, &d, from);
    if (op == MIR_REDUX)
        EMIT(&k, REDUX, .dst = 4, .sub = MIR_ATOM_ADD, .type = MIR_U32, .src = {REG(0), REG(6)});
    else if (op == MIR_MATCH)
        EMIT(&k, MATCH, .dst = 4, .src = {REG(5), REG(6)});
    else
        EMIT(&k, VOTE, .dst = 4, .sub = MIR_VOTE_ANY, .psrc = {2, MIR_PT, MIR_PT}, .src = {REG(6)});
    end(&k, 4);
    PATCH(&k, d.leave);
    EMIT(&k, NOP);
    detour_end(&k, &d);
    check(name, &k, &s, 2, 64, value);
}
/* With from = 12, lanes of both tiles are late. */
static void everywhere(unsigned op, const char *name, uint32_t (*value)(uint32_t)) {
    for (uint32_t from = 0; from <= 24; from += 4) tiles(op, from, name, value);
}
static void redux_apart(void) {
    everywhere(MIR_REDUX, "redux of tiles", tile_redux);
}
static void match_apart(void) {
    everywhere(MIR_MATCH, "match of tiles", tile_match);
}
static void vote_apart(void) {
    everywhere(MIR_VOTE, "vote of tiles", tile_vote);
}

/* A lane reads the word that another lane of its tile has written before the WARPSYNC. */
static uint32_t tile_sync(uint32_t t) {
    return (t ^ 8) + 100;
}
/* WARPSYNC orders accesses within each tile, for every set of late lanes. */
static void tiles_sync(void) {
    for (uint32_t from = 0; from <= 24; from += 4) {
        struct setting s;
        struct kernel k = {0};
        struct detour d;
        set_up(&s);
        begin(&k);
        tile_masks(&k);
        emit_element(&k, 8, FLAGS, 1);
        EMIT(&k, LOP3, .dst = 5, .sub = 0x3c, .src = {REG(1), IMM(8)});
        emit_element(&k, 10, FLAGS, 5);
        EMIT(&k, IADD3, .dst = 5, .src = {REG(1), IMM(100)});
        come_apart(&k, &d, from);
        STORE(&k, 8, 5);
        EMIT(&k, WARPSYNC, .src = {REG(6)});
        LOAD(&k, 4, 10, .wbar = 0);
        STORE(&k, 2, 4, .wait = 1);
        EMIT(&k, EXIT);
        PATCH(&k, d.leave);
        EMIT(&k, NOP);
        detour_end(&k, &d);
        check("sync of tiles", &k, &s, 2, 64, tile_sync);
    }
}

const struct op_program tile_programs[] = {
    {MIR_REDUX, redux_apart},
    {MIR_MATCH, match_apart},
    {MIR_VOTE, vote_apart},
    {MIR_WARPSYNC, tiles_sync},
};
const unsigned num_tile_programs = sizeof tile_programs / sizeof *tile_programs;

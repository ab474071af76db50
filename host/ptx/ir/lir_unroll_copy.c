/* lir_unroll_copy.c - copies of a loop's body, one behind the other (lir_loop_copy). Called by
 * lir_unroll.c and lir_unroll_open.c.
 *
 * The copies are chained by renaming: each but the last writes vregs of its own and reads what the
 * previous one wrote (lir_loop.c says which vregs). The passes that follow clean up copies, sums of
 * constants and offsets of addresses. What they could not do is done here: a result with a stride
 * becomes, in iteration k, the result of the first iteration plus k strides.
 *
 * The functions read the loop's tables, write the fields of struct loop_vreg and loop_pred marked
 * "while copying", and make new blocks, instructions, vregs and predicates. The loop's own
 * instructions stay unchanged.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_edit.h"
#include "ptx/ir/lir_loop.h"

/* State of one lir_loop_copy. */
struct copying {
    struct lir_loop *loop;
    unsigned flags;                 /* loop_copy_flag */
    struct lir_block **twin;        /* [block of the loop] its copy in the present iteration */
    struct lir_block *begin;        /* the first copy's header */
    uint32_t iteration, iterations; /* present copy, from 0; all copies */
    bool failed;                    /* a read has no name as a group; the copies are useless */
};

static bool is_last(const struct copying *c) {
    return c->iteration + 1 == c->iterations;
}

/* ---- names ---------------------------------------------------------------------------------- */

/* @return the last copy must leave the value in the loop's own vreg. in, out: it is live at the
 * header, behind the loop. */
static bool wanted(const struct copying *c, bool in, bool out) {
    return is_last(c) && (out || (in && !(c->flags & LOOP_COPY_LAST)));
}

/* The vreg that holds the value of w at this point of the copies. */
static lir_vreg name_of(const struct lir_loop *l, lir_vreg w) {
    return l->vreg[w].now ? l->vreg[w].now : w;
}

/* A new group like g. */
static lir_vreg new_group(struct lir_fn *fn, lir_vreg g) {
    lir_vreg name = lir_new_vregs(fn, fn->group_size[g]);
    if (fn->scratch[g]) lir_mark_scratch(fn, name);
    return name;
}

/* The vreg that this copy writes in place of w. The first write to a group in a copy makes the
 * copy's new group. */
static lir_vreg new_name(struct copying *c, lir_vreg w) {
    struct lir_fn *fn = c->loop->fn;
    lir_vreg g = fn->group[w];
    struct loop_vreg *group = &c->loop->vreg[g];
    bool keep = group->kind == LOOP_KEEP;
    for (unsigned k = 0; k < fn->group_size[g]; k++) keep |= wanted(c, group[k].in, group[k].out);
    if (keep) return w;
    if (group->named != c->iteration + 1) {
        group->named = c->iteration + 1;
        group->name = new_group(fn, g);
    }
    return group->name + (w - g);
}

/* The same for a predicate. */
static uint32_t new_pred_name(struct copying *c, uint32_t p) {
    struct lir_fn *fn = c->loop->fn;
    struct loop_pred *v = &c->loop->pred[p];
    if (v->kind == LOOP_KEEP || wanted(c, v->in, v->out)) return p;
    if (v->named != c->iteration + 1) {
        v->named = c->iteration + 1;
        v->name = lir_new_pred(fn);
        fn->pred_scratch[v->name] = fn->pred_scratch[p];
    }
    return v->name;
}

/* The predicate reference at this point of the copies. */
static lir_pref rename_pred(const struct lir_loop *l, lir_pref r) {
    uint32_t now = l->pred[r >> 1].now;
    return now ? now << 1 | (r & 1) : r;
}

/* Renames the operands, predicates and guard that `in` reads. Sets c->failed if the vregs of a
 * group have names that form no group. */
static void rename_reads(struct copying *c, struct lir_inst *in) {
    struct lir_loop *l = c->loop;
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        unsigned n = lir_src_vregs(in, i);
        if (!n) continue;
        lir_vreg w = in->src[i], to = name_of(l, w);
        for (unsigned k = 1; k < n; k++) c->failed |= name_of(l, w + k) != to + k;
        in->src[i] = to;
    }
    for (unsigned i = 0; i < 3; i++) in->psrc[i] = rename_pred(l, in->psrc[i]);
    in->guard = rename_pred(l, in->guard);
}

/* Renames the results of `in` and makes their names the present ones. */
static void rename_writes(struct copying *c, struct lir_inst *in) {
    struct lir_loop *l = c->loop;
    unsigned n = lir_dst_vregs(in);
    lir_vreg d = in->dst;
    if (n) in->dst = new_name(c, d);
    for (unsigned k = 0; k < n; k++) {
        l->vreg[d + k].now = in->dst + k;
        if (c->iteration == 0) l->vreg[d + k].first = in->dst + k;
    }
    for (unsigned k = 0; k < 2; k++) {
        uint32_t p = in->pdst[k];
        if (!p) continue;
        in->pdst[k] = new_pred_name(c, p);
        l->pred[p].now = in->pdst[k];
    }
}

/* ---- one instruction ------------------------------------------------------------------------ */

/* Makes `in`, a copy of `from`, the sum of the result in the first iteration and the strides since
 * then. @return false: the stride is unknown, or nothing is gained; `in` is unchanged */
static bool derive(struct copying *c, const struct lir_inst *from, struct lir_inst *in) {
    const struct lir_loop *l = c->loop;
    const struct loop_stride *d = &l->inst[from->pos - l->first_pos].stride;
    int64_t by;
    if (c->iteration == 0 || d->part == LOOP_UNKNOWN || d->by == 0 ||
        l->vreg[from->dst].kind != LOOP_CHAIN || __builtin_mul_overflow(d->by, c->iteration, &by))
        return false;
    bool wide = lir_dst_vregs(from) == 2;
    if (wide && by != (int32_t)by) return false;
    lir_reset(in, wide ? (unsigned)LIR_ADD64 : (unsigned)MIR_IADD3);
    lir_set_dst(in, from->dst);
    lir_set_src(in, 0, lir_reg(l->vreg[from->dst].first));
    lir_set_src(in, 1, lir_imm((uint32_t)by));
    if (!wide) lir_set_src(in, 2, RZ_SOURCE);
    return true;
}

/* Appends a copy of `from` to the block, renamed, with branches inside the loop to the present
 * copies. */
static void copy_inst(struct copying *c, const struct lir_inst *from, struct lir_block *to) {
    struct lir_loop *l = c->loop;
    struct lir_inst *in = lir_inst_create(l->fn, from->m.op);
    *in = *from;
    if (!derive(c, from, in)) rename_reads(c, in);
    rename_writes(c, in);
    if (in->n_targets) {
        in->targets = ARENA_ARRAY(l->fn->arena, struct lir_block *, in->n_targets);
        for (uint32_t k = 0; k < in->n_targets; k++) {
            uint32_t at = from->targets[k]->id - l->header->id;
            bool inside = from->targets[k]->id >= l->header->id && at < l->n_blocks;
            in->targets[k] = !inside ? from->targets[k] : at ? c->twin[at] : c->begin;
        }
    }
    lir_append(to, in);
}

/* ---- iterations ----------------------------------------------------------------------------- */

/* Appends a copy of all blocks to `out`. The test is left out but for the last copy of a loop
 * (LOOP_COPY_AGAIN); its PTX count goes to its neighbour. */
static void copy_iteration(struct copying *c, struct loop_blocks *out) {
    struct lir_loop *l = c->loop;
    for (uint32_t i = 0; i < l->n_blocks; i++) {
        struct lir_block *b = c->twin[i] = lir_block_create(l->fn);
        b->ghost = l->block[i]->ghost;
        b->lost_count = l->block[i]->lost_count;
        b->lost_line = l->block[i]->lost_line;
        b->lost_loc = l->block[i]->lost_loc;
        *ARENA_PUSH(l->fn->arena, out->block, out->n, out->cap) = b;
    }
    if (c->iteration == 0) c->begin = c->twin[0];
    for (uint32_t i = 0; i < l->n_blocks; i++)
        for (const struct lir_inst *in = l->block[i]->first; in; in = in->next) {
            struct lir_block *to = c->twin[i];
            if (in != l->latch->last || (is_last(c) && c->flags & LOOP_COPY_AGAIN))
                copy_inst(c, in, to);
            else if (to->last) /* the test is known to pass */
                to->last->m.ptx_count = (uint16_t)(to->last->m.ptx_count + in->m.ptx_count);
            else
                to->lost_count += in->m.ptx_count;
        }
}

/* Resets the names of all vregs and predicates that the loop writes. */
static void forget_names(struct lir_loop *l) {
    for (uint32_t i = 0; i < l->n_blocks; i++)
        for (const struct lir_inst *in = l->block[i]->first; in; in = in->next) {
            unsigned n = lir_dst_vregs(in);
            for (unsigned k = 0; k < n; k++) l->vreg[in->dst + k].now = 0;
            if (n) l->vreg[l->fn->group[in->dst]].named = 0;
            for (unsigned k = 0; k < 2; k++) {
                l->pred[in->pdst[k]].now = 0;
                l->pred[in->pdst[k]].named = 0;
            }
        }
}

/* Gives vregs that are constant when the first iteration begins new names, loaded in block `to`:
 * the first copy reads these, for the old ones may be written again. */
static void enter(struct copying *c, struct lir_block *to) {
    struct lir_loop *l = c->loop;
    struct lir_fn *fn = l->fn;
    for (uint32_t i = 0; i < l->n_blocks; i++)
        for (const struct lir_inst *in = l->block[i]->first; in; in = in->next) {
            lir_vreg g = fn->group[in->dst];
            uint32_t value[4];
            bool known = lir_dst_vregs(in) > 0 && l->vreg[g].kind == LOOP_CHAIN && !l->vreg[g].now;
            for (unsigned k = 0; known && k < fn->group_size[g]; k++)
                known = l->vreg[g + k].in && lir_loop_start(l, g + k, &value[k]);
            if (!known) continue;
            lir_vreg name = new_group(fn, g);
            for (unsigned k = 0; k < fn->group_size[g]; k++) {
                struct lir_inst *m = lir_inst_create(fn, MIR_MOV);
                m->m.ptx_line = in->m.ptx_line;
                m->m.loc = in->m.loc;
                lir_set_dst(m, name + k);
                lir_set_src(m, 0, lir_imm(value[k]));
                lir_append(to, m);
                l->vreg[g + k].now = name + k;
            }
        }
}

/* Appends `iterations` copies of the body to `out`, without the tests between them; `flags`:
 * loop_copy_flag. With LOOP_COPY_FIRST, a block for the constants that come in precedes the copies.
 * @return false: not possible, `out` is as before; vregs and blocks made so far stay unused */
bool lir_loop_copy(struct lir_loop *l, uint32_t iterations, unsigned flags,
                   struct loop_blocks *out) {
    struct copying c = {.loop = l, .flags = flags, .iterations = iterations};
    uint32_t before = out->n;
    c.twin = ARENA_ARRAY(l->fn->arena, struct lir_block *, l->n_blocks);
    forget_names(l);
    if (flags & LOOP_COPY_FIRST) {
        struct lir_block *b = lir_block_create(l->fn);
        *ARENA_PUSH(l->fn->arena, out->block, out->n, out->cap) = b;
        enter(&c, b);
    }
    for (c.iteration = 0; c.iteration < iterations && !c.failed; c.iteration++)
        copy_iteration(&c, out);
    if (c.failed) out->n = before; /* drop the copies */
    return !c.failed;
}

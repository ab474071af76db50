/* op_warp.c - executes operations over the lanes of a warp, and reads special registers.
 *
 * Functions exec_op_<ID> execute row <ID> of tables/mir_ops.def. The interpreter (run.c) calls them
 * on the thread that runs the warp, for lanes `mask` (at least one). They write the row's
 * destinations in the lanes of `mask` and return EX_NEXT. SHFL, VOTE, MATCH and REDUX first bring
 * the lanes of their member mask together with exec_gather(), which may change the warp's active
 * lanes and pc, or its status; while lanes are missing they write nothing and return its code
 * (EX_MOVED, EX_HELD, EX_FAULT). An unknown form raises HEDDLE_ERR_PTX_UNSUPPORTED: exec_raise()
 * fills in the CTA's fault, sets the warp's status and returns EX_FAULT.
 *
 * Comments use the table's names: a, b, c are the sources after their modifiers (a: is a register
 * pair), d is the result, p, q are predicates read, P, Q predicates written. Functions of type
 * member_op execute one operation for the lanes `mask` that name the same members; `lanes` are
 * those members that execute it. */
#include "exec/check/fault.h"
#include "exec/ops/lane_groups.h"
#include "exec/warp/operand_macros.h"

/* d = special register sub, from the warp, the CTA and the launch. */
exec_code exec_op_S2R(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    const struct exec_cta *cta = w->cta;
    const struct exec_program *p = cta->program;
    warp_reg *d = exec_dst(w, op);
    uint32_t value;
    switch (op->sub) {
    case MIR_SR_TID_X:
    case MIR_SR_TID_Y:
    case MIR_SR_TID_Z:
        reg_put(d, &p->tid[(size_t)w->index * 3 + (op->sub - MIR_SR_TID_X)], mask);
        return EX_NEXT;
    case MIR_SR_LANEID: PUT_LANES(l); return EX_NEXT;
    case MIR_SR_LANEMASK_EQ: PUT_LANES(UINT32_C(1) << l); return EX_NEXT;
    case MIR_SR_LANEMASK_LT: PUT_LANES((UINT32_C(1) << l) - 1); return EX_NEXT;
    case MIR_SR_LANEMASK_LE: PUT_LANES((UINT32_C(2) << l) - 1); return EX_NEXT;
    case MIR_SR_LANEMASK_GT: PUT_LANES(~((UINT32_C(2) << l) - 1)); return EX_NEXT;
    case MIR_SR_LANEMASK_GE: PUT_LANES(~((UINT32_C(1) << l) - 1)); return EX_NEXT;
    case MIR_SR_CTAID_X:
    case MIR_SR_CTAID_Y:
    case MIR_SR_CTAID_Z: value = cta->id[op->sub - MIR_SR_CTAID_X]; break;
    case MIR_SR_WARPID: value = w->slot; break;
    case MIR_SR_NWARPID: value = cta->launch->sm_warps; break;
    case MIR_SR_SMID: value = cta->sm; break;
    case MIR_SR_NSMID: value = cta->launch->num_sms; break;
    case MIR_SR_GRIDID: value = (uint32_t)cta->launch->grid_id; break;
    default:
        return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED,
                          "S2R of this register (clocks are read by CS2R)");
    }
    reg_fill(d, value, mask);
    return EX_NEXT;
}

/* d = a of the lane that mode sub, lane b, clamp and segment c select; P = that lane is in range.
 * The member mask is imm, or all active lanes if imm is -1; these also wait for lanes that BSYNC
 * let go on alone (w->apart). */
exec_code exec_op_SHFL(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    if (op->sub > MIR_SHFL_BFLY)
        return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, "mode of SHFL");
    if (op->imm != -1 || w->apart) {
        uint32_t members = op->imm != -1 ? (uint32_t)op->imm : w->apart;
        warp_reg named;
        EACH_CHUNK(k) named.v[k] = v_all(members);
        exec_code code = exec_gather(w, op, mask, &named);
        if (code != EX_NEXT) return code;
    }
    SRC3;
    warp_reg r;
    uint32_t in_range = 0;
    EACH_LANE(l) {
        uint32_t bval = b->u[l] & 31, clamp = c->u[l] & 31, segment = c->u[l] >> 8 & 31;
        uint32_t limit = (l & segment) | (clamp & ~segment), j;
        bool ok;
        switch (op->sub) {
        case MIR_SHFL_UP:
            j = l - bval;
            ok = (int32_t)j >= (int32_t)limit;
            break;
        case MIR_SHFL_DOWN:
            j = l + bval;
            ok = j <= limit;
            break;
        case MIR_SHFL_BFLY:
            j = l ^ bval;
            ok = j <= limit;
            break;
        default:
            j = (l & segment) | (bval & ~segment);
            ok = j <= limit;
            break;
        }
        in_range |= (uint32_t)ok << l;
        /* Out of range: the lane's own value. The value from an inactive lane is undefined; 0
         * makes programs correct that add it up nevertheless (NVIDIA's reduction sample). */
        r.u[l] = !ok ? a->u[l] : mask >> j & 1 ? a->u[j] : 0;
    }
    reg_put(exec_dst(w, op), &r, mask);
    exec_put_pred(w, op->pdst[0], in_range, mask);
    return EX_NEXT;
}

/* Executes the operation for the lanes `mask`, over the values of `lanes`. */
typedef exec_code (*member_op)(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                               uint32_t lanes);
/* Executes a vote, match or reduction. Operand i is the member mask; without it all of `mask` are
 * members. Lanes that execute it together may name different members (the tiles of a warp): each
 * set is an operation of its own, on the lanes that name it. @return EX_NEXT, or the code of
 * exec_gather() while lanes are missing. */
static exec_code for_members(struct exec_warp *w, const struct exec_op *op, unsigned i,
                             uint32_t mask, member_op run) {
    warp_reg t[2];
    if (!(op->has_src >> i & 1)) return run(w, op, mask, mask);
    const warp_reg *named = exec_src(w, op, i, t);
    exec_code code = exec_gather(w, op, mask, named);
    if (code != EX_NEXT) return code;
    uint32_t first = named->u[__builtin_ctz(mask)], differ = 0;
    EACH_SET(l, mask) differ |= named->u[l] ^ first;
    if (!differ) return run(w, op, mask, first & mask);
    /* A copy, because run() may overwrite the operand with a result. */
    warp_reg members = *named;
    for (uint32_t todo = mask; todo && code == EX_NEXT;) {
        uint32_t m = members.u[__builtin_ctz(todo)], same = 0;
        EACH_SET(l, todo) same |= (uint32_t)(members.u[l] == m) << l;
        code = run(w, op, same, m & mask);
        todo &= ~same;
    }
    return code;
}

/* P = all, any or equal (sub) of p over lanes; d = ballot of p. */
static exec_code vote(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                      uint32_t lanes) {
    uint32_t ballot = w->p[op->psrc[0]] & lanes;
    bool yes;
    switch (op->sub) {
    case MIR_VOTE_ALL: yes = ballot == lanes; break;
    case MIR_VOTE_ANY: yes = ballot != 0; break;
    case MIR_VOTE_EQ: yes = ballot == 0 || ballot == lanes; break;
    default: return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, "mode of VOTE");
    }
    reg_fill(exec_dst(w, op), ballot, mask);
    exec_put_pred(w, op->pdst[0], yes ? UINT32_MAX : 0, mask);
    return EX_NEXT;
}
/* Votes over the lanes of member mask a. */
exec_code exec_op_VOTE(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return for_members(w, op, 0, mask, vote);
}

/* d = the lanes whose a is equal to the lane's own; sub 1 (all): d = all members or 0, P = all are
 * equal. */
static exec_code match(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                       uint32_t lanes) {
    warp_reg t[2], r = {0};
    const warp_reg *a = exec_src(w, op, 0, t);
    bool wide = op->src_words[0] == 2, all = true;
    uint32_t todo = lanes;
    while (todo) {
        unsigned first = (unsigned)__builtin_ctz(todo);
        uint32_t same = 0;
        EACH_SET(l, todo) {
            bool equal = a->u[l] == a->u[first] && (!wide || a[1].u[l] == a[1].u[first]);
            same |= (uint32_t)equal << l;
        }
        EACH_SET(l, same) r.u[l] = same;
        all = all && same == lanes;
        todo &= ~same;
    }
    if (op->sub == 1) {
        EACH_SET(l, lanes) r.u[l] = all ? lanes : 0;
        exec_put_pred(w, op->pdst[0], all ? UINT32_MAX : 0, mask);
    }
    reg_put(exec_dst(w, op), &r, mask);
    return EX_NEXT;
}
/* Matches over the lanes of member mask b. */
exec_code exec_op_MATCH(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return for_members(w, op, 1, mask, match);
}

/* d = reduction sub (mir_atom) of a over lanes, in lane order. */
static exec_code redux(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                       uint32_t lanes) {
    warp_reg t;
    const warp_reg *a = exec_src(w, op, 0, &t);
    bool sign = is_signed(op->type), begun = false;
    uint32_t d = 0;
    EACH_SET(l, lanes) {
        uint32_t x = a->u[l];
        bool below = sign ? (int32_t)x < (int32_t)d : x < d;
        if (!begun) {
            d = x;
            begun = true;
            continue;
        }
        switch (op->sub) {
        case MIR_ATOM_ADD: d += x; break;
        case MIR_ATOM_MIN: d = below ? x : d; break;
        case MIR_ATOM_MAX: d = below ? d : x; break;
        case MIR_ATOM_AND: d &= x; break;
        case MIR_ATOM_OR: d |= x; break;
        case MIR_ATOM_XOR: d ^= x; break;
        default: return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, "operation of REDUX");
        }
    }
    reg_fill(exec_dst(w, op), d, mask);
    return EX_NEXT;
}
/* Reduces over the lanes of member mask b. */
exec_code exec_op_REDUX(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return for_members(w, op, 1, mask, redux);
}

/* d = mask, the lanes that execute this instruction together. */
exec_code exec_op_ACTIVEMASK(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    reg_fill(exec_dst(w, op), mask, mask);
    return EX_NEXT;
}

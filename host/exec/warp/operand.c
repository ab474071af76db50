/* operand.c - source modifiers (negation, absolute value, complement), by the kind of the operand,
 * and the words of immediate operands.
 *
 * exec_src() calls exec_modify() on the warp's thread for every operand with modifiers; the decoder
 * (program.c) calls the functions of operand.h. All are pure but for their pointers. */
#include "exec/warp/operand.h"

/* A chunk of integers: |a| first, then -a, as the assembler writes -|a|. */
static u32v modify_int(u32v a, unsigned mods) {
    if (mods & MIR_SRC_ABS) {
        u32v sign = (u32v)((i32v)a >> 31);
        a = (a ^ sign) - sign;
    }
    if (mods & MIR_SRC_NEG) a = -a;
    if (mods & MIR_SRC_NOT) a = ~a;
    return a;
}

/* A chunk of floats whose sign bits are `sign`: one of 32 bits, or two or one of 16. */
static u32v modify_float(u32v a, unsigned mods, uint32_t sign) {
    if (mods & MIR_SRC_ABS) a &= v_all(~sign);
    if (mods & MIR_SRC_NEG) a ^= v_all(sign);
    if (mods & MIR_SRC_NOT) a = ~a;
    return a;
}

/* A 64-bit integer. */
static uint64_t modify_int64(uint64_t a, unsigned mods) {
    if (mods & MIR_SRC_ABS && a >> 63) a = -a;
    if (mods & MIR_SRC_NEG) a = -a;
    if (mods & MIR_SRC_NOT) a = ~a;
    return a;
}

/* Modifies all 32 lanes of operand i, r, into tmp (room for a pair, of which 64-bit kinds write
 * both). @return tmp. */
const warp_reg *exec_modify(const struct exec_op *op, unsigned i, const warp_reg *r,
                            warp_reg *tmp) {
    unsigned mods = op->mods[i];
    switch (op->mods_kind[i]) {
    case MODS_INT: EACH_CHUNK(k) tmp->v[k] = modify_int(r->v[k], mods); break;
    case MODS_F32: EACH_CHUNK(k) tmp->v[k] = modify_float(r->v[k], mods, 0x80000000u); break;
    case MODS_F16X2: EACH_CHUNK(k) tmp->v[k] = modify_float(r->v[k], mods, 0x80008000u); break;
    case MODS_F16: EACH_CHUNK(k) tmp->v[k] = modify_float(r->v[k], mods, 0x00008000u); break;
    case MODS_F64:
        tmp[0] = r[0];
        EACH_CHUNK(k) tmp[1].v[k] = modify_float(r[1].v[k], mods, 0x80000000u);
        break;
    case MODS_INT64:
        EACH_LANE(l) {
            uint64_t a = modify_int64((uint64_t)r[1].u[l] << 32 | r[0].u[l], mods);
            tmp[0].u[l] = (uint32_t)a;
            tmp[1].u[l] = (uint32_t)(a >> 32);
        }
        break;
    }
    return tmp;
}

/* Applies modifiers (MIR_SRC_*) to a constant of one or two words, in place: exec_modify() on
 * registers filled with it. `kind`: MODS_*. */
void exec_modify_words(unsigned kind, unsigned mods, uint32_t word[2]) {
    struct exec_op op = {.mods = {(uint8_t)mods}, .mods_kind = {(uint8_t)kind}};
    warp_reg in[2], out[2];
    for (unsigned i = 0; i < 2; i++) EACH_CHUNK(k) in[i].v[k] = v_all(word[i]);
    out[1] = in[1];
    exec_modify(&op, 0, in, out);
    word[0] = out[0].u[0];
    word[1] = out[1].u[0];
}

/* Kind of an integer type. */
static unsigned kind_of_int(mir_type t) {
    return t == MIR_U64 || t == MIR_S64 ? MODS_INT64 : MODS_INT;
}

/* @return the kind of number (MODS_*) that the modifiers of operand i act on: by its float type if
 * it is one, else by integer size. */
unsigned exec_mods_kind(const struct mir_inst *inst, unsigned i) {
    switch (mir_source_float(inst)) {
    case MIR_TYPE_NONE: break;
    case MIR_F64: return MODS_F64;
    case MIR_F16X2:
    case MIR_BF16X2: return MODS_F16X2;
    case MIR_F16:
    case MIR_BF16: return MODS_F16;
    default: return MODS_F32;
    }
    switch (inst->op) {
    case MIR_I2F: return kind_of_int(inst->type2);
    case MIR_MATCH: return i == 0 ? kind_of_int(inst->type) : MODS_INT;
    case MIR_IMAD: return i == 2 && inst->flags & MIR_WIDE ? MODS_INT64 : MODS_INT;
    default: return MODS_INT;
    }
}

/* Sets word[0..3] to the words of immediate operand i, before modifiers. A 64-bit immediate is the
 * high word of a double, else extended as its type says. */
void exec_immediate_words(const struct mir_inst *inst, unsigned i, uint32_t word[4]) {
    uint32_t value = inst->src[i].value;
    mir_type t = mir_source_float(inst);
    if (t == MIR_TYPE_NONE) t = inst->op == MIR_I2F ? inst->type2 : inst->type;
    bool dbl = t == MIR_F64;
    bool sign = t == MIR_S64 || (inst->op == MIR_IMAD && t == MIR_S32);
    bool two = mir_operand_words(inst, i) >= 2;
    word[0] = dbl && two ? 0 : value;
    word[1] = dbl ? value : sign && value >> 31 ? UINT32_MAX : 0;
    word[2] = word[3] = 0;
}

/* mir.c - properties of MIR operations, read off the tables. */
#include "mir/mir.h"

static const struct {
    const char *name;
    uint8_t cls, mem, dst_words;
} ops[MIR_OP_COUNT] = {
#define OP(id, mnemonic, cls, mem, ndst, nsrc, text) \
    {mnemonic, MIR_CLASS_##cls, MIR_MEM_##mem, ndst},
#include "tables/mir_ops.def"
#undef OP
};

static const struct {
    uint8_t pipe;
    bool variable;
} classes[MIR_CLASS_COUNT] = {
#define CLASS(id, pipe, variable, param, text) {pipe, variable},
#include "tables/mir_classes.def"
#undef CLASS
};

enum { NO_KIND, FIRST_KIND };
static const uint8_t kind_of_class[MIR_CLASS_COUNT] = {
#define OF_CLASS(cls, kind) [MIR_CLASS_##cls] = FIRST_KIND + MIR_KIND_##kind,
#include "tables/mir_kinds.def"
};
enum {
    CLASSES_WITH_KIND = 0
#define OF_CLASS(cls, kind) +1
#include "tables/mir_kinds.def"
};
_Static_assert((int)CLASSES_WITH_KIND == (int)MIR_CLASS_COUNT,
               "mir_kinds.def: a row for every class");
static const uint8_t kind_of_op[MIR_OP_COUNT] = {
#define OF_OP(op, kind) [MIR_##op] = FIRST_KIND + MIR_KIND_##kind,
#include "tables/mir_kinds.def"
};
static const struct {
    const char *name, *meaning;
} kinds[MIR_KIND_COUNT] = {
#define KIND(id, name, meaning) {name, meaning},
#include "tables/mir_kinds.def"
};

mir_kind mir_class_kind(mir_class c) {
    return (mir_kind)(kind_of_class[c] - FIRST_KIND);
}
mir_kind mir_op_kind(mir_op op) {
    if (kind_of_op[op] == NO_KIND) return mir_class_kind(ops[op].cls);
    return (mir_kind)(kind_of_op[op] - FIRST_KIND);
}
const char *mir_kind_name(mir_kind k) {
    return kinds[k].name;
}
const char *mir_kind_meaning(mir_kind k) {
    return kinds[k].meaning;
}
uint64_t mir_all_kinds(const uint64_t count[MIR_KIND_COUNT]) {
    uint64_t sum = 0;
    for (unsigned k = 0; k < MIR_KIND_COUNT; k++) sum += count[k];
    return sum;
}
const char *mir_op_name(mir_op op) {
    return ops[op].name;
}
mir_class mir_op_class(mir_op op) {
    return ops[op].cls;
}
mir_mem mir_op_mem(mir_op op) {
    return ops[op].mem;
}
bool mir_op_has_address(mir_op op) {
    mir_mem m = mir_op_mem(op);
    if (op >= MIR_TEX && op <= MIR_SUST) return false;
    return m == MIR_MEM_LOAD || m == MIR_MEM_STORE || m == MIR_MEM_RED || m == MIR_MEM_ATOM ||
           op == MIR_PREFETCH;
}
mir_pipe mir_class_pipe(mir_class c) {
    return classes[c].pipe;
}
bool mir_class_variable(mir_class c) {
    return classes[c].variable;
}
bool mir_class_ports(mir_class c) {
    return !classes[c].variable && classes[c].pipe != MIR_PIPE_MIO;
}

/* Strong accesses are performed by the timing model: a load's value is pending until then, a
 * store's effect is posted. Cache operators that must see or reach L2 count as strong. */
mir_memory_class_t mir_memory_class(const struct mir_inst *inst) {
    switch (mir_op_mem(inst->op)) {
    case MIR_MEM_LOAD:
        if (inst->space == MIR_SPACE_LOCAL) return MIR_AHEAD;
        if (inst->sem != MIR_WEAK || inst->cache == MIR_CACHE_CG || inst->cache == MIR_CACHE_CV)
            return MIR_PENDING;
        return MIR_AHEAD;
    case MIR_MEM_STORE:
        if (inst->space == MIR_SPACE_LOCAL) return MIR_AHEAD;
        if (inst->sem != MIR_WEAK || inst->cache == MIR_CACHE_CG || inst->cache == MIR_CACHE_WT)
            return MIR_POSTED;
        return MIR_AHEAD;
    case MIR_MEM_RED: return MIR_POSTED;
    case MIR_MEM_ATOM:
    case MIR_MEM_SYS: return inst->dst == MIR_RZ ? MIR_POSTED : MIR_PENDING;
    case MIR_MEM_CLOCK: return MIR_PENDING;
    default: return MIR_AHEAD;
    }
}

/* Lists of operations stand in rows. */
/* clang-format off */

static unsigned type_words(mir_type t) {
    switch (t) {
    case MIR_U64: case MIR_S64: case MIR_F64: return 2;
    case MIR_B128: return 4;
    default: return 1;
    }
}

static unsigned data_words(const struct mir_inst *inst) {
    return inst->width <= 4 ? 1 : inst->width / 4u;
}

unsigned mir_dst_words(const struct mir_inst *inst) {
    if (inst->dst == MIR_RZ) return 0;
    switch (inst->op) {
    case MIR_LDG: case MIR_LDS: case MIR_LDL: case MIR_LD: case MIR_LDC:
    case MIR_ATOMG: case MIR_ATOM: case MIR_ATOMS:
    case MIR_TEX: case MIR_TLD4: case MIR_SULD: return data_words(inst);
    case MIR_F2F: case MIR_F2I: case MIR_I2F: case MIR_FRND: return type_words(inst->type);
    case MIR_IMAD: return inst->flags & MIR_WIDE ? 2 : 1;
    case MIR_CS2R: return inst->sub == MIR_SR_CLOCK64 || inst->sub == MIR_SR_GLOBALTIMER ? 2 : 1;
    case MIR_CALL: return 2;
    case MIR_SYS: return inst->sub == MIR_SYS_MALLOC ? 2 : 1;
    case MIR_HMMA: return inst->type == MIR_F16 ? 1 : 2;
    default: return ops[inst->op].dst_words ? ops[inst->op].dst_words : 1;
    }
}

unsigned mir_src_words(const struct mir_inst *inst, unsigned i) {
    const struct mir_src *s = &inst->src[i];
    if (s->kind != MIR_SRC_REG || s->reg == MIR_RZ) return 0;
    switch (inst->op) {
    case MIR_DADD: case MIR_DMUL: case MIR_DFMA: case MIR_DSETP: case MIR_DMNMX:
    case MIR_DDIVS: case MIR_DSQRTS: return 2;
    case MIR_IMAD: return inst->flags & MIR_WIDE && i == 2 ? 2 : 1;
    case MIR_F2F: case MIR_F2I: case MIR_I2F: return type_words(inst->type2);
    case MIR_FRND: return type_words(inst->type);
    case MIR_MATCH: return i == 0 ? type_words(inst->type) : 1;
    case MIR_RET: return 2;
    case MIR_HMMA: return i < 2 ? 1 + (inst->sub & 1) : inst->type == MIR_F16 ? 1 : 2;
    case MIR_IMMA: return i < 2 ? 1 : 2;
    case MIR_DMMA: return 2;
    case MIR_SYS: return i < 2 ? 2 : 4;
    case MIR_LDG: case MIR_LD: case MIR_LDS: case MIR_LDL: case MIR_LDC: case MIR_PREFETCH:
        return inst->flags & MIR_ADDR64 ? 2 : 1;
    case MIR_STG: case MIR_ST: case MIR_STS: case MIR_STL: case MIR_RED: case MIR_REDS:
    case MIR_ATOMG: case MIR_ATOM: case MIR_ATOMS:
        return i == 0 ? (inst->flags & MIR_ADDR64 ? 2 : 1) : data_words(inst);
    case MIR_TEX: case MIR_TLD4: case MIR_SULD: case MIR_SUST: case MIR_TXLOD:
        if (i == 1) return 2;
        if (inst->op == MIR_SUST && i == 2) return data_words(inst);
        return i == 0 || inst->op == MIR_TXLOD ? mir_tex_words(inst->sub & MIR_TEX_GEOMETRY) : 1;
    case MIR_TXQ: return i == 0 ? 2 : 1;
    default: return 1;
    }
}

unsigned mir_tex_words(unsigned geometry) {
    static const uint8_t words[] = {1, 2, 4, 2, 4, 4, 4, 4};
    return words[geometry & MIR_TEX_GEOMETRY];
}

/* clang-format on */

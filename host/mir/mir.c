/* mir.c - properties of MIR operations, read off the tables in tables/ (mir_ops.def,
 * mir_classes.def, mir_kinds.def). Compiler, executor, feed and reports call these functions, on
 * any thread: they read constant tables and their arguments, and change nothing. Numbers of
 * operations, classes, kinds and categories must be in range; none is checked. */
#include "mir/mir.h"

/* Short names of traits, destinations and numbers, as the rows of mir_ops.def use them. */
enum { DATA = MIR_DST_DATA, TYPE = MIR_DST_TYPE, OWN = MIR_OWN };
enum {
    INT = MIR_NUMBERS_INT,
    INT2 = MIR_NUMBERS_INT2,
    F32 = MIR_NUMBERS_F32,
    F64 = MIR_NUMBERS_F64,
    FLOAT = MIR_NUMBERS_FLOAT,
    FLOAT2 = MIR_NUMBERS_FLOAT2,
    ADDRESS = MIR_NUMBERS_ADDRESS,
    TEXTURE = MIR_NUMBERS_TEXTURE,
};
enum {
    PLAIN = MIR_PLAIN,
    COMMUTES = MIR_COMMUTES,
    TERMINATOR = MIR_TERMINATOR,
    CALLS = MIR_CALLS,
    TARGET = MIR_TARGET,
    CONVERGENCE = MIR_CONVERGENCE,
    BARRIER_SUB = MIR_BARRIER_SUB,
    EXCHANGE = MIR_EXCHANGE,
    DIVERGENT = MIR_DIVERGENT,
    PAUSE = MIR_PAUSE,
    EFFECT = MIR_EFFECT,
    ALL_PREDICATES = MIR_ALL_PREDICATES,
    SLOW_PATH = MIR_SLOW_PATH,
    REFETCH = MIR_REFETCH,
};

const struct mir_op_row mir_op_rows[MIR_OP_COUNT] = {
#define OP(id, mnemonic, cls, mem, dst, sources, numbers, constants, traits, text) \
    {mnemonic, MIR_CLASS_##cls, MIR_MEM_##mem,         dst,                        \
     sources,  numbers,         MIR_CONST_##constants, traits},
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

/* Kinds are stored as FIRST_KIND + kind, so that 0 means "no row". */
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
    uint8_t mix, operation, weight;
} kinds[MIR_KIND_COUNT] = {
#define KIND(id, mix, operation, weight) {MIR_MIX_##mix, MIR_OPERATION_##operation, weight},
#include "tables/mir_kinds.def"
};
static const char *const mix_names[MIR_MIX_COUNT] = {
#define MIX(id, name, meaning) name,
#include "tables/mir_kinds.def"
};
static const char *const operation_names[MIR_OPERATION_COUNT] = {
#define OPERATION(id, name, unit, meaning) name,
#include "tables/mir_kinds.def"
};

/* @return the kind by which instructions of the class are counted, when neither form nor operation
 * has a row of its own. The slow paths count their steps by it. */
mir_kind mir_class_kind(mir_class c) {
    return (mir_kind)(kind_of_class[c] - FIRST_KIND);
}
/* @return the kind by which the executor counts the instruction. A form's row of mir_kinds.def wins
 * over the operation's row, which wins over that of its class. */
mir_kind mir_inst_kind(const struct mir_inst *i) {
#define OF_FORM(form, condition, kind) \
    if (i->op == MIR_##form && (condition)) return MIR_KIND_##kind;
#include "tables/mir_kinds.def"
    if (kind_of_op[i->op] == NO_KIND) return mir_class_kind(mir_op_rows[i->op].cls);
    return (mir_kind)(kind_of_op[i->op] - FIRST_KIND);
}
/* @return the category's name in report.json, a static string; mir_operation_name() likewise. */
const char *mir_mix_name(mir_mix m) {
    return mix_names[m];
}
const char *mir_operation_name(mir_operation o) {
    return operation_names[o];
}
/* @return the sum over all kinds. count[kind]: thread instructions, here and in the next two
 * functions. */
uint64_t mir_all_kinds(const uint64_t count[MIR_KIND_COUNT]) {
    uint64_t sum = 0;
    for (unsigned k = 0; k < MIR_KIND_COUNT; k++) sum += count[k];
    return sum;
}
/* @return the thread instructions whose kind is in category m of the instruction mix. */
uint64_t mir_mix_count(const uint64_t count[MIR_KIND_COUNT], mir_mix m) {
    uint64_t sum = 0;
    for (unsigned k = 0; k < MIR_KIND_COUNT; k++) sum += kinds[k].mix == m ? count[k] : 0;
    return sum;
}
/* @return the operations of type o (floating-point operations, for example) that the counted
 * instructions perform: each counts with the weight of its kind. */
uint64_t mir_operation_count(const uint64_t count[MIR_KIND_COUNT], mir_operation o) {
    uint64_t sum = 0;
    for (unsigned k = 0; k < MIR_KIND_COUNT; k++)
        sum += kinds[k].operation == o ? kinds[k].weight * count[k] : 0;
    return sum;
}
/* @return the operation's mnemonic, as in SASS: a static string. */
const char *mir_op_name(mir_op op) {
    return mir_op_rows[op].name;
}
/* @return the unit to which instructions of the class issue. */
mir_pipe mir_class_pipe(mir_class c) {
    return classes[c].pipe;
}
/* @return whether instructions of the class take a varying time, so that they complete through a
 * dependency barrier and not by a stall count. */
bool mir_class_variable(mir_class c) {
    return classes[c].variable;
}
/* @return whether instructions of the class read their operands through the ports of the register
 * file at issue. Variable classes and those of the memory pipe read them in a queue, after
 * issue. */
bool mir_class_ports(mir_class c) {
    return !classes[c].variable && classes[c].pipe != MIR_PIPE_MIO;
}

/* @return how a memory instruction takes effect: MIR_AHEAD (at once, also for every other
 * operation), MIR_POSTED or MIR_PENDING. Strong accesses are performed by the timing model: a
 * load's value is pending until then, a store's effect is posted. Cache operators that must see or
 * reach L2 count as strong; local memory is always ahead; an atomic without a result is posted. */
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

/* @return the float type of the sources (MIR_F32, MIR_F16X2, ...), MIR_TYPE_NONE for integers and
 * bits: by the column `numbers` of the operation's row, and where that says so by type or type2. */
mir_type mir_source_float(const struct mir_inst *inst) {
    switch (mir_op_rows[inst->op].numbers) {
    case F32: return MIR_F32;
    case F64: return MIR_F64;
    case FLOAT: return inst->type;
    case FLOAT2: return inst->type2;
    default: return MIR_TYPE_NONE;
    }
}

/* ---- registers ------------------------------------------------------------------------------
 *
 * Sizes in 32-bit words, which is also the number of registers. */

/* Words of a value of the type. */
static unsigned type_words(mir_type t) {
    switch (t) {
    case MIR_U64:
    case MIR_S64:
    case MIR_F64: return 2;
    case MIR_B128: return 4;
    default: return 1;
    }
}

/* Words of the data of a memory instruction, one at least. */
static unsigned data_words(const struct mir_inst *inst) {
    return inst->width <= 4 ? 1 : inst->width / 4u;
}

/* Words of operand i of a product of matrices: A, B, C; D has as many as C. */
static unsigned matrix_words(const struct mir_inst *inst, unsigned i) {
    const bool deep = inst->op == MIR_HMMA256 || inst->op == MIR_IMMA256;
    const bool integers = inst->op == MIR_IMMA128 || inst->op == MIR_IMMA256;
    const unsigned steps = deep ? 2 : 1, rows = integers && inst->sub & MIR_MMA_8_ROWS ? 1 : 2;
    if (i < 2) return i ? steps : rows * steps;
    return !integers && inst->type == MIR_F16 ? rows : 2 * rows;
}

/* Words of the result of an operation that no column of the table describes (destinations OWN). */
static unsigned own_dst_words(const struct mir_inst *inst) {
    switch (inst->op) {
    case MIR_IMAD: return inst->flags & MIR_WIDE ? 2 : 1;
    case MIR_CS2R: return inst->sub == MIR_SR_CLOCK64 || inst->sub == MIR_SR_GLOBALTIMER ? 2 : 1;
    case MIR_SYS: return inst->sub == MIR_SYS_MALLOC ? 2 : 1;
    case MIR_LDSM: return inst->sub & MIR_LDSM_MATRICES;
    default: return matrix_words(inst, 2); /* HMMA, IMMA */
    }
}

/* @return the registers that the instruction writes from inst->dst on, 0 for RZ: by the column
 * `destinations` of the operation's row. */
unsigned mir_dst_words(const struct mir_inst *inst) {
    unsigned words = mir_op_rows[inst->op].dst;
    if (inst->dst == MIR_RZ) return 0;
    switch (words) {
    case DATA: return data_words(inst);
    case TYPE: return type_words(inst->type);
    case OWN: return own_dst_words(inst);
    default: return words ? words : 1;
    }
}

/* Words of operand i of a texture or surface operation: 0 coordinates, 1 the handle, 2 data or a
 * level. */
static unsigned texture_words(const struct mir_inst *inst, unsigned i) {
    if (i == 1) return 2;
    if (inst->op == MIR_SUST && i == 2) return data_words(inst);
    return i == 0 || inst->op == MIR_TXLOD ? mir_tex_words(inst->sub & MIR_TEX_GEOMETRY) : 1;
}

/* Words of operand i of an operation that no column of the table describes (numbers OWN). */
static unsigned own_src_words(const struct mir_inst *inst, unsigned i) {
    switch (inst->op) {
    case MIR_IMAD: return inst->flags & MIR_WIDE && i == 2 ? 2 : 1;
    case MIR_MATCH: return i == 0 ? type_words(inst->type) : 1;
    case MIR_HMMA128:
    case MIR_HMMA256:
    case MIR_IMMA128:
    case MIR_IMMA256: return matrix_words(inst, i);
    case MIR_DMMA: return i < 2 ? 2 : 4;
    case MIR_SYS: return i < 2 ? 2 : 4;
    case MIR_TXQ: return i == 0 ? 2 : 1;
    default: return 2; /* RET, HMMA884 */
    }
}

/* @return the 32-bit words that operand i takes in registers, whatever its kind: by the column
 * `numbers` of the operation's row. */
unsigned mir_operand_words(const struct mir_inst *inst, unsigned i) {
    switch (mir_op_rows[inst->op].numbers) {
    case F64: return 2;
    case FLOAT: return type_words(inst->type);
    case INT2:
    case FLOAT2: return type_words(inst->type2);
    case ADDRESS: return i ? data_words(inst) : inst->flags & MIR_ADDR64 ? 2 : 1;
    case TEXTURE: return texture_words(inst, i);
    case OWN: return own_src_words(inst, i);
    default: return 1;
    }
}

/* @return the registers that the instruction reads from operand i on; 0 when the operand is RZ or
 * no register. */
unsigned mir_src_words(const struct mir_inst *inst, unsigned i) {
    const struct mir_src *s = &inst->src[i];
    return s->kind != MIR_SRC_REG || s->reg == MIR_RZ ? 0 : mir_operand_words(inst, i);
}

/* @return 32-bit words of the coordinates of a geometry (mir_tex), its layer included. */
unsigned mir_tex_words(unsigned geometry) {
    static const uint8_t words[] = {1, 2, 4, 2, 4, 4, 4, 4};
    return words[geometry & MIR_TEX_GEOMETRY];
}

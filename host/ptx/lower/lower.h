/* lower.h - what the files of the lowering share; private to lower_*.c.
 *
 * The lowering walks the statements of a kernel once and emits SASS-shaped instructions without
 * caring whether a constant may stand where it puts one, or whether a copy is needed: the passes of
 * lir.h see to that. Device functions are lowered in place of their calls.
 *
 * The files stand on each other in this order: types and modifiers (lower_mods.c), messages and
 * emission (lower_emit.c), names (lower_scope.c, lower_declare.c), values and integer arithmetic
 * (lower_arith.c), operands (lower_operand.c), the families of instructions, the dispatch
 * (lower_dispatch.c), a kernel (lower_kernel.c). A call lowers the body of a function: it has the
 * dispatch as lower.statements.
 *
 * Conventions for values: a 16-bit register lies in the low half of a word whose upper half is
 * anything (LOWER extends where it matters, as ptxas does); .pred registers are predicates; 64-bit
 * ones are pairs, 128-bit ones quads. */
#ifndef PTX_LOWER_LOWER_H
#define PTX_LOWER_LOWER_H

#include "common/error.h"
#include "ptx/ir/lir.h"
#include "ptx/parse/ptx_ast.h"

/* ---- types ----------------------------------------------------------------------------------- */

enum ty_class { TY_B, TY_U, TY_S, TY_F, TY_BF, TY_PRED, TY_OTHER };

struct ty {
    uint8_t cls;  /* enum ty_class */
    uint8_t bits; /* 8 16 32 64 128; of both halves for a packed type */
    bool packed;  /* two of 16 bits */
};

/* The type a word names; cls TY_OTHER with bits 0 if it names none. */
struct ty ty_of_word(ptx_word w);
static inline unsigned ty_words(struct ty t) {
    return t.bits <= 32 ? 1 : t.bits / 32u;
}
static inline bool ty_is_float(struct ty t) {
    return t.cls == TY_F || t.cls == TY_BF;
}
/* Of 16 bits, or two of them. */
static inline bool ty_is_half(struct ty t) {
    return t.cls == TY_BF || (t.cls == TY_F && (t.bits == 16 || t.packed));
}
static inline bool ty_is_signed(struct ty t) {
    return t.cls == TY_S;
}
/* MIR's name for it; untyped bits count as unsigned. */
mir_type ty_mir(struct ty t);

/* ---- modifiers ------------------------------------------------------------------------------- */

enum mod_seen { /* kinds of modifier an instruction carries; ptx_ops.def lists those allowed */
                M_TYPE = 1 << 0,
                M_ROUND = 1 << 1, /* rn rz rm rp, rni rzi rmi rpi */
                M_FTZ = 1 << 2,
                M_SAT = 1 << 3,
                M_MULMODE = 1 << 4, /* lo hi wide */
                M_CMP = 1 << 5,
                M_OP = 1 << 6, /* and or xor add min max inc dec exch cas popc */
                M_CC = 1 << 7,
                M_APPROX = 1 << 8, /* approx full */
                M_SPACE = 1 << 9,
                M_SEM = 1 << 10, /* volatile relaxed acquire release acq_rel sc weak */
                M_SCOPE = 1 << 11,
                M_CACHE = 1 << 12, /* ca cg cs lu cv wb wt nc */
                M_VEC = 1 << 13,
                M_SYNC = 1 << 14, /* sync aligned */
                M_HINT = 1 << 15, /* eviction and prefetch hints: no effect on values */
                M_UNI = 1 << 16,
                M_NAN = 1 << 17,   /* NaN, xorsign is not */
                M_ALL = INT32_MAX, /* the handler reads the words itself, inst->mod */
                M_EXTRA = 1 << 18, /* words the handler reads itself: mods.extra */
};

enum { MODS_MAX_TYPES = 4, MODS_MAX_EXTRA = 4 };

struct mods {
    uint32_t seen;
    struct ty ty[MODS_MAX_TYPES];
    unsigned n_ty;
    mir_round round;
    bool integral; /* rni ... */
    bool ftz, sat, cc, approx, full, nan, volatile_, hint_operand;
    ptx_word mulmode; /* PTX_W_lo, hi, wide or PTX_W_NONE */
    mir_cmp cmp;
    bool cmp_unsigned; /* lo ls hi hs */
    ptx_word op;
    unsigned space; /* enum ptx_space */
    mir_sem sem;
    mir_scope scope;
    bool has_scope;
    mir_cache cache;
    bool has_cache;
    unsigned vec;
    ptx_word extra[MODS_MAX_EXTRA];
    unsigned n_extra;
};

/* ---- names ----------------------------------------------------------------------------------- */

enum sym_kind {
    SYM_REG,     /* word: group of ty_words(ty) words, per vector element */
    SYM_PRED,    /* pred */
    SYM_VAR,     /* variable in memory: space, offset */
    SYM_GLOBAL,  /* module-scope .global: symbol index in the MIR module */
    SYM_KPARAM,  /* kernel parameter: offset in constant bank 0 */
    SYM_PARAM,   /* parameter of a call: words, one per four bytes, or local memory */
    SYM_LABEL,   /* block */
    SYM_TARGETS, /* branch targets: stmt */
    SYM_FUNC,    /* func */
    SYM_TEXREF,  /* texture or surface reference: index in MIR_BANK_TEXTURE */
};

struct lower_symbol {
    uint8_t kind;
    uint8_t space;  /* enum ptx_space of a SYM_VAR */
    uint8_t vec;    /* registers: elements */
    bool in_memory; /* SYM_PARAM: at local offset */
    struct ty ty;
    uint32_t pred;
    lir_vreg word[4]; /* SYM_REG: per element */
    lir_vreg *words;  /* SYM_PARAM */
    uint32_t n_words;
    uint32_t index; /* SYM_GLOBAL: symbol */
    uint64_t offset, size;
    uint32_t elem_bytes;       /* variables: bytes of an element, for a[i] */
    const struct ptx_var *var; /* shared variables: the declaration */
    bool placed;               /* shared variables: offset is that of the kernel at hand */
    struct lir_block *block;
    const struct ptx_stmt *stmt;
    const struct ptx_func *func;
    bool based;      /* local memory: the offset counts from the stack pointer */
    bool taken;      /* SYM_FUNC: its address is taken */
    uint8_t reaches; /* SYM_FUNC: whether it calls itself, 0: not known yet, 1: no, 2: yes */
    const struct ptx_func *seen_for; /* SYM_FUNC: marks of walks over the call graph */
};

struct scope_entry {
    ptx_word word;
    struct lower_symbol *before, *after;
};

struct scope_range { /* .reg .b32 %r<n> */
    const char *prefix;
    uint32_t prefix_len;
    const struct ptx_var *var;
};

struct lower_scope {
    struct lower_scope *outer;
    bool is_frame; /* the outermost of a function: lookup of ranges ends here */
    struct scope_entry *entry;
    uint32_t n_entries, cap_entries;
    struct scope_range *range;
    uint32_t n_ranges, cap_ranges;
};

/* ---- the module being built ------------------------------------------------------------------ */

struct lower_module {
    struct arena *arena; /* of the compilation */
    struct ptx_module *ast;
    struct ptx_words *words;
    const char *name;
    struct heddle_diag *diag;
    heddle_err err;
    struct lower_symbol **binding; /* [word]: what a name means here */
    uint32_t n_binding;
    struct mir_module *mir;
    uint32_t cap_symbols, cap_relocs, cap_texrefs;
    uint32_t n_functions;
    bool taken_marked;            /* addresses of functions have been looked for */
    struct lower_symbol **shared; /* module-scope .shared variables */
    uint32_t n_shared, cap_shared;
};

/* A .shared variable declared inside a function: one per CTA, however often it is inlined. */
struct shared_place {
    const struct ptx_var *var;
    uint64_t offset;
};

/* A function whose body is being lowered: the kernel, or a device function in place of its call. */
struct lower_frame {
    struct lower_frame *outer;
    const struct ptx_func *func;
    struct lir_block *ret; /* inlined: where ret goes; NULL: ret is exit */
};

enum { LOWER_MAX_INLINE_DEPTH = 64, LOWER_STACK_BYTES = 8192 };

/* A function that calls itself is lowered once in a kernel, as a subroutine (lower_call.c). */
struct lower_sub;

struct lower {
    struct lower_module *lm;
    struct arena *arena;
    struct ptx_words *words;
    struct lir_fn *fn;
    struct lir_block *cur;
    struct lower_frame *frame;
    const struct ptx_func *kernel;
    struct lower_scope *scope;
    unsigned inline_depth;
    /* the instruction at hand */
    const struct ptx_stmt *stmt;
    const struct ptx_inst *inst;
    struct mods mods;
    lir_pref guard;
    uint32_t loc;
    uint32_t pending; /* PTX instructions not yet attached to one of ours */
    lir_pref carry;   /* CC.CF of add.cc and its kin */
    /* memory layout of the kernel */
    uint64_t static_shared;
    struct shared_place *place;
    uint32_t n_places, cap_places;
    uint32_t param_bytes;
    bool param_copy; /* the kernel wants its parameters in local memory, at param_copy_at */
    uint32_t param_copy_at;
    struct lower_sub *subs; /* subroutines, in order of their first call */
    struct lower_sub *sub;  /* whose body is being lowered, NULL: the kernel's */
    lir_vreg stack;         /* stack pointer: offset in local memory, 0: no subroutines */
    lir_vreg alloca_at;     /* pointer of lower_alloca.c: likewise, 0: none yet */
    uint32_t alloca_from;   /* where its memory begins */
    bool failed;
    /* lowers a list of statements: what calls use for the bodies of functions */
    void (*statements)(struct lower *lo, const struct ptx_stmt *list);
};

/* ---- lower_emit.c: errors, emission ---------------------------------------------------------- */

/* Refuses the instruction at hand: "PTX instruction 'x' is not supported" and why. */
void lower_unsupported(struct lower *lo, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Another error at the instruction at hand. */
void lower_error(struct lower *lo, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Fails in lm->diag at a line of the module. */
bool lower_module_error(struct lower_module *lm, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

struct lir_inst *emit(struct lower *lo, unsigned op);
/* d = op(a, b, c); MIR_SRC_NONE sources are absent. */
struct lir_inst *emit3(struct lower *lo, unsigned op, lir_vreg d, struct lir_src a,
                       struct lir_src b, struct lir_src c);
struct lir_inst *emit2(struct lower *lo, unsigned op, lir_vreg d, struct lir_src a,
                       struct lir_src b);
struct lir_inst *emit1(struct lower *lo, unsigned op, lir_vreg d, struct lir_src a);
/* A branch of the lanes of guard. */
struct lir_inst *lower_branch(struct lower *lo, struct lir_block *target, lir_pref guard);
static inline lir_vreg tmp(struct lower *lo) {
    return lir_new_vregs(lo->fn, 1);
}
static inline lir_vreg tmp_pair(struct lower *lo) {
    return lir_new_vregs(lo->fn, 2);
}
#define NO_SRC ((struct lir_src){.kind = MIR_SRC_NONE})
#define RZ_SRC (lir_reg(0))
/* Ends the block at hand and goes on in a new one behind it. */
void lower_start_block(struct lower *lo, struct lir_block *b);
void lower_flush_count(struct lower *lo);

/* ---- lower_scope.c --------------------------------------------------------------------------- */

void scope_bind(struct lower *lo, struct lower_scope *s, ptx_word w, struct lower_symbol *sym);
struct lower_scope *scope_push(struct lower *lo, bool is_frame);
void scope_pop(struct lower *lo);
/* Takes the bindings of all scopes of the running frames away (before an inlined body) and gives
 * them back. */
void scope_hide(struct lower *lo);
void scope_show(struct lower *lo);
/* What a name means here: NULL if nothing. A register of a range is made when first named. */
struct lower_symbol *lower_lookup(struct lower *lo, ptx_word w);
struct lower_symbol *scope_new_register(struct lower *lo, const struct ptx_var *v);
uint64_t var_bytes(const struct ptx_var *v);
uint32_t var_align(const struct ptx_var *v);

/* ---- lower_declare.c ------------------------------------------------------------------------- */

void lower_declare(struct lower *lo, const struct ptx_var *v);
struct lower_symbol *lower_declare_param(struct lower *lo, const struct ptx_var *v);
/* Reserves bytes of a variable of the function at hand in local memory. */
void lower_place_local(struct lower *lo, struct lower_symbol *s, uint64_t bytes, uint32_t align);
/* Offsets of the shared variables that a kernel and the functions it calls use. */
void lower_kernel_shared(struct lower *lo, const struct ptx_func *kernel);

/* ---- lower_arith.c --------------------------------------------------------------------------- */

/* A source value, word by word. */
struct value {
    struct lir_src w[4];
    unsigned n;
};

/* One source for an operand of 2 or 4 adjacent words; copies the words together if they are not. */
struct lir_src as_group(struct lower *lo, const struct value *v);
struct value value_of_word(struct lir_src s);
struct value value_of_pair(lir_vreg w);
struct value value_imm64(uint64_t bits);
void move_value(struct lower *lo, lir_vreg d, const struct value *v);
/* Extends the low `bits` of a word. */
struct lir_src extend(struct lower *lo, struct lir_src s, unsigned bits, bool is_signed);
/* d: = a: + b:, d: = a: - b:, and so on. */
void add64(struct lower *lo, lir_vreg d, const struct value *a, const struct value *b);
void sub64(struct lower *lo, lir_vreg d, const struct value *a, const struct value *b);
void negate64(struct lower *lo, lir_vreg d, const struct value *a);
void multiply64(struct lower *lo, lir_vreg d, const struct value *a, const struct value *b);
void multiply64_high(struct lower *lo, bool is_signed, lir_vreg d, const struct value *a,
                     const struct value *b);
/* d = low word of a * b + c; d: = a * b + c:; d = high word of a * b, + c. */
struct lir_inst *imad_low(struct lower *lo, lir_vreg d, struct lir_src a, struct lir_src b,
                          struct lir_src c);
struct lir_inst *imad_wide(struct lower *lo, lir_vreg d, bool is_signed, struct lir_src a,
                           struct lir_src b, struct lir_src c);
struct lir_inst *imad_high(struct lower *lo, lir_vreg d, bool is_signed, struct lir_src a,
                           struct lir_src b, struct lir_src c);
/* P = a cmp b of 32 or 64-bit integers, combined with `with` by bop. */
uint32_t compare_int(struct lower *lo, mir_cmp cmp, bool is_signed, const struct value *a,
                     const struct value *b);
void compare_int_into(struct lower *lo, uint32_t p, uint32_t q, mir_cmp cmp, bool is_signed,
                      const struct value *a, const struct value *b, mir_bool bop, lir_pref with);
struct lir_src lop3(struct lower *lo, unsigned table, struct lir_src a, struct lir_src b,
                    struct lir_src c);
enum { LUT_A = 0xf0, LUT_B = 0xcc, LUT_C = 0xaa };

/* ---- lower_operand.c ------------------------------------------------------------------------- */

/* A destination. Under a guard the instructions write `word`, a temporary, and finish() copies it
 * under the guard, so that temporaries never depend on the guard. */
struct dest {
    lir_vreg word; /* first word to write; a group of n */
    lir_vreg real; /* the register, when word is a temporary, else 0 */
    unsigned n;
};
struct pdest {
    uint32_t pred, real;
};

struct value src(struct lower *lo, const struct ptx_operand *o, struct ty t);
/* The same, extended to 32 bits by its type (8 and 16-bit types). */
struct lir_src src32(struct lower *lo, const struct ptx_operand *o, struct ty t);
/* One word of an operand of at most 32 bits. */
struct lir_src src1(struct lower *lo, const struct ptx_operand *o, struct ty t);
lir_pref src_pred(struct lower *lo, const struct ptx_operand *o);
struct dest dst(struct lower *lo, const struct ptx_operand *o, struct ty t);
struct pdest dst_pred(struct lower *lo, const struct ptx_operand *o);
void finish(struct lower *lo, const struct dest *d);
void finish_pred(struct lower *lo, const struct pdest *d);
/* A 64-bit source of a double-precision operation. */
struct lir_src src_f64(struct lower *lo, const struct ptx_operand *o);
/* Fails unless the instruction has between `least` and `most` operands. */
bool operands(struct lower *lo, unsigned least, unsigned most);
bool special_register(struct lower *lo, const struct ptx_operand *o, struct ty t, struct value *v);
lir_vreg lower_read_sreg(struct lower *lo, unsigned sreg);

/* ---- lower_memory.c: addresses --------------------------------------------------------------- */

struct address {
    unsigned space;      /* enum ptx_space, NONE: generic */
    struct lir_src base; /* NONE: the offset alone */
    int64_t offset;
    struct lower_symbol *param; /* parameter words: no memory at all */
};

/* The address that an operand names, its offset within an instruction's reach. False (and an error)
 * if the operand is no address. */
bool lower_address(struct lower *lo, const struct ptx_operand *o, struct address *a);
/* Puts the address, semantics and cache operator into a memory instruction. */
void lower_set_address(struct lower *lo, struct lir_inst *in, const struct address *a);
static inline bool space_is_wide(unsigned space) { /* addresses of 64 bits */
    return space == PTX_SPACE_NONE || space == PTX_SPACE_GLOBAL;
}
/* Element i of type t inside the words of a group; an element of a loaded group to its register,
 * extended to the register's width; the elements of a vector operand as one group. */
struct value lower_element_of(struct lower *lo, lir_vreg g, unsigned i, struct ty t);
void lower_store_element(struct lower *lo, const struct ptx_operand *o, struct ty t,
                         const struct value *e);
struct lir_src lower_gather(struct lower *lo, const struct ptx_operand *o, struct ty t,
                            unsigned bytes);
/* The MIR operation of the space. */
unsigned lower_load_op(unsigned space);
unsigned lower_store_op(unsigned space);

/* ---- lower_warp.c ---------------------------------------------------------------------------- */

/* The lanes of a member mask meet here, on behalf of the next instruction. */
void lower_meet(struct lower *lo, struct lir_src mask);

/* ---- lower_control.c, lower_alloca.c --------------------------------------------------------- */

/* Lowers an instruction that has control flow of its own: when it is guarded, by a branch. */
void lower_under_guard(struct lower *lo, void (*what)(struct lower *lo));
/* A function's body begins and ends: what it has allocated is free then. */
lir_vreg lower_alloca_enter(struct lower *lo, const struct ptx_func *f);
void lower_alloca_leave(struct lower *lo, lir_vreg kept);

/* ---- lower_call.c ---------------------------------------------------------------------------- */

/* What a pointer to the function holds. Not an address of code: a number that calls compare. */
static inline uint64_t lower_function_address(const struct lower_symbol *s) {
    return 16 * (UINT64_C(1) + s->index);
}
/* Before the body: makes the stack if the kernel can come to a function that calls itself. */
void lower_begin_stack(struct lower *lo);
/* Behind the kernel's body: the bodies of its subroutines. */
void lower_subroutines(struct lower *lo);
/* Saves what lives across calls of subroutines by subroutines. Needs lir_cfg_build. */
void lower_save_across_calls(struct lower *lo);

/* ---- lower_system.c -------------------------------------------------------------------------- */

/* A call of a function that the system provides (printf, malloc, ...): false if it is none. */
bool lower_system_call(struct lower *lo, const char *name, const struct ptx_operand *rets,
                       const struct ptx_operand *args);

/* ---- lower_divide.c -------------------------------------------------------------------------- */

/* The 32-bit quotient and remainder of a / b; either may be NULL. */
void divide32(struct lower *lo, bool is_signed, struct lir_src a, struct lir_src b, lir_vreg quot,
              lir_vreg rem);
void divide64(struct lower *lo, bool is_signed, const struct value *a, const struct value *b,
              lir_vreg quot, lir_vreg rem);
/* ---- lower_module.c: module-scope names -------------------------------------------------- */

/* Fails in lm->diag. */
bool lower_module_variables(struct lower_module *lm);
bool lower_module_initialise(struct lower_module *lm);
bool lower_module_functions(struct lower_module *lm);

/* ---- lower_dispatch.c, lower_kernel.c -------------------------------------------------------- */

void lower_statements(struct lower *lo, const struct ptx_stmt *list);
/* Lowers one kernel; NULL when lm->err says why. */
struct lower *lower_kernel(struct lower_module *lm, const struct ptx_func *kernel);

/* ---- handlers, by ptx_ops.def ---------------------------------------------------------------- */

typedef void lower_handler(struct lower *lo);
#define OP(word, handler, modifiers) lower_handler handler;
#include "tables/ptx_ops.def"
#undef OP

#endif

/* lower.h - shared declarations of the lowering, which turns a kernel's syntax tree into LIR;
 * private to lower_*.c.
 *
 * The lowering walks the statements of a kernel once and emits SASS-shaped instructions. It places
 * constants where the hardware may not accept them and writes copies that may not be needed: the
 * passes of lir.h repair the former and remove the latter. A device function is lowered in place of
 * each call, unless it calls itself (lower_call.c).
 *
 * Each layer of files uses only the layers before it: types and modifiers (lower_mods.c), messages
 * and emission (lower_emit.c), names (lower_scope.c, lower_declare.c), values and integer
 * arithmetic (lower_arith.c), operands (lower_operand.c), the families of instructions, the
 * dispatch (lower_dispatch.c), a kernel (lower_kernel.c). One step goes back: a call lowers the
 * body of a function, so it reaches the dispatch through lower.statements.
 *
 * Side effects: a function that takes a `struct lower *lo` may do any of the following, and its
 * comment names only what goes beyond that.
 * - It appends instructions to the block lo->cur, with the line, the location and the pending count
 *   of `lo`. It may end that block and make a new one lo->cur.
 * - It creates registers and predicates in lo->fn and takes memory from lo->arena.
 * - It reads the instruction at hand: lo->inst, lo->mods, lo->guard.
 * - On an error it writes a message to lo->lm->diag and sets lo->failed. Only the first error of a
 *   kernel is kept. Results after a failure are placeholders.
 *
 * Conventions for values: a 16-bit register is the low half of a word whose upper half is undefined
 * (the lowering extends it where that matters, as ptxas does); a .pred register is a predicate; a
 * 64-bit register is a pair of words, a 128-bit one a quad. */
#ifndef PTX_LOWER_LOWER_H
#define PTX_LOWER_LOWER_H

#include "common/error.h"
#include "mir/mir_special.h"
#include "ptx/ir/lir.h"
#include "ptx/parse/ptx_ast.h"

/* ---- types ----------------------------------------------------------------------------------- */

/* The class of a type: bits, unsigned, signed, float, bfloat, predicate, none of them. */
enum ty_class { TY_B, TY_U, TY_S, TY_F, TY_BF, TY_PRED, TY_OTHER };

/* A type of PTX. */
struct ty {
    uint8_t cls;  /* enum ty_class */
    uint8_t bits; /* 8 16 32 64 128; a packed type counts both halves */
    bool packed;  /* two 16-bit values in a word */
};

/* The type that a word names; cls TY_OTHER and bits 0 if the word is not a type. */
struct ty ty_of_word(ptx_word w);
/* Registers of 32 bits that a value takes; at least one. */
static inline unsigned ty_words(struct ty t) {
    return t.bits <= 32 ? 1 : t.bits / 32u;
}
static inline bool ty_is_float(struct ty t) {
    return t.cls == TY_F || t.cls == TY_BF;
}
/* A 16-bit float, or two of them in a word. */
static inline bool ty_is_half(struct ty t) {
    return t.cls == TY_BF || (t.cls == TY_F && (t.bits == 16 || t.packed));
}
static inline bool ty_is_integer(struct ty t) {
    return t.cls == TY_U || t.cls == TY_S;
}
static inline bool ty_is_signed(struct ty t) {
    return t.cls == TY_S;
}
/* The MIR type; untyped bits become unsigned. */
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
                M_NAN = 1 << 17,   /* NaN */
                M_ALL = INT32_MAX, /* the handler reads the words itself, inst->mod */
                M_EXTRA = 1 << 18, /* words the handler reads itself: mods.extra */
};

enum { MODS_MAX_TYPES = 4, MODS_MAX_EXTRA = 4 };

/* The modifiers of one instruction, decoded by mods_decode(). */
struct mods {
    uint32_t seen;                /* enum mod_seen */
    struct ty ty[MODS_MAX_TYPES]; /* in the order written */
    unsigned n_ty;
    mir_round round;
    bool integral; /* rni ...: round to an integral value */
    /* hint_operand: .L2::cache_hint, a cache policy is the last operand */
    bool ftz, sat, cc, approx, full, nan, volatile_, hint_operand;
    ptx_word mulmode; /* PTX_W_lo, hi, wide or PTX_W_NONE */
    mir_cmp cmp;
    bool cmp_unsigned; /* lo ls hi hs */
    ptx_word op;       /* of M_OP, PTX_W_NONE: none */
    unsigned space;    /* enum ptx_space */
    mir_sem sem;
    mir_scope scope;
    bool has_scope;
    mir_cache cache;
    bool has_cache;
    unsigned vec;                   /* elements: 1, 2, 4 */
    ptx_word extra[MODS_MAX_EXTRA]; /* words of no kind above, in the order written */
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

/* The meaning of a name: one struct for all kinds. */
struct lower_symbol {
    uint8_t kind;     /* enum sym_kind */
    uint8_t space;    /* enum ptx_space of a SYM_VAR */
    uint8_t vec;      /* registers: elements */
    bool in_memory;   /* SYM_PARAM: at local offset */
    struct ty ty;     /* of a register or of a variable's element */
    uint32_t pred;    /* SYM_PRED */
    lir_vreg word[4]; /* SYM_REG: per element */
    lir_vreg *words;  /* SYM_PARAM */
    uint32_t n_words;
    uint32_t index;              /* SYM_GLOBAL: MIR symbol; SYM_FUNC, SYM_TEXREF: its number */
    uint64_t offset, size;       /* bytes */
    uint32_t elem_bytes;         /* variables: bytes of an element, for a[i] */
    const struct ptx_var *var;   /* shared variables: the declaration */
    bool placed;                 /* shared variables: `offset` is valid for the kernel at hand */
    struct lir_block *block;     /* SYM_LABEL */
    const struct ptx_stmt *stmt; /* SYM_TARGETS */
    const struct ptx_func *func; /* SYM_FUNC */
    bool based;                  /* local memory: the offset counts from the stack pointer */
    bool taken;                  /* SYM_FUNC: its address is taken */
    ptx_word launches;           /* variables: a kernel whose address its initial value has or
                                  * leads to; PTX_W_NONE: none */
    uint8_t reaches; /* SYM_FUNC: does it call itself? 0: not known yet, 1: no, 2: yes */
    const struct ptx_func *seen_for; /* SYM_FUNC: mark of the last walk over the call graph */
};

/* A name that a scope binds. */
struct scope_entry {
    ptx_word word;
    struct lower_symbol *before, *after; /* its symbol outside and inside the scope */
};

/* A range of registers; its names are bound when they are first used. */
struct scope_range { /* .reg .b32 %r<n> */
    const char *prefix;
    uint32_t prefix_len;
    const struct ptx_var *var;
};

/* A block of statements, or the outermost scope of a function. */
struct lower_scope {
    struct lower_scope *outer;
    bool is_frame; /* outermost scope of a function: the lookup of ranges ends here */
    struct scope_entry *entry;
    uint32_t n_entries, cap_entries;
    struct scope_range *range;
    uint32_t n_ranges, cap_ranges;
};

/* ---- the module being built ------------------------------------------------------------------ */

/* One compilation of a module; ptx_compile() owns it. */
struct lower_module {
    unsigned capability; /* of the GPU, 70: 7.0 */
    struct arena *arena; /* of the compilation */
    struct ptx_module *ast;
    struct ptx_words *words;       /* all names and modifiers of the module */
    const char *name;              /* of the module, for messages */
    struct heddle_diag *diag;      /* receives the message of the first error; may be NULL */
    heddle_err err;                /* HEDDLE_OK until an error */
    struct lower_symbol **binding; /* [word]: the symbol of a name in the scope at hand */
    uint32_t n_binding;
    struct mir_module *mir;                        /* the result */
    uint32_t cap_symbols, cap_relocs, cap_texrefs; /* room in the arrays of mir */
    uint32_t n_functions;                          /* symbols of functions made so far */
    bool has_launches;            /* some variable's lower_symbol.launches is set */
    bool taken_marked;            /* lower_symbol.taken is valid for all functions */
    struct lower_symbol **shared; /* module-scope .shared variables */
    uint32_t n_shared, cap_shared;
};

/* A .shared variable declared inside a function. The CTA has one, however often the function is
 * inlined. */
struct shared_place {
    const struct ptx_var *var;
    uint64_t offset; /* bytes, in the CTA's shared memory */
};

/* A function whose body is being lowered: the kernel, or a device function in place of its call. */
struct lower_frame {
    struct lower_frame *outer;
    const struct ptx_func *func;
    struct lir_block *ret; /* inlined: `ret` branches here; NULL: `ret` exits the thread */
};

enum { LOWER_MAX_INLINE_DEPTH = 64, LOWER_STACK_BYTES = 8192 };

/* A subroutine: a function that calls itself, lowered once per kernel (lower_call.c). */
struct lower_sub;

/* The lowering of one kernel: made by lower_kernel(), used by one thread. */
struct lower {
    struct lower_module *lm;
    struct arena *arena;       /* of this kernel's compilation */
    struct ptx_words *words;   /* lm->words */
    struct lir_fn *fn;         /* the result */
    struct lir_block *cur;     /* instructions are appended here */
    struct lir_block *entry;   /* before the kernel's first statement; walk_lane() appends here */
    struct lower_frame *frame; /* the function whose body is lowered */
    const struct ptx_func *kernel;
    struct lower_scope *scope; /* the innermost */
    unsigned inline_depth;     /* calls lowered in place around this statement */
    /* the instruction at hand */
    const struct ptx_stmt *stmt;
    const struct ptx_inst *inst;
    bool locked; /* .pragma "heddle_locked" stands before it, and has not been used */
    struct mods mods;
    lir_pref guard;       /* of the instruction; LIR_PT once a branch around it does the work */
    uint32_t loc;         /* source line: file << 20 | line, by .loc */
    uint32_t pending;     /* PTX instructions not yet counted by an emitted instruction */
    uint16_t special;     /* 1 + number of the special operation at hand (mir_special.h), 0: none */
    bool special_counted; /* an instruction counts it */
    lir_pref carry;       /* PTX's carry flag CC.CF (add.cc, addc, ...) */
    /* memory layout of the kernel */
    uint64_t static_shared;     /* bytes of static shared memory */
    struct shared_place *place; /* variables declared inside bodies */
    uint32_t n_places, cap_places;
    uint32_t param_bytes; /* the kernel's parameters */
    bool param_copy;      /* the kernel needs its parameters in local memory, at param_copy_at */
    uint32_t param_copy_at;
    struct lower_sub *subs; /* subroutines, in order of their first call */
    struct lower_sub *sub;  /* the subroutine being lowered; NULL: the kernel itself */
    lir_vreg stack;         /* stack pointer, an offset in local memory; 0: no subroutines */
    lir_vreg alloca_at;     /* alloca's pointer, an offset in local memory; 0: none yet */
    uint32_t alloca_from;   /* lowest offset of alloca's memory */
    bool failed;
    /* lower_statements(), by which a call lowers the body of a function */
    void (*statements)(struct lower *lo, const struct ptx_stmt *list);
};

/* ---- lower_emit.c: errors, emission ---------------------------------------------------------- */

/* Refuses the instruction at hand: "PTX instruction 'x' is not supported" and why. */
void lower_unsupported(struct lower *lo, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Reports any other error at the instruction at hand. */
void lower_error(struct lower *lo, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reports an error at a line of the module: fills lm->diag and sets lm->err. @return false. */
bool lower_module_error(struct lower_module *lm, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends an instruction to lo->cur and hands it the pending count. If lo->cur ends with a branch,
 * a new block becomes lo->cur first. */
struct lir_inst *emit(struct lower *lo, unsigned op);
/* Emit d = op(a, b, c). A source MIR_SRC_NONE is absent; d 0 means no destination. */
struct lir_inst *emit3(struct lower *lo, unsigned op, lir_vreg d, struct lir_src a,
                       struct lir_src b, struct lir_src c);
struct lir_inst *emit2(struct lower *lo, unsigned op, lir_vreg d, struct lir_src a,
                       struct lir_src b);
struct lir_inst *emit1(struct lower *lo, unsigned op, lir_vreg d, struct lir_src a);
/* Emits a branch to target, taken by the lanes of guard. */
struct lir_inst *lower_branch(struct lower *lo, struct lir_block *target, lir_pref guard);
static inline lir_vreg tmp(struct lower *lo) {
    return lir_new_vregs(lo->fn, 1);
}
static inline lir_vreg tmp_pair(struct lower *lo) {
    return lir_new_vregs(lo->fn, 2);
}
#define NO_SRC ((struct lir_src){.kind = MIR_SRC_NONE})
#define RZ_SRC (lir_reg(0))
/* Appends b to the function and makes it lo->cur. Pending counts stay with the block before. */
void lower_start_block(struct lower *lo, struct lir_block *b);
/* Adds the pending count to the last instruction of lo->cur, or to the block if it is empty. */
void lower_flush_count(struct lower *lo);

/* ---- lower_special.c ------------------------------------------------------------------------- */

/* Tags an emitted instruction as what counts the special operation at hand: `ways` is
 * MIR_SPECIAL_COUNTS, _SLOW or both (mir_special.h). Does nothing if the instruction at hand is no
 * special operation, or if it is guarded: then the copy of its result counts. A handler that calls
 * it tags one instruction on each way through its code. */
void lower_tag(struct lower *lo, struct lir_inst *in, unsigned ways);
/* Around a handler: finds out whether the instruction at hand is a special operation, and tags one
 * of the instructions emitted since if the handler has tagged none. `last` and `block` are lo->cur
 * and its last instruction before. */
void lower_special_begin(struct lower *lo);
void lower_special_end(struct lower *lo, const struct lir_block *block, struct lir_inst *last);

/* ---- lower_scope.c --------------------------------------------------------------------------- */

/* These functions change lo->lm->binding, the symbol of each name, and lo->scope. They emit no
 * code and report no errors. */

/* Binds w to sym; the end of scope s restores the former symbol. */
void scope_bind(struct lower *lo, struct lower_scope *s, ptx_word w, struct lower_symbol *sym);
/* Opens a scope inside lo->scope and makes it lo->scope. */
struct lower_scope *scope_push(struct lower *lo, bool is_frame);
/* Closes lo->scope and restores the bindings that it changed. */
void scope_pop(struct lower *lo);
/* Undoes the bindings of all scopes of the function at hand, because the body of a callee must not
 * see its caller's names. */
void scope_hide(struct lower *lo);
/* Restores the bindings that scope_hide() undid. */
void scope_show(struct lower *lo);
/* The symbol that a name has here; NULL if none. Creates and binds a register of a range when it is
 * first named. Reports a variable that leads to a kernel's address (lower_symbol.launches). */
struct lower_symbol *lower_lookup(struct lower *lo, ptx_word w);
/* A symbol with new registers or a new predicate; binds no name. */
struct lower_symbol *scope_new_register(struct lower *lo, const struct ptx_var *v);
/* Size of a variable with all elements, and alignment, in bytes. They touch nothing. */
uint64_t var_bytes(const struct ptx_var *v);
uint32_t var_align(const struct ptx_var *v);

/* ---- lower_declare.c ------------------------------------------------------------------------- */

/* Binds a variable declared inside a body in lo->scope. */
void lower_declare(struct lower *lo, const struct ptx_var *v);
/* The same for a parameter of a call: one word per four bytes. */
struct lower_symbol *lower_declare_param(struct lower *lo, const struct ptx_var *v);
/* Reserves local memory for a variable, in the frame of the subroutine at hand or else in the
 * kernel's local memory. Sets the symbol's offset. */
void lower_place_local(struct lower *lo, struct lower_symbol *s, uint64_t bytes, uint32_t align);
/* Assigns offsets to the shared variables that a kernel and its callees use: sets lo->place,
 * lo->static_shared and the symbols of lo->lm->shared. Emits no code. */
void lower_kernel_shared(struct lower *lo, const struct ptx_func *kernel);

/* ---- lower_arith.c --------------------------------------------------------------------------- */

/* A source value, word by word. */
struct value {
    struct lir_src w[4];
    unsigned n;
};

/* One source for an operand of 2 or 4 adjacent words; emits copies if the words are not
 * adjacent. */
struct lir_src as_group(struct lower *lo, const struct value *v);
/* Values of one word, of the pair w, w + 1, and of two immediates. They emit no code. */
struct value value_of_word(struct lir_src s);
struct value value_of_pair(lir_vreg w);
struct value value_imm64(uint64_t bits);
/* Emits moves of the words of v to d, d + 1, ... */
void move_value(struct lower *lo, lir_vreg d, const struct value *v);
/* Emits the extension of the low `bits` (8, 16, 32) of a word to 32 bits. */
struct lir_src extend(struct lower *lo, struct lir_src s, unsigned bits, bool is_signed);
/* Emit 64-bit operations. `d:` in comments is the pair of words d, d + 1: d: = a: + b:, a: - b:,
 * -a:, the low and the high 64 bits of a: * b:. */
void add64(struct lower *lo, lir_vreg d, const struct value *a, const struct value *b);
void sub64(struct lower *lo, lir_vreg d, const struct value *a, const struct value *b);
void negate64(struct lower *lo, lir_vreg d, const struct value *a);
void multiply64(struct lower *lo, lir_vreg d, const struct value *a, const struct value *b);
void multiply64_high(struct lower *lo, bool is_signed, lir_vreg d, const struct value *a,
                     const struct value *b);
/* Emit d = low word of a * b + c; d: = a * b + c:; d = (high word of a * b) + c. */
struct lir_inst *imad_low(struct lower *lo, lir_vreg d, struct lir_src a, struct lir_src b,
                          struct lir_src c);
struct lir_inst *imad_wide(struct lower *lo, lir_vreg d, bool is_signed, struct lir_src a,
                           struct lir_src b, struct lir_src c);
struct lir_inst *imad_high(struct lower *lo, lir_vreg d, bool is_signed, struct lir_src a,
                           struct lir_src b, struct lir_src c);
/* Emits P = a cmp b of 32 or 64-bit integers. @return P, a new predicate. */
uint32_t compare_int(struct lower *lo, mir_cmp cmp, bool is_signed, const struct value *a,
                     const struct value *b);
/* The same into p; q, unless 0, gets the opposite. `bop` combines both with `with`. */
void compare_int_into(struct lower *lo, uint32_t p, uint32_t q, mir_cmp cmp, bool is_signed,
                      const struct value *a, const struct value *b, mir_bool bop, lir_pref with);
/* Emits a LOP3. `table` is its truth table, a combination of LUT_A, LUT_B and LUT_C by C's bit
 * operators: LUT_A & LUT_B is a & b. @return a new register. */
struct lir_src lop3(struct lower *lo, unsigned table, struct lir_src a, struct lir_src b,
                    struct lir_src c);
enum { LUT_A = 0xf0, LUT_B = 0xcc, LUT_C = 0xaa };

/* ---- lower_operand.c ------------------------------------------------------------------------- */

/* A destination. Handlers emit unguarded instructions that write `word`. If the PTX instruction has
 * a guard, `word` is a temporary and finish() emits a guarded copy of it to `real`. */
struct dest {
    lir_vreg word; /* first word to write; a group of n */
    lir_vreg real; /* the register, when word is a temporary, else 0 */
    unsigned n;
};
/* The same for a predicate; 0: none. */
struct pdest {
    uint32_t pred, real;
};

/* The value of operand o as type t. Emits code only for values that no source can hold. */
struct value src(struct lower *lo, const struct ptx_operand *o, struct ty t);
/* The same in one word; emits the extension of 8 and 16-bit types to 32 bits. */
struct lir_src src32(struct lower *lo, const struct ptx_operand *o, struct ty t);
/* One word of an operand of at most 32 bits. */
struct lir_src src1(struct lower *lo, const struct ptx_operand *o, struct ty t);
/* A predicate operand, with its negation; emits no code. Reports an operand that is none. */
lir_pref src_pred(struct lower *lo, const struct ptx_operand *o);
/* The destination that operand o names, to be written as type t. Emits no code; finish() does. */
struct dest dst(struct lower *lo, const struct ptx_operand *o, struct ty t);
struct pdest dst_pred(struct lower *lo, const struct ptx_operand *o);
/* Emit the copy from a temporary to the destination, under lo->guard; nothing if it is none. */
void finish(struct lower *lo, const struct dest *d);
void finish_pred(struct lower *lo, const struct pdest *d);
/* A 64-bit source of a double-precision operation. */
struct value literal(struct lower *lo, struct value v);
struct lir_src src_f64(struct lower *lo, const struct ptx_operand *o);
/* Reports an error unless the instruction has between `least` and `most` operands.
 * @return whether it has. */
bool operands(struct lower *lo, unsigned least, unsigned most);
/* The value of a special register; emits the read. @return false: o names none. */
bool special_register(struct lower *lo, const struct ptx_operand *o, struct ty t, struct value *v);
/* Emits the read of a special register (mir_sreg). @return a new register. */
lir_vreg lower_read_sreg(struct lower *lo, unsigned sreg);

/* ---- lower_memory.c: addresses --------------------------------------------------------------- */

/* The address operand of a memory instruction. */
struct address {
    unsigned space;             /* enum ptx_space, NONE: generic */
    struct lir_src base;        /* NONE: the address is `offset` */
    int64_t offset;             /* bytes */
    struct lower_symbol *param; /* a call's parameter, held in words and not in memory; else NULL */
};

/* Reads the address that an operand names. Emits an addition if the offset exceeds the field of an
 * instruction. Reports an operand that is not an address. @return false: reported. */
bool lower_address(struct lower *lo, const struct ptx_operand *o, struct address *a);
/* Sets the address, the memory order, the scope and the cache operator of a memory instruction; all
 * but the address come from lo->mods. */
void lower_set_address(struct lower *lo, struct lir_inst *in, const struct address *a);
static inline bool space_is_wide(unsigned space) { /* addresses of 64 bits */
    return space == PTX_SPACE_NONE || space == PTX_SPACE_GLOBAL;
}
/* Emits the extraction of element i of type t from the words of group g. */
struct value lower_element_of(struct lower *lo, lir_vreg g, unsigned i, struct ty t);
/* Writes an element of a loaded group to its register, extended to the register's width. */
void lower_store_element(struct lower *lo, const struct ptx_operand *o, struct ty t,
                         const struct value *e);
/* Joins the elements of a vector operand into one group of words. */
struct lir_src lower_gather(struct lower *lo, const struct ptx_operand *o, struct ty t,
                            unsigned bytes);
/* The MIR operation that accesses the space. */
unsigned lower_load_op(unsigned space);
unsigned lower_store_op(unsigned space);

/* ---- lower_warp.c ---------------------------------------------------------------------------- */

/* Emits the WARPSYNC that the next instruction needs for its member mask. */
void lower_meet(struct lower *lo, struct lir_src mask);

/* ---- lower_control.c, lower_alloca.c --------------------------------------------------------- */

/* Lowers, by what(), an instruction whose lowering contains branches. If it is guarded, emits a
 * branch around it, because its blocks cannot carry the guard. */
void lower_under_guard(struct lower *lo, void (*what)(struct lower *lo));
/* At the begin and the end of a function's body: emit code that keeps alloca's pointer and restores
 * it, which frees what the function allocated. */
lir_vreg lower_alloca_enter(struct lower *lo, const struct ptx_func *f);
void lower_alloca_leave(struct lower *lo, lir_vreg kept);

/* ---- lower_call.c ---------------------------------------------------------------------------- */

/* The value of a pointer to the function: not an address of code, but a number with which a call
 * through a pointer selects its target. */
static inline uint64_t lower_function_address(const struct lower_symbol *s) {
    return 16 * (UINT64_C(1) + s->index);
}
/* Before the kernel's body: if the kernel can reach a function that calls itself, reserves a stack
 * in local memory and emits the move that sets its pointer, lo->stack. */
void lower_begin_stack(struct lower *lo);
/* After the kernel's body: emits the bodies of its subroutines. */
void lower_subroutines(struct lower *lo);
/* Inserts loads and stores that save live words and predicates around calls of subroutines by
 * subroutines. Run lir_cfg_build() first. */
void lower_save_across_calls(struct lower *lo);

/* ---- lower_system.c -------------------------------------------------------------------------- */

/* Emits a call of a function that the system provides (vprintf, malloc, ...).
 * @return false: `name` is not one of them. */
bool lower_system_call(struct lower *lo, const char *name, const struct ptx_operand *rets,
                       const struct ptx_operand *args);

/* ---- lower_divide.c -------------------------------------------------------------------------- */

/* Emit the quotient and the remainder of a / b; `quot` or `rem` is 0 if it is not wanted. */
void divide32(struct lower *lo, bool is_signed, struct lir_src a, struct lir_src b, lir_vreg quot,
              lir_vreg rem);
void divide64(struct lower *lo, bool is_signed, const struct value *a, const struct value *b,
              lir_vreg quot, lir_vreg rem);

/* ---- lower_module.c: module-scope names ------------------------------------------------------ */

/* Fill lm->mir and lm->binding from the module's declarations. On an error they fill lm->diag and
 * lm->err. @return false: an error. */
bool lower_module_variables(struct lower_module *lm);
bool lower_module_initialise(struct lower_module *lm);
bool lower_module_functions(struct lower_module *lm);

/* ---- lower_dispatch.c, lower_kernel.c -------------------------------------------------------- */

/* Lowers a list of statements; binds its labels and variables in lo->scope. */
void lower_statements(struct lower *lo, const struct ptx_stmt *list);
/* Lowers one kernel into memory of `arena`. @return NULL after an error; lm->err and lm->diag are
 * set. */
struct lower *lower_kernel(struct lower_module *lm, const struct ptx_func *kernel,
                           struct arena *arena);

/* ---- handlers, by ptx_ops.def ---------------------------------------------------------------- */

/* A handler lowers the instruction at hand (lo->inst, lo->mods, lo->guard): it emits MIR
 * instructions or reports an error. */
typedef void lower_handler(struct lower *lo);
#define OP(word, handler, modifiers) lower_handler handler;
#include "tables/ptx_ops.def"
#undef OP

#endif

/* ptx_ast.h - the syntax tree of a PTX module, as written. The parser builds it (ptx_parse.h); the
 * lowering reads it.
 *
 * Names are words (ptx_word.h). Lists are linked in source order, files and aliases in reverse.
 * Everything lives in the arena of the parse. Nodes carry the line and column of the PTX text (from
 * 1) at which they begin. The tree says nothing about meaning: the lowering resolves types,
 * registers and labels. */
#ifndef PTX_AST_H
#define PTX_AST_H

#include <stdbool.h>
#include <stdint.h>

#include "ptx/parse/ptx_word.h"

/* ---- constant values ------------------------------------------------------------------------ */

enum ptx_const_kind {
    PTX_CONST_INT, /* 64 bits; `is_unsigned` as PTX's promotion rules say */
    PTX_CONST_F64, /* decimal or 0d... */
    PTX_CONST_F32, /* 0f...: the bits are exactly those written */
};

/* A constant value. */
struct ptx_const {
    uint8_t kind; /* enum ptx_const_kind */
    bool is_unsigned;
    uint64_t bits; /* of the integer, the double, or the float in the low half */
};

/* ---- operands ------------------------------------------------------------------------------- */

enum ptx_operand_kind {
    PTX_OPD_NAME,  /* register, variable, label, function, special register; `name` [+ offset] */
    PTX_OPD_CONST, /* `value` */
    PTX_OPD_ADDR,  /* [sub[0] ... sub[n-1]]: base, then coordinates or a tensor's vector */
    PTX_OPD_VEC,   /* {sub[0], ...} */
    PTX_OPD_PAIR,  /* sub[0] | sub[1] */
    PTX_OPD_LIST,  /* (sub[0], ...): the parameters of a call */
    PTX_OPD_SINK,  /* _ */
};

/* An operand of an instruction. */
struct ptx_operand {
    uint8_t kind;    /* enum ptx_operand_kind */
    bool negated;    /* -a */
    bool inverted;   /* !p */
    ptx_word name;   /* NAME */
    ptx_word member; /* NAME: the word behind the dot of %tid.x, v.y, a.h0; else PTX_W_NONE */
    int64_t offset;  /* NAME and ADDR: bytes behind + or -, element in a[i] */
    uint32_t line, col;
    struct ptx_const value;   /* CONST */
    struct ptx_operand **sub; /* [n_sub] ADDR, VEC, PAIR, LIST */
    uint32_t n_sub;
    bool indexed; /* the offset was written a[i]: it counts elements */
};

/* ---- declarations --------------------------------------------------------------------------- */

/* State spaces. */
enum ptx_space {
    PTX_SPACE_NONE, /* generic */
    PTX_SPACE_REG,
    PTX_SPACE_SREG,
    PTX_SPACE_CONST,
    PTX_SPACE_GLOBAL,
    PTX_SPACE_LOCAL,
    PTX_SPACE_PARAM,
    PTX_SPACE_SHARED,
    PTX_SPACE_TEX,
};

enum ptx_linkage {
    PTX_LINK_INTERNAL,
    PTX_LINK_EXTERN,
    PTX_LINK_VISIBLE,
    PTX_LINK_WEAK,
    PTX_LINK_COMMON
};

/* Kinds of initial values. */
enum ptx_init_kind {
    PTX_INIT_CONST,
    PTX_INIT_SYMBOL, /* name + addend; `generic`: its generic address; `mask`: one byte of it */
    PTX_INIT_LIST,   /* { ... } */
    PTX_INIT_FIELD,  /* name = value, of a sampler or texture */
};

/* An initial value of a variable. */
struct ptx_init {
    uint8_t kind; /* enum ptx_init_kind */
    bool generic;
    uint32_t line;
    ptx_word name;
    struct ptx_const value; /* CONST; FIELD with a number */
    int64_t addend;
    uint64_t mask;         /* SYMBOL: 0 = the whole address, else 0xFF << 8*i: that byte of it */
    struct ptx_init *list; /* LIST: first element; FIELD: its value */
    struct ptx_init *next; /* in the same LIST */
};

enum { PTX_MAX_DIMS = 8, PTX_MAX_ALIGN = 1 << 16 };

/* A variable, register or parameter. */
struct ptx_var {
    uint8_t space;   /* enum ptx_space */
    uint8_t linkage; /* enum ptx_linkage */
    uint8_t vec;     /* 1, 2, 4 (8): elements of .v2, .v4 */
    uint8_t n_dims;
    bool incomplete; /* first dimension left open: name[] */
    bool is_range;   /* %r<n>: n registers name0 .. name(n-1) */
    bool is_ptr;     /* .param ... .ptr */
    bool managed;    /* .attribute(.managed) */
    ptx_word type;   /* b32, f64, pred, texref ... */
    ptx_word name;
    uint32_t range;             /* of is_range */
    uint32_t align;             /* bytes; 0 = natural */
    uint32_t bank;              /* .const[bank] of old PTX */
    uint64_t dim[PTX_MAX_DIMS]; /* elements; 0 of an incomplete one */
    struct ptx_init *init;      /* NULL = none */
    uint32_t line, col;
    struct ptx_var *next;
};

/* ---- statements ----------------------------------------------------------------------------- */

/* An instruction. */
struct ptx_inst {
    bool guarded, guard_inverted;
    ptx_word guard; /* predicate register */
    ptx_word op;    /* "ld" */
    ptx_word *mod;  /* [n_mod] the dotted words, in order */
    uint32_t n_mod;
    struct ptx_operand **opd; /* [n_opd] */
    uint32_t n_opd;
    uint32_t begin, end; /* byte span in the source, without the semicolon */
};

/* .loc: the source position of the following instructions. */
struct ptx_loc {
    uint32_t file, line, col;
    ptx_word function;                 /* function_name label, PTX_W_NONE if not inlined */
    uint32_t at_file, at_line, at_col; /* inlined_at: position of the call */
};

/* .branchtargets, .calltargets: a named list of names. */
struct ptx_targets {
    ptx_word *name;
    uint32_t n;
};

enum ptx_stmt_kind {
    PTX_STMT_INST,
    PTX_STMT_LABEL,
    PTX_STMT_VARS, /* .reg, .local, ...: a list of variables */
    PTX_STMT_BLOCK,
    PTX_STMT_LOC,
    PTX_STMT_PRAGMA,
    PTX_STMT_BRANCHTARGETS, /* named by the label in front */
    PTX_STMT_CALLTARGETS,
    PTX_STMT_CALLPROTOTYPE,
};

struct ptx_func;

/* A statement of a body. */
struct ptx_stmt {
    uint8_t kind; /* enum ptx_stmt_kind */
    uint32_t line, col;
    struct ptx_stmt *next;
    union {
        struct ptx_inst inst;
        ptx_word label;
        struct ptx_var *vars;
        struct ptx_stmt *block;
        struct ptx_loc loc;
        ptx_word pragma;
        struct ptx_targets targets;
        struct ptx_func *prototype;
    };
};

/* ---- functions and the module --------------------------------------------------------------- */

/* Performance directives; 0 = not given. */
struct ptx_perf {
    uint32_t maxntid[3], reqntid[3];
    uint32_t minnctapersm, maxnctapersm, maxnreg;
    uint32_t reqnctapercluster[3], maxclusterrank;
    bool explicitcluster, blocksareclusters, noreturn;
    ptx_word pragma;
};

/* A kernel, a function, a declaration of one, or a call prototype. */
struct ptx_func {
    bool is_entry;
    bool has_body;
    uint8_t linkage; /* enum ptx_linkage */
    ptx_word name;
    struct ptx_var *params; /* NULL = none */
    struct ptx_var *rets;   /* of a .func */
    struct ptx_perf perf;
    struct ptx_stmt *body; /* first statement */
    uint32_t line, col, end_line;
    struct ptx_func *next;
};

/* .file: a number and the name of the source file. */
struct ptx_file {
    uint32_t index;
    ptx_word name;
    struct ptx_file *next;
};

/* .alias: `name` stands for the function `target`. */
struct ptx_alias {
    ptx_word name, target;
    uint32_t line;
    struct ptx_alias *next;
};

/* A module. */
struct ptx_module {
    struct ptx_words *words;
    const char *text; /* the source; the caller's */
    size_t len;
    uint32_t version_major, version_minor;
    uint32_t sm;        /* 75 of sm_75 */
    char sm_suffix;     /* 'a' or 'f' of sm_90a, else 0 */
    bool target_debug;  /* .target ..., debug */
    uint32_t addr_size; /* 32 or 64 */
    bool addr_size_given;
    uint32_t version_line;
    struct ptx_var *vars;   /* module scope */
    struct ptx_func *funcs; /* definitions and declarations */
    struct ptx_file *files;
    struct ptx_alias *aliases;
};

#endif

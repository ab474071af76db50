/* check.h - what the files of the check share; private to check_*.c.
 *
 * The levels, each on those before it: types (check_type.c), forms (check_form.c), gates
 * (check_gate.c), names and messages (check_names.c), declarations (check_declare.c), values
 * (check_value.c), operands (check_operand.c), calls (check_call.c), the module (check_module.c).
 *
 * Errors: the first one is kept in ck->diag and sets ck->err; all functions may go on afterwards.
 * Memory comes from ck->arena. */
#ifndef PTX_CHECK_CHECK_H
#define PTX_CHECK_CHECK_H

#include "common/error.h"
#include "ptx/check/check_form.h"
#include "ptx/check/check_gate.h"

/* What a name stands for. */
enum check_kind {
    CHECK_REG,
    CHECK_VAR, /* a variable or a parameter in memory: space */
    CHECK_LABEL,
    CHECK_TARGETS, /* the label of a list of targets or of a prototype */
    CHECK_FUNC,
    CHECK_SPECIAL, /* a special register */
};

struct check_name {
    uint8_t kind;           /* enum check_kind */
    uint8_t space;          /* enum ptx_space of a variable */
    uint8_t vec;            /* elements of a register */
    struct check_gate gate; /* of a special register */
    bool old_width;         /* %gridid: 32 bits in old PTX */
    bool is_input;          /* a parameter of the function itself, which cannot be written */
    bool is_result;         /* a result of the function itself, which cannot be read */
    struct check_type type;
    ptx_word type_word;
    const struct check_scope *scope; /* of the declaration; NULL: the module */
    const struct ptx_func *func;     /* FUNC */
    bool mentioned;                  /* FUNC: something names it */
    bool defined;                    /* VAR at module scope: not only .extern */
};

/* A name bound in a scope, and its meaning outside. */
struct check_binding {
    ptx_word word;
    struct check_name *outside;
};

/* A range of registers %r<n>; its names are bound when they are first used. */
struct check_range {
    const struct ptx_var *var;
};

/* A block of statements, or the outermost scope of a function. */
struct check_scope {
    struct check_scope *outer;
    struct check_binding *binding;
    uint32_t n_bindings, cap_bindings;
    struct check_range *range;
    uint32_t n_ranges, cap_ranges;
};

/* A check at work. */
struct check {
    struct arena *arena;
    struct ptx_module *ast;
    struct ptx_words *words;
    const char *name; /* of the file */
    struct heddle_diag *diag;
    heddle_err err;
    struct forms forms;
    uint32_t version;            /* of the module: 10 * major + minor */
    struct check_name **meaning; /* [word] in the scope at hand */
    uint32_t n_meaning;
    struct check_scope *scope;   /* NULL: the module */
    const struct ptx_func *func; /* at hand */
    const struct ptx_stmt *stmt;
    const struct ptx_inst *inst;
    bool lenient; /* nothing names the function: it may use what Heddle lacks */
};

/* ---- check_names.c -------------------------------------------------------------------------- */

/* Reports an error at the instruction at hand, or else at a line. @return false */
bool check_error(struct check *ck, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool check_error_at(struct check *ck, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Refuses the instruction at hand by name: "PTX instruction 'x' is not supported: " and why. */
bool check_unsupported(struct check *ck, const char *why);
/* Reports what stands at the instruction at hand as too new, or too old, for the module. */
void check_gates(struct check *ck, const char *what, const struct check_gate *g);
/* The text of a word. */
static inline const char *check_text(const struct check *ck, ptx_word w) {
    return ptx_words_text(ck->words, w);
}
/* Opens and closes a scope. */
void check_push(struct check *ck);
void check_pop(struct check *ck);
/* Binds a name in the scope at hand; reports a second declaration. */
struct check_name *check_bind(struct check *ck, ptx_word w, uint32_t line, unsigned kind);
/* Declares a variable, a register or a range of registers. */
void check_declare(struct check *ck, const struct ptx_var *v);
/* What a name stands for here; NULL: nothing. */
struct check_name *check_lookup(struct check *ck, ptx_word w);

/* ---- check_declare.c ------------------------------------------------------------------------ */

/* Checks a declaration as such: its type, size and initial value. */
void check_variable_head(struct check *ck, const struct ptx_var *v);
/* Checks the parameters and directives of a function. */
void check_function_head(struct check *ck, const struct ptx_func *f);
/* Checks that the module's .const variables fit into constant memory. */
void check_constant_memory(struct check *ck);

/* ---- check_value.c -------------------------------------------------------------------------- */

/* Reports operand o as not being `wanted`, or as not being `noun` of the type of f. */
void check_wrong(struct check *ck, const struct ptx_operand *o, const char *wanted);
void check_wrong_type(struct check *ck, const struct ptx_operand *o, const char *noun,
                      const struct form_operand *f);
/* What the operand's name stands for; reports one that is not declared. */
struct check_name *check_named(struct check *ck, const struct ptx_operand *o);
/* Does the member name an element of a register of `vec`? */
bool check_is_element(ptx_word member, unsigned vec);
/* Check a register; a register or number; a predicate that is read, or written; an integer. */
void check_register(struct check *ck, const struct ptx_operand *o, const struct form_operand *f,
                    const char *noun);
void check_source(struct check *ck, const struct ptx_operand *o, const struct form_operand *f);
void check_predicate(struct check *ck, const struct ptx_operand *o);
void check_result_predicate(struct check *ck, const struct ptx_operand *o, bool may_sink);
void check_integer(struct check *ck, const struct ptx_operand *o, const struct form_operand *f);

/* ---- check_operand.c ------------------------------------------------------------------------ */

/* Checks the operands of the instruction at hand against its form. */
void check_operands(struct check *ck, const struct form_use *u);

/* ---- check_call.c --------------------------------------------------------------------------- */

/* Checks the operands of the call at hand. */
void check_call(struct check *ck);

#endif

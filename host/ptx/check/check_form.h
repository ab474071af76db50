/* check_form.h - the forms of PTX's instructions: which modifiers go together, and what each
 * operand must be. The forms are rows of tables/ptx_forms.def.
 *
 * Rows are compiled when an instruction of their operation is first met, and the form of a
 * sequence of modifiers is found once for each module: most modules have a few hundred of them.
 * Everything lies in the arena that forms_init() is given. One thread at a time. */
#ifndef PTX_CHECK_FORM_H
#define PTX_CHECK_FORM_H

#include "ptx/check/check_type.h"

enum { FORM_MAX_GROUPS = 24, FORM_MAX_TYPES = 5, FORM_MAX_OPERANDS = 8, FORM_NAMES = 1024 };

/* What an operand must be: the letters of tables/ptx_forms.def. */
struct form_operand {
    char kind;
    bool optional;     /* it may be missing, with all behind it */
    bool may_sink;     /* _ is allowed */
    bool first_stands; /* of a pair: the register is no _ */
    uint8_t pair;      /* a second result, |p: 1: may stand, 2: must stand, 3: and is no _ */
    uint8_t count;     /* elements of a vector; 0: no vector */
    int8_t slot;       /* type: that of this type suffix; -1: `type` */
    bool doubled;      /* of twice the size of that suffix */
    ptx_word word;     /* a space of an address */
    struct check_type type;
    int64_t lo, hi, step; /* of an integer: bounds, and what it is a multiple of */
};

/* A choice of words, one of which stands among the modifiers. */
struct form_group {
    const ptx_word *word;
    uint8_t n;
    bool optional, is_type;
    bool fixed; /* it stands at its place behind the operation: part of the operation's name */
};

/* A row of the table. */
struct form {
    struct form_group group[FORM_MAX_GROUPS];
    uint8_t n_groups, n_operands, least; /* least: operands that must stand */
    struct form_operand operand[FORM_MAX_OPERANDS];
    struct form *next; /* of the same operation */
};

/* Why no form fits: completes "PTX instruction 'x' is not supported: ...". */
struct form_reason {
    char text[200];
};

/* The least .version (10 * major + minor) and .target that are needed; 0: any. From both
 * `until_version` and `until_target` on, the instruction is no longer one; 0: it still is. */
struct check_gate {
    uint32_t version, target, until_version, until_target;
};

/* What the modifiers of an instruction mean for its operands. */
struct form_use {
    const struct form *form;                        /* NULL: none fits; `why` says why */
    bool known;                                     /* the operation has rows */
    struct form_operand operand[FORM_MAX_OPERANDS]; /* with their types filled in */
    unsigned vec;                                   /* of .v2, .v4, .v8; else 1 */
    unsigned space;                                 /* enum ptx_space of the first state space */
    bool hint;                                      /* .L2::cache_hint */
    const struct form_use *other; /* the same modifiers with other operands, or NULL */
    struct check_gate gate;       /* of the modifiers; filled in by the caller of forms_find() */
    bool gated;                   /* it is */
    struct form_reason why;
    /* key */
    ptx_word op;
    const ptx_word *mod;
    uint32_t n_mod;
    struct form_use *next;
};

/* The forms of one module. */
struct forms {
    struct arena *arena;
    struct ptx_words *words;
    struct form *of[PTX_W_COUNT]; /* [operation] compiled rows */
    bool compiled[PTX_W_COUNT];
    struct form_use *use[FORM_NAMES]; /* hash table by operation and modifiers */
};

void forms_init(struct forms *f, struct arena *arena, struct ptx_words *words);

/* The form of the instruction; never NULL. */
struct form_use *forms_find(struct forms *f, const struct ptx_inst *in);

/* The state space that a modifier names; PTX_SPACE_NONE: none. */
unsigned form_space(ptx_word w);

#endif

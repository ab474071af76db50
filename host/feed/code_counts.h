/* code_counts.h - what each instruction of a kernel did: the counters of tables/code_counts.def.
 *
 * A launch has an array of counts for each SM group, which the group's thread alone writes while
 * the launch runs (timing/group_count.c). At the launch's end they are added up, and the sum goes
 * into the kernel's profile, which also knows the instructions and where each comes from. A profile
 * is plain data without pointers to a module, so it outlives modules. Indices are those of
 * mir_function.code. Threads: one at a time for an array or a profile. */
#ifndef HEDDLE_FEED_CODE_COUNTS_H
#define HEDDLE_FEED_CODE_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "mir/mir.h"

/* The counts of an instruction. */
struct code_count {
#define CODE_COUNT(member, unit, meaning) uint64_t member;
#include "tables/code_counts.def"
};
/* The counts, by number. */
enum code_spot {
#define CODE_COUNT(member, unit, meaning) CODE_SPOT_##member,
#include "tables/code_counts.def"
    CODE_SPOTS
};
struct code_count_row {
    const char *name, *unit, *meaning;
};
extern const struct code_count_row code_count_rows[CODE_SPOTS];
#define CODE_NOWHERE UINT32_MAX /* index of no instruction */

/* Where an instruction comes from. */
struct code_place {
    const char *file;  /* of the CUDA source, as the PTX names it; NULL: it has no .loc there */
    uint32_t line;     /* there */
    uint32_t ptx_line; /* in the PTX text */
    uint16_t op;       /* mir_op */
};

/* A kernel's instructions, with the counts of all its launches so far. */
struct code_profile {
    char *name;           /* of the kernel, as launches have it */
    char *symbol;         /* as in PTX */
    struct mir_text *ptx; /* the text of its module; a user of it. May be NULL */
    uint32_t num_inst;
    struct mir_inst *inst;    /* [num_inst] */
    struct code_place *place; /* [num_inst] */
    struct code_count *count; /* [num_inst] */
    uint64_t launches;        /* that were counted */
    char **files;             /* [num_files]; what `place` points to */
    uint32_t num_files;
};

/* Makes a profile without counts. The name is copied; `module` may be NULL: there are no names of
 * files. Out of memory ends the process. */
struct code_profile *code_profile_create(const char *name, const struct mir_function *function,
                                         const struct mir_module *module);
void code_profile_free(struct code_profile *p); /* accepts NULL */
/* Adds counts of num_inst instructions, element by element. */
void code_counts_add(struct code_count *sum, const struct code_count *counts, uint32_t num_inst);
/* *out: for each count the index of the instruction that has most of it, the first of equals, and
 * how much that is; CODE_NOWHERE and 0 if none has any. */
void code_spots_find(const struct code_count *counts, uint32_t num_inst, uint32_t out[CODE_SPOTS],
                     uint64_t most[CODE_SPOTS]);
/* @return a count by its number. */
static inline uint64_t code_count_of(const struct code_count *c, enum code_spot spot) {
    return ((const uint64_t *)c)[spot];
}

#endif

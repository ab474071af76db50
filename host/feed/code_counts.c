/* code_counts.c - profiles of kernels by instruction, and sums of their counts; contracts in
 * code_counts.h. sched/gpu_code.c calls it on the server's thread as launches end. */
#include "feed/code_counts.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

static const char WHAT[] = "counts of instructions";

const struct code_count_row code_count_rows[CODE_SPOTS] = {
#define CODE_COUNT(member, unit, meaning) {#member, unit, meaning},
#include "tables/code_counts.def"
};

enum { LINE = (1 << 20) - 1 }; /* of mir_inst.loc; line 0 is the compiler's word for none */

/* The name of the file in which an instruction's source line stands, NULL: none. */
static const char *file_of(const struct code_profile *p, const struct mir_inst *inst) {
    const uint32_t file = inst->loc >> 20;
    return inst->loc & LINE && file < p->num_files && p->files[file][0] ? p->files[file] : NULL;
}

struct code_profile *code_profile_create(const char *name, const struct mir_function *f,
                                         const struct mir_module *module) {
    struct code_profile *p = heddle_alloc(sizeof *p, WHAT);
    p->name = heddle_copy_text(name, WHAT);
    p->symbol = heddle_copy_text(f->name ? f->name : name, WHAT);
    p->ptx = mir_text_share(module ? module->text : NULL);
    p->num_inst = f->num_inst;
    p->inst = heddle_alloc_array(f->num_inst, sizeof *p->inst, WHAT);
    memcpy(p->inst, f->code, f->num_inst * sizeof *p->inst);
    p->place = heddle_alloc_array(f->num_inst, sizeof *p->place, WHAT);
    p->count = heddle_alloc_array(f->num_inst, sizeof *p->count, WHAT);
    p->num_files = module ? module->num_files : 0;
    p->files = heddle_alloc_array(p->num_files, sizeof *p->files, WHAT);
    for (uint32_t i = 0; i < p->num_files; i++)
        p->files[i] = heddle_copy_text(module->files[i] ? module->files[i] : "", WHAT);
    for (uint32_t i = 0; i < f->num_inst; i++) {
        const struct mir_inst *inst = &f->code[i];
        const char *file = file_of(p, inst);
        p->place[i] = (struct code_place){.file = file,
                                          .line = file ? inst->loc & LINE : 0,
                                          .ptx_line = inst->ptx_line,
                                          .op = inst->op};
    }
    return p;
}

void code_profile_free(struct code_profile *p) {
    if (!p) return;
    for (uint32_t i = 0; i < p->num_files; i++) free(p->files[i]);
    free(p->files);
    free(p->place);
    free(p->count);
    free(p->inst);
    free(p->symbol);
    free(p->name);
    mir_text_release(p->ptx);
    free(p);
}

void code_counts_add(struct code_count *sum, const struct code_count *counts, uint32_t num_inst) {
    for (uint32_t i = 0; i < num_inst; i++) {
#define CODE_COUNT(member, unit, meaning) sum[i].member += counts[i].member;
#include "tables/code_counts.def"
    }
}

void code_spots_find(const struct code_count *counts, uint32_t num_inst, uint32_t out[CODE_SPOTS],
                     uint64_t most[CODE_SPOTS]) {
    for (unsigned s = 0; s < CODE_SPOTS; s++) {
        out[s] = CODE_NOWHERE;
        most[s] = 0;
    }
    for (uint32_t i = 0; i < num_inst; i++)
        for (unsigned s = 0; s < CODE_SPOTS; s++) {
            const uint64_t n = code_count_of(&counts[i], (enum code_spot)s);
            if (n <= most[s]) continue;
            most[s] = n;
            out[s] = i;
        }
}

/* mir_slow.c - the tables of tables/slow_paths.def and queries of them. The executor counts lanes
 * of slow paths, the feed makes packets of their instructions; both call these functions on any
 * thread. The compiler calls mir_slow_place(), which alone changes anything: two fields of its
 * function. Words (slow path, path, part, step) are explained in mir_slow.h; all results are
 * constant data. */
#include "mir/mir_slow.h"

#include <ctype.h>
#include <string.h>

/* [mir_slow] the operation that stands for the slow path. */
static const struct {
    uint16_t op;
    uint8_t sub;
} slows[MIR_SLOW_COUNT] = {
#define SLOW(id, op, sub, meaning) {MIR_##op, sub},
#include "tables/slow_paths.def"
};

/* The parts of all slow paths, in the order of the table; those of one slow path are adjacent. */
enum { HERE, BEHIND };
static const struct mir_slow_part parts[MIR_SLOW_PARTS] = {
#define PART(id, letter, place, steps, what) {MIR_SLOW_##id, place, letter, steps},
#include "tables/slow_paths.def"
};

/* [mir_slow_path] its slow path, its name, and the letters of its parts. */
static const struct {
    uint8_t slow;
    const char *name, *parts;
} paths[MIR_SLOW_PATHS] = {
#define PATH(id, name, parts, meaning) {MIR_SLOW_##id, #name, parts},
#include "tables/slow_paths.def"
};

/* @return the slow path of the instruction, found by its operation and sub; MIR_SLOW_COUNT: it has
 * none. */
mir_slow mir_slow_of(const struct mir_inst *inst) {
    unsigned slow = 0;
    while (slow < MIR_SLOW_COUNT && (slows[slow].op != inst->op || slows[slow].sub != inst->sub))
        slow++;
    return (mir_slow)slow;
}

/* @return the first of the slow path's parts, which are adjacent and in the order of the code;
 * *count is set to their number, 0 for MIR_SLOW_COUNT. */
const struct mir_slow_part *mir_slow_parts(mir_slow slow, unsigned *count) {
    const struct mir_slow_part *first = parts, *end = parts + MIR_SLOW_PARTS;
    while (first < end && first->slow != slow) first++;
    *count = 0;
    while (first + *count < end && first[*count].slow == slow) ++*count;
    return first;
}

/* @return the parts that a lane of the path runs through: bit n is the n-th part of its slow path.
 * Looks up each part's letter in the letters of the path. */
uint32_t mir_slow_parts_of(mir_slow_path path) {
    unsigned count;
    const struct mir_slow_part *part = mir_slow_parts(paths[path].slow, &count);
    uint32_t mask = 0;
    for (unsigned i = 0; i < count; i++)
        mask |= (uint32_t)(strchr(paths[path].parts, part[i].letter) != NULL) << i;
    return mask;
}
/* @return the slow path that a path belongs to. */
mir_slow mir_slow_path_of(mir_slow_path path) {
    return (mir_slow)paths[path].slow;
}
/* @return the path's name in slow_paths.def. */
const char *mir_slow_path_name(mir_slow_path path) {
    return paths[path].name;
}

/* Reads the first step of a part's `steps` into *out. @return the steps behind it; NULL, with *out
 * unchanged: `steps` was empty. A letter is a class; a capital waits for the result, a `!` behind
 * it for the predicate. */
const char *mir_slow_next(const char *steps, struct mir_slow_step *out) {
    static const uint8_t classes[] = {
        ['i' - 'a'] = MIR_CLASS_INT,  ['m' - 'a'] = MIR_CLASS_IMAD, ['f' - 'a'] = MIR_CLASS_FP32,
        ['d' - 'a'] = MIR_CLASS_FP64, ['s' - 'a'] = MIR_CLASS_SFU,  ['b' - 'a'] = MIR_CLASS_BRANCH,
    };
    unsigned char letter = (unsigned char)*steps;
    if (!letter) return NULL;
    out->cls = (mir_class)classes[tolower(letter) - 'a'];
    out->wait = isupper(letter) ? MIR_SLOW_RESULT : MIR_SLOW_GO;
    if (*++steps != '!') return steps;
    out->wait = MIR_SLOW_PREDICATE;
    return steps + 1;
}

/* @return the number of instructions of the part. */
unsigned mir_slow_steps(const struct mir_slow_part *part) {
    struct mir_slow_step step;
    unsigned n = 0;
    for (const char *s = part->steps; (s = mir_slow_next(s, &step));) n++;
    return n;
}

/* Places the slow paths that f->code uses behind it, in the order of the table: writes f->slow_at,
 * in instructions, of all slow paths (for one that is not used, the place where it would begin),
 * and f->slow_inst, their number in all. */
void mir_slow_place(struct mir_function *f) {
    bool used[MIR_SLOW_COUNT + 1] = {false};
    for (uint32_t pc = 0; pc < f->num_inst; pc++) used[mir_slow_of(&f->code[pc])] = true;
    f->slow_inst = 0;
    for (unsigned slow = 0; slow < MIR_SLOW_COUNT; slow++) {
        unsigned count;
        const struct mir_slow_part *part = mir_slow_parts((mir_slow)slow, &count);
        f->slow_at[slow] = f->num_inst + f->slow_inst;
        for (unsigned i = 0; used[slow] && i < count; i++)
            if (part[i].behind) f->slow_inst += mir_slow_steps(&part[i]);
    }
}

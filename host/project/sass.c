/* sass.c - reads a kernel's machine code from a cubin and counts its instructions by kind on its
 * shortest and longest way; see sass.h. isa_compile.c and tools/expansions call it, on any thread:
 * functions keep no state. sass_read() allocates the code, which sass_free() frees; out of memory
 * ends the process. Errors are HEDDLE_ERR_PTX_UNSUPPORTED with a text in *diag unless a comment
 * says otherwise.
 *
 * An instruction is two 64-bit words. Of the first: bits 0 to 8 are the operation, 9 to 11 the form
 * of its operands, 12 to 15 the guard, 24 to 31 the first source register. */
#include "project/sass.h"

#include <stdlib.h>
#include <string.h>

#include "common/elf_file.h"
#include "common/memory.h"

enum {
    INSTRUCTION = 16,
    OP_HADD2 = 0x030,
    OP_HFMA2 = 0x031,
    OP_HFMA2_MMA = 0x035,
    OP_IMAD = 0x024,
    OP_BRA = 0x147,
    FORM_UNIFORM_GUARD = 0x547, /* a BRA whose guard is a uniform predicate */
    ALWAYS = 7,                 /* the predicate that is always true */
    ZERO = 255,                 /* the register that is always 0 */
};

/* @return "fp32_fma", "other" ...: static text. `kind` is below SASS_KINDS. */
const char *sass_kind_name(enum sass_kind kind) {
    static const char *const names[SASS_KINDS] = {"fp16_add", "fp16_mul", "fp16_fma", "fp32_add",
                                                  "fp32_mul", "fp32_fma", "fp64_add", "fp64_mul",
                                                  "fp64_fma", "mufu",     "integer",  "other"};
    return names[kind];
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* An operation, a row of tables/sass_opcodes.def. */
static const struct operation {
    uint16_t number;
    uint8_t kind, flow;
    const char *name;
} operations[] = {
#define OPCODE(number, name, count, flow) {number, SASS_##count, SASS_##flow, name},
#include "tables/sass_opcodes.def"
};

static const struct operation unlisted = {0, SASS_UNLISTED, SASS_NEXT, ""};

/* The row of an operation's number; NULL: the table lacks it. */
static const struct operation *find_operation(unsigned number) {
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (operations[i].number == number) return &operations[i];
    return NULL;
}

/* The two words of an instruction. */
struct words {
    uint64_t low, high;
};
/* The words of instruction i of a section's bytes, which hold it. */
static struct words words_at(const uint8_t *code, uint32_t i) {
    struct words w;
    memcpy(&w.low, code + (size_t)i * INSTRUCTION, sizeof w.low);
    memcpy(&w.high, code + (size_t)i * INSTRUCTION + 8, sizeof w.high);
    return w;
}
static unsigned opcode_of(struct words w) {
    return w.low & 0x1ff;
}

/* ptxas moves registers and constants with multiply-adds whose first factor is 0, and converts
 * half to single precision with an addition whose bit 78 is set. The program asked for neither. */
static bool is_move(struct words w) {
    bool of_zero = (w.low >> 24 & 0xff) == ZERO;
    switch (opcode_of(w)) {
    case OP_IMAD:
    case OP_HFMA2:
    case OP_HFMA2_MMA: return of_zero;
    case OP_HADD2: return w.high >> 14 & 1;
    default: return false;
    }
}

/* @return whether a predicate decides which lanes run the instruction. */
static bool is_guarded(struct words w, const struct operation *op) {
    if ((w.low >> 12 & 15) != ALWAYS) return true;
    if (op->flow != SASS_BRANCH) return false;
    return (w.high >> 23 & 7) != ALWAYS || (w.low & 0xfff) == FORM_UNIFORM_GUARD;
}

/* Distance of a branch's target from the next instruction, in bytes. Two encodings exist: a
 * quarter of the distance in bits 34 to 81, or the same with its low byte in bits 16 to 23. */
enum encoding { DISTANCE_WHOLE, DISTANCE_SPLIT };
/* Bytes from the next instruction to the target of a branch or call; negative: backwards. */
static int64_t distance(struct words w, enum encoding e) {
    uint64_t upper = (w.high & 0x3ffff) << 46 | w.low >> 32 << 14;
    int64_t high = (int64_t)upper >> 16;
    if (e == DISTANCE_WHOLE) return high * 4;
    return high * 1024 + (int64_t)(w.low >> 16 & 0xff) * 4;
}

/* Finds the last BRA, which must branch to itself, and with it the encoding: *e. Sets *count to the
 * instructions before it: what lies behind is padding. @return false: there is none; *count and *e
 * are then not valid. */
static bool find_encoding(const uint8_t *bytes, uint32_t *count, enum encoding *e) {
    uint32_t n = *count;
    while (n && opcode_of(words_at(bytes, n - 1)) != OP_BRA) n--;
    if (!n) return false;
    struct words w = words_at(bytes, n - 1);
    *count = n - 1;
    *e = distance(w, DISTANCE_SPLIT) == -INSTRUCTION ? DISTANCE_SPLIT : DISTANCE_WHOLE;
    return distance(w, *e) == -INSTRUCTION;
}

/* Decodes the `count` instructions of a kernel's section into *out, which it allocates. @return an
 * error: the code does not end as ptxas ends it, or a branch leaves the kernel or goes to a
 * register. The caller frees *out then, too. */
static heddle_err decode(struct sass_code *out, const uint8_t *bytes, uint32_t count,
                         const char *name, struct heddle_diag *diag) {
    enum encoding e;
    if (!find_encoding(bytes, &count, &e))
        return heddle_fail(diag, HEDDLE_ERR_PTX_UNSUPPORTED,
                           "kernel %.200s: its machine code does not end in a branch to itself",
                           name);
    out->at = heddle_alloc((count + 1) * sizeof *out->at, "machine code");
    out->count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct words w = words_at(bytes, i);
        const struct operation *op = find_operation(opcode_of(w));
        if (!op) op = &unlisted;
        if (op->flow == SASS_UNKNOWN)
            return heddle_fail(
                diag, HEDDLE_ERR_PTX_UNSUPPORTED,
                "kernel %.200s: machine instruction %03x at %x branches to a register", name,
                (unsigned)(w.low & 0xfff), i * INSTRUCTION);
        struct sass_instruction *s = &out->at[i];
        *s = (struct sass_instruction){.opcode = (uint16_t)opcode_of(w),
                                       .kind = is_move(w) ? (uint8_t)SASS_OTHER : op->kind,
                                       .flow = op->flow,
                                       .predicated = is_guarded(w, op)};
        if (op->flow != SASS_BRANCH && op->flow != SASS_CALL) continue;
        int64_t target = i + 1 + distance(w, e) / INSTRUCTION;
        if (target < 0 || target >= count)
            return heddle_fail(diag, HEDDLE_ERR_PTX_UNSUPPORTED,
                               "kernel %.200s: the branch at %x leaves the kernel", name,
                               i * INSTRUCTION);
        s->target = (uint32_t)target;
    }
    return HEDDLE_OK;
}

/* Reads kernel `name` of a cubin of `size` bytes into *out, which sass_free() frees. @return
 * HEDDLE_ERR_IO: the file is damaged, or has no such kernel; else as decode(). *out is then
 * empty. */
heddle_err sass_read(struct sass_code *out, const uint8_t *cubin, size_t size, const char *name,
                     struct heddle_diag *diag) {
    struct elf_file f;
    Elf64_Shdr names, s;
    *out = (struct sass_code){0};
    if (elf_begin(&f, cubin, size) != ELF_PROGRAM || !elf_section(&f, f.head.e_shstrndx, &names))
        return heddle_fail(diag, HEDDLE_ERR_IO, "kernel %.200s: its cubin is damaged", name);
    for (unsigned i = 0; i < f.head.e_shnum && elf_section(&f, i, &s); i++) {
        const char *title = elf_text(&f, names.sh_offset + s.sh_name);
        if (strncmp(title, ".text.", 6) != 0 || strcmp(title + 6, name) != 0) continue;
        const uint8_t *code = elf_range(&f, s.sh_offset, s.sh_size);
        if (!code) break;
        heddle_err e = decode(out, code, (uint32_t)(s.sh_size / INSTRUCTION), name, diag);
        if (e) sass_free(out);
        return e;
    }
    return heddle_fail(diag, HEDDLE_ERR_IO, "the cubin has no code of kernel %.200s", name);
}

/* Frees the instructions and empties *code. */
void sass_free(struct sass_code *code) {
    free(code->at);
    *code = (struct sass_code){0};
}

/* Adds instruction i to *counts as its kind, or as SASS_OTHER; padding is not counted. @return
 * HEDDLE_ERR_PTX_UNSUPPORTED: the table of operations lacks it. */
heddle_err sass_add(struct sass_counts *counts, const struct sass_code *code, uint32_t i,
                    bool as_other, struct heddle_diag *diag) {
    const struct sass_instruction *s = &code->at[i];
    if (s->kind == SASS_UNLISTED)
        return heddle_fail(diag, HEDDLE_ERR_PTX_UNSUPPORTED,
                           "machine instruction %03x at %x is not in tables/sass_opcodes.def",
                           s->opcode, i * INSTRUCTION);
    if (s->kind != SASS_NOTHING) counts->of[as_other ? (int)SASS_OTHER : s->kind]++;
    return HEDDLE_OK;
}

/* ---- ways ------------------------------------------------------------------------------------ */

enum { NO_WAY = INT32_MAX, CALL_COST = 100000 };

/* Instructions from each one to the end of its function, and which side of a branch is taken. */
struct ways {
    const struct sass_code *code;
    int32_t *cost;  /* by instruction; NO_WAY: none leads there */
    uint8_t *state; /* of the longest way: NEW, OPEN, DONE */
    bool *jumps;    /* the way takes the branch, call, return or exit */
};

/* The sum of two costs; NO_WAY if one of them is. */
static int32_t sum(int32_t a, int32_t b) {
    return a == NO_WAY || b == NO_WAY ? NO_WAY : a + b;
}
/* The cost from instruction i on; NO_WAY behind the end. */
static int32_t cost_at(const struct ways *w, uint32_t i) {
    return i < w->code->count ? w->cost[i] : NO_WAY;
}

/* @return the instructions from i to the end of its function, from the costs of its successors: the
 * smaller or the larger of two, by `way`. Sets w->jumps[i]. */
static int32_t cost_of(struct ways *w, uint32_t i, enum sass_way way) {
    const struct sass_instruction *s = &w->code->at[i];
    int32_t own = s->kind != SASS_NOTHING;
    int32_t next = cost_at(w, i + 1), there = NO_WAY;
    if (s->flow == SASS_NEXT) return sum(own, next);
    if (s->flow == SASS_RETURN || s->flow == SASS_EXIT) there = 0;
    if (s->flow == SASS_BRANCH) there = cost_at(w, s->target);
    if (s->flow == SASS_CALL)
        there = sum(sum(cost_at(w, s->target), next), way == SASS_FAST ? CALL_COST : 0);
    if (!s->predicated) next = NO_WAY;
    bool smaller = way == SASS_FAST;
    w->jumps[i] = next == NO_WAY || (there != NO_WAY && (there < next) == smaller);
    return sum(own, w->jumps[i] ? there : next);
}

/* Fills w->cost and w->jumps for the shortest way. Repeats until no cost changes: a way around a
 * loop is never the shortest. Costs are NO_WAY before. */
static void find_shortest(struct ways *w) {
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = w->code->count; i-- > 0;) {
            int32_t c = cost_of(w, i, SASS_FAST);
            changed |= c != w->cost[i];
            w->cost[i] = c;
        }
    }
}

/* Depth first. An instruction that is being visited costs NO_WAY: so loops end. */
enum { NEW, OPEN, DONE };
/* Fills w->cost and w->jumps for the longest way from i on, depth first. An instruction that is
 * being visited costs NO_WAY: so loops end. Costs are NO_WAY and states NEW before. */
static void find_longest(struct ways *w, uint32_t i) {
    if (i >= w->code->count || w->state[i] != NEW) return;
    const struct sass_instruction *s = &w->code->at[i];
    w->state[i] = OPEN;
    if (s->flow == SASS_BRANCH || s->flow == SASS_CALL) find_longest(w, s->target);
    if (s->flow == SASS_NEXT || s->flow == SASS_CALL || s->predicated) find_longest(w, i + 1);
    w->cost[i] = cost_of(w, i, SASS_SLOW);
    w->state[i] = DONE;
}

/* Adds to *out the instructions of the way from i to the end of its function, with those of
 * subroutines that it calls. @return the error of sass_add(). */
static heddle_err add(const struct ways *w, uint32_t i, enum sass_way way, struct sass_counts *out,
                      struct heddle_diag *diag) {
    for (;;) {
        const struct sass_instruction *s = &w->code->at[i];
        heddle_err e = sass_add(out, w->code, i, way == SASS_FAST && s->predicated, diag);
        bool jumps = s->flow != SASS_NEXT && w->jumps[i];
        bool ends = jumps && (s->flow == SASS_RETURN || s->flow == SASS_EXIT);
        if (e || ends) return e;
        if (jumps && s->flow == SASS_CALL) e = add(w, s->target, way, out, diag);
        if (e) return e;
        i = jumps && s->flow == SASS_BRANCH ? s->target : i + 1;
    }
}

/* *out: instructions by kind of a way from the kernel's first instruction to its exit. Allocates
 * the ways while it runs. @return HEDDLE_ERR_PTX_UNSUPPORTED: no way ends, or the way runs an
 * instruction that the table lacks. */
heddle_err sass_count(const struct sass_code *code, enum sass_way way, struct sass_counts *out,
                      struct heddle_diag *diag) {
    struct ways w = {code, heddle_alloc((code->count + 1) * sizeof *w.cost, "ways"),
                     heddle_alloc(code->count + 1, "ways"),
                     heddle_alloc((code->count + 1) * sizeof *w.jumps, "ways")};
    for (uint32_t i = 0; i < code->count; i++) w.cost[i] = NO_WAY;
    if (way == SASS_FAST)
        find_shortest(&w);
    else
        find_longest(&w, 0);
    *out = (struct sass_counts){0};
    heddle_err e = HEDDLE_OK;
    if (cost_at(&w, 0) == NO_WAY)
        e = heddle_fail(diag, HEDDLE_ERR_PTX_UNSUPPORTED, "no way through the kernel ends");
    else
        e = add(&w, 0, way, out, diag);
    free(w.cost);
    free(w.state);
    free(w.jumps);
    return e;
}

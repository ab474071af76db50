/* ptx_compile.c - the front end from end to end: PTX text is parsed, lowered to LIR, optimised,
 * allocated and scheduled kernel by kernel, and becomes a MIR module.
 *
 * cli/compile.c calls the exported functions. Part of the PTX compiler, which runs in the server on
 * the thread that handles the loading of a module, and in commands such as `heddle ptx`. One thread
 * compiles a module. Work space is one arena of the module (lm->arena), which ends when all kernels
 * are compiled, and one of each kernel, which ends with it; the result lies in the MIR module's own
 * arena. Without memory the process ends. An error is recorded with its text in lm->diag (the
 * caller's, may be NULL). */
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_passes.h"
#include "ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "mir/mir_module.h"
#include "mir/mir_slow.h"
#include "mir/mir_special.h"
#include "ptx/ir/lir_emit.h"
#include "ptx/check/check_module.h"
#include "ptx/ir/ptx_control.h"
#include "ptx/lower/lower.h"
#include "ptx/parse/ptx_parse.h"

/* Fills *o with V100's latencies (GPUs-ISA-Latencies, HPEC'19; a predicate as guard 13, as ptxas
 * stalls for sm_70) and SM, and zeros: all kernels, optimised, no other limits. */
void ptx_options_default(struct ptx_options *o) {
    static const uint8_t latency[MIR_CLASS_COUNT] = {
        [MIR_CLASS_INT] = 4,      [MIR_CLASS_IMAD] = 4,      [MIR_CLASS_FP32] = 4,
        [MIR_CLASS_FP64] = 8,     [MIR_CLASS_FP16] = 6,      [MIR_CLASS_SFU] = 18,
        [MIR_CLASS_HMMA884] = 10, [MIR_CLASS_BRANCH] = 2,    [MIR_CLASS_SREG] = 4,
        [MIR_CLASS_MEMORY] = 30,  [MIR_CLASS_SHARED] = 23,   [MIR_CLASS_CONST] = 27,
        [MIR_CLASS_SHUFFLE] = 23, [MIR_CLASS_BARRIER] = 5,   [MIR_CLASS_CTABAR] = 8,
        [MIR_CLASS_FENCE] = 2,    [MIR_CLASS_HMMA884H] = 13, [MIR_CLASS_MMA128] = 14,
        [MIR_CLASS_MMA256] = 22,  [MIR_CLASS_DMMA] = 26};
    memset(o, 0, sizeof *o);
    memcpy(o->latency, latency, sizeof latency);
    o->predicate_latency = 13;
    o->registers_per_sm = 65536;
    o->subcores = 4;
    o->warps_per_sm = 64;
    o->shared_per_sm = 96 << 10;
    o->capability = 70;
}

/* Copies the latencies and intervals of the options to *l, in cycles. */
static void fill_latency(struct ptx_latency *l, const struct ptx_options *o) {
    for (unsigned i = 0; i < MIR_CLASS_COUNT; i++) {
        l->of_class[i] = o->latency[i];
        l->interval[i] = o->interval[i];
    }
    l->guard = o->predicate_latency;
    l->crossing = o->crossing;
    l->to_sfu = o->to_sfu;
    l->to_memory = o->to_memory;
}

/* ---- limits --------------------------------------------------------------------------------- */

/* @return the threads of a block of size dim (.reqntid, .maxntid; 0 in y and z: 1), 1,024 at most;
 * 0: not given. */
static uint32_t threads_of(const uint32_t dim[3]) {
    if (!dim[0]) return 0;
    uint64_t n = (uint64_t)dim[0] * (dim[1] ? dim[1] : 1) * (dim[2] ? dim[2] : 1);
    return n > 1024 ? 1024 : (uint32_t)n;
}

/* @return the most registers a thread may have, 16 to 255, so that the CTAs that the launch bounds
 * ask for (.reqntid or .maxntid, .minnctapersm) fit into an SM, and within .maxnreg and
 * o->max_regs. */
static uint32_t register_limit(const struct ptx_func *f, const struct ptx_options *o) {
    uint32_t limit = MIR_RZ, per_sm = o->registers_per_sm ? o->registers_per_sm : 65536;
    uint32_t threads = threads_of(f->perf.reqntid);
    if (!threads) threads = threads_of(f->perf.maxntid);
    if (threads) {
        uint32_t warps = (threads + 31) / 32;
        uint32_t ctas = f->perf.minnctapersm ? f->perf.minnctapersm : 1;
        uint32_t n = per_sm / (warps * 32 * ctas) / 8 * 8; /* allocated in units of eight */
        if (n < limit) limit = n;
    }
    if (f->perf.maxnreg && f->perf.maxnreg < limit) limit = f->perf.maxnreg;
    if (o->max_regs && o->max_regs < limit) limit = o->max_regs;
    return limit < 16 ? 16 : limit;
}

/* The SM that the kernel is compiled for. */
static struct lir_room room_of(const struct ptx_func *f, const struct ptx_options *o) {
    uint32_t threads = threads_of(f->perf.reqntid);
    if (!threads) threads = threads_of(f->perf.maxntid);
    return (struct lir_room){.registers = o->registers_per_sm ? o->registers_per_sm : 65536,
                             .subcores = o->subcores,
                             .warps = o->warps_per_sm,
                             .shared_bytes = o->shared_per_sm,
                             .cta_warps = (threads + 31) / 32};
}

/* ---- one kernel ----------------------------------------------------------------------------- */

/* Highest CTA barrier named + 1; a number in a register may be any of the sixteen. */
static uint32_t count_barriers(const struct mir_function *f) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->num_inst; i++) {
        const struct mir_inst *in = &f->code[i];
        if (in->op != MIR_BAR) continue;
        uint32_t here = in->src[0].kind == MIR_SRC_NONE ? (uint32_t)in->imm + 1 : 16;
        if (here > n) n = here;
    }
    return n;
}

/* Fills in all fields of *f other than its name, code, file_base and slow paths: registers, shared
 * and local memory, barriers, launch bounds, and the parameters with their offsets. Memory comes
 * from the module's arena. */
static void describe(struct mir_module *m, struct mir_function *f, const struct ptx_func *k,
                     const struct lir_fn *fn) {
    struct arena *a = mir_module_arena(m);
    uint32_t n = 0, at = 0;
    for (const struct ptx_var *v = k->params; v; v = v->next) n++;
    f->num_regs = fn->num_regs ? fn->num_regs : 1;
    f->shared_bytes = fn->shared_bytes;
    f->spill_bytes = fn->spill_bytes;
    f->num_literals = fn->n_literals;
    f->literals = ARENA_ARRAY(a, uint64_t, fn->n_literals + 1);
    if (fn->n_literals) memcpy(f->literals, fn->literals, fn->n_literals * sizeof *f->literals);
    f->local_bytes = (fn->local_bytes + 15) & ~15u;
    f->num_barriers = count_barriers(f);
    f->max_threads = threads_of(k->perf.maxntid);
    f->min_ctas = k->perf.minnctapersm;
    memcpy(f->reqntid, k->perf.reqntid, sizeof f->reqntid);
    f->params = ARENA_ARRAY(a, struct mir_param, n + 1);
    f->num_params = n;
    n = 0;
    for (const struct ptx_var *v = k->params; v; v = v->next) {
        uint32_t align = var_align(v), bytes = (uint32_t)var_bytes(v);
        at = (at + align - 1) & ~(align - 1);
        f->params[n++] = (struct mir_param){.offset = at, .size = bytes, .align = align};
        at += bytes;
    }
    f->param_bytes = at;
}

/* With o->dump_lir: writes the function to stderr, under the name of the stage. Else does
 * nothing. */
static void dump(const struct ptx_options *o, const struct lir_fn *fn, const char *stage) {
    if (!o->dump_lir) return;
    fprintf(stderr, "==== %s: %s\n", fn->name, stage);
    lir_print(fn, stderr);
}

/* Compiles kernel k into *f, with work space from `arena`: lowers it, runs the passes over its LIR
 * (few with o->no_optimize), allocates registers, emits MIR and computes its control information.
 * Writes stages to stderr with o->dump_lir. @return HEDDLE_OK; the error of the lowering (lm->err);
 * HEDDLE_ERR_PTX_RESOURCES: it does not fit into its registers; HEDDLE_ERR_STOPPED. */
static heddle_err compile_kernel(struct lower_module *lm, const struct ptx_func *k,
                                 const struct ptx_options *o, struct arena *arena,
                                 struct mir_function *f) {
    struct ptx_latency latency;
    fill_latency(&latency, o);
    struct lower *lo = lower_kernel(lm, k, arena);
    if (!lo) return lm->err;
    struct lir_fn *fn = lo->fn;
    fn->max_regs = register_limit(k, o);
    fn->room = room_of(k, o);
    fn->module = lm->mir;
    lir_cfg_build(fn);
    lower_save_across_calls(lo);
    dump(o, fn, "lowered");
    if (o->no_optimize) {
        lir_merge_blocks(fn);
        lir_expand(fn);
        lir_legalize(fn);
    } else {
        lir_optimize(fn);
    }
    if (lir_gives_up(fn)) return HEDDLE_ERR_STOPPED;
    lir_cfg_build(fn);
    if (!o->no_optimize) {
        lir_if_convert(fn);
        lir_join_guarded(fn);
    }
    dump(o, fn, "optimised");
    lir_converge(fn);
    if (!o->no_optimize) lir_tie_operands(fn);
    const bool fits = !lir_gives_up(fn) &&
                      (o->no_optimize ? lir_allocate(fn) : lir_place(fn, &latency));
    if (lir_gives_up(fn)) return HEDDLE_ERR_STOPPED;
    if (!fits)
        return heddle_fail(lm->diag, HEDDLE_ERR_PTX_RESOURCES,
                           "%.200s: error: kernel '%.200s' does not fit into %u registers per "
                           "thread; raise its launch bounds or split it",
                           lm->name, fn->name, fn->max_regs);
    dump(o, fn, "allocated");
    f->num_inst = lir_emit(fn, o->capability, &f->code, mir_module_arena(lm->mir));
    mir_special_collect(f, mir_module_arena(lm->mir));
    ptx_control(f->code, f->num_inst, &latency);
    describe(lm->mir, f, k, fn);
    return HEDDLE_OK;
}

/* ---- the module ----------------------------------------------------------------------------- */

/* Copies the names of the .file table to m->files, by index; "" where a number below 4,096 is not
 * used. Higher numbers are left out. */
static void copy_files(struct lower_module *lm) {
    struct mir_module *m = lm->mir;
    uint32_t n = 0;
    for (const struct ptx_file *f = lm->ast->files; f; f = f->next)
        if (f->index < 4096 && f->index >= n) n = f->index + 1;
    m->num_files = n;
    m->files = ARENA_ARRAY(mir_module_arena(m), const char *, n + 1);
    for (uint32_t i = 0; i < n; i++) m->files[i] = "";
    for (const struct ptx_file *f = lm->ast->files; f; f = f->next)
        if (f->index < n)
            m->files[f->index] = mir_module_text(m, ptx_words_text(lm->words, f->name));
}

/* A parsed module, some of whose kernels have no code yet. */
struct source {
    struct mir_source of; /* what the MIR module knows of it */
    struct arena arena;   /* the syntax tree and the symbols */
    struct lower_module lm;
    struct ptx_options options;
    const struct ptx_func **kernel; /* [lm.mir->num_functions] */
    struct lower_symbol **bound;    /* lm.binding at module scope */
    uint32_t num_left;              /* kernels without code */
    uint32_t base;                  /* bytes of code space that are taken */
};

static void free_source(struct mir_source *of) {
    struct source *s = (struct source *)of;
    arena_free(&s->arena);
    free(s);
}

/* Appends the options' hint to the message of what is not supported. @return e. */
static heddle_err give_hint(heddle_err e, const struct ptx_options *o, struct heddle_diag *diag) {
    if (e != HEDDLE_ERR_PTX_UNSUPPORTED || !o->hint || !diag) return e;
    size_t n = strlen(diag->text);
    snprintf(diag->text + n, sizeof diag->text - n, "%s", o->hint);
    return e;
}

/* A mir_source.compile: compiles kernel i and places it behind those before it, at a multiple of
 * 128 bytes (file_base). Behind the last one, the source ends. @return HEDDLE_OK, or an error of
 * compile_kernel(). */
static heddle_err compile_next(struct mir_source *of, uint32_t i, struct heddle_diag *diag) {
    struct source *s = (struct source *)of;
    struct mir_module *m = s->lm.mir;
    struct mir_function *f = &m->functions[i], compiled = {.name = f->name};
    struct arena work; /* of this kernel: a module may have hundreds */
    s->lm.diag = diag;
    s->lm.err = HEDDLE_OK;
    arena_init(&work);
    heddle_err e = compile_kernel(&s->lm, s->kernel[i], &s->options, &work, &compiled);
    arena_free(&work);
    if (e) { /* in the middle of its scopes */
        memcpy(s->lm.binding, s->bound, s->lm.n_binding * sizeof *s->bound);
        return give_hint(e, &s->options, diag);
    }
    compiled.file_base = s->base;
    mir_slow_place(&compiled);
    s->base += (MIR_INST_BYTES * (compiled.num_inst + compiled.slow_inst) + 127) & ~127u;
    *f = compiled;
    if (--s->num_left) return HEDDLE_OK;
    m->source = NULL;
    free_source(of);
    return HEDDLE_OK;
}

/* Makes the module of the syntax tree: version, variables, functions, file names, and the names of
 * its kernels with a body (options.only: of that one alone). @return HEDDLE_OK;
 * HEDDLE_ERR_PTX_UNSUPPORTED (32-bit addresses); an error of the lowering. */
static heddle_err make_module(struct source *s) {
    struct lower_module *lm = &s->lm;
    struct mir_module *m = lm->mir;
    const char *only = s->options.only;
    uint32_t n = 0;
    m->ptx_version = 10 * lm->ast->version_major + lm->ast->version_minor;
    m->target = lm->ast->sm;
    if (lm->ast->addr_size != 64)
        return heddle_fail(lm->diag, HEDDLE_ERR_PTX_UNSUPPORTED,
                           "%.200s: error: 32-bit addresses are not supported; compile for 64 bits",
                           lm->name);
    lm->binding = ARENA_ARRAY(lm->arena, struct lower_symbol *, lm->words->count);
    lm->n_binding = lm->words->count;
    if (!lower_module_variables(lm) || !lower_module_functions(lm) || !lower_module_initialise(lm))
        return lm->err;
    copy_files(lm);
    for (const struct ptx_func *f = lm->ast->funcs; f; f = f->next) n += f->is_entry && f->has_body;
    m->functions = ARENA_ARRAY(mir_module_arena(m), struct mir_function, n + 1);
    s->kernel = ARENA_ARRAY(&s->arena, const struct ptx_func *, n + 1);
    for (const struct ptx_func *f = lm->ast->funcs; f; f = f->next) {
        if (!f->is_entry || !f->has_body) continue;
        const char *name = ptx_words_text(lm->words, f->name);
        if (only && strcmp(only, name)) continue;
        m->functions[m->num_functions].name = mir_module_text(m, name);
        s->kernel[m->num_functions++] = f;
    }
    s->num_left = m->num_functions;
    s->bound = ARENA_ARRAY(&s->arena, struct lower_symbol *, lm->n_binding);
    memcpy(s->bound, lm->binding, lm->n_binding * sizeof *s->bound);
    return HEDDLE_OK;
}

/* Parses and checks the text, of which the module keeps a copy, and makes its module. */
static heddle_err read_module(struct source *s, const char *text, size_t len, const char *name) {
    struct lower_module *lm = &s->lm;
    lm->capability = s->options.capability;
    lm->mir = mir_module_create(name);
    lm->mir->text = mir_text_create(text, len);
    lm->name = lm->mir->name;
    lm->arena = &s->arena;
    heddle_err e = ptx_parse(lm->mir->text->text, len, lm->name, &s->arena, &lm->ast, lm->diag);
    if (!e) e = check_module(lm->ast, lm->name, s->options.linked, &s->arena, lm->diag);
    if (e) return e;
    lm->words = lm->ast->words;
    return make_module(s);
}

/* Compiles text[0..len); `name` stands in messages. @return HEDDLE_OK with *out the module, freed
 * by the caller with mir_module_free(); HEDDLE_ERR_PTX_SYNTAX, _PTX_UNSUPPORTED or _PTX_RESOURCES
 * with *out NULL and the text in diag. */
heddle_err ptx_compile(const char *text, size_t len, const char *name,
                       const struct ptx_options *options, struct mir_module **out,
                       struct heddle_diag *diag) {
    struct source *s = heddle_alloc(sizeof *s, "a module's compilation");
    *out = NULL;
    s->of = (struct mir_source){.compile = compile_next, .free = free_source};
    s->options = *options;
    s->lm.diag = diag;
    arena_init(&s->arena);
    heddle_err e = give_hint(read_module(s, text, len, name), options, diag);
    struct mir_module *m = s->lm.mir;
    const uint32_t n = e || options->on_demand ? 0 : m->num_functions;
    if (e || !m->num_functions)
        free_source(&s->of);
    else
        m->source = &s->of;
    for (uint32_t i = 0; i < n && !e; i++) e = mir_module_compile(m, i, diag);
    if (e)
        mir_module_free(m);
    else
        *out = m;
    return e;
}

/* ptx_flow.c - makes the flow of a PTX kernel from its syntax tree; see ptx_flow.h. ptx_kernels.c
 * calls it on the main thread of `heddle project`. Out of memory ends the process. Functions that
 * return heddle_err return HEDDLE_ERR_PTX_UNSUPPORTED with file and line in *diag. */
#include "project/ptx_flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

/* A branch whose target block is not known yet. */
struct jump {
    uint32_t from, line;
    ptx_word label;
};

/* A flow while it is made. */
struct making {
    struct ptx_flow *flow;
    const struct ptx_module *m;
    const struct ptx_func *f;
    const char *file;
    struct heddle_diag *diag;
    uint32_t *label;                    /* [word]: its block plus 1; 0: no label */
    const struct ptx_targets **targets; /* [word]: the list of that name */
    struct jump *jump;                  /* growing */
    size_t num_jumps, jump_room;
    bool open;      /* the last block goes on in the next instruction */
    bool untouched; /* the last block is still empty, so a label may begin it */
};

static const char *text_of(const struct making *g, ptx_word w) {
    return ptx_words_text(g->m->words, w);
}

static uint32_t last_block(const struct making *g) {
    return (uint32_t)g->flow->num_blocks - 1;
}

static void add_way(struct making *g, uint32_t from, uint32_t to) {
    struct ptx_flow *w = g->flow;
    w->way = heddle_grow(w->way, &w->way_room, w->num_ways + 1, sizeof *w->way, "a kernel's flow");
    w->way[w->num_ways++] = (struct ptx_way){from, to};
}

/* Begins a block, which the last one leads into if that is open. */
static void begin_block(struct making *g) {
    struct ptx_flow *w = g->flow;
    if (g->untouched) return;
    w->block = heddle_grow(w->block, &w->block_room, w->num_blocks + 1, sizeof *w->block,
                           "a kernel's flow");
    w->block[w->num_blocks++] = (struct ptx_block){0};
    if (g->open) add_way(g, last_block(g) - 1, last_block(g));
    g->open = g->untouched = true;
}

/* Adds a branch from the last block to a label. */
static void add_jump(struct making *g, ptx_word label, uint32_t line) {
    g->jump = heddle_grow(g->jump, &g->jump_room, g->num_jumps + 1, sizeof *g->jump, "branches");
    g->jump[g->num_jumps++] = (struct jump){last_block(g), line, label};
}

/* ---- instructions ---------------------------------------------------------------------------- */

static bool has(const struct making *g, const struct ptx_inst *in, const char *word) {
    for (uint32_t i = 0; i < in->n_mod; i++)
        if (!strcmp(text_of(g, in->mod[i]), word)) return true;
    return false;
}

/* The form of an instruction in the table of isa.h, NULL: it is no special operation. Half
 * precision rounds to nearest where PTX says nothing, and the table says ".rn". */
static const char *form_of(const struct making *g, const struct ptx_inst *in) {
    static const char *const halves[] = {"f16", "f16x2", "bf16", "bf16x2"};
    char form[160];
    const char *op = text_of(g, in->op);
    size_t n = (size_t)snprintf(form, sizeof form, "%s", op);
    bool half = false;
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) half |= has(g, in, halves[i]);
    if (half && (!strcmp(op, "add") || !strcmp(op, "sub") || !strcmp(op, "mul")) &&
        !has(g, in, "rn"))
        n += (size_t)snprintf(form + n, sizeof form - n, ".rn");
    for (uint32_t i = 0; i < in->n_mod && n < sizeof form; i++)
        n += (size_t)snprintf(form + n, sizeof form - n, ".%s", text_of(g, in->mod[i]));
    const struct isa_expansion *row = n < sizeof form ? isa_find(form, ISA_HEDDLE, SASS_FAST)
                                                      : NULL;
    return row ? row->form : NULL;
}

/* FLOP of a plain instruction on one lane, of 32 bits or of 64. */
static double flop_of(const struct making *g, const struct ptx_inst *in, bool wide) {
    const char *op = text_of(g, in->op);
    double each = !strcmp(op, "add") || !strcmp(op, "sub") || !strcmp(op, "mul") ? 1
                  : !strcmp(op, "fma") || !strcmp(op, "mad")                     ? 2
                                                                                 : 0;
    if (!wide && has(g, in, "f32x2")) return 2 * each;
    return has(g, in, wide ? "f64" : "f32") ? each : 0;
}

/* Adds an instruction that does not branch to the last block. */
static void add_plain(struct making *g, const struct ptx_inst *in, uint32_t line) {
    struct ptx_flow *w = g->flow;
    const char *form = form_of(g, in);
    double single = form ? 0 : flop_of(g, in, false), twice = form ? 0 : flop_of(g, in, true);
    bool alone = in->guarded && (form || single + twice > 0);
    uint32_t around = last_block(g);
    if (alone) {
        g->untouched = false;
        begin_block(g);
    }
    struct ptx_block *b = &w->block[last_block(g)];
    b->flop32 += single;
    b->flop64 += twice;
    b->instructions += form ? 0 : 1;
    if (form) {
        w->special = heddle_grow(w->special, &w->special_room, w->num_specials + 1,
                                 sizeof *w->special, "special operations");
        w->special[w->num_specials++] = (struct ptx_special){form, last_block(g), line};
    }
    g->untouched = false;
    if (!alone) return;
    begin_block(g);
    add_way(g, around, last_block(g));
}

/* ---- branches -------------------------------------------------------------------------------- */

static heddle_err fail(const struct making *g, uint32_t line, const char *what, const char *name) {
    return heddle_fail(g->diag, HEDDLE_ERR_PTX_UNSUPPORTED, "%.200s:%u: kernel %.200s %s%.200s",
                       g->file, line, text_of(g, g->f->name), what, name);
}

/* Adds the ways of a branch by a table (brx.idx). */
static heddle_err add_table(struct making *g, const struct ptx_inst *in, uint32_t line) {
    const struct ptx_operand *list = in->n_opd == 2 ? in->opd[1] : NULL;
    const struct ptx_targets *t = list && list->kind == PTX_OPD_NAME ? g->targets[list->name]
                                                                     : NULL;
    if (!t) return fail(g, line, "branches by a table that is not in it", "");
    for (uint32_t i = 0; i < t->n; i++) add_jump(g, t->name[i], line);
    return HEDDLE_OK;
}

/* Functions of the system count as an instruction; they have no special operations. All others are
 * an error: what they do is not in the kernel's blocks. */
static heddle_err check_call(const struct making *g, const struct ptx_inst *in, uint32_t line) {
    static const char *const system[] = {"vprintf", "__assertfail", "malloc", "free"};
    const char *name = "";
    for (uint32_t i = 0; i < in->n_opd && !*name; i++)
        if (in->opd[i]->kind == PTX_OPD_NAME) name = text_of(g, in->opd[i]->name);
    for (size_t i = 0; i < sizeof system / sizeof *system; i++)
        if (!strcmp(name, system[i])) return HEDDLE_OK;
    return fail(g, line, "calls function ", name);
}

/* Adds an instruction: to the last block, and its ways. */
static heddle_err add_instruction(struct making *g, const struct ptx_inst *in, uint32_t line) {
    heddle_err e = HEDDLE_OK;
    if (!g->open) begin_block(g); /* code that no branch leads to, unless by a label */
    bool leaves = in->op == PTX_W_ret || in->op == PTX_W_exit || in->op == PTX_W_trap;
    if (in->op == PTX_W_call) e = check_call(g, in, line);
    if (!leaves && in->op != PTX_W_bra && in->op != PTX_W_brx) {
        if (!e) add_plain(g, in, line);
        return e;
    }
    g->flow->block[last_block(g)].instructions++;
    g->untouched = false;
    if (leaves)
        add_way(g, last_block(g), UINT32_MAX);
    else if (in->op == PTX_W_brx)
        e = add_table(g, in, line);
    else if (in->n_opd == 1 && in->opd[0]->kind == PTX_OPD_NAME)
        add_jump(g, in->opd[0]->name, line);
    else
        e = fail(g, line, "branches to no label", "");
    g->open = in->guarded;
    if (!e && g->open) begin_block(g);
    return e;
}

/* ---- a kernel -------------------------------------------------------------------------------- */

/* Notes the lists of branch targets, which stand behind a label that names them. */
static void find_targets(struct making *g, const struct ptx_stmt *s) {
    ptx_word before = PTX_W_NONE;
    for (; s; s = s->next) {
        if (s->kind == PTX_STMT_BLOCK) find_targets(g, s->block);
        if (s->kind == PTX_STMT_BRANCHTARGETS && before) g->targets[before] = &s->targets;
        before = s->kind == PTX_STMT_LABEL ? s->label : PTX_W_NONE;
    }
}

/* Adds all statements of a body or a scope. */
static heddle_err add_all(struct making *g, const struct ptx_stmt *s) {
    heddle_err e = HEDDLE_OK;
    for (; s && !e; s = s->next) {
        if (s->kind == PTX_STMT_BLOCK) e = add_all(g, s->block);
        if (s->kind == PTX_STMT_INST) e = add_instruction(g, &s->inst, s->line);
        if (s->kind != PTX_STMT_LABEL) continue;
        begin_block(g);
        g->label[s->label] = last_block(g) + 1;
    }
    return e;
}

/* Turns the branches into ways. */
static heddle_err end_ways(struct making *g) {
    struct ptx_flow *w = g->flow;
    for (size_t i = 0; i < w->num_ways; i++)
        if (w->way[i].to == UINT32_MAX) w->way[i].to = (uint32_t)w->num_blocks;
    if (g->open) add_way(g, last_block(g), (uint32_t)w->num_blocks);
    for (size_t i = 0; i < g->num_jumps; i++) {
        const struct jump *j = &g->jump[i];
        uint32_t to = g->label[j->label];
        if (!to)
            return fail(g, j->line,
                        "branches to a label that is not in it: ", text_of(g, j->label));
        add_way(g, j->from, to - 1);
    }
    return HEDDLE_OK;
}

/* *out: the flow of the kernel; empty after an error. */
heddle_err ptx_flow_make(struct ptx_flow *out, const struct ptx_module *m, const struct ptx_func *f,
                         const char *file, struct heddle_diag *diag) {
    struct making g = {.flow = out, .m = m, .f = f, .file = file, .diag = diag};
    *out = (struct ptx_flow){0};
    g.label = heddle_alloc_array(m->words->count, sizeof *g.label, "labels");
    g.targets = heddle_alloc_array(m->words->count, sizeof *g.targets, "labels");
    find_targets(&g, f->body);
    begin_block(&g);
    heddle_err e = add_all(&g, f->body);
    if (!e) e = end_ways(&g);
    if (e) ptx_flow_clear(out);
    free(g.label);
    free(g.targets);
    free(g.jump);
    return e;
}

void ptx_flow_clear(struct ptx_flow *flow) {
    free(flow->block);
    free(flow->way);
    free(flow->special);
    *flow = (struct ptx_flow){0};
}

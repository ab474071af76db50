/* ptx_kernels.c - finds the kernels of a profile in PTX modules and sets how often their special
 * operations ran; see ptx_kernels.h. project_ptx.c of the command calls it on its main thread. Out
 * of memory ends the process. */
#include "project/ptx_kernels.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "project/isa_compile.h"
#include "project/kernel_name.h"
#include "project/ptx_assemble.h"
#include "project/ptx_weights.h"
#include "ptx/parse/ptx_parse.h"

enum { PATH_SIZE = 512, MOST_CUBINS = 16 };

/* A module's code for one capability. */
struct cubin {
    unsigned capability;
    uint8_t *bytes; /* owned; NULL: ptxas refused it */
    size_t size;
};

/* A module. */
struct module {
    char *file, *text;
    struct arena arena;
    struct ptx_module *tree; /* in the arena */
    struct cubin cubin[MOST_CUBINS];
    size_t num_cubins;
};

/* What is known of all launches of one name. */
struct found {
    struct module *module; /* NULL: the kernel was not found, or has no flow */
    struct ptx_flow flow;
    struct isa_program *program; /* NULL: the table serves */
};

struct ptx_kernels {
    GPtrArray *modules; /* of struct module */
    GHashTable *found;  /* name in the profile (owned) to struct found */
    /* While the profile is attached: */
    const struct ptx_request *request;
    unsigned source, *targets; /* capabilities; the latter owned */
    bool no_ptxas;             /* ptxas is not there, which has been noted */
};

/* ---- memory ---------------------------------------------------------------------------------- */

/* GDestroyNotify of a module. */
static void free_module(gpointer user) {
    struct module *m = user;
    for (size_t i = 0; i < m->num_cubins; i++) free(m->cubin[i].bytes);
    arena_free(&m->arena);
    g_free(m->file);
    g_free(m->text);
    free(m);
}
/* GDestroyNotify of what was found of a name. */
static void free_found(gpointer user) {
    struct found *f = user;
    ptx_flow_clear(&f->flow);
    isa_program_free(f->program);
    free(f);
}

struct ptx_kernels *ptx_kernels_make(void) {
    struct ptx_kernels *p = heddle_alloc(sizeof *p, "PTX");
    p->modules = g_ptr_array_new_with_free_func(free_module);
    p->found = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_found);
    return p;
}

void ptx_kernels_free(struct ptx_kernels *p) {
    if (!p) return;
    g_hash_table_destroy(p->found);
    g_ptr_array_free(p->modules, TRUE);
    free(p->targets);
    free(p);
}

/* Parses the text, and keeps both. */
heddle_err ptx_kernels_add(struct ptx_kernels *p, const char *file, const char *text, size_t bytes,
                           struct heddle_diag *diag) {
    struct module *m = heddle_alloc(sizeof *m, "a PTX module");
    m->file = g_strdup(file);
    m->text = g_strndup(text, bytes);
    arena_init(&m->arena);
    heddle_err e = ptx_parse(m->text, strlen(m->text), m->file, &m->arena, &m->tree, diag);
    if (e)
        free_module(m);
    else
        g_ptr_array_add(p->modules, m);
    return e;
}

/* ---- names ----------------------------------------------------------------------------------- */

static void note(const struct ptx_kernels *p, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void note(const struct ptx_kernels *p, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    gchar *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    if (p->request->note) p->request->note(p->request->user, text);
    g_free(text);
}

/* A kernel of a module. */
struct place {
    struct module *module;
    const struct ptx_func *kernel;
};

static const char *name_of(const struct place *at) {
    return ptx_words_text(at->module->tree->words, at->kernel->name);
}

/* Whether a list has a kernel of that name: a template that several modules instantiate is one. */
static bool has_name(const GArray *list, const char *name) {
    for (guint i = 0; i < list->len; i++)
        if (!strcmp(name_of(&g_array_index(list, struct place, i)), name)) return true;
    return false;
}

/* @return the kernels of all modules that may have a name of the profile; one of exactly that name
 * alone. The caller frees the array. */
static GArray *candidates(const struct ptx_kernels *p, const char *name) {
    GArray *list = g_array_new(FALSE, FALSE, sizeof(struct place));
    char wanted[PATH_SIZE], path[PATH_SIZE];
    kernel_name_path(wanted, sizeof wanted, name);
    for (guint m = 0; m < p->modules->len; m++) {
        struct module *module = p->modules->pdata[m];
        for (const struct ptx_func *f = module->tree->funcs; f; f = f->next) {
            struct place at = {module, f};
            if (!f->is_entry || !f->has_body) continue;
            if (!strcmp(name_of(&at), name)) {
                g_array_set_size(list, 0);
                g_array_append_val(list, at);
                return list;
            }
            kernel_name_path(path, sizeof path, name_of(&at));
            if (kernel_name_paths_match(path, wanted) && !has_name(list, name_of(&at)))
                g_array_append_val(list, at);
        }
    }
    return list;
}

/* *at: the one kernel of that name. @return false, after a note: there is none, or several. */
static bool find_kernel(const struct ptx_kernels *p, const char *name, struct place *at) {
    GArray *list = candidates(p, name);
    guint same = 0;
    for (guint i = 0; i < list->len; i++) {
        const struct place *c = &g_array_index(list, struct place, i);
        if (list->len > 1 && !kernel_name_is(name_of(c), name)) continue;
        *at = *c;
        same++;
    }
    if (!list->len)
        note(p, "kernel %s is not in the PTX: its special operations are not known", name);
    else if (same != 1)
        note(p,
             "kernel %s may be any of %u kernels of the PTX, such as %s and %s: its special "
             "operations are not known (give names with template arguments and parameters: ncu "
             "--print-kernel-base mangled)",
             name, list->len, name_of(&g_array_index(list, struct place, 0)),
             name_of(&g_array_index(list, struct place, 1)));
    g_array_free(list, TRUE);
    return same == 1;
}

/* ---- machine code ---------------------------------------------------------------------------- */

/* The module's code for a capability, or NULL, after a note, where ptxas is not there or refuses
 * it. */
static const struct cubin *cubin_of(struct ptx_kernels *p, struct module *m, unsigned capability) {
    struct heddle_diag diag = {0};
    for (size_t i = 0; i < m->num_cubins; i++)
        if (m->cubin[i].capability == capability) return m->cubin[i].bytes ? &m->cubin[i] : NULL;
    if (p->no_ptxas || m->num_cubins == MOST_CUBINS) return NULL;
    struct cubin *c = &m->cubin[m->num_cubins++];
    c->capability = capability;
    heddle_err e = ptx_assemble(&c->bytes, &c->size, p->request->ptxas, m->file, m->text,
                                capability, true, &diag);
    if (!e) return c;
    c->bytes = NULL;
    p->no_ptxas = e == HEDDLE_ERR_IO;
    g_strchomp(diag.text);
    note(p, "%s; special operations are converted by tables/sass_expansions.def", diag.text);
    return NULL;
}

/* Whether each special operation is in a block that isa_compile.h compares. */
static bool all_have_mufu(const struct ptx_flow *flow, unsigned source) {
    for (size_t i = 0; i < flow->num_specials; i++) {
        const struct isa_expansion *row = isa_find(flow->special[i].form, source, SASS_FAST);
        if (!row || row->counts.of[SASS_MUFU] <= 0) return false;
    }
    return flow->num_specials > 0;
}

/* Sets f->program: the kernel's code on the source and each target that has another capability. */
static void compile(struct ptx_kernels *p, struct found *f, const char *kernel) {
    struct module *m = f->module;
    struct heddle_diag diag = {0};
    if (!all_have_mufu(&f->flow, p->source)) return;
    for (size_t t = 0; t < p->request->num_targets; t++) {
        if (p->targets[t] == p->source) continue;
        const struct cubin *from = cubin_of(p, m, p->source);
        const struct cubin *to = from ? cubin_of(p, m, p->targets[t]) : NULL;
        const struct isa_ptx ptx = {p->request->ptxas, m->file, m->text, kernel};
        if (!to) continue;
        if (!f->program) f->program = isa_program_make(&ptx);
        heddle_err e = isa_program_add(f->program, p->source, from->bytes, from->size, &diag);
        if (!e && isa_program_has(f->program, p->source))
            e = isa_program_add(f->program, p->targets[t], to->bytes, to->size, &diag);
        if (!e) continue;
        note(p, "%s; its special operations are converted by tables/sass_expansions.def",
             diag.text);
        if (!isa_program_has(f->program, p->source)) return;
    }
}

/* ---- the profile ----------------------------------------------------------------------------- */

/* @return what is known of a name of the profile. The first time, the kernel is looked for. */
static struct found *found_of(struct ptx_kernels *p, const char *name) {
    struct found *f = g_hash_table_lookup(p->found, name);
    struct heddle_diag diag = {0};
    struct place at = {0};
    if (f) return f;
    f = heddle_alloc(sizeof *f, "a kernel of PTX");
    g_hash_table_insert(p->found, g_strdup(name), f);
    if (!find_kernel(p, name, &at)) return f;
    if (ptx_flow_make(&f->flow, at.module->tree, at.kernel, at.module->file, &diag)) {
        note(p, "%s: its special operations are not known", diag.text);
        return f;
    }
    f->module = at.module;
    compile(p, f, name_of(&at));
    return f;
}

/* Adds executions of a form to the kernel's list, which has room. */
static void add_execution(struct project_kernel *k, const char *form, double threads) {
    size_t i = 0;
    while (i < k->num_special && strcmp(k->special[i].form, form) != 0) i++;
    if (i == k->num_special) k->special[k->num_special++] = (struct isa_execution){.form = form};
    k->special[i].threads += threads;
}

/* Whether the kernel's counts allow the conversion to every target; else its special operations are
 * dropped. */
static bool convertible(const struct ptx_kernels *p, const struct project_kernel *k) {
    struct project_kernel out;
    struct heddle_diag diag;
    for (size_t t = 0; t < p->request->num_targets; t++) {
        unsigned to = p->targets[t];
        bool code = k->program && isa_program_has(k->program, to);
        heddle_err e = code ? isa_program_on_target(&out, k, k->program, k->special_lines,
                                                    k->num_special_lines, to, &diag)
                            : isa_on_target(&out, k, k->special, k->num_special, p->source, to,
                                            &diag);
        if (e) return false;
    }
    return true;
}

/* Sets the special operations of a launch. */
static void set_special(const struct ptx_kernels *p, struct project_kernel *k,
                        const struct found *f) {
    static const char *const doubts[] = {
        [PTX_IDENTIFIED] = NULL,
        [PTX_STATIC] = "the profile's counters leave open how often special operations ran",
        [PTX_CONTRADICTED] = "the profile's counters do not fit the kernel's PTX",
    };
    const struct ptx_flow *flow = &f->flow;
    double *threads = heddle_alloc_array(flow->num_blocks, sizeof *threads, "a kernel's blocks");
    enum ptx_certainty sure = ptx_weights_find(threads, flow, k, p->source);
    k->special = heddle_alloc_array(flow->num_specials, sizeof *k->special, "special operations");
    k->special_lines = heddle_alloc_array(flow->num_specials, sizeof *k->special_lines,
                                          "special operations");
    for (size_t i = 0; i < flow->num_specials; i++) {
        const struct ptx_special *s = &flow->special[i];
        add_execution(k, s->form, threads[s->block]);
        k->special_lines[k->num_special_lines++] = (struct isa_line){.line = s->line,
                                                                     .threads = threads[s->block]};
    }
    free(threads);
    k->program = f->program;
    k->special_from = p->source;
    k->special_known = true;
    k->special_doubt = flow->num_specials ? doubts[sure] : NULL;
    if (convertible(p, k)) return;
    k->num_special = 0;
    k->special_known = false;
    k->special_doubt = doubts[PTX_CONTRADICTED];
}

/* Sets p->source and p->targets: the GPUs' capabilities. */
static heddle_err set_capabilities(struct ptx_kernels *p, struct heddle_diag *diag) {
    const struct ptx_request *r = p->request;
    free(p->targets);
    p->targets = heddle_alloc_array(r->num_targets, sizeof *p->targets, "compute capabilities");
    heddle_err e = isa_of(&p->source, r->source, diag);
    for (size_t t = 0; t < r->num_targets && !e; t++)
        e = isa_of(&p->targets[t], r->targets[t], diag);
    return e;
}

/* Sets the special operations of all launches whose kernel is in the PTX. */
heddle_err ptx_kernels_attach(struct ptx_kernels *p, struct project_kernels *kernels,
                              const struct ptx_request *request, struct heddle_diag *diag) {
    size_t count = 0;
    p->request = request;
    heddle_err e = set_capabilities(p, diag);
    for (size_t i = 0; i < kernels->count && !e; i++) {
        const struct found *f = found_of(p, kernels->at[i].name);
        if (!f->module) continue;
        set_special(p, &kernels->at[i], f);
        count++;
    }
    p->request = NULL;
    if (e || count) return e;
    return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                       "--ptx: no kernel of the profile is in the PTX, or can be used");
}

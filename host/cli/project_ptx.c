/* project_ptx.c - reads the PTX of a profile's kernels from texts, fat binaries and programs; see
 * project_ptx.h. project_input.c calls it on the main thread of `heddle project`. Functions that
 * return heddle_err explain an error in *diag. */
#include "cli/project_ptx.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "common/elf_file.h"
#include "cuda/base/fatbin.h"
#include "project/isa.h"

enum { CONTAINER_HEAD = 16, ALIGNMENT = 8, MACHINE_CUDA = 190, MOST_NOTES = 10 };
#define CONTAINER_MAGIC 0xBA55ED50u

/* A file while its PTX is taken. */
struct taking {
    struct ptx_kernels *ptx;
    const char *path;
    unsigned capability; /* of the source: which PTX of several is taken */
    unsigned texts;
    gchar *without; /* message of the first container that has no PTX; NULL: none */
    struct heddle_diag *diag;
};

/* Takes the PTX of a container, which may be several texts. One that holds machine code alone is
 * left out: another container of the program may have PTX. */
static heddle_err take_container(struct taking *g, const uint8_t *at, size_t bytes) {
    struct fatbin_ptx first;
    heddle_err e = fatbin_ptx(at, bytes, g->capability, &first, g->diag);
    if (e) return e;
    for (const struct fatbin_ptx *p = &first; p && !e; p = p->next) {
        gchar *name = g_strdup_printf("%s (PTX %u)", g->path, ++g->texts);
        e = ptx_kernels_add(g->ptx, name, p->text, p->bytes, g->diag);
        g_free(name);
    }
    fatbin_free(&first);
    return e;
}

/* After a container could not be used: one without PTX is no error, and the first one's message is
 * kept. Damage is. */
static heddle_err judge(struct taking *g) {
    gchar *why = g_strdup(g->diag->text);
    bool none = strstr(why, "has no PTX") || strstr(why, "is empty");
    if (!none) heddle_fail(g->diag, HEDDLE_ERR_FATBIN, "--ptx %s: %s", g->path, why);
    if (none && !g->without)
        g->without = why;
    else
        g_free(why);
    return none ? HEDDLE_OK : HEDDLE_ERR_FATBIN;
}

/* Takes the PTX of all containers among some bytes, which stand one after another. */
static heddle_err take_containers(struct taking *g, const uint8_t *at, size_t bytes) {
    heddle_err e = HEDDLE_OK;
    for (size_t i = 0; i + CONTAINER_HEAD <= bytes && !e;) {
        uint32_t magic;
        uint64_t payload;
        memcpy(&magic, at + i, sizeof magic);
        memcpy(&payload, at + i + 8, sizeof payload);
        if (magic != CONTAINER_MAGIC) { /* padding */
            i += ALIGNMENT;
            continue;
        }
        size_t left = bytes - i - CONTAINER_HEAD;
        size_t own = CONTAINER_HEAD + (payload < left ? (size_t)payload : left);
        e = take_container(g, at + i, payload > left ? bytes - i : own);
        if (e == HEDDLE_ERR_FATBIN) e = judge(g);
        i += (own + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return e;
}

/* After all containers of a file: fails if none had PTX. */
static heddle_err check_taken(const struct taking *g) {
    if (g->texts) return HEDDLE_OK;
    return heddle_fail(g->diag, HEDDLE_ERR_FATBIN, "--ptx %s: %s", g->path,
                       g->without ? g->without : "it holds no fat binary, so no PTX");
}

/* Takes the PTX of a program or library: of its section .nv_fatbin, and of __nv_relfatbin, which
 * holds that of objects that were linked on the device (nvcc -rdc=true). */
static heddle_err take_program(struct taking *g, const struct elf_file *f) {
    Elf64_Shdr names, s;
    bool found = false;
    heddle_err e = HEDDLE_OK;
    if (f->head.e_machine == MACHINE_CUDA)
        return heddle_fail(g->diag, HEDDLE_ERR_FATBIN,
                           "--ptx %s: a cubin, which is machine code without PTX: give the program "
                           "or the PTX that it was made of",
                           g->path);
    if (!elf_section(f, f->head.e_shstrndx, &names))
        return heddle_fail(g->diag, HEDDLE_ERR_FATBIN,
                           "--ptx %s: its sections are missing: the file is cut short or damaged",
                           g->path);
    for (unsigned i = 0; !e && i < f->head.e_shnum && elf_section(f, i, &s); i++) {
        const char *name = elf_text(f, names.sh_offset + s.sh_name);
        if (strcmp(name, ".nv_fatbin") != 0 && strcmp(name, "__nv_relfatbin") != 0) continue;
        const uint8_t *bytes = elf_range(f, s.sh_offset, s.sh_size);
        if (!bytes) continue;
        found = true;
        e = take_containers(g, bytes, s.sh_size);
    }
    if (e) return e;
    if (found) return check_taken(g);
    return heddle_fail(g->diag, HEDDLE_ERR_FATBIN,
                       "--ptx %s: it has no section .nv_fatbin: its kernels are in another program "
                       "or library",
                       g->path);
}

/* Takes the PTX of a file, whose content says what it is. */
static heddle_err take_file(struct taking *g) {
    gchar *bytes = NULL;
    gsize size = 0;
    GError *error = NULL;
    struct elf_file f;
    if (!g_file_get_contents(g->path, &bytes, &size, &error)) {
        heddle_fail(g->diag, HEDDLE_ERR_IO, "--ptx: %s", error->message);
        g_error_free(error);
        return HEDDLE_ERR_IO;
    }
    uint32_t magic = 0;
    if (size >= sizeof magic) memcpy(&magic, bytes, sizeof magic);
    heddle_err e;
    g->texts = 0;
    g->without = NULL;
    if (magic == CONTAINER_MAGIC) {
        e = take_containers(g, (const uint8_t *)bytes, size);
        if (!e) e = check_taken(g);
    } else if (elf_begin(&f, bytes, size) == ELF_PROGRAM) {
        e = take_program(g, &f);
    } else if (memchr(bytes, '\0', size)) {
        e = heddle_fail(g->diag, HEDDLE_ERR_FATBIN,
                        "--ptx %s: neither PTX, nor a fat binary, nor a program", g->path);
    } else {
        e = ptx_kernels_add(g->ptx, g->path, bytes, size, g->diag);
    }
    g_free(g->without);
    g_free(bytes);
    return e;
}

/* A ptx_note_fn: prints the first notes, and counts all in the size_t `user`. */
static void print_note(void *user, const char *text) {
    size_t *count = user;
    if ((*count)++ < MOST_NOTES) fprintf(stderr, "heddle: note: --ptx: %s\n", text);
}

/* Reads all files and attaches their kernels to the profile. */
heddle_err project_take_ptx(struct project_work *w, const struct project_options *o,
                            struct heddle_diag *diag) {
    struct taking g = {.ptx = w->ptx = ptx_kernels_make(), .diag = diag};
    size_t notes = 0;
    const struct ptx_request request = {
        .source = w->source,
        .targets = (const struct capability *const *)w->targets->pdata,
        .num_targets = w->targets->len,
        .note = print_note,
        .user = &notes,
    };
    heddle_err e = isa_of(&g.capability, w->source, diag);
    gchar **paths = g_strsplit(o->ptx, ",", -1);
    if (!e && !*paths) e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "--ptx : a name is empty");
    for (gchar **path = paths; *path && !e; path++) {
        g.path = *path;
        e = **path ? take_file(&g)
                   : heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "--ptx %s: a name is empty", o->ptx);
    }
    g_strfreev(paths);
    if (!e) e = ptx_kernels_attach(w->ptx, &w->kernels, &request, diag);
    if (notes > MOST_NOTES)
        fprintf(stderr, "heddle: note: --ptx: %zu more notes\n", notes - MOST_NOTES);
    return e;
}

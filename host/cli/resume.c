/* resume.c - opens the directory of --checkpoint or --resume. Its file identity.json holds
 * checksums of the program and of Heddle, the arguments, and the value of every parameter.
 * run_setup.c calls resume_open() on the main thread, before the program starts; everything else
 * serves that. Functions that return heddle_err explain an error in *diag. */
#include "cli/resume.h"

#include <errno.h>
#include <glib.h>
#include <jansson.h>
#include <string.h>

#include "sweep/sweep_record.h"

/* The inputs that the results of this run depend on; the caller frees them. NULL: diag says why. */
static json_t *identity_of(const struct resume_run *run, struct heddle_diag *diag) {
    char *self = g_file_read_link("/proc/self/exe", NULL);
    const char *const simulator[] = {self ? self : "", run->library, NULL};
    const char *const options[] = {run->memcheck ? run->memcheck : "", NULL};
    struct sweep_inputs in = {.version = HEDDLE_VERSION,
                              .program = run->program[0],
                              .arguments = (const char *const *)run->program + 1,
                              .options = options};
    json_t *o = NULL;
    if (sweep_inputs_sum(&in, run->found, simulator))
        o = sweep_inputs_of_point(&in, run->config);
    else
        heddle_fail(diag, HEDDLE_ERR_IO, "cannot read %s: %s", run->found, strerror(errno));
    g_free(self);
    return o;
}

/* --resume: checks identity.json in file `path` against this run, and reads *every from it. @return
 * HEDDLE_ERR_ARGUMENT: there is no such file, or it is another run's. */
static heddle_err compare(const struct resume_run *run, const char *path, const json_t *identity,
                          unsigned *every, struct heddle_diag *diag) {
    json_error_t bad;
    json_t *file = json_load_file(path, 0, &bad);
    if (!file)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "--resume %s: no checkpoints there: %s",
                           run->directory, bad.text);
    *every = (unsigned)json_integer_value(json_object_get(file, "every"));
    const char *other = sweep_inputs_difference(identity, json_object_get(file, "inputs"));
    heddle_err e = HEDDLE_OK;
    if (other || !*every)
        e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                        "--resume %s: that is of another run, '%s' is not the same", run->directory,
                        other ? other : "every");
    json_decref(file);
    return e;
}

/* --checkpoint: makes the directory, which must be empty, and writes identity.json. @return
 * HEDDLE_ERR_IO, or ARGUMENT: it is not empty. */
static heddle_err begin(const struct resume_run *run, const char *path, json_t *identity,
                        struct heddle_diag *diag) {
    GDir *d = NULL;
    if (g_mkdir_with_parents(run->directory, 0777) != 0 ||
        !(d = g_dir_open(run->directory, 0, NULL)))
        return heddle_fail(diag, HEDDLE_ERR_IO, "--checkpoint: cannot make the directory %s: %s",
                           run->directory, strerror(errno));
    bool empty = g_dir_read_name(d) == NULL;
    g_dir_close(d);
    if (!empty)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "--checkpoint %s: the directory is not empty: go on with --resume %s, "
                           "or remove it",
                           run->directory, run->directory);
    json_t *file = json_pack("{s:O, s:i}", "inputs", identity, "every", (int)run->every);
    heddle_err e = HEDDLE_OK;
    if (json_dump_file(file, path, JSON_INDENT(1)) != 0)
        e = heddle_fail(diag, HEDDLE_ERR_IO, "cannot write %s: %s", path, strerror(errno));
    json_decref(file);
    return e;
}

/* Registers the memory that kernels can reach: checkpoints contain it. */
static heddle_err add_memory(struct checkpoint *c, struct address_space *space,
                             struct heddle_diag *diag) {
    static const memory_region region[] = {REGION_DEVICE, REGION_PINNED, REGION_MANAGED};
    heddle_err e = HEDDLE_OK;
    for (unsigned i = 0; i < G_N_ELEMENTS(region) && !e; i++)
        if (address_space_bytes(space, region[i]))
            e = checkpoint_add_memory(c, address_space_fd(space, region[i]),
                                      (void *)(uintptr_t)address_space_base(space, region[i]),
                                      address_space_bytes(space, region[i]));
    return e ? heddle_fail(diag, e, "too many regions of memory for checkpoints") : e;
}

/* Creates the directory (--checkpoint) or checks that it belongs to this run (--resume), opens its
 * checkpoints as *out and registers the memory of `run` in them. *every: launches between
 * checkpoints. @return HEDDLE_ERR_IO or ARGUMENT; *out is then NULL, else the caller frees it with
 * checkpoint_free(). */
heddle_err resume_open(struct checkpoint **out, const struct resume_run *run, unsigned *every,
                       struct heddle_diag *diag) {
    char *path = g_strdup_printf("%s/identity.json", run->directory);
    json_t *identity = identity_of(run, diag);
    heddle_err e = identity ? HEDDLE_OK : HEDDLE_ERR_IO;
    *out = NULL;
    *every = run->every;
    if (!e)
        e = run->resume ? compare(run, path, identity, every, diag)
                        : begin(run, path, identity, diag);
    if (!e) e = checkpoint_open(out, run->directory, *every, run->resume, diag);
    if (!e) e = add_memory(*out, run->space, diag);
    if (e) {
        checkpoint_free(*out);
        *out = NULL;
    }
    json_decref(identity);
    g_free(path);
    return e;
}

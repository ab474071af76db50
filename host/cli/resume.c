/* resume.c - opens the directory of --checkpoint or --resume. Its file identity.json holds
 * checksums of the program and of Heddle, the arguments, the value of every parameter, and the
 * run's number, which every other file of the directory carries. run_setup.c calls resume_open() on
 * the main thread, before the program starts; everything else serves that. Functions that return
 * heddle_err explain an error in *diag. */
#include "cli/resume.h"

#include <errno.h>
#include <glib.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/sealed_text.h"
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

/* Sets c->inputs to a hash of the inputs. */
static void sum_inputs(struct checkpoint_run *c, const json_t *identity) {
    char *text = json_dumps(identity, JSON_COMPACT | JSON_SORT_KEYS);
    c->inputs = checkpoint_name_sum(text);
    free(text);
}

/* Reads c->number and c->every from identity.json. @return false: they are not there. */
static bool read_numbers(struct checkpoint_run *c, const json_t *file) {
    const char *number = json_string_value(json_object_get(file, "run"));
    const json_int_t every = json_integer_value(json_object_get(file, "every"));
    unsigned long long of[2];
    int end = 0;
    if (!number || every <= 0 || every > INT32_MAX || strlen(number) != 32 ||
        sscanf(number, "%16llx%16llx%n", &of[0], &of[1], &end) != 2 || end != 32)
        return false;
    c->number[0] = of[0];
    c->number[1] = of[1];
    c->every = (uint64_t)every;
    return true;
}

/* --resume: checks identity.json in file `path` against this run, and reads c->number and c->every
 * from it. @return HEDDLE_ERR_ARGUMENT: there is no such file, or it is another run's;
 * HEDDLE_ERR_IO: it is damaged. */
static heddle_err compare(struct checkpoint_run *c, const char *path, const json_t *identity,
                          struct heddle_diag *diag) {
    char *text,
        *remedy = g_strdup_printf("remove %s and begin again with --checkpoint", c->directory);
    size_t size;
    json_error_t bad;
    heddle_err e = sealed_text_read(path, remedy, &text, &size, diag);
    const bool missing = e && errno == ENOENT;
    g_free(remedy);
    if (missing)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "--resume %s: no checkpoints there: there is no %s", c->directory, path);
    if (e) return e;
    json_t *file = json_loadb(text, size, JSON_REJECT_DUPLICATES, &bad);
    free(text);
    const char *other = sweep_inputs_difference(identity, json_object_get(file, "inputs"));
    if (!other && !read_numbers(c, file)) other = "every";
    if (!file || other)
        e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                        "--resume %s: that is of another run, '%s' is not the same", c->directory,
                        file ? other : bad.text);
    json_decref(file);
    return e;
}

/* --checkpoint: checks that the directory is empty, chooses c->number and writes identity.json.
 * @return HEDDLE_ERR_IO, or ARGUMENT: it is not empty. */
static heddle_err begin(struct checkpoint_run *c, const char *path, json_t *identity,
                        struct heddle_diag *diag) {
    GDir *d = g_dir_open(c->directory, 0, NULL);
    if (!d)
        return heddle_fail(diag, HEDDLE_ERR_IO, "--checkpoint: cannot read the directory %s: %s",
                           c->directory, strerror(errno));
    bool empty = g_dir_read_name(d) == NULL;
    g_dir_close(d);
    if (!empty)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "--checkpoint %s: the directory is not empty: go on with --resume %s, "
                           "or remove it",
                           c->directory, c->directory);
    if (getrandom(c->number, sizeof c->number, 0) != sizeof c->number)
        return heddle_fail(diag, HEDDLE_ERR_IO, "--checkpoint: no random number for the run: %s",
                           strerror(errno));
    char number[40];
    snprintf(number, sizeof number, "%016llx%016llx", (unsigned long long)c->number[0],
             (unsigned long long)c->number[1]);
    json_t *file = json_pack("{s:O, s:I, s:s}", "inputs", identity, "every", (json_int_t)c->every,
                             "run", number);
    char *text = json_dumps(file, JSON_INDENT(1));
    heddle_err e = sealed_text_write(path, text, diag);
    free(text);
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

/* Begins in the directory (--checkpoint) or checks that it is this run's (--resume), opens its
 * checkpoints as *out and registers the memory of `run` in them. *every: launches between
 * checkpoints. @return HEDDLE_ERR_IO or ARGUMENT; *out is then NULL, else the caller frees it with
 * checkpoint_free(). */
heddle_err resume_open(struct checkpoint **out, const struct resume_run *run, unsigned *every,
                       struct heddle_diag *diag) {
    char *path = g_strdup_printf("%s/identity.json", run->directory);
    struct checkpoint_run c = {
        .directory = run->directory, .every = run->every, .resume = run->resume};
    json_t *identity = identity_of(run, diag);
    heddle_err e = identity ? HEDDLE_OK : HEDDLE_ERR_IO;
    *out = NULL;
    if (!e) sum_inputs(&c, identity);
    if (!e) e = run->resume ? compare(&c, path, identity, diag) : begin(&c, path, identity, diag);
    *every = (unsigned)c.every;
    if (!e) e = checkpoint_open(out, &c, diag);
    if (!e && run->resume && !checkpoint_resumed(*out))
        fprintf(stderr,
                "heddle: --resume %s: there is no checkpoint in it yet: the run begins from its "
                "start\n",
                run->directory);
    if (!e) e = add_memory(*out, run->space, diag);
    if (e) {
        checkpoint_free(*out);
        *out = NULL;
    }
    json_decref(identity);
    g_free(path);
    return e;
}

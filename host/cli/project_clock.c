/* project_clock.c - --from-clock and --clock of `heddle project`, and the clock of a profile; see
 * project_clock.h. project_input.c and cmd_project.c call it on the main thread of the command.
 * Functions that return heddle_err return HEDDLE_ERR_ARGUMENT with a text in *diag. */
#include "cli/project_clock.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "project/capability_clock.h"

/* Clocks that differ by no more are one: profilers round, and boards differ as much. */
static const double same_clock = 0.01;

/* Reads a clock in MHz. `option`: what it belongs to, for the message. */
static heddle_err read_clock(double *mhz, const char *text, const char *option,
                             struct heddle_diag *diag) {
    char *end;
    errno = 0;
    *mhz = g_ascii_strtod(text, &end);
    if (end != text && !*end && !errno && *mhz >= CLOCK_LEAST && *mhz <= CLOCK_MOST)
        return HEDDLE_OK;
    return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "%s: '%s' is no clock, which is %d to %d MHz",
                       option, text, CLOCK_LEAST, CLOCK_MOST);
}

/* Sets a GPU's clock, and says so in its title. */
static void set_clock(struct capability *gpu, double mhz) {
    size_t length = strlen(gpu->title);
    snprintf(gpu->title + length, sizeof gpu->title - length, " at %g MHz", mhz);
    capability_set_clock(gpu, mhz);
}

/* The target of that name, or NULL. */
static struct capability *find_target(const struct project_work *w, const char *name) {
    for (guint t = 0; t < w->targets->len; t++) {
        struct capability *gpu = w->targets->pdata[t];
        if (!strcmp(gpu->name, name)) return gpu;
    }
    return NULL;
}

/* Sets the clock of a target from "GPU=MHZ". `clocks`: all of --clock; `seen`: the GPUs before. */
static heddle_err set_target(struct project_work *w, const char *word, const char *clocks,
                             GHashTable *seen, struct heddle_diag *diag) {
    gchar **part = g_strsplit(word, "=", 2);
    gchar *option = g_strdup_printf("--clock %s", clocks);
    double mhz = 0;
    heddle_err e = HEDDLE_OK;
    struct capability *gpu = part[0] ? find_target(w, part[0]) : NULL;
    if (!part[0] || !*part[0] || !part[1])
        e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "%s: GPU=MHZ[,GPU=MHZ...] is expected", option);
    else if (!gpu)
        e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                        "%s: %s is no GPU of --to (--from-clock is for the source)", option,
                        part[0]);
    else if (!g_hash_table_add(seen, gpu))
        e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "%s: %s is there twice", option, part[0]);
    else
        e = read_clock(&mhz, part[1], option, diag);
    if (!e) set_clock(gpu, mhz);
    g_free(option);
    g_strfreev(part);
    return e;
}

/* Checks that the profile's clocks are those of a GPU, and that --from-clock (0: not given) does
 * not contradict them. */
static heddle_err check_profile(const struct project_work *w, double given,
                                struct heddle_diag *diag) {
    for (size_t i = 0; i < w->kernels.count; i++) {
        const struct project_kernel *k = &w->kernels.at[i];
        double mhz = k->of[METRIC_CLOCK];
        if (!k->known[METRIC_CLOCK]) continue;
        if (mhz < CLOCK_LEAST || mhz > CLOCK_MOST)
            return heddle_fail(
                diag, HEDDLE_ERR_ARGUMENT,
                "kernel %s (launch %llu): the profile's clock is %g MHz, which is no "
                "GPU's: %d to %d",
                k->name, (unsigned long long)k->launch, mhz, CLOCK_LEAST, CLOCK_MOST);
        if (given > 0 && fabs(mhz / given - 1) > same_clock)
            return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                               "--from-clock %g: by the profile, kernel %s (launch %llu) ran at %g "
                               "MHz: leave the option out",
                               given, k->name, (unsigned long long)k->launch, mhz);
    }
    return HEDDLE_OK;
}

/* Sets the clocks of w->source and w->targets. */
heddle_err project_set_clocks(struct project_work *w, const struct project_options *o,
                              struct heddle_diag *diag) {
    double given = 0;
    if (o->check && (o->clock || o->from_clock))
        return heddle_fail(
            diag, HEDDLE_ERR_ARGUMENT,
            "--check simulates GPUs at the clocks of their models: leave --clock and "
            "--from-clock out");
    heddle_err e = o->from_clock ? read_clock(&given, o->from_clock, "--from-clock", diag)
                                 : HEDDLE_OK;
    if (!e) e = check_profile(w, given, diag);
    if (!e && given > 0) set_clock(w->source, given);
    if (e || !o->clock) return e;
    GHashTable *seen = g_hash_table_new(g_direct_hash, g_direct_equal);
    gchar **words = g_strsplit(o->clock, ",", -1);
    if (!*words) e = set_target(w, "", o->clock, seen, diag);
    for (gchar **word = words; *word && !e; word++) e = set_target(w, *word, o->clock, seen, diag);
    g_strfreev(words);
    g_hash_table_destroy(seen);
    return e;
}

/* Notes how many launches ran at another clock than the source's own, and the clocks. */
void project_note_clock(const struct project_work *w) {
    double own = w->source->property[GPU_CLOCK].value, least = INFINITY, most = 0;
    size_t count = 0;
    for (size_t i = 0; i < w->kernels.count; i++) {
        const struct project_kernel *k = &w->kernels.at[i];
        if (!k->known[METRIC_CLOCK] || fabs(k->of[METRIC_CLOCK] / own - 1) <= same_clock) continue;
        count++;
        least = fmin(least, k->of[METRIC_CLOCK]);
        most = fmax(most, k->of[METRIC_CLOCK]);
    }
    if (count)
        fprintf(stderr,
                "heddle: note: %zu of %zu launches ran at %.0f to %.0f MHz, where %s has %.0f; its "
                "rates are taken at their clocks (Nsight Compute locks a GPU to its base clock, "
                "unless run with --clock-control none), the targets at their own\n",
                count, w->kernels.count, least, most, w->source->name, own);
}

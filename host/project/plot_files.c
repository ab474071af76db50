/* plot_files.c - writes the pictures of --plot into a directory, each beside its name first and
 * then renamed; see plot_files.h. cmd_project.c calls plot_files_write() on the main thread of
 * `heddle project`. Functions only read the results. Errors are HEDDLE_ERR_IO unless a comment says
 * otherwise, with text in *diag; files that were written stay. */
#include "project/plot_files.h"

#include <errno.h>
#include <glib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/output_file.h"
#include "project/interval_plot.h"
#include "project/kernel_groups.h"
#include "project/roofline_plot.h"

enum { NAME = 100 }; /* bytes of a kernel's name */

/* A picture: rooflines of a kernel on a target (indices of the results), or the intervals. */
struct picture {
    const struct project_results *r;
    bool intervals;
    size_t kernel, target;
};

/* Draws the picture to `f`; errors of `f` are the caller's to check. */
static void draw(FILE *f, const struct picture *p) {
    if (p->intervals)
        interval_plot(f, p->r);
    else
        roofline_plot(f, p->r, p->kernel, p->target);
}

/* Writes a picture to `path`, over an older one. */
static heddle_err write_picture(const char *path, const struct picture *p,
                                struct heddle_diag *diag) {
    struct output_file o;
    heddle_err e = output_file_open(&o, path, OUTPUT_OWN, diag);
    if (e) return e;
    draw(o.f, p);
    return output_file_commit(&o, false, diag);
}

/* Writes roofline-NUMBER-GPU.svg for each target, of the longest launch of the group. */
static heddle_err write_rooflines(const struct project_results *r, const struct kernel_group *group,
                                  size_t number, const char *directory, struct heddle_diag *diag) {
    heddle_err e = HEDDLE_OK;
    for (size_t t = 0; t < r->num_targets && !e; t++) {
        char *path = g_strdup_printf("%s/roofline-%zu-%s.svg", directory, number,
                                     r->targets[t]->name);
        e = write_picture(path, &(struct picture){.r = r, .kernel = group->longest, .target = t},
                          diag);
        g_free(path);
    }
    return e;
}

/* Writes intervals.svg and the rooflines of the first PLOT_ROOFLINES groups; ends at the first
 * error. */
static heddle_err write_all(const struct project_results *r, const struct kernel_groups *groups,
                            const char *directory, struct heddle_diag *diag) {
    char *path = g_strdup_printf("%s/intervals.svg", directory);
    heddle_err e = write_picture(path, &(struct picture){.r = r, .intervals = true}, diag);
    g_free(path);
    for (size_t g = 0; g < groups->count && g < PLOT_ROOFLINES && !e; g++)
        e = write_rooflines(r, &groups->at[g], g + 1, directory, diag);
    return e;
}

/* Prints to `said` which kernel has which number, and the kernels without rooflines. */
static void say(const struct project_results *r, const struct kernel_groups *groups,
                const char *directory, FILE *said) {
    fprintf(said, "\nPictures in %s: intervals.svg, and roofline-N-GPU.svg where N is\n",
            directory);
    for (size_t g = 0; g < groups->count && g < PLOT_ROOFLINES; g++) {
        const struct kernel_group *k = &groups->at[g];
        fprintf(said, "%4zu  %.*s", g + 1, NAME, k->name);
        if (k->count > 1)
            fprintf(said, " (launch %llu, the longest of %zu)",
                    (unsigned long long)r->kernels->at[k->longest].launch, k->count);
        fputc('\n', said);
    }
    if (groups->count <= PLOT_ROOFLINES) return;
    fprintf(said, "Without rooflines, because other kernels took more time:\n");
    size_t end = groups->count;
    if (end > PLOT_ROOFLINES + PLOT_NAMES) end = PLOT_ROOFLINES + PLOT_NAMES;
    for (size_t g = PLOT_ROOFLINES; g < end; g++)
        fprintf(said, "      %.*s\n", NAME, groups->at[g].name);
    if (groups->count > end) fprintf(said, "      and %zu more kernels\n", groups->count - end);
}

/* Checks that no two targets have one name, because files are named after them. @return
 * HEDDLE_ERR_ARGUMENT. */
static heddle_err check_names(const struct project_results *r, struct heddle_diag *diag) {
    for (size_t t = 0; t < r->num_targets; t++)
        for (size_t u = 0; u < t; u++)
            if (!strcmp(r->targets[t]->name, r->targets[u]->name))
                return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                                   "two targets are called %s: their pictures would have one name",
                                   r->targets[t]->name);
    return HEDDLE_OK;
}

/* Makes the directory if needed, groups the launches, writes the pictures and says on `said` which
 * kernel has which number. Without a projected kernel, writes only a line to `said`. @return also
 * HEDDLE_ERR_ARGUMENT: two targets have one name; nothing is written then. */
heddle_err plot_files_write(const struct project_results *r, const char *directory, FILE *said,
                            struct heddle_diag *diag) {
    struct kernel_groups groups;
    heddle_err e = check_names(r, diag);
    if (e) return e;
    if (mkdir(directory, 0777) && errno != EEXIST)
        return heddle_fail(diag, HEDDLE_ERR_IO, "cannot make the directory %s: %s", directory,
                           strerror(errno));
    kernel_groups_make(&groups, r);
    if (groups.count == 0)
        fputs("\nNo pictures: no kernel was projected\n", said);
    else if (!(e = write_all(r, &groups, directory, diag)))
        say(r, &groups, directory, said);
    kernel_groups_clear(&groups);
    return e;
}

/* cmd_annotate.c - `heddle annotate`: shows what each source line and each instruction of a run's
 * kernels did, from its report directory (annotate/source_view.h). main() calls cli_annotate() on
 * the main thread of `heddle`. */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "annotate/annotate.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "common/memory.h"

enum { USUAL_WIDTH = 80, USUAL_TOP = 20 };

/* Columns of the terminal; where the output is none, those of the variable COLUMNS. */
static unsigned width(void) {
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
        return size.ws_col;
    const int n = columns ? atoi(columns) : 0;
    return n > 0 && n < 10000 ? (unsigned)n : USUAL_WIDTH;
}

/* Whether to use colours: on a terminal, unless NO_COLOR is set (no-color.org). */
static bool colour(void) {
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

/* The kernels that are meant: those of `name`, else the first one or, for JSON, all. @return how
 * many; 0: there are none of that name, after an error that lists what there is. */
static uint32_t choose(const struct source_view *v, const char *run, const char *name, bool all,
                       uint32_t *chosen) {
    if (!name) {
        const uint32_t n = all ? v->num_kernels : 1;
        for (uint32_t i = 0; i < n; i++) chosen[i] = i;
        return n;
    }
    const uint32_t n = source_view_find(v, name, chosen);
    if (!n) {
        cli_error("%s has no kernel '%s'; it has", run, name);
        annotate_list(v, stderr);
    }
    return n;
}

static void print(const struct source_view *v, const uint32_t *chosen, uint32_t n, bool named,
                  const struct annotate_options *o) {
    for (uint32_t i = 0; i < n; i++) {
        if (i) printf("\n");
        annotate_print(v, chosen[i], o, stdout);
    }
    if (named || v->num_kernels == n) return;
    printf("\n%u other kernel%s: heddle annotate %s KERNEL, by number, name or part of it\n",
           v->num_kernels - n, v->num_kernels - n == 1 ? "" : "s", v->directory);
    annotate_list(v, stdout);
}

/* Reads the options and the run, and prints it. @return the exit status: 0 or EXIT_HEDDLE. */
int cli_annotate(int argc, char **argv) {
    gboolean json = FALSE, lines = FALSE, ptx = FALSE, mir = FALSE;
    gint top = USUAL_TOP;
    GOptionEntry entries[] = {
        {"lines", 0, 0, G_OPTION_ARG_NONE, &lines, "all lines in their order, not the hottest",
         NULL},
        {"ptx", 0, 0, G_OPTION_ARG_NONE, &ptx, "likewise, and under each line its PTX", NULL},
        {"mir", 0, 0, G_OPTION_ARG_NONE, &mir,
         "likewise, and under each line the machine code of it (MIR)", NULL},
        {"top", 0, 0, G_OPTION_ARG_INT, &top, "so many of the hottest lines (default: 20)", "N"},
        {"json", 0, 0, G_OPTION_ARG_NONE, &json, "everything as JSON, of all kernels or KERNEL",
         NULL},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    static const struct cli_command command = {
        .name = "heddle annotate",
        .arguments = "RUN [KERNEL]",
        .summary = "Shows what each source line of a kernel did: issues, cycles by cause, lanes,\n"
                   "sectors, conflicts, hits. RUN is the report directory of a `heddle run`.\n"
                   "KERNEL is a number, a name or a part of one; without it, the kernel with\n"
                   "the most time.",
        .examples = "  heddle annotate heddle-out\n"
                    "  heddle annotate heddle-out transpose --mir\n"};
    int status;
    if (!cli_options(&command, entries, &argc, &argv, &status)) return status;
    if (argc < 2 || argc > 3)
        return cli_error("%s: heddle annotate RUN [KERNEL]",
                         argc < 2 ? "no run" : "more than a run and a kernel");
    if (top < 1) return cli_error("--top %d: at least 1", top);
    struct heddle_diag diag = {0};
    struct source_view *v;
    if (source_view_read(&v, argv[1], &diag)) return cli_error("%s", diag.text);
    const char *name = argc > 2 ? argv[2] : NULL;
    uint32_t *chosen = heddle_alloc_array(v->num_kernels, sizeof *chosen, "kernels");
    const uint32_t n = choose(v, argv[1], name, json, chosen);
    const struct annotate_options o = {.width = width(),
                                       .colour = colour(),
                                       .top = (unsigned)top,
                                       .lines = lines,
                                       .ptx = ptx,
                                       .mir = mir};
    if (!n) {
        status = EXIT_HEDDLE;
    } else if (json) {
        json_t *root = source_view_json(v, chosen, n);
        json_dumpf(root, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
        printf("\n");
        json_decref(root);
    } else {
        print(v, chosen, n, name != NULL, &o);
    }
    free(chosen);
    source_view_free(v);
    return status;
}

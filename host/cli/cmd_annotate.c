/* cmd_annotate.c - `heddle annotate`: shows what each source line and each instruction of a run's
 * kernels did, from its report directory (annotate/source_view.h). main() calls cli_annotate() on
 * the main thread of `heddle`. */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "annotate/annotate.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "common/memory.h"

enum { USUAL_TOP = 20 };

struct annotate_command {
#define OPTION CLI_MEMBER
#include "tables/options/annotate.def"
};
static const size_t places[] = {
#define OPTION(...) CLI_PLACE(struct annotate_command, __VA_ARGS__)
#include "tables/options/annotate.def"
};

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
    struct annotate_command c = {.top = USUAL_TOP};
    int status;
    if (!cli_options(CLI(annotate), places, &c, &argc, &argv, &status)) return status;
    if (argc < 2 || argc > 3)
        return cli_error("%s: heddle annotate RUN [KERNEL]",
                         argc < 2 ? "no run" : "more than a run and a kernel");
    if (c.top < 1) return cli_error("--top %d: at least 1", c.top);
    struct heddle_diag diag = {0};
    struct source_view *v;
    if (source_view_read(&v, argv[1], &diag)) return cli_error("%s", diag.text);
    const char *name = argc > 2 ? argv[2] : NULL;
    uint32_t *chosen = heddle_alloc_array(v->num_kernels, sizeof *chosen, "kernels");
    const uint32_t n = choose(v, argv[1], name, c.json, chosen);
    const struct annotate_options o = {.width = cli_width(),
                                       .colour = colour(),
                                       .top = (unsigned)c.top,
                                       .lines = c.lines,
                                       .ptx = c.ptx,
                                       .mir = c.mir};
    if (!n) {
        status = EXIT_HEDDLE;
    } else if (c.json) {
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

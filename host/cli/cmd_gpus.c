/* cmd_gpus.c - `heddle gpus`: lists the GPUs whose files come with Heddle. main() calls cli_gpus()
 * on the main thread of `heddle`. */
#include <glib.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "common/config.h"

struct gpus_options {
#define OPTION CLI_MEMBER
#include "tables/options/gpus.def"
};
static const size_t places[] = {
#define OPTION(...) CLI_PLACE(struct gpus_options, __VA_ARGS__)
#include "tables/options/gpus.def"
};

/* What a figure of a GPU's file rests on, from the surest to the least. */
static const char *const statuses[] = {"vendor", "measured", "derived", "fitted", "guessed"};
enum { STATUSES = G_N_ELEMENTS(statuses) };

/* Counts the parameters of the GPU's file by status. */
static void count_statuses(const struct config *c, unsigned count[STATUSES]) {
    memset(count, 0, STATUSES * sizeof *count);
    for (unsigned i = 0; i < CONFIG_NUM_PARAMS; i++)
        for (unsigned s = 0; s < STATUSES; s++)
            count[s] += !strcmp(c->origin[i].status, statuses[s]);
}

/* GCompareFunc of texts, by the names' parts before a dash first: v100 before v100-seed. */
static gint by_name(gconstpointer a, gconstpointer b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of the GPUs, sorted, NULL at the end; the caller frees them. NULL after an error. */
static gchar **list_names(const char *directory) {
    GError *error = NULL;
    GDir *d = g_dir_open(directory, 0, &error);
    if (!d) {
        cli_error("%s", error->message);
        g_error_free(error);
        return NULL;
    }
    GPtrArray *list = g_ptr_array_new();
    for (const char *name; (name = g_dir_read_name(d));)
        if (g_str_has_suffix(name, ".ini"))
            g_ptr_array_add(list, g_strndup(name, strlen(name) - strlen(".ini")));
    g_dir_close(d);
    g_ptr_array_sort(list, by_name);
    g_ptr_array_add(list, NULL);
    return (gchar **)g_ptr_array_free(list, FALSE);
}

static void print_line(const char *name, const struct config *c) {
    unsigned n[STATUSES];
    count_statuses(c, n);
    printf("%-12s %4llu %5.0f %6.1f  %-5s %4.0f %6.0f  %llu.%llu  %4u %4u %4u %4u %4u\n", name,
           (unsigned long long)c->sm_count, c->clock_core_mhz, (double)c->l2_bytes / 1048576,
           strcmp(c->dram_preset, "none") ? c->dram_preset : "-",
           (double)c->dram_bytes / 1073741824, c->dram_bandwidth, (unsigned long long)c->gpu_major,
           (unsigned long long)c->gpu_minor, n[0], n[1], n[2], n[3], n[4]);
}

static json_t *object_of(const char *name, const struct config *c) {
    unsigned n[STATUSES];
    count_statuses(c, n);
    json_t *by_status = json_object();
    for (unsigned s = 0; s < STATUSES; s++)
        json_object_set_new(by_status, statuses[s], json_integer(n[s]));
    return json_pack("{s:s, s:s, s:s, s:I, s:f, s:I, s:s, s:I, s:f, s:f, s:[I, I], s:o}", "name",
                     name, "title", c->gpu_name, "file", c->file, "sms", (json_int_t)c->sm_count,
                     "clock_mhz", c->clock_core_mhz, "l2_bytes", (json_int_t)c->l2_bytes, "memory",
                     c->dram_preset, "memory_bytes", (json_int_t)c->dram_bytes, "read_gb_per_s",
                     c->dram_bandwidth, "write_gb_per_s", c->dram_write_bandwidth,
                     "compute_capability", (json_int_t)c->gpu_major, (json_int_t)c->gpu_minor,
                     "parameters", by_status);
}

/* Prints one GPU as the options say, or adds it to `list`. @return 0, or EXIT_HEDDLE. */
static int tell(const char *name, const struct cli_paths *paths, const struct gpus_options *o,
                json_t *list) {
    struct heddle_diag diag = {0};
    struct config *c = NULL;
    if (o->names) {
        printf("%s\n", name);
        return 0;
    }
    if (config_load(&c, name, paths->gpus, NULL, 0, &diag)) return cli_error("%s", diag.text);
    if (o->json)
        json_array_append_new(list, object_of(name, c));
    else
        print_line(name, c);
    config_free(c);
    return 0;
}

int cli_gpus(int argc, char **argv) {
    struct gpus_options o = {0};
    struct cli_paths paths;
    int status;
    if (!cli_options(CLI(gpus), places, &o, &argc, &argv, &status)) return status;
    if (argc > 1) return cli_error("heddle gpus takes no arguments, not '%s'", argv[1]);
    if (!cli_find_paths(&paths)) return cli_error("cannot find out where Heddle is installed");
    gchar **names = list_names(paths.gpus);
    if (!names) return EXIT_HEDDLE;
    json_t *list = json_array();
    if (!o.json && !o.names)
        printf("%-12s %4s %5s %6s  %-5s %4s %6s  %3s  %4s %4s %4s %4s %4s\n", "GPU", "SMs", "MHz",
               "L2 MiB", "DRAM", "GiB", "GB/s", "CC", "vend", "meas", "derv", "fitd", "gues");
    for (gchar **name = names; *name; name++) {
        const int bad = tell(*name, &paths, &o, list);
        if (bad) status = bad;
    }
    if (o.json) {
        json_dumpf(list, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
        printf("\n");
    } else if (!o.names) {
        printf("\nThe last columns count the parameters of a GPU's file by what they rest on: its\n"
               "vendor says it, it was measured, derived, fitted to measurements, or guessed.\n"
               "`heddle config --gpu NAME` prints each with its source.\n");
    }
    json_decref(list);
    g_strfreev(names);
    return status;
}

/* report_page.c - prints docs/statistics.md from tables/statistics.def and
 * tables/kernel_record.def. cmd_config.c calls it on the main thread of `heddle config --page
 * statistics`. */
#include <stdio.h>

#include "report/power.h"
#include "report/report_internal.h"

/* A row of tables/kernel_record.def; those with an empty name are not printed. */
struct kernel_row {
    const char *name, *unit, *meaning;
    unsigned csv; /* column in kernels.csv, 0: none */
};

static const struct kernel_row kernel_rows[] = {
#define MEMBER(type, member, array, sum, name, form, csv, unit, meaning) {name, unit, meaning, csv},
#define DERIVED(name, form, value, csv, unit, meaning) {name, unit, meaning, csv},
#include "tables/kernel_record.def"
};

static const char *or_dash(const char *text) {
    return *text ? text : "-";
}

/* Prints the page to `out`: the statistics of a run, then those of each launch. */
void report_print_page(FILE *out) {
    fprintf(out, "# Statistics\n\n"
                 "Made from `host/tables/statistics.def` and `host/tables/kernel_record.def`; a "
                 "test fails when page and tables differ.\n\n"
                 "## Of a run\n\n"
                 "In `report.json` and `statistics.csv`.\n\n"
                 "| name | unit | scope | meaning |\n|---|---|---|---|\n");
    for (unsigned i = 0; i < NUM_STATISTICS; i++)
        fprintf(out, "| `%s` | %s | %s | %s |\n", statistic_rows[i].name, statistic_rows[i].unit,
                statistic_rows[i].scope, statistic_rows[i].meaning);
    fprintf(out,
            "\n## Of nodes and their network\n\n"
            "With `--nodes` and timing, in `report.json`: `waits`, `cp` and `nic` in each "
            "entry of `nodes.list`, the sums of all `waits` and `cp`, and `network`. Made from "
            "`host/tables/node_statistics.def`.\n\n"
            "| part | name | unit | meaning |\n|---|---|---|---|\n");
    for (unsigned i = 0; i < NUM_NODE_STATISTICS; i++) {
        const struct node_statistic_row *s = &node_statistic_rows[i];
        fprintf(out, "| `%s` | `%s` | %s | %s |\n", s->part, s->name, s->unit, s->meaning);
    }
    fprintf(out,
            "\n`energy` in each entry of `nodes.list`, in nJ: what the node's service threads have "
            "used, and the `sum`. Made from `host/tables/service_energy.def`.\n\n"
            "| name | meaning |\n|---|---|\n");
    for (unsigned i = 0; i < NUM_SERVICE_ENERGIES; i++)
        fprintf(out, "| `%s` | %s |\n", service_energy_rows[i].name,
                service_energy_rows[i].meaning);
    fprintf(out, "\n## Of each launch\n\n"
                 "In `report.json`; those with a column also in `kernels.csv`.\n\n"
                 "| name | unit | column | meaning |\n|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof kernel_rows / sizeof kernel_rows[0]; i++) {
        const struct kernel_row *k = &kernel_rows[i];
        if (!*k->name) continue;
        fprintf(out, "| `%s` | %s | ", k->name, or_dash(k->unit));
        if (k->csv)
            fprintf(out, "%u", k->csv);
        else
            fprintf(out, "-");
        fprintf(out, " | %s |\n", k->meaning);
    }
    fprintf(out, "\n## Of each unit\n\n"
                 "The energy of `power` of a launch goes to these `units`, in nJ. `power` of the "
                 "run has energies in J and shares ([power](power.md)). Made from "
                 "`host/tables/power.def`.\n\n"
                 "| name | meaning |\n|---|---|\n");
    for (unsigned i = 0; i < POWER_UNITS; i++)
        fprintf(out, "| `%s` | %s |\n", power_unit_rows[i].name, power_unit_rows[i].meaning);
    fprintf(out, "\n## Of each instruction\n\n"
                 "In `instructions.csv`, for each instruction of each kernel, over its launches "
                 "that were timed: `device`, `kernel`, `instruction` (its number), `operation`, "
                 "`file` and `line` (by `-lineinfo`; else empty and 0), `ptx_line`, and these. "
                 "Made from `host/tables/code_counts.def`.\n\n"
                 "| name | unit | meaning |\n|---|---|---|\n");
    for (unsigned i = 0; i < CODE_SPOTS; i++)
        fprintf(out, "| `%s` | %s | %s |\n", code_count_rows[i].name, code_count_rows[i].unit,
                code_count_rows[i].meaning);
}

/* dram_page.c - prints the tables of the memory models as docs/memory-tables.md. cmd_config.c calls
 * dram_print_page() on the main thread of `heddle config --page memory`. Each static function
 * prints one section from its table to `out`. */
#include "models/hbm/dram_page.h"

static void models(FILE *out) {
    fprintf(out, "## Models\n\n| `dram.model` | what it is |\n|---|---|\n");
#define MODEL(name, create, text) fprintf(out, "| `%s` | %s |\n", name, text);
#include "models/hbm/hbm_models.def"
}

/* The mappings of dram_maps.def. */
static void maps(FILE *out) {
    fprintf(out, "\n## Mappings\n\n"
                 "Fields of an address within its pseudo-channel from the lowest bit on: `l` "
                 "columns of a 128-byte\nline, `c` the other columns, `g` bank group, `b` bank, "
                 "`s` stack ID, `r` row.\n\n"
                 "| `dram.mapping` | order | hash | what it does |\n|---|---|---|---|\n");
#define MAP(id, name, order, hash, text) \
    fprintf(out, "| `%s` | `%s` | %s | %s |\n", name, order, #hash, text);
#include "models/hbm/dram_maps.def"
}

static void commands(FILE *out) {
    fprintf(out, "\n## Commands\n\n| command | what it does |\n|---|---|\n");
#define COMMAND(id, text) fprintf(out, "| %s | %s |\n", #id, text);
#include "models/hbm/dram_commands.def"
}

/* The spacings of dram_timings.def. */
static void spacings(FILE *out) {
    fprintf(out, "\n## Spacings\n\nParameters `hbm.*` of the same names hold them.\n\n"
                 "| key | JEDEC | given in | meaning |\n|---|---|---|---|\n");
#define NS(field, key, name, text) fprintf(out, "| `hbm.%s` | %s | ns | %s |\n", key, name, text);
#define CK(field, key, name, text) \
    fprintf(out, "| `hbm.%s` | %s | clocks | %s |\n", key, name, text);
#include "tables/dram_timings.def"
}

/* The rules of dram_rules.def: first those about the distance of two commands. */
static void rules(FILE *out) {
    fprintf(out, "\n## Rules\n\n"
                 "What the checker knows. From a command to a later one of the same scope at least "
                 "so many clocks (`s`: the device):\n\n"
                 "| rule | scope | from | to | clocks |\n|---|---|---|---|---|\n");
#define STATE(id, text)
#define RULE(id, scope, previous, next, clocks, text) \
    fprintf(out, "| %s | %s | %s | %s | `%s` |\n", text, #scope, #previous, #next, #clocks);
#include "models/hbm/dram_rules.def"
    fprintf(out, "\nand what is not a time between two commands:\n\n");
#define RULE(id, scope, previous, next, clocks, text)
#define STATE(id, text) fprintf(out, "- %s\n", text);
#include "models/hbm/dram_rules.def"
}

/* Prints the page to `out`, section by section. */
void dram_print_page(FILE *out) {
    fprintf(out, "# Device memory: tables\n\n"
                 "Made from `models/hbm/*.def` and `host/tables/dram_timings.def`; a test fails "
                 "when page and tables differ.\n[memory.md](memory.md) explains them.\n\n");
    models(out);
    maps(out);
    commands(out);
    spacings(out);
    rules(out);
}

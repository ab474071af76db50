/* gen_mpi_calls.c - generates code and documentation from tables/mpi_calls.def, at build time.
 *
 *   gen_mpi_calls stubs        the functions that refuse
 *   gen_mpi_calls map          the linker's version script
 *   gen_mpi_calls page         docs/mpi-calls.md
 *   gen_mpi_calls implemented  names, one a line; refused: those that are not, for the tests */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum kind { IMPLEMENTED, REFUSED, SOFTLY };

static const struct {
    const char *name, *group;
    enum kind kind;
} calls[] = {
#define MPI_CALL(name, group) {#name, group, IMPLEMENTED},
#define MPI_REFUSED(name, group) {#name, group, REFUSED},
#define MPI_SOFTLY(name, group) {#name, group, SOFTLY},
#include "tables/mpi_calls.def"
};
enum { NUM_CALLS = sizeof calls / sizeof *calls };

static void print_stubs(void) {
    printf("/* Functions of MPI that are not supported, made from tables/mpi_calls.def by "
           "gen_mpi_calls: do not edit. */\n#include \"mpi/mpi_internal.h\"\n\n");
    for (int i = 0; i < NUM_CALLS; i++) {
        const char *name = calls[i].name;
        if (calls[i].kind == IMPLEMENTED) continue;
        printf("MPI_SHARED int P%s(void);\n"
               "MPI_SHARED int %s(void) __attribute__((weak, alias(\"P%s\")));\n"
               "int P%s(void) {\n    return mpi_refuse(\"%s\", %s);\n}\n",
               name, name, name, name, name, calls[i].kind == REFUSED ? "true" : "false");
    }
}

/* Symbols of Open MPI's have no version. */
static void print_map(void) {
    printf("{\n  global:\n");
    for (int i = 0; i < NUM_CALLS; i++) printf("    %s;\n    P%s;\n", calls[i].name, calls[i].name);
    printf("    MPI_F_STATUS_IGNORE;\n    MPI_F_STATUSES_IGNORE;\n    OMPI_C_MPI_*;\n    ompi_*;\n"
           "  local:\n    *;\n};\n");
}

/* The page's lists of names by group: of those that are implemented, or not. */
static void print_groups(int implemented) {
    const char *group = "";
    for (int i = 0; i < NUM_CALLS; i++) {
        if ((calls[i].kind == IMPLEMENTED) != implemented) continue;
        if (strcmp(group, calls[i].group) != 0) {
            group = calls[i].group;
            printf("\n\n### %c%s\n\n", toupper(*group), group + 1);
        } else {
            printf(",\n");
        }
        printf("`%s`", calls[i].name);
    }
    printf("\n");
}

static void print_page(void) {
    int count = 0;
    for (int i = 0; i < NUM_CALLS; i++) count += calls[i].kind == IMPLEMENTED;
    printf("# MPI calls\n\n"
           "Made from `host/tables/mpi_calls.def`; a test fails when page and table differ.\n\n"
           "Heddle's `libmpi.so.40` ([mpi.md](mpi.md)) exports %d functions of MPI, each also with "
           "`P` in\nfront, of which %d are implemented. The others name themselves on the terminal "
           "and fail\nwith `MPI_ERR_UNSUPPORTED_OPERATION`.\n\n## Implemented",
           NUM_CALLS, count);
    print_groups(1);
    printf("\n## Refused by name");
    print_groups(0);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "stubs"))
        print_stubs();
    else if (!strcmp(what, "map"))
        print_map();
    else if (!strcmp(what, "page"))
        print_page();
    else if (!strcmp(what, "implemented") || !strcmp(what, "refused")) {
        for (int i = 0; i < NUM_CALLS; i++)
            if ((calls[i].kind == IMPLEMENTED) == (*what == 'i')) printf("%s\n", calls[i].name);
    } else {
        fprintf(stderr, "usage: gen_mpi_calls stubs|map|page|implemented|refused\n");
        return 1;
    }
    return 0;
}

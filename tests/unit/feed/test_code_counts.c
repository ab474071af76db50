/* test_code_counts.c - feed/code_counts.h: profiles outlive their modules, sums are taken element
 * by element, and the instruction with most of a count is found, the first of equals. */
#include <criterion/criterion.h>
#include <string.h>

#include "feed/code_counts.h"

enum { INST = 4 };

Test(code_counts, places) {
    char file[] = "dir/a.cu", empty[] = "";
    const char *files[] = {empty, file};
    struct mir_inst code[INST] = {{.op = MIR_LDG, .ptx_line = 9, .loc = 1u << 20 | 17},
                                  {.op = MIR_STG, .ptx_line = 11},
                                  {.op = MIR_EXIT, .ptx_line = 12, .loc = 1u << 20},
                                  {.op = MIR_NOP, .loc = 7u << 20 | 5}};
    const struct mir_function f = {.name = "_Z6kernelv", .code = code, .num_inst = INST};
    struct mir_text *ptx = mir_text_create("ptx", 3);
    const struct mir_module m = {.files = files, .num_files = 2, .text = ptx};
    struct code_profile *p = code_profile_create("kernel", &f, &m);
    memset(file, 'x', sizeof file - 1); /* the module is gone */
    mir_text_release(ptx);
    memset(code, 0, sizeof code);
    cr_expect_str_eq(p->name, "kernel");
    cr_expect_str_eq(p->symbol, "_Z6kernelv");
    cr_expect_str_eq(p->ptx->text, "ptx");
    cr_expect_eq(p->inst[1].op, MIR_STG);
    cr_expect_eq(p->num_inst, INST);
    cr_assert(p->place[0].file);
    cr_expect_str_eq(p->place[0].file, "dir/a.cu");
    cr_expect_eq(p->place[0].line, 17);
    cr_expect_eq(p->place[0].ptx_line, 9);
    cr_expect_eq(p->place[0].op, MIR_LDG);
    for (unsigned i = 1; i < INST; i++) { /* without .loc, without a line, of no file */
        cr_expect_null(p->place[i].file, "%u", i);
        cr_expect_eq(p->place[i].line, 0, "%u", i);
    }
    cr_expect_eq(p->place[1].ptx_line, 11);
    code_profile_free(p);
    code[0] = (struct mir_inst){.op = MIR_LDG, .loc = 1u << 20 | 17};
    p = code_profile_create("no module", &f, NULL);
    cr_expect_null(p->place[0].file);
    code_profile_free(p);
    code_profile_free(NULL);
}

Test(code_counts, sums_and_spots) {
    struct code_count sum[INST] = {{.warps = 5}, {.warps = 7, .sectors = 1}, {.warps = 7}, {0}};
    const struct code_count more[INST] = {{.warps = 1}, {.sectors = 2}, {0}, {.waits = 3}};
    uint32_t spot[CODE_SPOTS];
    uint64_t most[CODE_SPOTS];
    code_counts_add(sum, more, INST);
    cr_expect_eq(sum[0].warps, 6);
    cr_expect_eq(sum[1].sectors, 3);
    cr_expect_eq(code_count_of(&sum[3], CODE_SPOT_waits), 3);
    code_spots_find(sum, INST, spot, most);
    cr_expect_eq(spot[CODE_SPOT_warps], 1, "the first of equals");
    cr_expect_eq(most[CODE_SPOT_warps], 7);
    cr_expect_eq(spot[CODE_SPOT_sectors], 1);
    cr_expect_eq(spot[CODE_SPOT_waits], 3);
    cr_expect_eq(spot[CODE_SPOT_divergent], CODE_NOWHERE);
    cr_expect_eq(most[CODE_SPOT_divergent], 0);
    cr_expect_str_eq(code_count_rows[CODE_SPOT_excess_sectors].name, "excess_sectors");
}

/* test_annotate_print.c - annotate/annotate.h: what is printed of a kernel, to the character. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/annotate.h"
#include "made_run.h"

/* What is printed of kernel number `kernel` of the run; the caller frees it. */
static char *printed(const struct made_run *m, uint32_t kernel, struct annotate_options o) {
    char *directory = made_run_write(m), *text;
    struct heddle_diag diag = {0};
    struct source_view *v;
    size_t size;
    cr_assert_eq(source_view_read(&v, directory, &diag), HEDDLE_OK, "%s", diag.text);
    FILE *f = open_memstream(&text, &size);
    annotate_print(v, kernel, &o, f);
    fclose(f);
    source_view_free(v);
    made_run_remove(directory);
    return text;
}

/* The same, which must be the text. */
static void prints(const struct made_run *m, uint32_t kernel, struct annotate_options o,
                   const char *expected) {
    char *text = printed(m, kernel, o);
    cr_expect_str_eq(text, expected);
    free(text);
}

Test(annotate, hottest_lines) {
    prints(
        &(struct made_run){0}, 0, (struct annotate_options){.width = 100, .top = 20},
        "second: 3 launches, grid 5 x 1 x 1, block 32 x 1 x 1 and others\n"
        "  0.01 us, 90.0 % of the kernels' time, 400 cycles\n"
        "  occupancy 40.0 of 50.0 %; sub-cores had a warp in 60.0 % of their cycles\n"
        "Hottest lines of /src/a.cu\n"
        "     % most of it, %       warps  lanes s/req  L1 %  line\n"
        "  79.2 memory        50.0     30   26.7   4.0  25.0     2 p[0]++;\n"
        "  20.8 drain         16.7      5   32.0             no line B0-----:R-:W-:-:S01  EXIT\n");
}

/* A narrow terminal has a line for the text alone; --top cuts. */
Test(annotate, narrow) {
    prints(&(struct made_run){0}, 0, (struct annotate_options){.width = 60, .top = 1},
           "second: 3 launches, grid 5 x 1 x 1, block 32 x 1 x 1 and others\n"
           "  0.01 us, 90.0 % of the kernels' time, 400 cycles\n"
           "  occupancy 40.0 of 50.0 %; sub-cores had a warp in 60.0 % of their cycles\n"
           "Hottest lines of /src/a.cu\n"
           "     % most of it, %       warps  lanes s/req  L1 %  line\n"
           "  79.2 memory        50.0     30   26.7   4.0  25.0     2 \n"
           "        p[0]++;\n"
           "  and 1 more line (--top, --lines)\n");
}

/* Without the source there is the PTX, and the reason. */
Test(annotate, missing_source) {
    prints(&(struct made_run){0}, 1, (struct annotate_options){.width = 100, .top = 20},
           "first: 1 launch, grid 1 x 1 x 1, block 32 x 1 x 1\n"
           "  0.00 us, 10.0 % of the kernels' time, 100 cycles\n"
           "  occupancy 50.0 of 100.0 %; sub-cores had a warp in 25.0 % of their cycles\n"
           "Hottest lines of /src/gone.cu\n"
           "No text of /src/gone.cu: the run could not read it\n"
           "     % most of it, %       warps  lanes  line\n"
           " 100.0 issued       100.0      2   32.0     7 ptx: st.global.u32 [%rd1], %r2;\n");
}

/* All lines, each with its PTX and MIR. */
Test(annotate, lines) {
    char *text = printed(&(struct made_run){0}, 0,
                         (struct annotate_options){.width = 90, .ptx = true, .mir = true});
    static const char expected[] =
        "     % most of it, %       warps  line  /src/a.cu\n"
        "                                     1  __global__ void second(int *p) {\n"
        "  79.2 memory        50.0     30     2      p[0]++;\n"
        "  12.5 issued         8.3     10     ptx    2  ld.global.u32 %r1, [%rd1];\n"
        "  12.5 issued         8.3     10             0  LDG R1, [R2:]\n"
        "  58.3 memory        50.0     10     ptx    3  add.s32 %r2, %r1, 1;\n"
        "  58.3 memory        50.0     10             1  IADD3 R1, R1, 0x1, RZ\n"
        "   8.3 issued         8.3     10     ptx    4  st.global.u32 [%rd1], %r2;\n"
        "   8.3 issued         8.3     10             2  STG [R2:], R1\n"
        "                                     3  }\n"
        "     % most of it, %       warps  line  of no source line\n"
        "  20.8 drain         16.7      5        \n"
        "  20.8 drain         16.7      5             3  EXIT\n";
    cr_assert(strlen(text) > strlen(expected));
    cr_expect_str_eq(text + strlen(text) - strlen(expected), expected);
    free(text);
}

/* A backend that tells of no issues: shares are of executions. */
Test(annotate, without_issues) {
    prints(&(struct made_run){.no_issues = true}, 0,
           (struct annotate_options){.width = 100, .top = 20},
           "second: 3 launches, grid 5 x 1 x 1, block 32 x 1 x 1 and others\n"
           "  0.01 us, 90.0 % of the kernels' time, 400 cycles\n"
           "  occupancy 40.0 of 50.0 %\n"
           "  The timing core told of no issues: shares are of executions, and there are no waits\n"
           "Hottest lines of /src/a.cu\n"
           "     %  warps  lanes s/req  L1 %  line\n"
           "  85.7     30   26.7   4.0  25.0     2 p[0]++;\n"
           "  14.3      5   32.0             no line B0-----:R-:W-:-:S01  EXIT\n");
}

/* Colour begins and ends around the counts alone. */
Test(annotate, colour) {
    char *text = printed(&(struct made_run){0}, 0,
                         (struct annotate_options){.width = 100, .top = 1, .colour = true});
    cr_expect(strstr(text, "\033[1;31m  79.2 memory        50.0     30   26.7   4.0  25.0 \033[0m"
                           "    2 p[0]++;\n"),
              "%s", text);
    free(text);
}

/* No line is wider than the terminal. */
Test(annotate, width) {
    for (unsigned width = 60; width <= 200; width += 35) {
        char *text = printed(
            &(struct made_run){0}, 0,
            (struct annotate_options){.width = width, .lines = true, .ptx = true, .mir = true});
        const char *line = strstr(text, "their cycles"); /* behind the head */
        cr_assert(line);
        line = strchr(line, '\n') + 1;
        while (*line) {
            const size_t n = strcspn(line, "\n");
            cr_expect_leq(n, width, "%.*s", (int)n, line);
            line += n + (line[n] == '\n');
        }
        free(text);
    }
}

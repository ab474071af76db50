/* gen_opencl_calls.c - prints docs/opencl-calls.md, made from tables/opencl_calls.def. */
#include <stdio.h>

int main(void) {
    static const struct {
        const char *name, *since, *note;
        int served;
    } rows[] = {
#define OPENCL_SERVED(name, since, note) {#name, since, note, 1},
#define OPENCL_REFUSED(name, since, what) {#name, since, what, 0},
#include "tables/opencl_calls.def"
    };
    const int count = sizeof rows / sizeof rows[0];
    int served = 0;
    for (int i = 0; i < count; i++) served += rows[i].served;
    printf("# OpenCL calls\n\n"
           "Made from `host/tables/opencl_calls.def`; a test fails when page and table differ.\n\n"
           "The dispatch table of Heddle's OpenCL platform has %d entry points, of which %d are\n"
           "served. The others return `CL_INVALID_OPERATION` and print their name once.\n"
           "[opencl.md](opencl.md) says how the platform works.\n\n"
           "## Served\n\n| call | since | remark |\n|---|---|---|\n",
           count, served);
    for (int i = 0; i < count; i++)
        if (rows[i].served)
            printf("| `%s` | %s |%s%s |\n", rows[i].name, rows[i].since, *rows[i].note ? " " : "",
                   rows[i].note);
    printf("\n## Refused\n\n| call | since | missing |\n|---|---|---|\n");
    for (int i = 0; i < count; i++)
        if (!rows[i].served)
            printf("| `%s` | %s | %s |\n", rows[i].name, rows[i].since, rows[i].note);
    return 0;
}

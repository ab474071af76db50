/* test_read_table.c - tables of metrics written by hand: what is read, and what is refused. */
#include <criterion/criterion.h>
#include <math.h>

#include "profile_text.h"

Test(read_table, rows_become_kernels) {
    struct profile_text p = profile_good("# by hand\n"
                                         "\n"
                                         "name,time,ctas,gpu,dram_read\r\n"
                                         "\"copy, large\",12.5,80,v100,1e9\n"
                                         "# an empty cell is an unknown metric\n"
                                         "read,3,1,,\n");
    cr_assert_eq(p.kernels.count, 2);
    cr_assert_str_eq(p.kernels.at[0].name, "copy, large");
    cr_assert_eq(p.kernels.at[1].launch, 1);
    cr_assert_str_eq(p.gpu.name, "v100");
    profile_metric(&p, 0, METRIC_TIME, 12.5);
    profile_metric(&p, 0, METRIC_CTAS, 80);
    profile_metric(&p, 0, METRIC_DRAM_READ, 1e9);
    profile_metric(&p, 1, METRIC_TIME, 3);
    profile_metric(&p, 1, METRIC_DRAM_READ, NAN);
    profile_metric(&p, 1, METRIC_REGISTERS, NAN);
    project_kernels_clear(&p.kernels);
}

Test(read_table, a_byte_order_mark) {
    struct profile_text p = profile_good("\xEF\xBB\xBFname,time\nk,1\n");
    profile_metric(&p, 0, METRIC_TIME, 1);
    project_kernels_clear(&p.kernels);
}

Test(read_table, columns_that_are_wrong) {
    profile_bad("name,tme\nk,1\n", "f.csv:1: unknown column 'tme', did you mean 'time'?");
    profile_bad("# head\nname,GPU\nk,v100\n", "f.csv:2: unknown column 'GPU', did you mean 'gpu'?");
    profile_bad("name,time,time\nk,1,2\n", "f.csv:1: column 'time' is there twice");
    profile_bad("name,time\n", "f.csv: no kernel is in the table");
}

Test(read_table, rows_that_are_wrong) {
    profile_bad("name,time,ctas\nk,1,2\nl,1\n", "f.csv:3: the row has 2 cells, the header 3");
    profile_bad("name,time\nk,1,\n", "f.csv:2: the row has 3 cells, the header 2");
    profile_bad("name,time\n\n,1\n", "f.csv:3: the kernel has no name");
    profile_bad("name,time\nk,12us\n", "f.csv:2: time = 12us is not a number");
    profile_bad("name,time\nk,\"1,5\"\n", "f.csv:2: time = 1,5 is not a number");
    profile_bad("name,time\nk,nan\n", "f.csv:2: time = nan is not a number");
    profile_bad("name,time\nk,-1\n", "f.csv:2: time = -1 is negative");
    profile_bad("name,gpu\nk,v100\nl,a100-40\n",
                "f.csv:3: gpu = a100-40, above it is v100: a profile is of one GPU");
    profile_bad("name,time\nk,\"1\n", "f.csv:2: a quote is not closed: the file is cut short");
}

/* report_names.c - launches by the name of their kernel. */
#include <stdlib.h>
#include <string.h>

#include "report/report_internal.h"

bool report_each_name(const struct report *r, report_name_fn *each, void *user) {
    unsigned char *done = calloc(r->num_kernels + 1, 1);
    struct gpu_kernel_record *same = malloc((r->num_kernels + 1) * sizeof *same), sum;
    bool room = done && same;
    for (size_t i = 0; room && i < r->num_kernels; i++) {
        struct report part = *r;
        if (done[i]) continue;
        part.kernels = same;
        part.num_kernels = 0;
        for (size_t j = i; j < r->num_kernels; j++) {
            if (done[j] || strcmp(r->kernels[j].name, r->kernels[i].name)) continue;
            done[j] = 1;
            same[part.num_kernels++] = r->kernels[j];
        }
        report_sum(&part, &sum);
        sum.name = same[0].name;
        each(user, &part, &sum);
    }
    free(same);
    free(done);
    return room;
}

/* report_interrupted.c - kernels that did not come to their end: how far they had come, and, if
 * their program was stopped, where their warps stood. For report_text.c and report_json.c. */
#include <stdio.h>

#include "report/report_internal.h"

void stopped_print(const struct report *r, FILE *out) {
    enum { MOST = 8 };
    const struct report_launches *l = r->launches;
    size_t count = 0;
    for (size_t i = 0; i < l->num_kernels; i++) {
        const struct gpu_kernel_record *k = &l->kernels[i];
        if (!k->stopped || count++ >= MOST) continue;
        fprintf(out, "Launch %llu", (unsigned long long)k->launch);
        if (r->gpus > 1) fprintf(out, " on GPU %u", k->device);
        fprintf(out, ", %s: stopped at CTA %llu of %llu\n", k->name,
                (unsigned long long)k->ctas_done,
                (unsigned long long)k->grid[0] * k->grid[1] * k->grid[2]);
    }
    if (count > MOST)
        fprintf(out, "%zu launches more were stopped: kernels.csv.zst\n", count - MOST);
}

void interrupted_print(const struct report *r, FILE *out) {
    for (size_t i = 0; i < r->num_interrupted; i++) {
        const struct gpu_interruption *k = r->interrupted[i];
        const struct exec_standing *s = k->standing;
        fprintf(out, "Interrupted: kernel %s, launch %llu, after %llu of %llu CTAs, ", k->kernel,
                (unsigned long long)k->launch, (unsigned long long)k->ctas_done,
                (unsigned long long)k->ctas);
        if (k->cycles) fprintf(out, "%llu cycles, ", (unsigned long long)k->cycles);
        fprintf(out, "%llu warp instructions; %llu warps of %llu CTAs were resident",
                (unsigned long long)k->warp_inst, (unsigned long long)s->warps,
                (unsigned long long)s->ctas);
        const uint64_t wait = k->ctas - k->ctas_done - s->ctas;
        if (wait) fprintf(out, ", %llu CTAs waited for a place", (unsigned long long)wait);
        fprintf(out, s->warps ? ":\n" : "\n");
        for (unsigned n = 0; n < s->num_places; n++) {
            const struct exec_standing_place *p = &s->place[n];
            if (p->warps > 1)
                fprintf(out, "  %llu like %s\n", (unsigned long long)p->warps, p->text);
            else
                fprintf(out, "  %s\n", p->text);
        }
        if (s->others) fprintf(out, "  and %llu elsewhere\n", (unsigned long long)s->others);
    }
}

json_t *interrupted_array(const struct report *r) {
    json_t *all = json_array();
    for (size_t i = 0; i < r->num_interrupted; i++) {
        const struct gpu_interruption *k = r->interrupted[i];
        const struct exec_standing *s = k->standing;
        json_t *places = json_array();
        for (unsigned n = 0; n < s->num_places; n++)
            json_array_append_new(places,
                                  json_pack("{s:I, s:s}", "warps", (json_int_t)s->place[n].warps,
                                            "first", s->place[n].text));
        json_array_append_new(
            all,
            json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "name", k->kernel, "launch",
                      (json_int_t)k->launch, "ctas_done", (json_int_t)k->ctas_done, "ctas",
                      (json_int_t)k->ctas, "cycles", (json_int_t)k->cycles, "warp_instructions",
                      (json_int_t)k->warp_inst, "resident_warps", (json_int_t)s->warps,
                      "resident_ctas", (json_int_t)s->ctas, "places", places));
    }
    return all;
}

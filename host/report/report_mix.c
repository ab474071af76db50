/* report_mix.c - the instruction mix, the lanes of each kernel's warp instructions by category:
 * table, CSV and JSON. report_json.c and report_text.c call it on the main thread of `heddle run`,
 * when the program has ended.
 *
 * A row stands for a kernel name and sums its launches. Its parts add up to 32 lanes for each warp
 * instruction; `inactive` counts lanes disabled by a predicate, a branch, or the end of the CTA.
 * The categories are nvprof's (tables/mir_kinds.def). Functions read the report and write to the
 * open file that they are given, and leave errors to fclose(). */
#include <stdlib.h>

#include "report/report_internal.h"

enum { INACTIVE = MIR_MIX_COUNT, MIX_PARTS, LANES = 32 };

/* Name of a part: a category, or "inactive". */
static const char *mix_name(unsigned part) {
    return part == INACTIVE ? "inactive" : mir_mix_name((mir_mix)part);
}

/* Lanes of a part, over all warp instructions of the record. */
static uint64_t mix_lanes(const struct gpu_kernel_record *k, unsigned part) {
    return part == INACTIVE ? k->warp_inst * LANES - mir_all_kinds(k->thread_inst)
                            : mir_mix_count(k->thread_inst, (mir_mix)part);
}

/* The mix of a launch as a new JSON object: lanes by category. */
json_t *mix_object(const struct gpu_kernel_record *k) {
    json_t *o = json_object();
    for (unsigned p = 0; p < MIX_PARTS; p++)
        json_object_set_new(o, mix_name(p), json_integer((json_int_t)mix_lanes(k, p)));
    return o;
}

/* Operations of a launch that rooflines count, by type, as a new JSON object. */
json_t *operations_object(const struct gpu_kernel_record *k) {
    json_t *o = json_object();
    for (unsigned i = 0; i < MIR_OPERATION_COUNT; i++)
        json_object_set_new(
            o, mir_operation_name((mir_operation)i),
            json_integer((json_int_t)mir_operation_count(k->thread_inst, (mir_operation)i)));
    return o;
}

/* Prints the mix as percentages of lanes, at most REPORT_MOST_LINES kernels. Parts that are 0 for
 * all kernels have no column. */
void mix_print(const struct report *r, FILE *out) {
    struct report_sums list;
    bool some[MIX_PARTS] = {false};
    report_sums(r, &list);
    size_t shown = list.count < REPORT_MOST_LINES ? list.count : REPORT_MOST_LINES;
    for (size_t i = 0; i < list.count; i++)
        for (unsigned p = 0; p < MIX_PARTS; p++) some[p] |= mix_lanes(&list.of[i].k, p) != 0;
    report_print_name("Instructions, % of lanes", out);
    for (unsigned p = 0; p < MIX_PARTS; p++)
        if (some[p]) fprintf(out, "  %8s", mix_name(p));
    fputc('\n', out);
    for (size_t i = 0; i < shown; i++) {
        const struct gpu_kernel_record *k = &list.of[i].k;
        report_print_name(k->name, out);
        for (unsigned p = 0; p < MIX_PARTS; p++)
            if (some[p])
                fprintf(out, "  %8.1f",
                        100.0 * (double)mix_lanes(k, p) / (double)(k->warp_inst * LANES));
        fputc('\n', out);
    }
    if (list.count > shown)
        fprintf(out, "%zu kernels more: instruction_mix.csv\n", list.count - shown);
    free(list.of);
}

/* Writes instruction_mix.csv: lanes by part, a line for each kernel. */
void mix_write_csv(const struct report *r, FILE *f) {
    struct report_sums list;
    report_sums(r, &list);
    fputs("name,warp_instructions", f);
    for (unsigned p = 0; p < MIX_PARTS; p++) fprintf(f, ",%s", mix_name(p));
    fputc('\n', f);
    for (size_t i = 0; i < list.count; i++) {
        report_csv_name(list.of[i].k.name, f);
        fprintf(f, ",%llu", (unsigned long long)list.of[i].k.warp_inst);
        for (unsigned p = 0; p < MIX_PARTS; p++)
            fprintf(f, ",%llu", (unsigned long long)mix_lanes(&list.of[i].k, p));
        fputc('\n', f);
    }
    free(list.of);
}

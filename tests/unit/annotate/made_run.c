/* made_run.c - see made_run.h. Kernel "second" has most of the time, "first" has no source lines
 * but one. The counts of instruction i of kernel k are easy to tell from each other. */
#include "made_run.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "annotate/source_view.h"
#include "common/crc32c.h"
#include "common/packed_lines.h"

const char made_code[] = "heddle-code 1\n"
                         "module 4\n"
                         ".version 6.0\n"
                         "\tld.global.u32 %r1, [%rd1];\n"
                         "\tadd.s32 %r2, %r1, 1;\n"
                         "\tst.global.u32 [%rd1], %r2;\n"
                         "source there 3 /src/a.cu\n"
                         "__global__ void second(int *p) {\n"
                         "    p[0]++;\n"
                         "}\n"
                         "source missing 0 /src/gone.cu\n"
                         "kernel 0 0 1 _Z5firstv first\n"
                         "B------:R-:W-:-:S01  EXIT\n"
                         "kernel 0 0 4 _Z6secondIfEvPi second\n"
                         "B------:R-:W0:-:S01  LDG R1, [R2:]\n"
                         "B0-----:R-:W-:-:S04  IADD3 R1, R1, 0x1, RZ\n"
                         "B------:R0:W-:-:S01  STG [R2:], R1\n"
                         "B0-----:R-:W-:-:S01  EXIT\n";

/* A row: the counts are given by name. */
static void row(FILE *f, const char *head, const struct source_counts *c) {
    fputs(head, f);
    for (unsigned s = 0; s < SOURCE_COUNTS; s++)
        fprintf(f, ",%llu", (unsigned long long)source_count_of(c, s));
    fputc('\n', f);
}

char *made_instructions(void) {
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fputs("device,kernel,instruction,operation,file,line,ptx_line", f);
    for (unsigned s = 0; s < SOURCE_COUNTS; s++) fprintf(f, ",%s", source_count_rows[s].name);
    fputc('\n', f);
    row(f, "0,\"first\",0,EXIT,\"/src/gone.cu\",7,4",
        &(struct source_counts){.warps = 2, .threads = 64, .issued = 2});
    row(f, "0,\"second\",0,LDG,\"/src/a.cu\",2,2",
        &(struct source_counts){.warps = 10,
                                .threads = 160,
                                .requests = 10,
                                .sectors = 40,
                                .issued = 10,
                                .wait_constant = 5,
                                .l1_sectors = 40,
                                .l1_hits = 10});
    row(f, "0,\"second\",1,IADD3,\"/src/a.cu\",2,3",
        &(struct source_counts){.warps = 10, .threads = 320, .issued = 10, .wait_memory = 60});
    row(f, "0,\"second\",2,STG,\"/src/a.cu\",2,4",
        &(struct source_counts){
            .warps = 10, .threads = 320, .requests = 10, .sectors = 40, .issued = 10});
    row(f, "0,\"second\",3,EXIT,,0,0",
        &(struct source_counts){.warps = 5, .threads = 160, .issued = 5, .wait_drain = 20});
    fclose(f);
    return text;
}

static const char made_report[] =
    "{\"run\": {\"program\": \"./p\", \"gpu\": \"GPU\", \"timing\": \"%s\"},\n"
    " \"instructions_file\": {\"name\": \"instructions.csv\", \"rows\": %d, \"crc32c\": \"%08x\",\n"
    "  \"issues\": %s},\n"
    " \"code_file\": {\"name\": \"code.txt.zst\", \"rows\": %llu, \"crc32c\": \"%08x\"},\n"
    " \"kernel_groups\": [\n"
    "  {\"name\": \"first\", \"code\": 0, \"timed\": true, \"estimated\": false, \"launches\": 1,\n"
    "   \"grid\": [1, 1, 1], \"block\": [32, 1, 1], \"cycles\": 100, \"time_ps\": 1000,\n"
    "   \"sub_core_cycles\": 8, \"occupancy\": {\"theoretical\": 1.0, \"achieved\": 0.5}},\n"
    "  {\"name\": \"second\", \"code\": 1, \"timed\": true, \"estimated\": false, \"launches\": "
    "2,\n"
    "   \"grid\": [5, 1, 1], \"block\": [32, 1, 1], \"cycles\": 100, \"time_ps\": 6000,\n"
    "   \"sub_core_cycles\": 150, \"occupancy\": {\"theoretical\": 0.5, \"achieved\": 0.25}},\n"
    "  {\"name\": \"second\", \"code\": 1, \"timed\": true, \"estimated\": false, \"launches\": "
    "1,\n"
    "   \"grid\": [6, 1, 1], \"block\": [32, 1, 1], \"cycles\": 300, \"time_ps\": 3000,\n"
    "   \"sub_core_cycles\": 50, \"occupancy\": {\"theoretical\": 0.5, \"achieved\": 0.45}},\n"
    "  {\"name\": \"second\", \"code\": 1, \"timed\": false, \"estimated\": false, \"launches\": "
    "9,\n"
    "   \"grid\": [6, 1, 1], \"block\": [32, 1, 1], \"cycles\": 0, \"time_ps\": 0,\n"
    "   \"sub_core_cycles\": 0, \"occupancy\": null},\n"
    "  {\"name\": \"third\", \"code\": null, \"timed\": true, \"estimated\": false,\n"
    "   \"launches\": 1}]}\n";

static FILE *create(const char *directory, const char *name) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "we");
    cr_assert(f, "%s", path);
    return f;
}

char *made_run_write(const struct made_run *m) {
    char *directory = strdup("/tmp/heddle-annotate-XXXXXX"), path[200];
    struct heddle_diag diag = {0};
    struct packed_writer *w;
    uint64_t lines;
    uint32_t code_sum;
    cr_assert(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/code.txt.zst", directory);
    cr_assert_eq(packed_writer_open(&w, path, &diag), HEDDLE_OK, "%s", diag.text);
    const char *code = m->code ? m->code : made_code;
    packed_writer_put(w, code, strlen(code));
    cr_assert_eq(packed_writer_commit(w, &lines, &code_sum, &diag), HEDDLE_OK, "%s", diag.text);
    char *usual = made_instructions();
    const char *rows = m->instructions ? m->instructions : usual;
    FILE *f = create(directory, "instructions.csv");
    fputs(rows, f);
    fclose(f);
    f = create(directory, "report.json");
    if (m->report)
        fputs(m->report, f);
    else
        fprintf(f, made_report, m->timing ? m->timing : "rtl", m->no_rows ? 0 : 5,
                crc32c(0, rows, strlen(rows)) + m->other_instructions,
                m->no_issues ? "false" : "true", (unsigned long long)lines,
                code_sum + m->other_code);
    fclose(f);
    free(usual);
    return directory;
}

void made_run_remove(char *directory) {
    static const char *const names[] = {"code.txt.zst", "instructions.csv", "report.json"};
    char path[200];
    for (unsigned i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        unlink(path);
    }
    cr_expect_eq(rmdir(directory), 0);
    free(directory);
}

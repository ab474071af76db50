/* test_sealed_file.c - host/common: checksums, files of records, JSON with a checksum, and output
 * files that are renamed when they are whole. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/crc32c.h"
#include "common/output_file.h"
#include "common/packed_lines.h"
#include "common/sealed_file.h"
#include "common/sealed_text.h"

#define PADDING                                                                                    \
    "the quick brown fox jumps over the lazy dog and the other dog and a third one, which sleeps " \
    "on"
static char directory[] = "/dev/shm/heddle-sealed-XXXXXX"; /* in memory: thousands of writes */
static char path[64];
static const struct sealed_identity own = {"test", 1, 0, {5, 6}, 7};

static void set_up(void) {
    cr_assert(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/file", directory);
}
static void tear_down(void) {
    char command[80];
    snprintf(command, sizeof command, "rm -r %s", directory);
    cr_assert_eq(system(command), 0);
}
TestSuite(sealed_file, .init = set_up, .fini = tear_down, .timeout = 60);

/* Reads the whole file into block[1000]. @return its bytes. */
static size_t read_file(char *block) {
    FILE *f = fopen(path, "r");
    cr_assert_not_null(f);
    size_t n = fread(block, 1, 1000, f);
    fclose(f);
    return n;
}

static void write_file(const char *block, size_t n) {
    FILE *f = fopen(path, "w");
    cr_assert(f && fwrite(block, 1, n, f) == n && fclose(f) == 0);
}

Test(sealed_file, checksums_of_the_standard) {
    unsigned char zeros[32] = {0}, ones[32], up[200];
    memset(ones, 255, sizeof ones);
    for (unsigned i = 0; i < sizeof up; i++) up[i] = (unsigned char)i;
    cr_expect_eq(crc32c(0, "123456789", 9), 0xe3069283);
    cr_expect_eq(crc32c(0, zeros, 32), 0x8a9136aa); /* RFC 3720, B.4 */
    cr_expect_eq(crc32c(0, ones, 32), 0x62a8ab43);
    cr_expect_eq(crc32c(0, up, 32), 0x46dd794e);
    for (unsigned from = 0; from < 9; from++)
        for (size_t n = 0; n < 100; n++) {
            uint32_t sum = crc32c(3, up + from, n);
            cr_expect_eq(sum, crc32c_by_table(3, up + from, n));
            cr_expect_eq(sum, crc32c(crc32c(3, up + from, n / 3), up + from + n / 3, n - n / 3));
        }
}

/* Writes three records. */
static void write_records(void) {
    struct sealed_writer w;
    struct heddle_diag diag = {0};
    cr_assert_eq(sealed_writer_begin(&w, path, &own, &diag), HEDDLE_OK, "%s", diag.text);
    sealed_writer_put(&w, "first", 5, " and more", 9);
    sealed_writer_put(&w, NULL, 0, NULL, 0);
    sealed_writer_put(&w, "third", 5, NULL, 0);
    cr_assert_neq(access(path, F_OK), 0); /* it has its name when it is whole */
    cr_assert_eq(sealed_writer_commit(&w, &diag), HEDDLE_OK, "%s", diag.text);
}

Test(sealed_file, records_come_back) {
    struct sealed_reader r;
    struct heddle_diag diag = {0};
    char block[20];
    uint32_t n;
    write_records();
    cr_assert_eq(sealed_reader_open(&r, path, &own, NULL, "", &diag), HEDDLE_OK, "%s", diag.text);
    cr_expect_eq(r.extent.records, 3);
    cr_expect(!sealed_reader_size(&r, &n, &diag) && n == 14);
    cr_expect(!sealed_reader_get(&r, block, 14, &diag) && !memcmp(block, "first and more", 14));
    cr_expect(!sealed_reader_get(&r, block, 0, &diag));
    cr_expect(!sealed_reader_get(&r, block, 5, &diag) && !memcmp(block, "third", 5));
    cr_expect_eq(sealed_reader_get(&r, block, 5, &diag), HEDDLE_ERR_IO);
    cr_expect_not_null(strstr(diag.text, "/file, record 3: there is none; "));
    sealed_reader_close(&r);
}

/* Opens the file and expects a message behind its name. */
static void refused(const struct sealed_identity *identity, const char *text) {
    struct sealed_reader r;
    struct heddle_diag diag = {0};
    cr_expect_eq(sealed_reader_open(&r, path, identity, NULL, "remove it", &diag), HEDDLE_ERR_IO);
    cr_expect_null(r.f);
    cr_expect_str_eq(diag.text + strlen(path), text);
}

Test(sealed_file, every_flip_and_every_cut_is_refused) {
    struct sealed_reader r;
    char whole[1000], block[1000];
    write_records();
    size_t n = read_file(whole);
    for (size_t bit = 0; bit < 8 * n; bit++) {
        memcpy(block, whole, n);
        block[bit / 8] ^= (char)(1 << bit % 8);
        write_file(block, n);
        cr_expect_eq(sealed_reader_open(&r, path, &own, NULL, "", NULL), HEDDLE_ERR_IO, "bit %zu",
                     bit);
    }
    for (size_t to = 0; to < n; to++) {
        write_file(whole, to);
        cr_expect_eq(sealed_reader_open(&r, path, &own, NULL, "", NULL), HEDDLE_ERR_IO, "%zu", to);
    }
    memcpy(block, whole, n);
    write_file(block, n + 1);
    refused(&own, ": its end is damaged; remove it");
}

Test(sealed_file, messages_say_what_is_wrong) {
    struct sealed_identity other = own;
    char block[1000];
    refused(&own, ": No such file or directory; remove it");
    write_records();
    other.version = 2;
    refused(&other, ": it has the format of another version of Heddle; remove it");
    other = own;
    other.kind[0] = 'x';
    refused(&other, ": it is a file of another kind; remove it");
    other = own;
    other.run[1] = 1;
    refused(&other, ": it belongs to another run, or to checkpoints of other inputs; remove it");
    size_t n = read_file(block);
    write_file(block, n - 30);
    refused(&own, ", record 2: the file is cut short; remove it");
    block[56 + 8 + 2] ^= 1;
    write_file(block, n);
    refused(&own, ", record 0: it is damaged (checksum); remove it");
    cr_assert(unlink(path) == 0 && mkfifo(path, 0600) == 0);
    refused(&own, ": Invalid argument; remove it");
}

Test(sealed_file, a_write_that_fails_is_told) {
    struct sealed_writer w = {.f = fopen("/dev/full", "w")};
    static char block[1 << 16];
    cr_assert_not_null(w.f);
    sealed_writer_put(&w, block, sizeof block, NULL, 0);
    cr_expect_not(sealed_log_sync(&w));
    cr_expect_eq(errno, ENOSPC);
    sealed_writer_close(&w);
}

Test(sealed_file, a_log_is_what_its_extent_covers) {
    struct sealed_writer w;
    struct sealed_reader r;
    struct heddle_diag diag = {0};
    char block[8];
    cr_assert(sealed_log_begin(&w, path, &own));
    sealed_writer_put(&w, "one", 3, NULL, 0);
    sealed_writer_put(&w, "two", 3, NULL, 0);
    cr_assert(sealed_log_sync(&w));
    struct sealed_extent extent = w.extent, shorter = w.extent;
    sealed_writer_put(&w, "lost", 4, NULL, 0);
    sealed_writer_close(&w);
    cr_assert_not(sealed_log_begin(&w, path, &own), "it exists");
    cr_assert_eq(sealed_reader_open(&r, path, &own, &extent, "", &diag), HEDDLE_OK);
    cr_expect(!sealed_reader_at(&r, 1, block, 3, &diag) && !memcmp(block, "two", 3));
    cr_expect(!sealed_reader_at(&r, 0, block, 3, &diag) && !memcmp(block, "one", 3));
    cr_expect_eq(sealed_reader_at(&r, 2, block, 3, &diag), HEDDLE_ERR_IO);
    sealed_reader_close(&r);
    shorter.records--;
    cr_expect_eq(sealed_reader_open(&r, path, &own, &shorter, "", &diag), HEDDLE_ERR_IO);
    shorter = extent;
    shorter.sum++;
    cr_expect_eq(sealed_reader_open(&r, path, &own, &shorter, "", &diag), HEDDLE_ERR_IO);
    cr_assert(sealed_log_continue(&w, path, &extent));
    sealed_writer_put(&w, "new", 3, NULL, 0);
    cr_assert(sealed_log_sync(&w));
    extent = w.extent;
    sealed_writer_close(&w);
    cr_assert_eq(sealed_reader_open(&r, path, &own, &extent, "", &diag), HEDDLE_OK);
    cr_expect(!sealed_reader_at(&r, 2, block, 3, &diag) && !memcmp(block, "new", 3));
    sealed_reader_close(&r);
}

Test(sealed_file, a_text_with_a_checksum) {
    struct heddle_diag diag = {0};
    char whole[1000], block[1000], *text;
    size_t size;
    cr_assert_eq(sealed_text_write(path, "{\n \"a\": 1\n}", &diag), HEDDLE_OK, "%s", diag.text);
    size_t n = read_file(whole);
    whole[n] = '\0';
    cr_expect_str_eq(whole,
                     "{\n \"a\": 1,\n"
                     " \"checksum\": \"crc32c fb565c8d of all bytes before this line\"\n}\n");
    cr_assert_eq(sealed_text_read(path, "remove it", &text, &size, &diag), HEDDLE_OK);
    cr_expect_str_eq(text, whole);
    free(text);
    for (size_t bit = 0; bit < 8 * n; bit++) {
        memcpy(block, whole, n);
        block[bit / 8] ^= (char)(1 << bit % 8);
        write_file(block, n);
        cr_expect_eq(sealed_text_read(path, "remove it", &text, &size, &diag), HEDDLE_ERR_IO);
        cr_expect_null(text);
    }
    for (size_t to = 0; to < n; to++) {
        write_file(whole, to);
        cr_expect_eq(sealed_text_read(path, "remove it", &text, &size, &diag), HEDDLE_ERR_IO);
    }
    cr_expect_str_eq(diag.text + strlen(path), " is damaged: its checksum is wrong; remove it");
}

/* ---- output files */

/* Writes "text" to the file. */
static heddle_err output(enum output_name name, struct heddle_diag *diag) {
    struct output_file o;
    heddle_err e = output_file_open(&o, path, name, diag);
    if (e) return e;
    fputs("text", o.f);
    return output_file_commit(&o, false, diag);
}

Test(sealed_file, output_is_whole_or_not_there) {
    struct output_file o;
    struct heddle_diag diag = {0};
    char block[1000];
    write_file("old", 3);
    cr_assert_eq(output_file_open(&o, path, OUTPUT_OWN, &diag), HEDDLE_OK);
    fputs("new", o.f);
    output_file_abandon(&o);
    cr_expect(read_file(block) == 3 && !memcmp(block, "old", 3));
    cr_expect_eq(output(OUTPUT_OWN, &diag), HEDDLE_OK);
    cr_expect(read_file(block) == 4 && !memcmp(block, "text", 4));
}

Test(sealed_file, output_follows_no_link_and_opens_no_fifo) {
    struct heddle_diag diag = {0};
    struct stat st;
    char target[80], block[1000];
    snprintf(target, sizeof target, "%s/target", directory);
    for (unsigned fifo = 0; fifo < 2; fifo++) {
        cr_assert_eq(fifo ? mkfifo(path, 0600) : symlink(target, path), 0);
        cr_expect_eq(output(OUTPUT_GIVEN, &diag), HEDDLE_ERR_IO);
        cr_expect_str_eq(diag.text + strlen("cannot write ") + strlen(path),
                         ": it is no regular file; remove it, or name another");
        cr_expect_eq(output(OUTPUT_OWN, &diag), HEDDLE_OK, "%s", diag.text);
        cr_expect(lstat(path, &st) == 0 && S_ISREG(st.st_mode));
        cr_expect_eq(read_file(block), 4);
        cr_expect_neq(access(target, F_OK), 0);
        unlink(path);
    }
    cr_assert_eq(mkdir(path, 0700), 0);
    cr_expect_eq(output(OUTPUT_OWN, &diag), HEDDLE_ERR_IO);
    cr_expect_not_null(strstr(diag.text, ": Is a directory"), "%s", diag.text);
}

/* ---- compressed lines */

/* Reads all lines. @return the first error; *lines: how many were read. */
static heddle_err read_lines(unsigned *lines, struct heddle_diag *diag) {
    struct packed_reader *r;
    char *line, want[200];
    *lines = 0;
    heddle_err e = packed_reader_open(&r, path, diag);
    while (!e && !(e = packed_reader_line(r, &line, diag)) && line) {
        snprintf(want, sizeof want, "line %u %.*s", *lines, (int)(*lines % 100), PADDING);
        cr_assert_str_eq(line, want);
        ++*lines;
    }
    packed_reader_close(r);
    return e;
}

Test(sealed_file, compressed_lines_come_back_or_are_refused) {
    enum { LINES = 20000 };
    struct packed_writer *w;
    struct heddle_diag diag = {0};
    struct stat st;
    uint64_t lines;
    uint32_t sum;
    unsigned n;
    char line[200];
    cr_assert_eq(packed_writer_open(&w, path, &diag), HEDDLE_OK, "%s", diag.text);
    for (unsigned i = 0; i < LINES; i++) {
        int length = snprintf(line, sizeof line, "line %u %.*s\n", i, (int)(i % 100), PADDING);
        packed_writer_put(w, line, (size_t)length);
    }
    cr_assert_neq(access(path, F_OK), 0);
    cr_assert_eq(packed_writer_commit(w, &lines, &sum, &diag), HEDDLE_OK);
    cr_expect_eq(lines, LINES);
    cr_assert_eq(read_lines(&n, &diag), HEDDLE_OK, "%s", diag.text);
    cr_expect_eq(n, LINES);
    cr_assert_eq(stat(path, &st), 0);
    for (long at = 0; at < st.st_size; at += 97) { /* one bit at a time */
        FILE *f = fopen(path, "r+");
        cr_assert(f && fseek(f, at, SEEK_SET) == 0);
        int c = fgetc(f);
        cr_assert(fseek(f, at, SEEK_SET) == 0 && fputc(c ^ 8, f) == (c ^ 8) && fclose(f) == 0);
        struct packed_reader *r;
        char *text;
        heddle_err e = packed_reader_open(&r, path, &diag);
        while (!e && !(e = packed_reader_line(r, &text, &diag)) && text) continue;
        cr_expect(e || (packed_reader_lines(r) == lines && packed_reader_sum(r) == sum), "%ld", at);
        packed_reader_close(r);
        f = fopen(path, "r+");
        cr_assert(f && fseek(f, at, SEEK_SET) == 0 && fputc(c, f) == c && fclose(f) == 0);
    }
    cr_assert_eq(truncate(path, st.st_size - 5), 0);
    cr_expect_eq(read_lines(&n, &diag), HEDDLE_ERR_IO);
    cr_expect(strstr(diag.text, ": the file is cut short; run the program again"), "%s", diag.text);
}

Test(sealed_file, cells_of_a_line) {
    static const struct {
        const char *line;
        unsigned index;
        const char *want;
    } cases[] = {{"a,b,c", 0, "a"},       {"a,b,c", 2, "c"},
                 {"a,b,", 2, ""},         {"a,\"x,y\",c", 1, "x,y"},
                 {"a,\"x,y\",c", 2, "c"}, {"a,\"q\"\"q,\"\"\",c", 1, "q\"q,\""},
                 {"a", 1, NULL},          {"\"open", 0, "open"}};
    char line[40];
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(line, sizeof line, "%s", cases[i].line);
        const char *got = packed_cell(line, cases[i].index);
        if (cases[i].want && got)
            cr_expect_str_eq(got, cases[i].want);
        else
            cr_expect_eq(got, cases[i].want, "case %u", i);
    }
}

/* test_checkpoint.c - host/sched/checkpoint.c: resuming restores what the files hold, and does not
 * use damaged files. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sched/checkpoint.h"

enum { BYTES = 1 << 20, PAGE = 4096, EVERY = 2 };

static char directory[] = "/tmp/heddle-checkpoint-XXXXXX";
static int fd;
static uint8_t *memory;

static void set_up(void) {
    cr_assert(mkdtemp(directory));
    fd = memfd_create("memory", MFD_CLOEXEC);
    cr_assert(fd >= 0 && ftruncate(fd, BYTES) == 0);
    memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    cr_assert(memory != MAP_FAILED);
}
TestSuite(checkpoint, .init = set_up);

static struct checkpoint *open_it(bool resume) {
    struct checkpoint *c;
    struct heddle_diag diag = {0};
    const struct checkpoint_run run = {directory, EVERY, resume, {1, 2}, 3};
    cr_assert_eq(checkpoint_open(&c, &run, &diag), HEDDLE_OK, "%s", diag.text);
    cr_assert_eq(checkpoint_add_memory(c, fd, memory, BYTES), HEDDLE_OK);
    return c;
}

/* Takes the checkpoint before launch number `launches`. */
static void pass(struct checkpoint *c, uint64_t launches) {
    struct checkpoint_launch l[EVERY] = {0};
    for (unsigned i = 0; i < EVERY; i++)
        l[i].first_cycle = l[i].last_cycle = l[i].end_cycle = l[i].heard_cycle = launches + i;
    struct checkpoint_boundary b = {.launches = launches, .floor_ps = 1000 * launches};
    struct heddle_diag diag = {0};
    cr_assert(checkpoint_is_due(c, launches));
    cr_assert_eq(checkpoint_pass(c, &b, l, EVERY, &diag), HEDDLE_OK, "%s", diag.text);
    cr_assert_not(checkpoint_is_due(c, launches + 1));
    cr_assert(checkpoint_is_due(c, launches + EVERY));
}

/* A memory file that is longer than the memory: what lies behind is not written. */
Test(checkpoint, a_file_longer_than_its_memory, .timeout = 20) {
    cr_assert_eq(ftruncate(fd, 2 * BYTES), 0);
    cr_assert_eq(pwrite(fd, "behind", 6, BYTES + PAGE), 6);
    memory[7 * PAGE] = 5;
    struct checkpoint *c = open_it(false);
    pass(c, EVERY);
    cr_assert_eq(checkpoint_written(c), 1);
    checkpoint_free(c);
}

/* Writes three checkpoints, each with different memory and a different answer before it. */
static void write_three(void) {
    struct checkpoint *c = open_it(false);
    for (unsigned i = 1; i <= 3; i++) {
        char answer[] = "answer 0";
        answer[7] += (char)i;
        memory[7 * PAGE] = (uint8_t)i;
        memory[i * 20 * PAGE] = 9;
        checkpoint_answer(c, answer, sizeof answer);
        pass(c, EVERY * i);
    }
    cr_assert_eq(checkpoint_written(c), 3);
    checkpoint_answer(c, (char[]){"lost"}, 5); /* after the last checkpoint */
    cr_assert_null(checkpoint_failed(c));
    checkpoint_free(c);
    memset(memory, 1, BYTES);
}

/* Resumes from checkpoint number `last` and expects the answers, launches and memory of the run
 * that wrote it. */
static void resume_from(unsigned last) {
    struct checkpoint *c = open_it(true);
    heddle_err e;
    cr_assert_eq(checkpoint_resumed(c), EVERY * last);
    cr_assert_not_null(checkpoint_failed(c)); /* an error, if the program ended here */
    for (unsigned i = 1; i <= last; i++) {
        char answer[] = "another!", want[] = "answer 0";
        want[7] += (char)i;
        checkpoint_answer(c, answer, sizeof answer);
        cr_assert_str_eq(answer, want);
        const struct checkpoint_launch *past = checkpoint_past(c, EVERY * (i - 1) + 1, &e);
        cr_assert(past && !e);
        cr_assert_eq(past->first_cycle, EVERY * i + 1);
        struct checkpoint_boundary b = {.launches = EVERY * i};
        cr_assert_eq(checkpoint_pass(c, &b, NULL, 0, NULL), HEDDLE_OK);
        cr_assert_eq(b.floor_ps, i == last ? 1000 * EVERY * last : 0);
    }
    cr_assert_null(checkpoint_past(c, EVERY * last, &e));
    cr_assert_eq(e, HEDDLE_OK);
    cr_assert_null(checkpoint_failed(c));
    cr_assert_eq(memory[7 * PAGE], last);
    for (unsigned i = 1; i <= 3; i++) cr_assert_eq(memory[i * 20 * PAGE], i <= last ? 9 : 0);
    cr_assert_eq(memory[BYTES - 1], 0);
    pass(c, EVERY * (last + 1)); /* the run continues */
    checkpoint_free(c);
}

Test(checkpoint, what_was_comes_back) {
    write_three();
    resume_from(3);
    memset(memory, 1, BYTES);
    struct checkpoint *c = open_it(true);
    cr_assert_eq(checkpoint_resumed(c), EVERY * 4);
    checkpoint_free(c);
}

/* Expects that the run is not resumed, with this message behind the directory's name. */
static void refused(uint64_t inputs, const char *text) {
    struct checkpoint *c;
    struct heddle_diag diag = {0};
    const struct checkpoint_run run = {directory, EVERY, true, {1, 2}, inputs};
    cr_assert_eq(checkpoint_open(&c, &run, &diag), HEDDLE_ERR_IO);
    cr_assert_null(c);
    cr_assert(!strncmp(diag.text, directory, strlen(directory)));
    char want[600];
    snprintf(want, sizeof want, text, directory);
    cr_assert_str_eq(diag.text + strlen(directory), want);
}

/* Changes a byte of a file. */
static void damage(const char *name, long at) {
    char path[64];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "r+");
    cr_assert(f && fseek(f, at, SEEK_SET) == 0);
    int c = fgetc(f);
    cr_assert(fseek(f, at, SEEK_SET) == 0 && fputc(c ^ 4, f) == (c ^ 4) && fclose(f) == 0);
}

Test(checkpoint, a_damaged_image_is_told_and_may_be_removed) {
    char path[64];
    write_three();
    damage("image-6", 3000);
    refused(3, "/image-6, record 1: it is damaged (checksum); remove %s/image-6 to resume from the "
               "checkpoint before it, image-4");
    snprintf(path, sizeof path, "%s/image-6", directory);
    cr_assert_eq(unlink(path), 0);
    resume_from(2);
}

Test(checkpoint, the_last_image_is_damaged) {
    char path[64];
    write_three();
    snprintf(path, sizeof path, "%s/image-6", directory);
    cr_assert_eq(unlink(path), 0);
    snprintf(path, sizeof path, "%s/image-4", directory);
    cr_assert_eq(truncate(path, 5000), 0);
    refused(3, "/image-4, record 2: it is cut short; there is no other checkpoint: remove %s "
               "and begin again with --checkpoint");
}

Test(checkpoint, a_damaged_log_is_told) {
    write_three();
    damage("answers", 56 + 8 + 3);
    refused(3, "/answers, record 0: it is damaged (checksum); remove %s/image-6 to resume from the "
               "checkpoint before it, image-4");
    damage("answers", 56 + 8 + 3);
    damage("launches", 56 + 2 * (long)(8 + sizeof(struct checkpoint_launch)) + 9);
    refused(3, "/launches, record 2: it is damaged (checksum); remove %s/image-6 to resume from "
               "the checkpoint before it, image-4");
}

Test(checkpoint, files_of_other_inputs) {
    write_three();
    refused(4, "/image-6: it belongs to another run, or to checkpoints of other inputs; remove "
               "%s/image-6 to resume from the checkpoint before it, image-4");
}

Test(checkpoint, another_answer_is_told) {
    write_three();
    struct checkpoint *c = open_it(true);
    checkpoint_answer(c, (char[]){"short"}, 6);
    cr_assert_str_eq(checkpoint_failed(c),
                     "--resume: a call brings 6 bytes to the program where it brought 9 when the "
                     "checkpoint was written: the program does not do what it did");
    checkpoint_free(c);
}

Test(checkpoint, fewer_calls_are_told) {
    write_three();
    struct checkpoint *c = open_it(true);
    struct checkpoint_boundary b = {.launches = EVERY * 3};
    struct heddle_diag diag = {0};
    cr_assert_eq(checkpoint_pass(c, &b, NULL, 0, &diag), HEDDLE_ERR_STOPPED);
    cr_assert_str_eq(diag.text,
                     "--resume: calls have brought 0 bytes to the program up to launch 6, 39 when "
                     "the checkpoint was written: the program does not do what it did");
    checkpoint_free(c);
}

Test(checkpoint, more_calls_are_told) {
    write_three();
    struct checkpoint *c = open_it(true);
    char answer[] = "answer 0";
    for (unsigned i = 0; i < 4; i++) checkpoint_answer(c, answer, sizeof answer);
    cr_assert_str_eq(checkpoint_failed(c),
                     "--resume: a call brings 9 bytes to the program, but fewer calls did when the "
                     "checkpoint was written: the program does not do what it did");
    checkpoint_free(c);
}

Test(checkpoint, what_a_killed_run_left_is_removed) {
    char path[64];
    write_three();
    snprintf(path, sizeof path, "%s/image-8.123.part", directory);
    FILE *f = fopen(path, "w");
    cr_assert(f && fclose(f) == 0);
    resume_from(3);
    cr_assert_neq(access(path, F_OK), 0);
}

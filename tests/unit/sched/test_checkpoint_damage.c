/* test_checkpoint_damage.c - the files of checkpoints under flips of bits, overwritten bytes, cuts
 * and swaps, several thousand in all, in a fixed order: each is refused with a message, or the
 * resumed run gets what it got from whole files. Files with right checksums and impossible contents
 * are refused too. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/crc32c.h"
#include "sched/checkpoint.h"
#include "sched/checkpoint_image.h"

enum { BYTES = 16 * 4096, PAGE = 4096, EVERY = 2, LAST = 3, FILES = 4 };
static const char *const names[FILES] = {"launches", "answers", "image-4", "image-6"};

/* The bytes of a file. */
struct bytes {
    uint8_t *of;
    size_t n;
};
static char directory[] = "/dev/shm/heddle-damage-XXXXXX"; /* in memory: thousands of writes */
static int fd;
static uint8_t *memory;

static void path_of(char *out, size_t size, const char *name) {
    snprintf(out, size, "%s/%s", directory, name);
}

static struct bytes get(const char *name) {
    char path[80];
    path_of(path, sizeof path, name);
    FILE *f = fopen(path, "r");
    cr_assert_not_null(f);
    struct bytes b = {malloc(1 << 20), 0};
    b.n = fread(b.of, 1, 1 << 20, f);
    fclose(f);
    return b;
}

static void free_files(struct bytes *files) {
    for (unsigned i = 0; i < FILES; i++) free(files[i].of);
}

static void put(const char *name, struct bytes b) {
    char path[80];
    path_of(path, sizeof path, name);
    FILE *f = fopen(path, "w");
    cr_assert(f && fwrite(b.of, 1, b.n, f) == b.n && fclose(f) == 0);
}

static heddle_err open_run(struct checkpoint **c, bool resume, uint64_t number,
                           struct heddle_diag *diag) {
    const struct checkpoint_run run = {directory, EVERY, resume, {number, 2}, 3};
    heddle_err e = checkpoint_open(c, &run, diag);
    if (!e) cr_assert_eq(checkpoint_add_memory(*c, fd, memory, BYTES), HEDDLE_OK);
    return e;
}

static void set_up(void) {
    cr_assert(mkdtemp(directory));
    fd = memfd_create("memory", MFD_CLOEXEC);
    cr_assert(fd >= 0 && ftruncate(fd, BYTES) == 0);
    memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    cr_assert(memory != MAP_FAILED);
}

static void tear_down(void) {
    char path[80];
    for (unsigned i = 0; i < FILES; i++) {
        path_of(path, sizeof path, names[i]);
        unlink(path);
    }
    path_of(path, sizeof path, "image-2");
    unlink(path);
    rmdir(directory);
}
TestSuite(checkpoint_damage, .init = set_up, .fini = tear_down, .timeout = 120);

/* Writes the checkpoints of a run, of which `what` decides the contents, and reads their files into
 * files[FILES]. */
static void write_run(uint64_t number, unsigned what, struct bytes *files) {
    struct checkpoint *c;
    struct heddle_diag diag = {0};
    char path[80];
    for (unsigned i = 0; i < FILES; i++) {
        path_of(path, sizeof path, names[i]);
        unlink(path);
    }
    memset(memory, 0, BYTES);
    cr_assert_eq(open_run(&c, false, number, &diag), HEDDLE_OK, "%s", diag.text);
    for (unsigned i = 1; i <= LAST; i++) {
        char answer[30] = "answer";
        struct checkpoint_launch l[EVERY] = {
            {.first_cycle = i + what, .last_cycle = 50 + what, .end_cycle = 60 + what}};
        struct checkpoint_boundary b = {.launches = EVERY * i, .floor_ps = 1000 * i + what};
        for (unsigned k = 0; k < EVERY; k++) l[k].heard_cycle = 100 + k;
        memset(memory + (i * 2 + 1) * PAGE, (int)(i + what), 100);
        snprintf(answer, sizeof answer, "answer %u %u", i, what);
        checkpoint_answer(c, answer, 10 + i);
        cr_assert_eq(checkpoint_pass(c, &b, l, EVERY, &diag), HEDDLE_OK, "%s", diag.text);
    }
    checkpoint_answer(c, (char[]){"lost"}, 5); /* behind the last checkpoint */
    checkpoint_free(c);
    for (unsigned i = 0; i < FILES; i++) files[i] = get(names[i]);
}

/* Resumes, and gets everything that the files hold. *sum: checksum of that. @return false: refused,
 * with a message. */
static bool resume(uint32_t *sum) {
    struct checkpoint *c;
    struct heddle_diag diag = {0};
    *sum = 0;
    memset(memory, 1, BYTES);
    if (open_run(&c, true, 1, &diag)) {
        cr_assert(diag.err == HEDDLE_ERR_IO && strlen(diag.text) > 20);
        return false;
    }
    uint64_t to = checkpoint_resumed(c);
    bool good = true;
    for (unsigned i = 1; i <= to / EVERY && good; i++) {
        char answer[30] = "";
        heddle_err e;
        checkpoint_answer(c, answer, 10 + i);
        *sum = crc32c(*sum, answer, sizeof answer);
        for (unsigned k = 0; k < EVERY && good; k++) {
            const struct checkpoint_launch *past = checkpoint_past(c, EVERY * (i - 1) + k, &e);
            good = past != NULL;
            if (past) *sum = crc32c(*sum, past, sizeof *past);
        }
        struct checkpoint_boundary b = {.launches = EVERY * i};
        good = good && !checkpoint_pass(c, &b, NULL, 0, &diag) &&
               !checkpoint_replays(c) == (i == to / EVERY);
        *sum = crc32c(*sum, &b, sizeof b);
    }
    *sum = crc32c(*sum, memory, BYTES);
    if (checkpoint_failed(c)) {
        cr_assert(strlen(checkpoint_failed(c)) > 20);
        good = false;
    }
    checkpoint_free(c);
    return good;
}

/* A number below `n`, of a fixed row. */
static uint32_t below(uint64_t *state, size_t n) {
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % n);
}

/* Damages a copy of the file: in turn a bit, some bytes, a cut, a range from the other file. */
static void damage(struct bytes *b, const struct bytes *other, unsigned way, uint64_t *state) {
    uint32_t at = below(state, b->n), n = 1 + below(state, 40);
    if (n > b->n - at) n = (uint32_t)(b->n - at);
    switch (way) {
    case 0: b->of[at] ^= (uint8_t)(1 << below(state, 8)); break;
    case 1:
        while (n--) b->of[at + n] = (uint8_t)below(state, 256);
        break;
    case 2: b->n = at; break;
    case 3:
        for (n *= 100; n && (at + n > b->n || at + n > other->n);) n--;
        memcpy(b->of + at, other->of + at, n);
        break;
    }
}

Test(checkpoint_damage, is_refused_or_makes_no_difference) {
    enum { ROUNDS = 6000 };
    struct bytes whole[FILES], other[FILES];
    uint32_t want, got;
    uint64_t state = 1;
    unsigned refused = 0, same = 0, wrong = 0;
    write_run(2, 1, other);
    write_run(1, 0, whole);
    cr_assert(resume(&want));
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned file = i % 2 ? FILES - 1 : i / 2 % FILES;
        struct bytes b = {malloc(whole[file].n), whole[file].n};
        memcpy(b.of, whole[file].of, b.n);
        damage(&b, &other[file], i / 8 % 4, &state);
        put(names[file], b);
        bool resumed = resume(&got);
        put(names[file], whole[file]);
        put("answers", whole[1]); /* a resumed run has cut off what no checkpoint covers */
        if (resumed && got == want)
            same++;
        else if (resumed)
            wrong++;
        else
            refused++;
        free(b.of);
    }
    free_files(whole);
    free_files(other);
    cr_expect_eq(wrong, 0, "%u of %d damaged files changed the result", wrong, ROUNDS);
    cr_expect(refused > ROUNDS * 6 / 10, "only %u refused, %u made no difference", refused, same);
}

/* Every mixture of the files of a run, of another run, and of the same run that went on otherwise
 * from an earlier checkpoint. */
Test(checkpoint_damage, files_cannot_be_mixed) {
    struct bytes from[3][FILES];
    uint32_t want, got;
    write_run(2, 1, from[1]);
    write_run(1, 2, from[2]);
    write_run(1, 0, from[0]);
    cr_assert(resume(&want));
    for (unsigned i = 1; i < 81; i++) {
        const unsigned of[FILES] = {i % 3, i / 3 % 3, i / 9 % 3, i / 27};
        if (of[0] == 2 && of[1] == 2 && of[3] == 2) continue; /* that run itself */
        for (unsigned k = 0; k < FILES; k++) put(names[k], from[of[k]][k]);
        bool resumed = resume(&got);
        cr_expect(!resumed || got == want, "mixture %u is another run", i);
        if (of[0] || of[1] || of[3]) cr_expect(!resumed, "mixture %u", i);
    }
    for (unsigned i = 0; i < 3; i++) free_files(from[i]);
}

/* ---- right checksums, impossible contents */

static const struct sealed_identity image = {"image", 6, 0, {1, 2}, 3};

/* The first record of image-6 as it is, and a page's record behind it. */
static void forge_image(uint32_t region, uint32_t number, uint32_t page_bytes) {
    struct sealed_reader r;
    struct sealed_writer w;
    struct heddle_diag diag = {0};
    uint32_t n;
    char path[80], first[2000];
    struct {
        uint32_t region, number;
        uint8_t bytes[PAGE];
    } page = {region, number, {1}};
    path_of(path, sizeof path, "image-6");
    cr_assert_eq(sealed_reader_open(&r, path, &image, NULL, "", &diag), 0, "%s", diag.text);
    cr_assert(!sealed_reader_size(&r, &n, NULL) && n <= sizeof first);
    cr_assert(!sealed_reader_get(&r, first, n, NULL));
    sealed_reader_close(&r);
    cr_assert_eq(sealed_writer_begin(&w, path, &image, NULL), HEDDLE_OK);
    sealed_writer_put(&w, first, n, NULL, 0);
    sealed_writer_put(&w, &page, page_bytes, NULL, 0);
    cr_assert_eq(sealed_writer_commit(&w, NULL), HEDDLE_OK);
}

Test(checkpoint_damage, pages_outside_memory) {
    static const uint32_t cases[][3] = {{0, BYTES / PAGE, 8 + PAGE},
                                        {0, UINT32_MAX, 8 + PAGE},
                                        {1, 0, 8 + PAGE},
                                        {UINT32_MAX, 0, 8 + PAGE},
                                        {0, 0, 8},
                                        {0, 0, 0}};
    struct bytes whole[FILES];
    uint32_t sum;
    write_run(1, 0, whole);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        forge_image(cases[i][0], cases[i][1], cases[i][2]);
        cr_expect_not(resume(&sum), "case %u", i);
    }
    forge_image(0, BYTES / PAGE - 1, 8 + PAGE);
    cr_expect(resume(&sum));
    free_files(whole);
}

Test(checkpoint_damage, a_launch_that_cannot_be) {
    struct checkpoint *c;
    struct heddle_diag diag = {0};
    uint32_t sum;
    struct checkpoint_launch bad[6];
    struct checkpoint_boundary b = {.launches = EVERY};
    for (unsigned i = 0; i < 6; i++) {
        tear_down();
        cr_assert(mkdir(directory, 0700) == 0);
        memset(bad, 0, sizeof bad);
        bad[1].first_cycle = i == 0;
        bad[1].last_cycle = i == 1;
        bad[1].heard_cycle = i == 2 ? UINT64_C(1) << 60 : 0;
        bad[1].record.start_ps = i == 3;
        memset(&bad[1].record.untimed, i == 4 ? 7 : 0, 1);
        memset(&bad[1].record.estimated, i == 5 ? 2 : 0, 1);
        cr_assert_eq(open_run(&c, false, 1, &diag), HEDDLE_OK, "%s", diag.text);
        checkpoint_answer(c, (char[11]){"answer"}, 11);
        cr_assert_eq(checkpoint_pass(c, &b, bad, EVERY, &diag), HEDDLE_OK);
        checkpoint_free(c);
        cr_expect_not(resume(&sum), "case %u", i);
    }
}

/* test_claim.c - claims of directories, of one process and of several. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/claim.h"

/* Makes an empty directory to work in. */
static void enter_new_directory(void) {
    char name[] = "/tmp/heddle-claim-XXXXXX";
    cr_assert(mkdtemp(name));
    cr_assert_eq(chdir(name), 0);
}

/* @return what another process gets that claims the directory. */
static int other_process(const char *path) {
    pid_t pid = fork();
    if (pid == 0) {
        struct claim c;
        _exit(claim_directory(&c, path, NULL));
    }
    int status = 0;
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

Test(claim, one_process_at_a_time) {
    struct claim c;
    enter_new_directory();
    cr_assert_eq(claim_directory(&c, "a/b/c", NULL), 0);
    cr_expect(c.made);
    cr_expect_eq(other_process("a/b/c"), EWOULDBLOCK);
    cr_expect_eq(other_process("a/b/../b/c"), EWOULDBLOCK);
    cr_expect_eq(other_process("a/b"), 0);
    claim_end(&c);
    cr_expect_null(c.path);
    claim_end(&c); /* none */
    cr_expect_eq(access("a/b/c", F_OK), -1, "new and empty, it goes");
    cr_expect_eq(other_process("a/b/c"), 0, "its process has ended: the claim too");
    cr_assert_eq(claim_directory(&c, "a/b/c", NULL), 0);
    cr_expect_not(c.made);
    claim_end(&c);
    cr_expect_eq(access("a/b/c", F_OK), 0, "it was there before");
}

Test(claim, keeps_what_was_written) {
    struct claim c;
    enter_new_directory();
    cr_assert_eq(claim_directory(&c, "new", NULL), 0);
    fclose(fopen("new/file", "w"));
    claim_end(&c);
    cr_expect_eq(access("new/file", F_OK), 0);
}

Test(claim, two_of_one_process) {
    struct claim c, second, third;
    enter_new_directory();
    cr_assert_eq(claim_directory(&c, "one", NULL), 0);
    cr_expect_eq(claim_directory(&third, "one", NULL), EWOULDBLOCK);
    cr_expect_null(third.path);
    cr_assert_eq(claim_directory(&second, "./one", &c), 0);
    claim_end(&second);
    cr_expect_eq(other_process("one"), EWOULDBLOCK, "the first still holds");
    cr_assert_eq(claim_directory(&second, "two", &c), 0);
    cr_expect_eq(other_process("two"), EWOULDBLOCK);
    claim_end(&second);
    claim_end(&c);
}

Test(claim, cannot_be_made) {
    struct claim c;
    enter_new_directory();
    fclose(fopen("file", "w"));
    cr_expect_eq(claim_directory(&c, "file", NULL), ENOTDIR);
    cr_expect_eq(claim_directory(&c, "file/below", NULL), ENOTDIR);
    cr_expect_eq(claim_directory(&c, "", NULL), ENOENT);
    cr_expect_eq(claim_directory(&c, "/proc/nothing", NULL), ENOENT);
    char *name = calloc(1, 5000);
    for (unsigned i = 0; i < 4999; i++) name[i] = 'x';
    cr_expect_eq(claim_directory(&c, name, NULL), ENAMETOOLONG);
    free(name);
}

/* Processes that claim a new directory and give it back empty remove it under each other's hands:
 * each finds it or finds it taken. */
Test(claim, removed_meanwhile) {
    enum { PROCESSES = 4, TIMES = 500 };
    pid_t pid[PROCESSES];
    enter_new_directory();
    for (unsigned p = 0; p < PROCESSES; p++)
        if ((pid[p] = fork()) == 0) {
            for (unsigned i = 0; i < TIMES; i++) {
                struct claim c;
                int error = claim_directory(&c, "d", NULL);
                if (error && error != EWOULDBLOCK) _exit(1);
                if (error) continue;
                FILE *f = fopen("d/file", "wx");
                if (!f || fclose(f) || unlink("d/file")) _exit(2);
                claim_end(&c);
            }
            _exit(0);
        }
    for (unsigned p = 0; p < PROCESSES; p++) {
        int status = -1;
        waitpid(pid[p], &status, 0);
        cr_expect_eq(status, 0);
    }
}

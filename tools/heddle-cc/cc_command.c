// cc_command.c - lists of words, messages, and child processes with the commands of heddle-cc;
// contracts in cc_command.h. All of heddle-cc calls it, in its one thread; out of memory ends the
// program with status 1.
#define _GNU_SOURCE
#include "cc_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// Ends the program if `memory` is NULL. @return it.
static void *need(void *memory) {
    if (!memory) {
        fputs("heddle-cc: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

// Appends a word, borrowed, and keeps the NULL at the end.
void cc_words_add(struct cc_words *words, const char *word) {
    if (words->count + 2 > words->room) {
        words->room = words->room ? 2 * words->room : 32;
        words->word = need(realloc(words->word, words->room * sizeof *words->word));
    }
    words->word[words->count++] = word;
    words->word[words->count] = NULL;
}

void cc_words_append(struct cc_words *words, const struct cc_words *more) {
    for (size_t i = 0; i < more->count; i++) cc_words_add(words, more->word[i]);
}

// Frees the list, not the words, and empties it.
void cc_words_free(struct cc_words *words) {
    free(words->word);
    *words = (struct cc_words){0};
}

// @return a new string that the caller frees; never NULL.
char *cc_format(const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return need(length < 0 ? NULL : text);
}

// Prints "heddle-cc: ", the message and a newline to stderr.
void cc_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("heddle-cc: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

// True if a shell needs no quotes around the word.
static bool is_plain(const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_=+./,:@%";
    return *word && strspn(word, plain) == strlen(word);
}

// Prints the words to stderr in one line, quoted for a shell.
void cc_words_print(const struct cc_words *words) {
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->word[i];
        if (i) fputc(' ', stderr);
        if (is_plain(word)) {
            fputs(word, stderr);
            continue;
        }
        fputc('\'', stderr);
        for (const char *c = word; *c; c++) {
            if (*c == '\'') fputs("'\\'", stderr);
            fputc(*c, stderr);
        }
        fputc('\'', stderr);
    }
    fputc('\n', stderr);
}

// Waits for a child. @return its wait status, or -errno.
static int wait_for(pid_t child) {
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return -errno;
    }
    return status;
}

// Spawns the command and blocks until it has ended. SIGINT is ignored in this process meanwhile, so
// that it can clean up, and default in the child. `said`: file that gets the child's stderr,
// created or truncated; NULL: this program's stderr. `verbose`: prints the command first. Reports
// no failure. @return the child's wait status (0: success), or -errno if it could not be started or
// waited for.
int cc_run_quietly(const struct cc_words *words, const char *said, bool verbose) {
    if (verbose) cc_words_print(words);

    // The terminal sends an interrupt to this process too, which ignores it so that it can clean
    // up; only the child ends.
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    sigaction(SIGINT, &ignore, &old);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    if (said) {
        posix_spawn_file_actions_addopen(&files, STDERR_FILENO, said, O_WRONLY | O_CREAT | O_TRUNC,
                                         0600);
    }

    pid_t child;
    int error = posix_spawnp(&child, words->word[0], &files, &attributes,
                             (char *const *)words->word, environ);
    int result = error ? -error : wait_for(child);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    sigaction(SIGINT, &old, NULL);
    return result;
}

// Prints to stderr which step failed, why, and the command. `result`: of cc_run_quietly(), not 0.
void cc_report(const struct cc_words *words, const char *step, int result) {
    if (result == -ENOENT) {
        cc_error("%s failed: '%s' is not installed (Debian: apt install clang-14)", step,
                 words->word[0]);
    } else if (result < 0) {
        cc_error("%s failed: cannot run '%s': %s", step, words->word[0], strerror(-result));
    } else if (WIFSIGNALED(result)) {
        cc_error("%s failed (killed by signal %d, %s)", step, WTERMSIG(result),
                 strsignal(WTERMSIG(result)));
    } else {
        cc_error("%s failed (exit status %d)", step, WEXITSTATUS(result));
    }
    fputs("  command: ", stderr);
    cc_words_print(words);
}

// cc_run_quietly() with this program's stderr, and cc_report() on failure. @return true if the
// command exited with status 0.
bool cc_run(const struct cc_words *words, const char *step, bool verbose) {
    int result = cc_run_quietly(words, NULL, verbose);
    if (result != 0) cc_report(words, step, result);
    return result == 0;
}

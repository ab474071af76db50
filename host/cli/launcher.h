/* launcher.h - starts the program of `heddle run` and waits for its end. */
#ifndef HEDDLE_CLI_LAUNCHER_H
#define HEDDLE_CLI_LAUNCHER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/error.h"

/* A started program. */
struct launcher {
    pid_t pid;
    int pidfd;     /* readable when the program has ended */
    void *signals; /* thread that forwards signals to it; NULL: none */
};

/* Blocks SIGTERM and SIGHUP in this thread and those that it starts from now on; *before gets the
 * mask of signals until then. A thread that does not block them would end the process, and the
 * report with it: call it before the first thread is started. */
void launcher_hold_signals(sigset_t *before);

/* Checks that the dynamic linker's environment variables can hold the path `lib`: they cannot quote
 * separators. @return HEDDLE_ERR_IO, with advice in diag. */
heddle_err launcher_check(const char *lib, struct heddle_diag *diag);

/* Starts argv[0] with Heddle's libraries (directory `lib`) first and the server's address in the
 * environment; `mask`: the program's mask of signals, from launcher_hold_signals(). From now on
 * this process ignores SIGINT and SIGQUIT. `tls`: bytes of thread-local storage that the linker
 * reserves, in each thread, for the program's libraries. @return 0, or the errno of what failed. */
enum { LAUNCHER_TLS = 128 << 10, LAUNCHER_TLS_THREAD_SANITIZER = 1 << 20 };
int launcher_start(struct launcher *out, char **argv, const char *lib, const char *address,
                   unsigned tls, const sigset_t *mask);

/* Waits for the program's end and frees *l. @return its exit status, 128 + signal if it was killed.
 * `how` gets a description for the report. */
int launcher_finish(struct launcher *l, char *how, size_t size);

#endif

/* launcher.h - starts the program of `heddle run` and waits for its end. */
#ifndef HEDDLE_CLI_LAUNCHER_H
#define HEDDLE_CLI_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cli/stop.h"
#include "common/error.h"

/* The node that a program is the PE of. nodes 0: the run has none. */
struct launcher_node {
    unsigned pe, nodes;
    const char *design; /* --design */
};

/* A started program. */
struct launcher {
    pid_t pid;
    int pidfd; /* readable when the program has ended */
};

/* Checks that the dynamic linker's environment variables can hold the path `lib`: they cannot quote
 * separators. @return HEDDLE_ERR_IO, with advice in diag. */
heddle_err launcher_check(const char *lib, struct heddle_diag *diag);

/* Starts argv[0] with Heddle's libraries (directory `lib`) first and the server's address in the
 * environment; its signals are as they were before stop_hold(). `tls`: bytes of thread-local
 * storage that the linker reserves, in each thread, for the program's libraries. A program of a
 * node finds its number in the environment, and is killed when this process dies. @return 0, or the
 * errno of what failed. */
enum { LAUNCHER_TLS = 128 << 10, LAUNCHER_TLS_THREAD_SANITIZER = 1 << 20 };
int launcher_start(struct launcher *out, char **argv, const char *lib, const char *address,
                   unsigned tls, const struct stop *stop, const struct launcher_node *node);

/* Waits for the program's end and frees *l. @return its exit status, 128 + signal if it was killed.
 * `how` gets a description for the report. */
int launcher_finish(struct launcher *l, char *how, size_t size);

#endif

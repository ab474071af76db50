/* launcher.h - starts the program under test and follows its life. */
#ifndef HEDDLE_CLI_LAUNCHER_H
#define HEDDLE_CLI_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/error.h"

struct launcher {
    pid_t pid;
    int pidfd;
    void *signals; /* thread that passes signals on */
};

/* Checks that the dynamic linker's variables can name folder `lib`: they cannot quote their own
 * separators. @return HEDDLE_ERR_IO, with advice in diag. */
heddle_err launcher_check(const char *lib, struct heddle_diag *diag);

/* Starts argv[0] with Heddle's libraries first and the server's address in the environment. `tls`:
 * bytes of thread-local storage that its libraries may need of the linker (each thread has them).
 * @return 0, or the errno of what failed. */
enum { LAUNCHER_TLS = 128 << 10, LAUNCHER_TLS_THREAD_SANITIZER = 1 << 20 };
int launcher_start(struct launcher *out, char **argv, const char *lib, const char *address,
                   unsigned tls);

/* Waits for the program's end. @return its exit status, 128 + signal if it was killed. `how` gets a
 * description for the report.
 * */
int launcher_finish(struct launcher *l, char *how, size_t size);

#endif

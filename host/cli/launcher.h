/* launcher.h - starts the program under test and follows its life. */
#ifndef HEDDLE_CLI_LAUNCHER_H
#define HEDDLE_CLI_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct launcher {
    pid_t pid;
    int pidfd;
    void *signals; /* thread that passes signals on */
};

/* Starts argv[0] with Heddle's libraries first and the server's address in the environment.
 * @return 0, or the errno of what failed. */
int launcher_start(struct launcher *out, char **argv, const char *lib, const char *address);

/* Waits for the end. @return exit status, 128 + signal if killed. `how` gets words for the report.
 */
int launcher_finish(struct launcher *l, char *how, size_t size);

#endif

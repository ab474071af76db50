/* pes.h - the programs of a run: one, or with --nodes a copy for each node, called PE here.
 *
 * All functions run on the main thread. With --nodes a thread of pes.c watches the PEs: when one
 * fails, it ends the others, as mpirun does; and a process of its own ends them should this one be
 * killed. */
#ifndef HEDDLE_CLI_PES_H
#define HEDDLE_CLI_PES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/launcher.h"
#include "cli/stop.h"
#include "cuda/server/server.h"

/* A PE. */
struct pe {
    struct launcher launcher;
    int status;      /* its exit status, when it has ended */
    char ended[128]; /* the same in words */
    bool by_us;      /* it was ended because another one had failed */
};

struct pes {
    struct pe *of;
    unsigned num;
    bool nodes;                 /* --nodes was given */
    const char *name, *address; /* of the program, of the server; borrowed */
    pid_t *pid;                 /* of each */
    struct server_child *child; /* of each, for server_run() */
    const struct stop *stop;
    stop_others_fn others;
    void *user;
    pthread_t thread;
    bool watches;
    int wake[2];        /* a pipe: a byte gives the run up, its end ends the thread */
    atomic_bool failed; /* a PE has failed, or the run was given up, and ends */
    bool given_up;
    pid_t guard; /* the process that outlives a death of this one, or 0 */
    int guarded; /* the pipe by which it notices */
};

/* Starts `nodes` copies of argv[0], or one program if that is 0 (launcher_start()). @return 0, or
 * the errno of what failed; then nothing runs, and pes_free() is still due. */
int pes_start(struct pes *p, unsigned nodes, const char *design, char **argv, const char *lib,
              const char *address, unsigned tls, const struct stop *stop);
/* With --nodes: begins to watch them. `others` sends a signal to all that are connected. */
void pes_watch(struct pes *p, stop_others_fn others, void *user);
/* Asks all PEs to end, as when one has failed: none of them can go on. */
void pes_give_up(struct pes *p);
/* Waits for their ends. @return the exit status: the first that is not 0, of those that were not
 * ended because of another one. `how` gets it in words. */
int pes_finish(struct pes *p, char *how, size_t size);
/* Accepts what is zero. */
void pes_free(struct pes *p);

#endif

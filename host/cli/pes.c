/* pes.c - starts the programs of a run, watches them and waits for their ends; see pes.h. cmd_run.c
 * calls it.
 *
 * With --nodes three parties keep the PEs from outliving the run: the thread watch() when one of
 * them fails, the process guard() when `heddle run` itself is killed, and the kernel, which kills
 * them then as well (launcher.c). The first two also end what PEs have started: every process whose
 * environment names the server. */
#define _GNU_SOURCE
#include "cli/pes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/memory.h"
#include "cuda/protocol/wire.h"

enum {
    PATIENCE_MS = 2000, /* from SIGTERM to SIGKILL */
    TERMINAL_MS = 100,  /* within which a signal of the terminal reaches all processes of a run */
};

/* ---- all processes of the run */

/* Whether the environment of the process names the server. Allocates nothing. */
static bool is_of_run(int pid, const char *address) {
    enum { PIECE = 4096 };
    static const char name[] = WIRE_ENVIRONMENT "=";
    char path[40], wanted[200], text[2 * PIECE];
    const size_t length = (size_t)snprintf(wanted, sizeof wanted, "%s%s", name, address) + 1;
    snprintf(path, sizeof path, "/proc/%d/environ", pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool found = false;
    if (fd < 0) return false;
    size_t kept = 0;
    for (ssize_t n; !found && (n = read(fd, text + kept, PIECE)) > 0;) {
        const size_t have = kept + (size_t)n;
        found = memmem(text, have, wanted, length) != NULL;
        kept = have < length ? have : length; /* the text may lie across two pieces */
        memmove(text, text + have - kept, kept);
    }
    close(fd);
    return found;
}

/* Sends a signal to all processes of the run but this one. */
static void signal_run(const char *address, int number) {
    DIR *d = opendir("/proc");
    if (!d) return;
    for (const struct dirent *e; (e = readdir(d));) {
        const int pid = atoi(e->d_name);
        if (pid > 1 && pid != getpid() && is_of_run(pid, address)) kill(pid, number);
    }
    closedir(d);
}

/* ---- the guard */

/* The process that outlives a death of `heddle run`: waits until the pipe tells that the run has
 * ended, or is closed without that. Then it ends the run's processes. */
static void guard(const struct pes *p, int fd) {
    char text[1024], byte;
    prctl(PR_SET_NAME, "heddle guard");
    if (dup2(fd, 0) != 0) _exit(1);
    dup2(2, 1);
    syscall(SYS_close_range, 3u, ~0u, 0u);
    ssize_t n;
    do n = read(0, &byte, 1);
    while (n < 0 && errno == EINTR);
    if (n != 0) _exit(0);
    int length = snprintf(text, sizeof text, "heddle: error: `heddle run` was killed:");
    for (unsigned i = 0; i < p->num && length < 900; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s PE %u (process %d, %s)",
                           i ? "," : "", i, (int)p->pid[i], p->name);
    length += snprintf(text + length, sizeof text - (size_t)length, "%s\n",
                       p->num > 1 ? " end" : " ends");
    if (write(2, text, (size_t)length) < 0) _exit(1);
    signal_run(p->address, SIGKILL);
    _exit(0);
}

/* Starts the guard. Without it (no process is to be had) the kernel still kills the PEs. */
static void start_guard(struct pes *p) {
    int end[2];
    if (pipe2(end, O_CLOEXEC) != 0) return;
    const pid_t pid = fork();
    if (pid == 0) {
        close(end[1]);
        guard(p, end[0]);
    }
    close(end[0]);
    if (pid < 0) {
        close(end[1]);
        return;
    }
    p->guard = pid;
    p->guarded = end[1];
}

static void end_guard(struct pes *p) {
    if (!p->guard) return;
    if (write(p->guarded, "", 1) < 0) kill(p->guard, SIGKILL);
    close(p->guarded);
    while (waitpid(p->guard, NULL, 0) < 0 && errno == EINTR) {
    }
    p->guard = 0;
}

/* ---- start */

int pes_start(struct pes *p, unsigned nodes, const char *design, char **argv, const char *lib,
              const char *address, unsigned tls, const struct stop *stop) {
    const char *slash = strrchr(argv[0], '/');
    const unsigned num = nodes ? nodes : 1;
    *p = (struct pes){.nodes = nodes > 0,
                      .name = slash ? slash + 1 : argv[0],
                      .address = address,
                      .stop = stop,
                      .wake = {-1, -1}};
    p->of = heddle_alloc_array(num, sizeof *p->of, "programs");
    p->pid = heddle_alloc_array(num, sizeof *p->pid, "programs");
    p->child = heddle_alloc_array(num, sizeof *p->child, "programs");
    for (; p->num < num; p->num++) {
        struct pe *pe = &p->of[p->num];
        const struct launcher_node node = {p->num, nodes, design};
        const int error = launcher_start(&pe->launcher, argv, lib, address, tls, stop, &node);
        if (error) {
            for (unsigned i = 0; i < p->num; i++) {
                kill(p->pid[i], SIGKILL);
                launcher_finish(&p->of[i].launcher, p->of[i].ended, sizeof p->of[i].ended);
            }
            return error;
        }
        p->pid[p->num] = pe->launcher.pid;
        p->child[p->num] = (struct server_child){pe->launcher.pid, pe->launcher.pidfd};
    }
    if (p->nodes) start_guard(p);
    return 0;
}

/* ---- watching */

/* Whether a PE that has ended has failed; then `how` says so. It is not reaped. */
static bool has_failed(const struct pes *p, unsigned i, char *how, size_t size) {
    siginfo_t info = {.si_pid = 0};
    if (waitid(P_PID, (id_t)p->pid[i], &info, WEXITED | WNOHANG | WNOWAIT) != 0 || !info.si_pid)
        return false;
    if (info.si_code == CLD_EXITED && info.si_status == 0) return false;
    if (info.si_code == CLD_EXITED)
        snprintf(how, size, "ended with exit status %d", info.si_status);
    else
        snprintf(how, size, "was killed by signal %d (%s)", info.si_status,
                 strsignal(info.si_status));
    return true;
}

/* Says which PE has failed. */
static void tell_failed(const struct pes *p, unsigned failed, const char *how) {
    char text[400];
    const int n = snprintf(text, sizeof text,
                           "heddle: error: PE %u (process %d, %s) %s: the run ends\n", failed,
                           (int)p->pid[failed], p->name, how);
    if (write(STDERR_FILENO, text, (size_t)n) < 0) { /* nobody reads it */
    }
}

/* Asks all PEs to end that have not. */
static void end_others(struct pes *p) {
    atomic_store(&p->failed, true);
    for (unsigned i = 0; i < p->num; i++) {
        siginfo_t info = {.si_pid = 0};
        const bool ended = waitid(P_PID, (id_t)p->pid[i], &info, WEXITED | WNOHANG | WNOWAIT) ==
                               0 &&
                           info.si_pid;
        if (ended) continue;
        p->of[i].by_us = true;
        kill(p->pid[i], SIGTERM);
    }
    p->others(p->user, SIGTERM, p->pid, p->num);
}

/* The thread: waits until a PE fails or the run is given up, ends all, and kills them PATIENCE_MS
 * later. A PE that
 * ends because the run was asked to stop does not fail. */
static void *watch(void *user) {
    struct pes *p = user;
    struct pollfd *fd = heddle_alloc_array(p->num + 1, sizeof *fd, "programs to watch");
    char how[100];
    for (unsigned i = 0; i < p->num; i++)
        fd[i] = (struct pollfd){.fd = p->child[i].pidfd, .events = POLLIN};
    fd[p->num] = (struct pollfd){.fd = p->wake[0], .events = POLLIN};
    for (;;) {
        const int ready = poll(fd, p->num + 1, atomic_load(&p->failed) ? PATIENCE_MS : -1);
        if (ready == 0) signal_run(p->address, SIGKILL);
        if (ready < 0 && errno != EINTR) break;
        if (ready <= 0) continue;
        if (fd[p->num].revents) {
            char byte;
            if (read(p->wake[0], &byte, 1) != 1) break;
            if (!atomic_load(&p->failed)) end_others(p);
        }
        for (unsigned i = 0; i < p->num; i++) {
            if (!fd[i].revents) continue;
            fd[i].fd = -1;
            if (atomic_load(&p->failed) || !has_failed(p, i, how, sizeof how)) continue;
            /* the signal that has ended it may have been sent to this process as well */
            usleep(TERMINAL_MS * 1000);
            if (atomic_load(&p->stop->asked)) continue;
            tell_failed(p, i, how);
            end_others(p);
        }
    }
    free(fd);
    return NULL;
}

void pes_watch(struct pes *p, stop_others_fn others, void *user) {
    p->others = others;
    p->user = user;
    if (!p->nodes || pipe2(p->wake, O_CLOEXEC) != 0) return;
    p->watches = pthread_create(&p->thread, NULL, watch, p) == 0;
}

void pes_give_up(struct pes *p) {
    p->given_up = true;
    if (!p->watches || write(p->wake[1], "", 1) != 1) end_others(p);
}

/* ---- end */

int pes_finish(struct pes *p, char *how, size_t size) {
    const struct pe *first = NULL;
    for (unsigned i = 0; i < p->num; i++) {
        siginfo_t info; /* the thread may still look at it: it is reaped below */
        while (waitid(P_PID, (id_t)p->pid[i], &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
        }
    }
    if (p->watches) {
        close(p->wake[1]);
        p->wake[1] = -1;
        pthread_join(p->thread, NULL);
        p->watches = false;
    }
    for (unsigned i = 0; i < p->num; i++) {
        struct pe *pe = &p->of[i];
        pe->status = launcher_finish(&pe->launcher, pe->ended, sizeof pe->ended);
    }
    for (int pass = 0; pass < 2 && !first; pass++)
        for (unsigned i = 0; i < p->num && !first; i++)
            if (p->of[i].status && (pass == 1 || !p->of[i].by_us)) first = &p->of[i];
    if (atomic_load(&p->failed)) signal_run(p->address, SIGKILL);
    end_guard(p);
    if (!first) first = &p->of[0];
    snprintf(how, size, "%s", first->ended);
    return first->status;
}

void pes_free(struct pes *p) {
    end_guard(p);
    for (unsigned i = 0; i < 2 && p->of; i++)
        if (p->wake[i] >= 0) close(p->wake[i]);
    free(p->of);
    free(p->pid);
    free(p->child);
    *p = (struct pes){.num = 0};
}

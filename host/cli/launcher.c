/* launcher.c - starts the program of `heddle run` as a child process with Heddle's libraries,
 * forwards signals to it, and reaps it. cmd_run.c calls it on the main thread of `heddle run`.
 *
 * A second thread, pass_signals(), forwards SIGTERM and SIGHUP to the program, so that the report
 * is still written. It shares with the main thread only the atomic `ended`. The terminal sends
 * SIGINT and SIGQUIT to both processes; `heddle run` ignores them. */
#define _GNU_SOURCE
#include "cli/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/memory.h"
#include "cuda/protocol/wire.h"

/* The thread that forwards signals. */
struct signals {
    pthread_t thread;
    pid_t pid;         /* of the program */
    atomic_bool ended; /* the program has ended: the next signal ends the thread */
};

/* The signals that are forwarded. */
static void passed_on(sigset_t *set) {
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
}

/* The thread: waits for signals and sends them to the program. */
static void *pass_signals(void *user) {
    struct signals *s = user;
    sigset_t set;
    passed_on(&set);
    while (!atomic_load(&s->ended)) {
        int number;
        if (sigwait(&set, &number) == 0 && !atomic_load(&s->ended)) kill(s->pid, number);
    }
    return NULL;
}

/* Blocks the signals that are forwarded; *before gets the mask until then. */
void launcher_hold_signals(sigset_t *before) {
    sigset_t set;
    passed_on(&set);
    pthread_sigmask(SIG_BLOCK, &set, before);
}

/* Checks that `lib` can be named in the dynamic linker's variables. @return HEDDLE_ERR_IO, with
 * advice in diag: it has a blank, ':', ';' or '$'. */
heddle_err launcher_check(const char *lib, struct heddle_diag *diag) {
    /* LD_PRELOAD is split at blanks and ':', LD_LIBRARY_PATH at ':' and ';'; '$' begins a variable
     * of the dynamic linker */
    const char *bad = strpbrk(lib, " \t\n:;$");
    if (!bad) return HEDDLE_OK;
    return heddle_fail(diag, HEDDLE_ERR_IO,
                       "programs cannot be given libraries from '%s': the dynamic linker does not "
                       "take a path with '%c' in LD_PRELOAD and LD_LIBRARY_PATH; move Heddle to a "
                       "path without it",
                       lib, *bad);
}

/* Prepends folder + file to the list in an environment variable of this process.
 * @return false: errno says why not. */
static bool prepend(const char *variable, const char *folder, const char *file) {
    const char *old = getenv(variable);
    char *value;
    if (asprintf(&value, "%s%s%s%s", folder, file, old && *old ? ":" : "", old ? old : "") < 0)
        return false;
    bool good = setenv(variable, value, 1) == 0;
    free(value);
    return good;
}

/* Points the OpenCL loader at Heddle's platform alone, if the platform was built: programs that
 * take the first one get it. @return false: errno says why not. */
static bool offer_opencl(const char *lib) {
    char *folder;
    if (asprintf(&folder, "%s/opencl", lib) < 0) return false;
    bool good = access(folder, R_OK) != 0 || setenv("OCL_ICD_VENDORS", folder, 1) == 0;
    free(folder);
    return good;
}

/* In the child: sets the environment and executes the program. On failure, writes errno to the pipe
 * `report` and exits. `mask`: the program's signal mask. */
static void become(char **argv, const char *lib, const char *address, unsigned tls, int report,
                   const sigset_t *mask) {
    char tunable[64];
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    bool good = prepend("LD_LIBRARY_PATH", lib, "") &&
                prepend("LD_AUDIT", lib, "/libheddle_audit.so");
    /* With an auditor (LD_AUDIT), the linker lays out thread-local storage before it knows the
     * program's libraries; this reserves room for theirs. */
    snprintf(tunable, sizeof tunable, "glibc.rtld.optional_static_tls=%u", tls);
    good = good && prepend("GLIBC_TUNABLES", tunable, "") &&
           prepend("LD_PRELOAD", lib, "/libheddle_bind.so") &&
           /* AddressSanitizer insists on being the first library; ours before it are harmless. */
           prepend("ASAN_OPTIONS", "verify_asan_link_order=0", "") && offer_opencl(lib) &&
           setenv(WIRE_ENVIRONMENT, address, 1) == 0;
    if (good) execvp(argv[0], argv);
    int error = errno;
    if (write(report, &error, sizeof error) < 0) _exit(126);
    _exit(127);
}

/* Forks and executes argv[0] with the libraries of `lib` and the server's `address` in its
 * environment; `tls`: bytes of thread-local storage that the linker reserves. Starts the thread
 * that forwards signals, without it if the system gives none. The program gets the signal mask
 * `mask`. From now on this process ignores SIGINT and SIGQUIT. @return 0, or the errno of what
 * failed; *out then needs no launcher_finish(). */
int launcher_start(struct launcher *out, char **argv, const char *lib, const char *address,
                   unsigned tls, const sigset_t *mask) {
    int report[2], error = 0;
    *out = (struct launcher){.pidfd = -1};
    if (pipe2(report, O_CLOEXEC) != 0) return errno;
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    pid_t pid = fork();
    if (pid == 0) become(argv, lib, address, tls, report[1], mask);
    if (pid < 0) error = errno;
    close(report[1]);
    if (!error && read(report[0], &error, sizeof error) != sizeof error) error = 0;
    close(report[0]);
    if (!error) {
        out->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
        if (out->pidfd < 0) error = errno;
    }
    if (error) {
        if (pid > 0) waitpid(pid, NULL, 0);
        return error;
    }
    out->pid = pid;
    struct signals *s = heddle_alloc(sizeof *s, "passing signals on");
    s->pid = pid;
    if (pthread_create(&s->thread, NULL, pass_signals, s) == 0) {
        out->signals = s;
    } else {
        free(s);
    }
    return 0;
}

/* Waits for the program, ends and joins the thread, and frees what *l has. `how` gets a description
 * of the end. @return the program's exit status, 128 + signal if it was killed. */
int launcher_finish(struct launcher *l, char *how, size_t size) {
    int status = 0;
    while (waitpid(l->pid, &status, 0) < 0 && errno == EINTR) {
    }
    struct signals *s = l->signals;
    if (s) {
        /* pthread_cancel() would load a library, for which there may be no memory. */
        atomic_store(&s->ended, true);
        pthread_kill(s->thread, SIGHUP);
        pthread_join(s->thread, NULL);
        free(s);
    }
    if (l->pidfd >= 0) close(l->pidfd);
    if (WIFSIGNALED(status)) {
        snprintf(how, size, "killed by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
        return 128 + WTERMSIG(status);
    }
    snprintf(how, size, "exit %d", WEXITSTATUS(status));
    return WEXITSTATUS(status);
}

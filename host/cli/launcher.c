/* launcher.c - starts the program of `heddle run` as a child process with Heddle's libraries,
 * and reaps it. cmd_run.c calls it on the main thread of `heddle run`. */
#define _GNU_SOURCE
#include "cli/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/protocol/wire.h"

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

/* In the child: tells the program which node it is of, and lets the kernel kill it when `parent`
 * dies. @return false: errno says why not. */
static bool join_node(const struct launcher_node *node, pid_t parent) {
    char pe[16], nodes[16];
    if (!node->nodes) return true;
    snprintf(pe, sizeof pe, "%u", node->pe);
    snprintf(nodes, sizeof nodes, "%u", node->nodes);
    if (setenv(WIRE_PE_ENVIRONMENT, pe, 1) != 0 || setenv(WIRE_NODES_ENVIRONMENT, nodes, 1) != 0 ||
        setenv(WIRE_DESIGN_ENVIRONMENT, node->design, 1) != 0)
        return false;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) raise(SIGKILL); /* it has died meanwhile */
    return true;
}

/* In the child: sets the environment and executes the program. On failure, writes errno to the pipe
 * `report` and exits. `stop`: how signals were. */
static void become(char **argv, const char *lib, const char *address, unsigned tls, int report,
                   const struct stop *stop, const struct launcher_node *node, pid_t parent) {
    char tunable[64];
    stop_restore(stop);
    bool good = prepend("LD_LIBRARY_PATH", lib, "") &&
                prepend("LD_AUDIT", lib, "/libheddle_audit.so");
    /* With an auditor (LD_AUDIT), the linker lays out thread-local storage before it knows the
     * program's libraries; this reserves room for theirs. */
    snprintf(tunable, sizeof tunable, "glibc.rtld.optional_static_tls=%u", tls);
    good = good && prepend("GLIBC_TUNABLES", tunable, "") &&
           prepend("LD_PRELOAD", lib, "/libheddle_bind.so") &&
           /* AddressSanitizer insists on being the first library; ours before it are harmless. */
           prepend("ASAN_OPTIONS", "verify_asan_link_order=0", "") && offer_opencl(lib) &&
           setenv(WIRE_ENVIRONMENT, address, 1) == 0 && join_node(node, parent);
    if (good) execvp(argv[0], argv);
    int error = errno;
    if (write(report, &error, sizeof error) < 0) _exit(126);
    _exit(127);
}

/* Forks and executes argv[0] with the libraries of `lib` and the server's `address` in its
 * environment; `tls`: bytes of thread-local storage that the linker reserves. In the program
 * signals are as they were before stop_hold(). @return 0, or the errno of what failed; *out then
 * needs no launcher_finish(). */
int launcher_start(struct launcher *out, char **argv, const char *lib, const char *address,
                   unsigned tls, const struct stop *stop, const struct launcher_node *node) {
    int report[2], error = 0;
    const pid_t parent = getpid();
    *out = (struct launcher){.pidfd = -1};
    if (pipe2(report, O_CLOEXEC) != 0) return errno;
    pid_t pid = fork();
    if (pid == 0) become(argv, lib, address, tls, report[1], stop, node, parent);
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
    return 0;
}

/* Waits for the program and frees what *l has. `how` gets a description of the end. @return the
 * program's exit status, 128 + signal if it was killed. */
int launcher_finish(struct launcher *l, char *how, size_t size) {
    int status = 0;
    while (waitpid(l->pid, &status, 0) < 0 && errno == EINTR) {
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

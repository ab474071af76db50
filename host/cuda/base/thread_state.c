/* thread_state.c - reads the states of threads from /proc; see thread_state.h. */
#define _GNU_SOURCE
#include "cuda/base/thread_state.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Reads the begin of a file of a thread, with a NUL behind it. @return false: it cannot be read. */
static bool read_file(int pid, int tid, const char *name, char *out, size_t size) {
    char path[80];
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", pid, tid, name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const ssize_t n = read(fd, out, size - 1);
    close(fd);
    out[n > 0 ? n : 0] = '\0';
    return n > 0;
}

char thread_state(int pid, int tid) {
    char line[512];
    if (!read_file(pid, tid, "stat", line, sizeof line)) return '?';
    const char *name_end = strrchr(line, ')'); /* a name may contain anything */
    return name_end && name_end[1] == ' ' ? name_end[2] : '?';
}

uint64_t thread_runs(int pid, int tid) {
    char line[128], *end;
    if (!read_file(pid, tid, "schedstat", line, sizeof line)) return 0;
    strtoull(line, &end, 10); /* ns on a processor, then ns in its queue, then how often */
    strtoull(end, &end, 10);
    return strtoull(end, NULL, 10);
}

bool thread_sleeps_for_others(int pid, int tid) {
    enum { FUTEX_WAITS = 0, FUTEX_LOCKS = 6, FUTEX_WAITS_BITS = 9, FUTEX_OPERATION = 0x7f };
    enum { NO_HANG = 1 }; /* of wait4() and waitid() */
    char line[256], *end;
    unsigned long long argument[6];
    if (!read_file(pid, tid, "syscall", line, sizeof line)) return false;
    const long call = strtol(line, &end, 10);
    if (end == line) return false; /* it runs */
    for (unsigned i = 0; i < 6; i++) argument[i] = strtoull(end, &end, 16);
    if (call == SYS_futex) {
        const unsigned operation = (unsigned)argument[1] & FUTEX_OPERATION;
        return !argument[3] && (operation == FUTEX_WAITS || operation == FUTEX_WAITS_BITS ||
                                operation == FUTEX_LOCKS);
    }
    if (call == SYS_wait4) return !(argument[2] & NO_HANG);
    return call == SYS_waitid && !(argument[3] & NO_HANG);
}

unsigned process_num_threads(int pid) {
    char path[48];
    struct stat s;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    return stat(path, &s) == 0 && s.st_nlink > 2 ? (unsigned)s.st_nlink - 2 : 0;
}

static int by_number(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

void process_threads(int pid, GArray *out) {
    char path[48];
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    const unsigned before = out->len;
    DIR *d = opendir(path);
    if (!d) return;
    for (const struct dirent *e; (e = readdir(d));) {
        const int tid = atoi(e->d_name);
        if (tid > 0) g_array_append_val(out, tid);
    }
    closedir(d);
    if (out->len > before)
        qsort(&g_array_index(out, int, before), out->len - before, sizeof(int), by_number);
}

void process_children(int pid, GArray *out) {
    GArray *threads = g_array_new(FALSE, FALSE, sizeof(int));
    process_threads(pid, threads);
    for (unsigned i = 0; i < threads->len; i++) {
        char line[4096], *end, *at = line;
        if (!read_file(pid, g_array_index(threads, int, i), "children", line, sizeof line))
            continue;
        for (int child; (child = (int)strtol(at, &end, 10)) > 0; at = end)
            g_array_append_val(out, child);
    }
    g_array_unref(threads);
}

/* failing_disk.c - a library, preloaded into `heddle`, on whose disk the n-th call fails.
 *
 * HEDDLE_TEST_FAIL_AT=N picks the N-th call that changes a file or directory (1 is the first one in
 * main()), HEDDLE_TEST_FAIL_HOW says what becomes of it: `once`: it fails, with EIO if it syncs or
 * closes a file, else with ENOSPC; `full`: so do all later ones that need room; `short`: a write
 * writes half. HEDDLE_TEST_COUNT=FILE: the number of calls is appended to FILE at exit. Only
 * processes whose program is called "heddle" count calls and let them fail; standard streams and
 * files in memory (memfd) never do.
 *
 * glibc's streams write without the function write() that this library replaces. So fopen() and
 * fdopen() make streams (fopencookie) that do. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define COUNT_MODE O_APPEND
#include "counted_main.h"

static enum { ONCE, FULL, SHORT } how;

/* ---- which call fails */

/* Counts a call. *error: what it fails with. @return whether it does. */
static bool fails(int error) {
    if (!counts) return false;
    const unsigned long n = atomic_fetch_add(&calls, 1) + 1;
    if (how == SHORT || !fail_at || n < fail_at) return false;
    if (n > fail_at && (how == ONCE || error != ENOSPC)) return false;
    errno = error;
    return true;
}

/* Whether it is a file on a disk. */
static bool on_disk(int fd) {
    struct stat st;
    char link[40], name[16];
    const int error = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const bool disk = fd > STDERR_FILENO && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
                      !(readlink(link, name, sizeof name) > 7 && !memcmp(name, "/memfd:", 7));
    errno = error;
    return disk;
}

/* The same, opened for writing. */
static bool is_written(int fd) {
    const int flags = counts ? fcntl(fd, F_GETFL) : -1;
    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && on_disk(fd);
}

/* How many of n bytes a write to the file writes. -1: it fails, errno says how. */
static ssize_t room(int fd, size_t n) {
    if (!counts || !on_disk(fd)) return (ssize_t)n;
    if (fails(ENOSPC)) return -1;
    return how == SHORT && atomic_load(&calls) == fail_at && n > 1 ? (ssize_t)n / 2 : (ssize_t)n;
}

/* ---- calls of the system */

/* glibc's function of that name. */
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *bytes, size_t n) {
    const ssize_t most = room(fd, n);
    return most < 0 ? -1 : syscall(SYS_write, fd, bytes, (size_t)most);
}
ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at) {
    const ssize_t most = room(fd, n);
    return most < 0 ? -1 : syscall(SYS_pwrite64, fd, bytes, (size_t)most, at);
}
ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t at) {
    return pwrite(fd, bytes, n, at);
}
ssize_t writev(int fd, const struct iovec *parts, int n) {
    return n > 0 && room(fd, 1) < 0 ? -1 : syscall(SYS_writev, fd, parts, n);
}
int fsync(int fd) {
    return fails(EIO) ? -1 : (int)syscall(SYS_fsync, fd);
}
int fdatasync(int fd) {
    return fails(EIO) ? -1 : (int)syscall(SYS_fdatasync, fd);
}
int ftruncate(int fd, off_t size) {
    return on_disk(fd) && fails(EIO) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}
int ftruncate64(int fd, off64_t size) {
    return ftruncate(fd, size);
}
int posix_fallocate(int fd, off_t at, off_t size) {
    const int error = errno;
    const bool good = !(on_disk(fd) && fails(ENOSPC)) &&
                      syscall(SYS_fallocate, fd, 0, at, size) == 0;
    const int failed = errno;
    errno = error;
    return good ? 0 : failed;
}
int posix_fallocate64(int fd, off64_t at, off64_t size) {
    return posix_fallocate(fd, at, size);
}
int rename(const char *from, const char *to) {
    return fails(ENOSPC) ? -1 : (int)syscall(SYS_rename, from, to);
}
int mkdir(const char *path, mode_t mode) {
    return fails(ENOSPC) ? -1 : (int)syscall(SYS_mkdir, path, mode);
}
/* A file is closed when close() fails. */
int close(int fd) {
    const bool failed = is_written(fd) && fails(EIO);
    const int error = errno, result = (int)syscall(SYS_close, fd);
    if (failed) errno = error;
    return failed ? -1 : result;
}

/* Opening counts where it may create a file. */
static int open_file(int directory, const char *path, int flags, mode_t mode) {
    if ((flags & (O_CREAT | O_TRUNC)) && fails(ENOSPC)) return -1;
    return (int)syscall(SYS_openat, directory, path, flags, mode);
}
/* The last argument of the functions that follow. */
#define MODE(mode, flags)                                   \
    mode_t mode = 0;                                        \
    if ((flags) & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) { \
        va_list list;                                       \
        va_start(list, flags);                              \
        mode = va_arg(list, mode_t);                        \
        va_end(list);                                       \
    }
int open(const char *path, int flags, ...) {
    MODE(mode, flags)
    return open_file(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    MODE(mode, flags)
    return open_file(AT_FDCWD, path, flags, mode);
}
int openat(int directory, const char *path, int flags, ...) {
    MODE(mode, flags)
    return open_file(directory, path, flags, mode);
}

/* ---- streams */

/* A stream whose calls are counted. */
struct stream {
    int fd;
    FILE *f;
    struct stream *next;
    char buffer[4096];
};
static struct stream *streams;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static ssize_t stream_read(void *cookie, char *bytes, size_t n) {
    const struct stream *s = cookie;
    return read(s->fd, bytes, n);
}

/* As glibc does for a file: goes on after a short write. */
static ssize_t stream_write(void *cookie, const char *bytes, size_t n) {
    const struct stream *s = cookie;
    size_t done = 0;
    while (done < n) {
        const ssize_t more = write(s->fd, bytes + done, n - done);
        if (more < 0) break;
        done += (size_t)more;
    }
    return (ssize_t)done;
}

static int stream_seek(void *cookie, off64_t *at, int whence) {
    const struct stream *s = cookie;
    const off64_t now = lseek64(s->fd, *at, whence);
    if (now >= 0) *at = now;
    return now >= 0 ? 0 : -1;
}

static int stream_close(void *cookie) {
    struct stream *s = cookie;
    pthread_mutex_lock(&lock);
    for (struct stream **p = &streams; *p; p = &(*p)->next) {
        if (*p != s) continue;
        *p = s->next;
        break;
    }
    pthread_mutex_unlock(&lock);
    const int result = close(s->fd), error = errno;
    free(s);
    errno = error;
    return result;
}

FILE *fdopen(int fd, const char *mode) {
    if (!counts || !strpbrk(mode, "wa+") || !on_disk(fd)) return NEXT(fdopen)(fd, mode);
    const cookie_io_functions_t functions = {stream_read, stream_write, stream_seek, stream_close};
    struct stream *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->fd = fd;
    s->f = fopencookie(s, mode, functions);
    if (!s->f) {
        free(s);
        return NULL;
    }
    setvbuf(s->f, s->buffer, _IOFBF, sizeof s->buffer);
    pthread_mutex_lock(&lock);
    s->next = streams;
    streams = s;
    pthread_mutex_unlock(&lock);
    return s->f;
}

FILE *fopen(const char *path, const char *mode) {
    if (!counts || mode[0] == 'r') return NEXT(fopen)(path, mode);
    const int flags = mode[0] == 'a' ? O_APPEND : O_TRUNC;
    const int fd = open(path, flags | O_CREAT | O_CLOEXEC | (strchr(mode, '+') ? O_RDWR : O_WRONLY),
                        0666);
    if (fd < 0) return NULL;
    FILE *f = fdopen(fd, mode);
    if (!f) close(fd);
    return f;
}
FILE *fopen64(const char *path, const char *mode) {
    return fopen(path, mode);
}

int fileno(FILE *f) {
    int fd = -1;
    pthread_mutex_lock(&lock);
    for (const struct stream *s = streams; s; s = s->next)
        if (s->f == f) fd = s->fd;
    pthread_mutex_unlock(&lock);
    return fd >= 0 ? fd : NEXT(fileno)(f);
}

__attribute__((constructor)) static void begin(void) {
    const char *what = getenv("HEDDLE_TEST_FAIL_HOW");
    how = what && !strcmp(what, "full") ? FULL : what && !strcmp(what, "short") ? SHORT : ONCE;
}

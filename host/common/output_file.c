/* output_file.c - creates, renames and syncs output files; contracts in output_file.h. The name
 * until the commit has the process's number, so that two runs that write to one directory never
 * write to one file. */
#define _GNU_SOURCE
#include "common/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"

/* Frees the names and forgets the file. */
static void forget(struct output_file *o) {
    free(o->path);
    free(o->beside);
    *o = (struct output_file){0};
}

/* Explains errno, or `error` if that is not 0. */
static heddle_err fail(const char *path, int error, struct heddle_diag *diag) {
    return heddle_fail(diag, HEDDLE_ERR_IO, "cannot write %s: %s%s", path, strerror(error),
                       heddle_advice(error));
}

/* Opens what has the name and is no regular file. */
static heddle_err open_in_place(struct output_file *o, const char *path, struct heddle_diag *diag) {
    o->f = fopen(path, "we");
    if (!o->f) return fail(path, errno, diag);
    o->path = heddle_copy_text(path, "name of a file");
    return HEDDLE_OK;
}

/* Creates "PATH.PID.part" anew. O_EXCL: whatever has the name, a link too, is not opened. */
heddle_err output_file_open(struct output_file *o, const char *path, enum output_name name,
                            struct heddle_diag *diag) {
    struct stat st;
    *o = (struct output_file){0};
    if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        if (S_ISDIR(st.st_mode)) return fail(path, EISDIR, diag);
        if (name == OUTPUT_DEVICE) return open_in_place(o, path, diag);
        if (name == OUTPUT_GIVEN)
            return heddle_fail(diag, HEDDLE_ERR_IO,
                               "cannot write %s: it is no regular file; remove it, or name another",
                               path);
    }
    size_t room = strlen(path) + 32;
    o->path = heddle_copy_text(path, "name of a file");
    o->beside = heddle_alloc(room, "name of a file");
    snprintf(o->beside, room, "%s.%ld.part", path, (long)getpid());
    unlink(o->beside); /* of a process that had this number and was killed */
    int fd = open(o->beside, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd >= 0) o->f = fdopen(fd, "w+");
    if (o->f) return HEDDLE_OK;
    int error = errno;
    if (fd >= 0) {
        close(fd);
        unlink(o->beside);
    }
    forget(o);
    return fail(path, error, diag);
}

/* Forces the directory of a file, and so the file's name, to the disk. @return false: failed. */
static bool sync_directory(const char *path) {
    const char *slash = strrchr(path, '/');
    char *directory = heddle_copy_text(slash ? path : ".", "name of a directory");
    if (slash) directory[slash == path ? 1 : slash - path] = '\0';
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool good = fd >= 0 && fsync(fd) == 0;
    int error = errno;
    if (fd >= 0) close(fd);
    free(directory);
    errno = error;
    return good;
}

heddle_err output_file_commit(struct output_file *o, bool durable, struct heddle_diag *diag) {
    errno = 0;
    bool good = fflush(o->f) == 0 && !ferror(o->f) && (!durable || fsync(fileno(o->f)) == 0);
    int error = errno;
    /* stdio forgets why an earlier write failed: ask again for room. */
    if (!good && !error && o->beside) error = posix_fallocate(fileno(o->f), 0, 1 << 24);
    if (!good && !error) error = EIO;
    if (fclose(o->f) != 0 && good) {
        error = errno;
        good = false;
    }
    if (good && o->beside &&
        (rename(o->beside, o->path) != 0 || (durable && !sync_directory(o->path)))) {
        error = errno;
        good = false;
    }
    heddle_err e = good ? HEDDLE_OK : fail(o->path, error, diag);
    if (!good && o->beside) unlink(o->beside);
    forget(o);
    return e;
}

void output_file_abandon(struct output_file *o) {
    if (!o->f) return;
    fclose(o->f);
    if (o->beside) unlink(o->beside);
    forget(o);
}

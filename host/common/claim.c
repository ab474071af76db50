/* claim.c - makes directories and locks them; contracts in claim.h. */
#define _GNU_SOURCE
#include "common/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"

/* The directory was there, and another process has removed it: try again. */
enum { REMOVED = -1 };

/* Makes the directory and its parents. *made: it is new. @return 0, also when it existed, REMOVED,
 * or an errno. */
static int make_directory(const char *path, bool *made) {
    char part[1024];
    *made = false;
    if ((size_t)snprintf(part, sizeof part, "%s", path) >= sizeof part) return ENAMETOOLONG;
    for (char *p = part + 1; *part && *p; p++) {
        if (*p != '/') continue;
        *p = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) return errno;
        *p = '/';
    }
    *made = mkdir(part, 0777) == 0;
    if (*made) return 0;
    struct stat st;
    if (errno != EEXIST) return errno;
    if (stat(part, &st) != 0) return errno == ENOENT ? REMOVED : errno;
    return S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
}

/* Makes and locks the directory. A process that ends its claim may remove the directory between the
 * two: the lock is good if the directory still has its name. @return 0, REMOVED, or an errno. */
static int try_claim(struct claim *c, const char *path, const struct claim *other) {
    struct stat st, named;
    bool made;
    int error = make_directory(path, &made);
    if (error) return error;
    if (made) c->made = true;
    c->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (c->fd < 0 && errno != EACCES) return errno == ENOENT ? REMOVED : errno;
    if ((c->fd < 0 ? stat(path, &st) : fstat(c->fd, &st)) != 0) return errno;
    c->device = st.st_dev;
    c->inode = st.st_ino;
    if (c->fd < 0) return 0;
    if (other && other->path && other->device == st.st_dev && other->inode == st.st_ino) {
        close(c->fd); /* the other claim's lock is enough */
        c->fd = -1;
        return 0;
    }
    if (flock(c->fd, LOCK_EX | LOCK_NB) == 0) {
        if (stat(path, &named) == 0 && named.st_dev == st.st_dev && named.st_ino == st.st_ino)
            return 0;
        error = REMOVED;
    } else if (errno == EWOULDBLOCK || errno == EINTR) {
        error = EWOULDBLOCK;
    }
    close(c->fd);
    c->fd = -1;
    return error; /* 0: the file system has no locks */
}

int claim_directory(struct claim *c, const char *path, const struct claim *other) {
    enum { TRIES = 100 };
    int error = REMOVED;
    *c = (struct claim){.fd = -1};
    for (unsigned i = 0; i < TRIES && error == REMOVED; i++) error = try_claim(c, path, other);
    if (error == REMOVED) error = ENOENT;
    if (error)
        *c = (struct claim){0};
    else
        c->path = heddle_copy_text(path, "name of a directory");
    return error;
}

void claim_end(struct claim *c) {
    if (!c->path) return;
    if (c->made) rmdir(c->path); /* refused if there is anything in it */
    if (c->fd >= 0) close(c->fd);
    free(c->path);
    *c = (struct claim){0};
}

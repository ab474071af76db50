/* claim.h - directories of results: one process at a time writes into each. Runs claim those of
 * their report and of their checkpoints, sweeps theirs. The kernel keeps the lock (flock of the
 * directory), so that a claim ends with its process, however that ends, and leaves nothing behind.
 *
 * Threads: calls about one claim, one at a time. */
#ifndef HEDDLE_COMMON_CLAIM_H
#define HEDDLE_COMMON_CLAIM_H

#include <stdbool.h>
#include <sys/types.h>

/* A directory that this process writes into. Starts as zeros: none. */
struct claim {
    char *path; /* owned; NULL: none */
    int fd;     /* of the directory; -1: its file system has no locks, or it cannot be read */
    bool made;  /* the directory is new */
    dev_t device;
    ino_t inode;
};

/* Makes the directory, with its parents, and claims it. `other` (may be NULL): another claim of
 * this process, which may be of the same directory. @return 0; EWOULDBLOCK: another process has
 * claimed it; or an errno. *c is then none. */
int claim_directory(struct claim *c, const char *path, const struct claim *other);
/* Gives the directory back; removes it if it is as new and as empty as the claim found it. Accepts
 * none. */
void claim_end(struct claim *c);

#endif

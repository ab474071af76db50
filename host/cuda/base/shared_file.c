/* shared_file.c - memory files that the server maps and sends to programs: the staging memory of a
 * connection (server.c) and the counts of a program (program_lifetime.c); see shared_file.h. Runs
 * on the server's thread. */
#define _GNU_SOURCE
#include "cuda/base/shared_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* Creates a memory file of zeros and maps it for reading and writing. Its size is sealed: where a
 * program could make it smaller, the server's next access would be a bus error. The caller owns the
 * mapping (munmap) and *fd (close). name: for /proc only. @return NULL: failed, with nothing left
 * open and *fd -1. */
void *shared_file_create(const char *name, size_t bytes, int *fd) {
    *fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*fd < 0) return NULL;
    void *p = ftruncate(*fd, (off_t)bytes) == 0 &&
                      fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0
                  ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0)
                  : MAP_FAILED;
    if (p != MAP_FAILED) return p;
    close(*fd);
    *fd = -1;
    return NULL;
}

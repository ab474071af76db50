/* shared_file.h - memory that the server shares with programs. */
#ifndef HEDDLE_CUDA_BASE_SHARED_FILE_H
#define HEDDLE_CUDA_BASE_SHARED_FILE_H

#include <stddef.h>

/* Creates a memory file and maps it. The caller owns both (munmap, close). @return NULL: failed,
 * and *fd is not open. */
void *shared_file_create(const char *name, size_t bytes, int *fd);

#endif

/* shared_file.h - memory that the server shares with programs. */
#ifndef HEDDLE_CUDA_BASE_SHARED_FILE_H
#define HEDDLE_CUDA_BASE_SHARED_FILE_H

#include <stddef.h>

/* A file in memory, mapped here; both are the caller's (munmap, close). @return NULL: neither. */
void *shared_file_create(const char *name, size_t bytes, int *fd);

#endif

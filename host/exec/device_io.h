/* device_io.h - what device code gets from the system: printf, assert, malloc and free.
 *
 * One exec_io belongs to a GPU and is shared by its launches and executor threads; every function
 * takes its lock. Text is kept per launch and handed out when the launch has ended, ordered by CTA
 * and, within one, as its warps wrote it: the same for every number of threads. The heap is taken
 * from device memory at the first malloc; addresses depend on the order of calls, which is that of
 * execution: the same in every run with one thread. */
#ifndef HEDDLE_EXEC_DEVICE_IO_H
#define HEDDLE_EXEC_DEVICE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "exec/memory.h"

struct exec_io;

/* Gives `bytes` of device memory for the heap. @return its address (a multiple of 256), or 0. */
typedef uint64_t (*exec_heap_fn)(void *user, uint64_t bytes);

heddle_err exec_io_create(struct exec_io **out, struct exec_memory *memory, exec_heap_fn heap,
                          void *heap_user);
void exec_io_free(struct exec_io *io); /* accepts NULL */

/* The heap of the kernels to come, in bytes; no effect once it is in use. Default: 8 MiB. */
void exec_io_set_heap(struct exec_io *io, uint64_t bytes);

/* A piece of output; text is of `bytes` and belongs to whoever takes it (free both). */
struct exec_text {
    struct exec_text *next;
    bool error; /* for standard error (assert) */
    uint64_t launch, cta, number;
    size_t bytes;
    char text[];
};

/* Keeps text of a CTA. @return false: no memory. */
bool exec_io_write(struct exec_io *io, uint64_t launch, uint64_t cta, bool error, const char *text,
                   size_t bytes);
/* Takes the text of a launch, in order; NULL: none. */
struct exec_text *exec_io_take(struct exec_io *io, uint64_t launch);

/* Device malloc: aligned to 32 bytes. @return 0 when the heap is full. */
uint64_t exec_io_malloc(struct exec_io *io, uint64_t bytes);
/* @return false when nothing allocated begins there (0 is fine). */
bool exec_io_release(struct exec_io *io, uint64_t address);

#endif

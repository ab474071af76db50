/* device_io.h - system calls of device code: printf, assert, malloc and free.
 *
 * Each GPU has one exec_io, which its launches, SM groups and executor threads share. It has a
 * lock, which the functions below take. The heap's blocks and two words lie in device memory; both
 * are taken from there at the first use. The lists of free blocks and all text are the host's.
 *
 * With timing, printf, malloc and free take effect in the order in which their accesses to a word
 * reach its L2 slice; this order does not depend on placement. Without timing they take effect when
 * executed, and text is ordered by CTA. Text is collected per launch and handed out when the launch
 * has ended. */
#ifndef HEDDLE_EXEC_DEVICE_IO_H
#define HEDDLE_EXEC_DEVICE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "exec/memory/device_memory.h"

struct exec_io;

/* Gives `bytes` of device memory for the heap. @return its address (a multiple of 256), or 0. */
typedef uint64_t (*exec_heap_fn)(void *user, uint64_t bytes);

heddle_err exec_io_create(struct exec_io **out, struct exec_memory *memory, exec_heap_fn heap,
                          void *heap_user);
void exec_io_free(struct exec_io *io); /* accepts NULL */

/* The words of device memory that the calls access, each in a sector of its own. */
enum exec_io_word { EXEC_IO_TEXT, EXEC_IO_HEAP };
/* @return the address of a word, or 0: there is no memory for the heap. */
uint64_t exec_io_word(struct exec_io *io, enum exec_io_word word);

/* Sets the size of the heap for later kernels, in bytes. Default: 8 MiB. @return false: the heap
 * is in use. */
bool exec_io_set_heap(struct exec_io *io, uint64_t bytes);

/* A piece of output, one block from malloc. */
struct exec_text {
    struct exec_text *next;
    bool error; /* for standard error (assert) */
    uint64_t launch;
    uint64_t place;    /* pieces of a launch come out by this, */
    uint64_t number;   /* then as they were written; of one that is held: its ticket */
    const void *owner; /* free for whoever takes it */
    size_t bytes;
    char text[];
};
/* @return a piece that is not written yet (free it, or write it), or NULL: no memory. */
struct exec_text *exec_io_text(uint64_t launch, uint64_t place, bool error, const char *text,
                               size_t bytes);
void exec_io_write(struct exec_io *io, struct exec_text *text);
/* Text that waits for its turn. A number stands for it, which any component may name.
 * @return its ticket, never 0. Takes the piece over. */
uint64_t exec_io_hold(struct exec_io *io, struct exec_text *text);
/* Writes the text of a ticket now. The ticket is gone then. */
void exec_io_print(struct exec_io *io, uint64_t ticket);
/* Forgets the text of a ticket. Accepts 0 and tickets that are gone. */
void exec_io_drop(struct exec_io *io, uint64_t ticket);
/* Takes the text of a launch, in order; NULL: none. The pieces are the caller's to free. */
struct exec_text *exec_io_take(struct exec_io *io, uint64_t launch);

/* Device malloc: aligned to 32 bytes. @return 0 when the heap is full. */
uint64_t exec_io_malloc(struct exec_io *io, uint64_t bytes);
/* First part of device free: forbids accesses to the block. @return false: no allocated block
 * begins there (address 0 is accepted). */
bool exec_io_retire(struct exec_io *io, uint64_t address);
/* Second part: makes the block available again. */
void exec_io_recycle(struct exec_io *io, uint64_t address);

#endif

/* device_io.h - system calls of device code: printf, assert, malloc and free.
 *
 * Each GPU has one exec_io, which its launches, SM groups and executor threads share. It has a
 * lock, which the functions below take; any thread may call them. The heap's blocks and two words
 * lie in device memory; both are taken from there at the first use. The lists of free blocks and
 * all text are the host's.
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

/* Allocates `bytes` of device memory for the heap. @return its address (a multiple of 256), or
 * 0. */
typedef uint64_t (*exec_heap_fn)(void *user, uint64_t bytes);

/* Creates the io of a GPU. `heap` is called at the first use, with the lock held. */
heddle_err exec_io_create(struct exec_io **out, struct exec_memory *memory, exec_heap_fn heap,
                          void *heap_user);
/* Frees the io and its text, not the device memory. Accepts NULL. */
void exec_io_free(struct exec_io *io);

/* The words of device memory that the calls access, each in a sector of its own. */
enum exec_io_word { EXEC_IO_TEXT, EXEC_IO_HEAP };
/* @return the device address of a word, or 0: there is no memory for the heap. */
uint64_t exec_io_word(struct exec_io *io, enum exec_io_word word);

/* Sets the size of the heap, in bytes, for later kernels. Default: 8 MiB. @return false: the heap
 * is in use already. */
bool exec_io_set_heap(struct exec_io *io, uint64_t bytes);

/* A piece of output, one block from the host's malloc. */
struct exec_text {
    struct exec_text *next;
    bool error;        /* for standard error (assert) */
    uint64_t launch;   /* grid_id of its launch */
    uint64_t place;    /* pieces of a launch are ordered by this, */
    uint64_t number;   /* then by order of writing; while the piece is held: its ticket */
    const void *owner; /* for use by the caller of exec_io_take() */
    size_t bytes;
    char text[];
};
/* Makes a piece with a copy of the text; takes no lock. @return the piece, for exec_io_write(),
 * exec_io_hold() or free(); NULL: no memory. */
struct exec_text *exec_io_text(uint64_t launch, uint64_t place, bool error, const char *text,
                               size_t bytes);
/* Appends the piece to the output. Takes it over. */
void exec_io_write(struct exec_io *io, struct exec_text *text);
/* Keeps a piece until its turn comes. Takes it over. @return its ticket, never 0: a number that any
 * component may pass on. */
uint64_t exec_io_hold(struct exec_io *io, struct exec_text *text);
/* Appends the piece of a ticket to the output. The ticket is invalid then. */
void exec_io_print(struct exec_io *io, uint64_t ticket);
/* Frees the piece of a ticket. Accepts 0 and invalid tickets. */
void exec_io_drop(struct exec_io *io, uint64_t ticket);
/* Takes the pieces of a launch out, in order, as a list. @return NULL: none. The caller frees
 * each. */
struct exec_text *exec_io_take(struct exec_io *io, uint64_t launch);

/* Device malloc: allocates a block, aligned to 32 bytes, and allows accesses to it in the launch's
 * memory. @return 0: the heap is full. */
uint64_t exec_io_malloc(struct exec_io *io, struct exec_memory *memory, uint64_t bytes);
/* First part of device free: forbids accesses to the block. @return false: no allocated block
 * begins there, or it is another program's. Address 0 is accepted. */
bool exec_io_retire(struct exec_io *io, struct exec_memory *memory, uint64_t address);
/* Second part: makes the block available again. Ignores 0 and addresses of no block. */
void exec_io_recycle(struct exec_io *io, uint64_t address);

#endif

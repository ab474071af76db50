/* device_io.c - device printf, assert, malloc and free of one GPU, in the server.
 *
 * Executor threads and SM groups call it while kernels run (op_system.c, perform.c), the scheduler
 * between launches. Exported functions take io->lock, except create, free and exec_io_text();
 * static functions expect that the caller holds it. The lists of the host (text, tickets, free
 * blocks) grow through common/memory.h, which ends the process when memory is short.
 *
 * The heap has size classes, powers of two of 32 bytes: a free list each, and a class number per 32
 * bytes where a block begins. */
#include "exec/memory/device_io.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

/* Bytes of the smallest block, size classes, flag of a retired block, bytes before the heap for the
 * words, default bytes of the heap. */
enum { UNIT = 32, CLASSES = 40, RETIRED = 0x80, WORDS_BYTES = 256, HEAP_DEFAULT = 8 << 20 };

/* The io of a GPU. */
struct exec_io {
    pthread_mutex_t lock; /* of all below but memory, heap and heap_user, which never change */
    struct exec_memory *memory;
    exec_heap_fn heap;
    void *heap_user;
    struct exec_text *first, **last; /* written text, a list; the link for the next piece */
    uint64_t written;                /* pieces written so far */
    /* text that waits for its turn; a ticket is serial << 32 | index */
    struct exec_text **held;
    size_t num_held, cap_held;
    uint32_t *unused; /* indices of `held` that are free, a stack */
    size_t num_unused, cap_unused;
    uint32_t serial; /* of the last ticket, never 0 */
    /* the heap; the words lie before it */
    uint64_t base, bytes, used; /* address (0: not begun), size, bytes given out at its start */
    uint64_t *freed[CLASSES];   /* free blocks of each class, stacks of addresses */
    size_t n_freed[CLASSES], cap_freed[CLASSES];
    uint8_t *block; /* [bytes / UNIT]: 1 + class of an allocated block that begins here, RETIRED */
};

/* Creates an io without text. The heap is made at its first use, by heap(heap_user, bytes), which
 * runs with io->lock held on the thread of that use and returns device memory or 0. @return
 * HEDDLE_OK always. */
heddle_err exec_io_create(struct exec_io **out, struct exec_memory *memory, exec_heap_fn heap,
                          void *heap_user) {
    struct exec_io *io = *out = heddle_alloc(sizeof *io, "device printf and malloc");
    pthread_mutex_init(&io->lock, NULL);
    io->memory = memory;
    io->heap = heap;
    io->heap_user = heap_user;
    io->last = &io->first;
    io->bytes = HEAP_DEFAULT;
    return HEDDLE_OK;
}

/* Frees the io with all its text, on one thread when no other uses it; device memory stays with its
 * owner. Accepts NULL. */
void exec_io_free(struct exec_io *io) {
    if (!io) return;
    while (io->first) {
        struct exec_text *t = io->first;
        io->first = t->next;
        free(t);
    }
    for (size_t i = 0; i < io->num_held; i++) free(io->held[i]);
    free(io->held);
    free(io->unused);
    for (unsigned c = 0; c < CLASSES; c++) free(io->freed[c]);
    free(io->block);
    pthread_mutex_destroy(&io->lock);
    free(io);
}

/* Sets the heap's size in bytes, rounded up to UNIT, for later kernels. @return false: the heap is
 * in use, and nothing changes. */
bool exec_io_set_heap(struct exec_io *io, uint64_t bytes) {
    pthread_mutex_lock(&io->lock);
    bool unused = !io->base;
    if (unused) io->bytes = (bytes + UNIT - 1) / UNIT * UNIT;
    pthread_mutex_unlock(&io->lock);
    return unused;
}

/* ---- text ----------------------------------------------------------------------------------- */

/* Allocates a piece of output with a copy of the text; `launch`: its grid_id, `place`: its order in
 * the launch, `error`: for standard error. The caller passes it to exec_io_write() or
 * exec_io_hold(), or frees it with free(). @return NULL: no memory. */
struct exec_text *exec_io_text(uint64_t launch, uint64_t place, bool error, const char *text,
                               size_t bytes) {
    struct exec_text *t = malloc(sizeof *t + bytes + 1);
    if (!t) return NULL;
    *t = (struct exec_text){.error = error, .launch = launch, .place = place, .bytes = bytes};
    memcpy(t->text, text, bytes);
    t->text[bytes] = '\0';
    return t;
}

/* Appends a piece to the written text. */
static void append(struct exec_io *io, struct exec_text *t) {
    t->number = io->written++;
    *io->last = t;
    io->last = &t->next;
}

/* Appends a piece to the written text, which owns it from now on. */
void exec_io_write(struct exec_io *io, struct exec_text *t) {
    pthread_mutex_lock(&io->lock);
    append(io, t);
    pthread_mutex_unlock(&io->lock);
}

/* Keeps a piece in `held`, which owns it, until exec_io_print() or exec_io_drop(). @return its
 * ticket, never 0. */
uint64_t exec_io_hold(struct exec_io *io, struct exec_text *t) {
    pthread_mutex_lock(&io->lock);
    uint32_t i;
    if (io->num_unused) {
        i = io->unused[--io->num_unused];
    } else {
        io->held = heddle_grow(io->held, &io->cap_held, io->num_held + 1, sizeof(*io->held),
                               "text of device printf");
        i = (uint32_t)io->num_held++;
    }
    if (!++io->serial) io->serial = 1;
    t->number = (uint64_t)io->serial << 32 | i;
    io->held[i] = t;
    pthread_mutex_unlock(&io->lock);
    return t->number;
}

/* Takes the piece of a ticket out of `held`, which makes the ticket invalid. @return NULL: it was
 * invalid. */
static struct exec_text *release(struct exec_io *io, uint64_t ticket) {
    uint32_t i = (uint32_t)ticket;
    struct exec_text *t = ticket && i < io->num_held ? io->held[i] : NULL;
    if (!t || t->number != ticket) return NULL;
    io->held[i] = NULL;
    io->unused = heddle_grow(io->unused, &io->cap_unused, io->num_unused + 1, sizeof *io->unused,
                             "text of device printf");
    io->unused[io->num_unused++] = i;
    return t;
}

/* Appends the piece of a ticket to the written text, if the ticket is valid; it is invalid then. */
void exec_io_print(struct exec_io *io, uint64_t ticket) {
    pthread_mutex_lock(&io->lock);
    struct exec_text *t = release(io, ticket);
    if (t) append(io, t);
    pthread_mutex_unlock(&io->lock);
}

/* Frees the piece of a ticket, if the ticket is valid (0 is not); it is invalid then. */
void exec_io_drop(struct exec_io *io, uint64_t ticket) {
    pthread_mutex_lock(&io->lock);
    free(release(io, ticket));
    pthread_mutex_unlock(&io->lock);
}

/* Orders pieces by place and number, for qsort(). */
static int compare(const void *a, const void *b) {
    const struct exec_text *x = *(struct exec_text *const *)a, *y = *(struct exec_text *const *)b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Takes the pieces of a launch (by grid_id) out of the written text. @return them as a list ordered
 * by place and order of writing, NULL: none. The caller frees each with free(). */
struct exec_text *exec_io_take(struct exec_io *io, uint64_t launch) {
    struct exec_text *taken = NULL, **end = &taken;
    size_t n = 0;
    pthread_mutex_lock(&io->lock);
    for (struct exec_text **link = &io->first; *link;) {
        struct exec_text *t = *link;
        if (t->launch != launch) {
            link = &t->next;
            continue;
        }
        *link = t->next;
        t->next = NULL;
        *end = t;
        end = &t->next;
        n++;
    }
    for (io->last = &io->first; *io->last;) io->last = &(*io->last)->next;
    pthread_mutex_unlock(&io->lock);
    if (!n) return NULL;
    struct exec_text **list = heddle_alloc_array(n, sizeof *list, "the order of device printf");
    size_t k = 0;
    for (struct exec_text *t = taken; t; t = t->next) list[k++] = t;
    qsort(list, n, sizeof *list, compare);
    for (k = 0; k < n; k++) list[k]->next = k + 1 < n ? list[k + 1] : NULL;
    taken = list[0];
    free(list);
    return taken;
}

/* ---- the heap ------------------------------------------------------------------------------- */

/* The smallest class whose blocks have that size; CLASSES: none. */
static unsigned class_of(uint64_t bytes) {
    unsigned c = 0;
    while (c < CLASSES && (uint64_t)UNIT << c < bytes) c++;
    return c;
}

/* Takes the heap and the words from device memory, once, by the io's heap function, and forbids
 * accesses to them. @return false: no memory, or no heap function. */
static bool begin(struct exec_io *io) {
    if (io->base) return true;
    if (!io->block) io->block = calloc(io->bytes / UNIT + 1, 1);
    if (!io->block || !io->heap) return false;
    uint64_t region = io->heap(io->heap_user, WORDS_BYTES + io->bytes);
    if (!region) return false;
    io->base = region + WORDS_BYTES;
    exec_memory_forbid(io->memory, region, WORDS_BYTES + io->bytes);
    exec_memory_unmap(io->memory, region, WORDS_BYTES + io->bytes); /* its blocks are mapped */
    return true;
}

/* @return the device address of a word that calls access for their timing; the first use takes the
 * heap from device memory. 0: no memory. */
uint64_t exec_io_word(struct exec_io *io, enum exec_io_word word) {
    pthread_mutex_lock(&io->lock);
    uint64_t address = begin(io) ? io->base - WORDS_BYTES + UNIT * (uint64_t)word : 0;
    pthread_mutex_unlock(&io->lock);
    return address;
}

/* Allocates a block of the class of `bytes` and allows accesses to `bytes` of it. @return its
 * address or 0. */
static uint64_t take(struct exec_io *io, struct exec_memory *memory, uint64_t bytes) {
    unsigned c = class_of(bytes);
    if (!begin(io) || c == CLASSES) return 0;
    uint64_t size = (uint64_t)UNIT << c, address;
    if (io->n_freed[c]) {
        address = io->freed[c][--io->n_freed[c]];
    } else {
        if (io->bytes - io->used < size) return 0;
        address = io->base + io->used;
        io->used += size;
    }
    io->block[(address - io->base) / UNIT] = (uint8_t)(1 + c);
    exec_memory_allow(memory, address, bytes);
    exec_memory_map(memory, address, size);
    if (memory != io->memory) exec_memory_map(io->memory, address, size);
    return address;
}

/* Device malloc: allocates a block of the heap, aligned to 32 bytes (0 bytes: as 1), and allows
 * accesses to `bytes` of it. @return its device address; 0: the heap is full, or there is no memory
 * for it. */
uint64_t exec_io_malloc(struct exec_io *io, struct exec_memory *memory, uint64_t bytes) {
    pthread_mutex_lock(&io->lock);
    uint64_t address = take(io, memory, bytes ? bytes : 1);
    pthread_mutex_unlock(&io->lock);
    return address;
}

/* @return the class number of the block in use (or retired) that begins at the address; NULL: none
 * does. */
static uint8_t *block_at(struct exec_io *io, uint64_t address) {
    uint64_t offset = address - io->base;
    if (!io->base || offset >= io->used || offset % UNIT) return NULL;
    uint8_t *block = &io->block[offset / UNIT];
    return *block ? block : NULL;
}

/* First part of device free, when the call executes: forbids accesses to the block and marks it
 * retired. @return false: no allocated block begins there; true for address 0. */
bool exec_io_retire(struct exec_io *io, struct exec_memory *memory, uint64_t address) {
    if (!address) return true;
    pthread_mutex_lock(&io->lock);
    uint8_t *block = block_at(io, address);
    bool known = block && !(*block & RETIRED) && exec_memory_allowed(memory, address);
    if (known) {
        const uint64_t size = (uint64_t)UNIT << (*block - 1);
        exec_memory_forbid(memory, address, size);
        exec_memory_unmap(memory, address, size);
        if (memory != io->memory) exec_memory_unmap(io->memory, address, size);
        *block |= RETIRED;
    }
    pthread_mutex_unlock(&io->lock);
    return known;
}

/* Adds a block to the free list of class c. */
static void push(struct exec_io *io, unsigned c, uint64_t address) {
    io->freed[c] = heddle_grow(io->freed[c], &io->cap_freed[c], io->n_freed[c] + 1,
                               sizeof *io->freed[c], "free blocks of device malloc");
    io->freed[c][io->n_freed[c]++] = address;
}

/* Second part of device free, when its access takes effect: puts the block on the free list of its
 * class. Ignores 0 and addresses at which no block begins. */
void exec_io_recycle(struct exec_io *io, uint64_t address) {
    pthread_mutex_lock(&io->lock);
    uint8_t *block = address ? block_at(io, address) : NULL;
    if (block) {
        push(io, (*block & ~RETIRED) - 1u, address);
        *block = 0;
    }
    pthread_mutex_unlock(&io->lock);
}

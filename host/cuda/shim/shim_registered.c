/* shim_registered.c - registered memory (cudaHostRegister): memory of the program that the GPU
 * reaches.
 *
 * Runs in the program's process, in libheddle_shim.so, on the thread of the program that makes the
 * call, for both interfaces; shim.h has the contracts. The functions that make a call return its
 * cudaError_t, which is also the thread's last error.
 *
 * The server allocates as many pages of pinned memory. This file copies the contents into them and
 * maps them in place of the program's pages. Then both sides see the same bytes: the program at
 * the old address, the GPU at the pinned address (cudaHostGetDevicePointer). Unregistering copies
 * the contents back into private pages. It always replaces whole pages, including other data in
 * them. No other thread may write to the pages meanwhile. shim.lock guards the list
 * shim.registered. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cuda/shim/shim.h"

/* PAGE: bytes. FLAGS: those of cudaHostRegister() that Heddle accepts. */
enum { PAGE = 4096, FLAGS = 0xb, FLAG_IO_MEMORY = 4 };

/* One registered range: a record in shim.registered, guarded by shim.lock. Its members do not
 * change, except `next`. */
struct shim_registered {
    uintptr_t host, device; /* first page: the program's and the server's address */
    size_t bytes;           /* whole pages */
    uintptr_t given;        /* the pointer that the program registered */
    size_t given_bytes;     /* its size; need not be whole pages */
    struct shim_registered *next;
};

/* The registration that the address lies in, or NULL. The caller holds shim.lock. */
static struct shim_registered *find(uintptr_t address) {
    struct shim_registered *r = shim.registered;
    while (r && address - r->given >= r->given_bytes) r = r->next;
    return r;
}

/* The server's address of registered memory, or `address` itself. Takes shim.lock if any memory is
 * registered. */
void *shim_translate(const void *address) {
    uintptr_t a = (uintptr_t)address;
    if (!__atomic_load_n(&shim.registered, __ATOMIC_ACQUIRE)) return (void *)a;
    pthread_mutex_lock(&shim.lock);
    const struct shim_registered *r = find(a);
    if (r) a = r->device + (a - r->host);
    pthread_mutex_unlock(&shim.lock);
    return (void *)a;
}

/* The program's address of registered memory whose server's address this is, or `address` itself.
 * Takes shim.lock if any memory is registered. */
void *shim_translate_back(const void *address) {
    uintptr_t a = (uintptr_t)address;
    if (!__atomic_load_n(&shim.registered, __ATOMIC_ACQUIRE)) return (void *)a;
    pthread_mutex_lock(&shim.lock);
    const struct shim_registered *r = shim.registered;
    while (r && a - r->device >= r->bytes) r = r->next;
    if (r) a = r->host + (a - r->device);
    pthread_mutex_unlock(&shim.lock);
    return (void *)a;
}

/* True if all of the range is private, readable and writable memory of this process. Reads
 * /proc/self/maps; false if that cannot be read. */
static bool is_own(uintptr_t from, uintptr_t to) {
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    uintptr_t covered = from;
    while (maps && covered < to && fgets(line, sizeof line, maps)) {
        unsigned long long begin, end;
        char mode[5] = "";
        if (sscanf(line, "%llx-%llx %4s", &begin, &end, mode) != 3) continue;
        if (end <= covered) continue;
        if (begin > covered || strcmp(mode, "rw-p") != 0) break;
        covered = end;
    }
    if (maps) fclose(maps);
    return covered >= to;
}

/* Ends a registration whose pages this process cannot map: frees the record `r` and, with a message
 * that counts as no call, the server's pages. @return cudaErrorMemoryAllocation, also the last
 * error. */
static int give_up(uint64_t pages, struct shim_registered *r) {
    struct shim_call undo = {.id = CALL_cudaHostUnregister, .in = {pages}};
    (void)shim_exchange(&undo, WIRE_CALL);
    free(r);
    shim_self()->last_error = HEDDLE_cudaErrorMemoryAllocation;
    return HEDDLE_cudaErrorMemoryAllocation;
}

/* Makes the call `id`, which allocates the pinned pages, and replaces the program's pages by them.
 * Prints memory that it cannot replace. Takes shim.lock for the list only, once to check and once
 * to add. @return cudaError_t, also the last error: cudaErrorInvalidValue for the arguments,
 * cudaErrorHostMemoryAlreadyRegistered for pages that overlap, cudaErrorNotSupported for I/O memory
 * or memory that is not private, readable and writable, cudaErrorMemoryAllocation, or the server's
 * error. After an error the program's pages are as before. */
int shim_register_memory(enum cuda_call_id id, void *address, size_t bytes, unsigned flags) {
    uintptr_t given = (uintptr_t)address;
    if (!address || !bytes || bytes > SIZE_MAX / 2 || flags & ~(unsigned)(FLAGS | FLAG_IO_MEMORY))
        return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    if (flags & FLAG_IO_MEMORY) {
        shim_say("not supported: %s() of I/O memory", shim_call_names[id]);
        return shim_fail(id, HEDDLE_cudaErrorNotSupported);
    }
    uintptr_t from = given / PAGE * PAGE, to = (given + bytes + PAGE - 1) / PAGE * PAGE;
    int error = shim_ready();
    if (error) return shim_fail(id, error);
    pthread_mutex_lock(&shim.lock);
    for (const struct shim_registered *r = shim.registered; r; r = r->next)
        if (from < r->host + r->bytes && r->host < to)
            error = HEDDLE_cudaErrorHostMemoryAlreadyRegistered;
    pthread_mutex_unlock(&shim.lock);
    if (error) return shim_fail(id, error);
    if (!is_own(from, to)) {
        shim_say("not supported: %s() of memory that is not private memory of the "
                 "program, readable and writable (shared or file mappings)",
                 shim_call_names[id]);
        return shim_fail(id, HEDDLE_cudaErrorNotSupported);
    }
    struct shim_call call = {.id = id, .in = {to - from, flags}};
    struct shim_registered *r = calloc(1, sizeof *r);
    if (!r) return shim_fail(id, HEDDLE_cudaErrorMemoryAllocation);
    error = shim_call(&call);
    if (!error && call.out[0] % PAGE) error = HEDDLE_cudaErrorUnknown;
    off_t offset = (off_t)(call.out[0] - shim.pinned_base);
    void *view = MAP_FAILED;
    if (!error)
        view = mmap(NULL, to - from, PROT_READ | PROT_WRITE, MAP_SHARED, shim.pinned_fd, offset);
    if (error) {
        free(r);
        return error;
    }
    if (view == MAP_FAILED) return give_up(call.out[0], r);
    memcpy(view, (void *)from, to - from);
    if (mremap(view, to - from, to - from, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)from) ==
        MAP_FAILED) {
        munmap(view, to - from);
        return give_up(call.out[0], r);
    }
    *r = (struct shim_registered){from, (uintptr_t)call.out[0], to - from, given, bytes, NULL};
    pthread_mutex_lock(&shim.lock);
    r->next = shim.registered;
    __atomic_store_n(&shim.registered, r, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&shim.lock);
    return CUDA_SUCCESS;
}

/* Makes the call `id`, which frees the pinned pages, and replaces them by private ones with the
 * same contents; then removes and frees the record. Takes shim.lock for the list only. @return
 * cudaError_t, also the last error: cudaErrorHostMemoryNotRegistered if no registration begins at
 * `address`, cudaErrorInvalidValue if that is NULL, cudaErrorMemoryAllocation, or the server's
 * error. */
int shim_unregister_memory(enum cuda_call_id id, void *address) {
    pthread_mutex_lock(&shim.lock);
    struct shim_registered **link = &shim.registered;
    while (*link && (*link)->given != (uintptr_t)address) link = &(*link)->next;
    struct shim_registered *r = *link;
    pthread_mutex_unlock(&shim.lock);
    if (!r)
        return shim_fail(id, address ? HEDDLE_cudaErrorHostMemoryNotRegistered
                                     : HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {.id = id, .in = {r->device}};
    void *own = mmap(NULL, r->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED) return shim_fail(id, HEDDLE_cudaErrorMemoryAllocation);
    int error = shim_call(&call); /* the server waits for work that may use it */
    if (error) {
        munmap(own, r->bytes);
        return error;
    }
    memcpy(own, (void *)r->host, r->bytes);
    mremap(own, r->bytes, r->bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)r->host);
    pthread_mutex_lock(&shim.lock);
    for (link = &shim.registered; *link && *link != r;) link = &(*link)->next;
    if (*link) *link = r->next;
    pthread_mutex_unlock(&shim.lock);
    free(r);
    return CUDA_SUCCESS;
}

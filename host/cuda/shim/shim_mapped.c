/* shim_mapped.c - pinned and managed memory: the server allocates it, this file maps its pages
 * into the program's process.
 *
 * Runs in the program's process, in libheddle_shim.so, on the thread of the program that allocates
 * or frees, for both interfaces; shim.h has the contracts. An address is the same in program and
 * server. The functions that make a call return its cudaError_t, which is also the thread's last
 * error.
 *
 * It maps only allocated pages. Tools that read all of a program's memory (valgrind's leak check,
 * a core dump) would otherwise allocate the whole region. shim.lock guards the list shim.pinned. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "cuda/shim/shim.h"

enum { PAGE = 4096 }; /* bytes */

/* An address of the wire as a pointer; it is the same in program and server. */
static void *pointer(uint64_t address) {
    return (void *)(uintptr_t)address;
}

/* Removes the allocations that begin in the range from shim.pinned, frees their records, and
 * replaces their pages by reserved ones without access. The caller holds shim.lock. Sends nothing.
 */
static void forget(uint64_t address, uint64_t bytes) {
    for (struct shim_pinned **link = &shim.pinned; *link;) {
        struct shim_pinned *p = *link;
        if (p->address - address >= bytes) {
            link = &p->next;
            continue;
        }
        mmap(pointer(p->address), p->bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        *link = p->next;
        free(p);
    }
}

/* Maps an allocation's pages from the server's file of pinned or of managed memory, as `address`
 * says, for reading and writing, and adds a record to shim.pinned, under shim.lock. Records of
 * earlier allocations in that range go. Sends nothing and leaves the last error alone. @return
 * CUDA_SUCCESS, or cudaErrorMemoryAllocation: no memory for the record, or the pages cannot be
 * mapped. */
int shim_map_allocation(uint64_t address, uint64_t bytes) {
    struct shim_pinned *p = calloc(1, sizeof *p);
    if (!p) return HEDDLE_cudaErrorMemoryAllocation;
    p->address = address;
    p->bytes = (bytes + PAGE - 1) / PAGE * PAGE;
    pthread_mutex_lock(&shim.lock);
    forget(address, p->bytes); /* left over from before a cudaDeviceReset */
    bool managed = address - shim.managed_base < shim.managed_bytes;
    uint64_t base = managed ? shim.managed_base : shim.pinned_base;
    void *got = mmap(pointer(address), p->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                     managed ? shim.managed_fd : shim.pinned_fd, (off_t)(address - base));
    bool good = got != MAP_FAILED;
    if (good && managed && shim.tracks) {
        madvise(got, p->bytes, MADV_NOHUGEPAGE); /* shim_managed.c looks at blocks of 64 KiB */
        shim.touched = shim_report_touched;
    }
    if (good) {
        p->next = shim.pinned;
        shim.pinned = p;
    } else {
        free(p);
    }
    pthread_mutex_unlock(&shim.lock);
    return good ? CUDA_SUCCESS : HEDDLE_cudaErrorMemoryAllocation;
}

/* Makes the call, which allocates in[0] bytes, and maps their pages (shim_map_allocation, under
 * shim.lock). *out: the address, written on success; `out` NULL is cudaErrorInvalidValue. Prints if
 * the pages cannot be mapped; the server keeps the allocation then. @return cudaError_t, also the
 * last error. */
int shim_allocate(struct shim_call *call, void **out) {
    if (!out) return shim_fail(call->id, CUDA_ERROR_INVALID_VALUE);
    int error = shim_call(call);
    if (error) return error;
    if (call->out[0]) error = shim_map_allocation(call->out[0], call->in[0]);
    if (error) {
        shim_say("error: cannot map %llu bytes of pinned or managed memory",
                 (unsigned long long)call->in[0]);
        shim_self()->last_error = error;
        return error;
    }
    *out = pointer(call->out[0]);
    return CUDA_SUCCESS;
}

/* Unmaps the pages of the allocation that begins at `address` and frees its record, under
 * shim.lock. Does nothing if there is none. Sends nothing. */
void shim_unmap_allocation(void *address) {
    pthread_mutex_lock(&shim.lock);
    forget((uintptr_t)address, 1);
    pthread_mutex_unlock(&shim.lock);
}

/* Unmaps the pages under shim.lock and then makes the call `id`, one message, which frees them. The
 * pages stay unmapped if the call fails. @return cudaError_t, also the last error. */
int shim_free_pinned(enum cuda_call_id id, void *address) {
    /* Unmap first: after the call the server may give the addresses to another thread. */
    if (address) shim_unmap_allocation(address);
    struct shim_call call = {.id = id, .in = {(uintptr_t)address}};
    return shim_call(&call);
}

/* Makes the call `id`, one message, which frees device or managed memory, and on success unmaps the
 * pages of managed memory, under shim.lock. @return cudaError_t, also the last error. */
int shim_free(enum cuda_call_id id, void *address) {
    struct shim_call call = {.id = id, .in = {(uintptr_t)address}};
    if ((uintptr_t)address - shim.managed_base >= shim.managed_bytes) return shim_call(&call);
    int error = shim_ready();
    if (error) return shim_fail(id, error);
    /* Kernels in flight use the memory until the call returns, so unmap afterwards. The server does
     * not reuse the addresses before this thread has unmapped them. */
    error = shim_call(&call);
    if (!error) shim_unmap_allocation(address);
    return error;
}

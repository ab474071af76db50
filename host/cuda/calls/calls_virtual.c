/* calls_virtual.c - handlers that reserve addresses, allocate physical memory and map one to the
 * other (cuMemAddressReserve, cuMemCreate, cuMemMap); see address_space.h.
 *
 * Runs in the server, on its thread. session.c calls do_NAME() through call_table for the program's
 * call NAME and for driver calls that are served like it; tables/cuda_calls.def and cuda_driver.def
 * give the parameters (a uint64_t each; pointers are results, which the reply carries only on
 * success). Functions that return int return a cudaError_t, named here without the prefix
 * "cudaError". All but the queries (Get...) change the address space; none issues anything on the
 * GPU. Sizes are bytes, in whole granules (ADDRESS_SPACE_GRANULE); anything else, and an address or
 * handle that is not the program's, is InvalidValue, an unknown device InvalidDevice. A wait is for
 * all work of all GPUs: it drives the simulation, blocks the server and moves the thread's clock; a
 * fault becomes the sticky error (wait.c).
 *
 * A handle is the address of the memory in its device's region, where it cannot be accessed. The
 * block's tag counts the handles that the program holds; its holders are these handles and the
 * mappings. A mapping's tag has a bit for each device that may access it. */
#include "cuda/object/capture.h"
#include "cuda/base/diagnostics.h"
#include "cuda/object/wait.h"
#include "cuda_call_handlers.h"

enum { MADE = 1 << 30 };                             /* flag of a block: made by cuMemCreate */
enum { ACCESS_NONE, ACCESS_READ, ACCESS_WRITE = 3 }; /* CUmemAccess_flags */

/* True for a size of at least one granule that is a multiple of it. */
static bool whole_granules(uint64_t n) {
    return n && n % ADDRESS_SPACE_GRANULE == 0;
}

/* ---- addresses */

/* Reserves a range, at the hint if it is free; alignment: a power of two, or 0. *address: its
 * begin. @return InvalidValue: also flags; MemoryAllocation: no gap. */
int do_cuMemAddressReserve(struct call *call, uint64_t *address, uint64_t bytes, uint64_t alignment,
                           uint64_t hint, uint64_t flags) {
    if (!whole_granules(bytes) || flags || (alignment & (alignment - 1)))
        return CUDA_ERROR_INVALID_VALUE;
    *address = address_space_reserve(call->server->o.space, bytes, alignment, hint, call->program);
    return *address ? CUDA_SUCCESS : HEDDLE_cudaErrorMemoryAllocation;
}

/* True if the range is a whole reservation of the program. */
static bool is_reservation(const struct call *call, uint64_t address, uint64_t bytes) {
    const struct memory_block *b = address_space_reserved(call->server->o.space, address, bytes);
    return b && b->address == address && b->bytes == bytes && b->owner == call->program;
}

/* The first mapping, of any program, that contains the address or begins behind it and before
 * `end`; or NULL. */
static const struct memory_block *mapping_in(const struct call *call, uint64_t address,
                                             uint64_t end) {
    const struct address_space *s = call->server->o.space;
    for (; address < end; address += ADDRESS_SPACE_GRANULE) {
        const struct memory_block *b = address_space_find(s, address, 1);
        if (b) return b;
    }
    return NULL;
}

/* Ends a whole reservation of the program in which nothing is mapped. @return else InvalidValue. */
int do_cuMemAddressFree(struct call *call, uint64_t address, uint64_t bytes) {
    if (!is_reservation(call, address, bytes) || mapping_in(call, address, address + bytes))
        return CUDA_ERROR_INVALID_VALUE;
    return address_space_unreserve(call->server->o.space, address) ? CUDA_SUCCESS
                                                                   : CUDA_ERROR_INVALID_VALUE;
}

/* ---- memory */

/* Allocates physical memory of the device, held by one handle: *handle. If none is free, waits,
 * because streams may have frees pending. @return MemoryAllocation, or the error of the wait. */
int do_cuMemCreate(struct call *call, uint64_t *handle, uint64_t bytes, uint64_t device) {
    if (device >= call_devices(call)) return HEDDLE_cudaErrorInvalidDevice;
    if (!whole_granules(bytes)) return CUDA_ERROR_INVALID_VALUE;
    struct address_space *s = call->server->o.space;
    memory_region region = program_region(call->program, (unsigned)device);
    *handle = address_space_alloc_physical(s, region, bytes, MADE, call->program);
    if (!*handle) {
        int error = wait_all_first(call);
        if (error) return error;
        *handle = address_space_alloc_physical(s, region, bytes, MADE, call->program);
    }
    if (!*handle) return HEDDLE_cudaErrorMemoryAllocation;
    address_space_set_tag(s, *handle, 1);
    return CUDA_SUCCESS;
}

/* The memory that the program holds by the handle, or NULL. */
static const struct memory_block *made(const struct call *call, uint64_t handle) {
    const struct memory_block *b = address_space_find(call->server->o.space, handle, 1);
    bool good = b && b->address == handle && b->flags == MADE && b->owner == call->program;
    return good && b->tag ? b : NULL;
}

/* Lets go of the handle once. Memory without a handle or mapping is freed at once; mapped memory
 * stays until it is unmapped. */
int do_cuMemRelease(struct call *call, uint64_t handle) {
    const struct memory_block *b = made(call, handle);
    if (!b) return CUDA_ERROR_INVALID_VALUE;
    address_space_set_tag(call->server->o.space, handle, b->tag - 1);
    address_space_let_go(call->server->o.space, handle);
    return CUDA_SUCCESS;
}

/* The program's mapping that contains the address, or NULL. */
static const struct memory_block *mapped(const struct call *call, uint64_t address) {
    const struct memory_block *b = address_space_find(call->server->o.space, address, 1);
    return b && b->memory && b->owner == call->program ? b : NULL;
}

/* One more handle of the memory that is mapped at the address: *handle, which needs a release of
 * its own. */
int do_cuMemRetainAllocationHandle(struct call *call, uint64_t *handle, uint64_t address) {
    struct address_space *s = call->server->o.space;
    const struct memory_block *b = mapped(call, address);
    if (!b) return CUDA_ERROR_INVALID_VALUE;
    *handle = b->memory;
    address_space_set_tag(s, *handle, address_space_find(s, *handle, 1)->tag + 1);
    address_space_hold(s, *handle);
    return CUDA_SUCCESS;
}

/* *device: on which the memory lies. */
int do_cuMemGetAllocationPropertiesFromHandle(struct call *call, uint64_t *device,
                                              uint64_t handle) {
    if (!made(call, handle)) return CUDA_ERROR_INVALID_VALUE;
    *device = program_device_of(call->program, address_space_region(call->server->o.space, handle));
    return CUDA_SUCCESS;
}

/* ---- mappings */

/* Maps the first `bytes` of the memory into a reservation, without access (address_space_map()).
 * Allows one mapping of memory at a time, because executors order strong accesses by address;
 * reports a second one on standard error (NotSupported). @return InvalidValue: also an offset or
 * flags, or something is mapped there. */
int do_cuMemMap(struct call *call, uint64_t address, uint64_t bytes, uint64_t offset,
                uint64_t handle, uint64_t flags) {
    struct address_space *s = call->server->o.space;
    const struct memory_block *b = made(call, handle);
    const struct memory_block *r = address_space_reserved(s, address, bytes);
    if (!b || !r || r->owner != call->program || address % ADDRESS_SPACE_GRANULE ||
        !whole_granules(bytes) || bytes > b->bytes || offset || flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (b->holders > b->tag) {
        server_error(call->server, "not supported: cuMemMap() of memory that is mapped already: "
                                   "memory has one mapping at a time");
        return HEDDLE_cudaErrorNotSupported;
    }
    return address_space_map(s, address, handle, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* True if whole adjacent mappings make up the range. */
static bool is_mapped(const struct call *call, uint64_t address, uint64_t bytes) {
    uint64_t end = address + bytes;
    if (!bytes || end < address) return false;
    while (address < end) {
        const struct memory_block *b = mapped(call, address);
        if (!b || b->address != address) return false;
        address += b->bytes;
    }
    return address == end;
}

/* Waits for all work, which may use the memory, and ends the mappings, which must make up the
 * range. Memory without a handle is freed with them. @return InvalidValue;
 * StreamCaptureUnsupported: a capture forbids it, and is invalidated; or the error of the wait. */
int do_cuMemUnmap(struct call *call, uint64_t address, uint64_t bytes) {
    if (!is_mapped(call, address, bytes)) return CUDA_ERROR_INVALID_VALUE;
    int error = capture_forbids(call);
    if (!error) error = wait_all_first(call);
    if (error) return error;
    for (uint64_t at = address, next; at < address + bytes; at = next) {
        next = at + mapped(call, at)->bytes;
        address_space_unmap(call->server->o.space, at);
    }
    return CUDA_SUCCESS;
}

/* Changes the access of kernels to the mappings, which must make up the range, on all devices,
 * because the executor has one permission for them; the tag keeps it by device for queries, and any
 * device with access permits it. Taking access away waits for all work, which may use the memory.
 * Reports access to read only on standard error (NotSupported). @return MemoryAllocation: the
 * server has none for the permission. */
int do_cuMemSetAccess(struct call *call, uint64_t address, uint64_t bytes, uint64_t device,
                      uint64_t access) {
    if (device >= call_devices(call)) return HEDDLE_cudaErrorInvalidDevice;
    if ((access != ACCESS_NONE && access != ACCESS_READ && access != ACCESS_WRITE) ||
        !is_mapped(call, address, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    if (access == ACCESS_READ) {
        server_error(call->server, "not supported: cuMemSetAccess() with access to read only");
        return HEDDLE_cudaErrorNotSupported;
    }
    int error = access == ACCESS_NONE ? wait_all_first(call) : CUDA_SUCCESS;
    if (error) return error;
    struct address_space *s = call->server->o.space;
    for (uint64_t at = address; at < address + bytes;) {
        const struct memory_block *b = mapped(call, at);
        uint32_t bit = 1u << device, devices = access ? b->tag | bit : b->tag & ~bit;
        if (!address_space_set_access(s, b, devices != 0)) return HEDDLE_cudaErrorMemoryAllocation;
        address_space_set_tag(s, at, devices);
        at += b->bytes;
    }
    return CUDA_SUCCESS;
}

/* *access: ACCESS_WRITE or ACCESS_NONE, as set for the device at the mapping that contains the
 * address. */
int do_cuMemGetAccess(struct call *call, uint64_t *access, uint64_t device, uint64_t address) {
    const struct memory_block *b = mapped(call, address);
    if (device >= call_devices(call)) return HEDDLE_cudaErrorInvalidDevice;
    if (!b) return CUDA_ERROR_INVALID_VALUE;
    *access = b->tag >> device & 1 ? ACCESS_WRITE : ACCESS_NONE;
    return CUDA_SUCCESS;
}

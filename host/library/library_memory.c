/* library_memory.c - device memory of the library's GPUs: allocations, copies and fills, which take
 * the target time of CUDA's calls. */
#include <string.h>

#include "library/library.h"

struct allocation {
    uint64_t bytes, *address;
};

static heddle_err allocate(struct heddle_gpu *g, void *arguments, struct heddle_diag *diag) {
    const struct allocation *a = arguments;
    library_charge(g);
    *a->address = address_space_alloc(g->space, REGION_DEVICE, a->bytes, 0, NULL);
    if (*a->address) {
        address_space_ask(g->space, *a->address);
        return HEDDLE_OK;
    }
    if (!a->bytes) return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "0 bytes cannot be allocated");
    return heddle_fail(diag, HEDDLE_ERR_NOMEM,
                       "out of device memory: %llu bytes are asked for, %llu of %llu are free, "
                       "perhaps in pieces",
                       (unsigned long long)a->bytes,
                       (unsigned long long)address_space_available(g->space, REGION_DEVICE),
                       (unsigned long long)address_space_bytes(g->space, REGION_DEVICE));
}

heddle_err heddle_gpu_alloc(heddle_gpu *gpu, uint64_t bytes, uint64_t *address,
                            struct heddle_diag *diag) {
    struct allocation a = {bytes, address};
    if (!address) return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "address is NULL");
    *address = 0;
    return library_call(gpu, allocate, &a, diag);
}

/* Whether a variable of a module, or a constant bank, begins at the address. */
static bool is_variable(const struct heddle_gpu *g, uint64_t address) {
    for (const struct heddle_module *m = g->modules; m; m = m->next) {
        if (m->variables.const_bank == address) return true;
        for (uint32_t i = 0; i < m->mir->num_symbols; i++)
            if (m->variables.address[i] == address) return true;
    }
    return false;
}

static heddle_err release(struct heddle_gpu *g, void *arguments, struct heddle_diag *diag) {
    const uint64_t address = *(const uint64_t *)arguments;
    library_charge(g);
    heddle_err e = library_wait(g, 0, diag); /* kernels may use it */
    if (is_variable(g, address) || !address_space_begin_free(g->space, address))
        return e ? e
                 : heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                               "no allocation begins at 0x%llx, or it was freed",
                               (unsigned long long)address);
    address_space_release(g->space, REGION_DEVICE, address);
    return e;
}

heddle_err heddle_gpu_free(heddle_gpu *gpu, uint64_t address, struct heddle_diag *diag) {
    return library_call(gpu, release, &address, diag);
}

/* A copy or fill. */
struct transfer {
    struct heddle_gpu *gpu;
    gpu_copy_kind kind;
    uint64_t address, bytes;
    const void *from; /* host to device */
    void *to;         /* device to host */
    uint8_t value;    /* fill */
};

/* gpu_copy.perform: moves the bytes when the operation takes effect. */
static void perform(void *user) {
    const struct transfer *t = user;
    void *const device = (void *)(uintptr_t)t->address;
    if (t->kind == GPU_COPY_HOST_TO_DEVICE) memcpy(device, t->from, t->bytes);
    if (t->kind == GPU_COPY_DEVICE_TO_HOST) memcpy(t->to, device, t->bytes);
    if (t->kind == GPU_MEMSET) memset(device, t->value, t->bytes);
    if (t->kind != GPU_COPY_DEVICE_TO_HOST)
        address_space_note_write(t->gpu->space, t->address, t->bytes);
}

/* Issues the operation and waits for it; it is over then, or the GPU never performs it. */
static heddle_err move(struct heddle_gpu *g, void *arguments, struct heddle_diag *diag) {
    struct transfer *t = arguments;
    gpu_ticket ticket;
    library_charge(g);
    if (!t->bytes) return HEDDLE_OK;
    if (!address_space_find(g->space, t->address, t->bytes))
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "%llu bytes at 0x%llx: they do not lie in one allocation",
                           (unsigned long long)t->bytes, (unsigned long long)t->address);
    t->gpu = g;
    const struct gpu_copy copy = {.kind = t->kind,
                                  .device_address = t->address,
                                  .source_address = t->address,
                                  .bytes = t->bytes,
                                  .perform = perform,
                                  .user = t};
    if (gpu_copy(g->gpu, GPU_STREAM_LEGACY, &copy, g->now_ps, &ticket))
        return library_wait(g, 0, diag); /* the GPU is dead; this says why */
    g->newest = ticket;
    return library_wait(g, ticket, diag);
}

heddle_err heddle_gpu_write(heddle_gpu *gpu, uint64_t address, const void *from, uint64_t bytes,
                            struct heddle_diag *diag) {
    struct transfer t = {
        .kind = GPU_COPY_HOST_TO_DEVICE, .address = address, .bytes = bytes, .from = from};
    if (!from && bytes) return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "from is NULL");
    return library_call(gpu, move, &t, diag);
}

heddle_err heddle_gpu_read(heddle_gpu *gpu, void *to, uint64_t address, uint64_t bytes,
                           struct heddle_diag *diag) {
    struct transfer t = {
        .kind = GPU_COPY_DEVICE_TO_HOST, .address = address, .bytes = bytes, .to = to};
    if (!to && bytes) return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "to is NULL");
    return library_call(gpu, move, &t, diag);
}

heddle_err heddle_gpu_fill(heddle_gpu *gpu, uint64_t address, uint8_t value, uint64_t bytes,
                           struct heddle_diag *diag) {
    struct transfer t = {.kind = GPU_MEMSET, .address = address, .bytes = bytes, .value = value};
    return library_call(gpu, move, &t, diag);
}

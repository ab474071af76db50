/* mpi_link.c - makes the messages to the simulator; contracts in mpi_link.h. */
#define _GNU_SOURCE
#include "mpi/mpi_link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/protocol/mpi_reduce.h"
#include "cuda/shim/shim.h"

/* Calls of MPI since the thread's last message. In the static TLS block, as shim_link.c's. */
static _Thread_local uint64_t counted __attribute__((tls_model("initial-exec")));

static uint64_t take_counted(void) {
    const uint64_t n = counted;
    counted = 0;
    return n;
}

void mpi_link_name(const char *call) {
    if (*call == 'P') call++; /* of PMPI_ */
    strncpy(shim.control->mpi_call, call, WIRE_MPI_CALL_BYTES - 1);
}

void mpi_link_count(const char *call) {
    counted++;
    mpi_link_name(call);
}

/* Makes a call. @return false, after a message. */
static bool make(struct shim_call *call) {
    const int error = shim_call_apart(call);
    if (!error) return true;
    shim_say("error: PE of MPI, process %d: %s: %s", (int)getpid(), shim_call_names[call->id],
             cuda_error_name(error));
    return false;
}

bool mpi_link_begin(int *rank, int *size) {
    struct shim_call call = {.id = CALL___heddleMpiBegin};
    const char *server = getenv(WIRE_ENVIRONMENT);
    if (!server || !*server) {
        shim_say("error: libmpi.so.40 of Heddle is loaded, but not by `heddle run`: start the "
                 "program as `heddle run --nodes N -- %s`",
                 program_invocation_short_name);
        return false;
    }
    if (!make(&call)) return false;
    *rank = (int)call.out[0];
    *size = (int)call.out[1];
    return true;
}

void mpi_link_end(void) {
    struct shim_call call = {.id = CALL___heddleMpiEnd};
    make(&call);
}

bool mpi_link_is_device(const void *address) {
    return (uintptr_t)address - shim.device_base < shim.device_bytes;
}

bool mpi_link_send(const struct mpi_link_envelope *to, enum wire_mpi_mode mode, const void *data,
                   size_t bytes, uint64_t *request) {
    const bool device = mpi_link_is_device(data);
    struct shim_call call = {.id = CALL___heddleMpiSend,
                             .in = {take_counted(), to->peer, to->context, to->tag, mode,
                                    device ? (uintptr_t)data : 0, bytes}};
    if (!device) {
        call.source.base = (void *)(uintptr_t)data;
        call.payload_bytes = bytes;
    }
    const bool good = make(&call);
    *request = call.out[0];
    return good;
}

bool mpi_link_receive(const struct mpi_link_envelope *from, void *data, size_t bytes,
                      uint64_t message, uint64_t *request) {
    const uint64_t address = mpi_link_is_device(data) ? (uintptr_t)data : 0;
    struct shim_call call = {
        .id = CALL___heddleMpiReceive,
        .in = {take_counted(), from->peer, from->context, from->tag, address, bytes, message}};
    const bool good = make(&call);
    *request = call.out[0];
    return good;
}

bool mpi_link_finish(uint64_t request, bool wait, void *data, size_t room,
                     struct mpi_link_end *end) {
    struct shim_call call = {.id = CALL___heddleMpiFinish,
                             .in = {take_counted(), request, wait},
                             .target = {.base = data},
                             .target_bytes = room};
    const bool good = make(&call);
    *end = (struct mpi_link_end){(enum wire_mpi_state)call.out[0], call.out[1], call.out[2],
                                 call.out[3]};
    return good;
}

bool mpi_link_wait_any(const uint64_t *request, size_t count, bool wait, uint64_t *index) {
    struct shim_call call = {.id = CALL___heddleMpiWaitAny,
                             .in = {take_counted(), count, wait},
                             .source = {.base = (void *)(uintptr_t)request},
                             .payload_bytes = count * sizeof *request};
    const bool good = make(&call);
    *index = call.out[0];
    return good;
}

bool mpi_link_probe(const struct mpi_link_envelope *from, unsigned flags, struct mpi_link_end *end,
                    uint64_t *message) {
    struct shim_call call = {.id = CALL___heddleMpiProbe,
                             .in = {take_counted(), from->peer, from->context, from->tag, flags}};
    const bool good = make(&call);
    *end = (struct mpi_link_end){(enum wire_mpi_state)call.out[0], call.out[1], call.out[2],
                                 call.out[3]};
    *message = call.out[4];
    return good;
}

bool mpi_link_cancel(uint64_t request, bool *cancelled) {
    struct shim_call call = {.id = CALL___heddleMpiCancel, .in = {take_counted(), request}};
    const bool good = make(&call);
    *cancelled = call.out[0];
    return good;
}

bool mpi_link_clock(uint64_t *ps) {
    struct shim_call call = {.id = CALL___heddleMpiClock, .in = {take_counted()}};
    const bool good = make(&call);
    *ps = call.out[0];
    return good;
}

/* ---- windows */

bool mpi_link_window(uint64_t window, void *base, size_t bytes) {
    struct shim_call call = {.id = CALL___heddleMpiWindow,
                             .in = {take_counted(), window, (uintptr_t)base, bytes}};
    if (bytes && !mpi_link_is_device(base)) {
        const int error = shim_start_helper();
        if (error) shim_say("error: no helper thread: %s", cuda_error_name(error));
        if (error) return false;
    }
    return make(&call);
}

bool mpi_link_window_end(uint64_t window) {
    struct shim_call call = {.id = CALL___heddleMpiWindowEnd, .in = {take_counted(), window}};
    return make(&call);
}

/* Makes a call whose first result is a state. */
static bool make_stated(struct shim_call *call, uint64_t *state) {
    const bool good = make(call);
    *state = call->out[0];
    return good;
}

bool mpi_link_put(uint64_t window, int pe, uint64_t offset, const void *data, size_t bytes,
                  uint64_t *state) {
    struct shim_call call = {.id = CALL___heddleMpiPut,
                             .in = {take_counted(), window, (uint64_t)pe, offset, bytes},
                             .source = {.base = (void *)(uintptr_t)data},
                             .payload_bytes = bytes};
    return make_stated(&call, state);
}

bool mpi_link_get(uint64_t window, int pe, uint64_t offset, void *data, size_t bytes,
                  uint64_t *state) {
    struct shim_call call = {.id = CALL___heddleMpiGet,
                             .in = {take_counted(), window, (uint64_t)pe, offset, bytes},
                             .target = {.base = data},
                             .target_bytes = bytes};
    return make_stated(&call, state);
}

bool mpi_link_update(uint64_t window, int pe, uint64_t offset, uint64_t operation, int basic,
                     size_t count, const void *operands, void *old, uint64_t *state) {
    const size_t bytes = count * mpi_basic_size((enum mpi_basic)basic);
    const bool swaps = operation == WIRE_MPI_COMPARE_AND_SWAP;
    struct shim_call call = {
        .id = CALL___heddleMpiUpdate,
        .in = {take_counted(), window, (uint64_t)pe, offset, operation, (uint64_t)basic, count},
        .source = {.base = (void *)(uintptr_t)operands},
        .payload_bytes = swaps ? 2 * bytes : bytes,
        .target = {.base = old},
        .target_bytes = bytes};
    return make_stated(&call, state);
}

bool mpi_link_flush(uint64_t window, uint64_t *state) {
    struct shim_call call = {.id = CALL___heddleMpiFlush,
                             .in = {take_counted(), window, WIRE_MPI_ANY}};
    return make_stated(&call, state);
}

bool mpi_link_lock(uint64_t window, int pe, bool exclusive, uint64_t *state) {
    struct shim_call call = {.id = CALL___heddleMpiLock,
                             .in = {take_counted(), window, (uint64_t)pe, exclusive}};
    return make_stated(&call, state);
}

bool mpi_link_unlock(uint64_t window, int pe, uint64_t *state) {
    struct shim_call call = {.id = CALL___heddleMpiUnlock,
                             .in = {take_counted(), window, (uint64_t)pe}};
    return make_stated(&call, state);
}

bool mpi_link_copy(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                   size_t height) {
    enum { COPY_DEFAULT = 4 };
    struct shim_call call = {
        .id = CALL_cudaMemcpy2D,
        .in = {(uintptr_t)to, to_pitch, (uintptr_t)from, from_pitch, width, height, COPY_DEFAULT}};
    const bool many = height > 1;
    if (!width || !height) return true;
    if (!mpi_link_is_device(from) && !mpi_link_is_device(to)) {
        for (size_t i = 0; i < height; i++)
            memcpy((char *)to + i * to_pitch, (const char *)from + i * from_pitch, width);
        return true;
    }
    if (!mpi_link_is_device(from)) {
        call.source = (struct shim_rows){(void *)(uintptr_t)from, many ? width : 0, from_pitch, 0,
                                         0};
        call.payload_bytes = (uint64_t)width * height;
    }
    if (!mpi_link_is_device(to)) {
        call.target = (struct shim_rows){to, many ? width : 0, to_pitch, 0, 0};
        call.target_bytes = (uint64_t)width * height;
    }
    return make(&call);
}

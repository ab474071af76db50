/* mpi_message.c - sends and receives of programs: blocking, not blocking, persistent. */
#include <stdlib.h>
#include <string.h>

#include "mpi/mpi_internal.h"
#include "mpi/mpi_link.h"

/* The program's buffer for MPI_Bsend(). The simulator keeps the bytes of all messages, so only its
 * size counts. */
static struct {
    void *memory;
    int bytes;
} buffer_of_program;

/* ---- checks */

static int check_send(const char *call, int count, MPI_Datatype type, int rank, int tag,
                      MPI_Comm comm) {
    mpi_link_count(call);
    MPI_TRY(mpi_check_comm(call, comm));
    MPI_TRY(mpi_check_data(call, comm, count, type));
    if (tag < 0) return mpi_fail(comm, call, MPI_ERR_TAG, "the tag is %d", tag);
    return rank == MPI_PROC_NULL ? MPI_SUCCESS : mpi_check_rank(call, comm, rank);
}

static int check_receive(const char *call, int count, MPI_Datatype type, int rank, int tag,
                         MPI_Comm comm) {
    mpi_link_count(call);
    MPI_TRY(mpi_check_comm(call, comm));
    MPI_TRY(mpi_check_data(call, comm, count, type));
    if (tag < 0 && tag != MPI_ANY_TAG)
        return mpi_fail(comm, call, MPI_ERR_TAG, "the tag is %d", tag);
    if (rank == MPI_PROC_NULL || rank == MPI_ANY_SOURCE) return MPI_SUCCESS;
    return mpi_check_rank(call, comm, rank);
}

/* Whether the program's buffer has room for a message. */
static int check_buffer(const char *call, int count, MPI_Datatype type, MPI_Comm comm) {
    const size_t need = (size_t)count * type->size + MPI_BSEND_OVERHEAD;
    if (need <= (size_t)buffer_of_program.bytes) return MPI_SUCCESS;
    return mpi_fail(comm, call, MPI_ERR_BUFFER, "it needs %zu bytes of the buffer, which has %d",
                    need, buffer_of_program.bytes);
}

/* ---- not blocking, and persistent */

/* A send or receive that is described, and not begun. */
static MPI_Request describe(enum mpi_request_kind kind, const void *buffer, int count,
                            MPI_Datatype type, int rank, int tag, MPI_Comm comm,
                            enum wire_mpi_mode mode) {
    MPI_Request r = mpi_request_create(kind, comm);
    mpi_request_describe(r, (void *)(uintptr_t)buffer, (size_t)count, type, rank, tag,
                         comm->context);
    r->mode = mode;
    return r;
}

static int isend(const char *call, const void *buffer, int count, MPI_Datatype type, int rank,
                 int tag, MPI_Comm comm, enum wire_mpi_mode mode, MPI_Request *request) {
    MPI_TRY(check_send(call, count, type, rank, tag, comm));
    if (mode == WIRE_MPI_BUFFERED) MPI_TRY(check_buffer(call, count, type, comm));
    *request = describe(REQUEST_SEND, buffer, count, type, rank, tag, comm, mode);
    mpi_request_start(*request, 0);
    return MPI_SUCCESS;
}

static int send_init(const char *call, const void *buffer, int count, MPI_Datatype type, int rank,
                     int tag, MPI_Comm comm, enum wire_mpi_mode mode, MPI_Request *request) {
    MPI_TRY(check_send(call, count, type, rank, tag, comm));
    *request = describe(REQUEST_SEND, buffer, count, type, rank, tag, comm, mode);
    (*request)->persistent = true;
    return MPI_SUCCESS;
}

/* The three forms of a send with a mode. */
#define SENDS(name, lower, mode)                                                               \
    MPI(int, name, const void *buffer, int count, MPI_Datatype type, int rank, int tag,        \
        MPI_Comm comm) {                                                                       \
        MPI_Request r;                                                                         \
        MPI_TRY(isend(__func__, buffer, count, type, rank, tag, comm, mode, &r));              \
        mpi_requests_progress(&r, 1, MPI_WAIT_ALL);                                            \
        return mpi_request_collect(__func__, &r, MPI_STATUS_IGNORE, false);                    \
    }                                                                                          \
    MPI(int, I##lower, const void *buffer, int count, MPI_Datatype type, int rank, int tag,    \
        MPI_Comm comm, MPI_Request *request) {                                                 \
        return isend(__func__, buffer, count, type, rank, tag, comm, mode, request);           \
    }                                                                                          \
    MPI(int, name##_init, const void *buffer, int count, MPI_Datatype type, int rank, int tag, \
        MPI_Comm comm, MPI_Request *request) {                                                 \
        return send_init(__func__, buffer, count, type, rank, tag, comm, mode, request);       \
    }
SENDS(Send, send, WIRE_MPI_STANDARD)
SENDS(Ssend, ssend, WIRE_MPI_SYNCHRONOUS)
SENDS(Bsend, bsend, WIRE_MPI_BUFFERED)
SENDS(Rsend, rsend, WIRE_MPI_STANDARD)

MPI(int, Irecv, void *buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
    MPI_Request *request) {
    MPI_TRY(check_receive(__func__, count, type, rank, tag, comm));
    *request = describe(REQUEST_RECEIVE, buffer, count, type, rank, tag, comm, WIRE_MPI_STANDARD);
    mpi_request_start(*request, 0);
    return MPI_SUCCESS;
}

MPI(int, Recv_init, void *buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
    MPI_Request *request) {
    MPI_TRY(check_receive(__func__, count, type, rank, tag, comm));
    *request = describe(REQUEST_RECEIVE, buffer, count, type, rank, tag, comm, WIRE_MPI_STANDARD);
    (*request)->persistent = true;
    return MPI_SUCCESS;
}

MPI(int, Start, MPI_Request *request) {
    MPI_Request r = *request;
    mpi_link_count(__func__);
    if (!r || !r->persistent || r->active)
        return mpi_fail(NULL, __func__, MPI_ERR_REQUEST,
                        "the request is not persistent, or it is active");
    if (r->mode == WIRE_MPI_BUFFERED)
        MPI_TRY(check_buffer(__func__, (int)r->count, r->type, r->comm));
    mpi_request_start(r, 0);
    return MPI_SUCCESS;
}

MPI(int, Startall, int count, MPI_Request requests[]) {
    for (int i = 0; i < count; i++) MPI_TRY(PMPI_Start(&requests[i]));
    return MPI_SUCCESS;
}

/* ---- blocking */

MPI(int, Recv, void *buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
    MPI_Status *status) {
    MPI_TRY(check_receive(__func__, count, type, rank, tag, comm));
    return mpi_receive(__func__, buffer, (size_t)count, type, rank, tag, comm, false, status);
}

int mpi_send(const char *call, const void *buffer, size_t count, MPI_Datatype type, int rank,
             int64_t tag, MPI_Comm comm, bool collective) {
    MPI_Request r = mpi_request_create(REQUEST_SEND, comm);
    mpi_request_describe(r, (void *)(uintptr_t)buffer, count, type, rank, tag,
                         comm->context + collective);
    mpi_request_start(r, 0);
    mpi_requests_progress(&r, 1, MPI_WAIT_ALL);
    return mpi_request_collect(call, &r, MPI_STATUS_IGNORE, false);
}

int mpi_receive(const char *call, void *buffer, size_t count, MPI_Datatype type, int rank,
                int64_t tag, MPI_Comm comm, bool collective, MPI_Status *status) {
    MPI_Request r = mpi_request_create(REQUEST_RECEIVE, comm);
    mpi_request_describe(r, buffer, count, type, rank, tag, comm->context + collective);
    mpi_request_start(r, 0);
    mpi_requests_progress(&r, 1, MPI_WAIT_ALL);
    return mpi_request_collect(call, &r, status, false);
}

/* Both at once, and their ends. */
static int exchange(const char *call, MPI_Request send, MPI_Request receive, MPI_Status *status) {
    MPI_Request both[] = {receive, send};
    mpi_request_start(receive, 0);
    mpi_request_start(send, 0);
    mpi_requests_progress(both, 2, MPI_WAIT_ALL);
    const int error = mpi_request_collect(call, &both[0], status, false);
    const int other = mpi_request_collect(call, &both[1], MPI_STATUS_IGNORE, error != 0);
    return error ? error : other;
}

MPI(int, Sendrecv, const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag,
    void *in, int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
    MPI_Status *status) {
    MPI_TRY(check_send(__func__, out_count, out_type, to, out_tag, comm));
    MPI_TRY(check_receive(__func__, in_count, in_type, from, in_tag, comm));
    return exchange(
        __func__,
        describe(REQUEST_SEND, out, out_count, out_type, to, out_tag, comm, WIRE_MPI_STANDARD),
        describe(REQUEST_RECEIVE, in, in_count, in_type, from, in_tag, comm, WIRE_MPI_STANDARD),
        status);
}

MPI(int, Sendrecv_replace, void *buffer, int count, MPI_Datatype type, int to, int out_tag,
    int from, int in_tag, MPI_Comm comm, MPI_Status *status) {
    MPI_TRY(check_send(__func__, count, type, to, out_tag, comm));
    MPI_TRY(check_receive(__func__, count, type, from, in_tag, comm));
    const size_t bytes = (size_t)count * type->size;
    uint8_t *packed = mpi_alloc(bytes);
    int error = mpi_pack(buffer, (size_t)count, type, packed);
    if (error) {
        free(packed);
        return mpi_fail(comm, __func__, error, "the memory cannot be reached");
    }
    MPI_Request send = mpi_request_create(REQUEST_SEND, comm);
    mpi_request_describe(send, packed, bytes, MPI_BYTE, to, out_tag, comm->context);
    error = exchange(
        __func__, send,
        describe(REQUEST_RECEIVE, buffer, count, type, from, in_tag, comm, WIRE_MPI_STANDARD),
        status);
    free(packed);
    return error;
}

/* ---- the program's buffer */

MPI(int, Buffer_attach, void *memory, int bytes) {
    MPI_TRY(mpi_check_begun(__func__));
    if (!memory || bytes < 0)
        return mpi_fail(NULL, __func__, MPI_ERR_ARG, "%d bytes at %p", bytes, memory);
    if (buffer_of_program.memory)
        return mpi_fail(NULL, __func__, MPI_ERR_BUFFER, "there is a buffer already");
    buffer_of_program.memory = memory;
    buffer_of_program.bytes = bytes;
    return MPI_SUCCESS;
}

MPI(int, Buffer_detach, void *memory, int *bytes) {
    if (!buffer_of_program.memory)
        return mpi_fail(NULL, __func__, MPI_ERR_BUFFER, "there is no buffer");
    memcpy(memory, &buffer_of_program.memory, sizeof buffer_of_program.memory);
    *bytes = buffer_of_program.bytes;
    buffer_of_program.memory = NULL;
    buffer_of_program.bytes = 0;
    return MPI_SUCCESS;
}

/* mpi_probe.c - looks for messages without receiving them, and receives of those found. */
#include <stdlib.h>

#include "mpi/mpi_internal.h"
#include "mpi/mpi_link.h"

MPI_DEFINE(mpi_message, ompi_message_null, ROOM_REQUEST, .comm = NULL)
MPI_DEFINE(mpi_message, ompi_message_no_proc, ROOM_REQUEST, .comm = NULL)

/* Looks for a message. *message, unless `message` is NULL: taken for one receive. */
static int look(const char *call, int rank, int tag, MPI_Comm comm, bool wait, int *flag,
                MPI_Message *message, MPI_Status *status) {
    struct mpi_link_end end;
    uint64_t number;
    mpi_link_count(call);
    MPI_TRY(mpi_check_comm(call, comm));
    if (tag < 0 && tag != MPI_ANY_TAG)
        return mpi_fail(comm, call, MPI_ERR_TAG, "the tag is %d", tag);
    *flag = 1;
    if (rank == MPI_PROC_NULL) {
        if (message) *message = MPI_MESSAGE_NO_PROC;
        if (status) *status = (MPI_Status){.MPI_SOURCE = MPI_PROC_NULL, .MPI_TAG = MPI_ANY_TAG};
        return MPI_SUCCESS;
    }
    if (rank != MPI_ANY_SOURCE) MPI_TRY(mpi_check_rank(call, comm, rank));
    const struct mpi_link_envelope from = {
        rank == MPI_ANY_SOURCE ? WIRE_MPI_ANY : (uint64_t)mpi_comm_pe(comm, rank), comm->context,
        tag == MPI_ANY_TAG ? WIRE_MPI_ANY : (uint64_t)tag};
    const unsigned take = message ? WIRE_MPI_TAKE : 0;
    do { /* collective operations advance meanwhile, at the cost of a call each time */
        mpi_requests_progress(NULL, 0, MPI_WAIT_NONE);
        const bool blocks = wait && !mpi_requests_collective();
        if (!mpi_link_probe(&from, take | (blocks ? WIRE_MPI_WAIT : 0), &end, &number))
            return mpi_fail(comm, call, MPI_ERR_INTERN, "the simulator refuses");
        if (wait && end.state == WIRE_MPI_PENDING) mpi_link_count(call);
    } while (wait && end.state == WIRE_MPI_PENDING);
    if (end.state == WIRE_MPI_ENDED)
        return mpi_fail(comm, call, MPI_ERR_OTHER, "no message can come: its senders have ended");
    *flag = end.state == WIRE_MPI_DONE;
    if (!*flag) {
        if (message) *message = MPI_MESSAGE_NULL;
        return MPI_SUCCESS;
    }
    MPI_Status found = {.MPI_TAG = (int)end.tag, .bytes = end.bytes, .MPI_SOURCE = MPI_UNDEFINED};
    for (int i = 0; i < comm->size; i++)
        if ((uint64_t)comm->group->pe[i] == end.source) found.MPI_SOURCE = i;
    if (status) *status = found;
    if (!message) return MPI_SUCCESS;
    *message = mpi_alloc(sizeof **message);
    **message = (struct mpi_message){number, mpi_comm_hold(comm), found};
    return MPI_SUCCESS;
}

MPI(int, Probe, int rank, int tag, MPI_Comm comm, MPI_Status *status) {
    int flag;
    return look(__func__, rank, tag, comm, true, &flag, NULL, status);
}

MPI(int, Iprobe, int rank, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
    return look(__func__, rank, tag, comm, false, flag, NULL, status);
}

MPI(int, Mprobe, int rank, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
    int flag;
    return look(__func__, rank, tag, comm, true, &flag, message, status);
}

MPI(int, Improbe, int rank, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
    MPI_Status *status) {
    return look(__func__, rank, tag, comm, false, flag, message, status);
}

MPI(int, Imrecv, void *buffer, int count, MPI_Datatype type, MPI_Message *message,
    MPI_Request *request) {
    MPI_Message m = *message;
    mpi_link_count(__func__);
    MPI_TRY(mpi_check_data(__func__, NULL, count, type));
    if (!m || m == MPI_MESSAGE_NULL)
        return mpi_fail(NULL, __func__, MPI_ERR_REQUEST, "the message is null");
    const bool none = m == MPI_MESSAGE_NO_PROC;
    MPI_Comm comm = none ? MPI_COMM_WORLD : m->comm;
    *request = mpi_request_create(REQUEST_RECEIVE, comm);
    mpi_request_describe(*request, buffer, (size_t)count, type,
                         none ? MPI_PROC_NULL : m->status.MPI_SOURCE, m->status.MPI_TAG,
                         comm->context);
    mpi_request_start(*request, m->number);
    *message = MPI_MESSAGE_NULL;
    if (none) return MPI_SUCCESS;
    mpi_comm_release(m->comm);
    free(m);
    return MPI_SUCCESS;
}

MPI(int, Mrecv, void *buffer, int count, MPI_Datatype type, MPI_Message *message,
    MPI_Status *status) {
    MPI_Request r;
    MPI_TRY(PMPI_Imrecv(buffer, count, type, message, &r));
    mpi_requests_progress(&r, 1, MPI_WAIT_ALL);
    return mpi_request_collect(__func__, &r, status, false);
}

/* mpi_request.c - requests: their course from the post to the end, and waiting for several. */
#include <stdlib.h>
#include <string.h>

#include "mpi/mpi_internal.h"
#include "mpi/mpi_link.h"

MPI_DEFINE(mpi_request, ompi_request_null, ROOM_REQUEST, .kind = REQUEST_NULL, .done = true)

const MPI_Status mpi_status_empty = {MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0, 0};

static struct {
    MPI_Request freed;      /* by the program, before their end */
    MPI_Request *schedules; /* collective operations under way, the oldest first */
    size_t count, room;
    MPI_Request spare; /* for reuse */
} under_way;

MPI_Request mpi_request_create(enum mpi_request_kind kind, MPI_Comm comm) {
    MPI_Request r = under_way.spare;
    if (r)
        under_way.spare = r->next;
    else
        r = mpi_alloc(sizeof *r);
    *r = (struct mpi_request){.kind = kind, .comm = comm, .status = mpi_status_empty};
    if (comm) mpi_comm_hold(comm);
    return r;
}

MPI_Request mpi_request_create_done(void) {
    MPI_Request r = mpi_request_create(REQUEST_DONE, NULL);
    r->done = r->active = true;
    return r;
}

void mpi_request_free(MPI_Request r) {
    if (r->schedule) r->schedule_fns->free(r->schedule);
    if (r->type) mpi_type_release(r->type);
    if (r->comm) mpi_comm_release(r->comm);
    free(r->packed);
    r->next = under_way.spare;
    under_way.spare = r;
}

void mpi_request_describe(MPI_Request r, void *buffer, size_t count, MPI_Datatype type, int rank,
                          int64_t tag, uint64_t context) {
    r->buffer = buffer;
    r->count = count;
    r->type = mpi_type_hold(type);
    r->peer = rank;
    r->tag = tag;
    r->context = context;
}

/* ---- begin */

static uint64_t pe_of(MPI_Request r) {
    return r->peer == MPI_ANY_SOURCE ? WIRE_MPI_ANY : (uint64_t)mpi_comm_pe(r->comm, r->peer);
}

static void fail(MPI_Request r, int error) {
    r->error = error;
    r->done = true;
}

static void start_send(MPI_Request r) {
    const struct mpi_link_envelope to = {pe_of(r), r->context, (uint64_t)r->tag};
    const size_t bytes = r->count * r->type->size;
    uint8_t *packed = NULL;
    if (!r->type->contiguous && bytes) {
        packed = mpi_alloc(bytes);
        const int error = mpi_pack(r->buffer, r->count, r->type, packed);
        if (error) fail(r, error);
    }
    if (!r->done && !mpi_link_send(&to, r->mode, packed ? packed : r->buffer, bytes, &r->number))
        fail(r, MPI_ERR_INTERN);
    free(packed); /* the simulator has its bytes */
    if (!r->number) r->done = true;
}

static void start_receive(MPI_Request r, uint64_t taken) {
    const uint64_t tag = r->tag == MPI_ANY_TAG ? WIRE_MPI_ANY : (uint64_t)r->tag;
    const struct mpi_link_envelope from = {pe_of(r), r->context, tag};
    const size_t bytes = r->count * r->type->size;
    if (!r->type->contiguous && bytes) r->packed = mpi_alloc(bytes);
    if (!mpi_link_receive(&from, r->packed ? r->packed : r->buffer, bytes, taken, &r->number))
        fail(r, MPI_ERR_INTERN);
}

void mpi_request_start(MPI_Request r, uint64_t taken) {
    r->active = true;
    r->done = false;
    r->error = MPI_SUCCESS;
    r->status = mpi_status_empty;
    if (r->kind == REQUEST_SCHEDULE) {
        r->done = r->schedule_fns->step(r->schedule);
        if (r->done) {
            r->error = r->schedule_fns->error(r->schedule);
            return;
        }
        if (under_way.count == under_way.room) {
            under_way.room = under_way.room ? 2 * under_way.room : 8;
            MPI_Request *more = mpi_alloc(under_way.room * sizeof *more);
            if (under_way.count) memcpy(more, under_way.schedules, under_way.count * sizeof *more);
            free(under_way.schedules);
            under_way.schedules = more;
        }
        under_way.schedules[under_way.count++] = r;
        return;
    }
    if (r->peer == MPI_PROC_NULL) {
        r->status.MPI_SOURCE = MPI_PROC_NULL;
        r->done = true;
        return;
    }
    if (r->kind == REQUEST_SEND)
        start_send(r);
    else
        start_receive(r, taken);
}

/* ---- end */

static int rank_of(MPI_Comm comm, uint64_t pe) {
    for (int i = 0; i < comm->size; i++)
        if ((uint64_t)comm->group->pe[i] == pe) return i;
    return MPI_UNDEFINED;
}

void mpi_request_finish(MPI_Request r, bool wait) {
    struct mpi_link_end end;
    if (r->done) return;
    const bool receives = r->kind == REQUEST_RECEIVE;
    const size_t room = receives ? r->count * r->type->size : 0;
    if (!mpi_link_finish(r->number, wait, r->packed ? r->packed : r->buffer, room, &end)) {
        fail(r, MPI_ERR_INTERN);
        return;
    }
    if (end.state == WIRE_MPI_PENDING) return;
    r->done = true;
    r->number = 0;
    r->status.cancelled = end.state == WIRE_MPI_CANCELLED;
    if (end.state == WIRE_MPI_ENDED) r->error = MPI_ERR_OTHER;
    if (end.state == WIRE_MPI_TRUNCATED) r->error = MPI_ERR_TRUNCATE;
    if (!receives || (end.state != WIRE_MPI_DONE && end.state != WIRE_MPI_TRUNCATED)) return;
    r->bytes = end.bytes;
    r->status.MPI_SOURCE = rank_of(r->comm, end.source);
    r->status.MPI_TAG = (int)end.tag;
    r->status.bytes = end.bytes < room ? end.bytes : room;
    if (r->packed) {
        const int error = mpi_unpack(r->packed, r->status.bytes, r->buffer, r->count, r->type);
        if (error) r->error = error;
        free(r->packed);
        r->packed = NULL;
    }
}

/* ---- waiting for several */

/* The sends and receives of a collective operation that are under way. */
static size_t parts_of(MPI_Request r, MPI_Request **list) {
    return r->schedule_fns->under_way(r->schedule, list);
}

/* Takes a collective operation that has ended off the list. */
static void leave_list(size_t i) {
    MPI_Request r = under_way.schedules[i];
    r->done = true;
    r->error = r->schedule_fns->error(r->schedule);
    under_way.count--;
    memmove(under_way.schedules + i, under_way.schedules + i + 1,
            (under_way.count - i) * sizeof *under_way.schedules);
}

bool mpi_requests_collective(void) {
    return under_way.count > 0;
}

/* Advances all collective operations. `poll`: asks first what has ended. */
static void advance_schedules(bool poll) {
    for (size_t i = 0; i < under_way.count;) {
        MPI_Request *list, r = under_way.schedules[i];
        const size_t n = poll ? parts_of(r, &list) : 0;
        for (size_t k = 0; k < n; k++) mpi_request_finish(list[k], false);
        if (r->schedule_fns->step(r->schedule))
            leave_list(i);
        else
            i++;
    }
}

/* Ends those that the program has freed, as far as they have ended. */
static void end_freed(void) {
    for (MPI_Request *link = &under_way.freed; *link;) {
        MPI_Request r = *link;
        if (r->kind != REQUEST_SCHEDULE) mpi_request_finish(r, false);
        if (!r->done) {
            link = &r->next;
            continue;
        }
        *link = r->next;
        mpi_request_free(r);
    }
}

/* The requests for whose end a wait looks: of the list, and of all collective operations. */
struct watched {
    MPI_Request *request;
    uint64_t *number;
    size_t count;
};

static void watch(struct watched *w, MPI_Request r) {
    if (r->done) return;
    w->request[w->count] = r;
    w->number[w->count++] = r->number;
}

static void gather(struct watched *w, MPI_Request *list, size_t count) {
    size_t most = count;
    MPI_Request *part;
    for (size_t i = 0; i < under_way.count; i++) most += parts_of(under_way.schedules[i], &part);
    w->count = 0;
    w->request = mpi_alloc(most * sizeof *w->request);
    w->number = mpi_alloc(most * sizeof *w->number);
    for (size_t i = 0; i < count; i++)
        if (!mpi_request_is_idle(list[i]) && list[i]->kind != REQUEST_SCHEDULE) watch(w, list[i]);
    for (size_t i = 0; i < under_way.count; i++) {
        const size_t n = parts_of(under_way.schedules[i], &part);
        for (size_t k = 0; k < n; k++) watch(w, part[k]);
    }
}

/* Waits until one of them has ended, and ends it. */
static void wait_for_one(MPI_Request *list, size_t count) {
    struct watched w;
    uint64_t index = 0;
    gather(&w, list, count);
    bool good = w.count == 1 || mpi_link_wait_any(w.number, w.count, true, &index);
    if (good && index < w.count)
        mpi_request_finish(w.request[index], true);
    else
        fail(w.request[0], MPI_ERR_INTERN); /* the simulator has gone */
    free(w.request);
    free(w.number);
}

/* Whether the wait is over. */
static bool is_over(MPI_Request *list, size_t count, enum mpi_wait wait) {
    bool all = true, any = false;
    for (size_t i = 0; i < count; i++) {
        if (mpi_request_is_idle(list[i])) continue;
        any |= list[i]->done;
        all &= list[i]->done;
    }
    return all || (any && wait == MPI_WAIT_ONE);
}

void mpi_requests_progress(MPI_Request *list, size_t count, enum mpi_wait wait) {
    end_freed();
    if (wait == MPI_WAIT_NONE) {
        advance_schedules(true);
        for (size_t i = 0; i < count; i++)
            if (!mpi_request_is_idle(list[i]) && list[i]->kind != REQUEST_SCHEDULE)
                mpi_request_finish(list[i], false);
        return;
    }
    while (!is_over(list, count, wait)) {
        const bool alone = count == 1 && list[0]->kind == REQUEST_SCHEDULE && under_way.count == 1;
        MPI_Request *part;
        if (alone) { /* all of its round must end: one after the other */
            const size_t n = parts_of(list[0], &part);
            for (size_t k = 0; k < n; k++) mpi_request_finish(part[k], true);
        } else if (wait == MPI_WAIT_ALL && !under_way.count) {
            for (size_t i = 0; i < count; i++)
                if (!mpi_request_is_idle(list[i])) mpi_request_finish(list[i], true);
        } else {
            wait_for_one(list, count);
        }
        advance_schedules(false);
    }
}

/* ---- what the program sees */

/* Reports the error of a request that has ended. */
static int report(const char *call, MPI_Request r) {
    MPI_Comm comm = r->comm;
    if (r->error == MPI_ERR_TRUNCATE && r->kind == REQUEST_RECEIVE)
        return mpi_fail(
            comm, call, r->error,
            "a message of %zu bytes from rank %d with tag %d does not fit into %zu bytes", r->bytes,
            r->status.MPI_SOURCE, r->status.MPI_TAG, r->status.bytes);
    if (r->error == MPI_ERR_OTHER && r->kind == REQUEST_RECEIVE && r->peer != MPI_ANY_SOURCE)
        return mpi_fail(comm, call, r->error, "rank %d has ended: its message cannot come",
                        r->peer);
    if (r->error == MPI_ERR_OTHER && r->kind == REQUEST_RECEIVE)
        return mpi_fail(comm, call, r->error, "all others have ended: no message can come");
    if (r->error == MPI_ERR_OTHER && r->kind == REQUEST_SEND)
        return mpi_fail(comm, call, r->error, "rank %d has ended: it does not receive the message",
                        r->peer);
    return mpi_fail(comm, call, r->error, "a message of the operation has failed: %s",
                    mpi_error_text(r->error));
}

int mpi_request_collect(const char *call, MPI_Request *handle, MPI_Status *status, bool quiet) {
    MPI_Request r = *handle;
    if (mpi_request_is_idle(r)) {
        if (status) *status = mpi_status_empty;
        return MPI_SUCCESS;
    }
    if (status) {
        const int kept = status->MPI_ERROR; /* calls of one request leave it alone */
        *status = r->status;
        status->MPI_ERROR = kept;
    }
    int error = r->error;
    if (error && !quiet) error = report(call, r);
    r->active = false;
    if (r->persistent) return error;
    *handle = MPI_REQUEST_NULL;
    mpi_request_free(r);
    return error;
}

MPI(int, Request_free, MPI_Request *handle) {
    MPI_Request r = *handle;
    if (!r || r->kind == REQUEST_NULL)
        return mpi_fail(NULL, __func__, MPI_ERR_REQUEST, "the request is null");
    *handle = MPI_REQUEST_NULL;
    r->persistent = false;
    if (!r->active || r->done) {
        mpi_request_free(r);
        return MPI_SUCCESS;
    }
    r->next = under_way.freed;
    under_way.freed = r;
    return MPI_SUCCESS;
}

MPI(int, Cancel, MPI_Request *handle) {
    MPI_Request r = *handle;
    bool cancelled;
    if (!r || mpi_request_is_idle(r))
        return mpi_fail(NULL, __func__, MPI_ERR_REQUEST, "the request is null or inactive");
    if (r->kind == REQUEST_SCHEDULE)
        return mpi_fail(r->comm, __func__, MPI_ERR_REQUEST, "a collective operation goes on");
    mpi_link_count(__func__);
    if (!r->done && !mpi_link_cancel(r->number, &cancelled)) fail(r, MPI_ERR_INTERN);
    return MPI_SUCCESS;
}

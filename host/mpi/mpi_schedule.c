/* mpi_schedule.c - lists of steps, and their course; contracts in mpi_schedule.h. */
#include "mpi/mpi_schedule.h"

#include <stdlib.h>
#include <string.h>

enum step_kind { STEP_SEND, STEP_RECEIVE, STEP_REDUCE, STEP_COPY, STEP_ROUND };

struct step {
    enum step_kind kind;
    const void *from;
    void *to;
    size_t from_count, to_count;
    MPI_Datatype from_type, to_type;
    MPI_Op op;
    int rank;
};

struct mpi_schedule {
    MPI_Comm comm;
    int64_t tag;
    struct step *step;
    size_t count, room, at; /* at: the next step */
    MPI_Request *request;   /* under way, or ended in this round */
    size_t requests, request_room;
    void **memory; /* of mpi_schedule_room() */
    size_t memories;
    int error;
};

struct mpi_schedule *mpi_schedule_create(MPI_Comm comm) {
    struct mpi_schedule *s = mpi_alloc(sizeof *s);
    s->comm = mpi_comm_hold(comm);
    s->tag = INT64_C(1) << 32 | comm->collectives++; /* no tag of a program */
    return s;
}

/* Drops the requests of a round, which have ended. */
static void drop_requests(struct mpi_schedule *s) {
    for (size_t i = 0; i < s->requests; i++) mpi_request_free(s->request[i]);
    s->requests = 0;
}

void mpi_schedule_free(struct mpi_schedule *s) {
    drop_requests(s);
    for (size_t i = 0; i < s->count; i++) {
        if (s->step[i].from_type) mpi_type_release(s->step[i].from_type);
        if (s->step[i].to_type) mpi_type_release(s->step[i].to_type);
    }
    for (size_t i = 0; i < s->memories; i++) free(s->memory[i]);
    mpi_comm_release(s->comm);
    free(s->memory);
    free(s->request);
    free(s->step);
    free(s);
}

/* Room for one more in an array. */
static void *grow(void *array, size_t count, size_t *room, size_t size) {
    if (count < *room) return array;
    *room = *room ? 2 * *room : 8;
    void *more = mpi_alloc(*room * size);
    if (count) memcpy(more, array, count * size);
    free(array);
    return more;
}

void *mpi_schedule_room(struct mpi_schedule *s, size_t bytes) {
    void **more = mpi_alloc((s->memories + 1) * sizeof *more);
    if (s->memories) memcpy(more, s->memory, s->memories * sizeof *more);
    free(s->memory);
    s->memory = more;
    return more[s->memories++] = mpi_alloc(bytes);
}

void *mpi_schedule_elements(struct mpi_schedule *s, size_t count, MPI_Datatype type) {
    MPI_Aint first;
    const size_t bytes = mpi_type_span(type, count, &first);
    return (char *)mpi_schedule_room(s, bytes) - first;
}

static void add(struct mpi_schedule *s, const struct step *step) {
    s->step = grow(s->step, s->count, &s->room, sizeof *s->step);
    if (step->from_type) mpi_type_hold(step->from_type);
    if (step->to_type) mpi_type_hold(step->to_type);
    s->step[s->count++] = *step;
}

void mpi_schedule_send(struct mpi_schedule *s, const void *buffer, size_t count, MPI_Datatype type,
                       int rank) {
    add(s, &(struct step){.kind = STEP_SEND,
                          .from = buffer,
                          .from_count = count,
                          .from_type = type,
                          .rank = rank});
}

void mpi_schedule_receive(struct mpi_schedule *s, void *buffer, size_t count, MPI_Datatype type,
                          int rank) {
    add(s,
        &(struct step){
            .kind = STEP_RECEIVE, .to = buffer, .to_count = count, .to_type = type, .rank = rank});
}

void mpi_schedule_reduce(struct mpi_schedule *s, MPI_Op op, const void *in, void *inout,
                         size_t count, MPI_Datatype type) {
    add(s, &(struct step){.kind = STEP_REDUCE,
                          .op = op,
                          .from = in,
                          .to = inout,
                          .to_count = count,
                          .to_type = type});
}

void mpi_schedule_copy(struct mpi_schedule *s, const void *from, size_t from_count,
                       MPI_Datatype from_type, void *to, size_t to_count, MPI_Datatype to_type) {
    add(s, &(struct step){STEP_COPY, from, to, from_count, to_count, from_type, to_type, NULL, 0});
}

void mpi_schedule_round(struct mpi_schedule *s) {
    add(s, &(struct step){.kind = STEP_ROUND});
}

/* ---- its course */

static void note_error(struct mpi_schedule *s, int error) {
    if (error && !s->error) s->error = error;
}

static void begin(struct mpi_schedule *s, const struct step *step) {
    const bool sends = step->kind == STEP_SEND;
    MPI_Request r = mpi_request_create(sends ? REQUEST_SEND : REQUEST_RECEIVE, s->comm);
    mpi_request_describe(r, sends ? (void *)(uintptr_t)step->from : step->to,
                         sends ? step->from_count : step->to_count,
                         sends ? step->from_type : step->to_type, step->rank, s->tag,
                         s->comm->context + 1);
    mpi_request_start(r, 0);
    s->request = grow(s->request, s->requests, &s->request_room, sizeof *s->request);
    s->request[s->requests++] = r;
}

/* Whether all requests of the round have ended; then they are dropped. */
static bool end_round(struct mpi_schedule *s) {
    for (size_t i = 0; i < s->requests; i++)
        if (!s->request[i]->done) return false;
    for (size_t i = 0; i < s->requests; i++) note_error(s, s->request[i]->error);
    drop_requests(s);
    return true;
}

static bool step_on(struct mpi_schedule *s) {
    for (; s->at < s->count; s->at++) {
        const struct step *step = &s->step[s->at];
        switch (step->kind) {
        case STEP_SEND:
        case STEP_RECEIVE: begin(s, step); break;
        case STEP_REDUCE:
            mpi_op_apply(step->op, step->from, step->to, (int)step->to_count, step->to_type);
            break;
        case STEP_COPY:
            note_error(s, mpi_copy(step->from, step->from_count, step->from_type, step->to,
                                   step->to_count, step->to_type));
            break;
        case STEP_ROUND:
            if (!end_round(s)) return false;
            break;
        }
    }
    return end_round(s);
}

static size_t under_way(const struct mpi_schedule *s, MPI_Request **list) {
    *list = s->request;
    return s->requests;
}

static int error_of(const struct mpi_schedule *s) {
    return s->error;
}

static const struct mpi_schedule_fns fns = {step_on, under_way, error_of, mpi_schedule_free};

int mpi_schedule_run(const char *call, MPI_Comm comm, struct mpi_schedule *s,
                     MPI_Request *request) {
    MPI_Request r = mpi_request_create(REQUEST_SCHEDULE, comm);
    r->schedule = s;
    r->schedule_fns = &fns;
    mpi_request_start(r, 0);
    if (request) {
        *request = r;
        return MPI_SUCCESS;
    }
    mpi_requests_progress(&r, 1, MPI_WAIT_ALL);
    return mpi_request_collect(call, &r, MPI_STATUS_IGNORE, false);
}

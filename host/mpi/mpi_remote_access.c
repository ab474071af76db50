/* mpi_remote_access.c - reads, writes and updates of windows. Each contiguous piece of the target's
 * elements is a message to the simulator. */
#include <stdlib.h>
#include <string.h>

#include "mpi/mpi_internal.h"
#include "mpi/mpi_link.h"
#include "mpi/mpi_window.h"

enum access_kind { ACCESS_PUT, ACCESS_GET, ACCESS_UPDATE };

/* An access: `data` are the target's elements without gaps. */
struct access {
    const char *call;
    MPI_Win win;
    int target;
    uint64_t offset; /* of the first element */
    enum access_kind kind;
    uint64_t operation;
    uint8_t *data, *old; /* old: where an update leaves the old values */
};

static int check(const char *call, MPI_Win win, int target, MPI_Aint disp) {
    MPI_TRY(mpi_win_check(call, win));
    if (target < 0 || target >= win->comm->size)
        return mpi_fail_win(win, call, MPI_ERR_RANK, "rank %d is none of the window, which has %d",
                            target, win->comm->size);
    if (disp < 0) return mpi_fail_win(win, call, MPI_ERR_DISP, "the displacement is %td", disp);
    return MPI_SUCCESS;
}

/* Moves one piece: `count` values of a basic type at `offset`. */
static int move_piece(const struct access *a, uint64_t offset, enum mpi_basic basic, size_t count,
                      size_t at) {
    const uint64_t window = a->win->comm->context;
    const int pe = mpi_comm_pe(a->win->comm, a->target);
    const size_t bytes = count * mpi_basic_size(basic);
    uint64_t state = WIRE_MPI_DONE;
    bool good = true;
    if (a->kind == ACCESS_PUT)
        good = mpi_link_put(window, pe, offset, a->data + at, bytes, &state);
    else if (a->kind == ACCESS_GET)
        good = mpi_link_get(window, pe, offset, a->data + at, bytes, &state);
    else
        good = mpi_link_update(window, pe, offset, a->operation, basic, count, a->data + at,
                               a->old + at, &state);
    if (!good) return mpi_fail_win(a->win, a->call, MPI_ERR_INTERN, "the simulator refuses");
    if (state == WIRE_MPI_DONE) return MPI_SUCCESS;
    if (state == WIRE_MPI_RANGE)
        return mpi_fail_win(a->win, a->call, MPI_ERR_RMA_RANGE,
                            "%zu bytes at byte %llu are not in the window of rank %d, which has "
                            "%llu",
                            bytes, (unsigned long long)offset, a->target,
                            (unsigned long long)a->win->part[a->target].bytes);
    return mpi_fail_win(a->win, a->call, MPI_ERR_OTHER, "rank %d has ended", a->target);
}

/* Moves all elements of the target. */
static int move(const struct access *a, size_t count, MPI_Datatype type) {
    size_t at = 0;
    if (type->contiguous && type->num_runs == 1)
        return move_piece(a, a->offset, type->run[0].basic, count * type->run[0].count, 0);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < type->num_runs; k++) {
            const struct mpi_run *r = &type->run[k];
            const MPI_Aint offset = (MPI_Aint)i * type->extent + r->offset;
            MPI_TRY(move_piece(a, a->offset + (uint64_t)offset, r->basic, r->count, at));
            at += r->count * mpi_basic_size(r->basic);
        }
    return MPI_SUCCESS;
}

/* Begins an access; `packed`: the origin's elements without gaps go there, or come from there. */
static int begin(struct access *a, MPI_Aint disp, size_t bytes, size_t target_bytes) {
    if (bytes != target_bytes)
        return mpi_fail_win(a->win, a->call, MPI_ERR_SIZE, "%zu bytes here and %zu at the target",
                            bytes, target_bytes);
    a->offset = (uint64_t)disp * a->win->part[a->target].unit;
    a->data = mpi_alloc(2 * bytes + 1);
    a->old = a->data + bytes;
    return MPI_SUCCESS;
}

static int put(const char *call, const void *origin, int count, MPI_Datatype type, int target,
               MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Win win) {
    struct access a = {.call = call, .win = win, .target = target, .kind = ACCESS_PUT};
    if (target == MPI_PROC_NULL) return mpi_win_check(call, win);
    MPI_TRY(check(call, win, target, disp));
    MPI_TRY(mpi_check_data(call, win->comm, count, type));
    MPI_TRY(mpi_check_data(call, win->comm, target_count, target_type));
    MPI_TRY(begin(&a, disp, (size_t)count * type->size, (size_t)target_count * target_type->size));
    int error = mpi_pack(origin, (size_t)count, type, a.data);
    if (!error) error = move(&a, (size_t)target_count, target_type);
    free(a.data);
    return error;
}

static int get(const char *call, void *origin, int count, MPI_Datatype type, int target,
               MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Win win) {
    struct access a = {.call = call, .win = win, .target = target, .kind = ACCESS_GET};
    if (target == MPI_PROC_NULL) return mpi_win_check(call, win);
    MPI_TRY(check(call, win, target, disp));
    MPI_TRY(mpi_check_data(call, win->comm, count, type));
    MPI_TRY(mpi_check_data(call, win->comm, target_count, target_type));
    const size_t bytes = (size_t)count * type->size;
    MPI_TRY(begin(&a, disp, bytes, (size_t)target_count * target_type->size));
    int error = move(&a, (size_t)target_count, target_type);
    if (!error) error = mpi_unpack(a.data, bytes, origin, (size_t)count, type);
    free(a.data);
    return error;
}

/* An update, with its old values in `result` unless that is NULL. */
static int update(const char *call, const void *origin, int count, MPI_Datatype type, void *result,
                  int result_count, MPI_Datatype result_type, int target, MPI_Aint disp,
                  int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win) {
    struct access a = {.call = call, .win = win, .target = target, .kind = ACCESS_UPDATE};
    if (target == MPI_PROC_NULL) return mpi_win_check(call, win);
    MPI_TRY(check(call, win, target, disp));
    MPI_TRY(mpi_check_data(call, win->comm, target_count, target_type));
    if (!op || op->kind == OP_NULL || op->kind == OP_USER)
        return mpi_fail_win(win, call, MPI_ERR_OP, "the operation is not predefined");
    for (size_t k = 0; k < target_type->num_runs; k++)
        if (!mpi_reduce_takes(op->kind, target_type->run[k].basic))
            return mpi_fail_win(win, call, MPI_ERR_OP,
                                "the operation does not take the datatype %s", target_type->name);
    const size_t bytes = (size_t)target_count * target_type->size;
    const bool reads_only = op->kind == OP_NO_OP;
    if (!reads_only) MPI_TRY(mpi_check_data(call, win->comm, count, type));
    a.operation = op->kind;
    MPI_TRY(begin(&a, disp, reads_only ? bytes : (size_t)count * type->size, bytes));
    int error = reads_only ? MPI_SUCCESS : mpi_pack(origin, (size_t)count, type, a.data);
    if (!error) error = move(&a, (size_t)target_count, target_type);
    if (!error && result)
        error = mpi_unpack(a.old, bytes, result, (size_t)result_count, result_type);
    free(a.data);
    return error;
}

MPI(int, Put, const void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp,
    int target_count, MPI_Datatype target_type, MPI_Win win) {
    return put(__func__, origin, count, type, target, disp, target_count, target_type, win);
}

MPI(int, Get, void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp,
    int target_count, MPI_Datatype target_type, MPI_Win win) {
    return get(__func__, origin, count, type, target, disp, target_count, target_type, win);
}

MPI(int, Accumulate, const void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp,
    int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win) {
    return update(__func__, origin, count, type, NULL, 0, NULL, target, disp, target_count,
                  target_type, op, win);
}

MPI(int, Get_accumulate, const void *origin, int count, MPI_Datatype type, void *result,
    int result_count, MPI_Datatype result_type, int target, MPI_Aint disp, int target_count,
    MPI_Datatype target_type, MPI_Op op, MPI_Win win) {
    return update(__func__, origin, count, type, result, result_count, result_type, target, disp,
                  target_count, target_type, op, win);
}

MPI(int, Fetch_and_op, const void *origin, void *result, MPI_Datatype type, int target,
    MPI_Aint disp, MPI_Op op, MPI_Win win) {
    return update(__func__, origin, 1, type, result, 1, type, target, disp, 1, type, op, win);
}

MPI(int, Compare_and_swap, const void *origin, const void *compare, void *result, MPI_Datatype type,
    int target, MPI_Aint disp, MPI_Win win) {
    struct access a = {.call = __func__,
                       .win = win,
                       .target = target,
                       .kind = ACCESS_UPDATE,
                       .operation = WIRE_MPI_COMPARE_AND_SWAP};
    if (target == MPI_PROC_NULL) return mpi_win_check(__func__, win);
    MPI_TRY(check(__func__, win, target, disp));
    MPI_TRY(mpi_check_data(__func__, win->comm, 1, type));
    if (type->num_runs != 1 || type->run[0].count != 1)
        return mpi_fail_win(win, __func__, MPI_ERR_TYPE, "the datatype %s is not of one value",
                            type->name);
    uint8_t both[2 * 32], old[32]; /* of the longest basic type */
    int error = mpi_pack(compare, 1, type, both);
    if (!error) error = mpi_pack(origin, 1, type, both + type->size);
    a.offset = (uint64_t)disp * win->part[target].unit;
    a.data = both;
    a.old = old;
    if (!error) error = move(&a, 1, type);
    return error ? error : mpi_unpack(old, type->size, result, 1, type);
}

/* Their requests end with the call. */
static int end_at_once(int error, MPI_Request *request) {
    *request = error ? MPI_REQUEST_NULL : mpi_request_create_done();
    return error;
}

MPI(int, Rput, const void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp,
    int target_count, MPI_Datatype target_type, MPI_Win win, MPI_Request *request) {
    return end_at_once(
        put(__func__, origin, count, type, target, disp, target_count, target_type, win), request);
}

MPI(int, Rget, void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp,
    int target_count, MPI_Datatype target_type, MPI_Win win, MPI_Request *request) {
    return end_at_once(
        get(__func__, origin, count, type, target, disp, target_count, target_type, win), request);
}

MPI(int, Raccumulate, const void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp,
    int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win, MPI_Request *request) {
    return end_at_once(update(__func__, origin, count, type, NULL, 0, NULL, target, disp,
                              target_count, target_type, op, win),
                       request);
}

MPI(int, Rget_accumulate, const void *origin, int count, MPI_Datatype type, void *result,
    int result_count, MPI_Datatype result_type, int target, MPI_Aint disp, int target_count,
    MPI_Datatype target_type, MPI_Op op, MPI_Win win, MPI_Request *request) {
    return end_at_once(update(__func__, origin, count, type, result, result_count, result_type,
                              target, disp, target_count, target_type, op, win),
                       request);
}

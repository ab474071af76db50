/* mpi_window.c - windows: their making and end, and their synchronization. mpi_remote_access.c has
 * the reads and writes. */
#include "mpi/mpi_window.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/mpi_internal.h"
#include "mpi/mpi_link.h"

MPI_DEFINE(mpi_win, ompi_mpi_win_null, ROOM_WIN, .null = true)

/* Tags of the messages by which processes open and close a part for each other. */
static const int64_t TAG_POST = INT64_C(1) << 33, TAG_COMPLETE = (INT64_C(1) << 33) + 1;

int mpi_win_check(const char *call, MPI_Win win) {
    mpi_link_count(call);
    MPI_TRY(mpi_check_begun(call));
    if (win && !win->null) return MPI_SUCCESS;
    return mpi_fail(NULL, call, MPI_ERR_WIN, "the window is null");
}

static int refused(MPI_Win win, const char *call) {
    return mpi_fail_win(win, call, MPI_ERR_INTERN, "the simulator refuses");
}

/* ---- making */

static int create(const char *call, void *base, MPI_Aint bytes, int unit, MPI_Comm comm, int flavor,
                  MPI_Win *out) {
    uint64_t context;
    const struct mpi_win_part own = {(uintptr_t)base, (uint64_t)bytes, (uint64_t)unit};
    MPI_TRY(mpi_comm_next_context(call, comm, &context));
    MPI_Win win = mpi_alloc(sizeof *win);
    *win = (struct mpi_win){.comm = mpi_comm_create(comm->group, context, comm),
                            .flavor = flavor,
                            .model = MPI_WIN_UNIFIED,
                            .unit = unit,
                            .bytes = bytes,
                            .errhandler = MPI_ERRORS_ARE_FATAL,
                            .part = mpi_alloc((size_t)comm->size * sizeof *win->part)};
    if (!mpi_link_window(context, base, (size_t)bytes)) return refused(win, call);
    *out = win;
    /* all have opened their parts when all parts are known */
    return mpi_allgather(call, win->comm, &own, win->part, sizeof own);
}

static int check_part(const char *call, MPI_Aint bytes, int unit, MPI_Comm comm) {
    mpi_link_count(call);
    MPI_TRY(mpi_check_comm(call, comm));
    if (bytes < 0) return mpi_fail(comm, call, MPI_ERR_SIZE, "%td bytes", bytes);
    if (unit < 1) return mpi_fail(comm, call, MPI_ERR_DISP, "the displacement unit is %d", unit);
    return MPI_SUCCESS;
}

MPI(int, Win_create, void *base, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm,
    MPI_Win *out) {
    MPI_TRY(check_part(__func__, bytes, unit, comm));
    MPI_TRY(create(__func__, base, bytes, unit, comm, MPI_WIN_FLAVOR_CREATE, out));
    (*out)->info = mpi_info_copy(info);
    return MPI_SUCCESS;
}

static int allocate(const char *call, MPI_Aint bytes, int unit, MPI_Comm comm, int flavor,
                    void *out_base, MPI_Win *out) {
    enum { ALIGNMENT = 64 };
    void *base = NULL;
    MPI_TRY(check_part(call, bytes, unit, comm));
    if (posix_memalign(&base, ALIGNMENT, bytes ? (size_t)bytes : 1) != 0)
        return mpi_fail(comm, call, MPI_ERR_NO_MEM, "no memory for %td bytes", bytes);
    memset(base, 0, (size_t)bytes);
    MPI_TRY(create(call, base, bytes, unit, comm, flavor, out));
    (*out)->allocated = base;
    memcpy(out_base, &base, sizeof base);
    return MPI_SUCCESS;
}

MPI(int, Win_allocate, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base,
    MPI_Win *out) {
    MPI_TRY(allocate(__func__, bytes, unit, comm, MPI_WIN_FLAVOR_ALLOCATE, base, out));
    (*out)->info = mpi_info_copy(info);
    return MPI_SUCCESS;
}

/* Only a process alone shares memory with all members: each PE is alone on its node. */
MPI(int, Win_allocate_shared, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base,
    MPI_Win *out) {
    MPI_TRY(mpi_check_comm(__func__, comm));
    if (comm->size > 1)
        return mpi_fail(comm, __func__, MPI_ERR_RMA_SHARED, "its %d members are on different nodes",
                        comm->size);
    MPI_TRY(allocate(__func__, bytes, unit, comm, MPI_WIN_FLAVOR_SHARED, base, out));
    (*out)->info = mpi_info_copy(info);
    return MPI_SUCCESS;
}

MPI(int, Win_shared_query, MPI_Win win, int rank, MPI_Aint *bytes, int *unit, void *base) {
    MPI_TRY(mpi_win_check(__func__, win));
    if (win->flavor != MPI_WIN_FLAVOR_SHARED)
        return mpi_fail_win(win, __func__, MPI_ERR_RMA_FLAVOR, "its memory is not shared");
    if (rank != MPI_PROC_NULL && rank != 0)
        return mpi_fail_win(win, __func__, MPI_ERR_RANK, "rank %d of 1", rank);
    *bytes = win->bytes;
    *unit = win->unit;
    memcpy(base, &win->allocated, sizeof win->allocated);
    return MPI_SUCCESS;
}

MPI(int, Win_free, MPI_Win *out) {
    MPI_Win win = *out;
    MPI_TRY(mpi_win_check(__func__, win));
    if (win->exposed || win->accessed)
        return mpi_fail_win(win, __func__, MPI_ERR_RMA_SYNC, "it is still in use");
    if (mpi_attributes_delete(win, &win->attributes))
        return mpi_fail_win(win, __func__, MPI_ERR_OTHER,
                            "a function that deletes an attribute has failed");
    uint64_t state;
    if (!mpi_link_flush(win->comm->context, &state)) return refused(win, __func__);
    MPI_TRY(mpi_barrier(__func__, win->comm));
    if (!mpi_link_window_end(win->comm->context)) return refused(win, __func__);
    mpi_comm_release(win->comm);
    mpi_errhandler_release(win->errhandler);
    mpi_info_discard(win->info);
    free(win->allocated);
    free(win->part);
    free(win);
    *out = MPI_WIN_NULL;
    return MPI_SUCCESS;
}

/* ---- synchronization of all */

static int flush(const char *call, MPI_Win win) {
    uint64_t state;
    MPI_TRY(mpi_win_check(call, win));
    return mpi_link_flush(win->comm->context, &state) ? MPI_SUCCESS : refused(win, call);
}

MPI(int, Win_fence, int assertion, MPI_Win win) {
    (void)assertion;
    MPI_TRY(flush(__func__, win));
    return mpi_barrier(__func__, win->comm);
}

MPI(int, Win_sync, MPI_Win win) {
    return mpi_win_check(__func__, win);
}

/* Each flush is one of all targets, and at the target. */
MPI(int, Win_flush, int rank, MPI_Win win) {
    (void)rank;
    return flush(__func__, win);
}
MPI(int, Win_flush_local, int rank, MPI_Win win) {
    (void)rank;
    return flush(__func__, win);
}
MPI(int, Win_flush_all, MPI_Win win) {
    return flush(__func__, win);
}
MPI(int, Win_flush_local_all, MPI_Win win) {
    return flush(__func__, win);
}

/* ---- locks */

static int lock(const char *call, MPI_Win win, int rank, bool exclusive) {
    uint64_t state;
    if (rank < 0 || rank >= win->comm->size)
        return mpi_fail_win(win, call, MPI_ERR_RANK, "rank %d of %d", rank, win->comm->size);
    if (!mpi_link_lock(win->comm->context, mpi_comm_pe(win->comm, rank), exclusive, &state))
        return refused(win, call);
    if (state == WIRE_MPI_DONE) return MPI_SUCCESS;
    return mpi_fail_win(win, call, MPI_ERR_RMA_SYNC,
                        state == WIRE_MPI_WRONG ? "rank %d is locked already" : "rank %d has ended",
                        rank);
}

static int unlock(const char *call, MPI_Win win, int rank) {
    uint64_t state;
    if (rank < 0 || rank >= win->comm->size)
        return mpi_fail_win(win, call, MPI_ERR_RANK, "rank %d of %d", rank, win->comm->size);
    if (!mpi_link_unlock(win->comm->context, mpi_comm_pe(win->comm, rank), &state))
        return refused(win, call);
    if (state == WIRE_MPI_DONE) return MPI_SUCCESS;
    return mpi_fail_win(win, call, MPI_ERR_RMA_SYNC, "rank %d is not locked", rank);
}

MPI(int, Win_lock, int type, int rank, int assertion, MPI_Win win) {
    (void)assertion;
    MPI_TRY(mpi_win_check(__func__, win));
    if (type != MPI_LOCK_EXCLUSIVE && type != MPI_LOCK_SHARED)
        return mpi_fail_win(win, __func__, MPI_ERR_LOCKTYPE, "there is no type %d", type);
    if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
    return lock(__func__, win, rank, type == MPI_LOCK_EXCLUSIVE);
}

MPI(int, Win_unlock, int rank, MPI_Win win) {
    MPI_TRY(flush(__func__, win));
    return rank == MPI_PROC_NULL ? MPI_SUCCESS : unlock(__func__, win, rank);
}

MPI(int, Win_lock_all, int assertion, MPI_Win win) {
    (void)assertion;
    MPI_TRY(mpi_win_check(__func__, win));
    for (int i = 0; i < win->comm->size; i++) MPI_TRY(lock(__func__, win, i, false));
    return MPI_SUCCESS;
}

MPI(int, Win_unlock_all, MPI_Win win) {
    MPI_TRY(flush(__func__, win));
    for (int i = 0; i < win->comm->size; i++) MPI_TRY(unlock(__func__, win, i));
    return MPI_SUCCESS;
}

/* ---- synchronization of groups: by empty messages */

/* The rank in the window of a member of a group. */
static int rank_of(MPI_Win win, MPI_Group group, int member) {
    for (int i = 0; i < win->comm->size; i++)
        if (win->comm->group->pe[i] == group->pe[member]) return i;
    return MPI_PROC_NULL;
}

static int check_group(const char *call, MPI_Win win, MPI_Group group) {
    MPI_TRY(mpi_win_check(call, win));
    if (!group || !group->pe) return mpi_fail_win(win, call, MPI_ERR_GROUP, "the group is null");
    for (int i = 0; i < group->size; i++)
        if (rank_of(win, group, i) == MPI_PROC_NULL)
            return mpi_fail_win(win, call, MPI_ERR_GROUP, "member %d is none of the window", i);
    return MPI_SUCCESS;
}

MPI(int, Win_post, MPI_Group group, int assertion, MPI_Win win) {
    (void)assertion;
    MPI_TRY(check_group(__func__, win, group));
    if (win->exposed) return mpi_fail_win(win, __func__, MPI_ERR_RMA_SYNC, "it is exposed already");
    win->exposed = mpi_group_hold(group);
    win->closing = mpi_alloc((size_t)group->size * sizeof *win->closing);
    for (int i = 0; i < group->size; i++) {
        const int rank = rank_of(win, group, i);
        MPI_Request r = win->closing[i] = mpi_request_create(REQUEST_RECEIVE, win->comm);
        mpi_request_describe(r, NULL, 0, MPI_BYTE, rank, TAG_COMPLETE, win->comm->context + 1);
        mpi_request_start(r, 0);
        MPI_TRY(mpi_send(__func__, NULL, 0, MPI_BYTE, rank, TAG_POST, win->comm, true));
    }
    return MPI_SUCCESS;
}

MPI(int, Win_start, MPI_Group group, int assertion, MPI_Win win) {
    (void)assertion;
    MPI_TRY(check_group(__func__, win, group));
    if (win->accessed)
        return mpi_fail_win(win, __func__, MPI_ERR_RMA_SYNC, "it is accessed already");
    win->accessed = mpi_group_hold(group);
    for (int i = 0; i < group->size; i++)
        MPI_TRY(mpi_receive(__func__, NULL, 0, MPI_BYTE, rank_of(win, group, i), TAG_POST,
                            win->comm, true, MPI_STATUS_IGNORE));
    return MPI_SUCCESS;
}

MPI(int, Win_complete, MPI_Win win) {
    MPI_TRY(flush(__func__, win));
    MPI_Group group = win->accessed;
    if (!group) return mpi_fail_win(win, __func__, MPI_ERR_RMA_SYNC, "it is not accessed");
    for (int i = 0; i < group->size; i++)
        MPI_TRY(mpi_send(__func__, NULL, 0, MPI_BYTE, rank_of(win, group, i), TAG_COMPLETE,
                         win->comm, true));
    mpi_group_release(group);
    win->accessed = NULL;
    return MPI_SUCCESS;
}

/* Ends the exposure, if all have completed by now or, with `wait`, in the end. */
static int end_exposure(const char *call, MPI_Win win, bool wait, int *flag) {
    MPI_TRY(mpi_win_check(call, win));
    MPI_Group group = win->exposed;
    if (!group) return mpi_fail_win(win, call, MPI_ERR_RMA_SYNC, "it is not exposed");
    const size_t n = (size_t)group->size;
    mpi_requests_progress(win->closing, n, wait ? MPI_WAIT_ALL : MPI_WAIT_NONE);
    *flag = 1;
    for (size_t i = 0; i < n; i++)
        if (!win->closing[i]->done) *flag = 0;
    if (!*flag) return MPI_SUCCESS;
    int error = MPI_SUCCESS;
    for (size_t i = 0; i < n; i++) {
        const int own = mpi_request_collect(call, &win->closing[i], MPI_STATUS_IGNORE, error != 0);
        if (own) error = own;
    }
    free(win->closing);
    mpi_group_release(group);
    win->closing = NULL;
    win->exposed = NULL;
    return error;
}

MPI(int, Win_wait, MPI_Win win) {
    int flag;
    return end_exposure(__func__, win, true, &flag);
}

MPI(int, Win_test, MPI_Win win, int *flag) {
    return end_exposure(__func__, win, false, flag);
}

/* ---- questions */

MPI(int, Win_get_group, MPI_Win win, MPI_Group *group) {
    MPI_TRY(mpi_win_check(__func__, win));
    *group = mpi_group_hold(win->comm->group);
    return MPI_SUCCESS;
}

MPI(int, Win_set_info, MPI_Win win, MPI_Info info) {
    MPI_TRY(mpi_win_check(__func__, win));
    mpi_info_discard(win->info);
    win->info = mpi_info_copy(info);
    return MPI_SUCCESS;
}

MPI(int, Win_get_info, MPI_Win win, MPI_Info *info) {
    MPI_TRY(mpi_win_check(__func__, win));
    *info = mpi_info_copy_or_empty(win->info);
    return MPI_SUCCESS;
}

MPI(int, Win_set_name, MPI_Win win, const char *name) {
    MPI_TRY(mpi_win_check(__func__, win));
    memset(win->name, 0, sizeof win->name);
    strncpy(win->name, name, sizeof win->name - 1);
    return MPI_SUCCESS;
}

MPI(int, Win_get_name, MPI_Win win, char *name, int *length) {
    MPI_TRY(mpi_win_check(__func__, win));
    *length = (int)strlen(win->name);
    memcpy(name, win->name, (size_t)*length + 1);
    return MPI_SUCCESS;
}

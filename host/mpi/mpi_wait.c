/* mpi_wait.c - waits for requests and tests of them. */
#include "mpi/mpi_internal.h"
#include "mpi/mpi_link.h"

static int check(const char *call, int count, MPI_Request *list) {
    mpi_link_count(call);
    MPI_TRY(mpi_check_begun(call));
    if (count < 0 || (count && !list))
        return mpi_fail(NULL, call, MPI_ERR_ARG, "%d requests", count);
    for (int i = 0; i < count; i++)
        if (!list[i]) return mpi_fail(NULL, call, MPI_ERR_REQUEST, "request %d is no request", i);
    return MPI_SUCCESS;
}

/* The first that has ended; `count`: none has; MPI_UNDEFINED: there is nothing to wait for. */
static int first_done(MPI_Request *list, int count) {
    bool any = false;
    for (int i = 0; i < count; i++) {
        if (mpi_request_is_idle(list[i])) continue;
        if (list[i]->done) return i;
        any = true;
    }
    return any ? count : MPI_UNDEFINED;
}

MPI(int, Wait, MPI_Request *request, MPI_Status *status) {
    MPI_TRY(check(__func__, 1, request));
    mpi_requests_progress(request, 1, MPI_WAIT_ALL);
    return mpi_request_collect(__func__, request, status, false);
}

MPI(int, Test, MPI_Request *request, int *flag, MPI_Status *status) {
    MPI_TRY(check(__func__, 1, request));
    mpi_requests_progress(request, 1, MPI_WAIT_NONE);
    *flag = first_done(request, 1) != 1;
    return *flag ? mpi_request_collect(__func__, request, status, false) : MPI_SUCCESS;
}

MPI(int, Request_get_status, MPI_Request request, int *flag, MPI_Status *status) {
    MPI_TRY(check(__func__, 1, &request));
    mpi_requests_progress(&request, 1, MPI_WAIT_NONE);
    *flag = first_done(&request, 1) != 1;
    if (*flag && status)
        *status = mpi_request_is_idle(request) ? mpi_status_empty : request->status;
    return MPI_SUCCESS;
}

/* Collects all that have ended. With several statuses each gets the error of its own. */
static int collect_all(const char *call, MPI_Request *list, int count, MPI_Status *statuses) {
    int error = MPI_SUCCESS;
    for (int i = 0; i < count; i++) {
        MPI_Status *status = statuses ? &statuses[i] : MPI_STATUS_IGNORE;
        const int own = mpi_request_collect(call, &list[i], status, error != MPI_SUCCESS);
        if (status) status->MPI_ERROR = own;
        if (own && !error) error = MPI_ERR_IN_STATUS;
    }
    return error;
}

MPI(int, Waitall, int count, MPI_Request list[], MPI_Status *statuses) {
    MPI_TRY(check(__func__, count, list));
    mpi_requests_progress(list, (size_t)count, MPI_WAIT_ALL);
    return collect_all(__func__, list, count, statuses);
}

MPI(int, Testall, int count, MPI_Request list[], int *flag, MPI_Status *statuses) {
    MPI_TRY(check(__func__, count, list));
    mpi_requests_progress(list, (size_t)count, MPI_WAIT_NONE);
    *flag = 1;
    for (int i = 0; i < count; i++)
        if (!mpi_request_is_idle(list[i]) && !list[i]->done) *flag = 0;
    return *flag ? collect_all(__func__, list, count, statuses) : MPI_SUCCESS;
}

MPI(int, Waitany, int count, MPI_Request list[], int *index, MPI_Status *status) {
    MPI_TRY(check(__func__, count, list));
    mpi_requests_progress(list, (size_t)count, MPI_WAIT_ONE);
    *index = first_done(list, count);
    if (*index != MPI_UNDEFINED) return mpi_request_collect(__func__, &list[*index], status, false);
    if (status) *status = mpi_status_empty;
    return MPI_SUCCESS;
}

MPI(int, Testany, int count, MPI_Request list[], int *index, int *flag, MPI_Status *status) {
    MPI_TRY(check(__func__, count, list));
    mpi_requests_progress(list, (size_t)count, MPI_WAIT_NONE);
    const int found = first_done(list, count);
    *flag = found != count;
    *index = found == count ? MPI_UNDEFINED : found;
    if (*index != MPI_UNDEFINED) return mpi_request_collect(__func__, &list[*index], status, false);
    if (*flag && status) *status = mpi_status_empty;
    return MPI_SUCCESS;
}

/* Collects those that have ended, and lists them. */
static int collect_some(const char *call, MPI_Request *list, int count, int *done, int *indices,
                        MPI_Status *statuses) {
    int error = MPI_SUCCESS;
    *done = first_done(list, count) == MPI_UNDEFINED ? MPI_UNDEFINED : 0;
    for (int i = 0; i < count && *done != MPI_UNDEFINED; i++) {
        if (mpi_request_is_idle(list[i]) || !list[i]->done) continue;
        MPI_Status *status = statuses ? &statuses[*done] : MPI_STATUS_IGNORE;
        const int own = mpi_request_collect(call, &list[i], status, error != MPI_SUCCESS);
        if (status) status->MPI_ERROR = own;
        if (own && !error) error = MPI_ERR_IN_STATUS;
        indices[(*done)++] = i;
    }
    return error;
}

MPI(int, Waitsome, int count, MPI_Request list[], int *done, int indices[], MPI_Status statuses[]) {
    MPI_TRY(check(__func__, count, list));
    mpi_requests_progress(list, (size_t)count, MPI_WAIT_ONE);
    mpi_requests_progress(list, (size_t)count, MPI_WAIT_NONE); /* all that have ended by then */
    return collect_some(__func__, list, count, done, indices, statuses);
}

MPI(int, Testsome, int count, MPI_Request list[], int *done, int indices[], MPI_Status statuses[]) {
    MPI_TRY(check(__func__, count, list));
    mpi_requests_progress(list, (size_t)count, MPI_WAIT_NONE);
    return collect_some(__func__, list, count, done, indices, statuses);
}

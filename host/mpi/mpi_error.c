/* mpi_error.c - errors, error handlers, refused functions, and the checks of arguments. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/shim/shim.h"
#include "mpi/mpi_internal.h"

enum { FIRST_CODE = MPI_ERR_LASTCODE + 1, MOST_CODES = 64 };

/* Error codes and classes that the program has added. */
static struct {
    int count;
    struct {
        int class;
        char text[MPI_MAX_ERROR_STRING];
    } code[MOST_CODES];
} added;

void *mpi_alloc(size_t bytes) {
    void *p = calloc(1, bytes ? bytes : 1);
    if (p) return p;
    shim_say("error: PE %d: MPI: no memory for %zu bytes", mpi_process.rank, bytes);
    _exit(MPI_ERR_NO_MEM);
}

/* ---- texts */

/* The error classes of MPI. */
static const struct {
    int number;
    const char *name, *text;
} classes[] = {
#define MPI_ERROR(name, number, text) {number, #name, #name ": " text},
#include "tables/mpi_errors.def"
};

enum { NUM_CLASSES = sizeof classes / sizeof *classes };

static const char *class_name(int error) {
    for (size_t i = 0; i < NUM_CLASSES; i++)
        if (classes[i].number == error) return classes[i].name;
    return "error of the program";
}

const char *mpi_error_text(int error) {
    if (error == MPI_SUCCESS) return "no error";
    for (size_t i = 0; i < NUM_CLASSES; i++)
        if (classes[i].number == error) return classes[i].text;
    if (error >= FIRST_CODE && error < FIRST_CODE + added.count)
        return added.code[error - FIRST_CODE].text;
    return NULL;
}

/* ---- failures */

/* Ends the program because of an error. */
static void end_program(int error) {
    fflush(NULL);
    _exit(error);
}

/* Runs an error handler. `comm` or `win`: the object concerned. */
static int handle(MPI_Errhandler handler, MPI_Comm comm, MPI_Win win, const char *call, int error,
                  const char *text) {
    int code = error;
    if (strncmp(call, "PMPI_", 5) == 0) call++;
    if (handler->kind == ERRORS_RETURN) return error;
    if (handler->kind == ERRORS_COMM && comm) {
        handler->comm(&comm, &code);
        return error;
    }
    if (handler->kind == ERRORS_WIN && win) {
        handler->win(&win, &code);
        return error;
    }
    shim_say("error: PE %d: %s(): %s (%s)", mpi_process.rank, call, text, class_name(error));
    end_program(error);
    return error;
}

int mpi_fail(MPI_Comm comm, const char *call, int error, const char *format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!comm || comm->null) comm = MPI_COMM_WORLD;
    MPI_Errhandler handler = comm->errhandler ? comm->errhandler : MPI_ERRORS_ARE_FATAL;
    return handle(handler, comm, NULL, call, error, text);
}

int mpi_fail_win(MPI_Win win, const char *call, int error, const char *format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return handle(win->errhandler ? win->errhandler : MPI_ERRORS_ARE_FATAL, NULL, win, call, error,
                  text);
}

int mpi_refuse(const char *name, bool fatal) {
    enum { MOST = 64 };
    static const char *told[MOST];
    unsigned i = 0;
    while (i < MOST && told[i] && told[i] != name) i++;
    if (i < MOST && told[i] == name && !fatal) return MPI_ERR_UNSUPPORTED_OPERATION;
    if (i < MOST) told[i] = name;
    const MPI_Errhandler handler = MPI_COMM_WORLD->errhandler;
    const bool ends = fatal && (!handler || handler->kind == ERRORS_FATAL);
    shim_say("%snot supported: %s() (docs/mpi.md lists what is)", ends ? "error: " : "", name);
    if (ends) end_program(MPI_ERR_UNSUPPORTED_OPERATION);
    if (!fatal || !handler) return MPI_ERR_UNSUPPORTED_OPERATION;
    return handle(handler, MPI_COMM_WORLD, NULL, name, MPI_ERR_UNSUPPORTED_OPERATION,
                  "not supported");
}

/* ---- checks */

int mpi_check_begun(const char *call) {
    if (mpi_process.begun && !mpi_process.ended) return MPI_SUCCESS;
    return mpi_fail(NULL, call, MPI_ERR_OTHER, "it is called %s",
                    mpi_process.begun ? "after MPI_Finalize()" : "before MPI_Init()");
}

int mpi_check_comm(const char *call, MPI_Comm comm) {
    MPI_TRY(mpi_check_begun(call));
    if (comm && !comm->null) return MPI_SUCCESS;
    return mpi_fail(NULL, call, MPI_ERR_COMM, "the communicator is null");
}

int mpi_check_type(const char *call, MPI_Comm comm, MPI_Datatype type) {
    if (!type || type->absent)
        return mpi_fail(comm, call, MPI_ERR_TYPE, "the datatype %s is none that is supported",
                        type ? type->name : "NULL");
    return MPI_SUCCESS;
}

int mpi_check_data(const char *call, MPI_Comm comm, long long count, MPI_Datatype type) {
    if (count < 0) return mpi_fail(comm, call, MPI_ERR_COUNT, "the count is %lld", count);
    MPI_TRY(mpi_check_type(call, comm, type));
    if (type->committed) return MPI_SUCCESS;
    return mpi_fail(comm, call, MPI_ERR_TYPE, "the datatype %s is not committed", type->name);
}

int mpi_check_rank(const char *call, MPI_Comm comm, int rank) {
    if (rank >= 0 && rank < comm->size) return MPI_SUCCESS;
    return mpi_fail(comm, call, MPI_ERR_RANK, "rank %d is none of the communicator, which has %d",
                    rank, comm->size);
}

int mpi_check_root(const char *call, MPI_Comm comm, int root) {
    if (root >= 0 && root < comm->size) return MPI_SUCCESS;
    return mpi_fail(comm, call, MPI_ERR_ROOT, "root %d is none of the communicator, which has %d",
                    root, comm->size);
}

/* ---- error handlers */

MPI_Errhandler mpi_errhandler_hold(MPI_Errhandler e) {
    if (e && e->users) e->users++;
    return e;
}

void mpi_errhandler_release(MPI_Errhandler e) {
    if (e && e->users && --e->users == 0) free(e); /* predefined ones count no users */
}

MPI(int, Comm_create_errhandler, MPI_Comm_errhandler_function *function, MPI_Errhandler *out) {
    *out = mpi_alloc(sizeof **out);
    **out = (struct mpi_errhandler){.kind = ERRORS_COMM, .comm = function, .users = 1};
    return MPI_SUCCESS;
}

MPI(int, Win_create_errhandler, MPI_Win_errhandler_function *function, MPI_Errhandler *out) {
    *out = mpi_alloc(sizeof **out);
    **out = (struct mpi_errhandler){.kind = ERRORS_WIN, .win = function, .users = 1};
    return MPI_SUCCESS;
}

MPI(int, Errhandler_create, MPI_Comm_errhandler_function *function, MPI_Errhandler *out) {
    return PMPI_Comm_create_errhandler(function, out);
}

MPI(int, Errhandler_free, MPI_Errhandler *e) {
    if (!*e || (*e)->kind == ERRORS_NULL)
        return mpi_fail(NULL, __func__, MPI_ERR_ARG, "the error handler is null");
    mpi_errhandler_release(*e);
    *e = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}

/* Gives an object another error handler. */
static void replace_handler(MPI_Errhandler *old, MPI_Errhandler e) {
    mpi_errhandler_hold(e);
    mpi_errhandler_release(*old);
    *old = e;
}

MPI(int, Comm_set_errhandler, MPI_Comm comm, MPI_Errhandler e) {
    MPI_TRY(mpi_check_comm(__func__, comm));
    if (!e || e->kind == ERRORS_NULL || e->kind == ERRORS_WIN)
        return mpi_fail(comm, __func__, MPI_ERR_ARG, "it is no error handler of communicators");
    replace_handler(&comm->errhandler, e);
    return MPI_SUCCESS;
}

MPI(int, Comm_get_errhandler, MPI_Comm comm, MPI_Errhandler *e) {
    MPI_TRY(mpi_check_comm(__func__, comm));
    *e = mpi_errhandler_hold(comm->errhandler);
    return MPI_SUCCESS;
}

MPI(int, Errhandler_set, MPI_Comm comm, MPI_Errhandler e) {
    return PMPI_Comm_set_errhandler(comm, e);
}

MPI(int, Errhandler_get, MPI_Comm comm, MPI_Errhandler *e) {
    return PMPI_Comm_get_errhandler(comm, e);
}

MPI(int, Comm_call_errhandler, MPI_Comm comm, int error) {
    MPI_TRY(mpi_check_comm(__func__, comm));
    mpi_fail(comm, __func__, error, "the program says so");
    return MPI_SUCCESS;
}

MPI(int, Win_set_errhandler, MPI_Win win, MPI_Errhandler e) {
    if (!e || e->kind == ERRORS_NULL || e->kind == ERRORS_COMM)
        return mpi_fail_win(win, __func__, MPI_ERR_ARG, "it is no error handler of windows");
    replace_handler(&win->errhandler, e);
    return MPI_SUCCESS;
}

MPI(int, Win_get_errhandler, MPI_Win win, MPI_Errhandler *e) {
    *e = mpi_errhandler_hold(win->errhandler);
    return MPI_SUCCESS;
}

MPI(int, Win_call_errhandler, MPI_Win win, int error) {
    mpi_fail_win(win, __func__, error, "the program says so");
    return MPI_SUCCESS;
}

/* ---- classes, codes and their texts */

MPI(int, Error_class, int error, int *class) {
    *class = error >= FIRST_CODE && error < FIRST_CODE + added.count
                 ? added.code[error - FIRST_CODE].class
                 : error;
    return MPI_SUCCESS;
}

MPI(int, Error_string, int error, char *text, int *length) {
    const char *found = mpi_error_text(error);
    if (!found) return mpi_fail(NULL, __func__, MPI_ERR_ARG, "there is no error code %d", error);
    *length = snprintf(text, MPI_MAX_ERROR_STRING, "%s", found);
    return MPI_SUCCESS;
}

/* A new code of a class; class 0: the code is its own. */
static int add_code(const char *call, int class, int *out) {
    if (added.count == MOST_CODES)
        return mpi_fail(NULL, call, MPI_ERR_NO_MEM, "there are %d codes already", MOST_CODES);
    *out = FIRST_CODE + added.count;
    added.code[added.count++].class = class ? class : *out;
    return MPI_SUCCESS;
}

MPI(int, Add_error_class, int *class) {
    return add_code(__func__, 0, class);
}

MPI(int, Add_error_code, int class, int *code) {
    return add_code(__func__, class, code);
}

MPI(int, Add_error_string, int code, const char *text) {
    if (code < FIRST_CODE || code >= FIRST_CODE + added.count)
        return mpi_fail(NULL, __func__, MPI_ERR_ARG, "%d is no code of the program", code);
    snprintf(added.code[code - FIRST_CODE].text, MPI_MAX_ERROR_STRING, "%s", text);
    return MPI_SUCCESS;
}

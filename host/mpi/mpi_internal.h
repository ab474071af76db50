/* mpi_internal.h - the library in the place of Open MPI's libmpi.so.40.
 *
 * These files run in the program's process and use libc, libheddle_shim.so and cuda/protocol/. The
 * simulator moves bytes between processes (mpi_link.h); everything else of MPI is done here:
 *
 *   mpi_calls of programs        mpi_send.c, mpi_wait.c, mpi_collective*.c, mpi_comm*.c ...
 *      mpi_schedule              collective operations as lists of sends, receives, reductions
 *      mpi_request               a send or a receive, from its post to its end
 *      mpi_type, mpi_pack        datatypes
 *      mpi_link                  one message to the simulator for each of them
 *
 * A function of MPI is defined with MPI(): as PMPI_name, and weakly as MPI_name, so that a profiler
 * may have one of that name. Functions here call internal ones alone, never those of the program's
 * interface. Each returns an error class, after the error handler has seen an error.
 *
 * Threads: MPI_THREAD_SERIALIZED is what the library offers: one thread at a time. */
#ifndef HEDDLE_MPI_MPI_INTERNAL_H
#define HEDDLE_MPI_MPI_INTERNAL_H

#include "mpi/mpi_handles.h"
#include "mpi/mpi_object.h"

/* Head of a function of MPI. */
#define MPI(type, name, ...)                                                             \
    MPI_SHARED type PMPI_##name(__VA_ARGS__);                                            \
    MPI_SHARED type MPI_##name(__VA_ARGS__) __attribute__((weak, alias("PMPI_" #name))); \
    type PMPI_##name(__VA_ARGS__)

/* ---- errors (mpi_error.c). All end the program unless an error handler says otherwise. */

/* An error in a call for a communicator, NULL: none is concerned (MPI_COMM_WORLD's handler).
 * `call`: the function's name, with or without a P in front. @return `error`, if the handler
 * returns. */
int mpi_fail(MPI_Comm comm, const char *call, int error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same for a window. */
int mpi_fail_win(MPI_Win win, const char *call, int error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
const char *mpi_error_text(int error);
/* What a function that is not supported does: says so, once for each name. `fatal`: the handler of
 * MPI_COMM_WORLD sees it. @return MPI_ERR_UNSUPPORTED_OPERATION. */
int mpi_refuse(const char *name, bool fatal);
/* Allocates zeroed bytes; ends the program when there are none. */
void *mpi_alloc(size_t bytes);
/* Adds a reference; and frees an error handler with its last one. */
MPI_Errhandler mpi_errhandler_hold(MPI_Errhandler e);
void mpi_errhandler_release(MPI_Errhandler e);

/* ---- checks of arguments: @return MPI_SUCCESS, or mpi_fail()'s. */

int mpi_check_begun(const char *call);
int mpi_check_comm(const char *call, MPI_Comm comm);
int mpi_check_type(const char *call, MPI_Comm comm, MPI_Datatype type);
int mpi_check_data(const char *call, MPI_Comm comm, long long count, MPI_Datatype type);
/* A rank of the communicator. */
int mpi_check_rank(const char *call, MPI_Comm comm, int rank);
int mpi_check_root(const char *call, MPI_Comm comm, int root);
#define MPI_TRY(expression)               \
    do {                                  \
        const int mpi_try = (expression); \
        if (mpi_try) return mpi_try;      \
    } while (0)

/* ---- datatypes (mpi_type.c, mpi_pack.c) */

MPI_Datatype mpi_type_hold(MPI_Datatype type);
void mpi_type_release(MPI_Datatype type);
/* Bytes between the first and behind the last byte of `count` elements; *first: offset of the
 * first one. */
size_t mpi_type_span(MPI_Datatype type, size_t count, MPI_Aint *first);
/* Copies `count` elements to `packed`, without gaps, and back: at most `bytes`. The memory may be
 * the device's. @return an error class. */
int mpi_pack(const void *buffer, size_t count, MPI_Datatype type, uint8_t *packed);
int mpi_unpack(const uint8_t *packed, size_t bytes, void *buffer, size_t count, MPI_Datatype type);
/* Copies elements to those of another datatype, with as many bytes. */
int mpi_copy(const void *from, size_t from_count, MPI_Datatype from_type, void *to, size_t to_count,
             MPI_Datatype to_type);
/* Number of basic values in the first `bytes` bytes of elements; -1: not a whole number. */
long long mpi_type_elements(MPI_Datatype type, size_t bytes);

/* ---- operations (mpi_op.c) */

/* Whether the operation takes the datatype; if not, mpi_fail(). */
int mpi_check_op(const char *call, MPI_Comm comm, MPI_Op op, MPI_Datatype type);
/* inout = in op inout, for `count` elements in host memory. */
void mpi_op_apply(MPI_Op op, const void *in, void *inout, int count, MPI_Datatype type);
/* The same for elements anywhere, by way of host memory. @return an error class. */
int mpi_reduce_anywhere(MPI_Op op, const void *in, void *inout, size_t count, MPI_Datatype type);
/* ---- groups, communicators, attributes, infos */

MPI_Group mpi_group_create(int size); /* with unset members; rank: MPI_UNDEFINED */
MPI_Group mpi_group_hold(MPI_Group group);
void mpi_group_release(MPI_Group group);
void mpi_group_find_rank(MPI_Group group); /* sets rank */
/* A communicator of the group, of which this process is a member. */
MPI_Comm mpi_comm_create(MPI_Group group, uint64_t context, MPI_Comm like);
MPI_Comm mpi_comm_hold(MPI_Comm comm);
void mpi_comm_release(MPI_Comm comm);
/* A topology of so many dimensions, with all arrays in the allocation of dims; and a copy. */
struct mpi_cart *mpi_cart_create(int ndims);
struct mpi_cart *mpi_cart_copy(const struct mpi_cart *cart);
/* A context that no member of the communicator uses (collective). */
int mpi_comm_next_context(const char *call, MPI_Comm comm, uint64_t *context);
static inline int mpi_comm_pe(MPI_Comm comm, int rank) {
    return comm->group->pe[rank];
}
/* Copies the attributes of one object to another by their copy functions; and deletes them.
 * @return the error of such a function. */
int mpi_attributes_copy(void *from, const struct mpi_attribute *list, struct mpi_attribute **to);
int mpi_attributes_delete(void *object, struct mpi_attribute **list);
MPI_Info mpi_info_copy(MPI_Info info); /* NULL: none */
MPI_Info mpi_info_copy_or_empty(MPI_Info info);
void mpi_info_discard(MPI_Info info);

/* MPI_Comm_split(). */
int mpi_comm_split(const char *call, MPI_Comm comm, int color, int key, MPI_Comm *out);
/* How two groups compare: MPI_IDENT, MPI_SIMILAR, MPI_UNEQUAL. */
int mpi_group_compare(MPI_Group a, MPI_Group b);
/* Waits for all members. */
int mpi_barrier(const char *call, MPI_Comm comm);

/* ---- requests (mpi_request.c) */

/* What a request does with its collective operation (mpi_schedule.h). */
struct mpi_schedule_fns {
    /* Carries out the steps that can be, from the place where it stands. @return whether it has
     * ended. */
    bool (*step)(struct mpi_schedule *s);
    /* Its sends and receives under way: *list, valid until the next step. */
    size_t (*under_way)(const struct mpi_schedule *s, MPI_Request **list);
    int (*error)(const struct mpi_schedule *s); /* of the first step that failed */
    void (*free)(struct mpi_schedule *s);
};
MPI_Request mpi_request_create(enum mpi_request_kind kind, MPI_Comm comm);
/* One that has ended, with an empty status. */
MPI_Request mpi_request_create_done(void);
void mpi_request_free(MPI_Request r); /* one that is not active */
/* What a request sends or receives, in the context of messages or of collectives. */
void mpi_request_describe(MPI_Request r, void *buffer, size_t count, MPI_Datatype type, int rank,
                          int64_t tag, uint64_t context);
/* Begins what the request describes. `taken`: it receives a message that was taken, or 0. An error
 * is the request's. */
void mpi_request_start(MPI_Request r, uint64_t taken);
/* Ends a send or a receive: fills r->status and r->error when it has ended. `wait`: it has by
 * then. */
void mpi_request_finish(MPI_Request r, bool wait);
/* Ends requests (MPI_REQUEST_NULL: none) as far as they have ended. MPI_WAIT_ONE: waits until one
 * has, MPI_WAIT_ALL: until all have. */
enum mpi_wait { MPI_WAIT_NONE, MPI_WAIT_ONE, MPI_WAIT_ALL };
void mpi_requests_progress(MPI_Request *list, size_t count, enum mpi_wait wait);
/* Whether collective operations are under way, which advance only in calls. */
bool mpi_requests_collective(void);
static inline bool mpi_request_is_idle(MPI_Request r) { /* nothing to wait for */
    return r->kind == REQUEST_NULL || (r->persistent && !r->active);
}
/* What the program sees of the end: the status; the handle becomes null, unless it is persistent.
 * Its error is reported for `call`, unless `quiet`. @return it. */
int mpi_request_collect(const char *call, MPI_Request *handle, MPI_Status *status, bool quiet);
extern const MPI_Status mpi_status_empty;
/* Blocking forms. `collective`: in the context of collectives. */
int mpi_send(const char *call, const void *buffer, size_t count, MPI_Datatype type, int rank,
             int64_t tag, MPI_Comm comm, bool collective);
int mpi_receive(const char *call, void *buffer, size_t count, MPI_Datatype type, int rank,
                int64_t tag, MPI_Comm comm, bool collective, MPI_Status *status);

/* ---- collective operations on bytes, for the library's own use (mpi_collective.c) */

int mpi_allgather(const char *call, MPI_Comm comm, const void *own, void *all, size_t bytes);
int mpi_allreduce(const char *call, MPI_Comm comm, const void *in, void *out, size_t count,
                  MPI_Datatype type, MPI_Op op);

#endif

/* mpi_object.h - the objects behind MPI's handles, and the process's state.
 *
 * Predefined objects are global, have the sizes of Open MPI's (programs that are no
 * position-independent code have copies of them, made by the dynamic linker) and are never freed.
 * All others are allocated, and freed with their last user. */
#ifndef HEDDLE_MPI_MPI_OBJECT_H
#define HEDDLE_MPI_MPI_OBJECT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "cuda/protocol/mpi_reduce.h"
#include "cuda/protocol/wire_mpi.h"
#include "mpi/mpi_abi.h"

/* ---- datatypes */

/* `count` values of a basic type, one behind the other, from byte `offset` of the datatype on. */
struct mpi_run {
    MPI_Aint offset;
    size_t count;
    enum mpi_basic basic;
};

/* How a datatype was made, for MPI_Type_get_contents(): in one allocation. */
struct mpi_recipe {
    int combiner, num_integers, num_addresses, num_types;
    int *integer;
    MPI_Aint *address;
    MPI_Datatype *type; /* each is held */
};

struct mpi_type {
    const struct mpi_run *run; /* in the order of the type map */
    size_t num_runs;
    size_t size;         /* of its bytes */
    MPI_Aint lb, extent; /* bytes */
    MPI_Aint true_lb, true_extent;
    bool predefined, pair, absent;
    bool committed;
    bool bounded;    /* the program has set its bounds (MPI_Type_create_resized()) */
    bool contiguous; /* its bytes, and those of several in a row, have no gaps; from offset 0 on */
    int users;
    struct mpi_run *owned; /* run, when it was allocated */
    struct mpi_recipe *recipe;
    struct mpi_attribute *attributes;
    char name[MPI_MAX_OBJECT_NAME];
};

/* ---- operations of reductions */

struct mpi_op {
    enum mpi_op_kind kind;
    bool commutes;
    MPI_User_function *function; /* OP_USER */
    /* Of a C++ operation: what the C++ library's `function` calls, passed as a fifth argument. */
    MPI_User_function *inner;
};

/* ---- errors, attributes, infos, groups */

struct mpi_errhandler {
    enum { ERRORS_FATAL, ERRORS_RETURN, ERRORS_COMM, ERRORS_WIN, ERRORS_NULL } kind;
    MPI_Comm_errhandler_function *comm;
    MPI_Win_errhandler_function *win;
    int users;
};

struct mpi_attribute {
    struct mpi_attribute *next;
    int key;
    void *value;
};

struct mpi_info {
    int count;
    struct mpi_info_entry {
        char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    } * entry;
};

struct mpi_file { /* only the null handle is there */
    bool null;
};

struct mpi_group {
    int size, rank; /* rank: this process's, or MPI_UNDEFINED */
    int users;
    int *pe; /* of each rank */
};

/* ---- communicators */

struct mpi_cart {
    int ndims;
    int *dims, *periods, *coords; /* coords: of this process */
};

struct mpi_comm {
    MPI_Group group;
    uint64_t context; /* of its messages; context + 1: of its collectives */
    int rank, size;
    bool null, predefined;
    int users;            /* requests and windows that use it, and its handle */
    unsigned collectives; /* begun so far: their tag */
    MPI_Errhandler errhandler;
    struct mpi_cart *cart;
    struct mpi_attribute *attributes;
    MPI_Info info;
    char name[MPI_MAX_OBJECT_NAME];
};

/* ---- requests and messages */

struct mpi_schedule;

enum mpi_request_kind {
    REQUEST_NULL,
    REQUEST_SEND,
    REQUEST_RECEIVE,
    REQUEST_SCHEDULE, /* a collective operation (mpi_schedule.h) */
    REQUEST_DONE      /* ended when it was made */
};

struct mpi_request {
    enum mpi_request_kind kind;
    bool persistent, active; /* active: begun, and its end not yet seen by the program */
    bool done;               /* status is final */
    bool freed;              /* by MPI_Request_free() while it was active */
    uint64_t number;         /* the server's, of a message under way; 0: none */
    struct mpi_schedule *schedule;
    const struct mpi_schedule_fns *schedule_fns;
    MPI_Status status;
    int error;
    size_t bytes; /* of its message, those that did not fit included */
    MPI_Comm comm;
    /* of messages: what to do at its end, and, of persistent ones, at each start */
    void *buffer;
    size_t count;
    MPI_Datatype type;
    int peer;
    int64_t tag;
    enum wire_mpi_mode mode;
    uint64_t context;
    uint8_t *packed;          /* a receive into memory with gaps: where the bytes go first */
    struct mpi_request *next; /* of the list of freed ones that are under way */
};

struct mpi_message { /* MPI_Mprobe() */
    uint64_t number;
    MPI_Comm comm;
    MPI_Status status;
};

/* ---- predefined handles: unions of an object and the bytes that Open MPI's has */

#define MPI_SHARED __attribute__((visibility("default")))
#define MPI_GLOBAL(kind, symbol, bytes) \
    typedef union {                     \
        struct kind of;                 \
        char room[bytes];               \
    } symbol##_object;                  \
    extern MPI_SHARED symbol##_object symbol;
#define MPI_DEFINE(kind, symbol, bytes, ...) symbol##_object symbol = {.of = {__VA_ARGS__}};
enum {
    ROOM_COMM = 512,
    ROOM_TYPE = 512,
    ROOM_OP = 2048,
    ROOM_GROUP = 256,
    ROOM_REQUEST = 256,
    ROOM_ERRHANDLER = 1024,
    ROOM_INFO = 256,
    ROOM_WIN = 512,
    ROOM_FILE = 1536
};

/* The process: what MPI's interface has no argument for. */
struct mpi_process {
    bool begun, ended; /* MPI_Init() and MPI_Finalize() have been called */
    int provided;      /* level of threads */
    pthread_t main_thread;
    int rank, size;        /* of the PE */
    uint64_t next_context; /* the least that no communicator of this process has */
};
extern struct mpi_process mpi_process;

#endif

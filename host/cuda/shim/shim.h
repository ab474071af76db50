/* shim.h - what stands in for libcudart and libcuda inside the program under test.
 *
 * libheddle_shim.so has the connection and the tables, once per process. Each libcudart.so.N and
 * libcuda.so.1 has the functions of its interface and needs only libheddle_shim.so and libc.
 * Inside, shim_link.c connects and exchanges messages, shim_tables.c registers device code on top
 * of it, shim_call.c makes calls on top of both. They hold no simulation state: they turn CUDA
 * calls into messages (wire.h). The struct shim below is the process-wide state that CUDA's
 * interface requires (registration has no context argument).
 *
 * Threads: every thread has its own connection and its own last error; the registration tables are
 * guarded by a mutex. */
#ifndef HEDDLE_CUDA_SHIM_SHIM_H
#define HEDDLE_CUDA_SHIM_SHIM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/protocol/cuda_error.h"
#include "cuda/protocol/wire.h"

#define SHIM_EXPORT __attribute__((visibility("default")))

#pragma GCC visibility push(default) /* libheddle_shim.map has the names */

struct shim_symbol;
struct shim_thread;
struct shim_registered;
struct instantiate_params; /* shim_graph.c */
struct answer;

/* Memory of the program that a call's payload comes from or goes to: rows of `width` bytes, one
 * every `pitch` bytes; width 0 means one piece. */
struct shim_rows {
    void *base;
    size_t width, pitch;
    size_t height, slice; /* rows of a layer and bytes from layer to layer; height 0: one layer */
};

/* One call on its way. Zeroed, then filled by the caller. */
struct shim_call {
    enum cuda_call_id id;
    uint64_t in[WIRE_MAX_ARGS];
    uint64_t out[WIRE_MAX_RESULTS];
    struct shim_rows source; /* the server may pull payload_bytes from here */
    uint64_t payload_bytes;
    struct shim_rows target; /* the server may push at most target_bytes to here */
    uint64_t target_bytes;
};

/* Structures of the runtime that are passed by value or read here. */
struct shim_pitched_ptr {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct shim_extent {
    size_t width, height, depth;
};
struct shim_pos {
    size_t x, y, z;
};
struct shim_copy3d { /* cudaMemcpy3DParms */
    void *src_array;
    struct shim_pos src_pos;
    struct shim_pitched_ptr src;
    void *dst_array;
    struct shim_pos dst_pos;
    struct shim_pitched_ptr dst;
    struct shim_extent extent;
    int kind;
};
struct shim_copy3d_peer { /* cudaMemcpy3DPeerParms */
    void *src_array;
    struct shim_pos src_pos;
    struct shim_pitched_ptr src;
    int src_device;
    void *dst_array;
    struct shim_pos dst_pos;
    struct shim_pitched_ptr dst;
    int dst_device;
    struct shim_extent extent;
};
struct shim_channels { /* cudaChannelFormatDesc */
    int bits[4], kind;
};
struct shim_location { /* cudaMemLocation */
    int type, id;
};

/* A library of the interface has been loaded: connects the program, says so. `runtime`: the major
 * version of a libcudart, 0: another library. */
void shim_attach(const char *library, unsigned runtime);

/* Makes the call and waits for its answer. Counts it, sets the thread's last error.
 * @return the cudaError_t. */
int shim_call(struct shim_call *call);
/* One message of any kind, without counting and without touching the last error. For the shim's own
 * questions, while the thread is connected. */
int shim_exchange(struct shim_call *call, enum wire_kind kind);
/* Connects a thread to the server; the process's first connection lays out the address space. Holds
 * no lock: the caller has shim.lock when several threads run. @return false after a message. */
bool shim_connect(struct shim_thread *t);
/* Connects the thread and sends what is registered. @return cudaSuccess or why it cannot. */
int shim_ready(void);
/* One line on standard error. */
void shim_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A call that is answered here: counts it and charges its host time with the next message. */
void shim_local(enum cuda_call_id id);
/* The same, but of no host time: a part of a launch, kind PART of cuda_calls.def. */
void shim_part(enum cuda_call_id id);
/* Counts the call and leaves `error` as the thread's last error. @return error. */
int shim_fail(enum cuda_call_id id, int error);
/* Counts a call that Heddle does not support and names it once. @return cudaErrorNotSupported. */
int shim_refuse(enum cuda_call_id id);

extern const char *const shim_call_names[]; /* by cuda_call_id */

/* Around a call that was made by its per-thread name (_ptsz, _ptds). */
void shim_enter_per_thread(enum cuda_call_id id);
int shim_leave_per_thread(int result);

/* Offers the program's sides of a copy: rows, or layers of rows (depth > 1). A side that the server
 * reaches itself, or that the direction says is the device's, is not offered. */
struct shim_box {
    const void *base;
    size_t pitch, slice;
};
int shim_copy(struct shim_call *call, struct shim_box dst, struct shim_box src, size_t width,
              size_t height, size_t depth, int kind);
/* A copy between addresses that stand at in[dst_at] and in[src_at], of rows. */
int shim_copy_rows(struct shim_call *call, int dst_at, size_t dpitch, int src_at, size_t spitch,
                   size_t width, size_t height, int kind);
/* First bytes and distances of both sides of a box; refuses CUDA arrays (graphs). */
int shim_copy3d_sides(enum cuda_call_id id, const struct shim_copy3d *p, struct shim_box *dst,
                      struct shim_box *src);
/* Copies of boxes, as the runtime's structures describe them. */
int shim_copy3d(enum cuda_call_id id, const struct shim_copy3d *p, void *stream);
int shim_copy3d_peer(enum cuda_call_id id, const struct shim_copy3d_peer *p, void *stream);
/* Bits of a copy's direction on the wire: the address of that side is an array's handle. */
enum { SHIM_TO_ARRAY = 0x100, SHIM_FROM_ARRAY = 0x200 };
/* Bytes of a texel of an array. */
size_t shim_array_texel(const void *array);
uint64_t shim_pack_channels(const struct shim_channels *c);
void shim_unpack_channels(uint64_t bits, struct shim_channels *c);
/* A texture or surface reference of a module. */
void shim_add_reference(void **handle, const void *host, const char *name, int read_mode);
/* Where the server finds a registered piece of the program's memory; other addresses are given
 * back as they are. */
void *shim_translate(const void *address);
/* A call that names a kernel, its number at in[0]. */
int shim_find_function(const void *handle, struct shim_symbol **out);
int shim_find_variable(const void *handle, struct shim_symbol **out);
/* The kernel's parameters packed as the device has them; `room` has SHIM_MAX_PARAM_BYTES. */
int shim_pack_parameters(struct shim_symbol *f, void **arguments, uint8_t *room);
/* Asks once for the layout of the parameters: this compiles the module. */
int shim_learn_parameters(struct shim_symbol *f);
/* Pages of a managed or pinned allocation, from now on accessible. @return cudaError_t. */
int shim_map_allocation(uint64_t address, uint64_t bytes);
/* A call that allocates in[0] bytes of such memory; frees of pinned, and of device or managed. */
int shim_allocate(struct shim_call *call, void **out);
int shim_free_pinned(enum cuda_call_id id, void *address);
int shim_free(enum cuda_call_id id, void *address);
/* The pages of such an allocation are not accessible any more; no call is made. */
void shim_unmap_allocation(void *address);
int shim_register_memory(enum cuda_call_id id, void *address, size_t bytes, unsigned flags);
int shim_unregister_memory(enum cuda_call_id id, void *address);
/* Starts the thread that runs host functions, once. @return cudaError_t. */
int shim_start_helper(void);
/* A host function in a stream. */
int shim_add_host_function(enum cuda_call_id id, void *stream, const void *function, void *argument,
                           unsigned flags);
/* A thread that has no part in the program's time: connects it and returns its socket, or -1. */
int shim_connect_helper(void);

/* ---- configuration of a launch, between <<<>>> and the launch itself */
struct shim_dim3 {
    uint32_t x, y, z;
};
struct shim_launch_config {
    struct shim_dim3 grid, block;
    size_t shared_bytes;
    void *stream;
};
struct shim_launch_attribute { /* cudaLaunchAttribute, CUlaunchAttribute */
    int id;
    char pad[4];
    union {
        char bytes[64];
        int number;
        struct shim_dim3 dim;
    } value;
};
/* What the attributes of a launch ask for. @return cudaError_t. */
int shim_launch_flags(enum cuda_call_id id, const struct shim_launch_attribute *attribute,
                      unsigned count, uint64_t *flags);
enum { SHIM_CONFIG_DEPTH = 16, SHIM_MAX_PARAM_BYTES = 32764 };
int shim_send_launch(enum cuda_call_id id, const struct shim_symbol *f,
                     const struct shim_launch_config *c, uint64_t flags, uint8_t *parameters,
                     size_t bytes);

struct shim_thread {
    int socket; /* -1: not connected */
    uint8_t *staging;
    int last_error;
    int per_thread; /* 1 + the call that was made by its per-thread name, or 0 */
    int wants;      /* enum shim_wants: what libcudart has asked for, until libcuda sees it */
    int device;     /* where its calls go */
    void *driver;   /* libcuda's own state, freed with free() */
    bool is_helper; /* runs host functions, which may not make CUDA calls */
    uint32_t local_calls, part_calls;      /* not told yet; of these, parts of a launch */
    uint16_t local_call[WIRE_LOCAL_CALLS]; /* the first of them */
    uint64_t *captured;                    /* nodes told by cudaStreamGetCaptureInfo, or NULL */
    unsigned config_depth;
    struct shim_launch_config config[SHIM_CONFIG_DEPTH];
    uint8_t argument[SHIM_MAX_PARAM_BYTES]; /* cudaSetupArgument */
    size_t argument_bytes;
};
/* The runtime works in the current context, and makes a device's primary one current where there is
 * none; cudaSetDevice always does. */
enum shim_wants { SHIM_WANTS_NOTHING, SHIM_WANTS_CONTEXT, SHIM_WANTS_PRIMARY };
/* The calling thread's state; never NULL. */
struct shim_thread *shim_self(void);

/* ---- fat binaries in the program */
enum { SHIM_WRAPPER_MAGIC = 0x466243B1, SHIM_FATBIN_MAGIC = (int)0xBA55ED50 };
struct shim_fatbin_wrapper {
    int magic, version;
    const void *image;
    const void *const *objects; /* of version 2: the containers that were linked, ended by NULL */
};
struct shim_fatbin_head { /* of a container */
    int magic;
    uint16_t version, head_bytes;
    uint64_t payload_bytes;
};
/* True when the bytes can be read. */
bool shim_is_mapped(const void *p, uint64_t bytes);
/* Checks that a container is all there, whatever its head says. @return its bytes, or 0 after a
 * message. */
uint64_t shim_container_bytes(const struct shim_fatbin_head *head);

/* ---- registration */
struct shim_module {
    const void *image; /* the fat binary's container, in the program */
    uint64_t bytes;
    uint64_t id; /* the server's number, once sent */
    int error;   /* registration failed with this */
    bool sent, unloaded;
    struct shim_module *next;
};
struct shim_param {
    uint32_t offset, bytes;
};
struct shim_symbol {  /* a kernel or a variable of a module */
    const void *host; /* the program's handle: address of the stub or the shadow variable */
    const char *name;
    struct shim_module *module;
    bool is_function, constant, sent;
    void **managed; /* a managed variable: where the program's code finds its address, or NULL */
    uint64_t bytes; /* variables */
    int read_mode;  /* texture references */
    size_t offset;  /* the same: of the program's bytes in what is bound */
    uint64_t id;
    int error;
    int num_params; /* functions: -1 until asked for */
    uint32_t param_bytes;
    struct shim_param *param;
    struct shim_symbol *next; /* in order of registration */
    struct shim_symbol *hash_next;
};

/* A pinned allocation: its pages are mapped while it lives. */
struct shim_pinned {
    uint64_t address, bytes; /* whole pages */
    struct shim_pinned *next;
};

enum { SHIM_HASH = 4096 };
struct shim {
    pthread_mutex_t lock; /* registration tables and start-up */
    bool connected;       /* a server is there and the address space is laid out */
    bool started;         /* the registrations so far have been sent */
    bool forked;          /* a child of a process that had used CUDA */
    bool lost;            /* the server has gone */
    bool traced;          /* the server wants to know the name of every call */
    bool uses_runtime;    /* libcudart has been called */
    uint64_t runtime_on;  /* bits: devices that it has used since the last reset */
    unsigned resets;      /* of devices: what was made before is gone */
    unsigned runtime;     /* major version of the libcudart, or the newest */
    void (*observer)(const struct shim_call *); /* libcuda's: told of each call that went well */
    int broken;     /* error that every call returns (refused registration), or 0 */
    uint64_t token; /* tells this program image from others to the server */
    uint64_t device_base, device_bytes, pinned_base, pinned_bytes, managed_base, managed_bytes;
    int pinned_fd, managed_fd;          /* memory files of all pinned, all managed memory */
    struct shim_pinned *pinned;         /* allocations of both */
    struct shim_registered *registered; /* cudaHostRegister */
    struct answer *answers;             /* shim_graph_nodes.c */
    pthread_mutex_t helper_lock;
    bool helper_started;          /* guarded by helper_lock */
    struct wire_control *control; /* shared counts; points to own_control when not connected */
    struct wire_control own_control;
    struct shim_module *modules, **modules_end;
    struct shim_symbol *symbols, **symbols_end;
    struct shim_symbol *hash[SHIM_HASH];
    unsigned char named[CUDA_NUM_CALLS]; /* refused calls that were named already */
};
extern struct shim shim;

/* New records, at the ends of the lists; NULL: no memory. `sent`, and a symbol without a host
 * handle: the server knows it already. */
struct shim_module *shim_add_module(bool sent);
struct shim_symbol *shim_add_symbol(struct shim_module *module, const void *host, const char *name,
                                    bool is_function, uint64_t bytes, bool constant);
/* Sends what has been registered and not yet sent. The lock is held. */
void shim_send_registrations(void);
/* The symbol registered for a host handle, or NULL. */
struct shim_symbol *shim_find(const void *host, bool is_function);

#pragma GCC visibility pop

#ifdef HEDDLE_CUDART_VERSION
/* The newest minor release of each major one. */
enum {
    SHIM_CUDA_VERSION = HEDDLE_CUDART_VERSION == 11   ? 11080
                        : HEDDLE_CUDART_VERSION == 12 ? 12090
                                                      : 13000
};
#endif

#endif

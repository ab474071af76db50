/* shim.h - the libraries that replace libcudart and libcuda inside the program under test.
 *
 * These files run in the program's process. They turn CUDA calls into messages (wire.h) to the
 * server, which is the `heddle` process, and hold no simulation state. They may use libc,
 * cuda/protocol/ and the tables of calls, nothing else, because the program loads them.
 *
 * libheddle_shim.so holds the connection and the tables, once per process. Each libcudart.so.N and
 * libcuda.so.1 holds the functions of its interface and needs only libheddle_shim.so and libc.
 * Three layers: shim_link.c connects and exchanges messages. shim_tables.c registers device code
 * on top of it. shim_call.c makes calls on top of both. The struct shim below is process-wide
 * because CUDA's interface requires it: registration has no context argument. The libcudart files
 * are compiled once per major version (HEDDLE_CUDART_VERSION).
 *
 * A function with a CUDA name implements the runtime's call of that name. To make a call means:
 * count it in the shared counters, send one message, serve the server's requests on the program's
 * memory, and wait for the answer (shim_call). The build generates the functions whose arguments
 * travel unchanged (kind FORWARD in tables/cuda_calls.def); these files hold the others.
 * Structures of CUDA are laid out as the toolkit's headers have them.
 *
 * Threads: a call runs on the thread of the program that makes it. Every thread has its own
 * connection and its own last error (struct shim_thread). shim.lock guards the registration
 * tables, the lists of mapped memory and the start-up. Any thread may call the functions below,
 * unless a comment says otherwise. */
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

/* The program's memory at one end of a call's payload: rows of `width` bytes, one every `pitch`
 * bytes. Width 0: one contiguous piece. */
struct shim_rows {
    void *base;
    size_t width, pitch;
    size_t height, slice; /* rows of a layer, bytes between layers; height 0: one layer */
};

/* One call and its answer. The caller zeroes it and fills all but `out`. */
struct shim_call {
    enum cuda_call_id id;
    uint64_t in[WIRE_MAX_ARGS];
    uint64_t out[WIRE_MAX_RESULTS];
    struct shim_rows source; /* the server may pull payload_bytes from here */
    uint64_t payload_bytes;
    struct shim_rows target; /* the server may push at most target_bytes to here */
    uint64_t target_bytes;
};

/* Structures of the runtime's interface, laid out as the toolkit's headers have them. In a copy,
 * extents and positions count bytes in a row, rows and layers; if an array takes part, extents and
 * positions in arrays count texels instead of bytes. */
struct shim_pitched_ptr { /* cudaPitchedPtr */
    void *ptr;
    size_t pitch, xsize, ysize; /* bytes from row to row, bytes of a row, rows of a layer */
};
struct shim_extent { /* cudaExtent */
    size_t width, height, depth;
};
struct shim_pos { /* cudaPos */
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
    int kind; /* cudaMemcpyKind */
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
    int type, id;      /* cudaMemLocationType, number of the device */
};

/* Called when a library of an interface is loaded. Connects the calling thread to the server, sets
 * shim.runtime, and prints one line about the connection or about its absence.
 * @param runtime the major version of a libcudart, 0 for another library */
void shim_attach(const char *library, unsigned runtime);

/* Makes the call: counts it, connects if necessary, sends the message, and waits for the answer.
 * An error becomes the thread's last error, except cudaErrorNotReady. A runtime call also notes
 * which device and context the thread uses. A reset of a device clears the last error. After
 * success, shim.observer receives the call. @return the cudaError_t. */
int shim_call(struct shim_call *call);
/* The same for a call that is none of CUDA's interface: the last error, devices and contexts stay
 * as they are. @return the server's cudaError_t. */
int shim_call_apart(struct shim_call *call);
/* Sends one message of any kind on the thread's connection and waits for the answer. Serves the
 * server's requests meanwhile: it copies the program's memory and prints what kernels print. Does
 * not count the call or set the last error; the shim uses it for its own questions. The message
 * carries the calls counted by shim_local() so far. If the server has gone, closes the connection,
 * sets shim.lost and prints a message. @return cudaError_t; an unconnected thread gets an error. */
int shim_exchange(struct shim_call *call, enum wire_kind kind);
/* Connects a thread to the server that the environment names (WIRE_ENVIRONMENT). The process's
 * first connection also reserves the server's address ranges and maps the shared counters (both in
 * struct shim). Takes no lock: the caller holds shim.lock when several threads may run.
 * @return false if it failed; it has printed why, unless the environment names no server. */
bool shim_connect(struct shim_thread *t);
/* Makes the calling thread able to make calls. If necessary takes shim.lock, connects, and sends
 * the registrations. Counts nothing and leaves the last error alone. @return cudaError_t. */
int shim_ready(void);
/* Prints one line on standard error, in a single write. */
void shim_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Counts a call that the shim answers itself. The thread's next message carries it to the server,
 * which charges its host time. In a traced run, sends a message when the thread's list is full. */
void shim_local(enum cuda_call_id id);
/* The same without host time, for a call that is part of a launch (PART in cuda_calls.def). */
void shim_part(enum cuda_call_id id);
/* Counts the call as shim_local() does and sets the thread's last error. @return error. */
int shim_fail(enum cuda_call_id id, int error);
/* Counts a call that Heddle does not support, sets the last error, and prints the call's name the
 * first time (shim.named). A refused registration also sets shim.broken: every later call fails,
 * because the program would use an object that does not exist. @return cudaErrorNotSupported. */
int shim_refuse(enum cuda_call_id id);

extern const char *const shim_call_names[]; /* by cuda_call_id */

/* Bracket a call made by its per-thread name (_ptsz, _ptds). Between them the thread counts calls
 * under `id` and its messages carry WIRE_PER_THREAD. @return result. */
void shim_enter_per_thread(enum cuda_call_id id);
int shim_leave_per_thread(int result);

/* Makes a copy's call (shim_call) and offers the program's sides of it, so that the server can pull
 * or push them. A side has rows, or layers of rows (depth > 1). Does not offer a side that the
 * server reaches itself, or that the direction `kind` puts on the device. */
struct shim_box { /* one side: first byte, bytes from row to row, bytes from layer to layer */
    const void *base;
    size_t pitch, slice;
};
int shim_copy(struct shim_call *call, struct shim_box dst, struct shim_box src, size_t width,
              size_t height, size_t depth, int kind);
/* Makes the call of a copy of rows between the addresses in[dst_at] and in[src_at]. Replaces
 * addresses in registered memory (shim_translate). @return cudaError_t, also the last error. */
int shim_copy_rows(struct shim_call *call, int dst_at, size_t dpitch, int src_at, size_t spitch,
                   size_t width, size_t height, int kind);
/* Finds first byte, pitch and slice of both sides of a box. Refuses CUDA arrays, because graph
 * nodes do not support them. A failure is counted and becomes the last error. */
int shim_copy3d_sides(enum cuda_call_id id, const struct shim_copy3d *p, struct shim_box *dst,
                      struct shim_box *src);
/* Make the calls that copy a box, from the runtime's structure. @return cudaError_t, also the last
 * error. */
int shim_copy3d(enum cuda_call_id id, const struct shim_copy3d *p, void *stream);
int shim_copy3d_peer(enum cuda_call_id id, const struct shim_copy3d_peer *p, void *stream);
/* Bits of a copy's direction on the wire: that side's address is an array's handle. */
enum { SHIM_TO_ARRAY = 0x100, SHIM_FROM_ARRAY = 0x200 };
/* Bytes of an array's texel, read from its handle. */
size_t shim_array_texel(const void *array);
/* Turn a channel format into the word that travels, and back: 8 bits for the size of each channel,
 * from bit 0 on, and the kind from bit 32 on. */
uint64_t shim_pack_channels(const struct shim_channels *c);
void shim_unpack_channels(uint64_t bits, struct shim_channels *c);
/* Adds a texture or surface reference to the symbol table, as shim_add_symbol() does. */
void shim_add_reference(void **handle, const void *host, const char *name, int read_mode);
/* @return the server's address of registered memory (cudaHostRegister), or `address` itself. Takes
 * shim.lock when memory is registered. */
void *shim_translate(const void *address);
/* The reverse: @return the program's address of registered memory whose server's address this is,
 * or `address` itself. */
void *shim_translate_back(const void *address);
/* Find a kernel or a variable by the program's handle. Connect if necessary, take shim.lock, and
 * send registrations that are not yet sent. Neither counts a call nor sets the last error.
 * @return cudaError_t: also the symbol's own, if its registration failed. */
int shim_find_function(const void *handle, struct shim_symbol **out);
int shim_find_variable(const void *handle, struct shim_symbol **out);
/* Packs a kernel's arguments in the device's layout into `room`, of SHIM_MAX_PARAM_BYTES. The first
 * time, asks the server for the layout (shim_learn_parameters). @return cudaError_t. */
int shim_pack_parameters(struct shim_symbol *f, void **arguments, uint8_t *room);
/* Asks the server for the layout of a kernel's parameters, once per kernel, and stores it in `f`
 * under shim.lock. The server compiles the module for it. @return cudaError_t. */
int shim_learn_parameters(struct shim_symbol *f);
/* Maps the pages of a managed or pinned allocation, so that the program can reach them. Takes
 * shim.lock and adds the allocation to shim.pinned. @return cudaError_t. */
int shim_map_allocation(uint64_t address, uint64_t bytes);
/* Make the calls that allocate in[0] bytes of such memory, free pinned memory, and free device or
 * managed memory. They map or unmap the pages. @return cudaError_t, also the last error. */
int shim_allocate(struct shim_call *call, void **out);
int shim_free_pinned(enum cuda_call_id id, void *address);
int shim_free(enum cuda_call_id id, void *address);
/* Unmaps the pages of such an allocation and removes it from shim.pinned, under shim.lock. Sends no
 * message. */
void shim_unmap_allocation(void *address);
/* Tells the server which managed memory the program has touched since the last time, if it has any
 * that migrates (shim_managed.c). Takes shim.lock. */
void shim_report_touched(void);
/* Whether a call may move or free managed memory, so that a report goes before it. */
bool shim_may_move(enum cuda_call_id id);
/* Make the calls that register the program's own memory for the GPU, and end that. They exchange
 * the whole pages of the range (shim_registered.c) and change shim.registered under shim.lock. No
 * other thread may write to those pages meanwhile. @return cudaError_t, also the last error. */
int shim_register_memory(enum cuda_call_id id, void *address, size_t bytes, unsigned flags);
int shim_unregister_memory(enum cuda_call_id id, void *address);
/* Starts the thread that runs host functions, once per process, and waits until it is connected.
 * Takes shim.helper_lock. @return cudaError_t. */
int shim_start_helper(void);
/* Makes the call that adds a host function to a stream; starts the helper thread if necessary.
 * @return cudaError_t, also the last error. */
int shim_add_host_function(enum cuda_call_id id, void *stream, const void *function, void *argument,
                           unsigned flags);
/* Connects the calling thread as the one that runs host functions. It takes no part in the
 * program's time and may make no CUDA calls. Takes shim.lock. @return its socket, or -1. */
int shim_connect_helper(void);

/* ---- configuration of a launch, between <<<>>> and the launch itself */
struct shim_dim3 {
    uint32_t x, y, z;
};
struct shim_launch_config {
    struct shim_dim3 grid, block;
    size_t shared_bytes; /* dynamic shared memory of a CTA */
    void *stream;
};
struct shim_launch_attribute { /* cudaLaunchAttribute, CUlaunchAttribute */
    int id;
    char pad[4];
    union {
        char bytes[64];
        int number;           /* cooperative: 0 or 1 */
        struct shim_dim3 dim; /* cluster: CTAs in each dimension */
    } value;
};
/* Turns a launch's attributes into flags of the wire. Prints an unsupported attribute's number.
 * @return cudaError_t. */
int shim_launch_flags(enum cuda_call_id id, const struct shim_launch_attribute *attribute,
                      unsigned count, uint64_t *flags);
enum { SHIM_CONFIG_DEPTH = 16, SHIM_MAX_PARAM_BYTES = 32764 };
/* Makes the call that launches a kernel with packed parameters. @return cudaError_t, also the last
 * error. */
int shim_send_launch(enum cuda_call_id id, const struct shim_symbol *f,
                     const struct shim_launch_config *c, uint64_t flags, uint8_t *parameters,
                     size_t bytes);

/* State of one thread of the program. Only that thread uses it. */
struct shim_thread {
    int socket;       /* -1: not connected */
    uint8_t *staging; /* memory shared with the server, of WIRE_STAGING_BYTES; NULL: none yet */
    int last_error;   /* cudaError_t, of libcudart's calls */
    int per_thread;   /* 1 + the call made by its per-thread name, or 0 */
    int wants;        /* enum shim_wants: set by libcudart's calls, cleared by libcuda */
    int device;       /* its calls go to this device */
    void *driver;     /* libcuda's own state, freed with free() */
    bool is_helper;   /* runs host functions, which may not make CUDA calls */
    uint32_t local_calls, part_calls;      /* counted, not yet sent; of these, parts of a launch */
    uint16_t local_call[WIRE_LOCAL_CALLS]; /* the first of them */
    uint64_t *captured;                    /* answer of cudaStreamGetCaptureInfo, or NULL */
    unsigned config_depth; /* of `config`: configurations pushed and not yet launched */
    struct shim_launch_config config[SHIM_CONFIG_DEPTH];
    uint8_t argument[SHIM_MAX_PARAM_BYTES]; /* cudaSetupArgument */
    size_t argument_bytes;                  /* of `argument`, since cudaConfigureCall() */
};
/* What the runtime's calls ask of the driver's context stack. A runtime call works in the current
 * context; if there is none, it makes the device's primary context current. cudaSetDevice always
 * makes it current. */
enum shim_wants { SHIM_WANTS_NOTHING, SHIM_WANTS_CONTEXT, SHIM_WANTS_PRIMARY };
/* The calling thread's state, allocated on first use and freed when the thread ends. Never NULL. */
struct shim_thread *shim_self(void);

/* ---- fat binaries in the program */
enum { SHIM_WRAPPER_MAGIC = 0x466243B1, SHIM_FATBIN_MAGIC = (int)0xBA55ED50 };
struct shim_fatbin_wrapper { /* what the compiler's start-up code registers */
    int magic, version;
    const void *image;
    const void *const *objects; /* version 2: the linked containers, ended by NULL */
};
struct shim_fatbin_head { /* of a container */
    int magic;
    uint16_t version, head_bytes;
    uint64_t payload_bytes;
};
/* True if all the bytes lie in mapped pages. */
bool shim_is_mapped(const void *p, uint64_t bytes);
/* Checks that a container lies in mapped memory as far as its head says: a damaged size must not
 * crash the program. @return its bytes, or 0 after printing a message. */
uint64_t shim_container_bytes(const struct shim_fatbin_head *head);

/* ---- registration */
struct shim_module {   /* a registered fat binary, or a module that was loaded; never freed */
    const void *image; /* the fat binary's container, in the program */
    uint64_t bytes;    /* of the image */
    uint64_t id;       /* the server's number, once sent */
    int error;         /* registration failed with this cudaError_t; 0: it did not */
    bool sent, unloaded;
    struct shim_module *next; /* in order of registration */
};
struct shim_param { /* a kernel's parameter, in the device's layout */
    uint32_t offset, bytes;
};
struct shim_symbol {  /* a kernel or a variable of a module; never freed */
    const void *host; /* the program's handle: address of the stub or the shadow variable */
    const char *name;
    struct shim_module *module;
    bool is_function, constant, sent;
    void **managed;           /* a managed variable: the program's pointer to it, or NULL */
    uint64_t bytes;           /* variables */
    int read_mode;            /* texture references */
    size_t offset;            /* the same: bytes from the bound address to the program's */
    uint64_t id;              /* the server's number, once sent */
    int error;                /* registration failed with this cudaError_t; 0: it did not */
    int num_params;           /* functions: -1 until shim_learn_parameters() */
    uint32_t param_bytes;     /* of all parameters, as the device has them */
    struct shim_param *param; /* of num_params */
    struct shim_symbol *next; /* in order of registration */
    struct shim_symbol *hash_next;
};

/* A pinned allocation: its pages are mapped while it lives. */
struct shim_pinned {
    uint64_t address, bytes; /* whole pages */
    struct shim_pinned *next;
};

enum { SHIM_HASH = 4096 }; /* entries of the hash table */
/* The process's state. `lock` guards the tables, the lists and the start-up. */
struct shim {
    pthread_mutex_t lock; /* registration tables and start-up */
    bool connected;       /* the address space is laid out as the server's */
    bool started;         /* the registrations so far have been sent */
    bool forked;          /* a child of a process that had used CUDA */
    bool lost;            /* the server has gone */
    bool traced;          /* the server records the name of every call */
    bool tracks; /* managed memory migrates: the server hears of what the program touches */
    void (*touched)(void); /* shim_report_touched(), once such memory was mapped; else NULL */
    bool uses_runtime;     /* libcudart has been called */
    uint64_t runtime_on;   /* bits: devices that libcudart has used since the last reset */
    unsigned resets;       /* resets of devices; each destroyed all earlier objects */
    unsigned runtime;      /* major version of the libcudart, or the newest */
    void (*observer)(const struct shim_call *); /* libcuda's; receives each successful call */
    int broken;     /* error that every call returns (refused registration), or 0 */
    uint64_t token; /* random; the server tells program images apart by it */
    uint64_t device_base, device_bytes, pinned_base, pinned_bytes, managed_base, managed_bytes;
    int pinned_fd, managed_fd;          /* memory files of all pinned, all managed memory */
    struct shim_pinned *pinned;         /* allocations of both */
    struct shim_registered *registered; /* cudaHostRegister */
    struct answer *answers;             /* shim_graph_nodes.c */
    pthread_mutex_t helper_lock;
    bool helper_started;          /* guarded by helper_lock */
    struct wire_control *control; /* shared counts; points to own_control when not connected */
    struct wire_control own_control;
    /* Registered code. The lists only grow, at their ends. `hash`: symbols by host handle. */
    struct shim_module *modules, **modules_end;
    struct shim_symbol *symbols, **symbols_end;
    struct shim_symbol *hash[SHIM_HASH];
    unsigned char named[CUDA_NUM_CALLS]; /* refused calls whose names have been printed */
};
extern struct shim shim;

/* Append a record to the process's list, under shim.lock. They send nothing. `sent`, or a symbol
 * without a host handle: the server knows it already. @return NULL if there is no memory. */
struct shim_module *shim_add_module(bool sent);
struct shim_symbol *shim_add_symbol(struct shim_module *module, const void *host, const char *name,
                                    bool is_function, uint64_t bytes, bool constant);
/* Sends the registrations that are not yet sent, and stores the server's numbers and errors in
 * their records. The caller holds shim.lock, and its thread is connected. */
void shim_send_registrations(void);
/* Finds the symbol registered for a host handle. Takes shim.lock. Sends late registrations (of a
 * library loaded after the first call), so that the symbol has its number.
 * @return NULL if there is none, or if its module is unloaded. */
struct shim_symbol *shim_find(const void *host, bool is_function);

#pragma GCC visibility pop

#ifdef HEDDLE_CUDART_VERSION
/* The newest minor release of each major version. */
enum {
    SHIM_CUDA_VERSION = HEDDLE_CUDART_VERSION == 11   ? 11080
                        : HEDDLE_CUDART_VERSION == 12 ? 12090
                                                      : 13000
};
#endif

#endif

/* opencl.h - Heddle's OpenCL platform: objects and helpers that its files share.
 *
 * libheddle_opencl.so is an installable client driver (ICD). It is a client of Heddle's CUDA driver
 * library, libcuda.so.1: a queue is a CUstream, a buffer is device memory, a program is a PTX
 * module, an NDRange is a launch. Interception, scheduling, timing, reports and traces are
 * therefore those of CUDA programs; the API trace shows the driver's calls.
 *
 * Threads: any thread may call any function; objects are counted atomically. An object's other
 * members change only as OpenCL allows: kernel arguments on one thread at a time, a program's build
 * and a buffer's mappings under the object's lock. Errors are OpenCL's; a call that Heddle does not
 * support prints its name and the reason on stderr. */
#ifndef HEDDLE_OPENCL_OPENCL_H
#define HEDDLE_OPENCL_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opencl/ocl_cuda.h"

enum ocl_kind {
    OCL_PLATFORM = 0x48634c01, /* not a likely value of other memory */
    OCL_DEVICE,
    OCL_CONTEXT,
    OCL_QUEUE,
    OCL_MEM,
    OCL_PROGRAM,
    OCL_KERNEL,
    OCL_EVENT,
    OCL_SAMPLER
};

/* The beginning of every object: the ICD loader reads the dispatch table. */
struct ocl_object {
    const cl_icd_dispatch *dispatch;
    enum ocl_kind kind; /* 0 once freed */
    atomic_uint references;
};

enum { OCL_MAX_DEVICES = 16, OCL_ADDRESS_ALIGN = 512 /* bytes, of sub-buffers */ };
/* Limits of images, in texels and layers, and of a kernel's parameters that are images. */
enum {
    OCL_MAX_IMAGE_WIDTH = 16384,
    OCL_MAX_IMAGE_HEIGHT = 32768,
    OCL_MAX_VOLUME = 16384,
    OCL_MAX_IMAGE_LAYERS = 2048,
    OCL_MAX_IMAGE_BUFFER = 1 << 27,
    OCL_MAX_IMAGES = 256
};

struct _cl_platform_id {
    struct ocl_object object;
};

struct _cl_device_id {
    struct ocl_object object;
    int number;                             /* CUdevice */
    struct cu_context *cuda;                /* its primary context; NULL before a cl_context */
    atomic_llong attribute[OCL_ATTRIBUTES]; /* by number: 1 << 32 | its value, once asked for */
};

struct _cl_context {
    struct ocl_object object;
    cl_device_id device;
    cl_context_properties *properties; /* with the final 0; NULL */
    size_t num_properties;             /* with the final 0 */
    struct cu_stream *aside;           /* for the times of enqueueing; never waits */
    struct cu_event *epoch;            /* time 0 of profiling */
    pthread_mutex_t lock;              /* of the following, and of changes of events' status */
    pthread_cond_t changed;            /* the list, or the status of an event */
    struct ocl_pending *pending;       /* commands that wait for the program, ocl_command.c */
    bool submitting;                   /* a thread is in ocl_submit_pending() */
};

struct _cl_command_queue {
    struct ocl_object object;
    cl_context context;
    cl_command_queue_properties properties;
    struct cu_stream *stream;
};

struct ocl_destructor {
    void(CL_CALLBACK *call)(cl_mem, void *);
    void *user;
    struct ocl_destructor *next;
};

/* Words of an image's record, as image.cl reads them. */
enum {
    OCL_WORD_TEXTURES = 0, /* OCL_SAMPLERS texture objects, by ocl_sampler_slot() */
    OCL_SAMPLERS = 32,
    OCL_WORD_SURFACE = OCL_SAMPLERS,
    OCL_WORD_MEMORY, /* address of the texels of an image of a buffer */
    OCL_WORD_WIDTH,
    OCL_WORD_HEIGHT,
    OCL_WORD_DEPTH,
    OCL_WORD_LAYERS,
    OCL_WORD_ORDER,
    OCL_WORD_TYPE,
    OCL_WORD_SWIZZLE,
    OCL_WORD_CHANNELS,
    OCL_WORD_BYTES, /* of a channel */
    OCL_WORD_SCALE,
    OCL_IMAGE_WORDS
};

/* How a format is stored: a row of the table in ocl_image_format.c, with what follows from it. */
struct ocl_format {
    cl_image_format format;
    unsigned channels, bytes; /* bytes of a channel */
    int array_format;         /* CUarray_format */
    unsigned swizzle;         /* SWIZZLE_... of image.cl */
    float scale;              /* of fractions: the integer of 1.0; else 0 */
    bool is_signed, integer;  /* of the texels; integer: not read as fractions */
    bool opaque_border;       /* the border's alpha is 1 */
};

/* An image: texels in a CUDA array, or in a buffer. */
struct ocl_image {
    const struct ocl_format *format;
    cl_image_desc desc;              /* with the pitches of the host's copy; `buffer` is retained */
    size_t texel;                    /* bytes */
    size_t extent[3];                /* as origins and regions count: a 1D array's layers second */
    size_t row, slice;               /* bytes, of the host's copy */
    void *array;                     /* NULL: the buffer's memory */
    uint64_t words[OCL_IMAGE_WORDS]; /* the record, at _cl_mem.address */
};

struct _cl_sampler {
    struct ocl_object object;
    cl_context context;
    cl_bool normalized;
    cl_addressing_mode address;
    cl_filter_mode filter;
};

/* A buffer, or an image; a sub-buffer shares the memory of `parent`. */
struct _cl_mem {
    struct ocl_object object;
    cl_context context;
    cl_mem parent; /* of a sub-buffer, retained; NULL */
    size_t origin, size;
    cl_mem_flags flags;
    void *host;                  /* of CL_MEM_USE_HOST_PTR; NULL */
    uint64_t address;            /* on the device; of an image: its record */
    void (*free_memory)(cl_mem); /* frees what is behind the object; called once */
    struct ocl_image *image;     /* NULL: a buffer */
    pthread_mutex_t lock;        /* of the following */
    void *shadow;                /* what mappings without `host` point to; `size` bytes */
    struct ocl_mapping *mappings;
    unsigned map_count;
    struct ocl_destructor *destructors; /* the newest first */
};

struct ocl_arg_info {
    int space; /* of the pointer: 0 none, 1 global, 2 constant, 3 local */
    char *access, *qualifier, *type, *name;
};

struct ocl_kernel_info {
    char *name, *attributes;
    size_t group[3]; /* reqd_work_group_size; 0: none */
    unsigned num_args;
    struct ocl_arg_info *args;
};

/* A variable of a program that its kernels read, and the host writes before a launch. */
struct ocl_variable {
    uint64_t address;         /* 0: no kernel reads it */
    uint64_t value[3];        /* the last that was written */
    struct cu_stream *stream; /* of all launches since then; NULL: none */
    bool shared;              /* they were in several streams */
};

struct _cl_program {
    struct ocl_object object;
    cl_context context;
    char *source;  /* NULL: from a binary */
    char *options; /* of the last build */
    char *log;
    char *object_file; /* bitcode of clCompileProgram */
    size_t object_bytes;
    char *ptx; /* with the lines that ocl_metadata.c adds; NULL: not built */
    cl_build_status status;
    cl_program_binary_type type;
    struct cu_module *module; /* NULL: not loaded */
    struct ocl_kernel_info *kernels;
    unsigned num_kernels;
    struct ocl_variable offset, dimensions; /* what launches set */
    atomic_uint attached;                   /* kernels */
    pthread_mutex_t lock;
};

struct ocl_arg {
    bool set;
    size_t size;
    void *value;  /* of a value, or of a sampler: its bytes */
    cl_mem mem;   /* of a buffer or image; may be NULL. Not retained, as OpenCL says */
    size_t local; /* bytes of local memory */
};

struct _cl_kernel {
    struct ocl_object object;
    cl_program program;
    const struct ocl_kernel_info *info;
    struct cu_function *function;
    struct ocl_arg *args;
};

struct _cl_event {
    struct ocl_object object;
    cl_context context;
    cl_command_queue queue; /* NULL: a user event */
    cl_command_type type;
    struct cu_event *queued, *start, *end; /* the first two: of queues with profiling */
    atomic_int status; /* of a command: CL_QUEUED, CL_SUBMITTED (ask `end`), or negative */
};

/* ---- ocl_object.c */

/* The dispatch table of all objects made from now on. */
void ocl_use_dispatch(const cl_icd_dispatch *dispatch);
/* Fills in the beginning of an object, with one reference. */
void ocl_init(struct ocl_object *object, enum ocl_kind kind);
/* True if `object` is a live object of this kind. NULL is not. */
bool ocl_is(const void *object, enum ocl_kind kind);
/* Memory for an object with one reference; NULL: none left. */
void *ocl_new(size_t bytes, enum ocl_kind kind);
void ocl_retain(void *object);
/* @return true: that was the last reference, and the caller frees the object. */
bool ocl_release(void *object);
/* Stores an error if there is a place for it. @return NULL, for functions that return an object. */
void *ocl_fail(cl_int *error, cl_int value);
/* Answers a query with `bytes` bytes. @return CL_INVALID_VALUE: the place is too small. */
cl_int ocl_answer(size_t size, void *value, size_t *size_out, const void *answer, size_t bytes);
cl_int ocl_answer_text(size_t size, void *value, size_t *size_out, const char *text);
/* Prints "heddle: OpenCL: ..." on stderr, a message once. */
__attribute__((format(printf, 1, 2))) void ocl_say(const char *format, ...);
/* The OpenCL error of a CUresult, `otherwise` for those without a counterpart; 0 stays 0. A result
 * other than out-of-memory is printed with the call's name. */
cl_int ocl_error(int result, const char *call, cl_int otherwise);

/* ---- ocl_platform.c */

struct ocl_devices {
    unsigned count;
    struct _cl_device_id device[OCL_MAX_DEVICES];
};
/* The devices, found by the first call. */
struct ocl_devices *ocl_devices(void);
/* An attribute of a device by CUdevice_attribute; 0 if the driver has none. */
int ocl_attribute(const struct _cl_device_id *device, int attribute);

/* ---- ocl_context.c */

/* Makes the context's CUDA context current for this thread. @return OpenCL error. */
cl_int ocl_enter(cl_context context);

/* ---- ocl_command.c */

/* What a command does. It may have to wait: then it is copied, and what it names is retained. */
struct ocl_work {
    const char *call; /* for messages */
    /* Put something into a stream, before and after the command's start is noted. They return a
     * CUresult. NULL: nothing. */
    int (*prepare)(const struct ocl_work *w, struct cu_stream *stream);
    int (*run)(const struct ocl_work *w, struct cu_stream *stream);
    pthread_mutex_t *lock; /* held during both; NULL */
    void *own;             /* freed with the work; NULL */
    cl_mem uses[2];        /* NULL: none */
    const cl_mem *mems;    /* more of them, in `own` */
    unsigned num_mems;
    cl_kernel kernel; /* NULL */
    /* for `run` */
    struct cu_copy3d copy;
    uint64_t to, from;
    void *host;
    size_t size, pattern_bytes;
    unsigned char pattern[128];
};
/* Enqueues a command. Frees work->own in any case. @return OpenCL error. */
cl_int ocl_enqueue(cl_command_queue q, cl_command_type type, const struct ocl_work *work,
                   bool blocking, cl_uint count, const cl_event *list, cl_event *out);
/* Puts the waiting commands that need wait no more into their streams. The caller holds the
 * context's lock, which is free at times meanwhile. */
void ocl_submit_pending(cl_context context);
/* Waits for context->changed, with a message if nobody comes. The caller holds the lock. */
void ocl_wait_change(cl_context context);
/* Waits on the host for the end of a command or of a user event. Needs the context as current.
 * @return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: it failed. */
cl_int ocl_wait(cl_event event);
/* Waits until all commands of the queue are in its stream, or have failed. */
void ocl_wait_submitted(cl_command_queue q);
/* `run` for work->copy. */
int ocl_run_copy(const struct ocl_work *w, struct cu_stream *stream);
/* `run` for a buffer: from work->from to work->host, and from work->host to work->to. */
int ocl_run_read(const struct ocl_work *w, struct cu_stream *stream);
int ocl_run_write(const struct ocl_work *w, struct cu_stream *stream);

/* ---- ocl_memory.c */

/* The buffer itself, or the buffer that a sub-buffer is a part of. */
cl_mem ocl_root(cl_mem mem);
/* True if this is a buffer; images have calls of their own. */
bool ocl_is_buffer(cl_mem mem);
/* Whether the host may read or write the object. @return CL_INVALID_OPERATION: its flags say no. */
cl_int ocl_check_host(cl_mem m, bool reads, bool writes);
/* Checks the flags of a new buffer or image. @return OpenCL error. */
cl_int ocl_check_flags(cl_mem_flags flags, const void *host);
/* The flags of a part, or a view, of `parent`: those that are not given are the parent's. */
cl_mem_flags ocl_inherited_flags(cl_mem_flags flags, cl_mem parent);

/* ---- ocl_image.c, ocl_image_format.c, ocl_image_transfer.c, ocl_sampler.c */

/* The format's row. NULL: not supported. */
const struct ocl_format *ocl_format_find(const cl_image_format *format);
/* Encodes a colour, four floats or 32-bit integers, as a texel. */
void ocl_format_encode(const struct ocl_format *f, const void *color, unsigned char *texel);
/* True if a kernel's parameter of this type ("image2d_t") takes such an image. */
bool ocl_image_fits(const char *type, const struct ocl_image *image);
/* Checks an image's box. @return OpenCL error. */
cl_int ocl_image_check_box(cl_mem m, const size_t *origin, const size_t *region);
/* Work that copies a box of an image to or from the host's memory, with the host's pitches. */
struct ocl_work ocl_image_write(const char *call, cl_mem m, const size_t *origin,
                                const size_t *region, const void *host, size_t row, size_t slice);
struct ocl_work ocl_image_read(const char *call, cl_mem m, const size_t *origin,
                               const size_t *region, void *host, size_t row, size_t slice);
/* The value of a sampler as kernels know it: CLK_... */
uint32_t ocl_sampler_bits(cl_bool normalized, cl_addressing_mode address, cl_filter_mode filter);
/* The word of a record that has the texture object of a sampler's value, as image.cl does. */
static inline unsigned ocl_sampler_slot(uint32_t bits) {
    return (bits & 15) | (bits >> 1 & 16);
}

/* ---- ocl_compile.c, ocl_lower.c, ocl_metadata.c, ocl_options.c */

/* A text that grows. */
struct ocl_text {
    char *bytes; /* ended by NUL; NULL while empty */
    size_t size;
};
void ocl_append(struct ocl_text *t, const char *bytes, size_t size);
__attribute__((format(printf, 2, 3))) void ocl_print(struct ocl_text *t, const char *format, ...);

/* A header for clCompileProgram: its name in #include, and its text. */
struct ocl_header {
    const char *name, *text;
};
/* Compiles OpenCL C to bitcode. @param options checked by ocl_options(). @return OpenCL error; the
 * log gets clang's messages. */
cl_int ocl_compile(const char *source, char **options, const struct ocl_header *headers,
                   unsigned num_headers, struct ocl_text *bitcode, struct ocl_text *log);
/* Links bitcode to one file, the library that clLinkProgram makes. @return OpenCL error. */
cl_int ocl_archive(const struct ocl_text *bitcode, unsigned count, struct ocl_text *out,
                   struct ocl_text *log);
/* Links bitcode with libclc and compiles it to PTX for a compute capability (10 * major + minor).
 * @param error what a failure is: CL_BUILD_PROGRAM_FAILURE or CL_LINK_PROGRAM_FAILURE. */
cl_int ocl_link(const struct ocl_text *bitcode, unsigned count, char **options, int capability,
                cl_int error, struct ocl_text *ptx, struct ocl_text *log);
/* Rewrites linked LLVM IR for the PTX back end: printf becomes vprintf; attributes of the target
 * go; constant memory becomes global memory if a kernel has a parameter that points to it. @return
 * false: the log says what cannot be. */
bool ocl_lower(const char *ir, struct ocl_text *out, struct ocl_text *log);
/* The part of ocl_lower() for printf. */
bool ocl_lower_printf(const char *ir, struct ocl_text *out, struct ocl_text *log);
/* Masks the amounts of 64-bit rotations in PTX: LLVM 14 shifts by all of the amount's bits, which
 * gives 0 from 64 on. */
void ocl_mask_rotates(struct ocl_text *ptx);
/* Appends to PTX what LLVM IR knows of its kernels, as comments. */
void ocl_write_metadata(const char *ir, struct ocl_text *ptx);
/* Reads these comments into the program. @return false: there are none. */
bool ocl_read_metadata(cl_program program);
void ocl_free_metadata(cl_program program);
/* Splits build options and checks them. @return words ended by NULL (free with ocl_free_words), or
 * NULL: *log names the wrong one. */
char **ocl_options(const char *text, struct ocl_text *log);
void ocl_free_words(char **words);

#endif

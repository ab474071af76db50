/* ocl_launch.c - NDRanges become launches: a work-group is a CTA, local arguments are dynamic
 * shared memory behind the kernel's own. */
#include <stdlib.h>
#include <string.h>

#include "opencl/opencl.h"

/* What vectors of any type need: 16 elements of 8 bytes. */
enum { LOCAL_ALIGN = 128, MAX_GROUP = 256 /* of a group that Heddle chooses */ };
enum { MAX_ARGS = 1024 /* 4096 bytes of parameters are 1024 at most, but for smaller types */ };

struct range {
    size_t offset[3], global[3], local[3];
};

/* The largest divisor of n up to `limit`. */
static size_t divisor(size_t n, size_t limit) {
    for (size_t d = n < limit ? n : limit; d > 1; d--)
        if (n % d == 0) return d;
    return 1;
}

/* Chooses the size of work-groups for a program that gives none. */
static void choose_local(struct range *r) {
    size_t left = MAX_GROUP;
    for (int i = 0; i < 3; i++) {
        r->local[i] = divisor(r->global[i], i == 2 && left > 64 ? 64 : left);
        left /= r->local[i];
    }
}

/* Reads and checks sizes. @return OpenCL error. */
static cl_int read_range(struct range *r, cl_kernel k, cl_uint dimensions, const size_t *offset,
                         const size_t *global, const size_t *local) {
    cl_device_id d = k->program->context->device;
    const size_t *required = k->info->group;
    if (dimensions < 1 || dimensions > 3) return CL_INVALID_WORK_DIMENSION;
    if (!global) return CL_INVALID_GLOBAL_WORK_SIZE;
    size_t threads = 1;
    for (cl_uint i = 0; i < 3; i++) {
        r->offset[i] = i < dimensions && offset ? offset[i] : 0;
        r->global[i] = i < dimensions ? global[i] : 1;
        r->local[i] = i < dimensions && local ? local[i] : 1;
        if (!r->global[i]) return CL_INVALID_GLOBAL_WORK_SIZE;
    }
    if (required[0] && !local) memcpy(r->local, required, sizeof r->local);
    if (required[0] && memcmp(r->local, required, sizeof r->local) != 0)
        return CL_INVALID_WORK_GROUP_SIZE;
    if (!local && !required[0]) choose_local(r);
    for (int i = 0; i < 3; i++) {
        if (!r->local[i]) return CL_INVALID_WORK_GROUP_SIZE;
        if (r->local[i] > (size_t)ocl_attribute(d, CU_MAX_BLOCK_DIM_X + i))
            return CL_INVALID_WORK_ITEM_SIZE;
        if (r->global[i] % r->local[i]) return CL_INVALID_WORK_GROUP_SIZE;
        size_t groups = r->global[i] / r->local[i];
        if (groups > (size_t)ocl_attribute(d, CU_MAX_GRID_DIM_X + i)) {
            ocl_say("clEnqueueNDRangeKernel: %zu work-groups in dimension %d, more than the GPU's "
                    "%d",
                    groups, i, ocl_attribute(d, CU_MAX_GRID_DIM_X + i));
            return CL_INVALID_GLOBAL_WORK_SIZE;
        }
        threads *= r->local[i];
    }
    return threads > (size_t)ocl_attribute(d, CU_MAX_THREADS_PER_BLOCK) ? CL_INVALID_WORK_GROUP_SIZE
                                                                        : CL_SUCCESS;
}

/* Gives a variable its value for a launch in a stream. All launches of a program share it: it is
 * written in the stream if they are all in this one, else when the device is idle. */
static int set_variable(struct ocl_variable *v, const uint64_t *value, size_t bytes,
                        struct cu_stream *stream) {
    int result = 0;
    if (!v->address) return 0;
    if (memcmp(value, v->value, bytes) != 0) {
        if (v->shared || (v->stream && v->stream != stream)) {
            result = cuCtxSynchronize();
            if (!result) result = cuMemcpyHtoD_v2(v->address, value, bytes);
        } else {
            result = cuMemcpyHtoDAsync_v2(v->address, value, bytes, stream);
        }
        if (!result) memcpy(v->value, value, bytes);
        v->shared = false;
        v->stream = stream;
    }
    if (v->stream && v->stream != stream) v->shared = true;
    v->stream = stream;
    return result;
}

/* A launch with the values of its arguments: they may change before it goes to the stream. */
struct launch {
    struct range range;
    uint64_t dimensions;
    size_t shared;   /* bytes, dynamic */
    void **pointers; /* of the values, which follow */
    cl_mem mems[];   /* as many as arguments, the first of them used */
};

/* Tells the program's kernels offsets and number of dimensions. Needs the program's lock until the
 * launch is in the stream: other threads may launch kernels of the program. */
static int prepare(const struct ocl_work *w, struct cu_stream *stream) {
    const struct launch *l = w->own;
    cl_program p = w->kernel->program;
    const uint64_t offset[3] = {l->range.offset[0], l->range.offset[1], l->range.offset[2]};
    int result = set_variable(&p->offset, offset, sizeof offset, stream);
    return result ? result
                  : set_variable(&p->dimensions, &l->dimensions, sizeof l->dimensions, stream);
}

static int run(const struct ocl_work *w, struct cu_stream *stream) {
    const struct launch *l = w->own;
    const struct range *r = &l->range;
    return cuLaunchKernel(w->kernel->function, (unsigned)(r->global[0] / r->local[0]),
                          (unsigned)(r->global[1] / r->local[1]),
                          (unsigned)(r->global[2] / r->local[2]), (unsigned)r->local[0],
                          (unsigned)r->local[1], (unsigned)r->local[2], (unsigned)l->shared, stream,
                          l->pointers, NULL);
}

/* Bytes of an argument's value, to a multiple of 8. */
static size_t bytes_of(cl_kernel k, unsigned i) {
    return k->info->args[i].space ? sizeof(uint64_t) : (k->args[i].size + 7) / 8 * 8;
}

/* Memory for a launch of a kernel whose arguments are all set. NULL: none left. */
static struct launch *new_launch(cl_kernel k) {
    const unsigned n = k->info->num_args;
    size_t bytes = sizeof(struct launch) + n * (sizeof(cl_mem) + sizeof(void *));
    for (unsigned i = 0; i < n; i++) bytes += bytes_of(k, i);
    struct launch *l = calloc(1, bytes);
    if (l) l->pointers = (void **)(l->mems + n);
    return l;
}

/* Copies the arguments into work->own. */
static cl_int read_arguments(struct ocl_work *w) {
    const cl_kernel k = w->kernel;
    const unsigned n = k->info->num_args;
    int own = 0;
    if (n > MAX_ARGS) {
        ocl_say("clEnqueueNDRangeKernel: kernel '%s' has %u arguments, more than %d", k->info->name,
                n, MAX_ARGS);
        return CL_OUT_OF_RESOURCES;
    }
    for (unsigned i = 0; i < n; i++)
        if (!k->args[i].set) return CL_INVALID_KERNEL_ARGS;
    if (cuFuncGetAttribute(&own, CU_FUNCTION_SHARED_BYTES, k->function)) return CL_OUT_OF_RESOURCES;
    struct launch *l = new_launch(k);
    if (!l) return CL_OUT_OF_HOST_MEMORY;
    w->own = l;
    w->mems = l->mems;
    size_t end = (size_t)own;
    unsigned char *value = (unsigned char *)(l->pointers + n);
    for (unsigned i = 0; i < n; value += bytes_of(k, i), i++) {
        const struct ocl_arg *a = &k->args[i];
        uint64_t word = a->mem ? a->mem->address : 0;
        l->pointers[i] = value;
        if (a->mem) l->mems[w->num_mems++] = a->mem;
        if (k->info->args[i].space == 3) {
            word = (end + LOCAL_ALIGN - 1) / LOCAL_ALIGN * LOCAL_ALIGN;
            end = word + a->local;
        }
        if (k->info->args[i].space)
            memcpy(value, &word, sizeof word);
        else
            memcpy(value, a->value, a->size);
    }
    l->shared = end - (size_t)own;
    size_t most = (size_t)ocl_attribute(k->program->context->device,
                                        CU_MAX_SHARED_MEMORY_PER_BLOCK);
    return end > most ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

static cl_int launch(cl_command_queue q, cl_kernel k, cl_command_type type, cl_uint dimensions,
                     const size_t *offset, const size_t *global, const size_t *local, cl_uint count,
                     const cl_event *list, cl_event *out) {
    struct range r;
    if (!ocl_is(q, OCL_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    if (!ocl_is(k, OCL_KERNEL)) return CL_INVALID_KERNEL;
    if (k->program->context != q->context) return CL_INVALID_CONTEXT;
    struct ocl_work w = {.call = "cuLaunchKernel",
                         .prepare = prepare,
                         .run = run,
                         .lock = &k->program->lock,
                         .kernel = k};
    cl_int error = ocl_enter(q->context);
    if (!error) error = read_range(&r, k, dimensions, offset, global, local);
    if (!error) error = read_arguments(&w);
    if (error) {
        free(w.own);
        return error;
    }
    struct launch *l = w.own;
    l->range = r;
    l->dimensions = dimensions;
    return ocl_enqueue(q, type, &w, false, count, list, out);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k,
                                                       cl_uint dimensions, const size_t *offset,
                                                       const size_t *global, const size_t *local,
                                                       cl_uint count, const cl_event *list,
                                                       cl_event *out) {
    return launch(q, k, CL_COMMAND_NDRANGE_KERNEL, dimensions, offset, global, local, count, list,
                  out);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueTask(cl_command_queue q, cl_kernel k, cl_uint count,
                                              const cl_event *list, cl_event *out) {
    const size_t one = 1;
    return launch(q, k, CL_COMMAND_TASK, 1, NULL, &one, &one, count, list, out);
}

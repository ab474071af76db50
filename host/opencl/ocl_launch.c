/* ocl_launch.c - NDRanges become launches: a work-group is a CTA, local arguments are dynamic
 * shared memory behind the kernel's own. */
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

/* Tells the program's kernels offsets and number of dimensions. The caller holds the program's lock
 * until the launch is in the stream: other threads may launch kernels of the program. */
static cl_int set_launch(cl_program p, const struct range *r, cl_uint dimensions,
                         struct cu_stream *stream) {
    const uint64_t offset[3] = {r->offset[0], r->offset[1], r->offset[2]}, number = dimensions;
    int result = set_variable(&p->offset, offset, sizeof offset, stream);
    if (!result) result = set_variable(&p->dimensions, &number, sizeof number, stream);
    return ocl_error(result, "clEnqueueNDRangeKernel", CL_OUT_OF_RESOURCES);
}

/* The values of the arguments, as a launch takes them. */
struct values {
    uint64_t word[MAX_ARGS]; /* addresses */
    void *pointer[MAX_ARGS];
    size_t shared; /* bytes, dynamic */
};

static cl_int read_arguments(cl_kernel k, struct values *v) {
    int own = 0;
    if (k->info->num_args > MAX_ARGS) {
        ocl_say("clEnqueueNDRangeKernel: kernel '%s' has %u arguments, more than %d", k->info->name,
                k->info->num_args, MAX_ARGS);
        return CL_OUT_OF_RESOURCES;
    }
    if (cuFuncGetAttribute(&own, CU_FUNCTION_SHARED_BYTES, k->function)) return CL_OUT_OF_RESOURCES;
    size_t end = (size_t)own;
    for (unsigned i = 0; i < k->info->num_args; i++) {
        const struct ocl_arg *a = &k->args[i];
        if (!a->set) return CL_INVALID_KERNEL_ARGS;
        v->pointer[i] = &v->word[i];
        if (k->info->args[i].space == 3) {
            v->word[i] = (end + LOCAL_ALIGN - 1) / LOCAL_ALIGN * LOCAL_ALIGN;
            end = v->word[i] + a->local;
        } else if (k->info->args[i].space) {
            v->word[i] = a->mem ? a->mem->address : 0;
        } else {
            v->pointer[i] = a->value;
        }
    }
    v->shared = end - (size_t)own;
    size_t most = (size_t)ocl_attribute(k->program->context->device,
                                        CU_MAX_SHARED_MEMORY_PER_BLOCK);
    return end > most ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

static cl_int launch(cl_command_queue q, cl_kernel k, cl_command_type type, cl_uint dimensions,
                     const size_t *offset, const size_t *global, const size_t *local, cl_uint count,
                     const cl_event *list, cl_event *out) {
    struct ocl_command c;
    struct range r;
    struct values v;
    if (!ocl_is(q, OCL_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    if (!ocl_is(k, OCL_KERNEL)) return CL_INVALID_KERNEL;
    if (k->program->context != q->context) return CL_INVALID_CONTEXT;
    cl_int error = ocl_enter(q->context);
    if (!error) error = read_range(&r, k, dimensions, offset, global, local);
    if (!error) error = read_arguments(k, &v);
    if (error) return error;
    /* the variables first: their writing may wait for the device, not for this command's events */
    pthread_mutex_lock(&k->program->lock);
    error = set_launch(k->program, &r, dimensions, q->stream);
    if (!error) error = ocl_begin(&c, q, type, count, list, out);
    if (!error) {
        int result = cuLaunchKernel(
            k->function, (unsigned)(r.global[0] / r.local[0]), (unsigned)(r.global[1] / r.local[1]),
            (unsigned)(r.global[2] / r.local[2]), (unsigned)r.local[0], (unsigned)r.local[1],
            (unsigned)r.local[2], (unsigned)v.shared, q->stream, v.pointer, NULL);
        error = ocl_end(&c, ocl_error(result, "cuLaunchKernel", CL_OUT_OF_RESOURCES), false);
    }
    pthread_mutex_unlock(&k->program->lock);
    return error;
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

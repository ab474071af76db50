/* driver_link.c - the linker of the just-in-time compiler.
 *
 * Runs in the program's process, in libcuda.so.1. Functions with CUDA names implement the driver
 * call of that name, on the thread of the program that makes it. They count the call and answer it
 * here, without a message; only cuLinkComplete() asks the server. All functions return a CUresult,
 * unless a comment says otherwise.
 *
 * The linker collects inputs. Its output is a fat binary that holds the inputs' fat binaries, like
 * that of a program compiled with -rdc=true. The server joins them when the program loads the
 * output.
 *
 * A CUlinkState is the address of a struct link in the program's memory. One thread at a time may
 * use it, as in CUDA. */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/driver_module.h"

/* A CUlinkState. It owns `objects` and `output`. */
struct link {
    struct link *self;     /* its own address; marks a valid handle */
    struct driver_log log; /* the program's buffers, given to cuLinkCreate() */
    char *objects;         /* containers, one after the other */
    size_t bytes;          /* of `objects` */
    void *output;          /* of the last cuLinkComplete(); the program reads it */
};

/* True for the handle of a link that is not destroyed. Reads the link, so the pointer must be
 * readable. */
static bool is_link(const struct link *l) {
    return l && l->self == l;
}

/* Allocates the link, *state, which cuLinkDestroy() frees, and keeps the program's log buffers. No
 * state is cudaErrorInvalidValue; driver_read_options() says which options are errors. */
SHIM_EXPORT int cuLinkCreate_v2(unsigned count, int *option, void **value, void **state);
int cuLinkCreate_v2(unsigned count, int *option, void **value, void **state) {
    struct driver_log log;
    int error = driver_local(CALL_cuLinkCreate_v2);
    if (!error && !state) error = HEDDLE_cudaErrorInvalidValue;
    if (!error) error = driver_read_options(CALL_cuLinkCreate_v2, count, option, value, &log);
    if (error) return error;
    struct link *l = calloc(1, sizeof *l);
    if (!l) return HEDDLE_cudaErrorMemoryAllocation;
    l->self = l;
    l->log = log;
    *state = l;
    return CUDA_SUCCESS;
}

/* Appends the text `ptx`, ended by a zero, to the link's inputs as a fat binary; grows l->objects.
 * Sends nothing and counts nothing. @return cudaErrorInvalidResourceHandle for no link;
 * cudaErrorNotSupported for an input that is not PTX, after printing the type with the name of the
 * call `id`; cudaErrorMemoryAllocation. */
static int add(enum cuda_call_id id, struct link *l, int type, const char *ptx) {
    enum { PTX = 1 };
    if (!is_link(l)) return HEDDLE_cudaErrorInvalidResourceHandle;
    if (type != PTX) {
        shim_say("not supported: %s() of anything but PTX (type %d)", shim_call_names[id], type);
        return HEDDLE_cudaErrorNotSupported;
    }
    size_t bytes;
    void *object = driver_container(ptx, strlen(ptx), &bytes);
    char *objects = object ? realloc(l->objects, l->bytes + bytes) : NULL;
    if (objects) {
        memcpy(objects + l->bytes, object, bytes);
        l->objects = objects;
        l->bytes += bytes;
    }
    free(object);
    return objects ? CUDA_SUCCESS : HEDDLE_cudaErrorMemoryAllocation;
}

/* Adds a copy of `data`, up to its first zero or `bytes`. The name and the options of one input
 * have no effect, but unsupported options are refused. */
SHIM_EXPORT int cuLinkAddData_v2(void *state, int type, void *data, size_t bytes, const char *name,
                                 unsigned count, int *option, void **value);
int cuLinkAddData_v2(void *state, int type, void *data, size_t bytes, const char *name,
                     unsigned count, int *option, void **value) {
    struct driver_log log;
    (void)name;
    int error = driver_local(CALL_cuLinkAddData_v2);
    if (!error && !data) error = HEDDLE_cudaErrorInvalidValue;
    if (!error) error = driver_read_options(CALL_cuLinkAddData_v2, count, option, value, &log);
    char *text = error ? NULL : strndup(data, bytes);
    if (!error && !text) error = HEDDLE_cudaErrorMemoryAllocation;
    if (!error) error = add(CALL_cuLinkAddData_v2, state, type, text);
    free(text);
    return error;
}

/* Adds the contents of the file `path`. Its options have no effect, but unsupported ones are
 * refused. cudaErrorFileNotFound: it cannot be read; cudaErrorInvalidPtx: it is empty. */
SHIM_EXPORT int cuLinkAddFile_v2(void *state, int type, const char *path, unsigned count,
                                 int *option, void **value);
int cuLinkAddFile_v2(void *state, int type, const char *path, unsigned count, int *option,
                     void **value) {
    struct driver_log log;
    size_t bytes;
    int error = driver_local(CALL_cuLinkAddFile_v2);
    if (!error && !path) error = HEDDLE_cudaErrorInvalidValue;
    if (!error) error = driver_read_options(CALL_cuLinkAddFile_v2, count, option, value, &log);
    if (error) return error;
    char *text = driver_read_file(path, &bytes);
    if (!text) error = HEDDLE_cudaErrorFileNotFound;
    if (text && !*text) error = HEDDLE_cudaErrorInvalidPtx;
    if (!error) error = add(CALL_cuLinkAddFile_v2, state, type, text);
    free(text);
    return error;
}

/* Compiles the output, of `bytes`, to find its errors: asks the server to load and unload it, by
 * two messages that count as no calls, and writes the program's log. Loading the output later
 * compiles it again. @return CUresult of the compilation. */
static int try_out(const struct link *l, size_t bytes) {
    char why[WIRE_WHY_BYTES + 1] = "";
    struct shim_call call = {.id = CALL_cuModuleLoadData,
                             .source = {.base = l->output},
                             .payload_bytes = bytes,
                             .target = {.base = why},
                             .target_bytes = sizeof why - 1};
    int error = driver_ask(&call);
    struct shim_call unload = {.id = CALL_cuModuleUnload, .in = {call.out[0]}};
    if (!error) error = driver_ask(&unload);
    driver_write_log(&l->log, error ? why : NULL);
    return cuda_result(error);
}

/* Joins the inputs into a new output, frees the previous one, and compiles it to find its errors
 * (try_out). *output stays valid until the link is destroyed or completed again; *bytes (`bytes`
 * may be NULL) is its size. cudaErrorInvalidKernelImage: the link has no inputs. */
SHIM_EXPORT int cuLinkComplete(void *state, void **output, size_t *bytes);
int cuLinkComplete(void *state, void **output, size_t *bytes) {
    struct link *l = state;
    int error = driver_local(CALL_cuLinkComplete);
    size_t size;
    if (!error && !is_link(l)) error = HEDDLE_cudaErrorInvalidResourceHandle;
    if (!error && !output) error = HEDDLE_cudaErrorInvalidValue;
    if (!error && !l->bytes) error = HEDDLE_cudaErrorInvalidKernelImage;
    if (error) return error;
    free(l->output);
    l->output = driver_outer_container(l->objects, l->bytes, &size);
    if (!l->output) return HEDDLE_cudaErrorMemoryAllocation;
    error = try_out(l, size);
    if (error) return error;
    *output = l->output;
    if (bytes) *bytes = size;
    return CUDA_SUCCESS;
}

/* Frees the link with its inputs and its output, and marks the handle as invalid before. */
SHIM_EXPORT int cuLinkDestroy(void *state);
int cuLinkDestroy(void *state) {
    struct link *l = state;
    int error = driver_local(CALL_cuLinkDestroy);
    if (!error && !is_link(l)) error = HEDDLE_cudaErrorInvalidResourceHandle;
    if (error) return error;
    l->self = NULL;
    free(l->output);
    free(l->objects);
    free(l);
    return CUDA_SUCCESS;
}

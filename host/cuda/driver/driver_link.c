/* driver_link.c - options of the just-in-time compiler, and its linker.
 *
 * The linker collects: its output is a fat binary that holds those of its inputs, as a program does
 * that was compiled to be linked (-rdc=true). They are joined when it is loaded. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/driver_module.h"

/* ---- options */

enum {
    JIT_MAX_REGISTERS = 0,
    JIT_WALL_TIME = 2,
    JIT_INFO_LOG,
    JIT_INFO_BYTES,
    JIT_ERROR_LOG,
    JIT_ERROR_BYTES,
    JIT_OPTIMIZATION_LEVEL,
    JIT_TARGET_FROM_CONTEXT,
    JIT_TARGET,
    JIT_FALLBACK,
    JIT_DEBUG_INFO,
    JIT_LOG_VERBOSE,
    JIT_LINE_INFO,
    JIT_CACHE_MODE,
};

int driver_read_options(enum cuda_call_id id, unsigned count, const int *option, void **value,
                        struct driver_log *log) {
    *log = (struct driver_log){0};
    if (count && (!option || !value)) return HEDDLE_cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++) {
        if (option[i] == JIT_MAX_REGISTERS) { /* what kernels compute does not depend on it */
            shim_say("%s(): the limit of %u registers a thread is not applied; kernels have as "
                     "many as they want",
                     shim_call_names[id], (unsigned)(uintptr_t)value[i]);
        } else if (option[i] == JIT_WALL_TIME) {
            log->wall_ms = &value[i];
        } else if (option[i] == JIT_INFO_LOG) {
            log->info = value[i];
        } else if (option[i] == JIT_INFO_BYTES) {
            log->info_bytes = &value[i];
        } else if (option[i] == JIT_ERROR_LOG) {
            log->error = value[i];
        } else if (option[i] == JIT_ERROR_BYTES) {
            log->error_bytes = &value[i];
        } else if (option[i] < JIT_OPTIMIZATION_LEVEL || option[i] > JIT_CACHE_MODE) {
            shim_say("not supported: %s() with option %d of the just-in-time compiler; leave it "
                     "out",
                     shim_call_names[id], option[i]);
            return HEDDLE_cudaErrorNotSupported;
        }
    }
    return CUDA_SUCCESS;
}

static void write_text(char *to, void **bytes, const char *text) {
    size_t room = to && bytes ? (size_t)(unsigned)(uintptr_t)*bytes : 0;
    if (!room) return;
    int n = snprintf(to, room, "%s", text);
    *bytes = (void *)((size_t)n < room ? (size_t)n : room - 1);
}

/* Compiling takes no target time. */
void driver_write_log(const struct driver_log *log, const char *error) {
    if (!log) return;
    write_text(log->info, log->info_bytes, "");
    write_text(log->error, log->error_bytes, error ? error : "");
    if (log->wall_ms) *log->wall_ms = NULL; /* the bits of 0.0f */
}

/* ---- the linker */

struct link {
    struct link *self; /* tells a handle from other addresses */
    struct driver_log log;
    char *objects; /* containers, one after the other */
    size_t bytes;
    void *output;
};

static bool is_link(const struct link *l) {
    return l && l->self == l;
}

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

/* Compiles the whole, to tell of what is wrong in it; what is loaded later is compiled then. */
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

/* driver_module.c - modules and libraries: device code that a program loads by itself.
 *
 * A module is PTX, alone or in a fat binary; the server compiles it when it is loaded. CUmodule and
 * CUlibrary are the runtime's record of a module, CUfunction and CUkernel that of a kernel. The
 * records live in the runtime's tables, which shim.lock guards, and are never freed.
 *
 * Runs in the program's process, in libcuda.so.1. Functions with CUDA names implement the driver
 * call of that name, on the thread of the program that makes it. Unless its comment says otherwise,
 * each counts the call, sends the server one message, waits for the answer, and writes results
 * through its pointers only on success. A call that a check here refuses is counted, but its
 * message is not sent.
 *
 * Helpers with an `id` make the call of that number for several CUDA functions. A wrong handle is
 * cudaErrorInvalidResourceHandle, a NULL result or name cudaErrorInvalidValue. All functions return
 * a CUresult, unless a comment says otherwise, and leave the runtime's last error alone. */
#include "cuda/driver/driver_module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ELF_MAGIC = 0x464c457f,
    LOADING_EAGER = 1,   /* CUmoduleLoadingMode */
    FUNCTION_LOADED = 1, /* CUfunctionLoadingState */
};

/* ---- loading */

/* An image to load, and the program's buffers for error messages (NULL: none). */
struct image {
    const void *bytes;
    size_t most; /* bytes available; SIZE_MAX: unknown, the image's head says how many */
    const struct driver_log *log;
};

/* Writes the text to `why`, of WIRE_WHY_BYTES + 1, and prints it as an error. @return `error`. */
static int bad_image(char *why, int error, const char *text) {
    snprintf(why, WIRE_WHY_BYTES + 1, "%s", text);
    shim_say("error: %s", text);
    return error;
}

/* Finds or makes the fat binary of an image: *out, *bytes. The caller frees *made (NULL: nothing
 * made). Sends nothing and counts nothing. @return cudaErrorInvalidKernelImage for a damaged fat
 * binary, or for bytes that are neither that nor text; RESULT_NO_BINARY_FOR_GPU for a cubin;
 * cudaErrorMemoryAllocation. Prints why it refuses a damaged fat binary or a cubin; `why` receives
 * the text of a cubin or of a file that is too short. */
static int container_of(const struct image *image, const void **out, size_t *bytes, void **made,
                        char *why) {
    const void *p = image->bytes;
    int magic;
    *made = NULL;
    memcpy(&magic, p, sizeof magic);
    if (magic == SHIM_WRAPPER_MAGIC && image->most == SIZE_MAX) {
        p = ((const struct shim_fatbin_wrapper *)p)->image;
        memcpy(&magic, p, sizeof magic);
    }
    if (magic == SHIM_FATBIN_MAGIC) {
        const struct shim_fatbin_head *h = p;
        if (image->most < sizeof *h || image->most < h->head_bytes ||
            image->most - h->head_bytes < h->payload_bytes)
            return bad_image(why, HEDDLE_cudaErrorInvalidKernelImage,
                             "the fat binary says that it is longer than its file");
        *out = p;
        *bytes = shim_container_bytes(h);
        return *bytes ? CUDA_SUCCESS : HEDDLE_cudaErrorInvalidKernelImage;
    }
    if (magic == ELF_MAGIC)
        return bad_image(why, RESULT_NO_BINARY_FOR_GPU,
                         "a module is machine code (a cubin), which cannot be simulated: give PTX "
                         "(nvcc -ptx, or a fat binary with PTX in it)");
    const char *text = p;
    if ((unsigned char)*text >= 0x7f) return HEDDLE_cudaErrorInvalidKernelImage;
    *made = driver_container(text, strlen(text), bytes);
    *out = *made;
    return *made ? CUDA_SUCCESS : HEDDLE_cudaErrorMemoryAllocation;
}

/* Makes the call `id`: sends an image to the server, which compiles it, and adds a module to the
 * runtime's table (shim_add_module, under shim.lock), whose address *out receives. Writes the
 * program's log, with the server's text on failure; after a NULL `out` or image it writes none.
 * container_of() says which images are errors. */
static int load(enum cuda_call_id id, void **out, const struct image *image) {
    struct shim_call call = {.id = id};
    void *made = NULL;
    const void *container;
    char why[WIRE_WHY_BYTES + 1] = "";
    if (!out || !image->bytes) return driver_fail(id, HEDDLE_cudaErrorInvalidValue);
    int error = driver_ready(id);
    if (!error) error = container_of(image, &container, &call.payload_bytes, &made, why);
    if (error) {
        driver_write_log(image->log, why);
        return driver_fail(id, error);
    }
    call.source.base = (void *)(uintptr_t)container;
    call.target.base = why;
    call.target_bytes = sizeof why - 1;
    error = driver_call(&call);
    free(made);
    driver_write_log(image->log, error ? why : NULL);
    if (error) return error;
    struct shim_module *m = shim_add_module(true);
    if (!m) return HEDDLE_cudaErrorMemoryAllocation;
    m->id = call.out[0];
    *out = m;
    return CUDA_SUCCESS;
}

/* Reads a file, in memory that it frees, and loads it, as load() does. cudaErrorFileNotFound: it
 * cannot be read, which the log says too. */
static int load_file(enum cuda_call_id id, void **out, const char *name,
                     const struct driver_log *log) {
    size_t bytes;
    if (!out || !name) return driver_fail(id, HEDDLE_cudaErrorInvalidValue);
    char *p = driver_read_file(name, &bytes);
    if (!p) {
        driver_write_log(log, "the file cannot be read");
        return driver_fail(id, HEDDLE_cudaErrorFileNotFound);
    }
    int error = load(id, out, &(struct image){p, bytes, log});
    free(p);
    return error;
}

SHIM_EXPORT int cuModuleLoadData(void **module, const void *image);
int cuModuleLoadData(void **module, const void *image) {
    return load(CALL_cuModuleLoadData, module, &(struct image){image, SIZE_MAX, NULL});
}

SHIM_EXPORT int cuModuleLoadFatBinary(void **module, const void *image);
int cuModuleLoadFatBinary(void **module, const void *image) {
    return load(CALL_cuModuleLoadFatBinary, module, &(struct image){image, SIZE_MAX, NULL});
}

/* Loads the file `name`. */
SHIM_EXPORT int cuModuleLoad(void **module, const char *name);
int cuModuleLoad(void **module, const char *name) {
    return load_file(CALL_cuModuleLoad, module, name, NULL);
}

/* As cuModuleLoadData(), with options, of which the log buffers take effect (driver_read_options).
 */
SHIM_EXPORT int cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                                   const int *option, void **value);
int cuModuleLoadDataEx(void **module, const void *image, unsigned count, const int *option,
                       void **value) {
    static const enum cuda_call_id id = CALL_cuModuleLoadDataEx;
    struct driver_log log;
    int error = driver_read_options(id, count, option, value, &log);
    return error ? driver_fail(id, error)
                 : load(id, module, &(struct image){image, SIZE_MAX, &log});
}

/* Checks library options. BINARY_IS_PRESERVED has no effect, because the server copies the image.
 * Counts no call. @return cudaErrorNotSupported for another option, after printing it;
 * cudaErrorInvalidValue for a missing list. */
static int read_library_options(enum cuda_call_id id, const int *option, unsigned count) {
    enum { BINARY_IS_PRESERVED = 1 };
    if (count && !option) return HEDDLE_cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++) {
        if (option[i] == BINARY_IS_PRESERVED) continue;
        shim_say("not supported: %s() with library option %d; leave it out", shim_call_names[id],
                 option[i]);
        return HEDDLE_cudaErrorNotSupported;
    }
    return CUDA_SUCCESS;
}

#define LIBRARY_OPTIONS                                                         \
    const int *option, void **value, unsigned count, const int *library_option, \
        void **library_value, unsigned library_count

/* As cuModuleLoadDataEx(), with library options as well (read_library_options). */
SHIM_EXPORT int cuLibraryLoadData(void **library, const void *image, LIBRARY_OPTIONS);
int cuLibraryLoadData(void **library, const void *image, LIBRARY_OPTIONS) {
    static const enum cuda_call_id id = CALL_cuLibraryLoadData;
    struct driver_log log;
    (void)library_value;
    int error = driver_read_options(id, count, option, value, &log);
    if (!error) error = read_library_options(id, library_option, library_count);
    return error ? driver_fail(id, error)
                 : load(id, library, &(struct image){image, SIZE_MAX, &log});
}

/* Loads the file `name`, with options as in cuLibraryLoadData(). */
SHIM_EXPORT int cuLibraryLoadFromFile(void **library, const char *name, LIBRARY_OPTIONS);
int cuLibraryLoadFromFile(void **library, const char *name, LIBRARY_OPTIONS) {
    static const enum cuda_call_id id = CALL_cuLibraryLoadFromFile;
    struct driver_log log;
    (void)library_value;
    int error = driver_read_options(id, count, option, value, &log);
    if (!error) error = read_library_options(id, library_option, library_count);
    return error ? driver_fail(id, error) : load_file(id, library, name, &log);
}

/* Makes the call `id`, which unloads a module, and on success marks its record as unloaded
 * (driver_forget_module), which stays in the table. */
static int unload(enum cuda_call_id id, void *handle) {
    struct shim_module *m = driver_module(handle);
    if (!m) return driver_fail(id, HEDDLE_cudaErrorInvalidResourceHandle);
    struct shim_call call = {.id = id, .in = {m->id}};
    int error = driver_call(&call);
    if (!error) driver_forget_module(m->id);
    return error;
}

SHIM_EXPORT int cuModuleUnload(void *module);
int cuModuleUnload(void *module) {
    return unload(CALL_cuModuleUnload, module);
}
SHIM_EXPORT int cuLibraryUnload(void *library);
int cuLibraryUnload(void *library) {
    return unload(CALL_cuLibraryUnload, library);
}

/* Answered here, without a message and before cuInit(): Heddle loads a module whole. */
SHIM_EXPORT int cuModuleGetLoadingMode(int *mode);
int cuModuleGetLoadingMode(int *mode) {
    if (!mode) return driver_fail(CALL_cuModuleGetLoadingMode, HEDDLE_cudaErrorInvalidValue);
    shim_local(CALL_cuModuleGetLoadingMode);
    *mode = LOADING_EAGER;
    return CUDA_SUCCESS;
}

/* ---- kernels and variables of a module */

/* Finds the record of a kernel that the program has asked for before. Takes shim.lock; sends
 * nothing. @return NULL: none. */
static struct shim_symbol *find_kernel(const struct shim_module *m, const char *name) {
    pthread_mutex_lock(&shim.lock);
    struct shim_symbol *s = shim.symbols;
    while (s && !(s->module == m && s->is_function && strcmp(s->name, name) == 0)) s = s->next;
    pthread_mutex_unlock(&shim.lock);
    return s;
}

/* Makes the call `id`: finds a kernel by name and writes its record's address to *out. The first
 * time asks the server, and adds the record, with a copy of the name, to the runtime's table under
 * shim.lock; later counts the call without a message. Two threads that ask for one kernel at once
 * may add two records. */
static int get_function(enum cuda_call_id id, void **out, void *handle, const char *name) {
    struct shim_module *m = driver_module(handle);
    if (!out || !name) return driver_fail(id, HEDDLE_cudaErrorInvalidValue);
    if (!m) return driver_fail(id, HEDDLE_cudaErrorInvalidResourceHandle);
    struct shim_symbol *s = find_kernel(m, name);
    if (s) {
        shim_local(id);
        *out = s;
        return CUDA_SUCCESS;
    }
    struct shim_call call = {.id = id,
                             .in = {m->id},
                             .source = {.base = (void *)(uintptr_t)name},
                             .payload_bytes = strlen(name) + 1};
    int error = driver_call(&call);
    if (error) return error;
    const char *copy = strdup(name);
    s = copy ? shim_add_symbol(m, NULL, copy, true, 0, false) : NULL;
    if (!s) return HEDDLE_cudaErrorMemoryAllocation;
    s->id = call.out[0];
    *out = s;
    return CUDA_SUCCESS;
}

/* *function: the record of the kernel `name`. */
SHIM_EXPORT int cuModuleGetFunction(void **function, void *module, const char *name);
int cuModuleGetFunction(void **function, void *module, const char *name) {
    return get_function(CALL_cuModuleGetFunction, function, module, name);
}
SHIM_EXPORT int cuLibraryGetKernel(void **kernel, void *library, const char *name);
int cuLibraryGetKernel(void **kernel, void *library, const char *name) {
    return get_function(CALL_cuLibraryGetKernel, kernel, library, name);
}

/* Makes the call `id`, which asks the server for a variable's address and its size in bytes. Either
 * result may be NULL. */
static int get_global(enum cuda_call_id id, void **address, size_t *bytes, void *handle,
                      const char *name) {
    const struct shim_module *m = driver_module(handle);
    if (!name) return driver_fail(id, HEDDLE_cudaErrorInvalidValue);
    if (!m) return driver_fail(id, HEDDLE_cudaErrorInvalidResourceHandle);
    struct shim_call call = {.id = id,
                             .in = {m->id},
                             .source = {.base = (void *)(uintptr_t)name},
                             .payload_bytes = strlen(name) + 1};
    int error = driver_call(&call);
    if (error) return error;
    if (address) *address = (void *)(uintptr_t)call.out[0];
    if (bytes) *bytes = call.out[1];
    return CUDA_SUCCESS;
}

SHIM_EXPORT int cuModuleGetGlobal_v2(void **address, size_t *bytes, void *module, const char *name);
int cuModuleGetGlobal_v2(void **address, size_t *bytes, void *module, const char *name) {
    return get_global(CALL_cuModuleGetGlobal_v2, address, bytes, module, name);
}
SHIM_EXPORT int cuLibraryGetGlobal(void **address, size_t *bytes, void *library, const char *name);
int cuLibraryGetGlobal(void **address, size_t *bytes, void *library, const char *name) {
    return get_global(CALL_cuLibraryGetGlobal, address, bytes, library, name);
}

/* ---- queries of a kernel's record, answered here */

/* driver_local() connects the thread first if necessary (messages, shim.lock), and refuses before
 * cuInit() and any call of the runtime. Counts the call `id`, sends nothing of its own, and finds
 * the record of a kernel's handle: *s, NULL with cudaErrorInvalidResourceHandle. `out`: where the
 * caller writes its result; NULL is cudaErrorInvalidValue. driver_function() takes shim.lock and
 * sends late registrations. */
static int tell(enum cuda_call_id id, const void *out, void *handle, struct shim_symbol **s) {
    int error = driver_local(id);
    if (error) return error;
    *s = driver_function(handle);
    return !out ? HEDDLE_cudaErrorInvalidValue
           : *s ? CUDA_SUCCESS
                : HEDDLE_cudaErrorInvalidResourceHandle;
}

/* *name: the name in the kernel's record, which stays readable for good. */
SHIM_EXPORT int cuFuncGetName(const char **name, void *function);
int cuFuncGetName(const char **name, void *function) {
    struct shim_symbol *s;
    int error = tell(CALL_cuFuncGetName, name, function, &s);
    if (!error) *name = s->name;
    return error;
}
SHIM_EXPORT int cuKernelGetName(const char **name, void *kernel);
int cuKernelGetName(const char **name, void *kernel) {
    struct shim_symbol *s;
    int error = tell(CALL_cuKernelGetName, name, kernel, &s);
    if (!error) *name = s->name;
    return error;
}
/* *module: the record of the kernel's module. */
SHIM_EXPORT int cuFuncGetModule(void **module, void *function);
int cuFuncGetModule(void **module, void *function) {
    struct shim_symbol *s;
    int error = tell(CALL_cuFuncGetModule, module, function, &s);
    if (!error) *module = s->module;
    return error;
}
SHIM_EXPORT int cuKernelGetLibrary(void **library, void *kernel);
int cuKernelGetLibrary(void **library, void *kernel) {
    struct shim_symbol *s;
    int error = tell(CALL_cuKernelGetLibrary, library, kernel, &s);
    if (!error) *library = s->module;
    return error;
}
/* A CUkernel and its CUfunction are the same record. */
SHIM_EXPORT int cuKernelGetFunction(void **function, void *kernel);
int cuKernelGetFunction(void **function, void *kernel) {
    struct shim_symbol *s;
    int error = tell(CALL_cuKernelGetFunction, function, kernel, &s);
    if (!error) *function = s;
    return error;
}
/* A CUlibrary and its CUmodule are the same record. */
SHIM_EXPORT int cuLibraryGetModule(void **module, void *library);
int cuLibraryGetModule(void **module, void *library) {
    int error = driver_local(CALL_cuLibraryGetModule);
    if (!error && !module) error = HEDDLE_cudaErrorInvalidValue;
    if (!error && !driver_module(library)) error = HEDDLE_cudaErrorInvalidResourceHandle;
    if (!error) *module = library;
    return error;
}

/* Always loaded: a kernel's code is loaded with its module. */
SHIM_EXPORT int cuFuncIsLoaded(int *state, void *function);
int cuFuncIsLoaded(int *state, void *function) {
    struct shim_symbol *s;
    int error = tell(CALL_cuFuncIsLoaded, state, function, &s);
    if (!error) *state = FUNCTION_LOADED;
    return error;
}
/* Has no effect but the check of the handle. */
SHIM_EXPORT int cuFuncLoad(void *function);
int cuFuncLoad(void *function) {
    struct shim_symbol *s;
    return tell(CALL_cuFuncLoad, &s, function, &s);
}

/* Answers the call `id` about one parameter of a kernel: its offset and size in bytes (`bytes` may
 * be NULL). The first question about a kernel asks the server for its layout, which counts as no
 * call. cudaErrorInvalidValue: no such parameter. */
static int parameter(enum cuda_call_id id, void *handle, size_t index, size_t *offset,
                     size_t *bytes) {
    struct shim_symbol *s;
    int error = tell(id, offset, handle, &s);
    if (!error) error = cuda_result(shim_learn_parameters(s));
    if (!error && index >= (size_t)s->num_params) error = HEDDLE_cudaErrorInvalidValue;
    if (error) return error;
    *offset = s->param[index].offset;
    if (bytes) *bytes = s->param[index].bytes;
    return CUDA_SUCCESS;
}

SHIM_EXPORT int cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *bytes);
int cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *bytes) {
    return parameter(CALL_cuFuncGetParamInfo, function, index, offset, bytes);
}
SHIM_EXPORT int cuKernelGetParamInfo(void *kernel, size_t index, size_t *offset, size_t *bytes);
int cuKernelGetParamInfo(void *kernel, size_t index, size_t *offset, size_t *bytes) {
    return parameter(CALL_cuKernelGetParamInfo, kernel, index, offset, bytes);
}

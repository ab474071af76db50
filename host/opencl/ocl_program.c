/* ocl_program.c - programs: from source or PTX, built, compiled, linked. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "opencl/opencl.h"

static cl_program new_program(cl_context context, cl_int *error) {
    cl_program p = ocl_new(sizeof *p, OCL_PROGRAM);
    if (!p) return ocl_fail(error, CL_OUT_OF_HOST_MEMORY);
    p->context = context;
    p->status = CL_BUILD_NONE;
    p->type = CL_PROGRAM_BINARY_TYPE_NONE;
    pthread_mutex_init(&p->lock, NULL);
    ocl_retain(context);
    if (error) *error = CL_SUCCESS;
    return p;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count,
                                                              const char **strings,
                                                              const size_t *lengths,
                                                              cl_int *error) {
    if (!ocl_is(context, OCL_CONTEXT)) return ocl_fail(error, CL_INVALID_CONTEXT);
    if (!count || !strings) return ocl_fail(error, CL_INVALID_VALUE);
    struct ocl_text source = {0};
    ocl_append(&source, "", 0);
    for (cl_uint i = 0; i < count; i++) {
        if (!strings[i]) {
            free(source.bytes);
            return ocl_fail(error, CL_INVALID_VALUE);
        }
        /* a length may count the final NUL */
        size_t n = lengths && lengths[i] ? strnlen(strings[i], lengths[i]) : strlen(strings[i]);
        ocl_append(&source, strings[i], n);
    }
    cl_program p = new_program(context, error);
    if (p)
        p->source = source.bytes;
    else
        free(source.bytes);
    return p;
}

/* The binary of a compiled program or a library is bitcode behind a line that tells which. */
static const struct {
    cl_program_binary_type type;
    const char *line;
} objects[] = {
    {CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, "//heddle-opencl object\n"},
    {CL_PROGRAM_BINARY_TYPE_LIBRARY, "//heddle-opencl library\n"},
};
enum { NUM_OBJECTS = sizeof objects / sizeof objects[0] };

static const char *object_line(cl_program p) {
    for (size_t i = 0; i < NUM_OBJECTS; i++)
        if (objects[i].type == p->type) return objects[i].line;
    return "";
}

/* Takes such a binary. @return false: it is none. */
static bool read_object(cl_program p, const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < NUM_OBJECTS; i++) {
        size_t n = strlen(objects[i].line);
        if (size <= n || memcmp(bytes, objects[i].line, n) != 0) continue;
        struct ocl_text text = {0};
        ocl_append(&text, (const char *)bytes + n, size - n);
        p->object_file = text.bytes;
        p->object_bytes = text.size;
        p->type = objects[i].type;
        p->status = CL_BUILD_SUCCESS;
        return text.bytes;
    }
    return false;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBinary(cl_context context, cl_uint count,
                                                              const cl_device_id *devices,
                                                              const size_t *lengths,
                                                              const unsigned char **binaries,
                                                              cl_int *status, cl_int *error) {
    if (!ocl_is(context, OCL_CONTEXT)) return ocl_fail(error, CL_INVALID_CONTEXT);
    if (count != 1 || !devices || !lengths || !binaries || !binaries[0] || !lengths[0])
        return ocl_fail(error, CL_INVALID_VALUE);
    if (devices[0] != context->device) return ocl_fail(error, CL_INVALID_DEVICE);
    cl_program p = new_program(context, error);
    if (!p) return NULL;
    bool good = read_object(p, binaries[0], lengths[0]);
    if (!good) {
        p->ptx = strndup((const char *)binaries[0], lengths[0]);
        good = p->ptx && ocl_read_metadata(p);
        p->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    }
    if (status) *status = good ? CL_SUCCESS : CL_INVALID_BINARY;
    if (good) return p;
    ocl_say("clCreateProgramWithBinary: the binary was not made by Heddle's OpenCL platform; build "
            "the program from source");
    clReleaseProgram(p);
    return ocl_fail(error, CL_INVALID_BINARY);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainProgram(cl_program p) {
    if (!ocl_is(p, OCL_PROGRAM)) return CL_INVALID_PROGRAM;
    ocl_retain(p);
    return CL_SUCCESS;
}

/* Forgets what was built. */
static void unbuild(cl_program p) {
    if (p->module) cuModuleUnload(p->module);
    p->module = NULL;
    p->offset = p->dimensions = (struct ocl_variable){0};
    ocl_free_metadata(p);
    free(p->ptx);
    free(p->object_file);
    free(p->log);
    free(p->options);
    p->ptx = p->object_file = p->log = p->options = NULL;
    p->object_bytes = 0;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseProgram(cl_program p) {
    if (!ocl_is(p, OCL_PROGRAM)) return CL_INVALID_PROGRAM;
    if (!ocl_release(p)) return CL_SUCCESS;
    ocl_enter(p->context);
    unbuild(p);
    free(p->source);
    clReleaseContext(p->context);
    pthread_mutex_destroy(&p->lock);
    free(p);
    return CL_SUCCESS;
}

static int capability_of(cl_program p) {
    return 10 * ocl_attribute(p->context->device, CU_CAPABILITY_MAJOR) +
           ocl_attribute(p->context->device, CU_CAPABILITY_MINOR);
}

/* Finds a variable of work_item.ll, if the program has it. */
static struct ocl_variable variable_of(cl_program p, const char *name) {
    struct ocl_variable v = {0};
    if (strstr(p->ptx, name) && cuModuleGetGlobal_v2(&v.address, NULL, p->module, name))
        v.address = 0;
    return v;
}

/* Loads the PTX as a module. */
static cl_int load(cl_program p, cl_int error) {
    int result = cuModuleLoadData(&p->module, p->ptx);
    if (result) {
        p->module = NULL;
        return ocl_error(result, "cuModuleLoadData", error);
    }
    p->offset = variable_of(p, "__heddle_offset");
    p->dimensions = variable_of(p, "__heddle_dimensions");
    return CL_SUCCESS;
}

/* Sets the outcome of a build. */
static cl_int finish(cl_program p, cl_int error, struct ocl_text *log, const char *options) {
    free(p->log);
    free(p->options);
    p->log = log->bytes;
    p->options = strdup(options ? options : "");
    p->status = error ? CL_BUILD_ERROR : CL_BUILD_SUCCESS;
    return error;
}

/* Builds from source, with the program's lock held. */
static cl_int build(cl_program p, const char *options, struct ocl_text *log) {
    struct ocl_text bitcode = {0}, ptx = {0};
    char **words = ocl_options(options, log);
    if (!words) return CL_INVALID_BUILD_OPTIONS;
    cl_int error = ocl_compile(p->source, words, NULL, 0, &bitcode, log);
    if (!error)
        error = ocl_link(&bitcode, 1, words, capability_of(p), CL_BUILD_PROGRAM_FAILURE, &ptx, log);
    ocl_free_words(words);
    free(bitcode.bytes);
    if (error) {
        free(ptx.bytes);
        return error;
    }
    p->ptx = ptx.bytes;
    if (!ocl_read_metadata(p)) ocl_print(log, "warning: the program has no kernel\n");
    return CL_SUCCESS;
}

static cl_int check_devices(cl_program p, cl_uint count, const cl_device_id *devices) {
    if (!count != !devices) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++)
        if (devices[i] != p->context->device) return CL_INVALID_DEVICE;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program p, cl_uint count,
                                               const cl_device_id *devices, const char *options,
                                               void(CL_CALLBACK *notify)(cl_program, void *),
                                               void *user) {
    if (!ocl_is(p, OCL_PROGRAM)) return CL_INVALID_PROGRAM;
    cl_int error = check_devices(p, count, devices);
    if (!error && !notify && user) error = CL_INVALID_VALUE;
    if (!error && p->attached) error = CL_INVALID_OPERATION;
    if (!error) error = ocl_enter(p->context);
    if (error) return error;
    struct ocl_text log = {0};
    pthread_mutex_lock(&p->lock);
    if (p->source) {
        unbuild(p);
        error = build(p, options, &log);
    } else if (!p->ptx) {
        ocl_print(&log, "error: the binary is a compiled program or a library; clLinkProgram makes "
                        "an executable of it\n");
        error = CL_INVALID_BINARY;
    }
    if (!error && !p->module) error = load(p, CL_BUILD_PROGRAM_FAILURE);
    if (!error) p->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    finish(p, error, &log, options);
    pthread_mutex_unlock(&p->lock);
    if (notify) notify(p, user);
    return error;
}

CL_API_ENTRY cl_int CL_API_CALL clCompileProgram(cl_program p, cl_uint count,
                                                 const cl_device_id *devices, const char *options,
                                                 cl_uint num_headers, const cl_program *headers,
                                                 const char **names,
                                                 void(CL_CALLBACK *notify)(cl_program, void *),
                                                 void *user) {
    if (!ocl_is(p, OCL_PROGRAM)) return CL_INVALID_PROGRAM;
    cl_int error = check_devices(p, count, devices);
    if (!error && ((!notify && user) || !num_headers != !headers || !num_headers != !names))
        error = CL_INVALID_VALUE;
    if (!error && (p->attached || !p->source)) error = CL_INVALID_OPERATION;
    if (!error) error = ocl_enter(p->context);
    if (error) return error;
    struct ocl_header *list = calloc(num_headers + 1, sizeof *list);
    if (!list) return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < num_headers; i++) {
        if (!ocl_is(headers[i], OCL_PROGRAM) || !headers[i]->source) error = CL_INVALID_PROGRAM;
        if (!error) list[i] = (struct ocl_header){names[i], headers[i]->source};
    }
    struct ocl_text log = {0}, bitcode = {0};
    pthread_mutex_lock(&p->lock);
    if (!error) {
        unbuild(p);
        char **words = ocl_options(options, &log);
        error = words ? ocl_compile(p->source, words, list, num_headers, &bitcode, &log)
                      : CL_INVALID_COMPILER_OPTIONS;
        if (error == CL_BUILD_PROGRAM_FAILURE) error = CL_COMPILE_PROGRAM_FAILURE;
        ocl_free_words(words);
        p->object_file = bitcode.bytes;
        p->object_bytes = bitcode.size;
        if (!error) p->type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
        finish(p, error, &log, options);
    }
    pthread_mutex_unlock(&p->lock);
    free(list);
    if (!error && notify) notify(p, user);
    return error;
}

/* Link options without -create-library, which is for clLinkProgram alone. To free. */
static char *without_library(const char *options, bool *library) {
    static const char word[] = "-create-library";
    char *rest = strdup(options ? options : ""), *at = rest ? strstr(rest, word) : NULL;
    *library = at;
    if (at) memset(at, ' ', sizeof word - 1);
    return rest;
}

CL_API_ENTRY cl_program CL_API_CALL clLinkProgram(cl_context context, cl_uint count,
                                                  const cl_device_id *devices, const char *options,
                                                  cl_uint num_inputs, const cl_program *inputs,
                                                  void(CL_CALLBACK *notify)(cl_program, void *),
                                                  void *user, cl_int *error) {
    if (!ocl_is(context, OCL_CONTEXT)) return ocl_fail(error, CL_INVALID_CONTEXT);
    if (!num_inputs || !inputs || !count != !devices || (!notify && user))
        return ocl_fail(error, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < num_inputs; i++) {
        if (!ocl_is(inputs[i], OCL_PROGRAM)) return ocl_fail(error, CL_INVALID_PROGRAM);
        if (!inputs[i]->object_file) return ocl_fail(error, CL_INVALID_OPERATION);
    }
    cl_int e = ocl_enter(context);
    struct ocl_text *bitcode = calloc(num_inputs, sizeof *bitcode), log = {0}, ptx = {0};
    cl_program p = e || !bitcode ? NULL : new_program(context, &e);
    if (!p) {
        free(bitcode);
        return ocl_fail(error, e ? e : CL_OUT_OF_HOST_MEMORY);
    }
    for (cl_uint i = 0; i < num_inputs; i++)
        bitcode[i] = (struct ocl_text){inputs[i]->object_file, inputs[i]->object_bytes};
    bool library = false;
    char *rest = without_library(options, &library);
    char **words = ocl_options(rest, &log);
    free(rest);
    if (!words)
        e = CL_INVALID_LINKER_OPTIONS;
    else if (library)
        e = ocl_archive(bitcode, num_inputs, &ptx, &log);
    else
        e = ocl_link(bitcode, num_inputs, words, capability_of(p), CL_LINK_PROGRAM_FAILURE, &ptx,
                     &log);
    ocl_free_words(words);
    free(bitcode);
    if (e) {
        free(ptx.bytes);
    } else if (library) {
        p->object_file = ptx.bytes;
        p->object_bytes = ptx.size;
        p->type = CL_PROGRAM_BINARY_TYPE_LIBRARY;
    } else {
        p->ptx = ptx.bytes;
        ocl_read_metadata(p);
        e = load(p, CL_LINK_PROGRAM_FAILURE);
    }
    if (!e && !library) p->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    finish(p, e, &log, options);
    if (error) *error = e;
    if (notify) notify(p, user);
    return p; /* with its log, if linking failed */
}

/* The names of the kernels, with ';' between them. */
static cl_int kernel_names(cl_program p, size_t size, void *value, size_t *size_out) {
    struct ocl_text names = {0};
    for (unsigned i = 0; i < p->num_kernels; i++)
        ocl_print(&names, "%s%s", i ? ";" : "", p->kernels[i].name);
    cl_int error = ocl_answer_text(size, value, size_out, names.bytes);
    free(names.bytes);
    return error;
}

/* CL_PROGRAM_BINARIES: the value is an array of pointers to where the binaries go. */
static cl_int give_binary(cl_program p, size_t size, void *value, size_t *size_out) {
    if (value && size < sizeof(char *)) return CL_INVALID_VALUE;
    char *to = value ? *(char **)value : NULL;
    if (to && p->ptx)
        memcpy(to, p->ptx, strlen(p->ptx) + 1);
    else if (to && p->object_file) {
        size_t n = strlen(object_line(p));
        memcpy(to, object_line(p), n);
        memcpy(to + n, p->object_file, p->object_bytes);
    }
    if (size_out) *size_out = sizeof(char *);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramInfo(cl_program p, cl_program_info name, size_t size,
                                                 void *value, size_t *size_out) {
    if (!ocl_is(p, OCL_PROGRAM)) return CL_INVALID_PROGRAM;
    cl_uint number = 1;
    size_t bytes = 0, kernels = p->num_kernels;
    if (p->ptx)
        bytes = strlen(p->ptx) + 1;
    else if (p->object_file)
        bytes = strlen(object_line(p)) + p->object_bytes;
    switch (name) {
    case CL_PROGRAM_REFERENCE_COUNT: number = p->object.references; break;
    case CL_PROGRAM_NUM_DEVICES: break;
    case CL_PROGRAM_CONTEXT:
        return ocl_answer(size, value, size_out, &p->context, sizeof p->context);
    case CL_PROGRAM_DEVICES:
        return ocl_answer(size, value, size_out, &p->context->device, sizeof(cl_device_id));
    case CL_PROGRAM_SOURCE: return ocl_answer_text(size, value, size_out, p->source);
    case CL_PROGRAM_BINARY_SIZES: return ocl_answer(size, value, size_out, &bytes, sizeof bytes);
    case CL_PROGRAM_BINARIES: return give_binary(p, size, value, size_out);
    case CL_PROGRAM_NUM_KERNELS:
        if (!p->module) return CL_INVALID_PROGRAM_EXECUTABLE;
        return ocl_answer(size, value, size_out, &kernels, sizeof kernels);
    case CL_PROGRAM_KERNEL_NAMES:
        if (!p->module) return CL_INVALID_PROGRAM_EXECUTABLE;
        return kernel_names(p, size, value, size_out);
    default: return CL_INVALID_VALUE;
    }
    return ocl_answer(size, value, size_out, &number, sizeof number);
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramBuildInfo(cl_program p, cl_device_id device,
                                                      cl_program_build_info name, size_t size,
                                                      void *value, size_t *size_out) {
    if (!ocl_is(p, OCL_PROGRAM)) return CL_INVALID_PROGRAM;
    if (device != p->context->device) return CL_INVALID_DEVICE;
    switch (name) {
    case CL_PROGRAM_BUILD_STATUS:
        return ocl_answer(size, value, size_out, &p->status, sizeof p->status);
    case CL_PROGRAM_BUILD_OPTIONS: return ocl_answer_text(size, value, size_out, p->options);
    case CL_PROGRAM_BUILD_LOG: return ocl_answer_text(size, value, size_out, p->log);
    case CL_PROGRAM_BINARY_TYPE: return ocl_answer(size, value, size_out, &p->type, sizeof p->type);
    }
    return CL_INVALID_VALUE;
}

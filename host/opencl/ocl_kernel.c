/* ocl_kernel.c - kernels and their arguments. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "opencl/opencl.h"

static cl_kernel make_kernel(cl_program p, const struct ocl_kernel_info *info, cl_int *error) {
    cl_kernel k = ocl_new(sizeof *k, OCL_KERNEL);
    struct ocl_arg *args = calloc(info->num_args + 1, sizeof *args);
    int result = k && args ? cuModuleGetFunction(&k->function, p->module, info->name)
                           : CU_OUT_OF_MEMORY;
    for (unsigned i = 0; i < info->num_args && !result; i++) {
        size_t offset;
        result = cuFuncGetParamInfo(k->function, i, &offset, &args[i].size);
    }
    if (result) {
        free(k);
        free(args);
        return ocl_fail(error, ocl_error(result, "clCreateKernel", CL_OUT_OF_RESOURCES));
    }
    k->program = p;
    k->info = info;
    k->args = args;
    ocl_retain(p);
    atomic_fetch_add(&p->attached, 1);
    if (error) *error = CL_SUCCESS;
    return k;
}

CL_API_ENTRY cl_kernel CL_API_CALL clCreateKernel(cl_program p, const char *name, cl_int *error) {
    if (!ocl_is(p, OCL_PROGRAM)) return ocl_fail(error, CL_INVALID_PROGRAM);
    if (!name) return ocl_fail(error, CL_INVALID_VALUE);
    if (!p->module) return ocl_fail(error, CL_INVALID_PROGRAM_EXECUTABLE);
    cl_int e = ocl_enter(p->context);
    if (e) return ocl_fail(error, e);
    for (unsigned i = 0; i < p->num_kernels; i++)
        if (strcmp(p->kernels[i].name, name) == 0) return make_kernel(p, &p->kernels[i], error);
    return ocl_fail(error, CL_INVALID_KERNEL_NAME);
}

CL_API_ENTRY cl_int CL_API_CALL clCreateKernelsInProgram(cl_program p, cl_uint count,
                                                         cl_kernel *kernels, cl_uint *num_kernels) {
    if (!ocl_is(p, OCL_PROGRAM)) return CL_INVALID_PROGRAM;
    if (!p->module) return CL_INVALID_PROGRAM_EXECUTABLE;
    if (kernels && count < p->num_kernels) return CL_INVALID_VALUE;
    cl_int error = ocl_enter(p->context);
    for (unsigned i = 0; kernels && i < p->num_kernels && !error; i++)
        kernels[i] = make_kernel(p, &p->kernels[i], &error);
    if (num_kernels) *num_kernels = p->num_kernels;
    return error;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainKernel(cl_kernel k) {
    if (!ocl_is(k, OCL_KERNEL)) return CL_INVALID_KERNEL;
    ocl_retain(k);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseKernel(cl_kernel k) {
    if (!ocl_is(k, OCL_KERNEL)) return CL_INVALID_KERNEL;
    if (!ocl_release(k)) return CL_SUCCESS;
    for (unsigned i = 0; i < k->info->num_args; i++) free(k->args[i].value);
    free(k->args);
    atomic_fetch_sub(&k->program->attached, 1);
    clReleaseProgram(k->program);
    free(k);
    return CL_SUCCESS;
}

/* clang gives images, and only these, an access. */
static cl_int set_memory(cl_kernel k, const struct ocl_arg_info *info, struct ocl_arg *a,
                         size_t size, const void *value) {
    bool image = strcmp(info->access, "none") != 0 && *info->access;
    if (size != sizeof(cl_mem)) return CL_INVALID_ARG_SIZE;
    cl_mem m = value ? *(const cl_mem *)value : NULL;
    if (image ? !ocl_is(m, OCL_MEM) || !m->image || !ocl_image_fits(info->type, m->image)
              : m && !ocl_is_buffer(m))
        return CL_INVALID_MEM_OBJECT;
    if (image &&
        m->flags & (strcmp(info->access, "read_only") ? CL_MEM_READ_ONLY : CL_MEM_WRITE_ONLY))
        return CL_INVALID_ARG_VALUE;
    if (m && m->context != k->program->context) return CL_INVALID_MEM_OBJECT;
    a->mem = m;
    a->set = true;
    return CL_SUCCESS;
}

/* Sets an argument to bytes, which are copied. */
static cl_int set_value(struct ocl_arg *a, const void *value) {
    if (!a->value) a->value = malloc(a->size);
    if (!a->value) return CL_OUT_OF_HOST_MEMORY;
    memcpy(a->value, value, a->size);
    a->set = true;
    return CL_SUCCESS;
}

/* A sampler is given by its value, in the word of a pointer. */
static cl_int set_sampler(cl_kernel k, struct ocl_arg *a, size_t size, const void *value) {
    if (size != sizeof(cl_sampler)) return CL_INVALID_ARG_SIZE;
    cl_sampler s = value ? *(const cl_sampler *)value : NULL;
    if (!ocl_is(s, OCL_SAMPLER) || s->context != k->program->context) return CL_INVALID_SAMPLER;
    const uint64_t bits = ocl_sampler_bits(s->normalized, s->address, s->filter);
    return set_value(a, &bits);
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArg(cl_kernel k, cl_uint index, size_t size,
                                               const void *value) {
    if (!ocl_is(k, OCL_KERNEL)) return CL_INVALID_KERNEL;
    if (index >= k->info->num_args) return CL_INVALID_ARG_INDEX;
    struct ocl_arg *a = &k->args[index];
    const struct ocl_arg_info *info = &k->info->args[index];
    int space = info->space;
    if (space == 1 || space == 2) return set_memory(k, info, a, size, value);
    if (strcmp(info->type, "sampler_t") == 0) return set_sampler(k, a, size, value);
    if (space == 3) {
        if (value) return CL_INVALID_ARG_VALUE;
        if (!size) return CL_INVALID_ARG_SIZE;
        a->local = size;
        a->set = true;
        return CL_SUCCESS;
    }
    if (!value) return CL_INVALID_ARG_VALUE;
    if (size != a->size) return CL_INVALID_ARG_SIZE;
    return set_value(a, value);
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelInfo(cl_kernel k, cl_kernel_info name, size_t size,
                                                void *value, size_t *size_out) {
    if (!ocl_is(k, OCL_KERNEL)) return CL_INVALID_KERNEL;
    cl_uint number;
    switch (name) {
    case CL_KERNEL_FUNCTION_NAME: return ocl_answer_text(size, value, size_out, k->info->name);
    case CL_KERNEL_ATTRIBUTES: return ocl_answer_text(size, value, size_out, k->info->attributes);
    case CL_KERNEL_CONTEXT:
        return ocl_answer(size, value, size_out, &k->program->context, sizeof(cl_context));
    case CL_KERNEL_PROGRAM:
        return ocl_answer(size, value, size_out, &k->program, sizeof k->program);
    case CL_KERNEL_NUM_ARGS: number = k->info->num_args; break;
    case CL_KERNEL_REFERENCE_COUNT: number = k->object.references; break;
    default: return CL_INVALID_VALUE;
    }
    return ocl_answer(size, value, size_out, &number, sizeof number);
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel k, cl_uint index,
                                                   cl_kernel_arg_info name, size_t size,
                                                   void *value, size_t *size_out) {
    static const cl_kernel_arg_address_qualifier spaces[] = {
        CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_CONSTANT,
        CL_KERNEL_ARG_ADDRESS_LOCAL};
    if (!ocl_is(k, OCL_KERNEL)) return CL_INVALID_KERNEL;
    if (index >= k->info->num_args) return CL_INVALID_ARG_INDEX;
    const struct ocl_arg_info *a = &k->info->args[index];
    cl_kernel_arg_access_qualifier access = strcmp(a->access, "read_only") == 0
                                                ? CL_KERNEL_ARG_ACCESS_READ_ONLY
                                            : strcmp(a->access, "write_only") == 0
                                                ? CL_KERNEL_ARG_ACCESS_WRITE_ONLY
                                            : strcmp(a->access, "read_write") == 0
                                                ? CL_KERNEL_ARG_ACCESS_READ_WRITE
                                                : CL_KERNEL_ARG_ACCESS_NONE;
    cl_kernel_arg_type_qualifier qualifier =
        (strstr(a->qualifier, "const") ? CL_KERNEL_ARG_TYPE_CONST : 0) |
        (strstr(a->qualifier, "restrict") ? CL_KERNEL_ARG_TYPE_RESTRICT : 0) |
        (strstr(a->qualifier, "volatile") ? CL_KERNEL_ARG_TYPE_VOLATILE : 0);
    switch (name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        return ocl_answer(size, value, size_out, &spaces[a->space & 3], sizeof spaces[0]);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        return ocl_answer(size, value, size_out, &access, sizeof access);
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        return ocl_answer(size, value, size_out, &qualifier, sizeof qualifier);
    case CL_KERNEL_ARG_TYPE_NAME: return ocl_answer_text(size, value, size_out, a->type);
    case CL_KERNEL_ARG_NAME: return ocl_answer_text(size, value, size_out, a->name);
    }
    return CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id device,
                                                         cl_kernel_work_group_info name,
                                                         size_t size, void *value,
                                                         size_t *size_out) {
    if (!ocl_is(k, OCL_KERNEL)) return CL_INVALID_KERNEL;
    if (device && device != k->program->context->device) return CL_INVALID_DEVICE;
    cl_int error = ocl_enter(k->program->context);
    if (error) return error;
    int attribute = 0;
    size_t number = 0;
    cl_ulong bytes = 0;
    switch (name) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        if (cuFuncGetAttribute(&attribute, CU_FUNCTION_MAX_THREADS, k->function))
            return CL_OUT_OF_RESOURCES;
        number = (size_t)attribute;
        break;
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        number = (size_t)ocl_attribute(k->program->context->device, CU_WARP_SIZE);
        break;
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return ocl_answer(size, value, size_out, k->info->group, sizeof k->info->group);
    case CL_KERNEL_LOCAL_MEM_SIZE:
        if (cuFuncGetAttribute(&attribute, CU_FUNCTION_SHARED_BYTES, k->function))
            return CL_OUT_OF_RESOURCES;
        bytes = (cl_ulong)attribute;
        for (unsigned i = 0; i < k->info->num_args; i++) bytes += k->args[i].local;
        return ocl_answer(size, value, size_out, &bytes, sizeof bytes);
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        if (cuFuncGetAttribute(&attribute, CU_FUNCTION_LOCAL_BYTES, k->function))
            return CL_OUT_OF_RESOURCES;
        bytes = (cl_ulong)attribute;
        return ocl_answer(size, value, size_out, &bytes, sizeof bytes);
    default: return CL_INVALID_VALUE;
    }
    return ocl_answer(size, value, size_out, &number, sizeof number);
}

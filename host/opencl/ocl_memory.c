/* ocl_memory.c - buffers and sub-buffers, and what images share with them. A buffer is device
 * memory of its own. */
#include <stdlib.h>
#include <string.h>

#include "opencl/opencl.h"

#define ACCESS (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)
#define HOST_ACCESS (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)
#define PLACE (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)

static bool one_at_most(cl_mem_flags flags) {
    return (flags & (flags - 1)) == 0;
}

cl_int ocl_check_flags(cl_mem_flags flags, const void *host) {
    if (flags & ~(cl_mem_flags)(ACCESS | HOST_ACCESS | PLACE) || !one_at_most(flags & ACCESS) ||
        !one_at_most(flags & HOST_ACCESS))
        return CL_INVALID_VALUE;
    if (flags & CL_MEM_USE_HOST_PTR && flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))
        return CL_INVALID_VALUE;
    bool wanted = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    return wanted == (host != NULL) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

cl_mem_flags ocl_inherited_flags(cl_mem_flags flags, cl_mem parent) {
    return (flags & ACCESS ? flags & ACCESS : parent->flags & ACCESS) |
           (flags & HOST_ACCESS ? flags & HOST_ACCESS : parent->flags & HOST_ACCESS) |
           (parent->flags & PLACE);
}

cl_int ocl_check_host(cl_mem m, bool reads, bool writes) {
    cl_mem_flags against = (reads ? CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS : 0) |
                           (writes ? CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS : 0);
    return m->flags & against ? CL_INVALID_OPERATION : CL_SUCCESS;
}

bool ocl_is_buffer(cl_mem mem) {
    return ocl_is(mem, OCL_MEM) && !mem->image;
}

static void free_buffer(cl_mem m) {
    if (m->parent)
        clReleaseMemObject(m->parent);
    else
        cuMemFree_v2(m->address);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
                                               void *host, cl_int *error) {
    if (!ocl_is(context, OCL_CONTEXT)) return ocl_fail(error, CL_INVALID_CONTEXT);
    if (!size) return ocl_fail(error, CL_INVALID_BUFFER_SIZE);
    cl_int e = ocl_check_flags(flags, host);
    if (!e) e = ocl_enter(context);
    if (e) return ocl_fail(error, e);
    cl_mem m = ocl_new(sizeof *m, OCL_MEM);
    if (!m) return ocl_fail(error, CL_OUT_OF_HOST_MEMORY);
    int result = cuMemAlloc_v2(&m->address, size);
    if (!result && host) {
        result = cuMemcpyHtoD_v2(m->address, host, size);
        if (result) cuMemFree_v2(m->address);
    }
    if (result) {
        free(m);
        return ocl_fail(error, ocl_error(result, "clCreateBuffer", CL_OUT_OF_RESOURCES));
    }
    m->context = context;
    m->size = size;
    m->flags = flags & ACCESS ? flags : flags | CL_MEM_READ_WRITE;
    m->host = flags & CL_MEM_USE_HOST_PTR ? host : NULL;
    m->free_memory = free_buffer;
    pthread_mutex_init(&m->lock, NULL);
    ocl_retain(context);
    if (error) *error = CL_SUCCESS;
    return m;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context context,
                                                             const cl_mem_properties *properties,
                                                             cl_mem_flags flags, size_t size,
                                                             void *host, cl_int *error) {
    if (properties && properties[0]) return ocl_fail(error, CL_INVALID_PROPERTY);
    return clCreateBuffer(context, flags, size, host, error);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateSubBuffer(cl_mem parent, cl_mem_flags flags,
                                                  cl_buffer_create_type type, const void *info,
                                                  cl_int *error) {
    if (!ocl_is_buffer(parent) || parent->parent) return ocl_fail(error, CL_INVALID_MEM_OBJECT);
    const cl_buffer_region *region = info;
    if (type != CL_BUFFER_CREATE_TYPE_REGION || !region || flags & PLACE ||
        !one_at_most(flags & ACCESS))
        return ocl_fail(error, CL_INVALID_VALUE);
    if (!region->size) return ocl_fail(error, CL_INVALID_BUFFER_SIZE);
    if (region->origin > parent->size || region->size > parent->size - region->origin)
        return ocl_fail(error, CL_INVALID_VALUE);
    if (region->origin % OCL_ADDRESS_ALIGN) return ocl_fail(error, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    cl_mem m = ocl_new(sizeof *m, OCL_MEM);
    if (!m) return ocl_fail(error, CL_OUT_OF_HOST_MEMORY);
    m->context = parent->context;
    m->parent = parent;
    m->origin = region->origin;
    m->size = region->size;
    m->flags = ocl_inherited_flags(flags, parent);
    m->host = parent->host ? (char *)parent->host + m->origin : NULL;
    m->address = parent->address + m->origin;
    m->free_memory = free_buffer;
    pthread_mutex_init(&m->lock, NULL);
    ocl_retain(parent);
    ocl_retain(m->context);
    if (error) *error = CL_SUCCESS;
    return m;
}

cl_mem ocl_root(cl_mem mem) {
    return mem->parent ? mem->parent : mem;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainMemObject(cl_mem m) {
    if (!ocl_is(m, OCL_MEM)) return CL_INVALID_MEM_OBJECT;
    ocl_retain(m);
    return CL_SUCCESS;
}

/* Commands in queues may still use the memory: cuMemFree waits for them. */
CL_API_ENTRY cl_int CL_API_CALL clReleaseMemObject(cl_mem m) {
    if (!ocl_is(m, OCL_MEM)) return CL_INVALID_MEM_OBJECT;
    if (!ocl_release(m)) return CL_SUCCESS;
    ocl_enter(m->context);
    while (m->destructors) {
        struct ocl_destructor *d = m->destructors;
        m->destructors = d->next;
        d->call(m, d->user);
        free(d);
    }
    m->free_memory(m);
    clReleaseContext(m->context);
    pthread_mutex_destroy(&m->lock);
    free(m->shadow);
    free(m);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL
clSetMemObjectDestructorCallback(cl_mem m, void(CL_CALLBACK *notify)(cl_mem, void *), void *user) {
    if (!ocl_is(m, OCL_MEM)) return CL_INVALID_MEM_OBJECT;
    if (!notify) return CL_INVALID_VALUE;
    struct ocl_destructor *d = malloc(sizeof *d);
    if (!d) return CL_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&m->lock);
    *d = (struct ocl_destructor){notify, user, m->destructors};
    m->destructors = d;
    pthread_mutex_unlock(&m->lock);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetMemObjectInfo(cl_mem m, cl_mem_info name, size_t size,
                                                   void *value, size_t *size_out) {
    if (!ocl_is(m, OCL_MEM)) return CL_INVALID_MEM_OBJECT;
    const cl_mem_object_type type = m->image ? m->image->desc.image_type : CL_MEM_OBJECT_BUFFER;
    const cl_mem behind = m->image ? m->image->desc.buffer : m->parent;
    cl_uint number = 0;
    switch (name) {
    case CL_MEM_TYPE: return ocl_answer(size, value, size_out, &type, sizeof type);
    case CL_MEM_FLAGS: return ocl_answer(size, value, size_out, &m->flags, sizeof m->flags);
    case CL_MEM_SIZE: return ocl_answer(size, value, size_out, &m->size, sizeof m->size);
    case CL_MEM_HOST_PTR: return ocl_answer(size, value, size_out, &m->host, sizeof m->host);
    case CL_MEM_CONTEXT: return ocl_answer(size, value, size_out, &m->context, sizeof m->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        return ocl_answer(size, value, size_out, &behind, sizeof behind);
    case CL_MEM_OFFSET: return ocl_answer(size, value, size_out, &m->origin, sizeof m->origin);
    case CL_MEM_REFERENCE_COUNT: number = m->object.references; break;
    case CL_MEM_MAP_COUNT: number = m->map_count; break;
    default: return CL_INVALID_VALUE;
    }
    return ocl_answer(size, value, size_out, &number, sizeof number);
}

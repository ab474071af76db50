/* ocl_map.c - buffers mapped into the program's memory. A mapping is a copy: mapping reads the
 * buffer, unmapping writes it back if the mapping was for writing. It points into the memory of
 * CL_MEM_USE_HOST_PTR, or into a shadow of the whole buffer that all its mappings share. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "opencl/opencl.h"

struct ocl_mapping {
    void *pointer;
    uint64_t address; /* on the device */
    size_t size;
    bool written;
    struct ocl_mapping *next;
};

/* The host's place of a range of the buffer, made if necessary. Takes the root's lock. */
static void *place_of(cl_mem m, size_t offset) {
    if (m->host) return (char *)m->host + offset;
    cl_mem root = ocl_root(m);
    pthread_mutex_lock(&root->lock);
    if (!root->shadow && posix_memalign(&root->shadow, 4096, root->size) != 0) root->shadow = NULL;
    pthread_mutex_unlock(&root->lock);
    return root->shadow ? (char *)root->shadow + m->origin + offset : NULL;
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool blocking,
                                                  cl_map_flags flags, size_t offset, size_t size,
                                                  cl_uint count, const cl_event *list,
                                                  cl_event *out, cl_int *error) {
    const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    struct ocl_command c;
    if (!ocl_is(q, OCL_QUEUE)) return ocl_fail(error, CL_INVALID_COMMAND_QUEUE);
    if (!ocl_is(m, OCL_MEM)) return ocl_fail(error, CL_INVALID_MEM_OBJECT);
    if (q->context != m->context) return ocl_fail(error, CL_INVALID_CONTEXT);
    if (!size || offset > m->size || size > m->size - offset || flags & ~known)
        return ocl_fail(error, CL_INVALID_VALUE);
    struct ocl_mapping *mapping = malloc(sizeof *mapping);
    void *pointer = place_of(m, offset);
    cl_int e = mapping && pointer ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (!e) e = ocl_begin(&c, q, CL_COMMAND_MAP_BUFFER, count, list, out);
    if (e) {
        free(mapping);
        return ocl_fail(error, e);
    }
    if (!(flags & CL_MAP_WRITE_INVALIDATE_REGION))
        e = ocl_error(cuMemcpyDtoHAsync_v2(pointer, m->address + offset, size, q->stream),
                      "clEnqueueMapBuffer", CL_OUT_OF_RESOURCES);
    e = ocl_end(&c, e, blocking);
    if (e) {
        free(mapping);
        return ocl_fail(error, e);
    }
    pthread_mutex_lock(&m->lock);
    *mapping = (struct ocl_mapping){pointer, m->address + offset, size, (flags & ~1u) != 0,
                                    m->mappings};
    m->mappings = mapping;
    m->map_count++;
    pthread_mutex_unlock(&m->lock);
    if (error) *error = CL_SUCCESS;
    return pointer;
}

/* Takes the mapping of a pointer out of the buffer's list. */
static struct ocl_mapping *take(cl_mem m, const void *pointer) {
    pthread_mutex_lock(&m->lock);
    struct ocl_mapping **link = &m->mappings;
    while (*link && (*link)->pointer != pointer) link = &(*link)->next;
    struct ocl_mapping *found = *link;
    if (found) {
        *link = found->next;
        m->map_count--;
    }
    pthread_mutex_unlock(&m->lock);
    return found;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue q, cl_mem m, void *pointer,
                                                        cl_uint count, const cl_event *list,
                                                        cl_event *out) {
    struct ocl_command c;
    if (!ocl_is(m, OCL_MEM)) return CL_INVALID_MEM_OBJECT;
    cl_int error = ocl_begin(&c, q, CL_COMMAND_UNMAP_MEM_OBJECT, count, list, out);
    if (error) return error;
    struct ocl_mapping *mapping = take(m, pointer);
    if (!mapping) return ocl_end(&c, CL_INVALID_VALUE, false);
    if (mapping->written)
        error = ocl_error(cuMemcpyHtoDAsync_v2(mapping->address, pointer, mapping->size, q->stream),
                          "clEnqueueUnmapMemObject", CL_OUT_OF_RESOURCES);
    free(mapping);
    return ocl_end(&c, error, false);
}

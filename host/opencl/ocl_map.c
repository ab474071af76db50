/* ocl_map.c - buffers and images mapped into the program's memory. A mapping is a copy: mapping
 * reads the object, unmapping writes it back if the mapping was for writing. It points into the
 * memory of CL_MEM_USE_HOST_PTR, or into a shadow of the whole object that all its mappings share.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "opencl/opencl.h"

#define KNOWN_FLAGS ((cl_map_flags)(CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION))

struct ocl_mapping {
    void *pointer;
    uint64_t address;            /* of a buffer: on the device */
    size_t size;                 /* of a buffer */
    size_t origin[3], region[3]; /* of an image */
    bool written;
    struct ocl_mapping *next;
};

/* The host's place of a byte of the object, made if necessary. Takes the root's lock. */
static void *place_of(cl_mem m, size_t offset) {
    if (m->host) return (char *)m->host + offset;
    cl_mem root = ocl_root(m);
    pthread_mutex_lock(&root->lock);
    if (!root->shadow && posix_memalign(&root->shadow, 4096, root->size) != 0) root->shadow = NULL;
    pthread_mutex_unlock(&root->lock);
    return root->shadow ? (char *)root->shadow + m->origin + offset : NULL;
}

static cl_int check_access(cl_mem m, cl_map_flags flags) {
    return ocl_check_host(m, flags & CL_MAP_READ,
                          flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION));
}

/* Adds a mapping to the object's list. */
static void add(cl_mem m, struct ocl_mapping *mapping) {
    pthread_mutex_lock(&m->lock);
    mapping->next = m->mappings;
    m->mappings = mapping;
    m->map_count++;
    pthread_mutex_unlock(&m->lock);
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool blocking,
                                                  cl_map_flags flags, size_t offset, size_t size,
                                                  cl_uint count, const cl_event *list,
                                                  cl_event *out, cl_int *error) {
    if (!ocl_is(q, OCL_QUEUE)) return ocl_fail(error, CL_INVALID_COMMAND_QUEUE);
    if (!ocl_is_buffer(m)) return ocl_fail(error, CL_INVALID_MEM_OBJECT);
    if (q->context != m->context) return ocl_fail(error, CL_INVALID_CONTEXT);
    if (!size || offset > m->size || size > m->size - offset || flags & ~KNOWN_FLAGS)
        return ocl_fail(error, CL_INVALID_VALUE);
    if (check_access(m, flags)) return ocl_fail(error, CL_INVALID_OPERATION);
    struct ocl_mapping *mapping = malloc(sizeof *mapping);
    void *pointer = place_of(m, offset);
    cl_int e = mapping && pointer ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    const struct ocl_work w = {.call = "clEnqueueMapBuffer",
                               .run = flags & CL_MAP_WRITE_INVALIDATE_REGION ? NULL : ocl_run_read,
                               .uses = {m},
                               .host = pointer,
                               .from = m->address + offset,
                               .size = size};
    if (!e) e = ocl_enqueue(q, CL_COMMAND_MAP_BUFFER, &w, blocking, count, list, out);
    if (e) {
        free(mapping);
        return ocl_fail(error, e);
    }
    *mapping = (struct ocl_mapping){.pointer = pointer,
                                    .address = m->address + offset,
                                    .size = size,
                                    .written = (flags & ~(cl_map_flags)CL_MAP_READ) != 0};
    add(m, mapping);
    if (error) *error = CL_SUCCESS;
    return pointer;
}

/* The pitches are those of the whole image. */
CL_API_ENTRY void *CL_API_CALL clEnqueueMapImage(cl_command_queue q, cl_mem m, cl_bool blocking,
                                                 cl_map_flags flags, const size_t *origin,
                                                 const size_t *region, size_t *row, size_t *slice,
                                                 cl_uint count, const cl_event *list, cl_event *out,
                                                 cl_int *error) {
    if (!ocl_is(q, OCL_QUEUE)) return ocl_fail(error, CL_INVALID_COMMAND_QUEUE);
    if (!ocl_is(m, OCL_MEM) || !m->image) return ocl_fail(error, CL_INVALID_MEM_OBJECT);
    if (q->context != m->context) return ocl_fail(error, CL_INVALID_CONTEXT);
    const struct ocl_image *i = m->image;
    bool deep = i->desc.image_type == CL_MEM_OBJECT_IMAGE3D ||
                i->desc.image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
                i->desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    cl_int e = ocl_image_check_box(m, origin, region);
    if (e || !row || (deep && !slice) || flags & ~KNOWN_FLAGS)
        return ocl_fail(error, CL_INVALID_VALUE);
    if (check_access(m, flags)) return ocl_fail(error, CL_INVALID_OPERATION);
    /* the layers of an array of lines are the second coordinate */
    size_t second = i->desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? i->slice : i->row;
    struct ocl_mapping *mapping = calloc(1, sizeof *mapping);
    void *pointer = place_of(m, origin[2] * i->slice + origin[1] * second + origin[0] * i->texel);
    e = mapping && pointer ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (!e) {
        struct ocl_work w = ocl_image_read("clEnqueueMapImage", m, origin, region, pointer, i->row,
                                           i->slice);
        if (flags & CL_MAP_WRITE_INVALIDATE_REGION) w.run = NULL;
        e = ocl_enqueue(q, CL_COMMAND_MAP_IMAGE, &w, blocking, count, list, out);
    }
    if (e) {
        free(mapping);
        return ocl_fail(error, e);
    }
    mapping->pointer = pointer;
    mapping->written = (flags & ~(cl_map_flags)CL_MAP_READ) != 0;
    memcpy(mapping->origin, origin, sizeof mapping->origin);
    memcpy(mapping->region, region, sizeof mapping->region);
    add(m, mapping);
    *row = i->row;
    if (slice) *slice = deep ? i->slice : 0;
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
    if (!ocl_is(m, OCL_MEM)) return CL_INVALID_MEM_OBJECT;
    struct ocl_mapping *mapping = take(m, pointer);
    if (!mapping) return CL_INVALID_VALUE;
    struct ocl_work w = {.call = "clEnqueueUnmapMemObject"};
    if (mapping->written && m->image) {
        w = ocl_image_write(w.call, m, mapping->origin, mapping->region, pointer, m->image->row,
                            m->image->slice);
    } else if (mapping->written) {
        w.run = ocl_run_write;
        w.host = pointer;
        w.to = mapping->address;
        w.size = mapping->size;
    }
    w.uses[0] = m;
    cl_int error = ocl_enqueue(q, CL_COMMAND_UNMAP_MEM_OBJECT, &w, false, count, list, out);
    if (error)
        add(m, mapping);
    else
        free(mapping);
    return error;
}

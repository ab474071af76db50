/* ocl_transfer.c - commands that read, write, copy and fill buffers. */
#include <string.h>

#include "opencl/opencl.h"

/* Checks a range of a buffer. */
static cl_int check_range(cl_command_queue q, cl_mem m, size_t offset, size_t size) {
    if (!ocl_is(q, OCL_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    if (!ocl_is_buffer(m)) return CL_INVALID_MEM_OBJECT;
    if (m->context != q->context) return CL_INVALID_CONTEXT;
    return offset > m->size || size > m->size - offset ? CL_INVALID_VALUE : CL_SUCCESS;
}

int ocl_run_copy(const struct ocl_work *w, struct cu_stream *stream) {
    return cuMemcpy3DAsync_v2(&w->copy, stream);
}

int ocl_run_read(const struct ocl_work *w, struct cu_stream *stream) {
    return cuMemcpyDtoHAsync_v2(w->host, w->from, w->size, stream);
}

int ocl_run_write(const struct ocl_work *w, struct cu_stream *stream) {
    return cuMemcpyHtoDAsync_v2(w->to, w->host, w->size, stream);
}

static int run_device(const struct ocl_work *w, struct cu_stream *stream) {
    return cuMemcpyDtoDAsync_v2(w->to, w->from, w->size, stream);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool blocking,
                                                    size_t offset, size_t size, void *to,
                                                    cl_uint count, const cl_event *list,
                                                    cl_event *out) {
    cl_int error = check_range(q, m, offset, size);
    if (!error && (!to || !size)) error = CL_INVALID_VALUE;
    if (!error) error = ocl_check_host(m, true, false);
    if (error) return error;
    const struct ocl_work w = {.call = "clEnqueueReadBuffer",
                               .run = ocl_run_read,
                               .uses = {m},
                               .host = to,
                               .from = m->address + offset,
                               .size = size};
    return ocl_enqueue(q, CL_COMMAND_READ_BUFFER, &w, blocking, count, list, out);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool blocking,
                                                     size_t offset, size_t size, const void *from,
                                                     cl_uint count, const cl_event *list,
                                                     cl_event *out) {
    cl_int error = check_range(q, m, offset, size);
    if (!error && (!from || !size)) error = CL_INVALID_VALUE;
    if (!error) error = ocl_check_host(m, false, true);
    if (error) return error;
    const struct ocl_work w = {.call = "clEnqueueWriteBuffer",
                               .run = ocl_run_write,
                               .uses = {m},
                               .host = (void *)(uintptr_t)from,
                               .to = m->address + offset,
                               .size = size};
    return ocl_enqueue(q, CL_COMMAND_WRITE_BUFFER, &w, blocking, count, list, out);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue q, cl_mem from, cl_mem to,
                                                    size_t from_offset, size_t to_offset,
                                                    size_t size, cl_uint count,
                                                    const cl_event *list, cl_event *out) {
    cl_int error = check_range(q, from, from_offset, size);
    if (!error) error = check_range(q, to, to_offset, size);
    if (!error && !size) error = CL_INVALID_VALUE;
    if (error) return error;
    uint64_t source = from->address + from_offset, target = to->address + to_offset;
    if (source < target + size && target < source + size) return CL_MEM_COPY_OVERLAP;
    const struct ocl_work w = {.call = "clEnqueueCopyBuffer",
                               .run = run_device,
                               .uses = {from, to},
                               .to = target,
                               .from = source,
                               .size = size};
    return ocl_enqueue(q, CL_COMMAND_COPY_BUFFER, &w, false, count, list, out);
}

/* ---- boxes */

/* One side of a copy of boxes; `mem` is NULL for the host's memory. Pitches in bytes. */
struct side {
    cl_mem mem;
    void *host;
    const size_t *origin;
    size_t row, slice;
};

/* Completes the pitches of a side and checks its box. */
static cl_int check_side(struct side *s, const size_t *region) {
    if (!s->origin || !region || !region[0] || !region[1] || !region[2]) return CL_INVALID_VALUE;
    if (!s->row) s->row = region[0];
    if (s->row < region[0]) return CL_INVALID_VALUE;
    if (!s->slice) s->slice = region[1] * s->row;
    if (s->slice < region[1] * s->row || s->slice % s->row) return CL_INVALID_VALUE;
    size_t last = (s->origin[2] + region[2] - 1) * s->slice +
                  (s->origin[1] + region[1] - 1) * s->row + s->origin[0] + region[0];
    if (s->mem ? last > s->mem->size : !s->host) return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

static cl_int copy_boxes(cl_command_queue q, cl_command_type type, struct side from, struct side to,
                         const size_t *region, bool blocking, cl_uint count, const cl_event *list,
                         cl_event *out) {
    cl_int error = CL_SUCCESS;
    if (from.mem || to.host) error = check_range(q, from.mem, 0, 0);
    if (!error && (to.mem || from.host)) error = check_range(q, to.mem, 0, 0);
    if (!error && to.host) error = ocl_check_host(from.mem, true, false);
    if (!error && from.host) error = ocl_check_host(to.mem, false, true);
    if (!error) error = check_side(&from, region);
    if (!error) error = check_side(&to, region);
    if (error) return error;
    struct ocl_work w = {
        .call = "cuMemcpy3DAsync", .run = ocl_run_copy, .uses = {from.mem, to.mem}};
    w.copy = (struct cu_copy3d){
        .src_x = from.origin[0],
        .src_y = from.origin[1],
        .src_z = from.origin[2],
        .src_type = from.mem ? CU_MEMORY_DEVICE : CU_MEMORY_HOST,
        .src_host = from.host,
        .src_device = from.mem ? from.mem->address : 0,
        .src_pitch = from.row,
        .src_height = from.slice / from.row,
        .dst_x = to.origin[0],
        .dst_y = to.origin[1],
        .dst_z = to.origin[2],
        .dst_type = to.mem ? CU_MEMORY_DEVICE : CU_MEMORY_HOST,
        .dst_host = to.host,
        .dst_device = to.mem ? to.mem->address : 0,
        .dst_pitch = to.row,
        .dst_height = to.slice / to.row,
        .width = region[0],
        .height = region[1],
        .depth = region[2],
    };
    return ocl_enqueue(q, type, &w, blocking, count, list, out);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueReadBufferRect(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *buffer_origin,
                        const size_t *host_origin, const size_t *region, size_t buffer_row,
                        size_t buffer_slice, size_t host_row, size_t host_slice, void *host,
                        cl_uint count, const cl_event *list, cl_event *out) {
    if (!host) return CL_INVALID_VALUE;
    return copy_boxes(q, CL_COMMAND_READ_BUFFER_RECT,
                      (struct side){m, NULL, buffer_origin, buffer_row, buffer_slice},
                      (struct side){NULL, host, host_origin, host_row, host_slice}, region,
                      blocking, count, list, out);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBufferRect(
    cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *buffer_origin,
    const size_t *host_origin, const size_t *region, size_t buffer_row, size_t buffer_slice,
    size_t host_row, size_t host_slice, const void *host, cl_uint count, const cl_event *list,
    cl_event *out) {
    if (!host) return CL_INVALID_VALUE;
    return copy_boxes(
        q, CL_COMMAND_WRITE_BUFFER_RECT,
        (struct side){NULL, (void *)(uintptr_t)host, host_origin, host_row, host_slice},
        (struct side){m, NULL, buffer_origin, buffer_row, buffer_slice}, region, blocking, count,
        list, out);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferRect(
    cl_command_queue q, cl_mem from, cl_mem to, const size_t *from_origin, const size_t *to_origin,
    const size_t *region, size_t from_row, size_t from_slice, size_t to_row, size_t to_slice,
    cl_uint count, const cl_event *list, cl_event *out) {
    if (!ocl_is_buffer(from) || !ocl_is_buffer(to)) return CL_INVALID_MEM_OBJECT;
    return copy_boxes(q, CL_COMMAND_COPY_BUFFER_RECT,
                      (struct side){from, NULL, from_origin, from_row, from_slice},
                      (struct side){to, NULL, to_origin, to_row, to_slice}, region, false, count,
                      list, out);
}

/* ---- filling */

/* A pattern of more than 4 bytes is written word by word, each with the pattern's pitch. */
static int fill(uint64_t to, const void *pattern, size_t bytes, size_t size,
                struct cu_stream *stream) {
    uint8_t byte;
    uint16_t half;
    uint32_t word;
    if (bytes == 1) {
        memcpy(&byte, pattern, 1);
        return cuMemsetD8Async(to, byte, size, stream);
    }
    if (bytes == 2) {
        memcpy(&half, pattern, 2);
        return cuMemsetD16Async(to, half, size / 2, stream);
    }
    int result = 0;
    for (size_t i = 0; i < bytes && !result; i += 4) {
        memcpy(&word, (const char *)pattern + i, 4);
        result = bytes == 4 ? cuMemsetD32Async(to, word, size / 4, stream)
                            : cuMemsetD2D32Async(to + i, bytes, word, 1, size / bytes, stream);
    }
    return result;
}

static int run_fill(const struct ocl_work *w, struct cu_stream *stream) {
    return fill(w->to, w->pattern, w->pattern_bytes, w->size, stream);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue q, cl_mem m,
                                                    const void *pattern, size_t bytes,
                                                    size_t offset, size_t size, cl_uint count,
                                                    const cl_event *list, cl_event *out) {
    cl_int error = check_range(q, m, offset, size);
    if (!error && (!pattern || !bytes || bytes > 128 || (bytes & (bytes - 1)) || offset % bytes ||
                   size % bytes))
        error = CL_INVALID_VALUE;
    if (error) return error;
    struct ocl_work w = {.call = "clEnqueueFillBuffer",
                         .run = size ? run_fill : NULL,
                         .uses = {m},
                         .to = m->address + offset,
                         .size = size,
                         .pattern_bytes = bytes};
    memcpy(w.pattern, pattern, bytes);
    return ocl_enqueue(q, CL_COMMAND_FILL_BUFFER, &w, false, count, list, out);
}

/* Memory is on the device already. */
CL_API_ENTRY cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue q, cl_uint num,
                                                           const cl_mem *mems,
                                                           cl_mem_migration_flags flags,
                                                           cl_uint count, const cl_event *list,
                                                           cl_event *out) {
    const struct ocl_work w = {.call = "clEnqueueMigrateMemObjects"};
    cl_int error = num && mems ? CL_SUCCESS : CL_INVALID_VALUE;
    if (flags & ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST |
                                          CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))
        error = CL_INVALID_VALUE;
    for (cl_uint i = 0; i < num && !error; i++)
        if (!ocl_is(mems[i], OCL_MEM)) error = CL_INVALID_MEM_OBJECT;
    if (error) return error;
    return ocl_enqueue(q, CL_COMMAND_MIGRATE_MEM_OBJECTS, &w, false, count, list, out);
}

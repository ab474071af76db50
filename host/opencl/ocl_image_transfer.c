/* ocl_image_transfer.c - commands that read, write, copy and fill images. All are copies of boxes;
 * the layers of an array are the third dimension of a box, also those of an array of lines, whose
 * origins and regions have them second. */
#include <stdlib.h>
#include <string.h>

#include "opencl/opencl.h"

static bool is_line_array(const struct ocl_image *i) {
    return i->desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
}

/* One side of a copy: an image, else memory with pitches, of the host or the device. */
struct side {
    const struct ocl_image *image;
    const size_t *origin; /* of an image */
    void *host;
    uint64_t device;
    size_t row, slice; /* bytes */
};

/* What struct cu_copy3d has of a side: place (bytes, rows, layers), pitch, rows of a layer. */
struct end {
    size_t x, y, z, pitch, height;
    unsigned type;
    void *host, *array;
    uint64_t device;
};

/* `flat`: the copy's layers have single rows, which may lie at any distance. */
static struct end end_of(const struct side *s, bool flat) {
    const struct ocl_image *i = s->image;
    if (!i)
        return (struct end){.type = s->host ? CU_MEMORY_HOST : CU_MEMORY_DEVICE,
                            .host = s->host,
                            .device = s->device,
                            .pitch = flat ? s->slice : s->row,
                            .height = flat ? 1 : s->slice / s->row};
    const bool lines = is_line_array(i);
    return (struct end){.x = s->origin[0] * i->texel,
                        .y = lines ? 0 : s->origin[1],
                        .z = lines ? s->origin[1] : s->origin[2],
                        .type = i->array ? CU_MEMORY_ARRAY : CU_MEMORY_DEVICE,
                        .array = i->array,
                        .device = i->array ? 0 : i->desc.buffer->address,
                        .pitch = i->row,
                        .height = 1};
}

/* The copy of `region` texels from one side to the other. */
static struct cu_copy3d box_of(struct side from, struct side to, const size_t *region) {
    const struct ocl_image *i = from.image ? from.image : to.image;
    const bool lines = is_line_array(i);
    const size_t height = lines ? 1 : region[1];
    const struct end a = end_of(&from, height == 1), b = end_of(&to, height == 1);
    return (struct cu_copy3d){.src_x = a.x,
                              .src_y = a.y,
                              .src_z = a.z,
                              .src_type = a.type,
                              .src_host = a.host,
                              .src_device = a.device,
                              .src_array = a.array,
                              .src_pitch = a.pitch,
                              .src_height = a.height,
                              .dst_x = b.x,
                              .dst_y = b.y,
                              .dst_z = b.z,
                              .dst_type = b.type,
                              .dst_host = b.host,
                              .dst_device = b.device,
                              .dst_array = b.array,
                              .dst_pitch = b.pitch,
                              .dst_height = b.height,
                              .width = region[0] * i->texel,
                              .height = height,
                              .depth = lines ? region[1] : region[2]};
}

static struct ocl_work copy_of(const char *call, struct side from, struct side to,
                               const size_t *region) {
    return (struct ocl_work){.call = call, .run = ocl_run_copy, .copy = box_of(from, to, region)};
}

struct ocl_work ocl_image_write(const char *call, cl_mem m, const size_t *origin,
                                const size_t *region, const void *host, size_t row, size_t slice) {
    const struct side image = {.image = m->image, .origin = origin},
                      memory = {.host = (void *)(uintptr_t)host, .row = row, .slice = slice};
    struct ocl_work w = copy_of(call, memory, image, region);
    w.uses[0] = m;
    return w;
}

struct ocl_work ocl_image_read(const char *call, cl_mem m, const size_t *origin,
                               const size_t *region, void *host, size_t row, size_t slice) {
    const struct side image = {.image = m->image, .origin = origin},
                      memory = {.host = host, .row = row, .slice = slice};
    struct ocl_work w = copy_of(call, image, memory, region);
    w.uses[0] = m;
    return w;
}

/* ---- checks */

cl_int ocl_image_check_box(cl_mem m, const size_t *origin, const size_t *region) {
    if (!origin || !region) return CL_INVALID_VALUE;
    for (int d = 0; d < 3; d++) {
        size_t n = m->image->extent[d];
        if (!region[d] || origin[d] > n || region[d] > n - origin[d]) return CL_INVALID_VALUE;
    }
    return CL_SUCCESS;
}

static cl_int check_image(cl_command_queue q, cl_mem m, const size_t *origin,
                          const size_t *region) {
    if (!ocl_is(q, OCL_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    if (!ocl_is(m, OCL_MEM) || !m->image) return CL_INVALID_MEM_OBJECT;
    if (m->context != q->context) return CL_INVALID_CONTEXT;
    return ocl_image_check_box(m, origin, region);
}

/* Completes the pitches of the host's memory. */
static cl_int check_pitches(cl_mem m, const size_t *region, size_t *row, size_t *slice) {
    const struct ocl_image *i = m->image;
    bool lines = is_line_array(i), deep = lines || i->desc.image_depth > 1 ||
                                          i->desc.image_type == CL_MEM_OBJECT_IMAGE3D ||
                                          i->desc.image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    size_t rows = lines ? 1 : region[1];
    if (!*row) *row = region[0] * i->texel;
    if (*row < region[0] * i->texel) return CL_INVALID_VALUE;
    if (*slice && !deep) return CL_INVALID_VALUE;
    if (!*slice) *slice = *row * rows;
    return *slice < *row * rows || (rows > 1 && *slice % *row) ? CL_INVALID_VALUE : CL_SUCCESS;
}

/* ---- commands */

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue q, cl_mem m, cl_bool blocking,
                                                   const size_t *origin, const size_t *region,
                                                   size_t row, size_t slice, void *to,
                                                   cl_uint count, const cl_event *list,
                                                   cl_event *out) {
    cl_int error = check_image(q, m, origin, region);
    if (!error && !to) error = CL_INVALID_VALUE;
    if (!error) error = check_pitches(m, region, &row, &slice);
    if (!error) error = ocl_check_host(m, true, false);
    if (error) return error;
    const struct ocl_work w = ocl_image_read("clEnqueueReadImage", m, origin, region, to, row,
                                             slice);
    return ocl_enqueue(q, CL_COMMAND_READ_IMAGE, &w, blocking, count, list, out);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue q, cl_mem m, cl_bool blocking,
                                                    const size_t *origin, const size_t *region,
                                                    size_t row, size_t slice, const void *from,
                                                    cl_uint count, const cl_event *list,
                                                    cl_event *out) {
    cl_int error = check_image(q, m, origin, region);
    if (!error && !from) error = CL_INVALID_VALUE;
    if (!error) error = check_pitches(m, region, &row, &slice);
    if (!error) error = ocl_check_host(m, false, true);
    if (error) return error;
    const struct ocl_work w = ocl_image_write("clEnqueueWriteImage", m, origin, region, from, row,
                                              slice);
    return ocl_enqueue(q, CL_COMMAND_WRITE_IMAGE, &w, blocking, count, list, out);
}

/* True if two boxes of one image have a texel in common. */
static bool overlap(const size_t *a, const size_t *b, const size_t *region) {
    for (int d = 0; d < 3; d++)
        if (a[d] >= b[d] + region[d] || b[d] >= a[d] + region[d]) return false;
    return true;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue q, cl_mem from, cl_mem to,
                                                   const size_t *from_origin,
                                                   const size_t *to_origin, const size_t *region,
                                                   cl_uint count, const cl_event *list,
                                                   cl_event *out) {
    cl_int error = check_image(q, from, from_origin, region);
    if (!error) error = check_image(q, to, to_origin, region);
    if (!error && from->image->format != to->image->format) error = CL_IMAGE_FORMAT_MISMATCH;
    if (!error && from == to && overlap(from_origin, to_origin, region))
        error = CL_MEM_COPY_OVERLAP;
    if (!error && is_line_array(from->image) != is_line_array(to->image) && region[1] > 1) {
        ocl_say("clEnqueueCopyImage: several layers of an array of lines can only be copied to "
                "another one");
        error = CL_INVALID_OPERATION;
    }
    if (error) return error;
    struct ocl_work w = copy_of("clEnqueueCopyImage",
                                (struct side){.image = from->image, .origin = from_origin},
                                (struct side){.image = to->image, .origin = to_origin}, region);
    w.uses[0] = from;
    w.uses[1] = to;
    return ocl_enqueue(q, CL_COMMAND_COPY_IMAGE, &w, false, count, list, out);
}

/* Checks the other side of a copy, a buffer that holds the packed texels from `offset` on. */
static cl_int check_buffer(cl_command_queue q, cl_mem buffer, cl_mem image, size_t offset,
                           const size_t *region, struct side *out) {
    size_t row = region[0] * image->image->texel,
           slice = row * (is_line_array(image->image) ? 1 : region[1]),
           bytes = row * region[1] * region[2];
    if (!ocl_is_buffer(buffer)) return CL_INVALID_MEM_OBJECT;
    if (buffer->context != q->context) return CL_INVALID_CONTEXT;
    if (offset > buffer->size || bytes > buffer->size - offset) return CL_INVALID_VALUE;
    *out = (struct side){.device = buffer->address + offset, .row = row, .slice = slice};
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue q, cl_mem image,
                                                           cl_mem buffer, const size_t *origin,
                                                           const size_t *region, size_t offset,
                                                           cl_uint count, const cl_event *list,
                                                           cl_event *out) {
    struct side to;
    cl_int error = check_image(q, image, origin, region);
    if (!error) error = check_buffer(q, buffer, image, offset, region, &to);
    if (error) return error;
    struct ocl_work w = copy_of("clEnqueueCopyImageToBuffer",
                                (struct side){.image = image->image, .origin = origin}, to, region);
    w.uses[0] = image;
    w.uses[1] = buffer;
    return ocl_enqueue(q, CL_COMMAND_COPY_IMAGE_TO_BUFFER, &w, false, count, list, out);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue q, cl_mem buffer,
                                                           cl_mem image, size_t offset,
                                                           const size_t *origin,
                                                           const size_t *region, cl_uint count,
                                                           const cl_event *list, cl_event *out) {
    struct side from;
    cl_int error = check_image(q, image, origin, region);
    if (!error) error = check_buffer(q, buffer, image, offset, region, &from);
    if (error) return error;
    struct ocl_work w = copy_of("clEnqueueCopyBufferToImage", from,
                                (struct side){.image = image->image, .origin = origin}, region);
    w.uses[0] = buffer;
    w.uses[1] = image;
    return ocl_enqueue(q, CL_COMMAND_COPY_BUFFER_TO_IMAGE, &w, false, count, list, out);
}

/* The host makes the texels. */
CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue q, cl_mem m, const void *color,
                                                   const size_t *origin, const size_t *region,
                                                   cl_uint count, const cl_event *list,
                                                   cl_event *out) {
    unsigned char texel[16];
    cl_int error = check_image(q, m, origin, region);
    if (!error && !color) error = CL_INVALID_VALUE;
    if (error) return error;
    size_t bytes = m->image->texel, row = region[0] * bytes,
           slice = row * (is_line_array(m->image) ? 1 : region[1]),
           count_texels = region[0] * region[1] * region[2];
    unsigned char *texels = malloc(count_texels * bytes);
    if (!texels) return CL_OUT_OF_HOST_MEMORY;
    ocl_format_encode(m->image->format, color, texel);
    for (size_t k = 0; k < count_texels; k++) memcpy(texels + k * bytes, texel, bytes);
    struct ocl_work w = ocl_image_write("clEnqueueFillImage", m, origin, region, texels, row,
                                        slice);
    w.own = texels;
    return ocl_enqueue(q, CL_COMMAND_FILL_IMAGE, &w, false, count, list, out);
}

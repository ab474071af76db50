/* ocl_image.c - images. An image is a CUDA array with a surface object and one texture object for
 * each value that a sampler can have, because a texture object includes its sampler. A kernel gets
 * the address of the image's record, which has the objects' handles and what get_image_* answer
 * (image.cl). An image of a buffer is linear memory: it has one texture and no surface. */
#include <stdlib.h>
#include <string.h>

#include "opencl/opencl.h"

/* The shapes: how a descriptor becomes an array. */
static const struct shape {
    cl_mem_object_type type;
    const char *name; /* of the type in OpenCL C */
    unsigned dims;
    bool layered;
    size_t most[3]; /* texels in each dimension */
} shapes[] = {
    {CL_MEM_OBJECT_IMAGE1D, "image1d_t", 1, false, {OCL_MAX_IMAGE_WIDTH, 1, 1}},
    {CL_MEM_OBJECT_IMAGE1D_BUFFER, "image1d_buffer_t", 1, false, {OCL_MAX_IMAGE_BUFFER, 1, 1}},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, "image1d_array_t", 1, true, {OCL_MAX_IMAGE_WIDTH, 1, 1}},
    {CL_MEM_OBJECT_IMAGE2D, "image2d_t", 2, false, {OCL_MAX_IMAGE_WIDTH, OCL_MAX_IMAGE_HEIGHT, 1}},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY,
     "image2d_array_t",
     2,
     true,
     {OCL_MAX_IMAGE_WIDTH, OCL_MAX_IMAGE_HEIGHT, 1}},
    {CL_MEM_OBJECT_IMAGE3D,
     "image3d_t",
     3,
     false,
     {OCL_MAX_VOLUME, OCL_MAX_VOLUME, OCL_MAX_VOLUME}},
};

static const struct shape *shape_of(cl_mem_object_type type) {
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (shapes[i].type == type) return &shapes[i];
    return NULL;
}

bool ocl_image_fits(const char *type, const struct ocl_image *image) {
    const struct shape *s = shape_of(image->desc.image_type);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (strcmp(type, shapes[i].name) == 0) return s == &shapes[i];
    return true; /* a typedef: the kernel's instructions check the shape */
}

/* ---- checks */

/* Checks a descriptor and completes it: unused sizes become 1, pitches of 0 those of packed texels.
 * @return OpenCL error. */
static cl_int check_desc(struct ocl_image *i, const void *host) {
    cl_image_desc *d = &i->desc;
    const struct shape *s = shape_of(d->image_type);
    if (!s || d->num_mip_levels || d->num_samples) return CL_INVALID_IMAGE_DESCRIPTOR;
    bool of_buffer = d->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    if (d->buffer && !of_buffer) {
        ocl_say("clCreateImage: an image of a memory object is not supported, but for "
                "CL_MEM_OBJECT_IMAGE1D_BUFFER");
        return CL_INVALID_IMAGE_DESCRIPTOR;
    }
    if (of_buffer && !ocl_is_buffer(d->buffer)) return CL_INVALID_IMAGE_DESCRIPTOR;
    if (s->dims < 2) d->image_height = 1;
    if (s->dims < 3) d->image_depth = 1;
    if (!s->layered) d->image_array_size = 1;
    const size_t size[3] = {d->image_width, d->image_height, d->image_depth};
    for (int k = 0; k < 3; k++) {
        if (!size[k]) return CL_INVALID_IMAGE_DESCRIPTOR;
        if (size[k] > s->most[k]) return CL_INVALID_IMAGE_SIZE;
    }
    if (!d->image_array_size) return CL_INVALID_IMAGE_DESCRIPTOR;
    if (d->image_array_size > OCL_MAX_IMAGE_LAYERS) return CL_INVALID_IMAGE_SIZE;
    if (!host && (d->image_row_pitch || d->image_slice_pitch) && !of_buffer)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    size_t row = d->image_width * i->texel;
    if (!d->image_row_pitch) d->image_row_pitch = row;
    if (d->image_row_pitch < row || d->image_row_pitch % i->texel)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    size_t slice = d->image_row_pitch * d->image_height;
    if (!d->image_slice_pitch) d->image_slice_pitch = slice;
    if (d->image_slice_pitch < slice || d->image_slice_pitch % d->image_row_pitch)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    return CL_SUCCESS;
}

/* Fills in what copies need. */
static void measure(struct ocl_image *i) {
    const cl_image_desc *d = &i->desc;
    bool line_array = d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    i->extent[0] = d->image_width;
    i->extent[1] = line_array ? d->image_array_size : d->image_height;
    i->extent[2] = d->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? d->image_array_size
                                                                : d->image_depth;
    i->row = d->image_row_pitch;
    i->slice = d->image_slice_pitch;
}

/* ---- the objects behind an image */

static int make_array(struct ocl_image *i) {
    const cl_image_desc *d = &i->desc;
    const struct shape *s = shape_of(d->image_type);
    const struct cu_array a = {
        .width = d->image_width,
        .height = s->dims > 1 ? d->image_height : 0,
        .depth = s->layered    ? d->image_array_size
                 : s->dims > 2 ? d->image_depth
                               : 0,
        .format = i->format->array_format,
        .channels = i->format->channels,
        .flags = CU_ARRAY_SURFACE | (s->layered ? CU_ARRAY_LAYERED : 0),
    };
    return cuArray3DCreate_v2(&i->array, &a);
}

/* The address mode of a sampler's value, as CUDA numbers it. Repeating without normalised
 * coordinates is undefined in OpenCL; it clamps. */
static int address_mode(uint32_t bits) {
    static const int modes[] = {CU_CLAMP, CU_CLAMP, CU_BORDER, CU_WRAP, CU_MIRROR};
    int mode = modes[bits >> 1 & 7];
    return !(bits & 1) && (mode == CU_WRAP || mode == CU_MIRROR) ? CU_CLAMP : mode;
}

/* Makes the texture object of a sampler's value, or takes one that reads in the same way. */
static int make_texture(struct ocl_image *i, const struct cu_resource *r, uint32_t bits) {
    uint64_t *out = &i->words[OCL_WORD_TEXTURES + ocl_sampler_slot(bits)];
    bool linear = bits & 0x20 && !i->format->integer && i->array;
    struct cu_texture t = {
        .filter = linear,
        .flags = (i->format->integer ? CU_READ_AS_INTEGER : 0) |
                 (bits & 1 ? CU_NORMALIZED_COORDINATES : 0),
    };
    for (int k = 0; k < 3; k++) t.address[k] = address_mode(bits);
    const uint32_t one = 1;
    if (i->format->opaque_border && i->format->integer)
        memcpy(&t.border[3], &one, sizeof one);
    else if (i->format->opaque_border)
        t.border[3] = 1;
    /* values in this order: what a repeated object is like comes first */
    uint32_t like = bits;
    if ((bits >> 1 & 7) == 0) like = bits | 2;                         /* NONE: to the edge */
    if (!(bits & 1) && (bits >> 1 & 7) > 2) like = (bits & 0x30u) | 2; /* undefined */
    if (bits & 0x20 && !linear) like = (like & 0xfu) | 0x10;
    uint64_t there = i->words[OCL_WORD_TEXTURES + ocl_sampler_slot(like)];
    if (there) {
        *out = there;
        return 0;
    }
    return cuTexObjectCreate(out, r, &t, NULL);
}

static int make_objects(struct ocl_image *i) {
    struct cu_resource r = {.type = CU_RESOURCE_ARRAY, .of.array = i->array};
    if (!i->array) {
        r.type = CU_RESOURCE_LINEAR;
        r.of.linear.address = i->desc.buffer->address;
        r.of.linear.format = i->format->array_format;
        r.of.linear.channels = i->format->channels;
        r.of.linear.bytes = i->desc.image_width * i->texel;
        return make_texture(i, &r, 0); /* read without a sampler */
    }
    int result = cuSurfObjectCreate(&i->words[OCL_WORD_SURFACE], &r);
    static const uint32_t modes[] = {1, 2, 3, 4, 0}; /* to the edge first */
    for (uint32_t filter = 0x10; filter <= 0x20; filter += 0x10)
        for (uint32_t normalized = 0; normalized < 2; normalized++)
            for (size_t m = 0; m < sizeof modes / sizeof modes[0] && !result; m++)
                result = make_texture(i, &r, filter | modes[m] << 1 | normalized);
    return result;
}

/* Writes the record to device memory. */
static int make_record(cl_mem m) {
    struct ocl_image *i = m->image;
    const cl_image_desc *d = &i->desc;
    uint32_t scale;
    memcpy(&scale, &i->format->scale, sizeof scale);
    uint64_t *w = i->words;
    w[OCL_WORD_MEMORY] = d->buffer ? d->buffer->address : 0;
    w[OCL_WORD_WIDTH] = d->image_width;
    w[OCL_WORD_HEIGHT] = d->image_height;
    w[OCL_WORD_DEPTH] = d->image_depth;
    w[OCL_WORD_LAYERS] = d->image_array_size;
    w[OCL_WORD_ORDER] = i->format->format.image_channel_order;
    w[OCL_WORD_TYPE] = i->format->format.image_channel_data_type;
    w[OCL_WORD_SWIZZLE] = i->format->swizzle;
    w[OCL_WORD_CHANNELS] = i->format->channels;
    w[OCL_WORD_BYTES] = i->format->bytes;
    w[OCL_WORD_SCALE] = scale;
    int result = cuMemAlloc_v2(&m->address, sizeof i->words);
    return result ? result : cuMemcpyHtoD_v2(m->address, w, sizeof i->words);
}

/* The objects of a record, each once. Kernels in queues may still use them: freeing memory waits
 * for these. */
static void free_image(cl_mem m) {
    struct ocl_image *i = m->image;
    if (m->address) cuMemFree_v2(m->address);
    for (unsigned k = 0; k < OCL_SAMPLERS; k++) {
        uint64_t t = i->words[OCL_WORD_TEXTURES + k];
        if (!t) continue;
        for (unsigned n = k; n < OCL_SAMPLERS; n++)
            if (i->words[OCL_WORD_TEXTURES + n] == t) i->words[OCL_WORD_TEXTURES + n] = 0;
        cuTexObjectDestroy(t);
    }
    if (i->words[OCL_WORD_SURFACE]) cuSurfObjectDestroy(i->words[OCL_WORD_SURFACE]);
    if (i->array) cuArrayDestroy(i->array);
    if (i->desc.buffer) clReleaseMemObject(i->desc.buffer);
    free(i);
}

/* Makes an image of a checked descriptor. */
static cl_int make_image(cl_mem m, void *host) {
    struct ocl_image *i = m->image;
    if (i->desc.buffer) {
        ocl_retain(i->desc.buffer);
        if (i->desc.image_width * i->texel > i->desc.buffer->size) return CL_INVALID_IMAGE_SIZE;
    }
    int result = i->desc.buffer ? 0 : make_array(i);
    if (!result) result = make_objects(i);
    if (!result) result = make_record(m);
    if (!result && host) {
        const size_t origin[3] = {0, 0, 0};
        const struct ocl_work w = ocl_image_write("clCreateImage", m, origin, i->extent, host,
                                                  i->row, i->slice);
        result = w.run(&w, m->context->aside);
        if (!result) result = cuStreamSynchronize(m->context->aside);
    }
    return ocl_error(result, "clCreateImage", CL_OUT_OF_RESOURCES);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags,
                                              const cl_image_format *format,
                                              const cl_image_desc *desc, void *host,
                                              cl_int *error) {
    if (!ocl_is(context, OCL_CONTEXT)) return ocl_fail(error, CL_INVALID_CONTEXT);
    if (!format) return ocl_fail(error, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    if (!desc) return ocl_fail(error, CL_INVALID_IMAGE_DESCRIPTOR);
    const struct ocl_format *row = ocl_format_find(format);
    if (!row) {
        ocl_say("clCreateImage: channel order 0x%x with channel type 0x%x is not supported; "
                "clGetSupportedImageFormats lists the formats",
                format->image_channel_order, format->image_channel_data_type);
        return ocl_fail(error, CL_IMAGE_FORMAT_NOT_SUPPORTED);
    }
    cl_int e = ocl_check_flags(flags, host);
    if (!e) e = ocl_enter(context);
    if (e) return ocl_fail(error, e);
    cl_mem m = ocl_new(sizeof *m, OCL_MEM);
    struct ocl_image *i = calloc(1, sizeof *i);
    if (!m || !i) {
        free(m);
        free(i);
        return ocl_fail(error, CL_OUT_OF_HOST_MEMORY);
    }
    i->format = row;
    i->texel = row->channels * row->bytes;
    i->desc = *desc;
    e = check_desc(i, host);
    if (e) {
        free(m);
        free(i);
        return ocl_fail(error, e);
    }
    measure(i);
    m->context = context;
    m->image = i;
    m->free_memory = free_image;
    m->size = i->desc.image_array_size > 1 || i->desc.image_depth > 1
                  ? i->slice * i->desc.image_depth * i->desc.image_array_size
                  : i->row * i->desc.image_height;
    if (i->desc.buffer)
        m->flags = ocl_inherited_flags(flags, i->desc.buffer);
    else
        m->flags = flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY)
                       ? flags
                       : flags | CL_MEM_READ_WRITE;
    m->host = i->desc.buffer ? i->desc.buffer->host : flags & CL_MEM_USE_HOST_PTR ? host : NULL;
    pthread_mutex_init(&m->lock, NULL);
    ocl_retain(context);
    e = make_image(m, host);
    if (e) {
        clReleaseMemObject(m);
        return ocl_fail(error, e);
    }
    if (error) *error = CL_SUCCESS;
    return m;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImageWithProperties(
    cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
    const cl_image_format *format, const cl_image_desc *desc, void *host, cl_int *error) {
    if (properties && properties[0]) return ocl_fail(error, CL_INVALID_PROPERTY);
    return clCreateImage(context, flags, format, desc, host, error);
}

/* OpenCL 1.1 had errors of its own for a descriptor. */
static cl_mem create_old(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                         const cl_image_desc *desc, void *host, cl_int *error) {
    cl_int e = CL_SUCCESS;
    cl_mem m = clCreateImage(context, flags, format, desc, host, &e);
    if (e == CL_INVALID_IMAGE_DESCRIPTOR) e = CL_INVALID_IMAGE_SIZE;
    if (error) *error = e;
    return m;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags,
                                                const cl_image_format *format, size_t width,
                                                size_t height, size_t row, void *host,
                                                cl_int *error) {
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = width,
                                .image_height = height,
                                .image_row_pitch = row};
    return create_old(context, flags, format, &desc, host, error);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags,
                                                const cl_image_format *format, size_t width,
                                                size_t height, size_t depth, size_t row,
                                                size_t slice, void *host, cl_int *error) {
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                .image_width = width,
                                .image_height = height,
                                .image_depth = depth,
                                .image_row_pitch = row,
                                .image_slice_pitch = slice};
    return create_old(context, flags, format, &desc, host, error);
}

/* Sizes of dimensions that an image does not have are 0. */
CL_API_ENTRY cl_int CL_API_CALL clGetImageInfo(cl_mem m, cl_image_info name, size_t size,
                                               void *value, size_t *size_out) {
    if (!ocl_is(m, OCL_MEM) || !m->image) return CL_INVALID_MEM_OBJECT;
    const struct ocl_image *i = m->image;
    const struct shape *s = shape_of(i->desc.image_type);
    const cl_uint none = 0;
    size_t number = 0;
    switch (name) {
    case CL_IMAGE_FORMAT:
        return ocl_answer(size, value, size_out, &i->format->format, sizeof i->format->format);
    case CL_IMAGE_ELEMENT_SIZE: number = i->texel; break;
    case CL_IMAGE_ROW_PITCH: number = i->row; break;
    case CL_IMAGE_SLICE_PITCH: number = s->dims > 2 || s->layered ? i->slice : 0; break;
    case CL_IMAGE_WIDTH: number = i->desc.image_width; break;
    case CL_IMAGE_HEIGHT: number = s->dims > 1 ? i->desc.image_height : 0; break;
    case CL_IMAGE_DEPTH: number = s->dims > 2 ? i->desc.image_depth : 0; break;
    case CL_IMAGE_ARRAY_SIZE: number = s->layered ? i->desc.image_array_size : 0; break;
    case CL_IMAGE_BUFFER:
        return ocl_answer(size, value, size_out, &i->desc.buffer, sizeof i->desc.buffer);
    case CL_IMAGE_NUM_MIP_LEVELS:
    case CL_IMAGE_NUM_SAMPLES: return ocl_answer(size, value, size_out, &none, sizeof none);
    default: return CL_INVALID_VALUE;
    }
    return ocl_answer(size, value, size_out, &number, sizeof number);
}

/* ocl_sampler.c - samplers. A kernel knows a sampler by its value, CLK_..., as it does those that
 * it defines itself; the textures of an image are there for each value (ocl_image.c). */
#include <stdlib.h>

#include "opencl/opencl.h"

uint32_t ocl_sampler_bits(cl_bool normalized, cl_addressing_mode address, cl_filter_mode filter) {
    enum { NEAREST = 0x10, LINEAR = 0x20 }; /* CLK_FILTER_... */
    return (normalized ? 1u : 0u) | (address - CL_ADDRESS_NONE) << 1 |
           (filter == CL_FILTER_LINEAR ? LINEAR : NEAREST);
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool normalized,
                                                    cl_addressing_mode address,
                                                    cl_filter_mode filter, cl_int *error) {
    if (!ocl_is(context, OCL_CONTEXT)) return ocl_fail(error, CL_INVALID_CONTEXT);
    bool turns = address == CL_ADDRESS_REPEAT || address == CL_ADDRESS_MIRRORED_REPEAT;
    if (address < CL_ADDRESS_NONE || address > CL_ADDRESS_MIRRORED_REPEAT ||
        (filter != CL_FILTER_NEAREST && filter != CL_FILTER_LINEAR) || normalized > CL_TRUE ||
        (turns && !normalized))
        return ocl_fail(error, CL_INVALID_VALUE);
    cl_sampler s = ocl_new(sizeof *s, OCL_SAMPLER);
    if (!s) return ocl_fail(error, CL_OUT_OF_HOST_MEMORY);
    s->context = context;
    s->normalized = normalized;
    s->address = address;
    s->filter = filter;
    ocl_retain(context);
    if (error) *error = CL_SUCCESS;
    return s;
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSamplerWithProperties(cl_context context,
                                                                  const cl_sampler_properties *list,
                                                                  cl_int *error) {
    cl_bool normalized = CL_TRUE;
    cl_addressing_mode address = CL_ADDRESS_CLAMP;
    cl_filter_mode filter = CL_FILTER_NEAREST;
    for (size_t i = 0; list && list[i]; i += 2) {
        switch (list[i]) {
        case CL_SAMPLER_NORMALIZED_COORDS: normalized = (cl_bool)list[i + 1]; break;
        case CL_SAMPLER_ADDRESSING_MODE: address = (cl_addressing_mode)list[i + 1]; break;
        case CL_SAMPLER_FILTER_MODE: filter = (cl_filter_mode)list[i + 1]; break;
        default:
            ocl_say("clCreateSamplerWithProperties: property 0x%lx is not supported",
                    (long)list[i]);
            return ocl_fail(error, CL_INVALID_VALUE);
        }
    }
    return clCreateSampler(context, normalized, address, filter, error);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainSampler(cl_sampler s) {
    if (!ocl_is(s, OCL_SAMPLER)) return CL_INVALID_SAMPLER;
    ocl_retain(s);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseSampler(cl_sampler s) {
    if (!ocl_is(s, OCL_SAMPLER)) return CL_INVALID_SAMPLER;
    if (!ocl_release(s)) return CL_SUCCESS;
    clReleaseContext(s->context);
    free(s);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetSamplerInfo(cl_sampler s, cl_sampler_info name, size_t size,
                                                 void *value, size_t *size_out) {
    if (!ocl_is(s, OCL_SAMPLER)) return CL_INVALID_SAMPLER;
    cl_uint references = s->object.references;
    switch (name) {
    case CL_SAMPLER_REFERENCE_COUNT:
        return ocl_answer(size, value, size_out, &references, sizeof references);
    case CL_SAMPLER_CONTEXT:
        return ocl_answer(size, value, size_out, &s->context, sizeof s->context);
    case CL_SAMPLER_NORMALIZED_COORDS:
        return ocl_answer(size, value, size_out, &s->normalized, sizeof s->normalized);
    case CL_SAMPLER_ADDRESSING_MODE:
        return ocl_answer(size, value, size_out, &s->address, sizeof s->address);
    case CL_SAMPLER_FILTER_MODE:
        return ocl_answer(size, value, size_out, &s->filter, sizeof s->filter);
    }
    return CL_INVALID_VALUE;
}

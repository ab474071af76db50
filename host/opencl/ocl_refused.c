/* ocl_refused.c - the calls that Heddle does not support (tables/opencl_calls.def): each prints its
 * name and what is missing, and fails. */
#include <string.h>

#include "opencl/opencl.h"

/* The calls' parameters are those of CL/cl.h; none is read but where the error goes. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* Prints that a call is refused. */
static void refuse(const char *name) {
    static const struct {
        const char *name, *what;
    } rows[] = {
#define OPENCL_REFUSED(name, since, what) {#name, what},
#include "tables/opencl_calls.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0)
            ocl_say("%s is not supported: %s are missing (docs/opencl-calls.md)", name,
                    rows[i].what);
}

#define REFUSE(name, parameters)                      \
    CL_API_ENTRY cl_int CL_API_CALL name parameters { \
        refuse(#name);                                \
        return CL_INVALID_OPERATION;                  \
    }
#define REFUSE_OBJECT(type, name, parameters)               \
    CL_API_ENTRY type CL_API_CALL name parameters {         \
        refuse(#name);                                      \
        return ocl_fail(errcode_ret, CL_INVALID_OPERATION); \
    }

REFUSE(clEnqueueNativeKernel,
       (cl_command_queue command_queue, void(CL_CALLBACK *user_func)(void *notify), void *args,
        size_t cb_args, cl_uint num_mem_objects, const cl_mem *mem_list, const void **args_mem_loc,
        cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event))
REFUSE_OBJECT(cl_mem, clCreateFromGLBuffer,
              (cl_context context, cl_mem_flags flags, cl_GLuint bufobj, int *errcode_ret))
REFUSE_OBJECT(cl_mem, clCreateFromGLTexture2D,
              (cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
               cl_GLuint texture, cl_int *errcode_ret))
REFUSE_OBJECT(cl_mem, clCreateFromGLTexture3D,
              (cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
               cl_GLuint texture, cl_int *errcode_ret))
REFUSE_OBJECT(cl_mem, clCreateFromGLRenderbuffer,
              (cl_context context, cl_mem_flags flags, cl_GLuint renderbuffer, cl_int *errcode_ret))
REFUSE(clGetGLObjectInfo,
       (cl_mem memobj, cl_gl_object_type *gl_object_type, cl_GLuint *gl_object_name))
REFUSE(clGetGLTextureInfo, (cl_mem memobj, cl_gl_texture_info param_name, size_t param_value_size,
                            void *param_value, size_t *param_value_size_ret))
REFUSE(clEnqueueAcquireGLObjects,
       (cl_command_queue command_queue, cl_uint num_objects, const cl_mem *mem_objects,
        cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event))
REFUSE(clEnqueueReleaseGLObjects,
       (cl_command_queue command_queue, cl_uint num_objects, const cl_mem *mem_objects,
        cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event))
REFUSE(clGetGLContextInfoKHR,
       (const cl_context_properties *properties, cl_gl_context_info param_name,
        size_t param_value_size, void *param_value, size_t *param_value_size_ret))
REFUSE(clCreateSubDevicesEXT,
       (cl_device_id in_device, const cl_device_partition_property_ext *partition_properties,
        cl_uint num_entries, cl_device_id *out_devices, cl_uint *num_devices))
REFUSE(clRetainDeviceEXT, (cl_device_id device))
REFUSE(clReleaseDeviceEXT, (cl_device_id device))
REFUSE_OBJECT(cl_event, clCreateEventFromGLsyncKHR,
              (cl_context context, cl_GLsync sync, cl_int *errcode_ret))
REFUSE(clCreateSubDevices,
       (cl_device_id in_device, const cl_device_partition_property *partition_properties,
        cl_uint num_entries, cl_device_id *out_devices, cl_uint *num_devices))
REFUSE_OBJECT(cl_program, clCreateProgramWithBuiltInKernels,
              (cl_context context, cl_uint num_devices, const cl_device_id *device_list,
               const char *kernel_names, cl_int *errcode_ret))
REFUSE_OBJECT(cl_mem, clCreateFromGLTexture,
              (cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
               cl_GLuint texture, cl_int *errcode_ret))
REFUSE_OBJECT(cl_mem, clCreateFromEGLImageKHR,
              (cl_context context, CLeglDisplayKHR display, CLeglImageKHR image, cl_mem_flags flags,
               const cl_egl_image_properties_khr *properties, cl_int *errcode_ret))
REFUSE(clEnqueueAcquireEGLObjectsKHR,
       (cl_command_queue command_queue, cl_uint num_objects, const cl_mem *mem_objects,
        cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event))
REFUSE(clEnqueueReleaseEGLObjectsKHR,
       (cl_command_queue command_queue, cl_uint num_objects, const cl_mem *mem_objects,
        cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event))
REFUSE_OBJECT(cl_event, clCreateEventFromEGLSyncKHR,
              (cl_context context, CLeglSyncKHR sync, CLeglDisplayKHR display, cl_int *errcode_ret))
REFUSE_OBJECT(cl_mem, clCreatePipe,
              (cl_context a0, cl_mem_flags a1, cl_uint a2, cl_uint a3, const cl_pipe_properties *a4,
               cl_int *errcode_ret))
REFUSE(clGetPipeInfo, (cl_mem a0, cl_pipe_info a1, size_t a2, void *a3, size_t *a4))

CL_API_ENTRY void *CL_API_CALL clSVMAlloc(cl_context a0, cl_svm_mem_flags a1, size_t a2,
                                          unsigned int a3) {
    refuse("clSVMAlloc");
    return NULL;
}

CL_API_ENTRY void CL_API_CALL clSVMFree(cl_context a0, void *a1) {
    refuse("clSVMFree");
}
REFUSE(clEnqueueSVMFree,
       (cl_command_queue a0, cl_uint a1, void **a2,
        void(CL_CALLBACK *pfn_free_func)(cl_command_queue, cl_uint, void **, void *notify),
        void *a4, cl_uint a5, const cl_event *a6, cl_event *a7))
REFUSE(clEnqueueSVMMemcpy, (cl_command_queue a0, cl_bool a1, void *a2, const void *a3, size_t a4,
                            cl_uint a5, const cl_event *a6, cl_event *a7))
REFUSE(clEnqueueSVMMemFill, (cl_command_queue a0, void *a1, const void *a2, size_t a3, size_t a4,
                             cl_uint a5, const cl_event *a6, cl_event *a7))
REFUSE(clEnqueueSVMMap, (cl_command_queue a0, cl_bool a1, cl_map_flags a2, void *a3, size_t a4,
                         cl_uint a5, const cl_event *a6, cl_event *a7))
REFUSE(clEnqueueSVMUnmap,
       (cl_command_queue a0, void *a1, cl_uint a2, const cl_event *a3, cl_event *a4))
REFUSE(clSetKernelArgSVMPointer, (cl_kernel a0, cl_uint a1, const void *a2))
REFUSE(clSetKernelExecInfo, (cl_kernel a0, cl_kernel_exec_info a1, size_t a2, const void *a3))
REFUSE(clGetKernelSubGroupInfoKHR, (cl_kernel a0, cl_device_id a1, cl_kernel_sub_group_info a2,
                                    size_t a3, const void *a4, size_t a5, void *a6, size_t *a7))
REFUSE_OBJECT(cl_kernel, clCloneKernel, (cl_kernel source_kernel, cl_int *errcode_ret))
REFUSE_OBJECT(cl_program, clCreateProgramWithIL,
              (cl_context context, const void *il, size_t length, cl_int *errcode_ret))
REFUSE(clEnqueueSVMMigrateMem,
       (cl_command_queue command_queue, cl_uint num_svm_pointers, const void **svm_pointers,
        const size_t *sizes, cl_mem_migration_flags flags, cl_uint num_events_in_wait_list,
        const cl_event *event_wait_list, cl_event *event))
REFUSE(clGetDeviceAndHostTimer,
       (cl_device_id device, cl_ulong *device_timestamp, cl_ulong *host_timestamp))
REFUSE(clGetHostTimer, (cl_device_id device, cl_ulong *host_timestamp))
REFUSE(clGetKernelSubGroupInfo,
       (cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param_name,
        size_t input_value_size, const void *input_value, size_t param_value_size,
        void *param_value, size_t *param_value_size_ret))
REFUSE(clSetDefaultDeviceCommandQueue,
       (cl_context context, cl_device_id device, cl_command_queue command_queue))
REFUSE(clSetProgramReleaseCallback,
       (cl_program program, void(CL_CALLBACK *pfn_notify)(cl_program program, void *user_data),
        void *user_data))
REFUSE(clSetProgramSpecializationConstant,
       (cl_program program, cl_uint spec_id, size_t spec_size, const void *spec_value))
REFUSE(clSetContextDestructorCallback,
       (cl_context context, void(CL_CALLBACK *pfn_notify)(cl_context context, void *user_data),
        void *user_data))

; image_types.ll - what image.cl cannot say in OpenCL C: an image is the address of its record, a
; sampler the bits of its value (CLK_...), and the words of a record never change in a kernel.
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64--nvidiacl"

%opencl.image1d_ro_t = type opaque
%opencl.image1d_wo_t = type opaque
%opencl.image1d_buffer_ro_t = type opaque
%opencl.image1d_buffer_wo_t = type opaque
%opencl.image1d_array_ro_t = type opaque
%opencl.image1d_array_wo_t = type opaque
%opencl.image2d_ro_t = type opaque
%opencl.image2d_wo_t = type opaque
%opencl.image2d_array_ro_t = type opaque
%opencl.image2d_array_wo_t = type opaque
%opencl.image3d_ro_t = type opaque
%opencl.image3d_wo_t = type opaque
%opencl.sampler_t = type opaque

define i64 @_Z14__heddle_image14ocl_image1d_ro(%opencl.image1d_ro_t addrspace(1)* %image) alwaysinline {
  %address = ptrtoint %opencl.image1d_ro_t addrspace(1)* %image to i64
  ret i64 %address
}
define i64 @_Z14__heddle_image14ocl_image1d_wo(%opencl.image1d_wo_t addrspace(1)* %image) alwaysinline {
  %address = ptrtoint %opencl.image1d_wo_t addrspace(1)* %image to i64
  ret i64 %address
}
define i64 @_Z14__heddle_image21ocl_image1d_buffer_ro(%opencl.image1d_buffer_ro_t addrspace(1)* %image) alwaysinline {
  %address = ptrtoint %opencl.image1d_buffer_ro_t addrspace(1)* %image to i64
  ret i64 %address
}
define i64 @_Z14__heddle_image21ocl_image1d_buffer_wo(%opencl.image1d_buffer_wo_t addrspace(1)* %image) alwaysinline {
  %address = ptrtoint %opencl.image1d_buffer_wo_t addrspace(1)* %image to i64
  ret i64 %address
}
define i64 @_Z14__heddle_image20ocl_image1d_array_ro(%opencl.image1d_array_ro_t addrspace(1)* %image) alwaysinline {
  %address = ptrtoint %opencl.image1d_array_ro_t addrspace(1)* %image to i64
  ret i64 %address
}
define i64 @_Z14__heddle_image20ocl_image1d_array_wo(%opencl.image1d_array_wo_t addrspace(1)* %image) alwaysinline {
  %address = ptrtoint %opencl.image1d_array_wo_t addrspace(1)* %image to i64
  ret i64 %address
}
define i64 @_Z14__heddle_image14ocl_image2d_ro(%opencl.image2d_ro_t addrspace(1)* %image) alwaysinline {
  %address = ptrtoint %opencl.image2d_ro_t addrspace(1)* %image to i64
  ret i64 %address
}
define i64 @_Z14__heddle_image14ocl_image2d_wo(%opencl.image2d_wo_t addrspace(1)* %image) alwaysinline {
  %address = ptrtoint %opencl.image2d_wo_t addrspace(1)* %image to i64
  ret i64 %address
}
define i64 @_Z14__heddle_image20ocl_image2d_array_ro(%opencl.image2d_array_ro_t addrspace(1)* %image) alwaysinline {
  %address = ptrtoint %opencl.image2d_array_ro_t addrspace(1)* %image to i64
  ret i64 %address
}
define i64 @_Z14__heddle_image20ocl_image2d_array_wo(%opencl.image2d_array_wo_t addrspace(1)* %image) alwaysinline {
  %address = ptrtoint %opencl.image2d_array_wo_t addrspace(1)* %image to i64
  ret i64 %address
}
define i64 @_Z14__heddle_image14ocl_image3d_ro(%opencl.image3d_ro_t addrspace(1)* %image) alwaysinline {
  %address = ptrtoint %opencl.image3d_ro_t addrspace(1)* %image to i64
  ret i64 %address
}
define i64 @_Z14__heddle_image14ocl_image3d_wo(%opencl.image3d_wo_t addrspace(1)* %image) alwaysinline {
  %address = ptrtoint %opencl.image3d_wo_t addrspace(1)* %image to i64
  ret i64 %address
}

define i64 @__heddle_word(i64 %image, i32 %index) alwaysinline {
  %record = inttoptr i64 %image to i64 addrspace(1)*
  %at = getelementptr i64, i64 addrspace(1)* %record, i32 %index
  %word = load i64, i64 addrspace(1)* %at, align 8, !invariant.load !0
  ret i64 %word
}

define i32 @__heddle_sampler(%opencl.sampler_t addrspace(4)* %sampler) alwaysinline {
  %bits = ptrtoint %opencl.sampler_t addrspace(4)* %sampler to i64
  %value = trunc i64 %bits to i32
  ret i32 %value
}

define %opencl.sampler_t addrspace(4)* @__translate_sampler_initializer(i32 %value) alwaysinline {
  %bits = zext i32 %value to i64
  %sampler = inttoptr i64 %bits to %opencl.sampler_t addrspace(4)*
  ret %opencl.sampler_t addrspace(4)* %sampler
}

!0 = !{}

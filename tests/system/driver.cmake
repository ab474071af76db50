# The driver API (libcuda.so.1): one program for each subject.
set(ptx ${CMAKE_CURRENT_SOURCE_DIR}/ptx)
function(driver_test name)
  cmake_parse_arguments(ARG "" "" "ARGS;OPTIONS;SAYS" ${ARGN})
  if(NOT TARGET system_${name})
    system_program(${name} DRIVER)
  endif()
  system_test(${name} PROGRAM $<TARGET_FILE:system_${name}> ARGS ${ARG_ARGS} STATUS 0
    OPTIONS ${ARG_OPTIONS} SAYS "${name}: ok" ${ARG_SAYS})
endfunction()

driver_test(driver_start ARGS 2 OPTIONS --devices 2
  SAYS "system_driver_start .process [0-9]+, libcuda.so.1. go to the simulator"
       "asks the driver for functions without names")
driver_test(driver_contexts ARGS ${ptx}/scale.ptx 2 OPTIONS --devices 2
  SAYS "process [0-9]+ was forked after its parent had used CUDA"
       "not supported: cuCtxCreate.. with execution affinity or graphics"
       "not supported: cuGraphAddMemsetNode.. in a context of another device")
driver_test(driver_memory ARGS ${ptx}/scale.ptx
  SAYS "not supported: cuPointerGetAttribute.. of attribute 16")
driver_test(driver_pools
  SAYS "not supported: cuMemPoolCreate.. with handles for other processes")
driver_test(driver_virtual ARGS ${ptx}/scale.ptx 2 OPTIONS --devices 2
  SAYS "not supported: cuMemCreate.. for memory of the host"
       "not supported: cuMemMap.. of memory that is mapped already"
       "not supported: cuMemSetAccess.. with access to read only"
       "in kernel scale, .* mapped, but without access .cuMemSetAccess.")
driver_test(driver_arrays ARGS ${ptx}/fetch.ptx
  SAYS "not supported: cuArrayCreate_v2.. with array format 0x91")
driver_test(driver_modules ARGS ${ptx}
  SAYS "error: a module is machine code .a cubin., which cannot be simulated: give PTX .nvcc -ptx, \
or a fat binary with PTX in it."
       "error: system_driver_[a-z]*:ptx[0-9]+:9:5: error: kernel 'store': PTX instruction \
'frobnicate.u32' is not supported"
       "not supported: cuModuleLoadDataEx.. with option 25 of the just-in-time compiler; \
leave it out"
       "not supported: cuLibraryLoadData.. with library option 0; leave it out"
       "error: the fat binary says that it is longer than its file"
       "not supported: cuLinkAddData_v2.. of anything but PTX .type 0."
       "not supported: cuLaunchKernelEx.. with launch attribute 4")
driver_test(driver_streams ARGS ${ptx}/scale.ptx)
driver_test(driver_words ARGS ${ptx}/scale.ptx 2 OPTIONS --devices 2
  SAYS "not supported: flushing remote writes in a stream")
foreach(case endless leave)
  set(says "waits for a word of 32 bits at 0x[0-9a-f]+ == 0x17. the word is 0x0")
  system_test(driver_words_${case} PROGRAM $<TARGET_FILE:system_driver_words>
    ARGS ${ptx}/scale.ptx ${case} STATUS 0 SAYS "driver_words: ${case}" ${says})
endforeach()
driver_test(driver_meet ARGS ${ptx}/meet.ptx OPTIONS --devices 2)
driver_test(driver_references ARGS ${CMAKE_SOURCE_DIR}/tests/textures/references.ptx
  SAYS "no texture is bound: handle 0x0 in kernel through")
driver_test(driver_graphs ARGS ${ptx}/scale.ptx
  SAYS "not supported: cuGraphAddNode_v2.. with edge data"
       "not supported: cuGraphAddNode.. with node type 13")
system_program(driver_mixed BOTH)
driver_test(driver_mixed ARGS ${ptx}/scale.ptx)
system_program(driver_mixed BOTH VERSION 12 AS driver_mixed_12)
system_test(driver_mixed_12 PROGRAM $<TARGET_FILE:system_driver_mixed_12> ARGS ${ptx}/scale.ptx
  STATUS 0 SAYS "driver_mixed: ok")
system_program(driver_closed)
target_link_libraries(system_driver_closed PRIVATE ${CMAKE_DL_LIBS})
driver_test(driver_closed)
# The driver's tables without names: Heddle reports a library that asks for them, except NVRTC,
# which works without.
foreach(asks nvrtc other)
  add_library(system_asks_${asks} SHARED programs/export_table.c)
  set_target_properties(system_asks_${asks} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${here}/asks
    OUTPUT_NAME ${asks})
  target_link_libraries(system_asks_${asks} PRIVATE -L${lib} -l:$<TARGET_FILE_NAME:heddle_libcuda>)
  add_dependencies(system_asks_${asks} heddle_libcuda)
  system_program(driver_export_table DRIVER AS asks_as_${asks})
  set_target_properties(system_asks_as_${asks} PROPERTIES SKIP_BUILD_RPATH OFF)
  target_link_libraries(system_asks_as_${asks} PRIVATE system_asks_${asks})
endforeach()
system_test(driver_export_table PROGRAM $<TARGET_FILE:system_asks_as_other> STATUS 0
  SAYS "driver_export_table: ok" "libother.so asks the driver for functions without names")
system_test(driver_export_table_nvrtc PROGRAM $<TARGET_FILE:system_asks_as_nvrtc> STATUS 0
  SAYS "driver_export_table: ok" NOT_SAYS "functions without names")
# Every refused call returns CUDA_ERROR_NOT_SUPPORTED, and Heddle names it.
system_program(driver_refused DRIVER)
target_link_libraries(system_driver_refused PRIVATE ${CMAKE_DL_LIBS})
driver_test(driver_refused ARGS ${HEDDLE_GENERATED}/cuda_driver_refused.txt
  SAYS "driver_refused: ok, [0-9]+ calls"
       "not supported: cuArrayGetPlane.. returns CUDA_ERROR_NOT_SUPPORTED")

if(TARGET heddle_swemu)
  system_test(driver_meet_timed PROGRAM $<TARGET_FILE:system_driver_meet> ARGS ${ptx}/meet.ptx
    STATUS 0 OPTIONS --timing rtl --devices 2 SAYS "driver_meet: ok" "timing rtl")
  foreach(name driver_modules driver_streams driver_graphs driver_arrays driver_words)
    set(argument ${ptx})
    if(name MATCHES "streams|graphs|words")
      set(argument ${ptx}/scale.ptx)
    elseif(name STREQUAL driver_arrays)
      set(argument ${ptx}/fetch.ptx)
    endif()
    system_test(${name}_timed PROGRAM $<TARGET_FILE:system_${name}> ARGS ${argument} STATUS 0
      OPTIONS --timing rtl SAYS "${name}: ok" "timing rtl")
  endforeach()
endif()

# Some test program makes each implemented call, and Heddle's library has each call of NVIDIA's.
set(covering driver_start driver_contexts driver_memory driver_arrays driver_modules driver_streams
  driver_graphs driver_pools driver_virtual driver_ipc driver_words
  driver_references)
add_test(NAME system.driver_coverage COMMAND ${CMAKE_COMMAND} -DVERSION=driver
  -DGENERATOR=$<TARGET_FILE:gen_cuda_calls>
  -DDIRECTORY=${here} "-DRUNS=${covering}" -P ${CMAKE_CURRENT_SOURCE_DIR}/check_coverage.cmake)
list(TRANSFORM covering PREPEND system. OUTPUT_VARIABLE names)
set_tests_properties(system.driver_coverage PROPERTIES DEPENDS "${names}")
add_test(NAME system.driver_library COMMAND ${CMAKE_COMMAND}
  -DLIBRARY=$<TARGET_FILE:heddle_libcuda> -DSONAME=libcuda.so.1 -DLEAST=600 -DCALL=cuMemAlloc_v2
  -DTOOLKIT=${HEDDLE_CUDA_INCLUDE}/../lib64/stubs/libcuda.so
  -P ${CMAKE_CURRENT_SOURCE_DIR}/check_library.cmake)

# The report counts a call that fails once, and does not count calls that the library makes by
# itself.
driver_test(driver_counts ARGS ${ptx}/unknown_instruction.ptx)
add_test(NAME system.driver_counted COMMAND ${CMAKE_COMMAND} -DCOUNT=3 -DLEAST=45
  -DREPORT=${here}/driver_counts/report.json -P ${CMAKE_CURRENT_SOURCE_DIR}/check_counts.cmake)
set_tests_properties(system.driver_counted PROPERTIES DEPENDS system.driver_counts)

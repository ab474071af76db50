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
       "not supported: cuCtxCreate.. with execution affinity or graphics")

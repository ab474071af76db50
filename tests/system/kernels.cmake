# Kernels of PTX files, correct and faulty, from the program to the simulated GPU and back.
system_test(store PROGRAM ${device_code} ARGS ${ptx}/store.ptx store 40 96 STATUS 0
  SAYS "launch: cudaSuccess, wait: cudaSuccess, after: cudaSuccess" "first word: 3840")
system_test(newer_target PROGRAM ${device_code} ARGS ${ptx}/store.ptx store 2 32 newer STATUS 0
  SAYS "heddle: PTX of system_device_co[a-z]* is for compute capability 9.0; it is run \
although Tesla V100 .simulated. has 7.0 .--strict-target refuses it."
       "first word: 64")
system_test(no_such_kernel PROGRAM ${device_code} ARGS ${ptx}/store.ptx stare STATUS 1
  SAYS "the PTX has no kernel 'stare'" "launch: cudaErrorInvalidDeviceFunction")
system_test(block_too_large PROGRAM ${device_code} ARGS ${ptx}/store.ptx store 1 1025 STATUS 1
  SAYS "launch: cudaErrorInvalidConfiguration, wait: cudaSuccess, after: cudaSuccess")
system_test(unknown_instruction PROGRAM ${device_code} ARGS ${ptx}/unknown_instruction.ptx store
  STATUS 1 SAYS "heddle: error: .*:9:.*frobnicate" "launch: cudaErrorInvalidPtx")
system_test(out_of_bounds PROGRAM ${device_code} ARGS ${ptx}/out_of_bounds.ptx stray 3 64 STATUS 1
  OPTIONS --memcheck stop
  SAYS "heddle: error: illegal address: write of 4 bytes at global address \
0x7e80[0-9a-f]+ in kernel stray, CTA .[0-2],0,0., thread .0,0,0., .*PTX line 13; \
nearest allocation: number 1, 4096 bytes at 0x7e8000000000, ends [0-9]+ bytes before it"
       "launch: cudaSuccess, wait: cudaErrorIllegalAddress, after: cudaErrorIllegalAddress")
system_test(misaligned PROGRAM ${device_code} ARGS ${ptx}/misaligned.ptx askew STATUS 1
  SAYS "heddle: error: misaligned address: read of 4 bytes at global address \
0x7e8000000002 in kernel askew"
       "wait: cudaErrorMisalignedAddress, after: cudaErrorMisalignedAddress")
system_test(trap PROGRAM ${device_code} ARGS ${ptx}/trap.ptx caught STATUS 1
  SAYS "heddle: error: trap instruction executed.* in kernel caught"
       "wait: cudaErrorLaunchFailure, after: cudaErrorLaunchFailure")
system_test(killed_in_kernel PROGRAM ${device_code} ARGS ${ptx}/endless.ptx endless 1 32 kill
  STATUS 137
  SAYS "ended without leaving the CUDA library in order; not carried out to the end: 1 kernel, \
0 copies or fills"
       "was killed by signal 9" "Written: ")

foreach(list "5-3" "1,,2" "x")
  string(MAKE_C_IDENTIFIER "${list}" id)
  system_test(bad_launches${id} PROGRAM ${device_code} ARGS ${ptx}/store.ptx store 1 1
    OPTIONS --launches ${list} STATUS 125
    SAYS "heddle: error: --launches ${list}: '[^']*' is neither a number nor a range such as 3-9")
endforeach()
system_test(too_many_devices PROGRAM ${device_code} ARGS ${ptx}/store.ptx store 1 1
  OPTIONS --devices 17 STATUS 125 SAYS "heddle: error: --devices must be 1 to 16")

# ---- the runtime API in breadth, with and without timing
function(api_test name program ptx_name)
  system_test(${name} PROGRAM $<TARGET_FILE:system_${program}> ARGS ${ptx}/${ptx_name}.ptx STATUS 0
    SAYS "${program}: ok" OPTIONS ${ARGN})
  if(TARGET heddle_swemu)
    system_test(${name}_timed PROGRAM $<TARGET_FILE:system_${program}> ARGS ${ptx}/${ptx_name}.ptx
      STATUS 0 SAYS "${program}: ok" "timing rtl" OPTIONS ${ARGN} --timing rtl)
  endif()
endfunction()
foreach(program api_memory api_launch api_graphs api_graph_memory api_per_thread api_managed
        api_devices)
  system_program(${program})
endforeach()
system_program(api_arrays)
system_test(api_arrays PROGRAM $<TARGET_FILE:system_api_arrays> STATUS 0 SAYS "api_arrays: ok"
  "not supported: an array with flags 0x40"
  "not supported: cudaMemcpyToArray.. of 1280 bytes from byte 4 of a row of 160 on; copy within \
one row, or whole rows"
  "not supported: cudaCreateTextureObject.. with a view of a part, or of block-compressed texels"
  "not supported: cudaCreateTextureObject.. with seamless cube maps")
if(TARGET heddle_swemu)
  system_test(api_arrays_timed PROGRAM $<TARGET_FILE:system_api_arrays> STATUS 0
    SAYS "api_arrays: ok" OPTIONS --timing rtl)
endif()
api_test(api_memory api_memory scale)
api_test(api_launch api_launch grid_barrier)
api_test(api_graphs api_graphs scale)
system_test(api_graphs_refused PROGRAM $<TARGET_FILE:system_api_graphs> ARGS ${ptx}/scale.ptx
  STATUS 0 SAYS "api_graphs: ok"
    "not supported: cudaGraphAddMemAllocNode.. of memory that is not a device's, or with handles"
    "not supported: cudaGraphAddNode.. with edge data"
    "not supported: cudaGraphInstantiateWithParams.. for a launch from the device")
api_test(api_graph_memory api_graph_memory scale)
system_test(graph_memory_stray PROGRAM $<TARGET_FILE:system_api_graph_memory> ARGS ${ptx}/scale.ptx
  stray STATUS 0 OPTIONS --memcheck stop
  SAYS "illegal address: read of 4 bytes.*in kernel scale.*; in allocation number [0-9]+, 1048576 \
bytes at 0x7e80[0-9a-f]+, of a graph's allocation node: not allocated at that time")
api_test(api_per_thread api_per_thread scale)
api_test(api_managed api_managed managed)
api_test(api_devices api_devices scale --devices 2)

# A fault is sticky until cudaDeviceReset, which provides a fresh context; later programs are not
# affected.
system_program(context_reset)
set(context_reset_says "context_reset: ok"
  "illegal address: write.*in kernel stray.*trap instruction.*in kernel caught.*illegal address")
system_test(context_reset PROGRAM $<TARGET_FILE:system_context_reset> ARGS ${ptx}/faults.ptx
  STATUS 0 SAYS ${context_reset_says})
system_test(context_reset_devices PROGRAM $<TARGET_FILE:system_context_reset>
  ARGS ${ptx}/faults.ptx OPTIONS --devices 2 STATUS 0 SAYS ${context_reset_says})
foreach(how stray endless)
  set(after_${how} PROGRAM ${CMAKE_CURRENT_SOURCE_DIR}/one_after_another.sh
    ARGS ${device_code} ${ptx}/faults.ptx ${how} STATUS 0
    SAYS "first word: 640.*second: 0" NOT_SAYS "first: 0")
  system_test(program_after_${how} ${after_${how}})
endforeach()

# Correct programs pass under every check.
foreach(app atomics divergence docking histogram litmus reduce sgemm_tiled lu_decomposition
        transport vector_add)
  if(app IN_LIST HEDDLE_APPS)
    set(arguments)
    if(app MATCHES "sgemm_tiled|lu_decomposition")
      set(arguments -n 64)
    endif()
    system_test(memcheck_${app} PROGRAM ${CMAKE_BINARY_DIR}/apps/${app} ARGS ${arguments}
      OPTIONS --memcheck all STATUS 0 SAYS "${app}: PASS")
  endif()
endforeach()
if(TARGET heddle_swemu)
  # Full packet buffers, and long stretches in which the core asks for coalesced requests alone.
  system_test(run_ahead_most PROGRAM ${CMAKE_BINARY_DIR}/apps/transport ARGS -n 200 -s 1
    OPTIONS --timing rtl --set exec.run_ahead=64 STATUS 0 SAYS "transport: PASS")
  foreach(ahead 1 8 64)
    system_test(memcheck_litmus_timed_${ahead} PROGRAM ${CMAKE_BINARY_DIR}/apps/litmus
      OPTIONS --timing rtl --memcheck all --set exec.run_ahead=${ahead} STATUS 0
      SAYS "litmus: PASS")
  endforeach()
  # The cycles that a program measures around nanosleep are the same in every placement.
  foreach(placement "--sm-groups 1" "--sm-groups 2 --threads 2" "--set exec.run_ahead=1"
      "--set exec.run_ahead=8" "--set exec.run_ahead=64 --sm-groups 2")
    string(MAKE_C_IDENTIFIER "sleep${placement}" name)
    separate_arguments(options UNIX_COMMAND "${placement}")
    system_test(${name} PROGRAM ${CMAKE_BINARY_DIR}/apps/litmus ARGS sleep backoff
      OPTIONS --timing rtl ${options} STATUS 0
      SAYS "sleep of 100, 3000, 50000 ns: 196, 4195, 69055 cycles" "litmus: PASS")
  endforeach()
  system_test(memcheck_litmus_groups PROGRAM ${CMAKE_BINARY_DIR}/apps/litmus
    OPTIONS --timing rtl --memcheck all --sm-groups 2 --threads 2 STATUS 0
    SAYS "litmus: PASS" "--memcheck global: on one thread")
endif()

# Some test program makes each implemented call (check_coverage.cmake).
system_test(every_call PROGRAM $<TARGET_FILE:system_every_call> ARGS ${ptx}/scale.ptx STATUS 0
  SAYS "every_call: ok")
# trace_test(NAME PROGRAM ARGUMENT SAYS...): check_trace.cmake with the program.
function(trace_test name program argument)
  string(REPLACE ";" "@@" says "${ARGN}")
  add_test(NAME system.${name} COMMAND ${CMAKE_COMMAND} "-DSAYS=${says}"
    "-DCOMMAND=${heddle};run;--timing;none;--trace-api;--out;${here}/${name};--;\
$<TARGET_FILE:system_${program}>;${argument}"
    -DDIRECTORY=${here}/${name} -P ${CMAKE_CURRENT_SOURCE_DIR}/check_trace.cmake)
endfunction()
trace_test(trace_api every_call ${ptx}/scale.ptx
  "cudaMalloc.bytes=[0-9]+. = cudaSuccess, pointer=0x7e80")
# Results have their interface's names: a driver call's result is a CUresult.
trace_test(trace_driver driver_counts ${ptx}/unknown_instruction.ptx
  "cuMemFree_v2.[^)]*. = CUDA_ERROR_INVALID_VALUE" "cuDeviceGetCount.. = CUDA_SUCCESS, count=1")
system_test(shmem_calls PROGRAM ${CMAKE_CURRENT_BINARY_DIR}/shmem/programs/setup_h
  OPTIONS --timing none --nodes 2 STATUS 0 SAYS "PE 0: setup: ok")
set(covering every_call shmem_calls api_arrays memory streams device_13 unsupported store
  api_memory api_launch ipc_13 api_graphs api_graph_memory api_per_thread api_managed api_devices)
add_test(NAME system.coverage COMMAND ${CMAKE_COMMAND} -DVERSION=13
  -DGENERATOR=$<TARGET_FILE:gen_cuda_calls>
  -DDIRECTORY=${here} "-DRUNS=${covering}" -P ${CMAKE_CURRENT_SOURCE_DIR}/check_coverage.cmake)
list(TRANSFORM covering PREPEND system. OUTPUT_VARIABLE names)
set_tests_properties(system.coverage PROPERTIES DEPENDS "${names}")

# The same with the timing core.
if(TARGET heddle_swemu)
  system_test(every_call_timed PROGRAM $<TARGET_FILE:system_every_call> ARGS ${ptx}/scale.ptx
    OPTIONS --timing rtl STATUS 0 SAYS "every_call: ok" "timing rtl")
  # Chosen kernels are timed, the others run functionally.
  system_test(chosen_launches PROGRAM $<TARGET_FILE:system_every_call> ARGS ${ptx}/scale.ptx
    OPTIONS --timing rtl --launches 1,3- STATUS 0
    SAYS "every_call: ok" "timed as chosen: 2 launches; run functionally, in no time: 2"
         " 0 +scale +1 +32 +not timed" " 1 +scale +1 +32 +[0-9]+ +[0-9]+"
         " 2 +scale +1 +32 +not timed" " 3 +scale +1 +32 +[0-9]+ +[0-9]+")
  system_test(chosen_kernels PROGRAM $<TARGET_FILE:system_every_call> ARGS ${ptx}/scale.ptx
    OPTIONS --timing rtl --kernels "other,sc?le" STATUS 0
    SAYS "every_call: ok" "timed as chosen: 4 launches; run functionally, in no time: 0")
  system_test(no_kernel_chosen PROGRAM $<TARGET_FILE:system_every_call> ARGS ${ptx}/scale.ptx
    OPTIONS --timing rtl --kernels "cale,sc?l" STATUS 0
    SAYS "every_call: ok" "timed as chosen: 0 launches; run functionally, in no time: 4")
  system_test(streams_timed PROGRAM $<TARGET_FILE:system_streams> ARGS timed STATUS 0
    OPTIONS --timing rtl SAYS "streams: ok")
  system_test(threads_timed PROGRAM $<TARGET_FILE:system_threads> OPTIONS --timing rtl STATUS 0
    SAYS "threads: ok" "ordered by arrival")
  system_test(out_of_bounds_timed PROGRAM ${device_code} ARGS ${ptx}/out_of_bounds.ptx stray 3 64
    OPTIONS --timing rtl --memcheck stop STATUS 1
    SAYS "heddle: error: illegal address: write of 4 bytes at global address 0x7e80[0-9a-f]+ in \
kernel stray, CTA .[0-2],0,0., thread .0,0,0., .*nearest allocation: number 1, 4096 bytes"
         "wait: cudaErrorIllegalAddress, after: cudaErrorIllegalAddress")
  system_test(context_reset_timed PROGRAM $<TARGET_FILE:system_context_reset>
    ARGS ${ptx}/faults.ptx OPTIONS --timing rtl STATUS 0 SAYS ${context_reset_says})
  system_test(context_reset_devices_timed PROGRAM $<TARGET_FILE:system_context_reset>
    ARGS ${ptx}/faults.ptx OPTIONS --timing rtl --devices 2 STATUS 0 SAYS ${context_reset_says})
  system_test(context_reset_groups PROGRAM $<TARGET_FILE:system_context_reset>
    ARGS ${ptx}/faults.ptx OPTIONS --timing rtl --sm-groups 2 --threads 2 STATUS 0
    SAYS ${context_reset_says})
  foreach(how stray endless)
    system_test(program_after_${how}_timed OPTIONS --timing rtl ${after_${how}})
  endforeach()
  system_test(killed_in_kernel_timed PROGRAM ${device_code} ARGS ${ptx}/endless.ptx endless 1 32
      kill
    OPTIONS --timing rtl STATUS 137
    SAYS "in order; not carried out to the end: 1 kernel, 0 copies or fills"
         "was killed by signal 9" "Written: ")
endif()

# The ways in which a program loads Heddle's library: by name (all other tests), with the runtime
# linked into the program or into one of its libraries, and with a search path that leads to another
# libcudart.
set(inside_says "libcudart.so.13 in place of the CUDA runtime that is linked into it. go to")

system_program(memory INSIDE AS memory_inside)
system_program(threads INSIDE AS threads_inside)
system_program(device_code INSIDE AS device_code_inside)
system_test(inside_memory PROGRAM $<TARGET_FILE:system_memory_inside> STATUS 0
  SAYS "memory: ok" ${inside_says})
system_test(inside_threads PROGRAM $<TARGET_FILE:system_threads_inside> STATUS 0
  SAYS "threads: ok" ${inside_says})
system_test(inside_kernel PROGRAM $<TARGET_FILE:system_device_code_inside>
  ARGS ${CMAKE_CURRENT_SOURCE_DIR}/ptx/store.ptx store 1 1 STATUS 0
  SAYS "launch: cudaSuccess, wait: cudaSuccess" ${inside_says})
# In a hardened program, whose code is mapped and relocated differently.
system_program(memory INSIDE AS memory_hardened)
target_compile_options(system_memory_hardened PRIVATE -fPIE)
target_link_options(system_memory_hardened PRIVATE -pie -Wl,-z,now,-z,relro,-z,separate-code)
system_test(inside_hardened PROGRAM $<TARGET_FILE:system_memory_hardened> STATUS 0
  SAYS "memory: ok" ${inside_says})
system_program(memory INSIDE AS memory_fixed)
target_compile_options(system_memory_fixed PRIVATE -fno-pie)
target_link_options(system_memory_fixed PRIVATE -no-pie)
system_test(inside_at_fixed_address PROGRAM $<TARGET_FILE:system_memory_fixed> STATUS 0
  SAYS "memory: ok" ${inside_says})

# A library with the runtime linked in: linked with the program, and loaded by it.
add_library(system_part SHARED programs/memory.c)
target_compile_options(system_part PRIVATE ${HEDDLE_WARNINGS})
target_compile_definitions(system_part PRIVATE CUDART=13 main=part_main)
target_link_libraries(system_part PRIVATE runtime_inside)
set_target_properties(system_part PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${here})
system_program(calls_part PLAIN)
set_target_properties(system_calls_part PROPERTIES SKIP_BUILD_RPATH OFF)
target_link_libraries(system_calls_part PRIVATE system_part)
system_test(inside_library PROGRAM $<TARGET_FILE:system_calls_part> STATUS 0
  SAYS "memory: ok" ${inside_says})
system_program(loader PLAIN)
target_link_libraries(system_loader PRIVATE ${CMAKE_DL_LIBS})
system_test(inside_loaded_library PROGRAM $<TARGET_FILE:system_loader>
  ARGS $<TARGET_FILE:system_part> STATUS 0 SAYS "memory: ok" ${inside_says})

# The program's own search path (DT_RPATH), which precedes LD_LIBRARY_PATH, leads to another library
# of that name, each function of which ends the program.
add_library(system_elsewhere SHARED ${HEDDLE_GENERATED}/cuda_runtime_inside.c)
add_dependencies(system_elsewhere heddle_cuda_tables)
set_target_properties(system_elsewhere PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${here}/elsewhere
  OUTPUT_NAME cudart SUFFIX .so.13)
system_program(memory PLAIN AS memory_search_path)
target_compile_definitions(system_memory_search_path PRIVATE CUDART=13)
target_link_libraries(system_memory_search_path PRIVATE system_elsewhere pthread)
set_target_properties(system_memory_search_path PROPERTIES SKIP_BUILD_RPATH OFF)
target_link_options(system_memory_search_path PRIVATE -Wl,--disable-new-dtags)
system_test(search_path PROGRAM $<TARGET_FILE:system_memory_search_path> STATUS 0
  SAYS "memory: ok" "libcudart.so.13. go to the simulator")
# Started through a shell, as scripts and launchers do.
system_test(inside_shell PROGRAM sh ARGS -c $<TARGET_FILE:system_memory_inside> STATUS 0
  SAYS "memory: ok" ${inside_says})

# Runtimes that Heddle cannot replace end the program with a message: one of no known version (a
# call of CUDA 11 in a runtime of 13), and one without the preloaded stubs.
set(not_caught "heddle: error: the CUDA runtime that is linked into the program is not caught: ")
system_program(memory INSIDE AS memory_no_version)
target_sources(system_memory_no_version PRIVATE programs/old_call.c)
system_test(inside_no_version PROGRAM $<TARGET_FILE:system_memory_no_version> STATUS 134
  SAYS "${not_caught}it is of none of the versions 11, 12 and 13, for none has both \
[A-Za-z_]+ and the functions before it; link it dynamically: nvcc -cudart shared")
set(without_stubs "LD_PRELOAD= exec $<TARGET_FILE:system_memory_inside>")
system_test(inside_without_stubs PROGRAM sh ARGS -c ${without_stubs} STATUS 134
  SAYS "${not_caught}libheddle_bind.so has not been loaded; who starts the program must leave it \
in LD_PRELOAD")

# A program that compiles with NVRTC for its device gets PTX, for the oldest target that NVRTC has.
# NVRTC is linked with lazy binding, linked with binding at the start, or loaded by the program.
add_library(system_nvrtc_stand_in SHARED programs/nvrtc_stand_in.c)
target_compile_options(system_nvrtc_stand_in PRIVATE ${HEDDLE_WARNINGS})
set_target_properties(system_nvrtc_stand_in PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${here}
  OUTPUT_NAME nvrtc SUFFIX .so.13)
foreach(way linked bound_at_start loaded)
  system_program(nvrtc DRIVER AS nvrtc_${way})
  if(way STREQUAL loaded)
    target_compile_definitions(system_nvrtc_${way} PRIVATE AT_RUN_TIME)
    target_link_libraries(system_nvrtc_${way} PRIVATE ${CMAKE_DL_LIBS})
  else()
    target_link_libraries(system_nvrtc_${way} PRIVATE system_nvrtc_stand_in)
    set_target_properties(system_nvrtc_${way} PROPERTIES SKIP_BUILD_RPATH OFF)
  endif()
  add_dependencies(system_nvrtc_${way} system_nvrtc_stand_in)
  system_test(nvrtc_${way} PROGRAM $<TARGET_FILE:system_nvrtc_${way}>
    ARGS ${CMAKE_CURRENT_SOURCE_DIR}/ptx/scale.ptx $<TARGET_FILE:system_nvrtc_stand_in> STATUS 0
    SAYS "nvrtc: ok"
         "heddle: NVRTC does not compile for sm_70: its PTX for compute_75 is run instead")
endforeach()
target_link_options(system_nvrtc_linked PRIVATE -Wl,-z,lazy)
target_link_options(system_nvrtc_bound_at_start PRIVATE -Wl,-z,now)

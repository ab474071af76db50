# heddle_model(NAME TOP module SOURCES ... [PREFIX class] [INCLUDE ...] [ARGS ...] [DEPENDS ...]
#              [ASSERT] [COUNTING] [PROFILE file]):
# builds the C++ model of a SystemVerilog module as target NAME: class PREFIX (default: V<top>) in
# PREFIX.h. Verilator runs at build time, again only when a source or a table changes.
# ASSERT: with the assertions of the RTL (rtl/heddle_assert.svh); one that fails ends the program.
# COUNTING: programs that link the model count how often each line runs (for heddle_profile);
# PROFILE: the compiler optimises the model for the counts in the file.
#
# heddle_profile(FILE RUNS command line ... [DEPENDS ...]): makes FILE, the profile of runs of such
# programs.
#
# verilate() of Verilator's own package does not serve here: it runs at configure time, before the
# tables are generated.
find_program(HEDDLE_VERILATOR verilator)
find_program(HEDDLE_CCACHE ccache)
if(NOT HEDDLE_VERILATOR)
  heddle_without(verilator "no emulation of the timing core, no RTL tests")
  return()
endif()
execute_process(COMMAND ${HEDDLE_VERILATOR} -getenv VERILATOR_ROOT
                OUTPUT_VARIABLE HEDDLE_VERILATOR_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${HEDDLE_VERILATOR} --version OUTPUT_VARIABLE HEDDLE_VERILATOR_VERSION)
if(NOT HEDDLE_VERILATOR_ROOT)
  set(HEDDLE_VERILATOR_ROOT /usr/share/verilator)
endif()

# -fno-split: else Verilator 5.006 makes a block for each output of one, each with all its
# conditions (docs/speed.md). -fno-dfg, -fno-table: what these make is computed in every clock, also
# where it was behind a condition.
set(HEDDLE_VERILATOR_ARGS --cc -O3 -fno-split -fno-dfg -fno-table --x-assign fast --x-initial fast
    --unroll-count 256 --unroll-stmts 100000 -Wno-SYMRSVDWORD -Wno-fatal -Wno-lint
    --output-split 20000)
# Programs that evaluate their model through tests/support/traced_model.h write waveforms.
option(HEDDLE_TRACE "models can write waveforms" OFF)
if(HEDDLE_TRACE)
  list(APPEND HEDDLE_VERILATOR_ARGS --trace)
endif()
# The compiler and its options matter: clang's models run a quarter faster than gcc's (bench/
# sm_engine), and Verilator's makefile ends with -Os unless OPT_* say otherwise. -mtls-dialect=gnu2
# makes accesses to the thread-local variables of Verilator's run time cheap in shared libraries
# too.
find_program(HEDDLE_MODEL_CXX NAMES clang++-14 clang++)
if(HEDDLE_MODEL_CXX)
  set(HEDDLE_VERILATOR_OPT "-O2 -fPIC -w")
else()
  set(HEDDLE_MODEL_CXX ${CMAKE_CXX_COMPILER})
  set(HEDDLE_VERILATOR_OPT "-O3 -fPIC -mtls-dialect=gnu2")
endif()
set(HEDDLE_VERILATOR_OPT_SLOW "-O1 -fPIC -w")    # what runs once
set(HEDDLE_VERILATOR_OPT_GLOBAL "-O2 -fPIC -w")  # the run time
if(HEDDLE_NATIVE)
  string(APPEND HEDDLE_VERILATOR_OPT " -march=native")
endif()
# For whoever changes the core and runs a few streams on it: models that are built in seconds.
option(HEDDLE_QUICK_MODELS "models of the core without optimisation: built soon, run slowly" OFF)
if(HEDDLE_QUICK_MODELS)
  foreach(opt HEDDLE_VERILATOR_OPT HEDDLE_VERILATOR_OPT_SLOW HEDDLE_VERILATOR_OPT_GLOBAL)
    set(${opt} "-O0 -fPIC -w")
  endforeach()
endif()

# Models that users run are compiled twice: runs of the first build tell the compiler which lines
# run often (docs/speed.md). Simulated cycles do not depend on this.
option(HEDDLE_PROFILE "compile models for what short runs of them count" ON)
if(HEDDLE_QUICK_MODELS)
  set(HEDDLE_PROFILE OFF)
endif()
find_program(HEDDLE_PROFDATA NAMES llvm-profdata-14 llvm-profdata)
if(HEDDLE_PROFILE AND HEDDLE_PROFDATA AND HEDDLE_MODEL_CXX MATCHES "clang")
  execute_process(COMMAND ${HEDDLE_MODEL_CXX}
                          -print-file-name=libclang_rt.profile-${CMAKE_SYSTEM_PROCESSOR}.a
                  OUTPUT_VARIABLE HEDDLE_COUNTING_RUNTIME OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(HEDDLE_PROFILE AND NOT EXISTS "${HEDDLE_COUNTING_RUNTIME}")
  set(HEDDLE_PROFILE OFF)
  heddle_without("clang, llvm-profdata or clang's profile library"
                 "models are compiled without a profile, which costs a fifth of their speed")
endif()

function(heddle_profile file)
  cmake_parse_arguments(ARG "" "" "RUNS;DEPENDS" ${ARGN})
  string(REPLACE ";" " && " runs "${ARG_RUNS}")
  set(counts ${file}.counts)
  add_custom_command(OUTPUT ${file}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${counts}
    COMMAND ${CMAKE_COMMAND} -E env LLVM_PROFILE_FILE=${counts}/%p.profraw
            sh -c "(${runs}) > ${file}.log 2>&1 || { cat ${file}.log; exit 1; }"
    COMMAND sh -c "${HEDDLE_PROFDATA} merge -o ${file} ${counts}/*.profraw"
    DEPENDS ${ARG_DEPENDS} COMMENT "Counting for ${file}" VERBATIM)
endfunction()

# Verilator's run time, once for all models, with the memory of models.
find_package(Threads REQUIRED)
add_library(heddle_verilated STATIC ${HEDDLE_VERILATOR_ROOT}/include/verilated.cpp
                                    ${HEDDLE_VERILATOR_ROOT}/include/verilated_threads.cpp
                                    ${CMAKE_SOURCE_DIR}/sw_emu/model_memory.cpp)
target_include_directories(heddle_verilated PRIVATE ${CMAKE_SOURCE_DIR})
target_include_directories(heddle_verilated SYSTEM PUBLIC ${HEDDLE_VERILATOR_ROOT}/include
                                                          ${HEDDLE_VERILATOR_ROOT}/include/vltstd)
set(opt -O3)
if(HEDDLE_QUICK_MODELS)
  set(opt -O0)
  target_link_libraries(heddle_verilated PUBLIC atomic)  # clang calls it without optimisation
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND opt -mtls-dialect=gnu2)
endif()
target_compile_options(heddle_verilated PRIVATE ${opt} -fPIC -w)
target_link_libraries(heddle_verilated PUBLIC Threads::Threads)
if(HEDDLE_TRACE)
  target_sources(heddle_verilated PRIVATE ${HEDDLE_VERILATOR_ROOT}/include/verilated_vcd_c.cpp)
  target_compile_definitions(heddle_verilated PUBLIC HEDDLE_TRACE)
endif()
if(HEDDLE_VERILATOR_VERSION MATCHES "^Verilator 5\\.006 ")
  # see sw_emu/rising_edge.h
  target_compile_definitions(heddle_verilated PUBLIC HEDDLE_ONE_EVALUATION)
endif()

function(heddle_model name)
  cmake_parse_arguments(ARG "ASSERT;COUNTING" "TOP;PREFIX;PROFILE"
                        "SOURCES;INCLUDE;ARGS;DEPENDS" ${ARGN})
  set(opt "${HEDDLE_VERILATOR_OPT}")
  if(ARG_COUNTING)
    string(APPEND opt " -fprofile-instr-generate")
  elseif(ARG_PROFILE)
    string(APPEND opt " -fprofile-instr-use=${ARG_PROFILE}")
  endif()
  set(assert --noassert)
  if(ARG_ASSERT)
    set(assert --assert +define+HEDDLE_ASSERT)
  endif()
  if(NOT ARG_PREFIX)
    set(ARG_PREFIX V${ARG_TOP})
  endif()
  list(TRANSFORM ARG_INCLUDE PREPEND -I)
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/${name})
  set(library ${dir}/${ARG_PREFIX}__ALL.a)
  set(launcher)
  if(HEDDLE_CCACHE)
    set(launcher OBJCACHE=${HEDDLE_CCACHE})
  endif()
  # Empty the folder first: make would keep objects that were compiled with other options.
  add_custom_command(OUTPUT ${library} ${dir}/${ARG_PREFIX}.h
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${dir}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${dir}
    COMMAND ${HEDDLE_VERILATOR} ${HEDDLE_VERILATOR_ARGS} ${assert} ${ARG_ARGS} -I${HEDDLE_GENERATED}
            ${ARG_INCLUDE} --top-module ${ARG_TOP} --prefix ${ARG_PREFIX} --Mdir ${dir}
            ${ARG_SOURCES}
    COMMAND ${CMAKE_COMMAND} -E env ${launcher} make -s -C ${dir} -f ${ARG_PREFIX}.mk
            -j${HEDDLE_JOBS}
            CXX=${HEDDLE_MODEL_CXX}
            "OPT_FAST=${opt}" "OPT_SLOW=${HEDDLE_VERILATOR_OPT_SLOW}"
            "OPT_GLOBAL=${HEDDLE_VERILATOR_OPT_GLOBAL}"
            ${ARG_PREFIX}__ALL.a
    DEPENDS heddle_tables ${HEDDLE_GENERATED}/heddle_gen.svh ${HEDDLE_GENERATED}/heddle_regs.svh
            ${ARG_SOURCES} ${ARG_DEPENDS} ${ARG_PROFILE}
    COMMENT "Verilating ${name}" VERBATIM)
  add_custom_target(${name}_verilated DEPENDS ${library})
  add_library(${name} INTERFACE)
  add_dependencies(${name} ${name}_verilated)
  target_include_directories(${name} SYSTEM INTERFACE ${dir})
  # the objects of the model and of the run time refer to each other
  target_link_libraries(${name} INTERFACE ${library} heddle_verilated)
  if(ARG_COUNTING)
    target_link_libraries(${name} INTERFACE ${HEDDLE_COUNTING_RUNTIME})
    target_link_options(${name} INTERFACE -Wl,-u,__llvm_profile_runtime)
  endif()
endfunction()

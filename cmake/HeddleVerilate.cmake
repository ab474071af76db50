# heddle_verilate(NAME TOP module SOURCES ... [INCLUDES ...] [DEPENDS ...] [ARGS ...])
#
# A C++ model of a SystemVerilog module, as the library NAME: class V<NAME> in V<NAME>.h. Verilator
# runs at build time. OPT_FAST must be given to make: Verilator's makefile appends its own -Os.
find_program(VERILATOR verilator REQUIRED)
execute_process(COMMAND ${VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE VERILATOR_ROOT
                OUTPUT_STRIP_TRAILING_WHITESPACE)
set(VERILATOR_INCLUDE ${VERILATOR_ROOT}/include)
find_program(CCACHE ccache)
if(NOT CCACHE)
  set(CCACHE "")
endif()
set(HEDDLE_VERILATOR_OPT "-O2" CACHE STRING "compiler options for Verilated models")

# Verilator's run time, once for all models.
if(NOT TARGET heddle_verilated)
  find_package(Threads REQUIRED)
  add_library(heddle_verilated STATIC ${VERILATOR_INCLUDE}/verilated.cpp
                                      ${VERILATOR_INCLUDE}/verilated_threads.cpp)
  target_include_directories(heddle_verilated SYSTEM PUBLIC ${VERILATOR_INCLUDE}
                                                            ${VERILATOR_INCLUDE}/vltstd)
  target_compile_options(heddle_verilated PRIVATE -O2 -w)
  target_link_libraries(heddle_verilated PUBLIC Threads::Threads)
endif()

function(heddle_verilate name)
  cmake_parse_arguments(ARG "" "TOP" "SOURCES;INCLUDES;DEPENDS;ARGS" ${ARGN})
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/${name})
  set(lib ${dir}/V${name}__ALL.a)
  list(TRANSFORM ARG_INCLUDES PREPEND -I OUTPUT_VARIABLE include_flags)
  set(opt "${HEDDLE_VERILATOR_OPT} -fPIC")
  if(HEDDLE_NATIVE)
    string(APPEND opt " -march=native")
  endif()
  add_custom_command(OUTPUT ${lib} ${dir}/V${name}.h
    COMMAND ${VERILATOR} --cc -O3 --x-assign fast --x-initial fast --noassert -Wall
            --unroll-count 256 --unroll-stmts 100000 --top-module ${ARG_TOP} --prefix V${name}
            --Mdir ${dir} ${include_flags} -I${HEDDLE_GENERATED} ${ARG_ARGS} ${ARG_SOURCES}
    COMMAND ${CMAKE_COMMAND} -E env OBJCACHE=${CCACHE} make -s -C ${dir} -f V${name}.mk -j 2
            "OPT_FAST=${opt}" "OPT_SLOW=${opt}" "OPT_GLOBAL=${opt}" V${name}__ALL.a
    DEPENDS ${ARG_SOURCES} ${ARG_DEPENDS} heddle_tables
    COMMENT "Verilating ${name}" VERBATIM)
  add_custom_target(${name}_model DEPENDS ${lib})
  add_library(${name} INTERFACE)
  add_dependencies(${name} ${name}_model)
  target_include_directories(${name} SYSTEM INTERFACE ${dir})
  target_link_libraries(${name} INTERFACE ${lib} heddle_verilated)
endfunction()

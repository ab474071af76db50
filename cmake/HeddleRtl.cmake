# heddle_model(NAME TOP module DIR build-folder SOURCES ... [INCLUDE ...] [ARGS ...]
#                 [DEPENDS ...] [CXXFLAGS ...] [PREFIX name]):
# Verilates SOURCES to the static library DIR/V<top>__ALL.a, as target NAME, with the generated
# tables in reach. Run again only when a source or a table changes.
#
# Not verilate() of Verilator's own package: that runs at configure time, before the tables are
# made.
find_program(HEDDLE_VERILATOR verilator)
find_program(HEDDLE_CCACHE ccache)
if(HEDDLE_VERILATOR)
  execute_process(COMMAND ${HEDDLE_VERILATOR} -getenv VERILATOR_ROOT
                  OUTPUT_VARIABLE HEDDLE_VERILATOR_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT HEDDLE_VERILATOR_ROOT)
    set(HEDDLE_VERILATOR_ROOT /usr/share/verilator)
  endif()
endif()

# The compiler's options matter: Verilator's makefile ends with -Os unless OPT_* say otherwise.
set(HEDDLE_VERILATOR_OPT "-O3")
if(HEDDLE_NATIVE)
  string(APPEND HEDDLE_VERILATOR_OPT " -march=native")
endif()
set(HEDDLE_VERILATOR_ARGS --cc -O3 --x-assign fast --x-initial fast --noassert
    --unroll-count 256 --unroll-stmts 100000 -Wno-SYMRSVDWORD -Wno-fatal -Wno-lint --output-split
        20000)

function(heddle_model name)
  cmake_parse_arguments(ARG "" "TOP;DIR" "SOURCES;INCLUDE;ARGS;DEPENDS" ${ARGN})
  set(includes -I${HEDDLE_GENERATED})
  foreach(dir ${ARG_INCLUDE})
    list(APPEND includes -I${dir})
  endforeach()
  set(launcher)
  if(HEDDLE_CCACHE)
    set(launcher OBJCACHE=${HEDDLE_CCACHE})
  endif()
  set(library ${ARG_DIR}/V${ARG_TOP}__ALL.a)
  add_custom_command(OUTPUT ${library}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${ARG_DIR}
    COMMAND ${HEDDLE_VERILATOR} ${HEDDLE_VERILATOR_ARGS} ${ARG_ARGS} ${includes}
            --top-module ${ARG_TOP} --Mdir ${ARG_DIR} -CFLAGS -fPIC ${ARG_SOURCES}
    COMMAND ${CMAKE_COMMAND} -E env ${launcher} make -s -C ${ARG_DIR} -f V${ARG_TOP}.mk -j2
            "OPT_FAST=${HEDDLE_VERILATOR_OPT}" "OPT_SLOW=-O1" "OPT_GLOBAL=-O2" V${ARG_TOP}__ALL.a
    DEPENDS heddle_tables ${HEDDLE_GENERATED}/heddle_gen.svh ${HEDDLE_GENERATED}/heddle_regs.svh
            ${ARG_SOURCES} ${ARG_DEPENDS}
    COMMENT "Verilating ${name}" VERBATIM)
  add_custom_target(${name}_verilated DEPENDS ${library})
  add_library(${name} STATIC ${HEDDLE_VERILATOR_ROOT}/include/verilated.cpp
                             ${HEDDLE_VERILATOR_ROOT}/include/verilated_threads.cpp)
  add_dependencies(${name} ${name}_verilated)
  target_include_directories(${name} SYSTEM PUBLIC ${ARG_DIR} ${HEDDLE_VERILATOR_ROOT}/include
                                                   ${HEDDLE_VERILATOR_ROOT}/include/vltstd)
  target_compile_options(${name} PRIVATE -w)
  find_package(Threads REQUIRED)
  # the objects of the model and of the run-time refer to each other
  target_link_libraries(${name} PUBLIC ${library} Threads::Threads)
  set_property(SOURCE ${library} PROPERTY GENERATED TRUE)
endfunction()

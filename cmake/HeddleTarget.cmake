# heddle_library(NAME SOURCES ... [LINK ...]): adds a static library of the host, with Heddle's
# warnings.
#
# Includes are written from host/ ("mir/mir.h"), generated headers from build/generated/.
include(ProcessorCount)
ProcessorCount(HEDDLE_JOBS)
if(HEDDLE_JOBS EQUAL 0)
  set(HEDDLE_JOBS 2)
endif()

# heddle_without(TOOL WHAT): reports that TOOL is missing and what the build omits for it. In CI,
# where packages.txt is installed, this is an error, so that no test passes there because it was not
# built.
function(heddle_without tool what)
  if("$ENV{CI}" STREQUAL "true")
    message(FATAL_ERROR "${tool} not found, and CI leaves nothing out: ${what}")
  endif()
  message(STATUS "${tool} not found: ${what}")
endfunction()

set(HEDDLE_WARNINGS -Wall -Wextra -Wpedantic -Werror)
set(HEDDLE_GENERATED ${CMAKE_BINARY_DIR}/generated)

function(heddle_target name)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/host ${CMAKE_SOURCE_DIR}
                                             ${HEDDLE_GENERATED})
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:C>:${HEDDLE_WARNINGS}>)
  # One IEEE result per operation: the executor relies on it.
  target_compile_options(${name} PRIVATE -ffp-contract=off -fno-fast-math)
  if(HEDDLE_NATIVE)
    target_compile_options(${name} PRIVATE -march=native)
  endif()
  if(HEDDLE_SANITIZE STREQUAL "thread")
    target_compile_options(${name} PRIVATE -fsanitize=thread -fno-omit-frame-pointer)
    target_link_options(${name} PRIVATE -fsanitize=thread)
  elseif(HEDDLE_SANITIZE)
    target_compile_options(${name} PRIVATE -fsanitize=address,undefined -fno-omit-frame-pointer
                                           -fno-sanitize-recover=undefined)
    target_link_options(${name} PRIVATE -fsanitize=address,undefined)
    if(HEDDLE_SANITIZE STREQUAL "fuzz") # clang
      target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link
                                             -Wno-unknown-attributes) # gcc's own
    endif()
  endif()
endfunction()

function(heddle_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  heddle_target(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

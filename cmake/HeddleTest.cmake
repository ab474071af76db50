# heddle_smoke(TARGET): adds TARGET to the smoke tier (./test.sh --smoke).
function(heddle_smoke target)
  set_property(GLOBAL APPEND PROPERTY HEDDLE_SMOKE ${target})
endfunction()

# heddle_unit_test(NAME SOURCES ... [LINK ...]): adds a Criterion program, which ctest runs as one
# test.
#
# Criterion reports success when a filter matches no test, so "Tested: 0" counts as a failure. So do
# messages of sanitizers: they find a leak when the process of a test ends, and Criterion does not
# notice that. Criterion does not start under ThreadSanitizer; tests/sanitize/criterion replaces it
# there.
function(heddle_unit_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  set(criterion criterion)
  set(standin)
  set(limit 300)
  if(HEDDLE_SANITIZE STREQUAL "thread") # some thirty times slower
    set(limit 800)
    set(standin ${CMAKE_SOURCE_DIR}/tests/sanitize)
    list(APPEND ARG_SOURCES ${standin}/criterion/runner.c)
    set(criterion)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  heddle_smoke(${name})
  heddle_target(${name})
  target_include_directories(${name} PRIVATE ${standin}) # before the system's Criterion
  target_link_libraries(${name} PRIVATE ${ARG_LINK} ${criterion})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME unit.${name} COMMAND ${name} -j1)
  set_tests_properties(unit.${name} PROPERTIES TIMEOUT ${limit} FAIL_REGULAR_EXPRESSION
                       "Tested: 0 ;(Leak|Address|Thread)Sanitizer;runtime error: ")
endfunction()

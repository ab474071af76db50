# Runs one command and compares its output exactly.
#
#   cmake -DCOMMAND=a;b;c -DSTATUS=n -DSTDERR=text [-DSTDOUT=text] -P exact_run.cmake
#
# If a text ends with "*", only the part before it must match the beginning of the output. A text
# that is not given is not compared. Process numbers in the output are replaced by "process N".
execute_process(COMMAND ${COMMAND} RESULT_VARIABLE status OUTPUT_VARIABLE stdout
                ERROR_VARIABLE stderr TIMEOUT 120)
set(bad FALSE)
if(NOT status STREQUAL STATUS)
  message("exit status: ${status}, expected ${STATUS}")
  set(bad TRUE)
endif()
foreach(stream STDERR STDOUT)
  if(NOT DEFINED ${stream})
    continue()
  endif()
  string(TOLOWER ${stream} lower)
  string(REGEX REPLACE "process [0-9]+" "process N" got "${${lower}}")
  string(REPLACE "{semicolon}" ";" expected "${${stream}}")
  if(expected MATCHES "^(.*)\\*$")
    set(expected "${CMAKE_MATCH_1}")
    string(LENGTH "${expected}" length)
    string(SUBSTRING "${got}" 0 ${length} got)
  endif()
  if(NOT got STREQUAL expected)
    message("${lower}:\n${${lower}}\nexpected:\n${expected}")
    set(bad TRUE)
  endif()
endforeach()
if(bad)
  message(FATAL_ERROR "not as expected")
endif()

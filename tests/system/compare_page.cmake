cmake_minimum_required(VERSION 3.25)
# Checks that the committed PAGE equals the output of COMMAND.
execute_process(COMMAND ${COMMAND} RESULT_VARIABLE status OUTPUT_VARIABLE made)
file(READ ${PAGE} page)
if(NOT status EQUAL 0 OR NOT made STREQUAL page)
  string(REPLACE ";" " " command "${COMMAND}")
  message(FATAL_ERROR "${PAGE} differs from its table; make it again: ${command} > ${PAGE}")
endif()

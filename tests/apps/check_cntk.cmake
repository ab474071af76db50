# With -k 20000 and a launch of 10 us: what is no reducing takes 30 us, and what calls of the host
# add where they are in an iteration.
set(us "([0-9]+)[.]([0-9]+) us")
if(NOT "${said}" MATCHES " rings: ${us} an iteration, reducing ${us},")
  message(FATAL_ERROR "no times")
endif()
math(EXPR other "${CMAKE_MATCH_1}${CMAKE_MATCH_2} - ${CMAKE_MATCH_3}${CMAKE_MATCH_4}") # ns
if(other LESS 30000 OR other GREATER 36000)
  message(FATAL_ERROR "${other} ns of an iteration are no reducing, expected 30000 to 36000")
endif()
if("${CMAKE_MATCH_3}${CMAKE_MATCH_4}" LESS 1000)
  message(FATAL_ERROR "reducing takes no time")
endif()

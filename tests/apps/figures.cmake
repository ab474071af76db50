# require(KEY LEAST MOST): the microbenchmark printed a figure with that key, between LEAST and
# MOST.
function(require key least most)
  string(REPLACE "." "[.]" pattern "${key}")
  if(NOT "${said}" MATCHES "FIGURE ${pattern} ([0-9.]+) ")
    message(SEND_ERROR "no figure ${key}")
  elseif(CMAKE_MATCH_1 LESS ${least} OR CMAKE_MATCH_1 GREATER ${most})
    message(SEND_ERROR "${key} is ${CMAKE_MATCH_1}, expected ${least} to ${most}")
  endif()
endfunction()

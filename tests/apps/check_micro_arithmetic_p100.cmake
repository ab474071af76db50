# A program measures the parameters of models/gpus/p100.ini: two sub-cores of 32 lanes.
include(${CMAKE_CURRENT_LIST_DIR}/figures.cmake)
foreach(name iadd imad fadd fmul ffma hadd2 hmul2 hfma2)
  require(${name}.latency 6 6)
  require(${name}.interval 0.98 1.15) # warps do not begin and end together
endforeach()
require(lop3_iadd.latency 12 12)
foreach(name dadd dmul dfma)
  require(${name}.latency 8 8)
  require(${name}.interval 1.95 2.1)
endforeach()
require(rsqrt_approx.latency 18 18)
require(rsqrt_approx.interval 4 5) # the last of sixteen warps share the pipe with nobody
require(shuffle.interval 3.95 4.05) # as above
# The model of the P100 has no register-file ports and no instruction cache (Pascal's are not
# known).
foreach(name ffma iadd3)
  require(${name}.one_bank.interval 1 1.1)
  require(${name}.two_banks.interval 1 1.1)
endforeach()
require(code_48KB.turn 1 30)

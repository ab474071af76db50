# As probes.csv of the H100 SXM has it: a chain of FFMAs hides where the code comes from, whether
# its 48 KB fit a sub-core's cache or not. Independent FFMAs do not: 2.2 cycles were measured where
# the SM's cache has the code; here eight lines come at once.
include(${CMAKE_CURRENT_LIST_DIR}/figures.cmake)
foreach(kb 4 16 24 48)
  require(code.chain.warps1.${kb}KB 3.9 4.1)
endforeach()
foreach(kb 4 16 24)
  require(code.independent.warps1.${kb}KB 0.99 1.05)
  require(code.independent.warps4.${kb}KB 0.99 1.05)
endforeach()
require(code.independent.warps1.48KB 1.0 2.3)

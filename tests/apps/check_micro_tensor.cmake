# wmma of a V100: a step with single-precision sums enters every two cycles, one with
# half-precision sums every four, so that a sub-core takes 32 cycles for each wmma; one in a chain
# waits for four sets of 10 and 13 (docs/accuracy.md).
include(${CMAKE_CURRENT_LIST_DIR}/figures.cmake)
require(wmma.f32.latency 39 42)
require(wmma.f16.latency 50 54)
foreach(warps 8 16 32)
  require(wmma.f32.interval.${warps} 31.5 34)
  require(wmma.f16.interval.${warps} 31.5 34)
endforeach()

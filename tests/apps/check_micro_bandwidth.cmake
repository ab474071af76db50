# Nothing is faster than its width: L1 128 bytes a cycle and SM, L2 64 slices of 32 bytes a cycle,
# memory 900 GB/s; nor much slower. More warps read more, until memory has no more to give.
include(${CMAKE_CURRENT_LIST_DIR}/figures.cmake)
require(l1.read 13177 14131)
require(l2.read 2318 2562)
require(dram_read.warps.1 60 200)
require(dram_read.warps.4 300 700)
require(dram_read.warps.64 500 900)

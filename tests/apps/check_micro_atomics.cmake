# Cycles of an H100 for a warp's additions at one word and at the words of one line, within 5 % of
# hardware's (models/gpus/measured/h100-sxm/probes.csv).
include(${CMAKE_CURRENT_LIST_DIR}/figures.cmake)
require(atomic.u32.red.one_address 44 48.6)
require(atomic.u32.red.one_line 4.75 5.25)
require(atomic.f32.red.one_line 4.76 5.26)

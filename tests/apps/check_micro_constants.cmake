# Constant caches of a sub-core and of an SM (2 KB), against
# models/gpus/measured/v100/microbench.csv.
include(${CMAKE_CURRENT_LIST_DIR}/figures.cmake)
require(constant.hit 4 4.5)
require(constant.miss 79 79)
require(indexed.1KB 27 27.5)
require(indexed.16KB 89 89.5)
# four distinct addresses, of which three are replayed: an H100's 61.9, within 5 %
require(indexed4.hit 58.8 65)

# Caches of constants (models/gpus/measured/v100/microbench.csv): a sub-core's, an SM's of 2 KB.
include(${CMAKE_CURRENT_LIST_DIR}/figures.cmake)
require(constant.hit 4 4.5)
require(constant.miss 79 79)
require(indexed.1KB 27 27.5)
require(indexed.16KB 89 89.5)
# four addresses one after the other, where one takes two cycles
require(indexed4.hit 29 30.5)

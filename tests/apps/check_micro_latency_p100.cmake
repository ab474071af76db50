# A program measures the parameters of models/gpus/p100.ini: L1 80 cycles, L2 238, DRAM 164 ns more.
include(${CMAKE_CURRENT_LIST_DIR}/figures.cmake)
require(latency.16KB 80 81)
require(latency.32KB 80 81)
require(latency.2048KB 237 239)
require(latency.65536KB 455 481)
require(issue.6 13 13)
require(issue.7 17 17)
require(issue.8 21 21)
require(issue.interval 4 4)
require(issue4.interval 8 8) # 16 load/store lanes: the SM takes a load every other cycle
require(shared.latency 24 24)
require(shared.16way 16 16)
require(shared.32way 32 32)

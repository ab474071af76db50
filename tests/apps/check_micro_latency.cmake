# Within 3 % of a V100; figures that are exact there are exact here.
include(${CMAKE_CURRENT_LIST_DIR}/figures.cmake)
require(latency.16KB 29.1 31.0)
require(latency.96KB 29.1 31.0)
require(latency.2048KB 208.6 221.4)
require(latency.65536KB 412.3 450.1)
require(issue.6 13 13)
require(issue.7 17 17)
require(issue.8 21 21)
require(issue.interval 4 4)
require(shared.latency 19 19)
# pipe.fence*.latency; beyond the CTA beside the acknowledgement of a store, 221 cycles.
require(fence.cta 9 9)
require(fence.gpu 691 695)
require(fence.sys 1323 1327)
# Bank conflicts take one cycle per word.
require(shared.16way 16 16)
require(shared.32way 32 32)

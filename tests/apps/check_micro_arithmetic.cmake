# Latencies that are exact on the V100 (models/gpus/measured/v100/microbench.csv).
include(${CMAKE_CURRENT_LIST_DIR}/figures.cmake)
foreach(name iadd imad fadd fmul ffma)
  require(${name}.latency 4 4)
  require(${name}.interval 2 2.2)
endforeach()
require(lop3_iadd.latency 8 8)
foreach(name hadd2 hmul2 hfma2)
  require(${name}.latency 6 6)
endforeach()
foreach(name dadd dmul dfma)
  require(${name}.latency 8 8)
  require(${name}.interval 3.95 4.05) # warps do not begin and end together
endforeach()
require(rsqrt_approx.latency 18 18)
require(rsqrt_approx.apart 17 19)
require(div_s32.apart 64 78)
require(rem_s32.apart 64 79)
require(drcp_rn.apart 51 63)
# Slow paths of 33, 91 and 63 instructions, behind the beginning of the fast path, which makes an
# approximation of its own for each division.
require(div_rn_zero.latency 220 250)
require(div_rn_subnormal.latency 470 520) # 504 and 606 were measured, operands unknown
require(ddiv_rn_zero.latency 380 415)
require(warp_barrier.latency 5 5)
require(clock.latency 8 8)
# Three reads of a bank take three cycles; the pipe's interval hides two reads. (IADD3 on a Turing
# GPU: 3.03 and 2.06.) The bounds leave room for warps that do not begin and end together.
foreach(name ffma iadd3)
  require(${name}.one_bank.interval 2.85 3.1)
  require(${name}.two_banks.interval 1.95 2.3)
endforeach()
# A loop that fits into the instruction cache (12 KB), and one that misses once per iteration, 78
# cycles.
require(code_8KB.turn 1 30)
require(code_48KB.turn 50 70)
# A loop that does not fit into the SM's cache (128 KB) either: its code comes from L2, eight lines
# ahead.
require(code_192KB.turn 2000 2800)

# `heddle dram`: traces run on a memory model alone.

# dram_test(NAME TRACE file SAYS regex ... [OPTIONS ...])
function(dram_test name)
  cmake_parse_arguments(ARG "" "TRACE" "SAYS;OPTIONS" ${ARGN})
  string(REPLACE ";" "@@" says "${ARG_SAYS}")
  add_test(NAME system.dram.${name}
    COMMAND ${CMAKE_COMMAND} -DSTATUS=0 "-DSAYS=${says}"
      "-DCOMMAND=${heddle};dram;${ARG_OPTIONS};${CMAKE_CURRENT_SOURCE_DIR}/dram/${ARG_TRACE}"
      -P ${CMAKE_CURRENT_SOURCE_DIR}/run_and_match.cmake)
  set_tests_properties(system.dram.${name} PROPERTIES TIMEOUT 120)
endfunction()

# Expected latencies in ns, computed by hand for HBM2 at 1 GHz. A closed bank: ACT at 1 (its second
# clock), RD at 15, data from 29 to 31: 31. The same row 100 ns later: RD at once, data 14 to 16 ns
# after it: 16. Another row of the bank: PRE, 14, ACT, 14, RD, 16: 44. Bytes of a write, read 1 ns
# later: answered from the write queue as fast as from an open row, 16. The same bytes on an idle
# device 10 us later, when the row has been closed: 31.
dram_test(latencies TRACE latencies.txt OPTIONS --mapping row --refresh none --json -
  SAYS "\"least\": 16000" "\"most\": 44000" "\"row_hits\": 1," "\"row_misses\": 2,"
       "\"row_conflicts\": 2," "\"forwarded\": 1," "\"rules_broken\": 0")
dram_test(text TRACE latencies.txt
  SAYS "latencies.txt, model hbm, memory hbm2: 8 channels of 2 pseudo-channels at 1000 MHz, \
mapping xor, refresh per_bank"
       "requests   5 reads, 1 writes; 0.000 MB in 10.[0-9]+ us"
       "rules      0 of [0-9]+ commands break one")
dram_test(csv TRACE latencies.txt OPTIONS --stacks 2 --csv -
  SAYS "^channel,reads,writes,read_bytes,write_bytes,busy_ps,row_hits,row_misses,row_conflicts,\
forwarded,activates,refreshes,turn_arounds\n0,[0-9,]*\n" "\n15,0,0,0,0,0,0,0,0,0,0,[0-9]+,0\n$")
foreach(model simple simple_dram timing_dram hbm)
  dram_test(${model} TRACE latencies.txt OPTIONS --gpu v100 --model ${model} SAYS "model ${model}, "
    "requests   5 reads, 1 writes" "least 1[345][0-9].")
endforeach()
dram_test(commands TRACE latencies.txt
  OPTIONS --mapping row --refresh none --no-check --commands - SAYS "1 0 0 ACT 0 0 0\n")

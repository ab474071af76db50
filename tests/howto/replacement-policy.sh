# replacement-policy.sh - sourced by howto.sh: what shows that the policy works.
build compare_sm_engine test_reference test_config \
    host/sched/CMakeFiles/heddle_sched.dir/gpu_build.c.o
bash tests/lint/verilator.sh build plain
passes tests/test_config -j1
passes tests/test_reference -j1 --filter 'directed/recently_used'
passes tests/compare_sm_engine recently-used
passes tests/compare_sm_engine 1 6 sms=1
# a hit leaves the pointer where it is
plain rtl/sm/lsu_line.svh
build compare_sm_engine
fails tests/compare_sm_engine recently-used

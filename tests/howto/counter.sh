# counter.sh - sourced by howto.sh: what shows that the counter counts.
quick() {
    build module_test_counters compare_sm_engine \
        host/sched/CMakeFiles/heddle_sched.dir/gpu_records.c.o
    lints plain
    passes tests/module_test_counters
    passes tests/compare_sm_engine ffma-dependent
    passes tests/compare_sm_engine 1 6 sms=1
    # nobody counts
    plain rtl/sm/sm_counters.sv
    build module_test_counters
    fails tests/module_test_counters
}
long() {
    compiler=c++ # of the emulation
    build compare_sm_engine_nba compare_core
    lints
    passes tests/compare_sm_engine_nba 1 20 sms=1
    # by its number, through the registers
    passes tests/compare_core ffma-dependent
    passes tests/compare_core 1 20 sms=1
    plain rtl/top/heddle_top.sv
    build compare_core
    fails tests/compare_core ffma-dependent
}

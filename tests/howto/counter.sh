# counter.sh - sourced by howto.sh: what shows that the counter counts.
build module_test_counters compare_sm_engine \
    host/sched/CMakeFiles/heddle_sched.dir/gpu_records.c.o
bash tests/lint/verilator.sh build plain
passes tests/module_test_counters
passes tests/compare_sm_engine ffma-dependent
passes tests/compare_sm_engine 1 6 sms=1
# nobody counts
plain rtl/sm/sm_counters.sv
build module_test_counters
fails tests/module_test_counters

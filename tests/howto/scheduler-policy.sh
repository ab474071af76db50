# scheduler-policy.sh - sourced by howto.sh: what shows that the policy works.
build compare_sm_engine test_reference test_config \
    host/sched/CMakeFiles/heddle_sched.dir/gpu_build.c.o
bash tests/lint/verilator.sh build plain
passes tests/test_config -j1
passes tests/test_reference -j1 --filter 'directed/oldest'
passes tests/compare_sm_engine oldest
passes tests/compare_sm_engine 1 6 sms=1
# the host offers the policy, the core does not know it
plain rtl/sm/sm_pick.sv
build compare_sm_engine
fails tests/compare_sm_engine oldest

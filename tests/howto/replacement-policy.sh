# replacement-policy.sh - sourced by howto.sh: what shows that the policy works.
quick() {
    build compare_sm_engine test_reference test_config \
        host/sched/CMakeFiles/heddle_sched.dir/gpu_build.c.o
    lints plain
    passes tests/test_config -j1
    passes tests/test_reference -j1 --filter 'directed/recently_used'
    passes tests/compare_sm_engine recently-used
    passes tests/compare_sm_engine 1 6 sms=1
    # a hit leaves the pointer where it is
    plain rtl/sm/memory_path.svh rtl/sm/sm_l1.sv
    build compare_sm_engine
    fails tests/compare_sm_engine recently-used
}
long() {
    build compare_sm_engine_nba compare_sm_engine_16
    lints
    for model in compare_sm_engine_nba compare_sm_engine_16; do
        passes tests/$model recently-used
        passes tests/$model 1 20 sms=1
    done
}

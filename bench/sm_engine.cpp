// sm_engine.cpp - speed of the SM engine under Verilator, the command port driven directly.
//
//   sm_engine [INSTRUCTIONS PER WARP]    80 SMs x 64 warps of FFMAs and integer operations
#include "Vsm_engine.h"
#include "rtl/sm/bench.h"

int main(int argc, char **argv) {
    unsigned length = argc > 1 ? (unsigned)strtoul(argv[1], nullptr, 0) : 1000;
    Setting s;
    s.num_ctas = 160;
    Stream stream = ffma_stream(length);
    Result r = Bench<Vsm_engine>(s, [&](unsigned, unsigned) { return &stream; }).run();
    printf("sm_engine ffma: %llu warp instructions, %u cycles, %llu clocks (%.3f per instruction), "
           "%.2f s, %.3f million warp instructions/s (%.3f per CPU second), hash %016llx\n",
           (unsigned long long)r.issued, r.last, (unsigned long long)r.clocks,
           (double)r.clocks / (double)r.issued, r.seconds, (double)r.issued / r.seconds / 1e6,
           (double)r.issued / r.cpu_seconds / 1e6, (unsigned long long)r.hash);
    return 0;
}

// sm_engine.cpp - speed of the SM engine under Verilator, the command port driven directly.
//
//   sm_engine [INSTRUCTIONS PER WARP [KIND]]    80 SMs x 64 warps, three kinds of work
#include "Vsm_engine.h"
#ifdef HEDDLE_ONE_EVALUATION
#include "Vsm_engine___024root.h"
#endif
#include "rtl/sm/bench.h"

HEDDLE_CLOCKED(Vsm_engine, clk_i)

static Item memory_item(unsigned kind, unsigned cls, unsigned bar) {
    Item i = make_item(cls);
    core_packet_set_mem(i.packet, kind);
    core_packet_set_wr_bar(i.packet, bar);
    core_packet_set_stall(i.packet, 2);
    return i;
}

static Item waiting(Item i, unsigned mask) {
    core_packet_set_wait_mask(i.packet, mask);
    return i;
}

static Item lines(Item i, uint32_t first, unsigned count) {
    core_packet_set_lines(i.packet, count);
    for (unsigned n = 0; n < count; n++) i.lines.push_back(make_line(first + n, 15, 15, 32));
    return i;
}

static Stream finish(Stream s) {
    Item last = waiting(make_item(kBranch), 0x7f);
    core_packet_set_last(last.packet, 1);
    s.push_back(last);
    return s;
}

// c[i] = a[i] + b[i], eight instructions an element; lines that nobody else touches.
static Stream vector_add(unsigned length) {
    Stream s;
    for (unsigned n = 0; s.size() < length; n++) {
        for (unsigned i = 0; i < 3; i++) s.push_back(make_item(kInt));
        s.push_back(lines(memory_item(CORE_MEM_LOAD, kMemory, 0), 3 * n, 1));
        s.push_back(lines(memory_item(CORE_MEM_LOAD, kMemory, 1), 3 * n + 1, 1));
        s.push_back(waiting(make_item(kFp32), 3));
        s.push_back(lines(memory_item(CORE_MEM_STORE, kMemory, 7), 3 * n + 2, 1));
        s.push_back(make_item(kBranch));
    }
    return finish(s);
}

// Tiles in shared memory: barrier, 8 x (two shared loads, two FFMAs), barrier, a load for the next.
static Stream tiles(unsigned length) {
    Stream s;
    Item bar = memory_item(CORE_MEM_BARRIER, kCtaBar, 7);
    for (unsigned n = 0; s.size() < length; n++) {
        s.push_back(lines(memory_item(CORE_MEM_LOAD, kMemory, 0), n % 8, 1));
        s.push_back(waiting(memory_item(CORE_MEM_SHARED_STORE, kShared, 7), 1));
        s.push_back(bar);
        for (unsigned i = 0; i < 8; i++) {
            s.push_back(memory_item(CORE_MEM_SHARED_LOAD, kShared, 1 + i % 2));
            s.push_back(memory_item(CORE_MEM_SHARED_LOAD, kShared, 3 + i % 2));
            if (i) s.push_back(waiting(make_item(kFp32), 1u << (1 + (i + 1) % 2)));
            s.push_back(make_item(kFp32));
        }
        s.push_back(waiting(make_item(kInt), 0x1e));
        s.push_back(bar);
    }
    return finish(s);
}

// All warps run the same stream, each on lines of its own: `stride` of them a warp.
static void measure(const char *name, const Stream &stream, unsigned stride) {
    Setting s;
    s.num_ctas = 160;
    s.base = [=](unsigned cta, unsigned warp) { return (cta * 32 + warp) * stride; };
    Result r = Bench<Vsm_engine>(s, [&](unsigned, unsigned) { return &stream; }).run();
    printf(
        "sm_engine %-10s %9llu warp instructions, %8u cycles, %9llu clocks (%.2f per instruction), "
        "%6.2f s, %.3f million warp instructions/s (%.3f per CPU second), hash %016llx\n",
        name, (unsigned long long)r.issued, r.last, (unsigned long long)r.clocks,
        (double)r.clocks / (double)r.issued, r.seconds, (double)r.issued / r.seconds / 1e6,
        (double)r.issued / r.cpu_seconds / 1e6, (unsigned long long)r.hash);
}

int main(int argc, char **argv) {
    unsigned length = argc > 1 ? (unsigned)strtoul(argv[1], nullptr, 0) : 1000;
    std::string kind = argc > 2 ? argv[2] : "";
    if (kind.empty() || kind == "ffma") measure("ffma", ffma_stream(length), 0);
    if (kind.empty() || kind == "vector_add") measure("vector_add", vector_add(length / 4), length);
    if (kind.empty() || kind == "tiles") measure("tiles", tiles(length / 2), 8);
    return 0;
}

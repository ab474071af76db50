// engine.cpp - speed of the SM engine under Verilator, driven directly through its command port: 80
// SMs of 64 warps with three kinds of work, and the cost of each feature of the model.
//
//   engine [INSTRUCTIONS PER WARP [KIND [REPETITIONS]]]
//
// engine_pipelined is the same with the pipelined form of the engine, and so tells how many clocks
// of a card an instruction takes.
//
// KIND: ffma, vector_add or tiles runs only that one. By default, or with "all", all of them run,
// and then each feature is switched off in a stream that uses it; the time saved is its cost. The
// fastest of several REPETITIONS (default 1) counts.
#include HEDDLE_MODEL_HEADER
#ifdef HEDDLE_ONE_EVALUATION
#include HEDDLE_MODEL_ROOT
#endif
#include "rtl/sm/bench.h"

HEDDLE_CLOCKED(HEDDLE_MODEL, clk_i)

// An instruction of the memory pipe: kind (enum mem), class, dependency barrier of the result.
static Item memory_item(unsigned kind, unsigned cls, unsigned bar) {
    Item i = make_item(cls);
    core_packet_set_mem(i.packet, kind);
    core_packet_set_wr_bar(i.packet, bar);
    core_packet_set_stall(i.packet, 2);
    return i;
}

// The instruction i, waiting for the dependency barriers of `mask`.
static Item waiting(Item i, unsigned mask) {
    core_packet_set_wait_mask(i.packet, mask);
    return i;
}

// The instruction i, accessing `count` whole lines from `first` on.
static Item lines(Item i, uint32_t first, unsigned count) {
    core_packet_set_lines(i.packet, count);
    for (unsigned n = 0; n < count; n++) i.lines.push_back(make_line(first + n, 15, 15, 32));
    return i;
}

// The stream s with a last instruction that waits for everything.
static Stream finish(Stream s) {
    Item last = waiting(make_item(kBranch), 0x7f);
    core_packet_set_last(last.packet, 1);
    s.push_back(last);
    return s;
}

// Gives the packets of a stream code addresses in a loop of 4 KB, which fits into the instruction
// caches of sub-cores, and destinations in the two banks of the register file alternately.
static void lay_out(Stream &s) {
    const unsigned loop = 256, line = 8; // instructions
    for (unsigned i = 0; i < s.size(); i++) {
        const unsigned mem = core_packet_mem(s[i].packet), cls = core_packet_cls(s[i].packet);
        if (mem == CORE_MEM_NONE ? cls != kBranch : core_packet_wr_bar(s[i].packet) != 7)
            core_packet_set_dst(s[i].packet, 1 + i % 2);
        core_packet_set_pc(s[i].packet, i % loop);
        core_packet_set_start(s[i].packet, i == 0);
        core_packet_set_fetch(s[i].packet, i % line == 0);
        core_packet_set_launched(s[i].packet, 1);
    }
}

// c[i] = a[i] + b[i] with eight instructions per element, on lines that no other warp touches.
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

// Tiles in shared memory: a load and a store of it, barrier, 8 x (two shared loads, FFMAs),
// barrier.
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

// A kind of work.
struct Work {
    const char *name;
    Stream stream;
    unsigned stride; // lines from the first one of a warp to that of the next warp
};

// All warps run the same stream, each on its own lines. A first run records the replies of the
// network; the timed runs replay them. All runs must give the same result.
static Result measure(const Work &work, unsigned repetitions, const Setting &setting = Setting()) {
    Setting s = setting;
    unsigned stride = work.stride;
    s.num_ctas = 160;
    s.record = true;
    s.params.insert({{CORE_PARAM_CODE_WAYS, 3}, // unless the caller sets them
                     {CORE_PARAM_CODE_SHARED, 1},
                     {CORE_PARAM_WRITE_PORTS, 1}});
    s.base = [=](unsigned cta, unsigned warp) { return (cta * 32 + warp) * stride; };
    Bench<HEDDLE_MODEL> bench(s, [&](unsigned, unsigned) { return &work.stream; });
    const Result first = bench.run();
    Result best;
    for (unsigned i = 0; i < repetitions; i++) {
        Result r = bench.run();
        if (!r.same(first)) {
            fprintf(stderr, "engine: %s: two runs are not the same\n", work.name);
            exit(1);
        }
        if (!i || r.cpu_seconds < best.cpu_seconds) best = r;
    }
    return best;
}

static void print_speed(const char *name, const Result &r) {
    printf("engine %-10s %9llu warp instructions, %8u cycles, %9llu clocks (%.2f per instruction), "
           "%6.2f s, %.3f million warp instructions/s (%.3f per CPU second), hash %016llx\n",
           name, (unsigned long long)r.issued, r.last, (unsigned long long)r.clocks,
           (double)r.clocks / (double)r.issued, r.seconds, (double)r.issued / r.seconds / 1e6,
           (double)r.issued / r.cpu_seconds / 1e6, (unsigned long long)r.hash);
}

// ---- cost of features

// What an instruction does in the memory pipe (enum mem).
static unsigned kind_of(const Item &i) {
    return core_packet_mem(i.packet);
}

static bool is_memory(const Item &i) {
    return kind_of(i) >= CORE_MEM_LOAD && kind_of(i) <= CORE_MEM_ATOM;
}

static bool is_shared(const Item &i) {
    return kind_of(i) >= CORE_MEM_SHARED_LOAD && kind_of(i) <= CORE_MEM_SHARED_ATOM;
}

// Replaces an instruction by an integer operation with the same stall and no counters.
static void to_int(Item &i) {
    Item plain = make_item(kInt);
    core_packet_set_stall(plain.packet, core_packet_stall(i.packet));
    i = plain;
}

// A feature, and how to switch it off: changes of the stream and of the settings.
struct Feature {
    const char *name, *work;    // work: the stream that uses it
    void (*stream)(Item &item); // NULL: no change
    void (*setting)(Setting &setting, Work &work);
};

static const Feature features[] = {
    {"ports of the register file", "ffma", nullptr,
     [](Setting &s, Work &) { s.class_flags = ~12u; }},
    {"instruction caches", "ffma", nullptr,
     [](Setting &s, Work &) { s.params[CORE_PARAM_CODE_WAYS] = 0; }},
    {"CGGTY, for which LRR stands in", "ffma", nullptr,
     [](Setting &s, Work &) { s.params[CORE_PARAM_POLICY] = 2; }},
    {"waits for dependency counters", "tiles",
     [](Item &i) { core_packet_set_wait_mask(i.packet, core_packet_last(i.packet) ? 0x7f : 0); },
     nullptr},
    {"write ports of the register file", "tiles", nullptr,
     [](Setting &s, Work &) { s.params[CORE_PARAM_WRITE_PORTS] = 0; }},
    {"CTA barriers", "tiles",
     [](Item &i) {
         if (kind_of(i) == CORE_MEM_BARRIER) to_int(i);
     },
     nullptr},
    {"shared memory", "tiles",
     [](Item &i) {
         if (is_shared(i)) to_int(i);
     },
     nullptr},
    {"L1: loads pass it", "vector_add",
     [](Item &i) {
         if (kind_of(i) == CORE_MEM_LOAD) core_packet_set_mem(i.packet, CORE_MEM_LOAD_STRONG);
     },
     nullptr},
    {"L1 misses: one line for all", "vector_add",
     [](Item &i) {
         for (uint64_t &line : i.lines)
             if (kind_of(i) == CORE_MEM_LOAD) line = make_line(0, 15, 15, 32);
     },
     [](Setting &, Work &w) { w.stride = 0; }},
    {"stores", "vector_add",
     [](Item &i) {
         if (kind_of(i) == CORE_MEM_STORE) to_int(i);
     },
     nullptr},
    {"global memory", "vector_add",
     [](Item &i) {
         if (is_memory(i)) to_int(i);
     },
     nullptr},
};

// Measures a stream without a feature and prints the difference; `with`: the result with it. Costs
// are per instruction of the original stream.
static void print_feature(const Feature &f, const Work &work, const Result &with,
                          unsigned repetitions) {
    Setting setting;
    Work changed = work;
    for (Item &i : changed.stream)
        if (f.stream) f.stream(i);
    if (f.setting) f.setting(setting, changed);
    Result r = measure(changed, repetitions, setting);
    double n = (double)with.issued;
    double clocks = (double)with.clocks / n, without = (double)r.clocks / n;
    double ns = with.cpu_seconds / n * 1e9, ns_without = r.cpu_seconds / n * 1e9;
    printf("%-32s %-10s %6.2f %6.2f %+7.2f %8.0f %8.0f %+8.0f %10u %10u\n", f.name, work.name,
           clocks, without, clocks - without, ns, ns_without, ns - ns_without, with.last, r.last);
}

int main(int argc, char **argv) {
    unsigned length = argc > 1 ? (unsigned)strtoul(argv[1], nullptr, 0) : 1000;
    std::string kind = argc > 2 ? argv[2] : "all";
    unsigned repetitions = argc > 3 ? (unsigned)strtoul(argv[3], nullptr, 0) : 1;
    Work works[] = {{"ffma", ffma_stream(length), 0},
                    {"vector_add", vector_add(length / 4), length},
                    {"tiles", tiles(length / 2), 8}};
    for (Work &w : works) lay_out(w.stream);
    std::map<std::string, Result> results;
    for (const Work &w : works) {
        if (kind != "all" && kind != w.name) continue;
        results[w.name] = measure(w, repetitions);
        print_speed(w.name, results[w.name]);
    }
    if (results.empty() || !repetitions) {
        fprintf(stderr,
                "engine: no stream '%s': ffma, vector_add, tiles or all; at least one "
                "repetition\n",
                kind.c_str());
        return 2;
    }
    if (kind != "all") return 0;
    printf("\n%-32s %-10s %21s %26s %21s\n%-32s %-10s %6s %6s %7s %8s %8s %8s %10s %10s\n", "", "",
           "clocks an instruction", "CPU ns an instruction", "cycles", "feature", "stream", "on",
           "off", "cost", "on", "off", "cost", "on", "off");
    for (const Feature &f : features)
        for (const Work &w : works)
            if (std::string(w.name) == f.work) print_feature(f, w, results[w.name], repetitions);
    return 0;
}

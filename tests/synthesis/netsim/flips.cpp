/* flips.cpp - whether a wrong netlist is noticed: one row of one LUT's truth table inverted.
 *
 *   flips SAMPLES SEED ARGUMENTS...
 *
 * Each of ARGUMENTS is a run of the bench, its words separated by commas. In a first pass all runs
 * must pass on the netlist as it is. Then SAMPLES rows of those that stood at a rising edge outside
 * of a reset are drawn at random. In a second pass a drawn row matters as soon as, inverted for one
 * clock, it changes an output or what a register or memory takes. There the process forks, and the
 * child goes on with the row inverted: until then it would have been the same machine. The row is
 * noticed if the netlist then differs from the Verilated RTL in an output, register or memory
 * (lockstep.h), a run fails or takes three times the clocks of all, or the child crashes. A row
 * that matters in no clock is no fault in these runs: nothing at all would be different.
 *
 * With the environment variable HEDDLE_FLIPS_OUTPUTS only outputs and the bench count, which takes
 * longer. Exit status 1: fewer than five in six of the rows that matter are noticed, or more than a
 * third of those drawn do not matter: then the streams do not use the netlist.
 *
 * The bench is compiled with main defined as bench_main. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "tests/synthesis/netsim/lockstep.h"

int bench_main(int argc, char **argv);
#undef main

namespace {

/* What a child process says about its row, in memory shared with it. */
struct Finding {
    bool noticed;
    std::uint64_t clock; /* after the row mattered first */
    unsigned run;
    char what[96];
};

struct Sample {
    netsim_row row;
    bool matters, noticed;
};

class Flips {
  public:
    Flips(char **runs, Finding *shared) : runs_(runs), finding_(shared) {}

    bool first_pass();
    void draw(unsigned samples, std::uint64_t seed);
    void second_pass();
    /* @return enough are noticed */
    bool report() const;

  private:
    char **const runs_;
    Finding *const finding_;
    netlist::Design &design_ = netlist::Design::get();
    netlist::Lockstepped &all_ = netlist::Lockstepped::get();
    std::vector<Sample> samples_;
    std::vector<Sample *> waiting_; /* have not mattered yet */
    unsigned run_ = 0;
    bool child_ = false;

    int run_all();
    bool print_compared() const;
    void look_at(netsim *sim);
    void try_row(Sample &sample);
    void become(const Sample &sample);
    [[noreturn]] void say(bool noticed, const char *kind, const char *name);
};

int run(const char *arguments) {
    std::string text = arguments;
    std::vector<char *> argv{const_cast<char *>("bench"), &text[0]};
    for (char &c : text)
        if (c == ',') {
            c = 0;
            argv.push_back(&c + 1);
        }
    const int argc = (int)argv.size();
    argv.push_back(nullptr);
    return bench_main(argc, argv.data());
}

/* @return exit status of the first run that fails */
int Flips::run_all() {
    for (run_ = 0; runs_[run_]; run_++)
        if (int status = run(runs_[run_])) return status;
    return 0;
}

/* What of the state is as in the RTL, and will be compared. @return false: too little of it */
bool Flips::print_compared() const {
    const netsim_design *d = design_.design;
    const netlist::Compared &c = all_.compared;
    const std::size_t all = netlist::Compared(d).bits(), bits = c.bits();
    std::printf("%zu of %zu flip-flops and %zu of %zu memories are those of the RTL\n", bits, all,
                c.num_memories(), c.memories.size());
    for (unsigned i = 0; i < c.signals.size(); i++) {
        const netsim_signal s = netsim_signal_at(d, i);
        unsigned left_out = 0;
        for (unsigned k = 0; k < c.signals[i].size(); k++)
            left_out += (unsigned)__builtin_popcountll(s.present[k] & ~c.signals[i][k]);
        if (left_out) std::printf("  not compared: %u of register %s\n", left_out, s.name);
    }
    for (unsigned i = 0; i < c.memories.size(); i++)
        if (!c.memories[i]) std::printf("  not compared: memory %s\n", netsim_memory_at(d, i).name);
    return 20 * bits >= 19 * all;
}

bool Flips::first_pass() {
    all_.differ = [&](const char *kind, const char *name) {
        std::printf("FAILED: %s %s is not as in the RTL, without a flip\n", kind, name);
        std::exit(1);
    };
    if (run_all()) {
        std::printf("FAILED: %s, without a flip\n", runs_[run_]);
        return false;
    }
    all_.compared.learn = false;
    const bool enough = print_compared();
    if (std::getenv("HEDDLE_FLIPS_OUTPUTS")) all_.compared.leave_all_out();
    return enough;
}

void Flips::draw(unsigned samples, std::uint64_t seed) {
    std::size_t rows, reached;
    netsim_rows(design_.design, &rows, &reached);
    std::printf(
        "%llu clocks; of %zu rows %zu (%.1f %%) stand at an edge; %u drawn with seed %llu\n",
        (unsigned long long)design_.work.clocks, rows, reached,
        100.0 * (double)reached / (double)rows, samples, (unsigned long long)seed);
    for (unsigned i = 0; i < samples; i++) {
        std::uint64_t z = seed += 0x9e3779b97f4a7c15; /* splitmix64 */
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        z ^= z >> 31;
        samples_.push_back(
            {netsim_row_at(design_.design, (std::size_t)(z % reached)), false, false});
    }
    for (Sample &s : samples_) waiting_.push_back(&s);
}

void Flips::second_pass() {
    all_.before_edge = [&](netsim *sim) { look_at(sim); };
    run_all();
    if (child_) say(false, "", "");
}

/* Before an edge: forks for each drawn row that matters in it for the first time. */
void Flips::look_at(netsim *sim) {
    for (std::size_t i = 0; i < waiting_.size();) {
        Sample &s = *waiting_[i];
        if (!netsim_row_stands(sim, s.row) || !netsim_row_matters(sim, s.row)) {
            i++;
            continue;
        }
        waiting_[i] = waiting_.back();
        waiting_.pop_back();
        try_row(s);
        if (child_) return;
    }
}

void Flips::try_row(Sample &sample) {
    *finding_ = {false, 0, run_, ""};
    sample.matters = true;
    std::fflush(stdout);
    const pid_t child = fork();
    if (!child) {
        become(sample);
        return;
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status)) {
        finding_->noticed = true;
        std::snprintf(finding_->what, sizeof finding_->what, "crash");
    }
    sample.noticed = finding_->noticed;
    std::printf("%s row %u of %s", sample.noticed ? "noticed    " : "NOT NOTICED", sample.row.row,
                netsim_row_name(design_.design, sample.row));
    if (sample.noticed)
        std::printf(": %s, %llu clocks later, %s", finding_->what,
                    (unsigned long long)finding_->clock, runs_[finding_->run]);
    std::printf("\n");
}

/* In a child: the row is inverted from now on. */
void Flips::become(const Sample &sample) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (!std::freopen("/dev/null", "w", stdout) || !std::freopen("/dev/null", "w", stderr)) abort();
    child_ = true;
    netsim_design_invert(design_.design, sample.row);
    for (netsim *sim : all_.simulations) netsim_invert(sim, sample.row);
    all_.before_edge = nullptr;
    all_.differ = [&](const char *kind, const char *name) { say(true, kind, name); };
    all_.clocks = 0;
    design_.clock_limit = 4 * design_.work.clocks;
}

void Flips::say(bool noticed, const char *kind, const char *name) {
    finding_->noticed = noticed;
    finding_->clock = all_.clocks;
    finding_->run = run_;
    std::snprintf(finding_->what, sizeof finding_->what, "%s %s", kind, name);
    _exit(0);
}

bool Flips::report() const {
    unsigned matter = 0, noticed = 0;
    for (const Sample &s : samples_) matter += s.matters, noticed += s.noticed;
    std::printf(
        "%u of %u inverted rows that matter are noticed; the other %zu drawn change nothing "
        "in any clock\n",
        noticed, matter, samples_.size() - matter);
    /* fewer than half: the runs hardly use the netlist, and say little */
    return 2 * matter >= samples_.size() && 6 * noticed >= 5 * matter;
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 4) {
        std::fprintf(stderr, "usage: %s SAMPLES SEED ARGUMENTS...\n", argv[0]);
        return 2;
    }
    setenv("HEDDLE_NETLIST_SEED", "0", 1);
    void *shared = mmap(nullptr, sizeof(Finding), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 2;
    Flips flips(argv + 3, static_cast<Finding *>(shared));
    if (!flips.first_pass()) return 1;
    flips.draw((unsigned)std::atoi(argv[1]), std::strtoull(argv[2], nullptr, 0));
    flips.second_pass();
    return !flips.report();
}

/* flips.cpp - whether a bench notices a wrong netlist: one row of one LUT's truth table inverted.
 *
 *   flips SAMPLES ARGUMENTS...
 *
 * Each of ARGUMENTS is a run of the bench, its words separated by commas. All must pass on the
 * netlist as it is. Then SAMPLES rows of those that these runs looked up, drawn at random, are
 * inverted one at a time; a row is found if a run fails, crashes, or takes three times the clocks
 * of all. Many rows are looked up by what nobody uses then, so not all can be found. Exit status 1:
 * fewer than one in five are (of the network engine's netlist six of twenty are).
 *
 * The bench is compiled with main defined as bench_main. */
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "tests/synthesis/netsim/model.h"

int bench_main(int argc, char **argv);
#undef main

namespace {

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

[[noreturn]] void run_flipped(std::size_t row, std::uint64_t clocks, char **runs) {
    netlist::Design &d = netlist::Design::get();
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (!std::freopen("/dev/null", "w", stdout) || !std::freopen("/dev/null", "w", stderr))
        _exit(2);
    netsim_flip(d.design, row, true);
    d.keep_reset(nullptr);
    d.work = {};
    d.clock_limit = clocks;
    for (; *runs; runs++)
        if (run(*runs)) _exit(1);
    _exit(0);
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: %s SAMPLES ARGUMENTS...\n", argv[0]);
        return 2;
    }
    for (int i = 2; i < argc; i++)
        if (run(argv[i])) {
            std::printf("FAILED: %s, without a flip\n", argv[i]);
            return 1;
        }
    netlist::Design &d = netlist::Design::get();
    const unsigned samples = (unsigned)std::atoi(argv[1]);
    unsigned found = 0;
    std::size_t rows, reached;
    netsim_rows(d.design, &rows, &reached);
    std::uint64_t random = d.seed;
    for (unsigned i = 0; i < samples; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const std::size_t row = (std::size_t)(random >> 20) % reached;
        std::fflush(stdout);
        const pid_t child = fork();
        if (!child) run_flipped(row, 3 * d.work.clocks, argv + 2);
        int status = 0;
        waitpid(child, &status, 0);
        const bool ok = !WIFEXITED(status) || WEXITSTATUS(status) == 1;
        found += ok;
        std::printf("%s row %zu of %s\n", ok ? "found    " : "NOT FOUND", row,
                    netsim_flip(d.design, row, true));
        netsim_flip(d.design, row, true);
    }
    std::printf("%u of %u inverted rows are found\n", found, samples);
    return 5 * found < samples;
}

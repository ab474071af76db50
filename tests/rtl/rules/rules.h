/* rules.h - every assertion of the RTL fails when its rule is broken on purpose.
 *
 * A table has one row per assertion: what to write into registers and ports, between two clocks of
 * a model that rests after its reset, so that the next clock finds the rule broken. A row passes
 * when that clock, and none before it, reports the assertion of its name. Assertions are read from
 * the sources, so that one without a row fails the test, as does a row without an assertion. */
#ifndef HEDDLE_TESTS_RULES_H
#define HEDDLE_TESTS_RULES_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

#include "verilated.h"

namespace rules {

using Names = std::set<std::string>;

template <class Model> struct Row {
    const char *name;
    void (*breaks)(Model &);
};

/* Bits of a packed word of more than 64. */
template <class Word> void set_bits(Word &word, unsigned at, unsigned width, uint64_t value) {
    for (unsigned i = 0; i < width; i++) {
        const unsigned bit = at + i;
        const uint32_t one = 1u << bit % 32;
        word[bit / 32] = value >> i & 1 ? word[bit / 32] | one : word[bit / 32] & ~one;
    }
}

/* The assertions of a file. */
inline Names assertions(const char *path) {
    std::ifstream file(path);
    if (!file) {
        std::printf("FAILED: %s cannot be read\n", path);
        std::exit(1);
    }
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    static const std::regex macro("`ASSERT(?:_IF)?\\((\\w+),");
    Names names;
    for (std::sregex_iterator i(text.begin(), text.end(), macro), end; i != end; ++i)
        if (!names.insert((*i)[1]).second) {
            std::printf("FAILED: %s has two assertions %s\n", path, (*i)[1].str().c_str());
            std::exit(1);
        }
    return names;
}

/* Collects what a model prints, which goes to stdout. */
class Output {
  public:
    Output() : file_(std::tmpfile()), kept_(dup(STDOUT_FILENO)) {
        if (!file_ || kept_ < 0) std::abort();
        std::fflush(stdout);
        dup2(fileno(file_), STDOUT_FILENO);
    }
    ~Output() {
        std::fclose(file_);
        close(kept_);
    }

    /* The names of the assertions that failed; stdout is itself again. */
    Names failed() {
        std::fflush(stdout);
        dup2(kept_, STDOUT_FILENO);
        std::rewind(file_);
        static const std::regex message("Assertion failed in [^:]*\\.(\\w+):");
        Names names;
        char line[4096];
        while (std::fgets(line, sizeof line, file_)) {
            std::cmatch match;
            if (std::regex_search(line, match, message)) names.insert(match[1]);
        }
        return names;
    }

  private:
    std::FILE *file_;
    int kept_;
};

inline std::string list(const Names &names) {
    std::string text;
    for (const std::string &n : names) text += " " + n;
    return text.empty() ? " none" : text;
}

/* Breaks every rule of the table. FILES: the sources whose assertions it must have. REST brings a
 * model from its construction to rest; CLOCK makes one clock.
 * @return exit status */
template <class Model>
int run(const std::vector<Row<Model>> &table, int num_files, char **files, void (*rest)(Model &),
        void (*clock)(Model &)) {
    Names open, all;
    int wrong = 0;
    for (int i = 0; i < num_files; i++)
        for (const std::string &name : assertions(files[i]))
            if (!all.insert(name).second) {
                std::printf("FAILED: %s is in two files\n", name.c_str());
                wrong++;
            }
    open = all;
    for (const Row<Model> &row : table) {
        VerilatedContext context;
        context.errorLimit(1 << 30); /* an assertion that fails does not end the program */
        Model model(&context);
        Output before;
        rest(model);
        const Names early = before.failed();
        Output output;
        row.breaks(model);
        clock(model);
        const Names names = output.failed();
        if (!early.empty() || !names.count(row.name)) {
            std::printf("FAILED: %s: broken, reported%s; before,%s\n", row.name,
                        list(names).c_str(), list(early).c_str());
            wrong++;
        }
        if (!all.count(row.name) || !open.erase(row.name)) {
            std::printf("FAILED: %s is no assertion of the sources, or has two rows\n", row.name);
            wrong++;
        }
    }
    for (const std::string &name : open) {
        std::printf("FAILED: no row breaks %s\n", name.c_str());
        wrong++;
    }
    std::printf("%zu assertions, %d wrong\n", all.size(), wrong);
    return wrong != 0;
}

} // namespace rules

#endif

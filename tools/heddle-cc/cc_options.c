// cc_options.c - parses the command line of heddle-cc into struct cc_options. main.c calls it in
// the one thread of heddle-cc. The rows of cc_options.def give each option's form and action;
// apply() carries the actions out on the options. Messages go to stderr.
#include "cc_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum form { FLAG, VALUE, PREFIX };
enum action {
    OUTPUT,
    COMPILE_ONLY,
    PTX_ONLY,
    BOTH,
    HOST,
    LINK,
    STANDARD,
    DEBUG,
    LINEINFO,
    FAST_MATH,
    FAST_MATH_DEVICE,
    KEEP,
    VERBOSE,
    ARCH,
    CUDART,
    DEFAULT_STREAM,
    LANGUAGE,
    IGNORE,
    HELP,
    VERSION
};

// An option: a row of cc_options.def.
struct row {
    const char *spelling;
    enum form form;
    enum action action;
    const char *argument;
    const char *help;
};

static const struct row rows[] = {
#define X(spelling, form, action, argument, help) {spelling, form, action, argument, help},
#include "cc_options.def"
#undef X
};
enum { ROWS = sizeof rows / sizeof rows[0] };

// Prints the options to stdout.
static void print_help(void) {
    puts("Usage: heddle-cc [OPTION...] FILE...\n"
         "Compile and link CUDA programs (.cu) with clang-14, without NVIDIA's toolkit.\n"
         "FILE may also be C or C++ source, an object file or a library.\n");
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *row = &rows[i];
        if (!*row->help) continue;
        char left[64];
        const char *between = row->form == VALUE && *row->argument ? " " : "";
        snprintf(left, sizeof left, "%s%s%s", row->spelling, between, row->argument);
        printf("  %-20s %s\n", left, row->help);
    }
    puts("\nThe program needs no path to the runtime: 'heddle run -- PROGRAM' sets it.\n"
         "HEDDLE_CLANG names another clang++ than clang++-14.");
}

// @return the row of an argument, or NULL. A row that matches exactly wins over one that is a
// prefix.
static const struct row *find(const char *argument) {
    const struct row *found = NULL;
    for (size_t i = 0; i < ROWS; i++) {
        size_t length = strlen(rows[i].spelling);
        if (strcmp(argument, rows[i].spelling) == 0) return &rows[i];
        if (found || strncmp(argument, rows[i].spelling, length) != 0) continue;
        bool is_long = length > 2;
        if (rows[i].form == PREFIX || (rows[i].form == VALUE && !is_long) ||
            (rows[i].form == VALUE && argument[length] == '=')) {
            found = &rows[i];
        }
    }
    return found;
}

// Applies an option: `word` is the argument as given, `value` its value. @return false: it is
// refused, and a message was printed.
static bool apply(struct cc_options *options, const struct row *row, const char *word,
                  const char *value) {
    switch (row->action) {
    case OUTPUT: options->output = value; return true;
    case COMPILE_ONLY: options->compile_only = true; return true;
    case PTX_ONLY: options->ptx_only = true; return true;
    case STANDARD: options->standard = value; return true;
    case DEBUG: options->debug = true; return true;
    case LINEINFO: options->lineinfo = true; return true;
    case FAST_MATH: options->fast_math = true; return true;
    case FAST_MATH_DEVICE: options->fast_math_device = true; return true;
    case KEEP: options->keep = true; return true;
    case VERBOSE: options->verbose = true; return true;
    case BOTH:
        if (row->form == VALUE) {
            cc_words_add(&options->both, row->spelling);
            cc_words_add(&options->both, value);
        } else {
            cc_words_add(&options->both, word);
        }
        return true;
    case HOST: cc_words_add(&options->host, value); return true;
    case LINK: cc_words_add(&options->link, row->form == VALUE ? value : word); return true;
    case ARCH:
        if (strcmp(value, "sm_70") == 0 || strcmp(value, "compute_70") == 0) return true;
        cc_error("cannot compile for '%s': the only target is sm_70", value);
        return false;
    case CUDART:
        if (strcmp(value, "shared") == 0) return true;
        cc_error("cannot link the runtime '%s': only 'shared' is intercepted", value);
        return false;
    case DEFAULT_STREAM:
        if (strcmp(value, "legacy") == 0) return true;
        if (strcmp(value, "per-thread") == 0) {
            cc_words_add(&options->both, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
            return true;
        }
        cc_error("unknown default stream '%s': 'legacy' or 'per-thread'", value);
        return false;
    case LANGUAGE:
        if (strcmp(value, "cu") == 0) {
            options->all_cuda = true;
            return true;
        }
        cc_error("unknown language '%s': only 'cu' can be set", value);
        return false;
    case IGNORE: return true;
    case HELP:
    case VERSION: break; // handled by the caller
    }
    return false;
}

// Checks the options against each other, and that the inputs can be read. @return false after
// printing a message.
static bool is_consistent(const struct cc_options *options) {
    if (options->inputs.count == 0) {
        cc_error("no input file (see heddle-cc --help)");
        return false;
    }
    if (options->ptx_only && options->inputs.count != 1) {
        cc_error("--ptx takes one .cu file, not %zu files", options->inputs.count);
        return false;
    }
    if (options->compile_only && options->output && options->inputs.count != 1) {
        cc_error("-o with -c takes one file, not %zu files", options->inputs.count);
        return false;
    }
    for (size_t i = 0; i < options->inputs.count; i++) {
        const char *file = options->inputs.word[i];
        if (access(file, R_OK) != 0) {
            cc_error("cannot read '%s': %s", file, strerror(errno));
            return false;
        }
    }
    return true;
}

// Fills *options: matches each argument to a row and applies it, then checks the result. Prints the
// help or the version to stdout if asked. @return CC_GO: build; CC_DONE: help or version was
// printed; CC_MISUSED, after a message. Whatever the result, cc_options_free() frees *options.
enum cc_outcome cc_options_parse(struct cc_options *options, int argc, char **argv) {
    *options = (struct cc_options){.standard = "c++17"};
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (word[0] != '-' || word[1] == '\0') {
            cc_words_add(&options->inputs, word);
            continue;
        }
        const struct row *row = find(word);
        if (!row) {
            cc_error("unknown option '%s' (see heddle-cc --help)", word);
            return CC_MISUSED;
        }
        if (row->action == HELP) {
            print_help();
            return CC_DONE;
        }
        if (row->action == VERSION) {
            puts("heddle-cc " HEDDLE_VERSION);
            return CC_DONE;
        }
        const char *value = word + strlen(row->spelling);
        if (row->form == VALUE) {
            if (*value == '=') value++;
            if (*value == '\0') value = ++i < argc ? argv[i] : NULL;
            if (!value) {
                cc_error("option '%s' needs a value: %s", row->spelling, row->argument);
                return CC_MISUSED;
            }
        }
        if (!apply(options, row, word, value)) return CC_MISUSED;
    }
    return is_consistent(options) ? CC_GO : CC_MISUSED;
}

// Frees the lists of words; the words belong to main's arguments.
void cc_options_free(struct cc_options *options) {
    cc_words_free(&options->inputs);
    cc_words_free(&options->both);
    cc_words_free(&options->host);
    cc_words_free(&options->link);
}

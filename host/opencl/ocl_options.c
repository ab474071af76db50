/* ocl_options.c - build options: split into words, checked, and made clang's. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/opencl.h"

/* Options that clang takes as they are. */
static const char *const passed[] = {
    "-cl-single-precision-constant",
    "-cl-denorms-are-zero",
    "-cl-fp32-correctly-rounded-divide-sqrt",
    "-cl-opt-disable",
    "-cl-strict-aliasing",
    "-cl-mad-enable",
    "-cl-no-signed-zeros",
    "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only",
    "-cl-fast-relaxed-math",
    "-cl-kernel-arg-info",
    "-cl-std=CL1.0",
    "-cl-std=CL1.1",
    "-cl-std=CL1.2",
    "-w",
    "-Werror",
};
/* Options without effect here, which the build log says: of NVIDIA's compiler, with their value
 * behind '=' or as the next word, and two more. */
static const char *const without_effect[] = {"-cl-nv-verbose",
                                             "-cl-nv-maxrregcount",
                                             "-cl-nv-opt-level",
                                             "-cl-nv-arch",
                                             "-cl-nv-cstd",
                                             "-enable-link-options",
                                             "-g"};

static bool is_passed(const char *word) {
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++)
        if (strcmp(passed[i], word) == 0) return true;
    return false;
}

/* Whether an option has no effect; *value: it has a value, which is the next word. */
static bool has_no_effect(const char *word, bool *value) {
    for (size_t i = 0; i < sizeof without_effect / sizeof without_effect[0]; i++) {
        size_t n = strlen(without_effect[i]);
        if (strncmp(without_effect[i], word, n) != 0 || (word[n] && word[n] != '=')) continue;
        *value = !word[n] && strncmp(word, "-cl-nv-", 7) == 0 && strcmp(word, "-cl-nv-verbose");
        return true;
    }
    return false;
}

/* Reads one word, without its quotes and backslashes, from *p to out. @return false: no more. */
static bool next_word(const char **p, char *out) {
    while (isspace((unsigned char)**p)) ++*p;
    if (!**p) return false;
    char quote = 0;
    for (; **p && (quote || !isspace((unsigned char)**p)); ++*p) {
        if (quote ? **p == quote : **p == '"' || **p == '\'')
            quote = quote ? 0 : **p;
        else if (**p == '\\' && ((*p)[1] == '"' || (*p)[1] == '\\' || (*p)[1] == ' '))
            *out++ = *++*p;
        else
            *out++ = **p;
    }
    *out = '\0';
    return true;
}

void ocl_free_words(char **words) {
    for (size_t i = 0; words && words[i]; i++) free(words[i]);
    free(words);
}

char **ocl_options(const char *text, struct ocl_text *log) {
    size_t length = text ? strlen(text) : 0, count = 0;
    char **words = calloc(length + 2, sizeof *words), *word = malloc(length + 1);
    const char *p = text ? text : "";
    bool good = words && word, argument = false, std = false, skip = false;
    while (good && next_word(&p, word)) {
        if (skip) {
            skip = false;
            continue;
        }
        if (!argument && has_no_effect(word, &skip)) {
            ocl_print(log, "warning: build option '%s' has no effect\n", word);
            continue;
        }
        bool takes = !argument && (strcmp(word, "-D") == 0 || strcmp(word, "-I") == 0);
        good = argument || takes || strncmp(word, "-D", 2) == 0 || strncmp(word, "-I", 2) == 0 ||
               is_passed(word);
        if (!good)
            ocl_print(log, "error: build option '%s' is not supported\n", word);
        else
            words[count++] = strdup(word);
        if (strncmp(word, "-cl-std=", 8) == 0) std = true;
        argument = takes;
    }
    if (good && argument) {
        ocl_print(log, "error: build option '%s' lacks its argument\n", words[count - 1]);
        good = false;
    }
    if (good && !std) words[count++] = strdup("-cl-std=CL1.2");
    free(word);
    if (good) return words;
    ocl_free_words(words);
    return NULL;
}

/* gen_core.c - generates the definitions that host and timing core share, from tables/core_*.def:
 *
 *   gen_core sv    heddle_gen.svh  structs, enums, parameter numbers for SystemVerilog
 *   gen_core c     core_words.h    accessors and constants for C and C++
 *   gen_core md    core-words.md   the page
 *
 * The build runs it. Each print_*() writes one of the files to standard output; the tables are
 * compiled in. A word's fields are listed most significant first; the bits left over are reserved,
 * at the low end. Exit status 1: a word is too narrow for its fields, 2: wrong usage. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "camel.h"

enum row_kind { ROW_WORD, ROW_FIELD, ROW_ENUM, ROW_VALUE, ROW_END };
/* A row of core_words.def or core_enums.def. */
struct row {
    enum row_kind kind;
    const char *name;
    int number; /* bits, width or value */
    const char *text;
};

#define WORD(name, bits, text) {ROW_WORD, #name, bits, text},
#define FIELD(name, width, text) {ROW_FIELD, #name, width, text},
#define ENUM(name, width) {ROW_ENUM, #name, width, ""},
#define VALUE(name, number, text) {ROW_VALUE, #name, number, text},
#define END() {ROW_END, "", 0, ""},
static const struct row words[] = {
#include "tables/core_words.def"
};
static const struct row enums[] = {
#include "tables/core_enums.def"
};
static const struct param {
    int number;
    const char *name;
    int value;
    const char *text;
} params[] = {
#define PARAM(number, name, value, text) {number, #name, value, text},
#include "tables/core_params.def"
};
static const char *const classes[] = {
#define CLASS(id, pipe, variable, param, text) #id,
#include "tables/mir_classes.def"
};
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Sum of the widths of the fields of the word in row i. */
static int word_bits(size_t i) {
    int sum = 0;
    for (i++; words[i].kind == ROW_FIELD; i++) sum += words[i].number;
    return sum;
}

/* Prints heddle_gen.svh: constants of the enums, classes and parameters, and a packed struct for
 * each word. */
static void print_sv(void) {
    puts("// Generated from host/tables/core_*.def and mir_classes.def: do not edit.");
    for (size_t i = 0; i < COUNT(enums); i++) {
        static const char *prefix;
        static int width;
        if (enums[i].kind == ROW_ENUM) {
            char name[64];
            snprintf(name, sizeof name, "%s", camel(enums[i].name));
            prefix = enums[i].name;
            width = enums[i].number;
            printf("\nlocalparam int %sW = %d;\n", name, width);
        } else if (enums[i].kind == ROW_VALUE) {
            printf("localparam logic [%d:0] %s%s = %d'd%d;  // %s\n", width - 1, camel(prefix),
                   enums[i].name, width, enums[i].number, enums[i].text);
        }
    }
    puts("\n// Latency classes");
    for (size_t i = 0; i < COUNT(classes); i++)
        printf("localparam logic [5:0] Class%s = 6'd%zu;\n", camel(classes[i]), i);
    puts("localparam logic [5:0] ClassHold = 6'd63;  // no instruction, see docs/timing-model.md");
    puts("\n// Parameter numbers");
    for (size_t i = 0; i < COUNT(params); i++)
        printf("localparam int Param%s = %d;  // %s\n", camel(params[i].name), params[i].number,
               params[i].text);
    puts("\n// Their values after reset");
    for (size_t i = 0; i < COUNT(params); i++)
        printf("localparam int Default%s = %d;\n", camel(params[i].name), params[i].value);
    printf("localparam int NumParams = %zu;\n", COUNT(params));
    for (size_t i = 0; i < COUNT(words); i++) {
        static const char *name;
        static int left;
        if (words[i].kind == ROW_WORD) {
            name = words[i].name;
            left = words[i].number - word_bits(i);
            printf("\n// %s\nlocalparam int %sW = %d;\ntypedef struct packed {\n", words[i].text,
                   camel(name), words[i].number);
        } else if (words[i].kind == ROW_FIELD) {
            printf("  logic [%2d:0] %s;%s%s\n", words[i].number - 1, words[i].name,
                   *words[i].text ? "  // " : "", words[i].text);
        } else {
            if (left > 0) printf("  logic [%2d:0] rsv;\n", left - 1);
            printf("} %s_t;\n", name);
        }
    }
}

/* Prints core_words.h: enums, and for each field of a word two accessors, core_WORD_FIELD() and
 * core_WORD_set_FIELD(), over 64-bit halves. */
static void print_c(void) {
    puts("/* Generated from host/tables/core_*.def and mir_classes.def: do not edit. */\n"
         "#ifndef HEDDLE_CORE_WORDS_H\n#define HEDDLE_CORE_WORDS_H\n#include <stdint.h>\n\n"
         "/* Bits [lsb, lsb + width) of a word of 64-bit halves, low half first; width <= 32. */\n"
         "static inline uint64_t core_bits(const uint64_t *w, unsigned lsb, unsigned width) {\n"
         "    unsigned i = lsb / 64, s = lsb % 64;\n"
         "    uint64_t v = w[i] >> s;\n"
         "    if (s + width > 64) v |= w[i + 1] << (64 - s);\n"
         "    return v & ((UINT64_C(1) << width) - 1);\n}\n"
         "static inline void core_set_bits(uint64_t *w, unsigned lsb, unsigned width, uint64_t v) "
         "{\n"
         "    unsigned i = lsb / 64, s = lsb % 64;\n"
         "    uint64_t m = (UINT64_C(1) << width) - 1;\n"
         "    v &= m;\n"
         "    w[i] = (w[i] & ~(m << s)) | v << s;\n"
         "    if (s + width > 64)\n"
         "        w[i + 1] = (w[i + 1] & ~(m >> (64 - s))) | v >> (64 - s);\n}\n");
    for (size_t i = 0; i < COUNT(enums); i++) {
        static const char *prefix;
        if (enums[i].kind == ROW_ENUM) {
            prefix = enums[i].name;
            printf("enum core_%s {", prefix);
        } else if (enums[i].kind == ROW_VALUE) {
            printf("\n    CORE_");
            for (const char *p = prefix; *p; p++) putchar(toupper((unsigned char)*p));
            for (const char *p = enums[i].name; *p; p++) {
                if (isupper((unsigned char)*p)) putchar('_');
                putchar(toupper((unsigned char)*p));
            }
            printf(" = %d, /* %s */", enums[i].number, enums[i].text);
        } else {
            puts("\n};");
        }
    }
    puts("\nenum { CORE_CLASS_HOLD = 63 };\nenum core_param {");
    for (size_t i = 0; i < COUNT(params); i++) {
        printf("    CORE_PARAM_");
        for (const char *p = params[i].name; *p; p++) putchar(toupper((unsigned char)*p));
        printf(" = %d, /* %s */\n", params[i].number, params[i].text);
    }
    printf("    CORE_NUM_PARAMS = %zu\n};\n", COUNT(params));
    for (size_t i = 0; i < COUNT(words); i++) {
        static const char *name;
        static int lsb;
        if (words[i].kind == ROW_WORD) {
            name = words[i].name;
            lsb = words[i].number;
            printf("\n/* %s: %s, %d bits */\n", name, words[i].text, words[i].number);
        } else if (words[i].kind == ROW_FIELD) {
            lsb -= words[i].number;
            printf("static inline uint32_t core_%s_%s(const uint64_t *w) {\n"
                   "    return (uint32_t)core_bits(w, %d, %d);\n}\n"
                   "static inline void core_%s_set_%s(uint64_t *w, uint64_t v) {\n"
                   "    core_set_bits(w, %d, %d, v);\n}\n",
                   name, words[i].name, lsb, words[i].number, name, words[i].name, lsb,
                   words[i].number);
        }
    }
    puts("\n#endif");
}

/* Prints core-words.md: a table for each word and enum, and one of the parameters. */
static void print_md(void) {
    puts("# Words between host and timing core\n\nGenerated from `host/tables/core_*.def`.");
    for (size_t i = 0; i < COUNT(words); i++) {
        static int lsb;
        if (words[i].kind == ROW_WORD) {
            lsb = words[i].number;
            printf("\n## %s (%d bits)\n%s\n\n| bits | field | meaning |\n|---|---|---|\n",
                   words[i].name, words[i].number, words[i].text);
        } else if (words[i].kind == ROW_FIELD) {
            lsb -= words[i].number;
            printf("| %d:%d | %s | %s |\n", lsb + words[i].number - 1, lsb, words[i].name,
                   words[i].text);
        }
    }
    for (size_t i = 0; i < COUNT(enums); i++) {
        if (enums[i].kind == ROW_ENUM)
            printf("\n## enum %s\n\n| value | name | meaning |\n|---|---|---|\n", enums[i].name);
        else if (enums[i].kind == ROW_VALUE)
            printf("| %d | %s | %s |\n", enums[i].number, enums[i].name, enums[i].text);
    }
    puts("\n## Parameters\n\n| number | name | default | meaning |\n|---|---|---|---|");
    for (size_t i = 0; i < COUNT(params); i++)
        printf("| %d | %s | %d | %s |\n", params[i].number, params[i].name, params[i].value,
               params[i].text);
}

/* Prints the file that the argument names, then checks the widths of all words. @return the exit
 * status of the file's head. */
int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "sv"))
        print_sv();
    else if (argc == 2 && !strcmp(argv[1], "c"))
        print_c();
    else if (argc == 2 && !strcmp(argv[1], "md"))
        print_md();
    else {
        fprintf(stderr, "usage: gen_core sv|c|md\n");
        return 2;
    }
    for (size_t i = 0; i < COUNT(words); i++)
        if (words[i].kind == ROW_WORD && word_bits(i) > words[i].number) {
            fprintf(stderr, "gen_core: word %s has %d bits of %d\n", words[i].name, word_bits(i),
                    words[i].number);
            return 1;
        }
    return 0;
}

/* gen_regs.c - generates the register map of the timing core from tables/core_regs.def:
 *
 *   gen_regs sv    heddle_regs.svh    offsets and constants for SystemVerilog
 *   gen_regs c     core_regs.h        the same for C, and a list of the arguments of a run
 *   gen_regs md    core-registers.md  the page
 *
 * The build runs it. Each print_*() writes one of the files to standard output; the tables are
 * compiled in. The build id is a hash over the rows of all tables that host and core share, so that
 * the host refuses a core built from other tables. Exit status 1: registers overlap, 2: wrong
 * usage. */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "camel.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The rows of core_regs.def by kind: constants, registers (arguments of a run and read-only ones),
 * counters. */
static const struct constant {
    const char *name;
    unsigned value;
    const char *text;
} constants[] = {
#define CONSTANT(name, value, text) {#name, value, text},
#define ARG(number, offset, name, bits, buffer, text)
#define REG(offset, name, text)
#define COUNTER(number, name, text)
#include "tables/core_regs.def"
#undef CONSTANT
#undef ARG
#undef REG
#undef COUNTER
};
static const struct reg {
    int number;      /* of the argument, -1: read only */
    unsigned offset; /* bytes */
    const char *name;
    int bits, buffer; /* width; 1: the argument is a buffer */
    const char *text;
} regs[] = {
#define CONSTANT(name, value, text)
#define ARG(number, offset, name, bits, buffer, text) {number, offset, #name, bits, buffer, text},
#define REG(offset, name, text) {-1, offset, #name, 32, 0, text},
#define COUNTER(number, name, text)
#include "tables/core_regs.def"
#undef CONSTANT
#undef ARG
#undef REG
#undef COUNTER
};
static const struct counter {
    int number;
    const char *name, *text;
} counters[] = {
#define CONSTANT(name, value, text)
#define ARG(number, offset, name, bits, buffer, text)
#define REG(offset, name, text)
#define COUNTER(number, name, text) {number, #name, text},
#include "tables/core_regs.def"
#undef CONSTANT
#undef ARG
#undef REG
#undef COUNTER
};
/* The definitions that both sides must share, as text, for the build id. */
static const char agreed[] =
#define CONSTANT(name, value, text) #name " " #value "\n"
#define ARG(number, offset, name, bits, buffer, text) #number " " #offset " " #name " " #bits "\n"
#define REG(offset, name, text) #offset " " #name "\n"
#define COUNTER(number, name, text) #number " " #name "\n"
#include "tables/core_regs.def"
#undef CONSTANT
#undef ARG
#undef REG
#undef COUNTER
#define WORD(name, bits, text) #name " " #bits "\n"
#define FIELD(name, width, text) #name " " #width "\n"
#define END() "\n"
#define ENUM(name, width) #name " " #width "\n"
#define VALUE(name, number, text) #name " " #number "\n"
#define PARAM(number, name, value, text) #number " " #name "\n"
#define CLASS(id, pipe, variable, param, text) #id "\n"
#include "tables/core_enums.def"
#include "tables/core_words.def"
#include "tables/core_params.def"
#include "tables/mir_classes.def"
    ;

/* @return the FNV-1a hash of `agreed`. */
static uint32_t build_id(void) {
    uint32_t h = 2166136261u;
    for (const char *p = agreed; *p; p++) h = (h ^ (unsigned char)*p) * 16777619u;
    return h;
}

/* Upper case, in a static buffer: valid until the next call. */
static const char *upper(const char *s) {
    static char out[64];
    size_t n = 0;
    for (; *s && n < sizeof out - 1; s++) out[n++] = (char)toupper((unsigned char)*s);
    out[n] = 0;
    return out;
}

/* Prints heddle_regs.svh: constants, build id, offsets of registers, numbers of counters. */
static void print_sv(void) {
    puts("// Generated from host/tables/core_regs.def: do not edit.\n");
    for (size_t i = 0; i < COUNT(constants); i++)
        printf("localparam logic [31:0] Core%s = 32'h%08x;  // %s\n", camel(constants[i].name),
               constants[i].value, constants[i].text);
    printf("localparam logic [31:0] CoreBuildId = 32'h%08x;\n\n// Offsets\n", build_id());
    for (size_t i = 0; i < COUNT(regs); i++)
        for (int half = 0; half < regs[i].bits / 32; half++)
            printf("localparam logic [11:0] Reg%s%s = 12'h%03x;  // %s\n", camel(regs[i].name),
                   half ? "High" : "", regs[i].offset + 4 * (unsigned)half, regs[i].text);
    puts("\n// Counters");
    for (size_t i = 0; i < COUNT(counters); i++)
        printf("localparam int Counter%s = %d;  // %s\n", camel(counters[i].name),
               counters[i].number, counters[i].text);
    printf("localparam int NumCounters = %zu;\n", COUNT(counters));
}

/* Prints core_regs.h: constants, build id, enums of registers, arguments of a run and counters, and
 * the list CORE_ARG_MAP of the arguments. */
static void print_c(void) {
    puts("/* Generated from host/tables/core_regs.def: do not edit. */\n"
         "#ifndef HEDDLE_CORE_REGS_H\n#define HEDDLE_CORE_REGS_H\n");
    for (size_t i = 0; i < COUNT(constants); i++)
        printf("#define CORE_%s 0x%xu /* %s */\n", constants[i].name, constants[i].value,
               constants[i].text);
    printf("#define CORE_BUILD_ID 0x%08xu\n\nenum core_register {\n", build_id());
    for (size_t i = 0; i < COUNT(regs); i++)
        printf("    CORE_REG_%s = 0x%02x, /* %s */\n", upper(regs[i].name), regs[i].offset,
               regs[i].text);
    puts("};\n\n/* Arguments of a run, in the order of their numbers. */\nenum core_arg {");
    int num = 0;
    for (size_t i = 0; i < COUNT(regs); i++)
        if (regs[i].number >= 0) {
            printf("    CORE_ARG_%s = %d,\n", upper(regs[i].name), regs[i].number);
            num++;
        }
    printf("    CORE_NUM_ARGS = %d\n};\n"
           "#define CORE_ARG_MAP(X) /* number, offset, bits, is a buffer */",
           num);
    for (size_t i = 0; i < COUNT(regs); i++)
        if (regs[i].number >= 0)
            printf(" \\\n    X(%d, 0x%02x, %d, %d)", regs[i].number, regs[i].offset, regs[i].bits,
                   regs[i].buffer);
    puts("\n\nenum core_counter {");
    for (size_t i = 0; i < COUNT(counters); i++)
        printf("    CORE_COUNTER_%s = %d, /* %s */\n", upper(counters[i].name), counters[i].number,
               counters[i].text);
    printf("    CORE_NUM_COUNTERS = %zu\n};\n\n#endif\n", COUNT(counters));
}

/* Prints core-registers.md: tables of constants, arguments, read-only registers and counters. */
static void print_md(void) {
    puts(
        "# Registers of the kernel\n\nGenerated from `host/tables/core_regs.def`. The kernel"
        " `heddle_kernel` is started and\nstopped by `ap_ctrl_hs` (0x00 to 0x0c); registers have 32"
        " bits, buffers two registers. `build_id`\nis a hash over the shared tables.\n\n"
        "| constant | value | meaning |\n|---|---|---|");
    for (size_t i = 0; i < COUNT(constants); i++)
        printf("| %s | 0x%x | %s |\n", constants[i].name, constants[i].value, constants[i].text);
    puts("\n| argument | offset | register | bits | meaning |\n|---|---|---|---|---|");
    for (size_t i = 0; i < COUNT(regs); i++)
        if (regs[i].number >= 0)
            printf("| %d | 0x%02x | %s | %d | %s |\n", regs[i].number, regs[i].offset, regs[i].name,
                   regs[i].bits, regs[i].text);
    puts("\n| offset | read only | meaning |\n|---|---|---|");
    for (size_t i = 0; i < COUNT(regs); i++)
        if (regs[i].number < 0)
            printf("| 0x%02x | %s | %s |\n", regs[i].offset, regs[i].name, regs[i].text);
    puts("\n| counter | offset | name | meaning |\n|---|---|---|---|");
    for (size_t i = 0; i < COUNT(counters); i++)
        printf("| %d | 0x%03x | %s | %s |\n", counters[i].number, 0x100 + 8 * counters[i].number,
               counters[i].name, counters[i].text);
}

/* Prints the file that the argument names, then checks that registers do not overlap. @return the
 * exit status of the file's head. */
int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "sv"))
        print_sv();
    else if (argc == 2 && !strcmp(argv[1], "c"))
        print_c();
    else if (argc == 2 && !strcmp(argv[1], "md"))
        print_md();
    else {
        fprintf(stderr, "usage: gen_regs sv|c|md\n");
        return 2;
    }
    for (size_t i = 0; i < COUNT(regs); i++)
        if (i && regs[i].offset < regs[i - 1].offset + (unsigned)regs[i - 1].bits / 8) {
            fprintf(stderr, "gen_regs: register %s overlaps the one before\n", regs[i].name);
            return 1;
        }
    return 0;
}

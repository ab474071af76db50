/* test_cubin.c - host/cli/cubin.c: counting the instructions of a cubin's kernels, on ELF files
 * built in memory. */
#include <criterion/criterion.h>
#include <elf.h>
#include <string.h>

#include "cli/cubin.h"

enum { NOP = 0x918, BRA = 0x947, EXIT = 0x94d, LDG = 0x381, STS = 0x388, LDL = 0x983, MOV = 0x202 };

static const char names[] = "\0.text.kernel\0.symtab\0.strings\0kernel\0$slow_path";
enum { NAME_TEXT = 1, NAME_SYMTAB = 14, NAME_STRINGS = 22, NAME_KERNEL = 31, NAME_SLOW = 38 };

struct image {
    Elf64_Ehdr head;
    Elf64_Shdr section[4]; /* empty, code, symbols, strings */
    uint64_t code[16][2];
    Elf64_Sym symbol[3];
    char names[sizeof names];
};

/* Makes an ELF file whose code has `n` instructions with these operations. Subroutines begin at
 * instruction `slow` (0: none). */
static struct image make(const uint16_t *op, unsigned n, unsigned slow) {
    struct image m = {.head = {.e_shoff = offsetof(struct image, section),
                               .e_shentsize = sizeof(Elf64_Shdr),
                               .e_shnum = 4,
                               .e_shstrndx = 3}};
    memcpy(m.head.e_ident, ELFMAG, SELFMAG);
    m.head.e_ident[EI_CLASS] = ELFCLASS64;
    m.section[1] = (Elf64_Shdr){.sh_name = NAME_TEXT,
                                .sh_type = SHT_PROGBITS,
                                .sh_offset = offsetof(struct image, code),
                                .sh_size = 16ull * n};
    m.section[2] = (Elf64_Shdr){.sh_name = NAME_SYMTAB,
                                .sh_type = SHT_SYMTAB,
                                .sh_link = 3,
                                .sh_offset = offsetof(struct image, symbol),
                                .sh_size = (slow ? 3 : 2) * sizeof(Elf64_Sym)};
    m.section[3] = (Elf64_Shdr){.sh_name = NAME_STRINGS,
                                .sh_type = SHT_STRTAB,
                                .sh_offset = offsetof(struct image, names),
                                .sh_size = sizeof names};
    /* the upper bits of an operation's word are operands, and must not matter */
    for (unsigned i = 0; i < n; i++) m.code[i][0] = UINT64_C(0x123456789abc7000) | op[i];
    unsigned char func = ELF64_ST_INFO(STB_LOCAL, STT_FUNC);
    m.symbol[1] = (Elf64_Sym){.st_name = NAME_KERNEL, .st_info = func, .st_shndx = 1};
    m.symbol[2] = (Elf64_Sym){
        .st_name = NAME_SLOW, .st_info = func, .st_shndx = 1, .st_value = 16ull * slow};
    memcpy(m.names, names, sizeof names);
    return m;
}

static bool count(const struct image *m, size_t size, const char *name, struct cubin_kernel *out) {
    return cubin_count((const uint8_t *)m, size, name, out);
}

Test(cubin, padding_is_not_counted) {
    struct cubin_kernel k;
    struct image m = make((uint16_t[]){MOV, LDG, NOP, STS, LDL, EXIT, BRA, NOP, NOP}, 9, 0);
    cr_assert(count(&m, sizeof m, "kernel", &k));
    cr_expect_eq(k.instructions, 5);
    cr_expect_eq(k.memory, 2, "local memory is not counted");
    cr_expect_eq(k.subroutines, 0);
}

Test(cubin, a_branch_inside_counts) {
    struct cubin_kernel k;
    struct image m = make((uint16_t[]){MOV, BRA, EXIT, BRA}, 4, 0);
    cr_assert(count(&m, sizeof m, "kernel", &k));
    cr_expect_eq(k.instructions, 3);
}

Test(cubin, subroutines_by_themselves) {
    struct cubin_kernel k;
    struct image m = make((uint16_t[]){MOV, EXIT, MOV, LDG, EXIT, BRA, NOP}, 7, 2);
    cr_assert(count(&m, sizeof m, "kernel", &k));
    cr_expect_eq(k.instructions, 2);
    cr_expect_eq(k.subroutines, 3);
    cr_expect_eq(k.memory, 0);
}

Test(cubin, no_such_kernel) {
    struct cubin_kernel k;
    struct image m = make((uint16_t[]){EXIT}, 1, 0);
    cr_expect_not(count(&m, sizeof m, "kerne", &k));
    cr_expect_not(count(&m, sizeof m, "kernel2", &k));
}

Test(cubin, damaged) {
    struct cubin_kernel k;
    struct image good = make((uint16_t[]){MOV, EXIT, BRA, NOP}, 4, 1);
    for (size_t n = 0; n < offsetof(struct image, code) + 64; n++)
        cr_expect_not(count(&good, n, "kernel", &k), "%zu bytes", n);
    struct image m = good;
    m.section[1].sh_size = UINT64_MAX - 64;
    cr_expect_not(count(&m, sizeof m, "kernel", &k));
    m = good;
    /* symbols beyond the end of the file: no subroutines are found */
    m.section[2].sh_offset = UINT64_MAX - 8;
    cr_assert(count(&m, sizeof m, "kernel", &k));
    cr_expect_eq(k.instructions, 2);
    m = good;
    m.head.e_shoff = UINT64_MAX - 8;
    cr_expect_not(count(&m, sizeof m, "kernel", &k));
    cr_expect_not(cubin_count((const uint8_t *)"#!/bin/sh", 9, "kernel", &k));
}

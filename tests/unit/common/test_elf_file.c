/* test_elf_file.c - common/elf_file.c: symbols of ELF files built in memory, and of damaged
 * ones. */
#include <criterion/criterion.h>
#include <string.h>

#include "common/elf_file.h"

static const char names[] = "\0first\0second\0undefined\0data";
enum { NAME_FIRST = 1, NAME_SECOND = 7, NAME_UNDEFINED = 14, NAME_DATA = 24 };

struct image {
    Elf64_Ehdr head;
    Elf64_Shdr section[4]; /* empty, symbols, dynamic symbols, strings */
    Elf64_Sym symbol[4];   /* three in the symbol table, one in the dynamic one */
    char names[sizeof names];
};

/* Makes an ELF file with the symbol tables and names of `struct image`. */
static struct image make(void) {
    struct image m = {.head = {.e_shoff = offsetof(struct image, section),
                               .e_shentsize = sizeof(Elf64_Shdr),
                               .e_shnum = 4,
                               .e_shstrndx = 3}};
    const unsigned char function = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    memcpy(m.head.e_ident, ELFMAG, SELFMAG);
    m.head.e_ident[EI_CLASS] = ELFCLASS64;
    m.section[1] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                                .sh_link = 3,
                                .sh_offset = offsetof(struct image, symbol),
                                .sh_size = 3 * sizeof(Elf64_Sym)};
    m.section[2] = (Elf64_Shdr){.sh_type = SHT_DYNSYM,
                                .sh_link = 3,
                                .sh_offset = offsetof(struct image, symbol[3]),
                                .sh_size = sizeof(Elf64_Sym)};
    m.section[3] = (Elf64_Shdr){
        .sh_type = SHT_STRTAB, .sh_offset = offsetof(struct image, names), .sh_size = sizeof names};
    m.symbol[0] = (Elf64_Sym){
        .st_name = NAME_DATA, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), .st_shndx = 1};
    m.symbol[1] = (Elf64_Sym){.st_name = NAME_UNDEFINED, .st_info = function};
    m.symbol[2] = (Elf64_Sym){
        .st_name = NAME_FIRST, .st_info = function, .st_shndx = 1, .st_value = 11};
    m.symbol[3] = (Elf64_Sym){
        .st_name = NAME_SECOND, .st_info = function, .st_shndx = 1, .st_value = 22};
    memcpy(m.names, names, sizeof names);
    return m;
}

/* Returns the names of the functions in symbol tables of `type`, each followed by a blank, in a
 * static buffer. */
static const char *functions(const void *bytes, size_t size, unsigned type) {
    static char text[256];
    struct elf_file f;
    struct elf_functions all = {.file = &f, .type = type};
    cr_assert_eq(elf_begin(&f, bytes, size), ELF_PROGRAM);
    text[0] = 0;
    while (elf_next_function(&all)) {
        strncat(text, all.name, sizeof text - strlen(text) - 1);
        strncat(text, " ", sizeof text - strlen(text) - 1);
    }
    return text;
}

Test(elf_file, functions_that_are_defined) {
    struct image m = make();
    cr_expect_str_eq(functions(&m, sizeof m, SHT_SYMTAB), "first ");
    cr_expect_str_eq(functions(&m, sizeof m, SHT_DYNSYM), "second ");
    cr_expect_str_eq(functions(&m, sizeof m, SHT_HASH), "");
    m.section[2].sh_type = SHT_SYMTAB;
    cr_expect_str_eq(functions(&m, sizeof m, SHT_SYMTAB), "first second ", "of all its tables");
}

Test(elf_file, at_any_address) {
    char room[sizeof(struct image) + 1];
    struct image m = make();
    memcpy(room + 1, &m, sizeof m);
    cr_expect_str_eq(functions(room + 1, sizeof m, SHT_SYMTAB), "first ");
}

Test(elf_file, damaged) {
    struct image good = make(), m = good;
    m.section[1].sh_offset = UINT64_MAX - 8;
    cr_expect_str_eq(functions(&m, sizeof m, SHT_SYMTAB), "", "symbols that are not there");
    m = good;
    m.section[1].sh_link = 99;
    cr_expect_str_eq(functions(&m, sizeof m, SHT_SYMTAB), "", "names that are not there");
    m = good;
    m.symbol[2].st_name = UINT32_MAX;
    cr_expect_str_eq(functions(&m, sizeof m, SHT_SYMTAB), " ", "a name outside the file");
    m = good;
    m.head.e_shoff = UINT64_MAX - 8;
    cr_expect_str_eq(functions(&m, sizeof m, SHT_SYMTAB), "");
    m = good;
    m.head.e_shnum = UINT16_MAX;
    cr_expect_str_eq(functions(&m, sizeof m, SHT_SYMTAB), "first ", "more sections than there are");
    for (size_t n = sizeof good.head; n < offsetof(struct image, symbol[3]); n++)
        cr_expect_str_eq(functions(&good, n, SHT_SYMTAB), "", "%zu bytes", n);
}

Test(elf_file, kinds) {
    struct elf_file f;
    struct image m = make();
    cr_expect_eq(elf_begin(&f, "#!/bin/sh", 9), ELF_SCRIPT);
    cr_expect_eq(elf_begin(&f, "", 0), ELF_SCRIPT);
    cr_expect_eq(elf_begin(&f, &m, sizeof m.head - 1), ELF_DAMAGED);
    m.head.e_ident[EI_CLASS] = ELFCLASS32;
    cr_expect_eq(elf_begin(&f, &m, sizeof m), ELF_DAMAGED);
    cr_expect_eq(elf_open(&f, "/nonexistent"), ELF_NOT_FOUND);
    elf_close(&f);
    cr_expect_eq(elf_open(&f, "/dev/null"), ELF_SCRIPT);
    elf_close(&f);
    cr_expect_eq(elf_open(&f, "/proc/self/exe"), ELF_PROGRAM);
    elf_close(&f);
}

/* elf_file.h - reads 64-bit ELF files without trusting them: every offset is checked against the
 * size of the file. Headers are copied, because they may be misaligned.
 *
 * The auditor, the command (cli/elf_scan.h) and the reader of cubins share it. libelf does not fit:
 * the auditor is loaded into the program under test and may need libc alone, and messages about a
 * damaged file must be the same everywhere, where libelf refuses the whole file and this reader
 * gives the parts that still lie inside it. Threads: any, since a file is only read. */
#ifndef HEDDLE_COMMON_ELF_FILE_H
#define HEDDLE_COMMON_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum elf_kind {
    ELF_NOT_FOUND, /* cannot be opened */
    ELF_SCRIPT,    /* not an ELF file */
    ELF_DAMAGED,   /* or of 32 bits */
    ELF_PROGRAM,   /* a 64-bit ELF file: program, library, cubin */
};

/* A file that is being read. */
struct elf_file {
    const uint8_t *bytes; /* the whole file; borrowed, or mapped by elf_open() */
    size_t size;
    Elf64_Ehdr head; /* a copy */
};

/* Begins to read `bytes`, borrowed. The functions below accept the result only if it is
 * ELF_PROGRAM. */
enum elf_kind elf_begin(struct elf_file *f, const void *bytes, size_t size);
/* Maps a file and begins to read it. Call elf_close() afterwards, whatever the result. */
enum elf_kind elf_open(struct elf_file *f, const char *path);
void elf_close(struct elf_file *f);

/* @return the bytes at `offset`, or NULL unless all `size` of them lie in the file. */
const void *elf_range(const struct elf_file *f, uint64_t offset, uint64_t size);
/* @return the NUL-terminated text at `offset`, or "" unless all of it lies in the file. */
const char *elf_text(const struct elf_file *f, uint64_t offset);

/* Copies the header of section i (0 to f->head.e_shnum - 1). @return false: it lies outside the
 * file. */
bool elf_section(const struct elf_file *f, unsigned i, Elf64_Shdr *out);

/* Iterates over the functions that a file defines, in its symbol tables of one type (SHT_SYMTAB,
 * SHT_DYNSYM):
 *     struct elf_functions all = {.file = f, .type = SHT_SYMTAB};
 *     while (elf_next_function(&all)) ... all.name, all.symbol ... */
struct elf_functions {
    const struct elf_file *file;
    unsigned type;
    const char *name; /* "" if it lies outside the file */
    Elf64_Sym symbol;
    /* State: sections visited; the table, file offset of its names, next symbol, their number. */
    unsigned sections;
    const uint8_t *table;
    uint64_t names, at, count;
};
/* Moves to the next function: sets name and symbol. @return false: there are no more. */
bool elf_next_function(struct elf_functions *all);

#endif

/* elf_file.c - reads 64-bit ELF files without trusting them: sections, texts, functions; contracts
 * in elf_file.h. Runs in the command and the server, and in the program under test as a part of the
 * auditor, so it needs libc alone and allocates nothing. Any thread; functions touch the `f` or
 * `all` that they get. */
#define _GNU_SOURCE
#include "common/elf_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Fills *f from borrowed bytes, with a copy of the ELF header. @return what kind of file they are;
 * ELF_SCRIPT: no ELF file, ELF_DAMAGED: too short or of 32 bits. The other functions need
 * ELF_PROGRAM. */
enum elf_kind elf_begin(struct elf_file *f, const void *bytes, size_t size) {
    *f = (struct elf_file){.bytes = bytes, .size = size};
    if (size < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) != 0) return ELF_SCRIPT;
    if (size < sizeof f->head) return ELF_DAMAGED;
    memcpy(&f->head, bytes, sizeof f->head);
    return f->head.e_ident[EI_CLASS] == ELFCLASS64 ? ELF_PROGRAM : ELF_DAMAGED;
}

/* Maps the file at `path` read-only and begins to read it. @return as elf_begin(), or
 * ELF_NOT_FOUND: it cannot be opened or examined; an empty file is ELF_SCRIPT. Whatever the result,
 * elf_close() unmaps what was mapped. */
enum elf_kind elf_open(struct elf_file *f, const char *path) {
    *f = (struct elf_file){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return ELF_NOT_FOUND;
    struct stat st;
    void *p = MAP_FAILED;
    bool good = fstat(fd, &st) == 0;
    if (good && st.st_size > 0) p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (p == MAP_FAILED) return good ? ELF_SCRIPT : ELF_NOT_FOUND;
    return elf_begin(f, p, (size_t)st.st_size);
}

void elf_close(struct elf_file *f) {
    if (f->bytes) munmap((void *)(uintptr_t)f->bytes, f->size);
    f->bytes = NULL;
}

/* @return the bytes at `offset` of the file, NULL unless all `size` bytes lie in it. */
const void *elf_range(const struct elf_file *f, uint64_t offset, uint64_t size) {
    return offset <= f->size && size <= f->size - offset ? f->bytes + offset : NULL;
}

/* @return the NUL-terminated text at `offset`, "" unless all of it lies in the file. */
const char *elf_text(const struct elf_file *f, uint64_t offset) {
    if (offset >= f->size || !memchr(f->bytes + offset, 0, f->size - offset)) return "";
    return (const char *)f->bytes + offset;
}

/* Copies the header of section i, from 0. @return false: there is none of that number, or it lies
 * outside the file. */
bool elf_section(const struct elf_file *f, unsigned i, Elf64_Shdr *out) {
    const Elf64_Ehdr *h = &f->head;
    if (i >= h->e_shnum || h->e_shentsize != sizeof *out) return false;
    const void *p = elf_range(f, h->e_shoff + (uint64_t)i * sizeof *out, sizeof *out);
    if (p) memcpy(out, p, sizeof *out);
    return p != NULL;
}

/* Moves the iterator to the next symbol table of its type whose contents lie in the file: sets its
 * table, names, at and count. @return false: there is none. */
static bool next_table(struct elf_functions *all) {
    Elf64_Shdr s, names;
    while (all->sections < all->file->head.e_shnum) {
        if (!elf_section(all->file, all->sections++, &s) || s.sh_type != all->type) continue;
        all->table = elf_range(all->file, s.sh_offset, s.sh_size);
        if (!all->table || !elf_section(all->file, s.sh_link, &names)) continue;
        all->names = names.sh_offset;
        all->at = 0;
        all->count = s.sh_size / sizeof all->symbol;
        return true;
    }
    return false;
}

/* Moves the iterator to the next function that the file defines; skips other symbols. Sets
 * all->symbol, and all->name ("" outside the file). @return false: there are no more. */
bool elf_next_function(struct elf_functions *all) {
    for (;;) {
        while (all->at == all->count)
            if (!next_table(all)) return false;
        memcpy(&all->symbol, all->table + all->at++ * sizeof all->symbol, sizeof all->symbol);
        const Elf64_Sym *s = &all->symbol;
        if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_shndx == SHN_UNDEF) continue;
        all->name = elf_text(all->file, all->names + s->st_name);
        return true;
    }
}

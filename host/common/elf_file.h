/* elf_file.h - looking into the bytes of an ELF file without trusting them. */
#ifndef HEDDLE_COMMON_ELF_FILE_H
#define HEDDLE_COMMON_ELF_FILE_H

#include <elf.h>
#include <stdint.h>
#include <string.h>

struct elf_file {
    const uint8_t *bytes;
    size_t size;
};

/* @return NULL unless all of it lies in the file. */
static inline const void *elf_range(const struct elf_file *f, uint64_t offset, uint64_t size) {
    return offset <= f->size && size <= f->size - offset ? f->bytes + offset : NULL;
}

/* A NUL-terminated text inside the file, or "". */
static inline const char *elf_text(const struct elf_file *f, uint64_t offset) {
    if (offset >= f->size || !memchr(f->bytes + offset, 0, f->size - offset)) return "";
    return (const char *)f->bytes + offset;
}

#endif

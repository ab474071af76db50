/* cubin.c - see cubin.h
 *
 * An instruction is two 64-bit words, its operation the low twelve bits of the first. A kernel ends
 * in a branch to itself and NOPs up to the alignment of the section; neither is ever executed. */
#include "cli/cubin.h"

#include "common/elf_file.h"

enum { INSTRUCTION = 16, OP_NOP = 0x918, OP_BRA = 0x947 };

static bool section(const struct elf_file *f, const Elf64_Ehdr *h, unsigned i, Elf64_Shdr *out) {
    if (i >= h->e_shnum || h->e_shentsize != sizeof *out) return false;
    const void *p = elf_range(f, h->e_shoff + (uint64_t)i * sizeof *out, sizeof *out);
    if (p) memcpy(out, p, sizeof *out);
    return p != NULL;
}

static unsigned op_at(const uint8_t *code, uint64_t at) {
    return code[at] | (code[at + 1] & 15u) << 8;
}

/* Loads, stores and atomics of global, shared and generic memory, whatever their operands. */
static bool is_memory(unsigned op) {
    switch (op & 0x1ff) {
    case 0x180: /* LD */
    case 0x181: /* LDG */
    case 0x184: /* LDS */
    case 0x185: /* ST */
    case 0x186: /* STG */
    case 0x188: /* STS */
    case 0x18a: /* ATOM */
    case 0x18b: /* ATOM.CAS */
    case 0x18c: /* ATOMS */
    case 0x18d: /* ATOMS.CAS */
    case 0x18e: /* RED */
    case 0x1a8: /* ATOMG */
    case 0x1a9: /* ATOMG.CAS */ return true;
    default: return false;
    }
}

/* Where the subroutines behind the kernel begin; `bytes` if there are none. */
static uint64_t own_bytes(const struct elf_file *f, const Elf64_Ehdr *h, unsigned code,
                          const char *name, uint64_t bytes) {
    for (unsigned i = 0; i < h->e_shnum; i++) {
        Elf64_Shdr s, strings;
        if (!section(f, h, i, &s) || s.sh_type != SHT_SYMTAB) continue;
        if (!section(f, h, s.sh_link, &strings)) continue;
        const uint8_t *table = elf_range(f, s.sh_offset, s.sh_size);
        for (uint64_t at = 0; table && at + sizeof(Elf64_Sym) <= s.sh_size;
             at += sizeof(Elf64_Sym)) {
            Elf64_Sym y;
            memcpy(&y, table + at, sizeof y);
            if (ELF64_ST_TYPE(y.st_info) != STT_FUNC || y.st_shndx != code) continue;
            if (strcmp(elf_text(f, strings.sh_offset + y.st_name), name) == 0) continue;
            if (y.st_value < bytes) bytes = y.st_value;
        }
    }
    return bytes;
}

static void count(const uint8_t *code, uint64_t own, uint64_t bytes, struct cubin_kernel *out) {
    *out = (struct cubin_kernel){0};
    /* the branch to itself is the last thing that is no NOP */
    uint64_t end = bytes;
    while (end && op_at(code, end - INSTRUCTION) == OP_NOP) end -= INSTRUCTION;
    if (end && op_at(code, end - INSTRUCTION) == OP_BRA) end -= INSTRUCTION;
    for (uint64_t at = 0; at < end; at += INSTRUCTION) {
        unsigned op = op_at(code, at);
        if (op == OP_NOP) continue;
        if (at >= own) {
            out->subroutines++;
        } else {
            out->instructions++;
            out->memory += is_memory(op);
        }
    }
}

bool cubin_count(const uint8_t *bytes, size_t size, const char *name, struct cubin_kernel *out) {
    struct elf_file f = {bytes, size};
    Elf64_Ehdr h;
    Elf64_Shdr names;
    const void *head = elf_range(&f, 0, sizeof h);
    if (!head || memcmp(head, ELFMAG, SELFMAG) != 0) return false;
    memcpy(&h, head, sizeof h);
    if (h.e_ident[EI_CLASS] != ELFCLASS64 || !section(&f, &h, h.e_shstrndx, &names)) return false;
    for (unsigned i = 0; i < h.e_shnum; i++) {
        Elf64_Shdr s;
        if (!section(&f, &h, i, &s)) return false;
        const char *title = elf_text(&f, names.sh_offset + s.sh_name);
        if (strncmp(title, ".text.", 6) != 0 || strcmp(title + 6, name) != 0) continue;
        uint64_t n = s.sh_size / INSTRUCTION * INSTRUCTION;
        const uint8_t *code = elf_range(&f, s.sh_offset, n);
        if (!code) return false;
        count(code, own_bytes(&f, &h, i, name, n), n, out);
        return true;
    }
    return false;
}

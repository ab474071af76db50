/* cubin.c - counts the instructions of a kernel in a cubin, NVIDIA's machine code in an ELF file.
 * ptxas.c calls cubin_count() on the main thread of `heddle ptx`; all functions only read the file,
 * which is in memory.
 *
 * An instruction is two 64-bit words; the low twelve bits of the first are its opcode. A kernel's
 * code ends with a branch to itself and NOPs up to the alignment of the section, which are never
 * executed. */
#include "cli/cubin.h"

#include <string.h>

#include "common/elf_file.h"

/* INSTRUCTION: bytes of one; the others are opcodes. */
enum { INSTRUCTION = 16, OP_NOP = 0x918, OP_BRA = 0x947 };

/* Opcode of the instruction at byte offset `at`. */
static unsigned op_at(const uint8_t *code, uint64_t at) {
    return code[at] | (code[at + 1] & 15u) << 8;
}

/* True if an opcode is a load, store or atomic of global, shared or generic memory. */
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

/* Byte offset of the first subroutine behind the kernel in section `code`; `bytes` if there is
 * none. */
static uint64_t own_bytes(const struct elf_file *f, unsigned code, const char *kernel,
                          uint64_t bytes) {
    struct elf_functions all = {.file = f, .type = SHT_SYMTAB};
    while (elf_next_function(&all))
        if (all.symbol.st_shndx == code && strcmp(all.name, kernel) != 0 &&
            all.symbol.st_value < bytes)
            bytes = all.symbol.st_value;
    return bytes;
}

/* Fills *out with the counts of `bytes` bytes of code, a multiple of INSTRUCTION; its first `own`
 * bytes are the kernel itself, the rest its subroutines. */
static void count(const uint8_t *code, uint64_t own, uint64_t bytes, struct cubin_kernel *out) {
    *out = (struct cubin_kernel){0};
    /* drop the NOPs at the end and the branch to itself before them */
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

/* Counts kernel `name` of a cubin of `size` bytes in memory into *out (instructions, memory
 * accesses, instructions of its subroutines); every offset is checked. @return false: the file is
 * damaged or has no such kernel; *out is then untouched. */
bool cubin_count(const uint8_t *bytes, size_t size, const char *name, struct cubin_kernel *out) {
    struct elf_file f;
    Elf64_Shdr names, s;
    if (elf_begin(&f, bytes, size) != ELF_PROGRAM || !elf_section(&f, f.head.e_shstrndx, &names))
        return false;
    for (unsigned i = 0; i < f.head.e_shnum; i++) {
        if (!elf_section(&f, i, &s)) return false;
        const char *title = elf_text(&f, names.sh_offset + s.sh_name);
        if (strncmp(title, ".text.", 6) != 0 || strcmp(title + 6, name) != 0) continue;
        uint64_t n = s.sh_size / INSTRUCTION * INSTRUCTION;
        const uint8_t *code = elf_range(&f, s.sh_offset, n);
        if (!code) return false;
        count(code, own_bytes(&f, i, name, n), n, out);
        return true;
    }
    return false;
}

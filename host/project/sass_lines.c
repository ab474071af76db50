/* sass_lines.c - reads from a cubin's line table which line of the PTX each machine instruction
 * comes from; see sass_lines.h. isa_compile.c calls sass_lines() on the thread that runs it.
 * Functions read the cubin, change the caller's lines and the state of the table, and allocate
 * nothing; what lies outside of the cubin counts as damage.
 *
 * A line table is a program that builds rows of address and line. A sequence of rows begins with an
 * address, which a relocation binds to the section of a kernel, and ends with the row behind it. */
#include "project/sass_lines.h"

#include <stdio.h>
#include <string.h>

#include "common/elf_file.h"

enum { INSTRUCTION = 16, VERSION = 2 };

/* ---- sections -------------------------------------------------------------------------------- */

/* @return the number of the section `name`, with its header in *out; 0: there is none, *out is not
 * valid. */
static unsigned find_section(const struct elf_file *f, const char *name, Elf64_Shdr *out) {
    Elf64_Shdr names;
    if (!elf_section(f, f->head.e_shstrndx, &names)) return 0;
    for (unsigned i = 1; i < f->head.e_shnum && elf_section(f, i, out); i++)
        if (strcmp(elf_text(f, names.sh_offset + out->sh_name), name) == 0) return i;
    return 0;
}

/* The section to which the relocation at `offset` of the line table binds an address; 0: none.
 * *addend: what it adds to the address that stands there. */
static unsigned bound_to(const struct elf_file *f, uint64_t offset, uint64_t *addend) {
    Elf64_Shdr s, symbols;
    bool rela = find_section(f, ".rela.nv_debug_line_sass", &s) != 0;
    if (!rela && !find_section(f, ".rel.nv_debug_line_sass", &s)) return 0;
    size_t entry = rela ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    if (!elf_section(f, s.sh_link, &symbols)) return 0;
    for (uint64_t at = 0; at + entry <= s.sh_size; at += entry) {
        Elf64_Rela r = {0};
        Elf64_Sym symbol;
        const void *bytes = elf_range(f, s.sh_offset + at, entry);
        if (!bytes) return 0;
        memcpy(&r, bytes, entry);
        if (r.r_offset != offset) continue;
        bytes = elf_range(f, symbols.sh_offset + ELF64_R_SYM(r.r_info) * sizeof symbol,
                          sizeof symbol);
        if (!bytes) return 0;
        memcpy(&symbol, bytes, sizeof symbol);
        *addend = symbol.st_value + (uint64_t)r.r_addend;
        return symbol.st_shndx;
    }
    return 0;
}

/* ---- the program ----------------------------------------------------------------------------- */

/* Reads the bytes of a section in order. */
struct reader {
    const uint8_t *bytes;
    uint64_t at, end;
    bool damaged; /* it was read beyond its end, or has a wrong content */
};
/* The next byte; behind the end 0, and the reader is damaged. */
static uint8_t byte(struct reader *r) {
    if (r->at >= r->end) {
        r->damaged = true;
        return 0;
    }
    return r->bytes[r->at++];
}
/* The next number of so many bytes, little endian. */
static uint64_t number(struct reader *r, unsigned bytes) {
    uint64_t n = 0;
    for (unsigned i = 0; i < bytes; i++) n |= (uint64_t)byte(r) << 8 * i;
    return n;
}
/* The next number in LEB128, signed or not. */
static int64_t leb(struct reader *r, bool is_signed) {
    uint64_t n = 0;
    unsigned shift = 0;
    uint8_t b;
    do {
        b = byte(r);
        if (shift < 64) n |= (uint64_t)(b & 0x7f) << shift;
        shift += 7;
    } while (b & 0x80);
    if (is_signed && b & 0x40 && shift < 64) n |= ~UINT64_C(0) << shift;
    return (int64_t)n;
}

/* A line table while its program runs; names are those of DWARF's fields. */
struct table {
    const struct elf_file *file;
    unsigned kernel; /* section */
    uint32_t *lines; /* the result, by instruction */
    uint32_t count;
    /* of the program */
    struct reader r;
    uint8_t shortest, range, first_special;
    int8_t base;
    uint8_t lengths[256];
    /* state */
    uint64_t address;
    uint64_t line;
    bool ours, open;      /* the sequence is of the kernel; it has a row */
    uint64_t row_address; /* of the row before */
    uint64_t row_line;
};

/* Emits the row of the state: the instructions from the row before it to here are of that row's
 * line, if the sequence is of the kernel. */
static void emit(struct table *t) {
    if (t->ours && t->open)
        for (uint64_t i = t->row_address / INSTRUCTION;
             i < t->address / INSTRUCTION && i < t->count; i++)
            t->lines[i] = (uint32_t)t->row_line;
    t->row_address = t->address;
    t->row_line = t->line;
    t->open = true;
}

/* Sets the state with which a sequence of rows begins. */
static void begin_sequence(struct table *t) {
    t->address = 0;
    t->line = 1;
    t->ours = t->open = false;
}

/* Runs an extended operation: the end of a sequence, or an address; others are skipped. */
static void extended(struct table *t) {
    uint64_t length = (uint64_t)leb(&t->r, false);
    if (length == 0 || length > t->r.end - t->r.at) {
        t->r.damaged = true;
        return;
    }
    uint64_t next = t->r.at + length;
    uint8_t op = byte(&t->r);
    if (op == 1) { /* end of the sequence */
        emit(t);
        begin_sequence(t);
    } else if (op == 2) { /* an address */
        uint64_t addend = 0;
        t->ours = bound_to(t->file, t->r.at, &addend) == t->kernel;
        t->address = number(&t->r, 8) + addend;
    }
    t->r.at = next;
}

/* Runs one operation of the program: changes the state, and emits a row where the operation says
 * so. */
static void step(struct table *t) {
    uint8_t op = byte(&t->r);
    if (op >= t->first_special) {
        unsigned n = op - t->first_special;
        t->address += n / t->range * t->shortest;
        t->line += (uint64_t)(t->base + (int)(n % t->range));
        emit(t);
        return;
    }
    switch (op) {
    case 0: extended(t); return;
    case 1: emit(t); return;
    case 2: t->address += (uint64_t)leb(&t->r, false) * t->shortest; return;
    case 3: t->line += (uint64_t)leb(&t->r, true); return;
    case 8: t->address += (255u - t->first_special) / t->range * t->shortest; return;
    case 9: t->address += number(&t->r, 2); return;
    default: /* of no meaning here: skip its operands */
        for (unsigned i = 0; i < t->lengths[op]; i++) leb(&t->r, false);
    }
}

/* Runs one line table of the section, from t->r.at to its end; `section_end`: bytes of the section.
 * An unknown version or wrong length marks the reader as damaged. */
static void run(struct table *t, uint64_t section_end) {
    uint64_t length = number(&t->r, 4), begin = t->r.at;
    uint64_t version = number(&t->r, 2), head = number(&t->r, 4), program = t->r.at + head;
    if (version != VERSION || length > section_end - begin || head > length) {
        t->r.damaged = true;
        return;
    }
    t->r.end = begin + length;
    t->shortest = byte(&t->r);
    byte(&t->r); /* whether rows are statements */
    t->base = (int8_t)byte(&t->r);
    t->range = byte(&t->r);
    t->first_special = byte(&t->r);
    for (unsigned i = 1; i < t->first_special; i++) t->lengths[i] = byte(&t->r);
    if (!t->range || !t->first_special) t->r.damaged = true;
    t->r.at = program;
    begin_sequence(t);
    while (!t->r.damaged && t->r.at < t->r.end) step(t);
    t->r.end = section_end;
}

/* Sets lines[i] for each instruction i of `code`, 0: of no line; lines has room for code->count.
 * @return HEDDLE_ERR_IO: the cubin has no line table, or a damaged one; lines is then not valid. */
heddle_err sass_lines(uint32_t *lines, const struct sass_code *code, const uint8_t *cubin,
                      size_t size, const char *name, struct heddle_diag *diag) {
    struct elf_file f;
    Elf64_Shdr s;
    char title[1024];
    snprintf(title, sizeof title, ".text.%s", name);
    struct table t = {.file = &f, .lines = lines, .count = code->count};
    memset(lines, 0, code->count * sizeof *lines);
    if (elf_begin(&f, cubin, size) == ELF_PROGRAM) t.kernel = find_section(&f, title, &s);
    if (!t.kernel || !find_section(&f, ".nv_debug_line_sass", &s))
        return heddle_fail(diag, HEDDLE_ERR_IO,
                           "kernel %.200s: its cubin has no line table: run ptxas with -lineinfo",
                           name);
    const uint8_t *bytes = elf_range(&f, s.sh_offset, s.sh_size);
    if (!bytes) return heddle_fail(diag, HEDDLE_ERR_IO, "kernel %.200s: damaged lines", name);
    t.r = (struct reader){bytes, 0, s.sh_size, false};
    while (!t.r.damaged && t.r.at < s.sh_size) run(&t, s.sh_size);
    if (t.r.damaged)
        return heddle_fail(diag, HEDDLE_ERR_IO, "kernel %.200s: its line table is damaged", name);
    return HEDDLE_OK;
}

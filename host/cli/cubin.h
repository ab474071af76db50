/* cubin.h - counts the instructions in a cubin, NVIDIA's machine code for one GPU: an ELF file with
 * a section .text.NAME for each kernel and instructions of 16 bytes (sm_70 and later). */
#ifndef HEDDLE_CLI_CUBIN_H
#define HEDDLE_CLI_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counts of one kernel. */
struct cubin_kernel {
    uint32_t instructions; /* of the kernel itself, without NOP and the padding at the end */
    uint32_t subroutines;  /* instructions of the subroutines behind it (slow paths of division) */
    uint32_t memory;       /* loads, stores, atomics among `instructions`, without local memory */
};

/* Counts kernel `name` of the cubin in memory. Every offset in it is checked.
 * @return false: it is not such an ELF file, or has no such kernel. */
bool cubin_count(const uint8_t *bytes, size_t size, const char *name, struct cubin_kernel *out);

#endif

/* fatbin.h - reads fat binaries: the container into which CUDA compilers put PTX and machine code.
 *
 * Container: 16 bytes (magic 0xBA55ED50, version u16, head size u16, payload size u64), then
 * entries: byte 0 kind u16 (1 PTX, 2 machine code) · 4 head size u32 · 8 payload size u64 · 16
 * bytes that are really compressed u32 · 24 minor, major u16 · 28 SM number u32 · 40 flags u64
 * (0x2000 LZ4, 0x8000 zstd) · 56 size when unpacked u64.
 *
 * All sizes are checked against the input: damaged input is an error, never a crash. */
#ifndef HEDDLE_CUDA_BASE_FATBIN_H
#define HEDDLE_CUDA_BASE_FATBIN_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* The chosen PTX. A program compiled for linking (nvcc -rdc=true) has one PTX for each object: its
 * container holds containers in place of entries. */
struct fatbin_ptx {
    struct fatbin_ptx *next; /* of the next object, or NULL */
    char *text;              /* NUL-terminated */
    size_t bytes;            /* without the NUL */
    unsigned target;         /* 70 for compute_70 */
    unsigned entries;        /* PTX entries in the container */
    unsigned newer; /* the least target of these beyond what the GPU can run; 0: there is none */
};

/* Unpacks the PTX entry that suits a GPU of compute capability `capability` (70 for 7.0) best: the
 * newest that it can run, else the oldest of the newer ones.
 * @return HEDDLE_ERR_FATBIN: damaged, or no PTX inside; `out` is empty then. */
heddle_err fatbin_ptx(const uint8_t *image, size_t bytes, unsigned capability,
                      struct fatbin_ptx *out, struct heddle_diag *diag);
/* Frees what *out holds. */
void fatbin_free(struct fatbin_ptx *out);

#endif

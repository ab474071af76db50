/* crc32c.h - CRC-32C (Castagnoli), the checksum of every file that a later run reads again.
 *
 * It finds every change of up to three bits in a record of up to 2^31 bits, and every change within
 * 32 neighbouring bits. Threads: any. */
#ifndef HEDDLE_COMMON_CRC32C_H
#define HEDDLE_COMMON_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* @return the checksum of the bytes behind those with the checksum `before` (0: the first ones). It
 * uses the CPU's instruction where there is one. */
uint32_t crc32c(uint32_t before, const void *bytes, size_t n);
/* The same value, without that instruction. */
uint32_t crc32c_by_table(uint32_t before, const void *bytes, size_t n);

#endif

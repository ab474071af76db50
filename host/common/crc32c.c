/* crc32c.c - CRC-32C with the instruction of SSE 4.2, and with a table of half a byte for other
 * CPUs; see crc32c.h. sealed_file.c and sealed_text.c call it. Polynomial 0x1edc6f41, bits
 * reflected, first value and last exclusive-or all ones, as in iSCSI (RFC 3720). */
#include "common/crc32c.h"

#include <string.h>

uint32_t crc32c_by_table(uint32_t before, const void *bytes, size_t n) {
    static const uint32_t table[16] = {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1,
                                       0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
                                       0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
                                       0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};
    const uint8_t *p = bytes;
    uint32_t c = ~before;
    for (size_t i = 0; i < n; i++) {
        c = (c >> 4) ^ table[(c ^ p[i]) & 15];
        c = (c >> 4) ^ table[(c ^ (p[i] >> 4)) & 15];
    }
    return ~c;
}

#ifdef __x86_64__
/* The same, 8 bytes to an instruction. */
__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t before, const void *bytes,
                                                                 size_t n) {
    const uint8_t *p = bytes;
    uint64_t c = ~before, word;
    for (; n >= 8; n -= 8, p += 8) {
        memcpy(&word, p, 8);
        c = __builtin_ia32_crc32di(c, word);
    }
    for (; n; n--, p++) c = __builtin_ia32_crc32qi((uint32_t)c, *p);
    return ~(uint32_t)c;
}
#endif

uint32_t crc32c(uint32_t before, const void *bytes, size_t n) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("sse4.2")) return by_instruction(before, bytes, n);
#endif
    return crc32c_by_table(before, bytes, n);
}

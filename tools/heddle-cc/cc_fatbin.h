// cc_fatbin.h - fat binaries: the container in which a CUDA program carries its device code.
//
// Layout, all little-endian: a 16-byte header (magic, version, header size, payload size), then
// entries, each with a header of its own and a payload padded to 8 bytes.
#ifndef HEDDLE_CC_FATBIN_H
#define HEDDLE_CC_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CC_FATBIN_MAGIC 0xBA55ED50u
enum {
    CC_FATBIN_VERSION = 1,
    CC_FATBIN_KIND_PTX = 1,
    CC_FATBIN_FLAG_64BIT = 0x1,
    CC_FATBIN_FLAG_DEBUG = 0x2,
    CC_FATBIN_FLAG_LINUX = 0x10
};

// The head of the container.
struct cc_fatbin_header {
    uint32_t magic;
    uint16_t version;
    uint16_t header_bytes;  // 16
    uint64_t payload_bytes; // everything after this header
};

// The head of an entry.
struct cc_fatbin_entry {
    uint16_t kind;
    uint16_t version;          // 0x0101
    uint32_t header_bytes;     // this structure, options and name
    uint64_t payload_bytes;    // with padding
    uint32_t compressed_bytes; // 0: not compressed
    uint32_t options_offset;   // from the start of the entry to the ptxas options
    uint16_t minor;            // PTX ISA version
    uint16_t major;
    uint32_t arch;        // 70 for sm_70
    uint32_t name_offset; // from the start of the entry, 0: none
    uint32_t name_bytes;
    uint64_t flags;
    uint64_t reserved;
    uint64_t plain_bytes;  // size before compression, 0: not compressed
    uint32_t options_text; // from the start of the entry to the text of the options
    uint32_t options_bytes;
};

// Puts one PTX text, NUL included in the payload, into a container.
// @param ptx has directives .version and .target, whose values go into the entry's head
// @param flags CC_FATBIN_FLAG_*
// @return the container of *bytes bytes, to be freed by the caller, or NULL if the PTX lacks these
//         directives or memory is out
unsigned char *cc_fatbin_make(const char *ptx, uint64_t flags, size_t *bytes);

#endif

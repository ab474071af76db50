// cc_fatbin.c - puts PTX into a fat binary, the container of device code in a CUDA program; the
// layout is in cc_fatbin.h. cc_build.c calls it in heddle-cc's one thread. Pure but for the
// allocated result.
#include "cc_fatbin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct cc_fatbin_header) == 16, "container header");
_Static_assert(sizeof(struct cc_fatbin_entry) == 72, "entry header without name");
_Static_assert(offsetof(struct cc_fatbin_entry, arch) == 28, "entry header");
_Static_assert(offsetof(struct cc_fatbin_entry, flags) == 40, "entry header");
_Static_assert(offsetof(struct cc_fatbin_entry, options_text) == 64, "entry header");

enum { ENTRY_BYTES = 80 }; // the header, then an empty options text of 8 bytes

static size_t pad8(size_t bytes) {
    return (bytes + 7) & ~(size_t)7;
}

// @return a new container of *bytes bytes with one entry, the PTX text; the caller frees it.
// `flags`: CC_FATBIN_FLAG_*. NULL: the PTX lacks .version or .target, or memory is out.
unsigned char *cc_fatbin_make(const char *ptx, uint64_t flags, size_t *bytes) {
    const char *version = strstr(ptx, ".version ");
    const char *target = strstr(ptx, ".target sm_");
    unsigned major, minor, arch;
    if (!version || sscanf(version, ".version %u.%u", &major, &minor) != 2) return NULL;
    if (!target || sscanf(target, ".target sm_%u", &arch) != 1) return NULL;

    size_t text_bytes = strlen(ptx) + 1;
    size_t payload_bytes = pad8(text_bytes);
    struct cc_fatbin_header header = {
        .magic = CC_FATBIN_MAGIC,
        .version = CC_FATBIN_VERSION,
        .header_bytes = sizeof header,
        .payload_bytes = ENTRY_BYTES + payload_bytes,
    };
    struct cc_fatbin_entry entry = {
        .kind = CC_FATBIN_KIND_PTX,
        .version = 0x0101,
        .header_bytes = ENTRY_BYTES,
        .payload_bytes = payload_bytes,
        .options_offset = offsetof(struct cc_fatbin_entry, options_text),
        .minor = (uint16_t)minor,
        .major = (uint16_t)major,
        .arch = arch,
        .flags = flags,
        .options_text = sizeof entry,
    };
    *bytes = sizeof header + ENTRY_BYTES + payload_bytes;
    unsigned char *fatbin = calloc(1, *bytes);
    if (!fatbin) return NULL;
    memcpy(fatbin, &header, sizeof header);
    memcpy(fatbin + sizeof header, &entry, sizeof entry);
    memcpy(fatbin + sizeof header + ENTRY_BYTES, ptx, text_bytes);
    return fatbin;
}

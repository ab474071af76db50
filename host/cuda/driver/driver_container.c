/* driver_container.c - images of device code: wraps PTX in a fat binary, puts fat binaries into
 * one, and reads files (contracts in driver_module.h).
 *
 * Runs in the program's process, in libcuda.so.1, on the thread that loads or links device code
 * (driver_module.c, driver_link.c). Each function returns new memory, which its caller frees. It
 * sends no messages, touches no tables and records no errors. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda/driver/driver_module.h"

/* The head of an uncompressed entry of a fat binary, as nvcc writes it. The payload follows it. */
struct fatbin_entry {
    uint16_t kind, version;
    uint32_t head_bytes;
    uint64_t payload_bytes;
    uint32_t reserved[3], target; /* target: 70 for sm_70 */
    uint32_t bits, reserved2;
    uint64_t flags, reserved3, unpacked_bytes;
};
_Static_assert(sizeof(struct fatbin_entry) == 64, "as in the file");

/* Makes a fat binary with one entry, a copy of the PTX of `length` bytes, padded with zeros to a
 * multiple of 8, at least one. A zero must follow the text. *bytes receives the size. The entry's
 * target is the number in the PTX's .target directive, or OLDEST if it has none. @return memory
 * that the caller frees; NULL: no memory. */
void *driver_container(const char *ptx, size_t length, size_t *bytes) {
    enum { KIND_PTX = 1, ENTRY_VERSION = 0x101, BITS = 64, OLDEST = 10, FLAGS = 0x15 };
    struct shim_fatbin_head head = {SHIM_FATBIN_MAGIC, 1, sizeof head, 0};
    struct fatbin_entry entry = {.kind = KIND_PTX,
                                 .version = ENTRY_VERSION,
                                 .head_bytes = sizeof entry,
                                 .payload_bytes = (length + 8) & ~(size_t)7,
                                 .target = OLDEST,
                                 .bits = BITS,
                                 .flags = FLAGS};
    const char *target = memmem(ptx, length, ".target", 7);
    unsigned number;
    if (target && sscanf(target, ".target sm_%u", &number) == 1) entry.target = number;
    head.payload_bytes = sizeof entry + entry.payload_bytes;
    *bytes = sizeof head + sizeof entry + entry.payload_bytes;
    char *p = calloc(1, *bytes);
    if (!p) return NULL;
    memcpy(p, &head, sizeof head);
    memcpy(p + sizeof head, &entry, sizeof entry);
    memcpy(p + sizeof head + sizeof entry, ptx, length);
    return p;
}

/* Makes a fat binary whose payload is a copy of `objects`, `length` bytes of fat binaries one after
 * the other. *bytes receives the size. @return memory that the caller frees; NULL: no memory. */
void *driver_outer_container(const void *objects, size_t length, size_t *bytes) {
    const struct shim_fatbin_head head = {SHIM_FATBIN_MAGIC, 1, sizeof head, length};
    *bytes = sizeof head + length;
    char *p = malloc(*bytes);
    if (!p) return NULL;
    memcpy(p, &head, sizeof head);
    memcpy(p + sizeof head, objects, length);
    return p;
}

/* Reads a whole file into new memory, with at least eight zeros behind it, which end a text. *bytes
 * receives its size without them. @return memory that the caller frees; NULL: the file cannot be
 * opened or read whole, or no memory; the causes are not told apart. */
char *driver_read_file(const char *name, size_t *bytes) {
    struct stat st;
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    char *p = NULL;
    *bytes = 0;
    if (fd >= 0 && fstat(fd, &st) == 0) p = calloc(1, (size_t)st.st_size + 8);
    while (p && *bytes < (size_t)st.st_size) {
        ssize_t n = read(fd, p + *bytes, (size_t)st.st_size - *bytes);
        if (n <= 0 && !(n < 0 && errno == EINTR)) break;
        if (n > 0) *bytes += (size_t)n;
    }
    if (fd >= 0) close(fd);
    if (p && *bytes == (size_t)st.st_size) return p;
    free(p);
    return NULL;
}

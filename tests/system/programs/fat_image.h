/* fat_image.h - builds a fat binary with PTX in the form in which compilers put it into a
 * program. */
#ifndef TEST_FAT_IMAGE_H
#define TEST_FAT_IMAGE_H

#include <stdint.h>
#include <string.h>

/* A fat binary with one entry of uncompressed PTX, and its wrapper. */
struct device_image {
    struct {
        uint32_t magic, version;
        const void *image, *unused;
    } wrapper;
    uint32_t magic;
    uint16_t version, head;
    uint64_t bytes;
    struct {
        uint16_t kind, version;
        uint32_t head;
        uint64_t bytes;
        uint32_t compressed, reserved;
        uint16_t minor, major;
        uint32_t target, name, name_bytes;
        uint64_t flags, zero, unpacked;
    } entry;
    char text[1 << 16];
};

/* Fills the image with n bytes of PTX, which must fit. */
static inline void fill_image(struct device_image *m, const char *ptx, size_t n) {
    memset(m, 0, sizeof *m);
    m->wrapper.magic = 0x466243B1;
    m->wrapper.version = 1;
    m->wrapper.image = &m->magic;
    m->magic = 0xBA55ED50;
    m->version = 1;
    m->head = 16;
    m->entry.kind = 1;
    m->entry.version = 0x101;
    m->entry.head = sizeof m->entry;
    m->entry.target = 70;
    m->entry.flags = 0x11;
    memcpy(m->text, ptx, n);
    m->entry.bytes = n + 1;
    m->bytes = sizeof m->entry + m->entry.bytes;
}

#endif

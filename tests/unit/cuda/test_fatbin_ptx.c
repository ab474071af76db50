/* test_fatbin_ptx.c - cuda/base/fatbin.c: PTX in all three packings, the choice among several
 * entries, and damaged images, which must give an error and never a crash. */
#include <criterion/criterion.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "cuda/base/fatbin.h"

enum packing { PLAIN, LZ4, ZSTD };
enum { PTX = 1, CUBIN = 2 };

struct image {
    uint8_t bytes[65536];
    size_t size;
};

static void put16(uint8_t *p, unsigned v) {
    p[0] = (uint8_t)v, p[1] = (uint8_t)(v >> 8);
}
static void put32(uint8_t *p, uint32_t v) {
    put16(p, v & 0xffff), put16(p + 2, v >> 16);
}
static void put64(uint8_t *p, uint64_t v) {
    put32(p, (uint32_t)v), put32(p + 4, (uint32_t)(v >> 32));
}

static void begin(struct image *m) {
    memset(m, 0, sizeof *m);
    put32(m->bytes, 0xBA55ED50);
    put16(m->bytes + 4, 1);
    put16(m->bytes + 6, 16);
    m->size = 16;
}

/* Adds an entry as compilers write it, with the payload padded to 8 bytes. */
static void add(struct image *m, unsigned kind, unsigned target, const char *text,
                enum packing packing) {
    uint8_t *e = m->bytes + m->size, *payload = e + 64;
    size_t room = sizeof m->bytes - m->size - 64, n = strlen(text), packed = n;
    if (packing == ZSTD) {
        packed = ZSTD_compress(payload, room, text, n, 3);
        cr_assert_not(ZSTD_isError(packed));
    } else if (packing == LZ4) {
        packed = (size_t)LZ4_compress_default(text, (char *)payload, (int)n, (int)room);
        cr_assert_gt(packed, 0u);
    } else {
        memcpy(payload, text, n);
    }
    size_t padded = (packed + 7) & ~(size_t)7;
    put16(e, kind);
    put16(e + 2, 0x101);
    put32(e + 4, 64);
    put64(e + 8, padded);
    put32(e + 16, packing == PLAIN ? 0 : (uint32_t)packed);
    put32(e + 28, target);
    put64(e + 40, packing == ZSTD ? 0x8011 : packing == LZ4 ? 0x2011 : 0x11);
    put64(e + 56, packing == PLAIN ? 0 : n);
    m->size += 64 + padded;
    put64(m->bytes + 8, m->size - 16);
}

static const char *const text70 = ".version 6.0\n.target sm_70\n.visible .entry a() { ret; }\n";
static const char *const text80 = ".version 7.0\n.target sm_80\n.visible .entry a() { ret; }\n";

/* Expects that the image gives this PTX, of an entry for this target, to a GPU of this compute
 * capability, and that the least target beyond it is `newer`. */
static void expect_ptx(const struct image *m, unsigned capability, const char *text,
                       unsigned target, unsigned newer) {
    struct fatbin_ptx ptx;
    struct heddle_diag diag = {0};
    cr_assert_eq(fatbin_ptx(m->bytes, m->size, capability, &ptx, &diag), HEDDLE_OK, "%s",
                 diag.text);
    cr_expect_str_eq(ptx.text, text);
    cr_expect_eq(ptx.bytes, strlen(text));
    cr_expect_eq(ptx.target, target);
    cr_expect_eq(ptx.newer, newer);
    free(ptx.text);
}

static void expect_error(const struct image *m, const char *text) {
    struct fatbin_ptx ptx;
    struct heddle_diag diag = {0};
    cr_assert_eq(fatbin_ptx(m->bytes, m->size, 70, &ptx, &diag), HEDDLE_ERR_FATBIN);
    cr_expect_null(ptx.text);
    cr_expect_str_eq(diag.text, text);
}

Test(fatbin, packings) {
    static struct image m;
    for (enum packing p = PLAIN; p <= ZSTD; p++) {
        begin(&m);
        add(&m, CUBIN, 70, "not looked at", PLAIN);
        add(&m, PTX, 70, text70, p);
        expect_ptx(&m, 70, text70, 70, 0);
    }
}

Test(fatbin, the_best_entry) {
    static struct image m;
    begin(&m);
    add(&m, PTX, 52, "old", PLAIN);
    add(&m, PTX, 80, text80, ZSTD);
    add(&m, PTX, 70, text70, LZ4);
    add(&m, PTX, 90, "newest", PLAIN);
    expect_ptx(&m, 70, text70, 70, 80); /* the newest that the GPU can run */
    expect_ptx(&m, 75, text70, 70, 80);
    expect_ptx(&m, 86, text80, 80, 90);
    expect_ptx(&m, 60, "old", 52, 70);
    expect_ptx(&m, 50, "old", 52, 52); /* the GPU can run none: the oldest */
}

Test(fatbin, messages) {
    static struct image m;
    begin(&m);
    expect_error(&m, "the fat binary is empty");
    add(&m, CUBIN, 75, "machine code", PLAIN);
    expect_error(&m,
                 "the fat binary has no PTX, only machine code for sm_75: compile with PTX, for "
                 "example nvcc -arch=compute_75; whatever the build files say, "
                 "NVCC_APPEND_FLAGS='-gencode arch=compute_75,code=compute_75' in the environment "
                 "adds it");
    begin(&m);
    add(&m, PTX, 70, text70, PLAIN);
    put32(m.bytes, 0xBA55ED51);
    expect_error(&m, "damaged fat binary: the container does not begin with 0xba55ed50");
    put32(m.bytes, 0xBA55ED50);
    put64(m.bytes + 8, 1u << 20);
    expect_error(&m, "damaged fat binary: the container claims 16 + 1048576 bytes, 136 are there");
    begin(&m);
    add(&m, PTX, 70, text70, PLAIN);
    put64(m.bytes + 16 + 8, 9999);
    expect_error(&m, "damaged fat binary: entry 1 at byte 16 claims 64 + 9999 bytes, 120 are left");
    begin(&m);
    add(&m, PTX, 70, text70, ZSTD);
    m.bytes[16 + 64] ^= 0xff;
    expect_error(&m,
                 "damaged fat binary: the PTX at byte 16 cannot be unpacked (zstd: Unknown frame "
                 "descriptor)");
    begin(&m);
    add(&m, PTX, 70, text70, LZ4);
    put64(m.bytes + 16 + 56, strlen(text70) + 1);
    expect_error(&m, "damaged fat binary: the PTX at byte 16 cannot be unpacked (LZ4: shorter than "
                     "announced)");
    begin(&m);
    add(&m, PTX, 70, text70, ZSTD);
    put64(m.bytes + 16 + 56, 1ull << 40);
    expect_error(&m, "damaged fat binary: the PTX at byte 16 has 1099511627776 bytes unpacked");
}

/* Sets every byte of the headers to extreme values, and cuts the image at every length. The image
 * lies at the end of an allocation of its exact size, so that a sanitizer sees each byte that is
 * read beyond it. */
Test(fatbin, damage_never_crashes) {
    static struct image m;
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    unsigned errors = 0, tries = 0;
    begin(&m);
    add(&m, CUBIN, 70, "code", PLAIN);
    add(&m, PTX, 70, text70, ZSTD);
    add(&m, PTX, 75, text80, LZ4);
    for (size_t cut = 0; cut <= m.size; cut++) {
        for (unsigned v = 0; v < sizeof values; v++) {
            /* v = 0: truncated at `cut`; else the byte at `cut` is changed */
            size_t n = v == 0 ? cut : m.size;
            uint8_t *exact = malloc(n ? n : 1);
            memcpy(exact, m.bytes, n);
            if (v && cut < n) exact[cut] = values[v];
            struct fatbin_ptx ptx;
            tries++;
            if (fatbin_ptx(exact, n, 70, &ptx, NULL))
                errors++;
            else
                fatbin_free(&ptx);
            free(exact);
        }
    }
    cr_expect_gt(errors, tries / 10);
}

/* fatbin.c - reads the containers of a fat binary and their entries, chooses PTX and unpacks it;
 * see fatbin.h.
 *
 * Runs in the server, on its thread, when module.c compiles a module. The functions read the image,
 * which may be damaged, and keep no state. They return HEDDLE_ERR_FATBIN, unless their comment says
 * otherwise, with the reason in *diag. Offsets and sizes are bytes. */
#include "cuda/base/fatbin.h"

#include <lz4.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "common/memory.h"

enum {
    CONTAINER_HEAD = 16,
    ENTRY_HEAD = 64,
    KIND_PTX = 1,
    KIND_CUBIN = 2,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    MAX_TEXT = 1 << 30, /* bytes of an unpacked PTX: more counts as damage */
};
#define CONTAINER_MAGIC 0xBA55ED50u

/* An entry of a container: PTX or machine code. */
struct entry {
    unsigned kind, target;    /* target: 70 for sm_70 */
    uint64_t flags, unpacked; /* unpacked: bytes after decompression */
    const uint8_t *payload;   /* in the image */
    uint64_t bytes;           /* of the payload, padding included */
    uint64_t compressed;      /* bytes that the decompressor reads */
    size_t at;                /* offset in the container, for messages */
};

/* Little-endian numbers, not aligned. */
static uint16_t u16(const uint8_t *p) {
    return (uint16_t)(p[0] | p[1] << 8);
}
static uint32_t u32(const uint8_t *p) {
    return u16(p) | (uint32_t)u16(p + 2) << 16;
}
static uint64_t u64(const uint8_t *p) {
    return u32(p) | (uint64_t)u32(p + 4) << 32;
}

/* Reads the entry at `at` into *e, whose payload points into the image, and checks its sizes
 * against `end`. *next: where the following one begins. number: its place in the container, from 1,
 * for messages. */
static heddle_err read_entry(const uint8_t *image, size_t end, size_t at, unsigned number,
                             struct entry *e, size_t *next, struct heddle_diag *diag) {
    if (end - at < ENTRY_HEAD)
        return heddle_fail(diag, HEDDLE_ERR_FATBIN,
                           "damaged fat binary: entry %u at byte %zu needs %d bytes, %zu are left",
                           number, at, ENTRY_HEAD, end - at);
    const uint8_t *p = image + at;
    uint64_t head = u32(p + 4), payload = u64(p + 8);
    if (head < ENTRY_HEAD || head > end - at || payload > end - at - head)
        return heddle_fail(diag, HEDDLE_ERR_FATBIN,
                           "damaged fat binary: entry %u at byte %zu claims %llu + %llu bytes, %zu "
                           "are left",
                           number, at, (unsigned long long)head, (unsigned long long)payload,
                           end - at);
    e->kind = u16(p);
    e->target = u32(p + 28);
    e->flags = u64(p + 40);
    e->unpacked = u64(p + 56);
    e->payload = p + head;
    e->bytes = payload;
    e->compressed = u32(p + 16);
    e->at = at;
    if (e->compressed == 0) e->compressed = payload;
    if (e->compressed > payload)
        return heddle_fail(
            diag, HEDDLE_ERR_FATBIN,
            "damaged fat binary: entry %u at byte %zu has %llu compressed bytes in a "
            "payload of %llu",
            number, at, (unsigned long long)e->compressed, (unsigned long long)payload);
    *next = at + head + payload;
    return HEDDLE_OK;
}

/* True when `a` suits a GPU of this compute capability better than `b` (fatbin_ptx()). */
static bool better(const struct entry *a, const struct entry *b, unsigned capability) {
    bool a_runs = a->target <= capability, b_runs = b->target <= capability;
    if (a_runs != b_runs) return a_runs;
    return a_runs ? a->target > b->target : a->target < b->target;
}

/* Decompresses the PTX of an entry into out->text, allocated with a NUL behind it, which
 * fatbin_free() frees. Sets out->bytes and out->target. @return HEDDLE_ERR_NOMEM, too. */
static heddle_err unpack(const struct entry *e, struct fatbin_ptx *out, struct heddle_diag *diag) {
    bool zstd = e->flags & FLAG_ZSTD, lz4 = e->flags & FLAG_LZ4;
    uint64_t bytes = zstd || lz4 ? e->unpacked : e->bytes;
    if (bytes == 0 || bytes > MAX_TEXT || e->compressed > MAX_TEXT)
        return heddle_fail(diag, HEDDLE_ERR_FATBIN,
                           "damaged fat binary: the PTX at byte %zu has %llu bytes unpacked", e->at,
                           (unsigned long long)bytes);
    char *text = malloc(bytes + 1);
    if (!text) return heddle_fail(diag, HEDDLE_ERR_NOMEM, "no memory for PTX");
    uint64_t got = bytes;
    const char *why = NULL;
    if (zstd) {
        size_t n = ZSTD_decompress(text, bytes, e->payload, e->compressed);
        if (ZSTD_isError(n)) why = ZSTD_getErrorName(n);
        got = n;
    } else if (lz4) {
        int n = LZ4_decompress_safe((const char *)e->payload, text, (int)e->compressed, (int)bytes);
        if (n < 0) why = "not an LZ4 block";
        got = n < 0 ? 0 : (uint64_t)n;
    } else {
        memcpy(text, e->payload, bytes);
    }
    if (!why && got != bytes) why = "shorter than announced";
    if (why) {
        free(text);
        return heddle_fail(diag, HEDDLE_ERR_FATBIN,
                           "damaged fat binary: the PTX at byte %zu cannot be unpacked (%s: %s)",
                           e->at, zstd ? "zstd" : "LZ4", why);
    }
    while (bytes && text[bytes - 1] == '\0') bytes--; /* padding */
    text[bytes] = '\0';
    out->text = text;
    out->bytes = strlen(text); /* a NUL in the middle ends the text */
    out->target = e->target;
    return HEDDLE_OK;
}

/* Reads the head of a container and checks its sizes. *head: where the first entry begins; *all:
 * where the container ends. */
static heddle_err container(const uint8_t *image, size_t bytes, size_t *head, size_t *all,
                            struct heddle_diag *diag) {
    if (bytes < CONTAINER_HEAD || u32(image) != CONTAINER_MAGIC)
        return heddle_fail(diag, HEDDLE_ERR_FATBIN,
                           "damaged fat binary: the container does not begin with 0x%08x",
                           CONTAINER_MAGIC);
    uint64_t first = u16(image + 6), payload = u64(image + 8);
    if (first < CONTAINER_HEAD || first > bytes || payload > bytes - first)
        return heddle_fail(
            diag, HEDDLE_ERR_FATBIN,
            "damaged fat binary: the container claims %llu + %llu bytes, %zu are there",
            (unsigned long long)first, (unsigned long long)payload, bytes);
    *head = (size_t)first;
    *all = (size_t)(first + payload);
    return HEDDLE_OK;
}

/* Unpacks the best PTX of the entries in [at, end) into *out, as unpack() does, and counts them in
 * out->entries, with the least target beyond the capability in out->newer. Fails when there is
 * none, with advice about the compiler's options. */
static heddle_err choose(const uint8_t *image, size_t at, size_t end, unsigned capability,
                         struct fatbin_ptx *out, struct heddle_diag *diag) {
    struct entry best = {0};
    unsigned code = 0;
    for (unsigned number = 1; at < end; number++) {
        struct entry e;
        heddle_err error = read_entry(image, end, at, number, &e, &at, diag);
        if (error) return error;
        if (e.kind == KIND_CUBIN) code = e.target;
        if (e.kind != KIND_PTX) continue;
        out->entries++;
        if (e.target > capability && (!out->newer || e.target < out->newer)) out->newer = e.target;
        if (out->entries == 1 || better(&e, &best, capability)) best = e;
    }
    if (out->entries == 0)
        return heddle_fail(diag, HEDDLE_ERR_FATBIN,
                           code ? "the fat binary has no PTX, only machine code for sm_%u: compile "
                                  "with PTX, for example nvcc -arch=compute_%u; whatever the build "
                                  "files say, NVCC_APPEND_FLAGS='-gencode "
                                  "arch=compute_%u,code=compute_%u' in the environment adds it"
                                : "the fat binary is empty",
                           code, code, code, code);
    return unpack(&best, out, diag);
}

/* Frees the text of *out and the elements that follow it with theirs, and empties *out, which the
 * caller owns. */
void fatbin_free(struct fatbin_ptx *out) {
    struct fatbin_ptx *next = out->next;
    free(out->text);
    while (next) {
        struct fatbin_ptx *p = next;
        next = p->next;
        free(p->text);
        free(p);
    }
    *out = (struct fatbin_ptx){0};
}

/* Unpacks the best PTX of the container into *out, or one of each object's container inside it into
 * a list that begins there; fatbin_free() frees it. @return HEDDLE_ERR_FATBIN (damaged, or no PTX)
 * or HEDDLE_ERR_NOMEM; *out is empty then. */
heddle_err fatbin_ptx(const uint8_t *image, size_t bytes, unsigned capability,
                      struct fatbin_ptx *out, struct heddle_diag *diag) {
    size_t at = 0, end = 0;
    memset(out, 0, sizeof *out);
    heddle_err e = container(image, bytes, &at, &end, diag);
    if (e) return e;
    if (end - at < 4 || u32(image + at) != CONTAINER_MAGIC)
        return choose(image, at, end, capability, out, diag);
    for (struct fatbin_ptx *p = out; at < end && !e;) { /* one container for each object */
        size_t head = 0, all = 0;
        e = container(image + at, end - at, &head, &all, diag);
        if (!e && head == all) { /* an object without device code */
            at += all;
            continue;
        }
        if (!e && p->text) {
            p->next = heddle_alloc(sizeof *p, "PTX of an object");
            p = p->next;
        }
        if (!e) e = choose(image + at, head, all, capability, p, diag);
        if (!e) at += all;
    }
    if (!e && !out->text) e = heddle_fail(diag, HEDDLE_ERR_FATBIN, "the fat binary is empty");
    if (e) fatbin_free(out);
    return e;
}

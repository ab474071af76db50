/* fuzz_state.c - damage to files of a run that is resumed (common/sealed_file.h). The input says
 * which records a file has and how it is damaged: bits that change, pieces that are lost, repeated,
 * exchanged or added. The reader must refuse whatever differs from the file as it was written, and
 * give back the records of one that does not.
 *
 * The linker puts in the functions below for those of the C library that open a file, so that none
 * touches a disk. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/crc32c.h"
#include "common/sealed_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int __wrap_open(const char *path, int flags, ...);
int __wrap_fstat(int fd, struct stat *st);
FILE *__wrap_fdopen(int fd, const char *mode);
FILE *__real_fdopen(int fd, const char *mode);

enum { MOST = 1 << 13, HEAD = 56, MOST_RECORDS = 40, THE_FILE = 1000 };
static const struct sealed_identity identity = {"fuzz", 1, 0, {0x1122334455667788, 99}, 7};

/* The file that the reader opens, and as it was written. */
static uint8_t file[2 * MOST], written[MOST];
static size_t file_bytes;
static struct sealed_writer begun; /* a log with nothing but a head */

int __wrap_open(const char *path, int flags, ...) {
    (void)path, (void)flags;
    return THE_FILE;
}
int __wrap_fstat(int fd, struct stat *st) {
    (void)fd;
    *st = (struct stat){.st_mode = S_IFREG};
    return 0;
}
FILE *__wrap_fdopen(int fd, const char *mode) {
    if (fd != THE_FILE) return __real_fdopen(fd, mode);
    return *mode == 'w' ? fmemopen(written, sizeof written, "w") : fmemopen(file, file_bytes, "r");
}

/* The input, taken a byte at a time; 0 behind its end. */
struct input {
    const uint8_t *at, *end;
};
static unsigned byte(struct input *in) {
    return in->at < in->end ? *in->at++ : 0;
}
static unsigned word(struct input *in) {
    const unsigned low = byte(in);
    return low | byte(in) << 8;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    if (!sealed_log_begin(&begun, "log", &identity)) abort();
    if (fclose(begun.f)) abort();
    memcpy(file, written, HEAD);
    return 0;
}

/* Appends the end of a sealed file, as sealed_file.h describes it. @return the file's bytes. */
static size_t put_end(const struct sealed_extent *extent) {
    const struct {
        uint64_t records;
        uint32_t sum, zero;
    } end = {extent->records, extent->sum, 0};
    const uint32_t mark[] = {UINT32_MAX, crc32c(0, &end, sizeof end)};
    memcpy(written + extent->bytes, mark, sizeof mark);
    memcpy(written + extent->bytes + sizeof mark, &end, sizeof end);
    return extent->bytes + sizeof mark + sizeof end;
}

/* Writes a file: `size[i]` bytes of each record. @return its extent. */
static struct sealed_extent write_file(struct input *in, unsigned *records, unsigned *size) {
    struct sealed_writer w = begun;
    uint8_t bytes[256];
    w.f = fmemopen(written + HEAD, MOST - 256, "w");
    if (!w.f) abort();
    memcpy(written, file, HEAD);
    *records = byte(in) % MOST_RECORDS;
    for (unsigned i = 0; i < *records; i++) {
        size[i] = byte(in) % 100;
        memset(bytes, (int)byte(in), sizeof bytes);
        bytes[0] = (uint8_t)i;
        sealed_writer_put(&w, bytes, size[i], NULL, 0);
    }
    if (fclose(w.f)) abort();
    return w.extent;
}

/* Damages file[0 .. file_bytes). */
static void damage(struct input *in) {
    const size_t from = word(in) % (file_bytes + 1), to = word(in) % (file_bytes + 1);
    size_t n = byte(in);
    switch (byte(in) % 6) {
    case 0: /* bits */
        if (from < file_bytes) file[from] ^= (uint8_t)byte(in);
        break;
    case 1: /* cut short */ file_bytes = from; break;
    case 2: /* a piece is lost */
        if (n > file_bytes - from) n = file_bytes - from;
        memmove(file + from, file + from + n, file_bytes - from - n);
        file_bytes -= n;
        break;
    case 3: /* one is repeated elsewhere */
        if (n > file_bytes - from) n = file_bytes - from;
        if (file_bytes + n > MOST) break;
        memmove(file + to + n, file + to, file_bytes - to);
        memmove(file + to, written + (from < MOST - n ? from : 0), n);
        file_bytes += n;
        break;
    case 4: /* or stands in another's place */
        for (size_t i = 0; i < n && from + i < file_bytes && to + i < file_bytes; i++)
            file[to + i] = written[from + i];
        break;
    default: /* bytes of the input */
        for (size_t i = 0; i < n && from + i < file_bytes; i++) file[from + i] = (uint8_t)byte(in);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input in = {data, data + size};
    struct sealed_reader r;
    struct heddle_diag diag = {0};
    unsigned records, bytes[MOST_RECORDS];
    uint8_t record[256];
    const bool sealed = byte(&in) & 1;
    const struct sealed_extent extent = write_file(&in, &records, bytes);
    const size_t whole = sealed ? put_end(&extent) : extent.bytes;
    memcpy(file, written, file_bytes = whole);
    for (unsigned n = byte(&in) % 4; n; n--) damage(&in);
    /* a log may have more behind its extent */
    const bool same = (sealed ? file_bytes == whole : file_bytes >= whole) &&
                      !memcmp(file, written, whole);
    if (!file_bytes) file_bytes = 1; /* fmemopen() takes no empty one */
    const heddle_err e = sealed_reader_open(&r, "fuzz", &identity, sealed ? NULL : &extent,
                                            "as it is", &diag);
    if (e ? same || !diag.text[0] : !same) abort();
    for (unsigned i = 0; !e && i < records; i++) {
        if (sealed_reader_get(&r, record, bytes[i], &diag)) abort();
        if (bytes[i] && record[0] != (uint8_t)i) abort();
    }
    if (!e && !sealed_reader_size(&r, bytes, &diag)) abort();
    sealed_reader_close(&r);
    memcpy(file, written, HEAD); /* for the next */
    return 0;
}

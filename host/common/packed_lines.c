/* packed_lines.c - compresses and reads text by lines; contracts in packed_lines.h. The files of
 * host/report write, host/project reads. The frame has zstd's own checksum, so that damage shows
 * before a line is used up to 128 KiB later, at the latest at the end. */
#include "common/packed_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "common/crc32c.h"
#include "common/memory.h"
#include "common/output_file.h"

enum { BLOCK = 1 << 16, LEVEL = 1, MOST_LINE = 1 << 24 };

/* ---- writing */

struct packed_writer {
    struct output_file file;
    ZSTD_CCtx *context;
    uint64_t lines;
    uint32_t sum;
    size_t failed; /* zstd's error, which packed_writer_commit() reports; 0: none */
    size_t used;   /* bytes of `text` */
    char text[BLOCK], packed[BLOCK];
};

heddle_err packed_writer_open(struct packed_writer **out, const char *path,
                              struct heddle_diag *diag) {
    struct packed_writer *w = heddle_alloc(sizeof *w, "a compressed file");
    *out = NULL;
    heddle_err e = output_file_open(&w->file, path, OUTPUT_OWN, diag);
    if (e) {
        free(w);
        return e;
    }
    w->context = ZSTD_createCCtx();
    if (!w->context) heddle_out_of_memory("a compressed file", 0);
    ZSTD_CCtx_setParameter(w->context, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(w->context, ZSTD_c_checksumFlag, 1);
    *out = w;
    return HEDDLE_OK;
}

/* Compresses the text that was collected, and with ZSTD_e_end ends the frame. */
static void pack(struct packed_writer *w, ZSTD_EndDirective how) {
    ZSTD_inBuffer in = {w->text, w->used, 0};
    size_t left;
    w->sum = crc32c(w->sum, w->text, w->used);
    do {
        ZSTD_outBuffer to = {w->packed, sizeof w->packed, 0};
        left = ZSTD_compressStream2(w->context, &to, &in, how);
        fwrite(w->packed, 1, to.pos, w->file.f);
    } while (!ZSTD_isError(left) && (in.pos < in.size || (how == ZSTD_e_end && left)));
    if (ZSTD_isError(left)) w->failed = left;
    w->used = 0;
}

void packed_writer_put(struct packed_writer *w, const char *text, size_t n) {
    for (const char *p = text; (p = memchr(p, '\n', (size_t)(text + n - p))); p++) w->lines++;
    while (n) {
        size_t part = sizeof w->text - w->used;
        if (part > n) part = n;
        memcpy(w->text + w->used, text, part);
        w->used += part;
        text += part;
        n -= part;
        if (w->used == sizeof w->text) pack(w, ZSTD_e_continue);
    }
}

static void free_writer(struct packed_writer *w) {
    ZSTD_freeCCtx(w->context);
    free(w);
}

heddle_err packed_writer_commit(struct packed_writer *w, uint64_t *lines, uint32_t *sum,
                                struct heddle_diag *diag) {
    pack(w, ZSTD_e_end);
    *lines = w->lines;
    *sum = w->sum;
    heddle_err e = HEDDLE_OK;
    if (w->failed) {
        e = heddle_fail(diag, HEDDLE_ERR_IO, "cannot write %s: %s", w->file.path,
                        ZSTD_getErrorName(w->failed));
        output_file_abandon(&w->file);
    } else {
        e = output_file_commit(&w->file, false, diag);
    }
    free_writer(w);
    return e;
}

void packed_writer_abandon(struct packed_writer *w) {
    if (!w) return;
    output_file_abandon(&w->file);
    free_writer(w);
}

/* ---- reading */

struct packed_reader {
    FILE *f;
    char *path;
    ZSTD_DCtx *context;
    ZSTD_inBuffer in;
    bool whole; /* the frame is complete */
    uint64_t lines;
    uint32_t sum;
    char *text; /* decompressed; the next line begins at `from` */
    size_t from, used, capacity;
    char packed[BLOCK];
};

heddle_err packed_reader_open(struct packed_reader **out, const char *path,
                              struct heddle_diag *diag) {
    struct stat st;
    *out = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO would wait */
    FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!f || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        heddle_fail(diag, HEDDLE_ERR_IO, "cannot read %s: %s", path,
                    f ? "it is no regular file" : strerror(errno));
        if (f) fclose(f);
        return HEDDLE_ERR_IO;
    }
    struct packed_reader *r = heddle_alloc(sizeof *r, "a compressed file");
    r->f = f;
    r->path = heddle_copy_text(path, "a compressed file");
    r->in.src = r->packed;
    r->context = ZSTD_createDCtx();
    if (!r->context) heddle_out_of_memory("a compressed file", 0);
    *out = r;
    return HEDDLE_OK;
}

void packed_reader_close(struct packed_reader *r) {
    if (!r) return;
    fclose(r->f);
    ZSTD_freeDCtx(r->context);
    free(r->path);
    free(r->text);
    free(r);
}

static heddle_err damaged(const struct packed_reader *r, const char *what,
                          struct heddle_diag *diag) {
    return heddle_fail(diag, HEDDLE_ERR_IO, "%s, line %llu: %s; run the program again", r->path,
                       (unsigned long long)r->lines + 1, what);
}

/* Adds text behind r->used. *end: there is no more. */
static heddle_err unpack(struct packed_reader *r, bool *end, struct heddle_diag *diag) {
    if (r->used - r->from > MOST_LINE) return damaged(r, "it is too long", diag);
    if (r->from) memmove(r->text, r->text + r->from, r->used - r->from);
    r->used -= r->from;
    r->from = 0;
    r->text = heddle_grow(r->text, &r->capacity, r->used + BLOCK + 1, 1, "a compressed file");
    if (r->in.pos == r->in.size) {
        r->in.size = fread(r->packed, 1, sizeof r->packed, r->f);
        r->in.pos = 0;
        if (ferror(r->f)) return damaged(r, strerror(errno), diag);
    }
    ZSTD_outBuffer to = {r->text, r->used + BLOCK, r->used};
    *end = r->in.size == 0;
    if (*end && !r->whole) return damaged(r, "the file is cut short", diag);
    if (*end) return HEDDLE_OK;
    if (r->whole) return damaged(r, "something lies behind the file's end", diag);
    size_t left = ZSTD_decompressStream(r->context, &to, &r->in);
    if (ZSTD_isError(left)) return damaged(r, "the file is damaged (checksum)", diag);
    r->whole = left == 0;
    r->sum = crc32c(r->sum, r->text + r->used, to.pos - r->used);
    r->used = to.pos;
    return HEDDLE_OK;
}

heddle_err packed_reader_line(struct packed_reader *r, char **line, struct heddle_diag *diag) {
    size_t looked = 0;
    bool end = false;
    for (;;) {
        char *from = r->text + r->from;
        char *newline = r->text ? memchr(from + looked, '\n', r->used - r->from - looked) : NULL;
        if (newline) {
            *newline = '\0';
            *line = from;
            r->from = (size_t)(newline - r->text) + 1;
            r->lines++;
            return HEDDLE_OK;
        }
        looked = r->used - r->from;
        heddle_err e = unpack(r, &end, diag);
        *line = NULL;
        if (e) return e;
        if (end) return looked ? damaged(r, "it has no end", diag) : HEDDLE_OK;
    }
}

uint64_t packed_reader_lines(const struct packed_reader *r) {
    return r->lines;
}

uint32_t packed_reader_sum(const struct packed_reader *r) {
    return r->sum;
}

char *packed_cell(char *line, unsigned index) {
    bool quoted = false;
    for (; index; line++) {
        if (!*line) return NULL;
        quoted ^= *line == '"';
        index -= *line == ',' && !quoted;
    }
    char *to = line;
    for (char *from = line; *from && (quoted || *from != ','); from++) {
        if (*from != '"') {
            *to++ = *from;
        } else if (quoted && from[1] == '"') {
            *to++ = *from++;
        } else {
            quoted = !quoted;
        }
    }
    *to = '\0';
    return line;
}

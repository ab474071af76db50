/* sealed_file.c - writes and checks files of records with checksums; format and contracts in
 * sealed_file.h. sched/checkpoint.c and checkpoint_image.c call it. */
#define _GNU_SOURCE
#include "common/sealed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/crc32c.h"

static const char magic[8] = "heddle\r\n";
static const uint32_t SEALED_END = UINT32_MAX; /* in place of a record's length */

/* The first bytes of a file. */
struct head {
    char magic[8];
    struct sealed_identity identity;
    uint32_t zero, sum; /* sum: of everything before it */
};
_Static_assert(sizeof(struct head) == 56, "the head has no bytes between its members");

/* Before a record. */
struct record {
    uint32_t bytes, sum;
};
/* Behind the record that has the length SEALED_END. */
struct end {
    uint64_t records;
    uint32_t sum, zero;
};

static struct head head_of(const struct sealed_identity *identity) {
    struct head h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.identity = *identity;
    h.sum = crc32c(0, &h, offsetof(struct head, sum));
    return h;
}

/* Checksum of a record before its bytes. */
static uint32_t sum_of_place(uint64_t number, uint32_t bytes) {
    return crc32c(crc32c(0, &number, sizeof number), &bytes, sizeof bytes);
}

/* ---- writing */

/* Writes bytes and counts them in the extent. */
static void put(struct sealed_writer *w, const void *bytes, size_t n) {
    if (!n) return; /* bytes may be NULL */
    w->extent.bytes += n;
    w->extent.sum = crc32c(w->extent.sum, bytes, n);
    if (fwrite(bytes, 1, n, w->f) != n && !w->error) w->error = errno ? errno : EIO;
}

static void put_head(struct sealed_writer *w, const struct sealed_identity *identity) {
    const struct head h = head_of(identity);
    put(w, &h, sizeof h);
}

heddle_err sealed_writer_begin(struct sealed_writer *w, const char *path,
                               const struct sealed_identity *identity, struct heddle_diag *diag) {
    *w = (struct sealed_writer){0};
    heddle_err e = output_file_open(&w->file, path, OUTPUT_OWN, diag);
    if (e) return e;
    w->f = w->file.f;
    put_head(w, identity);
    return HEDDLE_OK;
}

heddle_err sealed_writer_commit(struct sealed_writer *w, struct heddle_diag *diag) {
    const struct end end = {.records = w->extent.records, .sum = w->extent.sum};
    const struct record mark = {SEALED_END, crc32c(0, &end, sizeof end)};
    put(w, &mark, sizeof mark);
    put(w, &end, sizeof end);
    w->f = NULL;
    if (!w->error) return output_file_commit(&w->file, true, diag);
    heddle_fail(diag, HEDDLE_ERR_IO, "cannot write %s: %s%s", w->file.path, strerror(w->error),
                heddle_advice(w->error));
    output_file_abandon(&w->file);
    return HEDDLE_ERR_IO;
}

bool sealed_log_begin(struct sealed_writer *w, const char *path,
                      const struct sealed_identity *identity) {
    *w = (struct sealed_writer){0};
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0) return false;
    w->f = fdopen(fd, "w");
    if (!w->f) {
        close(fd);
        return false;
    }
    put_head(w, identity);
    return true;
}

bool sealed_log_continue(struct sealed_writer *w, const char *path,
                         const struct sealed_extent *extent) {
    *w = (struct sealed_writer){.extent = *extent};
    int fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return false;
    if (ftruncate(fd, (off_t)extent->bytes) == 0 && lseek(fd, 0, SEEK_END) >= 0)
        w->f = fdopen(fd, "w");
    if (!w->f) close(fd);
    return w->f != NULL;
}

bool sealed_log_sync(struct sealed_writer *w) {
    errno = w->error;
    return !w->error && fflush(w->f) == 0 && fdatasync(fileno(w->f)) == 0;
}

void sealed_writer_put(struct sealed_writer *w, const void *bytes, uint32_t n, const void *more,
                       uint32_t m) {
    const uint32_t all = n + m;
    const uint32_t sum = crc32c(crc32c(sum_of_place(w->extent.records, all), bytes, n), more, m);
    const struct record record = {all, sum};
    put(w, &record, sizeof record);
    put(w, bytes, n);
    put(w, more, m);
    w->extent.records++;
}

void sealed_writer_close(struct sealed_writer *w) {
    if (!w->f) return;
    if (w->file.f)
        output_file_abandon(&w->file);
    else
        fclose(w->f);
    w->f = NULL;
}

/* ---- reading */

/* Explains an error in the whole file, with the remedy. */
static heddle_err refuse_file(const struct sealed_reader *r, const char *what,
                              struct heddle_diag *diag) {
    return heddle_fail(diag, HEDDLE_ERR_IO, "%s: %s; %s", r->path, what, r->remedy);
}

/* The same of record `number`. */
static heddle_err refuse_record(const struct sealed_reader *r, uint64_t number, const char *what,
                                struct heddle_diag *diag) {
    return heddle_fail(diag, HEDDLE_ERR_IO, "%s, record %llu: %s; %s", r->path,
                       (unsigned long long)number, what, r->remedy);
}

heddle_err sealed_reader_refuse(const struct sealed_reader *r, const char *what,
                                struct heddle_diag *diag) {
    return refuse_record(r, r->next ? r->next - 1 : 0, what, diag);
}

/* Reads and checks the head; adds it to the extent. */
static heddle_err read_head(struct sealed_reader *r, const struct sealed_identity *identity,
                            struct heddle_diag *diag) {
    const struct head want = head_of(identity);
    struct head h;
    if (fread(&h, sizeof h, 1, r->f) != 1)
        return refuse_file(r, ferror(r->f) ? strerror(errno) : "it is cut short in its head", diag);
    if (memcmp(h.magic, magic, sizeof magic)) return refuse_file(r, "it is no such file", diag);
    if (h.sum != crc32c(0, &h, offsetof(struct head, sum)) || h.zero)
        return refuse_file(r, "its head is damaged (checksum)", diag);
    if (memcmp(h.identity.kind, identity->kind, sizeof h.identity.kind))
        return refuse_file(r, "it is a file of another kind", diag);
    if (h.identity.version != identity->version)
        return refuse_file(r, "it has the format of another version of Heddle", diag);
    if (memcmp(&h, &want, sizeof h))
        return refuse_file(r, "it belongs to another run, or to checkpoints of other inputs", diag);
    r->extent.bytes = sizeof h;
    r->extent.sum = crc32c(0, &h, sizeof h);
    return HEDDLE_OK;
}

/* Checks record number r->extent.records behind its head, block by block, and adds it to the
 * extent. @return the error, with text in diag. */
static heddle_err check_record(struct sealed_reader *r, const struct record *head,
                               struct heddle_diag *diag) {
    char block[1 << 14];
    uint32_t sum = sum_of_place(r->extent.records, head->bytes);
    r->extent.sum = crc32c(r->extent.sum, head, sizeof *head);
    for (uint32_t left = head->bytes; left;) {
        uint32_t n = left < sizeof block ? left : (uint32_t)sizeof block;
        if (fread(block, 1, n, r->f) != n)
            return refuse_record(r, r->extent.records,
                                 ferror(r->f) ? strerror(errno) : "it is cut short", diag);
        sum = crc32c(sum, block, n);
        r->extent.sum = crc32c(r->extent.sum, block, n);
        left -= n;
    }
    if (sum != head->sum)
        return refuse_record(r, r->extent.records, "it is damaged (checksum)", diag);
    r->extent.bytes += sizeof *head + head->bytes;
    r->extent.records++;
    return HEDDLE_OK;
}

/* Checks the end of a sealed file, behind its mark. */
static heddle_err check_end(struct sealed_reader *r, const struct record *mark,
                            struct heddle_diag *diag) {
    struct end end;
    if (fread(&end, sizeof end, 1, r->f) != 1 || mark->sum != crc32c(0, &end, sizeof end) ||
        end.zero || fgetc(r->f) != EOF)
        return refuse_file(r, "its end is damaged", diag);
    if (end.records != r->extent.records || end.sum != r->extent.sum)
        return refuse_file(r, "its checksum is not that of its records", diag);
    return HEDDLE_OK;
}

/* Checks all records of a sealed file, and its end. */
static heddle_err check_sealed(struct sealed_reader *r, struct heddle_diag *diag) {
    struct record head;
    for (;;) {
        if (fread(&head, sizeof head, 1, r->f) != 1)
            return refuse_record(r, r->extent.records,
                                 ferror(r->f) ? strerror(errno) : "the file is cut short", diag);
        if (head.bytes == SEALED_END) return check_end(r, &head, diag);
        heddle_err e = check_record(r, &head, diag);
        if (e) return e;
    }
}

/* Checks the records of a log up to its extent. */
static heddle_err check_log(struct sealed_reader *r, const struct sealed_extent *extent,
                            struct heddle_diag *diag) {
    struct record head;
    while (r->extent.bytes < extent->bytes) {
        if (fread(&head, sizeof head, 1, r->f) != 1)
            return refuse_record(r, r->extent.records,
                                 ferror(r->f) ? strerror(errno) : "the file is cut short", diag);
        heddle_err e = check_record(r, &head, diag);
        if (e) return e;
    }
    if (r->extent.bytes != extent->bytes || r->extent.records != extent->records ||
        r->extent.sum != extent->sum)
        return refuse_file(r, "its records are not those that the checkpoint was written after",
                           diag);
    return HEDDLE_OK;
}

/* Opens a regular file; O_NONBLOCK: the open of a FIFO would wait. @return errno, 0: opened. */
static int open_regular(struct sealed_reader *r) {
    struct stat st;
    int fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return errno;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || !(r->f = fdopen(fd, "r"))) {
        close(fd);
        return EINVAL;
    }
    return 0;
}

heddle_err sealed_reader_open(struct sealed_reader *r, const char *path,
                              const struct sealed_identity *identity,
                              const struct sealed_extent *extent, const char *remedy,
                              struct heddle_diag *diag) {
    *r = (struct sealed_reader){0};
    snprintf(r->path, sizeof r->path, "%s", path);
    snprintf(r->remedy, sizeof r->remedy, "%s", remedy);
    int error = open_regular(r);
    if (error) return refuse_file(r, strerror(error), diag);
    heddle_err e = read_head(r, identity, diag);
    if (!e) e = extent ? check_log(r, extent, diag) : check_sealed(r, diag);
    if (!e && fseeko(r->f, (off_t)sizeof(struct head), SEEK_SET) != 0)
        e = refuse_file(r, strerror(errno), diag);
    if (e) sealed_reader_close(r);
    return e;
}

heddle_err sealed_reader_size(struct sealed_reader *r, uint32_t *n, struct heddle_diag *diag) {
    struct record head;
    if (r->next >= r->extent.records) return refuse_record(r, r->next, "there is none", diag);
    if (!r->sized && fread(&head, sizeof head, 1, r->f) != 1)
        return refuse_record(r, r->next, "it cannot be read", diag);
    if (!r->sized) {
        r->size = head.bytes;
        r->sum = head.sum;
        r->sized = true;
    }
    *n = r->size;
    return HEDDLE_OK;
}

heddle_err sealed_reader_get(struct sealed_reader *r, void *bytes, uint32_t n,
                             struct heddle_diag *diag) {
    uint32_t size;
    uint64_t number = r->next;
    heddle_err e = sealed_reader_size(r, &size, diag);
    if (e) return e;
    if (size != n) return refuse_record(r, number, "it has another length than it must have", diag);
    if (fread(bytes, 1, n, r->f) != n) return refuse_record(r, number, "it cannot be read", diag);
    if (crc32c(sum_of_place(number, n), bytes, n) != r->sum)
        return refuse_record(r, number, "it has changed since the file was opened", diag);
    r->next++;
    r->sized = false;
    return HEDDLE_OK;
}

heddle_err sealed_reader_at(struct sealed_reader *r, uint64_t number, void *bytes, uint32_t n,
                            struct heddle_diag *diag) {
    if (number >= r->extent.records) return refuse_record(r, number, "there is none", diag);
    if (number != r->next) {
        uint64_t at = sizeof(struct head) + number * (sizeof(struct record) + n);
        if (at > r->extent.bytes || fseeko(r->f, (off_t)at, SEEK_SET) != 0)
            return refuse_record(r, number, "it cannot be read", diag);
        r->next = number;
        r->sized = false;
    }
    return sealed_reader_get(r, bytes, n, diag);
}

void sealed_reader_close(struct sealed_reader *r) {
    if (r->f) fclose(r->f);
    r->f = NULL;
}

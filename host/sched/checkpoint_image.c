/* checkpoint_image.c - writes and reads the file image-N of a checkpoint: a boundary and the GPU's
 * memory. checkpoint.c alone calls it, on the server's thread; contracts in checkpoint_image.h.
 *
 * Record 0 is a struct first; each other record is a struct page and the page's bytes.
 * lseek(SEEK_DATA) on the memory file finds the pages that were ever written; of those, pages of
 * zeros are left out. */
#define _GNU_SOURCE
#include "sched/checkpoint_image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096, VERSION = 6 };

/* The first record. */
struct first {
    uint64_t bytes_of_launch; /* of a struct checkpoint_launch */
    struct checkpoint_boundary boundary;
    uint64_t answered;
    struct sealed_extent launches, answers;
};
/* Before the bytes of a page. */
struct page {
    uint32_t region, number; /* index of the memory; page of it */
};
/* A page's record. */
struct page_record {
    struct page page;
    uint8_t bytes[PAGE];
};

/* Writes DIRECTORY/image-N. */
static void path_of(char *out, size_t size, const char *directory, uint64_t launches) {
    snprintf(out, size, "%s/image-%llu", directory, (unsigned long long)launches);
}

/* The identity of an image of the run. */
static struct sealed_identity image_of(const struct sealed_identity *run) {
    struct sealed_identity i = *run;
    memcpy(i.kind, "image\0\0", sizeof i.kind);
    i.version = VERSION;
    return i;
}

/* ---- writing */

static bool is_zero(const uint8_t *page) {
    return page[0] == 0 && !memcmp(page, page + 1, PAGE - 1);
}

/* Writes the pages of memory `number` that are not all zeros. Moves the offset of r->fd. @return
 * false: the search failed (errno). */
static bool put_region(struct sealed_writer *w, const struct checkpoint_region *r,
                       uint32_t number) {
    off_t at = 0;
    while ((uint64_t)at < r->bytes && (at = lseek(r->fd, at, SEEK_DATA)) >= 0) {
        off_t end = lseek(r->fd, at, SEEK_HOLE);
        if (end <= at) return false; /* the same place would be found again */
        for (at -= at % PAGE; at < end && (uint64_t)at < r->bytes; at += PAGE) {
            const struct page p = {number, (uint32_t)(at / PAGE)};
            if (!is_zero(r->mapping + at))
                sealed_writer_put(w, &p, sizeof p, r->mapping + at, PAGE);
        }
    }
    return at >= 0 || errno == ENXIO; /* ENXIO: no data any more */
}

/* Writes image->boundary, answered, launches and answers, and all of `memory`, to image-N in
 * `directory` (N: boundary.launches). */
heddle_err checkpoint_image_write(const struct checkpoint_image *image, const char *directory,
                                  const struct sealed_identity *identity,
                                  const struct checkpoint_memory *memory,
                                  struct heddle_diag *diag) {
    char path[4096];
    struct sealed_writer w;
    struct first first;
    const struct sealed_identity own = image_of(identity);
    path_of(path, sizeof path, directory, image->boundary.launches);
    heddle_err e = sealed_writer_begin(&w, path, &own, diag);
    if (e) return e;
    memset(&first, 0, sizeof first);
    first.bytes_of_launch = sizeof(struct checkpoint_launch);
    first.boundary = image->boundary;
    first.answered = image->answered;
    first.launches = image->launches;
    first.answers = image->answers;
    sealed_writer_put(&w, &first, sizeof first, NULL, 0);
    for (unsigned i = 0; i < memory->count; i++) {
        if (put_region(&w, &memory->region[i], i)) continue;
        heddle_fail(diag, HEDDLE_ERR_IO, "cannot write %s: memory cannot be searched: %s", path,
                    strerror(errno));
        sealed_writer_close(&w);
        return HEDDLE_ERR_IO;
    }
    return sealed_writer_commit(&w, diag);
}

/* ---- reading */

/* Opens image-`launches` in `directory`, which reads and checks all of it, and reads its first
 * record. */
heddle_err checkpoint_image_open(struct checkpoint_image *image, const char *directory,
                                 uint64_t launches, const struct sealed_identity *identity,
                                 const char *remedy, struct heddle_diag *diag) {
    char path[4096];
    struct first first;
    const struct sealed_identity own = image_of(identity);
    path_of(path, sizeof path, directory, launches);
    heddle_err e = sealed_reader_open(&image->file, path, &own, NULL, remedy, diag);
    if (!e) e = sealed_reader_get(&image->file, &first, sizeof first, diag);
    if (!e && (first.bytes_of_launch != sizeof(struct checkpoint_launch) ||
               first.boundary.launches != launches || first.launches.records != launches))
        e = sealed_reader_refuse(&image->file, "it is of another checkpoint", diag);
    if (e) {
        checkpoint_image_close(image);
        return e;
    }
    image->boundary = first.boundary;
    image->answered = first.answered;
    image->launches = first.launches;
    image->answers = first.answers;
    return HEDDLE_OK;
}

/* Punches all memory files to zeros, then copies the pages of the open image into their
 * mappings. */
heddle_err checkpoint_image_load(struct checkpoint_image *image,
                                 const struct checkpoint_memory *memory, struct heddle_diag *diag) {
    struct page_record r;
    for (unsigned i = 0; i < memory->count; i++) /* pages that the image leaves out become zeros */
        if (fallocate(memory->region[i].fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                      (off_t)memory->region[i].bytes) != 0)
            return heddle_fail(diag, HEDDLE_ERR_IO, "checkpoint: memory cannot be cleared: %s",
                               strerror(errno));
    while (image->file.next < image->file.extent.records) {
        heddle_err e = sealed_reader_get(&image->file, &r, sizeof r, diag);
        if (e) return e;
        const uint64_t at = (uint64_t)r.page.number * PAGE;
        if (r.page.region >= memory->count || at >= memory->region[r.page.region].bytes)
            return sealed_reader_refuse(&image->file, "its page lies outside memory", diag);
        memcpy(memory->region[r.page.region].mapping + at, r.bytes, PAGE);
    }
    return HEDDLE_OK;
}

void checkpoint_image_close(struct checkpoint_image *image) {
    sealed_reader_close(&image->file);
}

/* Deletes image-N; a file that is not there is no error. */
void checkpoint_image_remove(const char *directory, uint64_t launches) {
    char path[4096];
    path_of(path, sizeof path, directory, launches);
    unlink(path);
}

/* checkpoint_image.c - writes and reads the file image-N of a checkpoint: a boundary and the GPU's
 * memory. checkpoint.c alone calls it, on the server's thread; contracts in checkpoint_image.h.
 *
 * Behind the head the file has, for each page, u32 region, u32 number, 4096 bytes; then region
 * UINT32_MAX and, as the last word, a sum of everything before it. lseek(SEEK_DATA) on the memory
 * file finds the pages that were ever written; of those, pages of zeros are left out.
 *
 * Functions that fail return false, or set s->bad, and leave the cause in errno; errno 0 or
 * unchanged means that the file's contents are wrong. */
#define _GNU_SOURCE
#include "sched/checkpoint_image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096, END = -1 };

/* The first bytes of an image. */
struct head {
    char magic[8];
    uint64_t bytes_of_launch; /* of a struct checkpoint_launch */
    struct checkpoint_boundary boundary;
    uint64_t answered;
};
static const char magic[8] = "heddlCP3";

/* The head of a page in the file. */
struct page {
    uint32_t region, number; /* index of the memory; page of it. END: no more pages */
};

/* Reads or writes a file and keeps a running sum of 64-bit words. */
struct summed {
    FILE *f;
    uint64_t sum;
    bool bad; /* a read or write has failed */
};

/* Adds bytes to the sum, 8 at a time. */
static void add(struct summed *s, const void *bytes, size_t n) {
    const uint8_t *p = bytes;
    uint64_t word;
    for (; n >= 8; n -= 8, p += 8) {
        memcpy(&word, p, 8);
        s->sum = (s->sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        s->sum ^= s->sum >> 29;
    }
    for (; n; n--, p++) s->sum = (s->sum ^ *p) * UINT64_C(0x100000001b3);
}

/* Writes bytes and adds them to the sum; failures show in s->bad. */
static void put(struct summed *s, const void *bytes, size_t n) {
    add(s, bytes, n);
    s->bad = s->bad || fwrite(bytes, 1, n, s->f) != n;
}

/* Reads bytes and adds them to the sum. @return false: they cannot be read. */
static bool get(struct summed *s, void *bytes, size_t n) {
    if (s->bad || fread(bytes, 1, n, s->f) != n) {
        s->bad = true;
        return false;
    }
    add(s, bytes, n);
    return true;
}

/* Writes DIRECTORY/image-N with a suffix. */
static void path_of(char *out, size_t size, const char *directory, uint64_t launches,
                    const char *suffix) {
    snprintf(out, size, "%s/image-%llu%s", directory, (unsigned long long)launches, suffix);
}

/* ---- writing */

/* Forces the names of the directory to the disk. @return false: failed. */
static bool sync_directory(const char *directory) {
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0) close(fd);
    return ok;
}

static bool is_zero(const uint8_t *page) {
    return page[0] == 0 && !memcmp(page, page + 1, PAGE - 1);
}

/* Writes the pages of memory `number` that are not all zeros. Moves the offset of r->fd. A failure
 * of the search sets s->bad. */
static void put_region(struct summed *s, const struct checkpoint_region *r, uint32_t number) {
    off_t at = 0;
    while ((uint64_t)at < r->bytes && (at = lseek(r->fd, at, SEEK_DATA)) >= 0) {
        off_t end = lseek(r->fd, at, SEEK_HOLE);
        if (end <= at) { /* the same place would be found again */
            s->bad = true;
            return;
        }
        for (at -= at % PAGE; at < end && (uint64_t)at < r->bytes; at += PAGE) {
            const struct page p = {number, (uint32_t)(at / PAGE)};
            if (is_zero(r->mapping + at)) continue;
            put(s, &p, sizeof p);
            put(s, r->mapping + at, PAGE);
        }
    }
    s->bad = s->bad || (at < 0 && errno != ENXIO); /* ENXIO: no data any more */
}

/* Writes image->boundary, image->answered and all of `memory` to image-N.part in `directory`, syncs
 * it, and renames it to image-N (N: boundary.launches), so image-N is always whole. @return false
 * on failure; image-N.part may then stay. */
bool checkpoint_image_write(const struct checkpoint_image *image, const char *directory,
                            const struct checkpoint_memory *memory) {
    char beside[4096], path[4096];
    uint64_t launches = image->boundary.launches;
    path_of(beside, sizeof beside, directory, launches, ".part");
    path_of(path, sizeof path, directory, launches, "");
    struct summed s = {.f = fopen(beside, "we")};
    if (!s.f) return false;
    struct head head = {.bytes_of_launch = sizeof(struct checkpoint_launch),
                        .boundary = image->boundary,
                        .answered = image->answered};
    memcpy(head.magic, magic, sizeof magic);
    put(&s, &head, sizeof head);
    for (unsigned i = 0; i < memory->count; i++) put_region(&s, &memory->region[i], i);
    const struct page end = {(uint32_t)END, 0};
    put(&s, &end, sizeof end);
    s.bad = s.bad || fwrite(&s.sum, sizeof s.sum, 1, s.f) != 1;
    s.bad = s.bad || fflush(s.f) != 0 || fdatasync(fileno(s.f)) != 0;
    s.bad = fclose(s.f) != 0 || s.bad;
    return !s.bad && rename(beside, path) == 0 && sync_directory(directory);
}

/* ---- reading */

/* Reads and checks the whole of image->file; fills in boundary and answered. Copies the pages to
 * memory unless that is NULL. @return false: the file is no image of this build, is damaged or
 * cannot be read, or has pages that `memory` lacks; memory may then be partly overwritten. */
static bool read_all(struct checkpoint_image *image, const struct checkpoint_memory *memory) {
    struct summed s = {.f = image->file};
    struct head head;
    struct page p;
    uint8_t bytes[PAGE];
    uint64_t sum;
    rewind(s.f);
    if (!get(&s, &head, sizeof head) || memcmp(head.magic, magic, sizeof magic) ||
        head.bytes_of_launch != sizeof(struct checkpoint_launch))
        return false;
    while (get(&s, &p, sizeof p) && p.region != (uint32_t)END) {
        if (!get(&s, bytes, sizeof bytes)) return false;
        if (!memory) continue;
        if (p.region >= memory->count ||
            (uint64_t)p.number * PAGE >= memory->region[p.region].bytes)
            return false;
        memcpy(memory->region[p.region].mapping + (uint64_t)p.number * PAGE, bytes, PAGE);
    }
    image->boundary = head.boundary;
    image->answered = head.answered;
    return !s.bad && fread(&sum, sizeof sum, 1, s.f) == 1 && sum == s.sum;
}

/* Opens image-`launches` in `directory` and reads all of it once, to check the sum: sets
 * image->file, name, boundary and answered. @return false: missing, damaged, or of another
 * boundary; image->file is then NULL. */
bool checkpoint_image_open(struct checkpoint_image *image, const char *directory,
                           uint64_t launches) {
    char path[4096];
    path_of(path, sizeof path, directory, launches, "");
    snprintf(image->name, sizeof image->name, "image-%llu", (unsigned long long)launches);
    image->file = fopen(path, "re");
    if (!image->file) return false;
    if (read_all(image, NULL) && image->boundary.launches == launches) return true;
    checkpoint_image_close(image);
    return false;
}

/* Punches all memory files to zeros, then copies the pages of the open image into their mappings.
 * @return false on failure; memory is then undefined. */
bool checkpoint_image_load(struct checkpoint_image *image, const struct checkpoint_memory *memory) {
    for (unsigned i = 0; i < memory->count; i++) /* pages that the image leaves out become zeros */
        if (fallocate(memory->region[i].fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                      (off_t)memory->region[i].bytes) != 0)
            return false;
    return read_all(image, memory);
}

void checkpoint_image_close(struct checkpoint_image *image) {
    if (image->file) fclose(image->file);
    image->file = NULL;
}

/* Deletes image-N; a file that is not there is no error. */
void checkpoint_image_remove(const char *directory, uint64_t launches) {
    char path[4096];
    path_of(path, sizeof path, directory, launches, "");
    unlink(path);
}

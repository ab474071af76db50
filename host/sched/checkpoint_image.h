/* checkpoint_image.h - one file with the state at a checkpoint: a head, the pages of memory that
 * are not all zeros, and a checksum at the end, which shows that the file is whole. */
#ifndef HEDDLE_SCHED_CHECKPOINT_IMAGE_H
#define HEDDLE_SCHED_CHECKPOINT_IMAGE_H

#include <stdio.h>

#include "sched/checkpoint.h"

enum { CHECKPOINT_MAX_REGIONS = 4 };

struct checkpoint_region {
    int fd; /* a memory file */
    uint8_t *mapping;
    uint64_t bytes;
};
struct checkpoint_memory {
    struct checkpoint_region region[CHECKPOINT_MAX_REGIONS];
    unsigned count;
};

struct checkpoint_image {
    struct checkpoint_boundary boundary;
    uint64_t answered; /* bytes of answers */
    FILE *file;        /* one that is open for reading; NULL: none */
    char name[32];
};

/* Writes the image to a file of the directory. @return false: failed (errno). */
bool checkpoint_image_write(const struct checkpoint_image *image, const char *directory,
                            const struct checkpoint_memory *memory);
/* Opens an image and reads its head. @return false: there is no such image, or it is damaged. */
bool checkpoint_image_open(struct checkpoint_image *image, const char *directory,
                           uint64_t launches);
/* Replaces the contents of memory by those of the image. @return false: it cannot be read. */
bool checkpoint_image_load(struct checkpoint_image *image, const struct checkpoint_memory *memory);
void checkpoint_image_close(struct checkpoint_image *image);
void checkpoint_image_remove(const char *directory, uint64_t launches);

#endif

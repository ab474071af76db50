/* checkpoint_image.h - one file with everything that is known at a checkpoint: a head, the pages of
 * memory that are not all zeros, and a sum at the end by which it is known to be whole. */
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

/* @return false: it could not be written (errno). */
bool checkpoint_image_write(const struct checkpoint_image *image, const char *directory,
                            const struct checkpoint_memory *memory);
/* Reads the head. @return false: it is not there, or not whole. */
bool checkpoint_image_open(struct checkpoint_image *image, const char *directory,
                           uint64_t launches);
/* Memory becomes what it was. @return false: it cannot be read. */
bool checkpoint_image_load(struct checkpoint_image *image, const struct checkpoint_memory *memory);
void checkpoint_image_close(struct checkpoint_image *image);
void checkpoint_image_remove(const char *directory, uint64_t launches);

#endif

/* checkpoint_image.h - one file with the state at a checkpoint: a head, the pages of memory that
 * are not all zeros, and a checksum at the end, which shows that the file is whole. checkpoint.c
 * alone uses it, on its thread. */
#ifndef HEDDLE_SCHED_CHECKPOINT_IMAGE_H
#define HEDDLE_SCHED_CHECKPOINT_IMAGE_H

#include <stdio.h>

#include "sched/checkpoint.h"

enum { CHECKPOINT_MAX_REGIONS = 4 };

/* A memory file, such as device memory. */
struct checkpoint_region {
    int fd;
    uint8_t *mapping; /* the whole file, mapped */
    uint64_t bytes;
};
/* All memory of an image. */
struct checkpoint_memory {
    struct checkpoint_region region[CHECKPOINT_MAX_REGIONS];
    unsigned count;
};

/* An image: to write, or open for reading. */
struct checkpoint_image {
    struct checkpoint_boundary boundary;
    uint64_t answered; /* bytes of the log `answers` before the boundary */
    FILE *file;        /* open for reading; NULL: not open */
    char name[32];     /* of the file, for messages */
};

/* Writes the image to a file of the directory. @return false: failed (errno). */
bool checkpoint_image_write(const struct checkpoint_image *image, const char *directory,
                            const struct checkpoint_memory *memory);
/* Opens an image, checks the whole file and reads its head. @return false: there is no such image,
 * or it is damaged. */
bool checkpoint_image_open(struct checkpoint_image *image, const char *directory,
                           uint64_t launches);
/* Replaces the contents of all memory by those of the image. @return false: the image cannot be
 * read; memory is then undefined. */
bool checkpoint_image_load(struct checkpoint_image *image, const struct checkpoint_memory *memory);
void checkpoint_image_close(struct checkpoint_image *image); /* accepts one that is not open */
/* Deletes the image's file. */
void checkpoint_image_remove(const char *directory, uint64_t launches);

#endif

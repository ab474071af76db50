/* checkpoint_image.h - one sealed file (common/sealed_file.h) with the state at a checkpoint: the
 * boundary, how far the two logs go, and the pages of memory that are not all zeros. checkpoint.c
 * alone uses it, on its thread. */
#ifndef HEDDLE_SCHED_CHECKPOINT_IMAGE_H
#define HEDDLE_SCHED_CHECKPOINT_IMAGE_H

#include "common/sealed_file.h"
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
    uint64_t answered;                      /* bytes of answers before the boundary */
    struct sealed_extent launches, answers; /* of the logs, up to the boundary */
    struct sealed_reader file;              /* open for reading */
};

/* Writes the image to a file of the directory, durably. @return HEDDLE_ERR_IO, with text in
 * diag. */
heddle_err checkpoint_image_write(const struct checkpoint_image *image, const char *directory,
                                  const struct sealed_identity *identity,
                                  const struct checkpoint_memory *memory, struct heddle_diag *diag);
/* Opens the image taken before launch number `launches`, checks the whole file and reads what comes
 * before memory. `remedy`: what the user can do if it is damaged. @return HEDDLE_ERR_IO, with text
 * in diag; the image is then not open. */
heddle_err checkpoint_image_open(struct checkpoint_image *image, const char *directory,
                                 uint64_t launches, const struct sealed_identity *identity,
                                 const char *remedy, struct heddle_diag *diag);
/* Replaces the contents of all memory by those of the image. @return HEDDLE_ERR_IO, with text in
 * diag; memory is then undefined. */
heddle_err checkpoint_image_load(struct checkpoint_image *image,
                                 const struct checkpoint_memory *memory, struct heddle_diag *diag);
void checkpoint_image_close(struct checkpoint_image *image); /* accepts one that is not open */
/* Deletes the image's file. */
void checkpoint_image_remove(const char *directory, uint64_t launches);

#endif

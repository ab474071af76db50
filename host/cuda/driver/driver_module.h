/* driver_module.h - between loading (driver_module.c) and linking (driver_link.c) device code. */
#ifndef HEDDLE_CUDA_DRIVER_DRIVER_MODULE_H
#define HEDDLE_CUDA_DRIVER_DRIVER_MODULE_H

#include "cuda/driver/driver.h"

/* Where a program wants to read what the compiler says (CUjit_option). Values of output options
 * are written into the program's array. */
struct driver_log {
    char *info, *error;
    void **info_bytes, **error_bytes; /* in: room, out: written */
    void **wall_ms;                   /* out: a float */
};

/* Reads options; those that change nothing here (optimization level, line information, caches) are
 * taken, others refused by name. The call is not counted. @return CUresult. */
int driver_read_options(enum cuda_call_id id, unsigned count, const int *option, void **value,
                        struct driver_log *log);
/* Writes the log of something that went well (error NULL) or not; into no log, nothing. */
void driver_write_log(const struct driver_log *log, const char *error);

/* A file's bytes, zeros behind them; the caller frees them. NULL: it cannot be read. */
char *driver_read_file(const char *name, size_t *bytes);

/* The module of that number has been unloaded. */
void driver_forget_module(uint64_t id);

/* A fat binary that has this PTX. The caller frees it; NULL: no memory. */
void *driver_container(const char *ptx, size_t length, size_t *bytes);
/* A fat binary of fat binaries, which follow each other. */
void *driver_outer_container(const void *objects, size_t length, size_t *bytes);

#endif

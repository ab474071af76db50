/* driver_module.h - what loading (driver_module.c) and linking (driver_link.c) of device code
 * share: options, logs, and fat binaries. */
#ifndef HEDDLE_CUDA_DRIVER_DRIVER_MODULE_H
#define HEDDLE_CUDA_DRIVER_DRIVER_MODULE_H

#include "cuda/driver/driver.h"

/* The program's buffers for the compiler's messages (CUjit_option). Output options point into the
 * program's array of values. */
struct driver_log {
    char *info, *error;
    void **info_bytes, **error_bytes; /* in: room, out: written */
    void **wall_ms;                   /* out: a float */
};

/* Reads options into `log`. Accepts options without effect in Heddle (optimization level, line
 * information, caches). Refuses any other one and prints its number. Does not count a call.
 * @return CUresult. */
int driver_read_options(enum cuda_call_id id, unsigned count, const int *option, void **value,
                        struct driver_log *log);
/* Writes an empty log (`error` NULL) or the error's text into the program's buffers, if it gave
 * any. */
void driver_write_log(const struct driver_log *log, const char *error);

/* Reads a whole file and appends zeros. The caller frees it. @return NULL if it cannot be read. */
char *driver_read_file(const char *name, size_t *bytes);

/* Marks the module with the server's number `id` as unloaded. Takes shim.lock; sends nothing. */
void driver_forget_module(uint64_t id);

/* Makes a fat binary that holds this PTX. The caller frees it. @return NULL: no memory. */
void *driver_container(const char *ptx, size_t length, size_t *bytes);
/* Makes a fat binary that holds `length` bytes of fat binaries, one after the other. The caller
 * frees it. @return NULL: no memory. */
void *driver_outer_container(const void *objects, size_t length, size_t *bytes);

#endif

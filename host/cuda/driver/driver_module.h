/* driver_module.h - what loading (driver_module.c) and linking (driver_link.c) of device code
 * share: options and logs (driver_jit_options.c), fat binaries (driver_container.c), and the end
 * of a module (driver_handle.c).
 *
 * Any thread of the program may call these functions; they send no messages. */
#ifndef HEDDLE_CUDA_DRIVER_DRIVER_MODULE_H
#define HEDDLE_CUDA_DRIVER_DRIVER_MODULE_H

#include "cuda/driver/driver.h"

/* The program's buffers for the compiler's messages (CUjit_option). Output options point into the
 * program's array of values. A link keeps them until it is destroyed. NULL: the program did not
 * give that option. */
struct driver_log {
    char *info, *error;
    void **info_bytes, **error_bytes; /* in: room in bytes, out: bytes written */
    void **wall_ms;                   /* out: a float */
};

/* Reads options into `log`. Accepts options without effect in Heddle (optimization level, line
 * information, caches). Refuses any other one and prints its number. Does not count a call.
 * @return CUresult. */
int driver_read_options(enum cuda_call_id id, unsigned count, const int *option, void **value,
                        struct driver_log *log);
/* Writes an empty log (`error` NULL) or the error's text into the program's buffers, if it gave
 * any. `log` may be NULL. */
void driver_write_log(const struct driver_log *log, const char *error);

/* Reads a whole file and appends zeros, which end a text. *bytes: its size without them. The
 * caller frees the result. @return NULL if it cannot be read. */
char *driver_read_file(const char *name, size_t *bytes);

/* Marks the module with the server's number `id` as unloaded. Takes shim.lock; sends nothing. */
void driver_forget_module(uint64_t id);

/* Makes a fat binary that holds these `length` bytes of PTX. *bytes: its size. The caller frees
 * it. @return NULL: no memory. */
void *driver_container(const char *ptx, size_t length, size_t *bytes);
/* Makes a fat binary that holds `length` bytes of fat binaries, one after the other. *bytes: its
 * size. The caller frees it. @return NULL: no memory. */
void *driver_outer_container(const void *objects, size_t length, size_t *bytes);

#endif

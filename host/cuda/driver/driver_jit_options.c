/* driver_jit_options.c - options of the just-in-time compiler (CUjit_option), and its log
 * (contracts in driver_module.h).
 *
 * Runs in the program's process, in libcuda.so.1, on the thread that loads or links device code
 * (driver_module.c, driver_link.c). It reads the program's arrays of options and writes the
 * program's buffers; it sends no messages and counts no calls. */
#include <stdio.h>

#include "cuda/driver/driver_module.h"

enum { /* CUjit_option */
       JIT_MAX_REGISTERS = 0,
       JIT_WALL_TIME = 2,
       JIT_INFO_LOG,
       JIT_INFO_BYTES,
       JIT_ERROR_LOG,
       JIT_ERROR_BYTES,
       JIT_OPTIMIZATION_LEVEL,
       JIT_TARGET_FROM_CONTEXT,
       JIT_TARGET,
       JIT_FALLBACK,
       JIT_DEBUG_INFO,
       JIT_LOG_VERBOSE,
       JIT_LINE_INFO,
       JIT_CACHE_MODE,
};

/* Reads the program's `count` options into `log`, which then points into the array `value`; clears
 * `log` first. Options without effect are accepted; a limit of registers also prints that it has
 * none. @return CUresult: cudaErrorInvalidValue for a missing array; cudaErrorNotSupported for an
 * option that it refuses, after printing its number with the name of the call `id`. */
int driver_read_options(enum cuda_call_id id, unsigned count, const int *option, void **value,
                        struct driver_log *log) {
    *log = (struct driver_log){0};
    if (count && (!option || !value)) return HEDDLE_cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++) {
        if (option[i] == JIT_MAX_REGISTERS) { /* kernels' results do not depend on it */
            shim_say("%s(): the limit of %u registers a thread is not applied; kernels have as "
                     "many as they want",
                     shim_call_names[id], (unsigned)(uintptr_t)value[i]);
        } else if (option[i] == JIT_WALL_TIME) {
            log->wall_ms = &value[i];
        } else if (option[i] == JIT_INFO_LOG) {
            log->info = value[i];
        } else if (option[i] == JIT_INFO_BYTES) {
            log->info_bytes = &value[i];
        } else if (option[i] == JIT_ERROR_LOG) {
            log->error = value[i];
        } else if (option[i] == JIT_ERROR_BYTES) {
            log->error_bytes = &value[i];
        } else if (option[i] < JIT_OPTIMIZATION_LEVEL || option[i] > JIT_CACHE_MODE) {
            shim_say("not supported: %s() with option %d of the just-in-time compiler; leave it "
                     "out",
                     shim_call_names[id], option[i]);
            return HEDDLE_cudaErrorNotSupported;
        }
    }
    return CUDA_SUCCESS;
}

/* Writes `text` to the program's buffer `to` and its length to *bytes, which held the room in
 * bytes; the text is cut to fit, with its terminating zero. Does nothing without a buffer or room.
 */
static void write_text(char *to, void **bytes, const char *text) {
    size_t room = to && bytes ? (size_t)(unsigned)(uintptr_t)*bytes : 0;
    if (!room) return;
    int n = snprintf(to, room, "%s", text);
    *bytes = (void *)((size_t)n < room ? (size_t)n : room - 1);
}

/* Writes the error's text (NULL: an empty text) to the program's error buffer, an empty text to its
 * information buffer, and 0 to its wall time, because compilation takes no simulated time. Skips
 * buffers that the program did not give; `log` may be NULL. */
void driver_write_log(const struct driver_log *log, const char *error) {
    if (!log) return;
    write_text(log->info, log->info_bytes, "");
    write_text(log->error, log->error_bytes, error ? error : "");
    if (log->wall_ms) *log->wall_ms = NULL; /* the bits of 0.0f */
}

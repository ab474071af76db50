/* diagnostics.c - messages of the server and the translation of its errors; see diagnostics.h.
 *
 * Every part of the CUDA layer in the server calls these functions: on the server's thread, or on
 * the simulation's thread that performs an operation while the server's thread waits. */
#include "cuda/base/diagnostics.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Writes "heddle: ", the prefix and the text to standard error as one line, cut at 2047 bytes. */
static void say(const char *prefix, const char *format, va_list args) {
    char line[2048];
    int n = snprintf(line, sizeof line, "heddle: %s", prefix);
    n += vsnprintf(line + n, sizeof line - (size_t)n - 1, format, args);
    if (n > (int)sizeof line - 2) n = sizeof line - 2;
    line[n] = '\n';
    if (write(STDERR_FILENO, line, (size_t)n + 1) < 0) return; /* one write: lines do not mix */
}

/* The same with the arguments in place. */
static void say_line(const char *prefix, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void say_line(const char *prefix, const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(prefix, format, args);
    va_end(args);
}

/* Writes an error, also when the server is quiet. Does not read or change *s, and keeps nothing for
 * the report. */
void server_error(struct server *s, const char *format, ...) {
    (void)s;
    va_list args;
    va_start(args, format);
    say("error: ", format, args);
    va_end(args);
}

void server_note_failure(struct server *s, heddle_err e) {
    s->simulator_failed |= e == HEDDLE_ERR_BACKEND || e == HEDDLE_ERR_PROTOCOL ||
                           e == HEDDLE_ERR_INTERNAL;
}

/* Keeps the text, cut to 199 bytes, in s->notes for the report while there is room (8 notices), and
 * writes it to standard error unless the server is quiet. */
void server_notice(struct server *s, const char *format, ...) {
    char text[sizeof s->notes[0]];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (unsigned i = 0; i < s->num_notes; i++)
        if (!strcmp(s->notes[i], text)) return; /* of another module or program: it is known */
    va_start(args, format);
    if (s->num_notes < sizeof s->notes / sizeof s->notes[0]) {
        va_list copy;
        va_copy(copy, args);
        vsnprintf(s->notes[s->num_notes++], sizeof s->notes[0], format, copy);
        va_end(copy);
    }
    if (!s->o.quiet) say("", format, args);
    va_end(args);
}

/* Writes it also when the server is quiet; the report has the list of findings. */
void server_found(struct server *s, const char *text) {
    (void)s;
    say_line("memcheck: ", "%s; the kernel goes on, as on a GPU (--memcheck stop ends it)", text);
}

/* On the first call of a run, gives a notice about the timing of managed memory and sets
 * s->managed_reported; later calls do nothing. */
void server_note_managed(struct server *s) {
    if (s->managed_reported) return;
    s->managed_reported = true;
    server_notice(s,
                  "managed memory: accesses by kernels are timed as device memory; pages migrate "
                  "in no time (cudaMemPrefetchAsync takes the link's time)");
}

/* The cudaError_t of an error of the simulator or the compiler; CUDA_SUCCESS for HEDDLE_OK,
 * cudaErrorUnknown for an error without a counterpart (HEDDLE_ERR_IO, _STOPPED ...). */
int error_of(heddle_err e) {
    switch (e) {
    case HEDDLE_OK: return CUDA_SUCCESS;
    case HEDDLE_ERR_NOMEM: return HEDDLE_cudaErrorMemoryAllocation;
    case HEDDLE_ERR_ARGUMENT: return HEDDLE_cudaErrorInvalidValue;
    case HEDDLE_ERR_FATBIN: return HEDDLE_cudaErrorInvalidKernelImage;
    case HEDDLE_ERR_PTX_SYNTAX:
    case HEDDLE_ERR_PTX_UNSUPPORTED: return HEDDLE_cudaErrorInvalidPtx;
    case HEDDLE_ERR_PTX_RESOURCES: return HEDDLE_cudaErrorLaunchOutOfResources;
    case HEDDLE_ERR_NO_SYMBOL: return HEDDLE_cudaErrorSymbolNotFound;
    case HEDDLE_ERR_ILLEGAL_ADDRESS: return HEDDLE_cudaErrorIllegalAddress;
    case HEDDLE_ERR_MISALIGNED: return HEDDLE_cudaErrorMisalignedAddress;
    case HEDDLE_ERR_ASSERT: return HEDDLE_cudaErrorAssert;
    case HEDDLE_ERR_TRAP:
    case HEDDLE_ERR_RACE:
    case HEDDLE_ERR_GLOBAL_RACE:
    case HEDDLE_ERR_UNINITIALISED:
    case HEDDLE_ERR_UNWRITTEN:
    case HEDDLE_ERR_BARRIER: return HEDDLE_cudaErrorLaunchFailure;
    case HEDDLE_ERR_TIMEOUT:
    case HEDDLE_ERR_DEADLOCK: return HEDDLE_cudaErrorLaunchTimeout;
    case HEDDLE_ERR_LAUNCH: return HEDDLE_cudaErrorInvalidConfiguration;
    default: return HEDDLE_cudaErrorUnknown;
    }
}

void server_turn_away(struct server *s) {
    if (!s->refused)
        server_error(s, "a program cannot be connected to the simulator: %s%s", strerror(errno),
                     heddle_advice(errno));
    s->refused = true;
}

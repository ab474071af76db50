/* driver_entry_point.c - finds the driver's functions by name and version (cuGetProcAddress).
 *
 * Runs in the program's process, in libcuda.so.1, on the thread of the program that asks, possibly
 * before cuInit(). Each call is counted and answered from a constant table, without a message or a
 * lock. All functions return a CUresult, unless a comment says otherwise.
 *
 * The table holds addresses only. Each row declares its function without parameters under another
 * name (entry_cuInit), so that the declaration does not clash with the definition. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "cuda/driver/driver.h"

#define SYMBOL(symbol, name, since, per_thread) extern int entry_##symbol(void) __asm__(#symbol);
#include "cuda_driver_symbols.def"
#undef SYMBOL

/* One form of a function. */
struct row {
    const char *name; /* without _v2 and the like */
    int since;        /* the CUDA version that it came with: 1000 * major + 10 * minor */
    bool per_thread;  /* the form for per-thread default streams (_ptsz, _ptds) */
    int (*function)(void);
};
static const struct row rows[] = {
#define SYMBOL(symbol, name, since, per_thread) {name, since, per_thread, entry_##symbol},
#include "cuda_driver_symbols.def"
#undef SYMBOL
};

enum { FOUND = 0, NOT_FOUND = 1, TOO_OLD = 2 }; /* CUdriverProcAddressQueryResult */

/* Finds in the table the newest form of a function that a program of this version knows.
 * `per_thread` prefers the form for per-thread default streams. *status receives FOUND, TOO_OLD
 * (only newer forms exist) or NOT_FOUND. @return the address, or NULL. */
static void *find(const char *name, int version, bool per_thread, int *status) {
    const struct row *best = NULL;
    *status = NOT_FOUND;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *r = &rows[i];
        if (strcmp(r->name, name) != 0 || (r->per_thread && !per_thread)) continue;
        if (r->since > version) {
            if (!best) *status = TOO_OLD;
            continue;
        }
        if (!best || r->since > best->since ||
            (r->since == best->since && r->per_thread && !best->per_thread))
            best = r;
    }
    if (!best) return NULL;
    void *address;
    memcpy(&address, &best->function, sizeof address);
    *status = FOUND;
    return address;
}

enum { FLAG_PER_THREAD = 2 };

/* Makes the call `id`, answered here: writes the function's address to *function, NULL if there is
 * none, and a CUdriverProcAddressQueryResult to *status, which must not be NULL. A function that is
 * not found is a success. cudaErrorInvalidValue, with nothing written: a NULL pointer, an unknown
 * flag, or a version newer than DRIVER_VERSION. */
static int get(enum cuda_call_id id, const char *name, void **function, int version, uint64_t flags,
               int *status) {
    enum { NEW_INSTANTIATE = 12000 };
    if (!name || !function || flags > FLAG_PER_THREAD || version > DRIVER_VERSION)
        return driver_fail(id, HEDDLE_cudaErrorInvalidValue);
    shim_local(id);
    /* CUDA 12 gave the old name to another form. */
    if (strcmp(name, "cuGraphInstantiate") == 0 && version >= NEW_INSTANTIATE)
        name = "cuGraphInstantiateWithFlags";
    *function = find(name, version, flags == FLAG_PER_THREAD, status);
    return CUDA_SUCCESS;
}

/* The first form has no status, so it returns RESULT_NOT_FOUND for an unknown function. */
SHIM_EXPORT int cuGetProcAddress(const char *name, void **function, int version, uint64_t flags);
int cuGetProcAddress(const char *name, void **function, int version, uint64_t flags) {
    int status;
    int error = get(CALL_cuGetProcAddress, name, function, version, flags, &status);
    return error || *function ? error : RESULT_NOT_FOUND;
}

/* `status` may be NULL. A function that is not found is a success, with *function NULL. */
SHIM_EXPORT int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
                                    int *status);
int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
                        int *status) {
    int ignored;
    return get(CALL_cuGetProcAddress_v2, name, function, version, flags,
               status ? status : &ignored);
}

/* True for NVRTC, which asks for the tables too, but compiles without them. `library`: a path. */
static bool can_do_without(const char *library) {
    const char *slash = strrchr(library, '/');
    return strncmp(slash ? slash + 1 : library, "libnvrtc.so", 11) == 0;
}

/* Refuses tables of unnamed functions: *table becomes NULL, and the result is
 * cudaErrorNotSupported. Only NVIDIA's libraries ask for them: cuBLAS and the like, or a CUDA
 * runtime linked into the program that cuda/bind/ could not replace. Prints the caller once in the
 * process, but not NVRTC. */
SHIM_EXPORT int cuGetExportTable(const void **table, const void *id);
int cuGetExportTable(const void **table, const void *id) {
    (void)id;
    static bool told;
    Dl_info who;
    bool known = dladdr(__builtin_return_address(0), &who) && who.dli_fname;
    if (table) *table = NULL;
    if (!(known && can_do_without(who.dli_fname)) &&
        !__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
        shim_say("error: %s asks the driver for functions without names, as NVIDIA's own libraries "
                 "do. If that is a CUDA runtime linked into it, keep its symbols (no strip), or "
                 "link it dynamically (nvcc -cudart shared); libraries of machine code (cuBLAS, "
                 "cuFFT, cuDNN) cannot be simulated",
                 known ? who.dli_fname : "the program");
    return driver_fail(CALL_cuGetExportTable, HEDDLE_cudaErrorNotSupported);
}

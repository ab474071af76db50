/* nvrtc.c - for programs that compile at run time: NVRTC produces PTX where they ask for machine
 * code.
 *
 * Part of libheddle_bind.so, in the program's process, on the program's calling thread: the auditor
 * replaces three functions of NVRTC by these (audit.c). A program that compiles for the
 * architecture of its device (`--gpu-architecture=sm_70`) expects a cubin, which cannot be
 * simulated, and NVRTC of CUDA 13 refuses architectures older than 7.5. Therefore
 * heddle_nvrtcCompileProgram() compiles for the virtual architecture, at least for the oldest that
 * NVRTC knows, and the other two functions return PTX as the cubin: the driver accepts either.
 * NVRTC does everything else.
 *
 * Errors are NVRTC's. A failure of this file is a line on standard error, and NVRTC_OUT_OF_MEMORY
 * or NVRTC_INTERNAL. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/bind/bind.h"

#define EXPORT __attribute__((visibility("default")))

/* nvrtcResult */
enum { NVRTC_OUT_OF_MEMORY = 1, NVRTC_INTERNAL = 11 };

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- NVRTC's functions, in the library that the program has linked or loaded */

/* dl_iterate_phdr() callback, which find() runs on its own thread for each loaded object: stores
 * the path of a loaded NVRTC in *(const char **)path and stops. */
static int take_library(struct dl_phdr_info *info, size_t bytes, void *path) {
    (void)bytes;
    if (strncmp(base_name(info->dlpi_name), BIND_NVRTC, strlen(BIND_NVRTC)) != 0) return 0;
    *(const char **)path = info->dlpi_name;
    return 1;
}

/* Looks up NVRTC's own function in the NVRTC that the program has loaded, and stores its address
 * (NULL: none) in the function pointer at `pointer`. @return false: not found; reports it on
 * standard error. */
static bool find(void *pointer, const char *name) {
    const char *path = NULL;
    dl_iterate_phdr(take_library, &path);
    void *library = path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *f = library ? dlsym(library, name) : NULL;
    if (!f) fprintf(stderr, "heddle: error: NVRTC has no function %s\n", name);
    if (library) dlclose(library); /* the program's own handle keeps it */
    memcpy(pointer, &f, sizeof f);
    return f != NULL;
}

/* ---- options */

/* Asks NVRTC for the oldest compute capability that it compiles for. @return 75 for 7.5; 0:
 * unknown, also without memory. */
static int oldest(void) {
    int (*get_number)(int *), (*get)(int *);
    int number = 0, least = 0;
    if (!find(&get_number, "nvrtcGetNumSupportedArchs") || !find(&get, "nvrtcGetSupportedArchs") ||
        get_number(&number) != 0 || number <= 0)
        return 0;
    int *all = calloc((size_t)number, sizeof *all);
    if (all && get(all) == 0)
        for (int i = 0; i < number; i++)
            if (!least || all[i] < least) least = all[i];
    free(all);
    return least;
}

/* The architecture in an option: "sm_70" in "--gpu-architecture=sm_70". *separate: the option is
 * only the name, and the architecture is the next option. @return NULL: no architecture here. */
static const char *architecture(const char *option, bool *separate) {
    static const char *const names[] = {"--gpu-architecture", "-arch"};
    *separate = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(option, names[i], length) != 0) continue;
        if (option[length] == '=') return option + length + 1;
        *separate = option[length] == '\0';
    }
    return NULL;
}

/* The option that replaces an architecture: a virtual one, at least `least`. The caller frees it.
 * The first time that `least` replaces an older architecture, a line on standard error says so.
 * @return NULL: the option stays (a virtual architecture that NVRTC knows, or text that NVRTC must
 * judge), or no memory (*error). */
static char *instead(const char *arch, int least, int *error) {
    bool machine = strncmp(arch, "sm_", 3) == 0;
    if (!machine && strncmp(arch, "compute_", 8) != 0) return NULL;
    const char *number = arch + (machine ? 3 : 8);
    char *option = NULL;
    int wanted = isdigit((unsigned char)*number) ? atoi(number) : 0;
    if (wanted <= 0 || (!machine && wanted >= least)) return NULL;
    int length = wanted < least ? asprintf(&option, "--gpu-architecture=compute_%d", least)
                                : asprintf(&option, "--gpu-architecture=compute_%s", number);
    if (length < 0) {
        *error = NVRTC_OUT_OF_MEMORY;
        return NULL;
    }
    static bool told;
    if (wanted < least && !__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
        fprintf(stderr,
                "heddle: NVRTC does not compile for %s: its PTX for compute_%d is run instead\n",
                arch, least);
    return option;
}

/* nvrtcCompileProgram() for the program: passes the `number` options on with architectures replaced
 * (instead), and compiles. An architecture in an option of its own is joined with the option before
 * it. Allocates lists of options, and frees them. @return NVRTC's result; NVRTC_OUT_OF_MEMORY;
 * NVRTC_INTERNAL if NVRTC cannot be found. */
EXPORT int heddle_nvrtcCompileProgram(void *program, int number, const char *const *options);
int heddle_nvrtcCompileProgram(void *program, int number, const char *const *options) {
    int (*compile)(void *, int, const char *const *);
    if (!find(&compile, "nvrtcCompileProgram")) return NVRTC_INTERNAL;
    if (number <= 0 || !options) return compile(program, number, options);
    int least = oldest(), error = 0, kept = 0;
    const char **pass = calloc((size_t)number, sizeof *pass);
    char **made = calloc((size_t)number, sizeof *made);
    if (!pass || !made) error = NVRTC_OUT_OF_MEMORY;
    for (int i = 0; i < number && !error; i++) {
        bool separate;
        const char *arch = options[i] ? architecture(options[i], &separate) : NULL;
        if (options[i] && separate && i + 1 < number) arch = options[i + 1];
        made[kept] = arch ? instead(arch, least, &error) : NULL;
        pass[kept] = made[kept] ? made[kept] : options[i];
        if (made[kept] && separate) i++;
        kept++;
    }
    if (!error) error = compile(program, kept, pass);
    for (int i = 0; made && i < number; i++) free(made[i]);
    free(made);
    free(pass);
    return error;
}

/* ---- results: PTX where compiling for a virtual architecture has produced no machine code */

/* nvrtcGetCUBINSize() for the program. *bytes: the size of the cubin, or of the PTX if there is no
 * cubin. @return NVRTC's result, or NVRTC_INTERNAL. */
EXPORT int heddle_nvrtcGetCUBINSize(void *program, size_t *bytes);
int heddle_nvrtcGetCUBINSize(void *program, size_t *bytes) {
    int (*cubin)(void *, size_t *), (*ptx)(void *, size_t *);
    if (!find(&cubin, "nvrtcGetCUBINSize") || !find(&ptx, "nvrtcGetPTXSize")) return NVRTC_INTERNAL;
    int error = cubin(program, bytes);
    return error || *bytes ? error : ptx(program, bytes);
}

/* nvrtcGetCUBIN() for the program. Writes the cubin, or the PTX if there is no cubin, to `code`,
 * which has the room that heddle_nvrtcGetCUBINSize() says. @return NVRTC's result, or
 * NVRTC_INTERNAL. */
EXPORT int heddle_nvrtcGetCUBIN(void *program, char *code);
int heddle_nvrtcGetCUBIN(void *program, char *code) {
    int (*size)(void *, size_t *), (*get)(void *, char *), (*ptx)(void *, char *);
    size_t bytes;
    if (!find(&size, "nvrtcGetCUBINSize") || !find(&get, "nvrtcGetCUBIN") ||
        !find(&ptx, "nvrtcGetPTX"))
        return NVRTC_INTERNAL;
    int error = size(program, &bytes);
    if (error) return error;
    return bytes ? get(program, code) : ptx(program, code);
}

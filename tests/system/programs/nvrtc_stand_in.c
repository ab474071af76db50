/* nvrtc_stand_in.c - a substitute for libnvrtc.so on machines without it. It refuses and omits what
 * NVRTC 13 does, and "compiles" one program, a file of PTX. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INVALID_INPUT = 3, INVALID_OPTION = 5, OLDEST = 75, NEWEST = 120 };

struct program {
    const char *path; /* the "source": a file's name */
    int compiled, machine;
    size_t bytes;
    char text[1 << 14];
};

int nvrtcGetNumSupportedArchs(int *number);
int nvrtcGetNumSupportedArchs(int *number) {
    *number = 2;
    return 0;
}

int nvrtcGetSupportedArchs(int *all);
int nvrtcGetSupportedArchs(int *all) {
    all[0] = NEWEST;
    all[1] = OLDEST;
    return 0;
}

int nvrtcCreateProgram(struct program **out, const char *source, const char *name, int number,
                       const char *const *headers, const char *const *names);
int nvrtcCreateProgram(struct program **out, const char *source, const char *name, int number,
                       const char *const *headers, const char *const *names) {
    (void)name, (void)number, (void)headers, (void)names;
    struct program *p = calloc(1, sizeof *p);
    FILE *f = p ? fopen(source, "r") : NULL;
    if (!f) return INVALID_INPUT;
    p->bytes = fread(p->text, 1, sizeof p->text - 1, f) + 1;
    fclose(f);
    *out = p;
    return 0;
}

/* Accepts an architecture, compute_N or sm_N, that is not older than OLDEST. @return 0 or
 * INVALID_OPTION */
static int take(struct program *p, const char *architecture) {
    int machine = strncmp(architecture, "sm_", 3) == 0;
    if (!machine && strncmp(architecture, "compute_", 8) != 0) return INVALID_OPTION;
    if (atoi(architecture + (machine ? 3 : 8)) < OLDEST) return INVALID_OPTION;
    p->machine = machine;
    return 0;
}

int nvrtcCompileProgram(struct program *p, int number, const char *const *options);
int nvrtcCompileProgram(struct program *p, int number, const char *const *options) {
    for (int i = 0; i < number; i++) {
        int error = 0;
        if (strncmp(options[i], "--gpu-architecture=", 19) == 0)
            error = take(p, options[i] + 19);
        else if (strncmp(options[i], "-arch=", 6) == 0)
            error = take(p, options[i] + 6);
        else if (strcmp(options[i], "-arch") == 0 || strcmp(options[i], "--gpu-architecture") == 0)
            error = i + 1 < number ? take(p, options[++i]) : INVALID_OPTION;
        else if (strcmp(options[i], "-G") != 0)
            error = INVALID_OPTION;
        if (error) return error;
    }
    p->compiled = 1;
    return 0;
}

int nvrtcGetPTXSize(const struct program *p, size_t *bytes);
int nvrtcGetPTXSize(const struct program *p, size_t *bytes) {
    if (!p->compiled) return INVALID_INPUT;
    *bytes = p->bytes;
    return 0;
}

int nvrtcGetPTX(const struct program *p, char *text);
int nvrtcGetPTX(const struct program *p, char *text) {
    if (!p->compiled) return INVALID_INPUT;
    memcpy(text, p->text, p->bytes);
    return 0;
}

/* For a real architecture it returns an empty ELF file. */
int nvrtcGetCUBINSize(const struct program *p, size_t *bytes);
int nvrtcGetCUBINSize(const struct program *p, size_t *bytes) {
    if (!p->compiled) return INVALID_INPUT;
    *bytes = p->machine ? 64 : 0;
    return 0;
}

int nvrtcGetCUBIN(const struct program *p, char *code);
int nvrtcGetCUBIN(const struct program *p, char *code) {
    if (!p->compiled || !p->machine) return INVALID_INPUT;
    memset(code, 0, 64);
    memcpy(code, "\177ELF\2\1\1", 7);
    return 0;
}

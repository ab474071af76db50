/* saxpy.h - launches of saxpy.ptx through the library, for its tests. An error ends the program. */
#ifndef TEST_LIBRARY_SAXPY_H
#define TEST_LIBRARY_SAXPY_H

#include <heddle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes a call that must succeed; `diag` is in its scope. */
#define NEED(call)                                                         \
    do {                                                                   \
        if (call) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, diag.text); \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

/* Memory for n numbers of the host. */
static inline float *numbers(uint32_t n) {
    float *host = malloc(n * sizeof *host);
    if (host) return host;
    fprintf(stderr, "no memory\n");
    exit(1);
}

/* y = 2 x + y on n elements: x[i] = i, y[i] = 1 at first. */
struct saxpy {
    heddle_gpu *gpu;
    heddle_kernel *kernel;
    uint32_t n;
    uint64_t x, y;
};

static inline void saxpy_begin(struct saxpy *s, heddle_gpu *gpu, const char *path, uint32_t n) {
    char text[1 << 14] = "";
    struct heddle_diag diag;
    heddle_module *module;
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "no memory, or no file %s\n", path);
        exit(1);
    } else {
        text[fread(text, 1, sizeof text - 1, file)] = 0;
        fclose(file);
    }
    float *host = numbers(n);
    *s = (struct saxpy){.gpu = gpu, .n = n};
    NEED(heddle_module_load(gpu, text, strlen(text), path, &module, &diag));
    NEED(heddle_module_kernel(gpu, module, "saxpy", &s->kernel, &diag));
    NEED(heddle_gpu_alloc(gpu, n * sizeof *host, &s->x, &diag));
    NEED(heddle_gpu_alloc(gpu, n * sizeof *host, &s->y, &diag));
    for (uint32_t i = 0; i < n; i++) host[i] = (float)i;
    NEED(heddle_gpu_write(gpu, s->x, host, n * sizeof *host, &diag));
    for (uint32_t i = 0; i < n; i++) host[i] = 1;
    NEED(heddle_gpu_write(gpu, s->y, host, n * sizeof *host, &diag));
    free(host);
}

static inline void saxpy_launch(const struct saxpy *s) {
    enum { THREADS = 256 };
    static const float a = 2;
    struct heddle_diag diag;
    const struct heddle_argument arguments[] = {{&s->n, 4}, {&a, 4}, {&s->x, 8}, {&s->y, 8}};
    const struct heddle_launch launch = {.grid = {(s->n + THREADS - 1) / THREADS},
                                         .block = {THREADS},
                                         .arguments = arguments,
                                         .num_arguments = 4};
    NEED(heddle_gpu_launch(s->gpu, s->kernel, &launch, NULL, &diag));
}

/* Checks y after so many launches. */
static inline void saxpy_end(const struct saxpy *s, int launches) {
    struct heddle_diag diag;
    float *host = numbers(s->n);
    NEED(heddle_gpu_read(s->gpu, host, s->y, s->n * sizeof *host, &diag));
    for (uint32_t i = 0; i < s->n; i++)
        if (host[i] != 2.f * (float)launches * (float)i + 1) {
            fprintf(stderr, "y[%u] is %g\n", i, host[i]);
            exit(1);
        }
    free(host);
}

#endif

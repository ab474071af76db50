/* nvrtc.c - compiles with NVRTC for the architecture of the device, takes the machine code, and
 * runs it. Arguments: the "source" (scale.ptx, see nvrtc_stand_in.c), and the library's path, which
 * is loaded (AT_RUN_TIME) or linked. A failed check ends the program with status 1. */
#include <dlfcn.h>

#include "driver_calls.h"

enum { INVALID_OPTION = 5 };

#ifdef AT_RUN_TIME
static int (*nvrtcCreateProgram)(void **, const char *, const char *, int, const char *const *,
                                 const char *const *);
static int (*nvrtcCompileProgram)(void *, int, const char *const *);
static int (*nvrtcGetCUBINSize)(void *, size_t *);
static int (*nvrtcGetCUBIN)(void *, char *);
static void load(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CHECK(library);
    *(void **)&nvrtcCreateProgram = dlsym(library, "nvrtcCreateProgram"); /* as POSIX says */
    *(void **)&nvrtcCompileProgram = dlsym(library, "nvrtcCompileProgram");
    *(void **)&nvrtcGetCUBINSize = dlsym(library, "nvrtcGetCUBINSize");
    *(void **)&nvrtcGetCUBIN = dlsym(library, "nvrtcGetCUBIN");
}
#else
int nvrtcCreateProgram(void **out, const char *source, const char *name, int number,
                       const char *const *headers, const char *const *names);
int nvrtcCompileProgram(void *program, int number, const char *const *options);
int nvrtcGetCUBINSize(void *program, size_t *bytes);
int nvrtcGetCUBIN(void *program, char *code);
static void load(const char *path) {
    (void)path;
}
#endif

static const char *source;
static int *device;

/* Compiles with these options and checks that the kernel doubles its data. */
static void works(int number, const char *const *options) {
    void *program, *module, *f;
    size_t bytes = 0;
    CHECK(nvrtcCreateProgram(&program, source, "scale.cu", 0, NULL, NULL) == 0);
    CHECK(nvrtcCompileProgram(program, number, options) == 0);
    CHECK(nvrtcGetCUBINSize(program, &bytes) == 0 && bytes > 0);
    char *code = malloc(bytes);
    CHECK(code && nvrtcGetCUBIN(program, code) == 0);
    CU(cuModuleLoadData(&module, code), OK);
    CU(cuModuleGetFunction(&f, module, "scale"), OK);
    free(code);
    int v[2] = {3, 4};
    unsigned n = 2;
    void *parameters[] = {&device, &n};
    CU(cuMemcpyHtoD_v2(device, v, sizeof v), OK);
    CU(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL), OK);
    CU(cuMemcpyDtoH_v2(v, device, sizeof v), OK);
    CHECK(v[0] == 6 && v[1] == 8);
    CU(cuModuleUnload(module), OK);
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    source = argv[1];
    load(argv[2]);
    void *context, *program;
    int major, minor, id;
    char joined[64], separate[32], virtual[64];
    CU(cuInit(0), OK);
    CU(cuDeviceGet(&id, 0), OK);
    CU(cuDevicePrimaryCtxRetain(&context, id), OK);
    CU(cuCtxSetCurrent(context), OK);
    CU(cuDeviceGetAttribute(&major, 75, id), OK);
    CU(cuDeviceGetAttribute(&minor, 76, id), OK);
    CU(cuMemAlloc_v2((void **)&device, 8), OK);
    snprintf(joined, sizeof joined, "--gpu-architecture=sm_%d%d", major, minor);
    snprintf(separate, sizeof separate, "sm_%d%d", major, minor);
    snprintf(virtual, sizeof virtual, "-arch=compute_%d%d", major, minor);
    works(1, (const char *[]){joined});
    works(3, (const char *[]){"-G", "-arch", separate});
    works(2, (const char *[]){virtual, "-G"});
    works(1, (const char *[]){"-arch=sm_90"});
    works(0, NULL);
    /* Heddle does not change NVRTC's own errors. */
    CHECK(nvrtcCreateProgram(&program, source, "scale.cu", 0, NULL, NULL) == 0);
    CHECK(nvrtcCompileProgram(program, 1, (const char *[]){"-arch=sm_"}) == INVALID_OPTION);
    CHECK(nvrtcCompileProgram(program, 1, (const char *[]){"--wrong"}) == INVALID_OPTION);
    printf("nvrtc: ok\n");
    return 0;
}

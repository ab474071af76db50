/* saxpy_driver.c - a CUDA program that launches saxpy.ptx through the driver API, for the
 * comparison of `heddle run` with the library. Arguments: saxpy.ptx, the number of elements, of
 * launches. */
#include "tests/system/programs/driver_calls.h"

enum { THREADS = 256 };

int main(int argc, char **argv) {
    static char text[1 << 14];
    if (argc < 4) return 2;
    FILE *file = fopen(argv[1], "r");
    if (!file) return 2;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    unsigned n = (unsigned)atoi(argv[2]);
    float a = 2, *x = malloc(4 * n), *y = malloc(4 * n);
    for (unsigned i = 0; i < n; i++) x[i] = (float)i, y[i] = 1;
    int device;
    void *context, *module, *saxpy, *dx, *dy;
    CU(cuInit(0), OK);
    CU(cuDeviceGet(&device, 0), OK);
    CU(cuCtxCreate_v2(&context, 0, device), OK);
    CU(cuModuleLoadData(&module, text), OK);
    CU(cuModuleGetFunction(&saxpy, module, "saxpy"), OK);
    CU(cuMemAlloc_v2(&dx, 4 * n), OK);
    CU(cuMemAlloc_v2(&dy, 4 * n), OK);
    CU(cuMemcpyHtoD_v2(dx, x, 4 * n), OK);
    CU(cuMemcpyHtoD_v2(dy, y, 4 * n), OK);
    void *arguments[] = {&n, &a, &dx, &dy};
    for (int i = 0; i < atoi(argv[3]); i++)
        CU(cuLaunchKernel(saxpy, (n + THREADS - 1) / THREADS, 1, 1, THREADS, 1, 1, 0, NULL,
                          arguments, NULL),
           OK);
    CU(cuCtxSynchronize(), OK);
    CU(cuMemcpyDtoH_v2(y, dy, 4 * n), OK);
    free(x);
    free(y);
    return 0;
}

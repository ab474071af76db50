/* driver_closed.c - loads the driver, makes a call and closes it, as many programs do, and then
 * uses the runtime. A failed check ends the program with status 1. */
#include <dlfcn.h>

#include "cuda_calls.h"

static int (*find(void *library, const char *name))(void *) {
    int (*function)(void *);
    *(void **)&function = dlsym(library, name);
    CHECK(function);
    return function;
}

int main(void) {
    int count = 0;
    void *p, *context;
    for (int i = 0; i < 2; i++) {
        void *library = dlopen("libcuda.so.1", RTLD_NOW);
        CHECK(library);
        if (i == 0) CHECK(find(library, "cuInit")(NULL) == 0);
        /* still initialised after dlclose() */
        CHECK(find(library, "cuDeviceGetCount")(&count) == 0);
        CHECK(count == 1);
        CHECK(find(library, "cuCtxGetCurrent")(&context) == 0);
        CHECK((context != NULL) == (i == 1)); /* the runtime's context */
        CHECK(dlclose(library) == 0);
        EXPECT(cudaMalloc(&p, 100), 0);
        EXPECT(cudaMemset(p, 0, 100), 0);
        EXPECT(cudaFree(p), 0);
        EXPECT(cudaDeviceSynchronize(), 0);
    }
    puts("driver_closed: ok");
    return 0;
}

/* driver_refused.c - makes every call of a list in a file; each must return
 * CUDA_ERROR_NOT_SUPPORTED, also before cuInit. A failed check ends the program with status 1. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "driver_calls.h"

int main(int argc, char **argv) {
    char name[128];
    unsigned count = 0;
    FILE *f = fopen(argc > 1 ? argv[1] : "", "r");
    CHECK(f);
    for (int initialized = 0; initialized < 2; initialized++) {
        if (initialized) CU(cuInit(0), OK);
        rewind(f);
        while (fscanf(f, "%127s", name) == 1) {
            int (*call)(void);
            *(void **)&call = dlsym(RTLD_DEFAULT, name);
            CHECK(call);
            int error = call();
            if (error != NOT_SUPPORTED) {
                printf("%s returned %d\n", name, error);
                return 1;
            }
            count++;
        }
    }
    fclose(f);
    printf("driver_refused: ok, %u calls\n", count);
    return count > 2 * 100 ? 0 : 1;
}

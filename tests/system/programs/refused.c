/* refused.c - makes every call of a list in a file; each must return cudaErrorNotSupported. A
 * failed check ends the program with status 1. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "cuda_calls.h"

int main(int argc, char **argv) {
    char name[128];
    unsigned count = 0;
    EXPECT(cudaGetLastError(), 0);
    FILE *f = fopen(argc > 1 ? argv[1] : "", "r");
    CHECK(f);
    /* Refusing a registration makes all later calls fail, so those come last. */
    for (int registration = 0; registration < 2; registration++) {
        rewind(f);
        while (fscanf(f, "%127s", name) == 1) {
            if ((strncmp(name, "__cudaRegister", 14) == 0) != registration) continue;
            int (*call)(void);
            *(void **)&call = dlsym(RTLD_DEFAULT, name);
            CHECK(call);
            int error = call();
            if (error != 801) {
                printf("%s returned %d\n", name, error);
                return 1;
            }
            count++;
        }
        EXPECT(cudaGetLastError(), 801);
    }
    EXPECT(cudaDeviceSynchronize(), 801);
    fclose(f);
    CHECK(count > 80);
    printf("refused: ok, %u calls\n", count);
    return 0;
}

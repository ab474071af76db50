/* api_managed.c - a managed variable, registered in the way of the compilers' start-up code.
 * Argument: the PTX file with kernel `add_two` and variable `shared_count`. A failed check ends the
 * program with status 1. */
#include "api_calls.h"

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                              int external, size_t bytes, int constant, int global);

static struct device_image image;
static char add_two;
static int *shared_count; /* the runtime stores the variable's address here */

int main(int argc, char **argv) {
    struct dim3 one = {1, 1, 1};
    int value = 0;
    (void)argc;
    void **module = open_module(&image, argv[1]);
    add_kernel(module, &add_two, "add_two");
    __cudaRegisterManagedVar(module, (void **)&shared_count, NULL, "shared_count", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(module);
    CHECK(__cudaInitModule(module));
    CHECK(shared_count && *shared_count == 40);
    EXPECT(cudaLaunchKernel(&add_two, one, one, NULL, 0, NULL), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    CHECK(*shared_count == 42);
    *shared_count = 10;
    EXPECT(cudaLaunchKernel(&add_two, one, one, NULL, 0, NULL), 0);
    EXPECT(cudaMemcpyFromSymbol(&value, shared_count, 4, 0, TO_HOST), 0);
    CHECK(value == 12);
    printf("api_managed: ok\n");
    return 0;
}

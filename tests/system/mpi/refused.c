/* refused.c NAMES - calls each function whose name is a line of the file, by either name, and
 * expects that it refuses. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "mpi_test.h"

int main(int argc, char **argv) {
    char name[100], other[102];
    int count = 0;
    begin(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    FILE *names = fopen(argv[1], "r");
    CHECK(names);
    for (; fscanf(names, "%99s", name) == 1; count++) {
        snprintf(other, sizeof other, "P%s", name);
        int (*f)(void), (*p)(void);
        *(void **)&f = dlsym(RTLD_DEFAULT, name);
        *(void **)&p = dlsym(RTLD_DEFAULT, other);
        if (!f || f != p) printf("%s is not exported as both\n", name);
        CHECK(f && f == p && f() == MPI_ERR_UNSUPPORTED_OPERATION);
    }
    fclose(names);
    CHECK(count > 50);
    return end();
}

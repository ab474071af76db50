/* ends.cu - a program of several nodes for tests: all launch without end, or ROUNDS times, and PE 1
 * does something else after some launches.
 *
 * ends WHAT [ROUNDS]: exit (with 3), leave (_exit with 7), kill, crash, zero (exit with 0), sleep
 * (a while outside of calls), nothing. */
#include <cuda_runtime.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__global__ void grow(int *p) {
    *p += 1;
}

int main(int argc, char **argv) {
    const char *pe = getenv("HEDDLE_PE"), *what = argc > 1 ? argv[1] : "nothing";
    const int rounds = argc > 2 ? atoi(argv[2]) : 0;
    int *p;
    if (!pe || cudaMalloc(&p, sizeof *p)) return 9;
    for (int i = 0; !rounds || i < rounds; i++) {
        grow<<<1, 32>>>(p);
        if (cudaDeviceSynchronize()) return 9;
        if (i != 10 || strcmp(pe, "1")) continue;
        if (!strcmp(what, "exit")) exit(3);
        if (!strcmp(what, "zero")) exit(0);
        if (!strcmp(what, "leave")) _exit(7);
        if (!strcmp(what, "kill")) kill(getpid(), SIGKILL);
        if (!strcmp(what, "crash")) raise(SIGSEGV);
        if (!strcmp(what, "sleep")) usleep(300000);
    }
    return 0;
}

/* null_ring.c - starts a run without any ring on the platform of the command line: the core writes
 * its report to address 0, where there is no memory, which must end the process with a message. */
#include <stdio.h>

#include "timing/xrt.h"

int main(int argc, char **argv) {
    struct xrt x;
    struct heddle_diag diag;
    if (argc != 2 || xrt_load(&x, argv[1], &diag)) {
        fprintf(stderr, "null_ring: %s\n", argc == 2 ? diag.text : "usage: null_ring LIBRARY");
        return 1;
    }
    xrtKernelHandle kernel = x.xrtPLKernelOpenExclusive(x.xrtDeviceOpen(0), NULL, "heddle_kernel");
    xrtRunHandle run = x.xrtRunOpen(kernel);
    x.xrtRunStart(run);
    x.xrtRunWaitFor(run, 0);
    return 2;
}

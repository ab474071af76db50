/* plain.c - a program without CUDA. */
#include <stdio.h>

int main(void) {
    printf("no CUDA here\n");
    return 0;
}

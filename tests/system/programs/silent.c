/* silent.c - linked with libcudart, but makes no call. */
#include "cuda_calls.h"

int (*volatile keep)(void **, size_t) = cudaMalloc;

int main(void) {
    return keep == NULL;
}

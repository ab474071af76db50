/* cuda_calls.h - declares the runtime's calls with the ABI's types, so that gcc alone can build the
 * test programs. */
#ifndef TEST_CUDA_CALLS_H
#define TEST_CUDA_CALLS_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cudaMalloc(void **pointer, size_t bytes);
int cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
int cudaFree(void *pointer);
int cudaHostAlloc(void **pointer, size_t bytes, unsigned flags);
int cudaFreeHost(void *pointer);
int cudaMemcpy(void *dst, const void *src, size_t bytes, int kind);
int cudaMemcpyAsync(void *dst, const void *src, size_t bytes, int kind, void *stream);
int cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                 size_t height, int kind);
int cudaMemset(void *pointer, int value, size_t bytes);
int cudaMemsetAsync(void *pointer, int value, size_t bytes, void *stream);
int cudaMemGetInfo(size_t *available, size_t *total);
int cudaGetLastError(void);
int cudaPeekAtLastError(void);
const char *cudaGetErrorName(int error);
const char *cudaGetErrorString(int error);
int cudaGetDeviceCount(int *count);
int cudaSetDevice(int device);
int cudaDeviceSynchronize(void);
int cudaDeviceGetAttribute(int *value, int attribute, int device);
int cudaRuntimeGetVersion(int *version);
int cudaGetDeviceProperties(void *properties, int device);
int cudaStreamCreate(void **stream);
int cudaStreamDestroy(void *stream);
int cudaStreamSynchronize(void *stream);
int cudaStreamQuery(void *stream);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
int cudaEventCreate(void **event);
int cudaEventRecord(void *event, void *stream);
int cudaEventSynchronize(void *event);
int cudaEventQuery(void *event);
int cudaEventDestroy(void *event);
int cudaEventElapsedTime(float *ms, void *start, void *end);
int cudaPointerGetAttributes(void *attributes, const void *pointer);
int cudaMallocManaged(void **pointer, size_t bytes, unsigned flags);
int cudaArrayGetPlane(void **plane, void *array, unsigned number);

enum { TO_HOST = 2, TO_DEVICE = 1, IN_DEVICE = 3, BY_ADDRESS = 4 };

/* Ends the program with status 1 when a call does not return what it should. */
#define EXPECT(call, want)                                                                  \
    do {                                                                                    \
        int got_ = (call);                                                                  \
        if (got_ != (want)) {                                                               \
            printf("%s:%d: %s returned %d (%s), not %d\n", __FILE__, __LINE__, #call, got_, \
                   cudaGetErrorName(got_), (want));                                         \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)
#define CHECK(condition)                                                         \
    do {                                                                         \
        if (!(condition)) {                                                      \
            printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                             \
        }                                                                        \
    } while (0)

#endif

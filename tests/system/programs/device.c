/* device.c - checks the device's properties in the layout of the program's CUDA version (CUDART). A
 * failed check ends the program with status 1. */
#include <stdint.h>

#include "cuda_calls.h"

int cudaGetDeviceProperties_v2(void *properties, int device);
int cudaDeviceGetPCIBusId(char *text, int length, int device);

/* Offsets from the toolkits' headers. */
#if CUDART == 13
enum { MAJOR = 360, SMS = 384, SIZE = 1008 };
#elif CUDART == 12
enum { MAJOR = 360, SMS = 388, SIZE = 1032 };
#else
enum { MAJOR = 360, SMS = 388, SIZE = 728 };
#endif

int main(void) {
    unsigned char p[1100];
    int32_t number;
    int count = 0, value = 0;
    char bus[32];
    memset(p, 0xaa, sizeof p);
    EXPECT(cudaGetDeviceCount(&count), 0);
    CHECK(count == 1);
#if CUDART == 12
    EXPECT(cudaGetDeviceProperties_v2(p, 0), 0);
#else
    EXPECT(cudaGetDeviceProperties(p, 0), 0);
#endif
    CHECK(strstr((char *)p, "V100"));
    memcpy(&number, p + MAJOR, 4);
    CHECK(number == 7);
    memcpy(&number, p + SMS, 4);
    CHECK(number == 80);
    for (size_t i = SIZE; i < sizeof p; i++) CHECK(p[i] == 0xaa);
    EXPECT(cudaDeviceGetAttribute(&value, 16, 0), 0);
    CHECK(value == 80);
    EXPECT(cudaDeviceGetAttribute(&value, 9999, 0), 1);
    EXPECT(cudaDeviceGetAttribute(&value, 16, 1), 101);
    EXPECT(cudaSetDevice(0), 0);
    EXPECT(cudaSetDevice(1), 101);
    EXPECT(cudaDeviceGetPCIBusId(bus, sizeof bus, 0), 0);
    CHECK(strcmp(bus, "0000:01:00.0") == 0);
    EXPECT(cudaDeviceGetPCIBusId(bus, 5, 0), 0);
    CHECK(strcmp(bus, "0000") == 0);
    EXPECT(cudaRuntimeGetVersion(&value), 0);
    CHECK(value / 1000 == CUDART);
    CHECK(strcmp(cudaGetErrorName(700), "cudaErrorIllegalAddress") == 0);
    CHECK(strcmp(cudaGetErrorString(0), "no error") == 0);
    printf("device: ok, runtime %d\n", value / 1000);
    return 0;
}

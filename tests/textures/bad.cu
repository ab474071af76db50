// bad.cu - wrong uses of textures and surfaces; Heddle must report each: bad HOW.
#include "reference.h"

#include <cstring>

__global__ void read_plane(cudaTextureObject_t t, float *out) {
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 0.5f);
}
__global__ void read_line(cudaTextureObject_t t, float *out) {
    out[threadIdx.x] = tex1Dfetch<float>(t, (int)(blockIdx.x * 64 + threadIdx.x));
}
__global__ void write_plane(cudaSurfaceObject_t s, int x0, int x1) {
    surf2Dwrite(1.f, s, blockIdx.x == 1 && threadIdx.x == 5 ? x1 : x0, 3);
}

static int end_of(const char *how) {
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s: %s\n", how, cudaGetErrorName(e));
    return e == cudaSuccess;
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    cudaArray_t a, volume;
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t t, t3;
    cudaSurfaceObject_t s;
    float *out;
    MUST(cudaMalloc((void **)&out, 256));
    MUST(cudaMallocArray(&a, &c, 16, 8, cudaArraySurfaceLoadStore));
    MUST(cudaMalloc3DArray(&volume, &c, make_cudaExtent(4, 4, 4)));
    r.resType = cudaResourceTypeArray;
    r.res.array.array = volume;
    MUST(cudaCreateTextureObject(&t3, &r, &d, NULL));
    r.res.array.array = a;
    MUST(cudaCreateTextureObject(&t, &r, &d, NULL));
    MUST(cudaCreateSurfaceObject(&s, &r));
    if (!strcmp(how, "outside")) write_plane<<<2, 32>>>(s, 0, 64);
    if (!strcmp(how, "askew")) write_plane<<<2, 32>>>(s, 0, 6);
    if (!strcmp(how, "nothing")) read_plane<<<1, 32>>>(0, out);
    if (!strcmp(how, "no_object")) read_plane<<<1, 32>>>(0x123456789, out);
    if (!strcmp(how, "surface")) read_plane<<<1, 32>>>(s, out);
    if (!strcmp(how, "volume")) read_plane<<<1, 32>>>(t3, out);
    if (!strcmp(how, "destroyed")) {
        MUST(cudaDestroyTextureObject(t));
        read_plane<<<1, 32>>>(t, out);
    }
    if (!strcmp(how, "freed")) {
        MUST(cudaFreeArray(a));
        read_plane<<<1, 32>>>(t, out);
    }
    if (!strcmp(how, "beyond")) { // 512 bytes, of which 256 are memory: only the second CTA errs
        r.resType = cudaResourceTypeLinear;
        r.res.linear.devPtr = out;
        r.res.linear.desc = c;
        r.res.linear.sizeInBytes = 512;
        MUST(cudaCreateTextureObject(&t, &r, &d, NULL));
        read_line<<<1, 64>>>(t, out);
        MUST(cudaDeviceSynchronize());
        read_line<<<2, 64>>>(t, out);
    }
    return end_of(how);
}

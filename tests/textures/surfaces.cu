// surfaces.cu - surface objects: every width of access in every geometry, accesses outside, texture
// reads of texels that a kernel has written, copies between arrays.
#include "reference.h"

enum { W = 24, H = 10, D = 5 };

static int failures;
static void expect(const char *what, long i, double got, double want) {
    if (got == want) return;
    if (failures++ < 20) printf("%s: element %ld is %.9g, want %.9g\n", what, i, got, want);
}

template <class T> static __host__ __device__ T value_of(int x, int y, int z);
template <> __host__ __device__ unsigned char value_of(int x, int y, int z) {
    return (unsigned char)(x + 31 * y + 101 * z);
}
template <> __host__ __device__ short value_of(int x, int y, int z) {
    return (short)(x * 3 - 77 * y + 1001 * z);
}
template <> __host__ __device__ float value_of(int x, int y, int z) {
    return x + 0.25f * y - 100.f * z;
}
template <> __host__ __device__ int2 value_of(int x, int y, int z) {
    return make_int2(x * y + z, -x - y * z);
}
template <> __host__ __device__ float4 value_of(int x, int y, int z) {
    return make_float4(x, y, z, x + y + z);
}
static __host__ __device__ bool same(unsigned char a, unsigned char b) { return a == b; }
static __host__ __device__ bool same(short a, short b) { return a == b; }
static __host__ __device__ bool same(float a, float b) { return a == b; }
static __host__ __device__ bool same(int2 a, int2 b) { return a.x == b.x && a.y == b.y; }
static __host__ __device__ bool same(float4 a, float4 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

enum kind { S1D, S2D, S3D, SA1D, SA2D };

// Writes each texel; read() below reads it again and counts wrong ones.
template <class T> __global__ void write(int kind, cudaSurfaceObject_t s) {
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x, b = x * (int)sizeof(T);
    switch (kind) {
    case S1D: surf1Dwrite(value_of<T>(x, 0, 0), s, b); break;
    case S2D: surf2Dwrite(value_of<T>(x, y, 0), s, b, y); break;
    case S3D: surf3Dwrite(value_of<T>(x, y, z), s, b, y, z); break;
    case SA1D: surf1DLayeredwrite(value_of<T>(x, 0, z), s, b, z); break;
    case SA2D: surf2DLayeredwrite(value_of<T>(x, y, z), s, b, y, z); break;
    }
}
template <class T> __global__ void read(int kind, cudaSurfaceObject_t s, int *wrong) {
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x, b = x * (int)sizeof(T);
    T v, w;
    switch (kind) {
    case S1D: v = surf1Dread<T>(s, b); w = value_of<T>(x, 0, 0); break;
    case S2D: v = surf2Dread<T>(s, b, y); w = value_of<T>(x, y, 0); break;
    case S3D: v = surf3Dread<T>(s, b, y, z); w = value_of<T>(x, y, z); break;
    case SA1D: v = surf1DLayeredread<T>(s, b, z); w = value_of<T>(x, 0, z); break;
    default: v = surf2DLayeredread<T>(s, b, y, z); w = value_of<T>(x, y, z); break;
    }
    if (!same(v, w)) atomicAdd(wrong, 1);
    if (kind == S1D && x + 1 < W && // a sum is no address
        !same(surf1Dread<T>(s, b + (int)sizeof(T)), value_of<T>(x + 1, 0, 0)))
        atomicAdd(wrong, 1);
}

static cudaSurfaceObject_t surface_of(cudaArray_t a) {
    cudaResourceDesc r = {};
    cudaSurfaceObject_t s;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    MUST(cudaCreateSurfaceObject(&s, &r));
    return s;
}

template <class T> static void widths(const char *name, int *wrong) {
    struct shape {
        int kind, w, h, d;
        unsigned flags;
    };
    const shape shapes[] = {{S1D, W, 0, 0, 0},
                            {S2D, W, H, 0, 0},
                            {S3D, W, H, D, 0},
                            {SA1D, W, 0, D, cudaArrayLayered},
                            {SA2D, W, H, D, cudaArrayLayered}};
    for (const shape &k : shapes) {
        cudaChannelFormatDesc c = cudaCreateChannelDesc<T>();
        cudaArray_t a;
        MUST(cudaMalloc3DArray(&a, &c, make_cudaExtent(k.w, k.h, k.d),
                               k.flags | cudaArraySurfaceLoadStore));
        cudaSurfaceObject_t s = surface_of(a);
        dim3 block(k.w, k.h ? k.h : 1);
        int blocks = k.d ? k.d : 1, count;
        MUST(cudaMemset(wrong, 0, 4));
        write<T><<<blocks, block>>>(k.kind, s);
        read<T><<<blocks, block>>>(k.kind, s, wrong);
        MUST(cudaGetLastError());
        MUST(cudaMemcpy(&count, wrong, 4, cudaMemcpyDeviceToHost));
        expect(name, k.kind, count, 0);
        // the host sees the same
        std::vector<T> v(W * H * D);
        cudaMemcpy3DParms p = {};
        p.srcArray = a;
        p.dstPtr = make_cudaPitchedPtr(v.data(), k.w * sizeof(T), k.w, block.y);
        p.extent = make_cudaExtent(k.w, block.y, blocks);
        p.kind = cudaMemcpyDeviceToHost;
        MUST(cudaMemcpy3D(&p));
        for (int z = 0; z < blocks; z++)
            for (int y = 0; y < (int)block.y; y++)
                for (int x = 0; x < k.w; x++)
                    if (!same(v[(z * block.y + y) * k.w + x], value_of<T>(x, y, z)))
                        expect(name, 10000 * z + 100 * y + x, 1, 0);
        MUST(cudaDestroySurfaceObject(s));
        MUST(cudaFreeArray(a));
    }
}

// Thread (x, y) reads at (x - 4, y - 4) of a surface of 8 x 8 ints, and writes there.
__global__ void outside(cudaSurfaceObject_t s, int *out, int mode) {
    int x = (int)threadIdx.x - 4, y = (int)threadIdx.y - 4, i = threadIdx.y * 16 + threadIdx.x;
    if (mode == 0) out[i] = surf2Dread<int>(s, x * 4, y, cudaBoundaryModeZero);
    if (mode == 1) out[i] = surf2Dread<int>(s, x * 4, y, cudaBoundaryModeClamp);
    if (mode == 2) surf2Dwrite(7000 + i, s, x * 4, y, cudaBoundaryModeZero);
}

static void edges() {
    cudaChannelFormatDesc c = cudaCreateChannelDesc<int>();
    cudaArray_t a;
    int in[64], out[256], *device;
    for (int i = 0; i < 64; i++) in[i] = 100 + i;
    MUST(cudaMallocArray(&a, &c, 8, 8, cudaArraySurfaceLoadStore));
    MUST(cudaMalloc((void **)&device, sizeof out));
    MUST(cudaMemcpy2DToArray(a, 0, 0, in, 32, 32, 8, cudaMemcpyHostToDevice));
    cudaSurfaceObject_t s = surface_of(a);
    for (int mode = 0; mode < 2; mode++) {
        outside<<<1, dim3(16, 16)>>>(s, device, mode);
        MUST(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
        for (int i = 0; i < 256; i++) {
            int x = i % 16 - 4, y = i / 16 - 4;
            bool in_it = x >= 0 && x < 8 && y >= 0 && y < 8;
            int cx = x < 0 ? 0 : x > 7 ? 7 : x, cy = y < 0 ? 0 : y > 7 ? 7 : y;
            expect(mode ? "clamp" : "zero", i, out[i], in_it || mode ? 100 + cy * 8 + cx : 0);
        }
    }
    outside<<<1, dim3(16, 16)>>>(s, device, 2);
    MUST(cudaMemcpy2DFromArray(in, 32, a, 0, 0, 32, 8, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        expect("stores outside vanish", i, in[i], 7000 + (i / 8 + 4) * 16 + i % 8 + 4);
    MUST(cudaDestroySurfaceObject(s));
    MUST(cudaFreeArray(a));
    MUST(cudaFree(device));
}

__global__ void through_texture(cudaTextureObject_t t, float *out) {
    int x = threadIdx.x, y = threadIdx.y;
    out[y * W + x] = tex2D<float>(t, x + 0.5f, y + 0.5f);
}

// A kernel writes, the next one reads by a texture; and the same after copies between arrays.
static void then_texture() {
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    cudaArray_t a, b;
    float out[W * H], *device;
    MUST(cudaMallocArray(&a, &c, W, H, cudaArraySurfaceLoadStore));
    MUST(cudaMallocArray(&b, &c, W, H));
    MUST(cudaMalloc((void **)&device, sizeof out));
    cudaSurfaceObject_t s = surface_of(a);
    write<float><<<1, dim3(W, H)>>>(S2D, s);
    MUST(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, W * 4, H, cudaMemcpyDeviceToDevice));
    // the lower right corner to the upper left one
    cudaMemcpy3DParms p = {};
    p.srcArray = a;
    p.srcPos = make_cudaPos(W - 3, H - 2, 0);
    p.dstArray = b;
    p.extent = make_cudaExtent(3, 2, 1);
    p.kind = cudaMemcpyDeviceToDevice;
    MUST(cudaMemcpy3D(&p));
    for (int copied = 0; copied < 2; copied++) {
        cudaResourceDesc r = {}, told;
        cudaTextureDesc d = {};
        cudaTextureObject_t t;
        r.resType = cudaResourceTypeArray;
        r.res.array.array = copied ? b : a;
        d.addressMode[0] = d.addressMode[1] = cudaAddressModeBorder;
        MUST(cudaCreateTextureObject(&t, &r, &d, NULL));
        MUST(cudaGetTextureObjectResourceDesc(&told, t));
        bool right = told.res.array.array == r.res.array.array;
        expect("cudaGetTextureObjectResourceDesc", copied, right, 1);
        through_texture<<<1, dim3(W, H)>>>(t, device);
        MUST(cudaDestroyTextureObject(t)); // the kernel in flight may still use it
        MUST(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
        for (int i = 0; i < W * H; i++) {
            int x = i % W, y = i / W;
            bool corner = copied && x < 3 && y < 2;
            expect("through a texture", i, out[i],
                   corner ? value_of<float>(W - 3 + x, H - 2 + y, 0) : value_of<float>(x, y, 0));
        }
    }
    MUST(cudaDestroySurfaceObject(s));
    MUST(cudaFreeArray(a));
    MUST(cudaFreeArray(b));
    MUST(cudaFree(device));
}

// Objects that cannot be created are refused with CUDA's errors.
static void refused() {
    cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>(), odd = {32, 8, 0, 0,
                                                                      cudaChannelFormatKindSigned};
    cudaArray_t a;
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    expect("odd channels", 0, cudaMallocArray(&a, &odd, 4, 4), cudaErrorInvalidChannelDescriptor);
    expect("cube of no faces", 0,
           cudaMalloc3DArray(&a, &ints, make_cudaExtent(8, 8, 5), cudaArrayCubemap),
           cudaErrorInvalidValue);
    MUST(cudaMallocArray(&a, &ints, 4, 4));
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    d.filterMode = cudaFilterModeLinear;
    expect("filter of integers", 0, cudaCreateTextureObject(&t, &r, &d, NULL),
           cudaErrorInvalidFilterSetting);
    d.filterMode = cudaFilterModePoint;
    d.readMode = cudaReadModeNormalizedFloat;
    expect("32-bit integers as fractions", 0, cudaCreateTextureObject(&t, &r, &d, NULL),
           cudaErrorInvalidNormSetting);
    expect("surface of an array made without", 0, cudaCreateSurfaceObject(&t, &r),
           cudaErrorInvalidValue);
    int row[4] = {0, 0, 0, 0};
    expect("copy beyond the array", 0,
           cudaMemcpy2DToArray(a, 4, 0, row, 16, 16, 1, cudaMemcpyHostToDevice),
           cudaErrorInvalidValue);
    MUST(cudaFreeArray(a));
    (void)cudaGetLastError();
}

int main() {
    int *wrong;
    MUST(cudaMalloc((void **)&wrong, 4));
    widths<unsigned char>("uchar", wrong);
    widths<short>("short", wrong);
    widths<float>("float", wrong);
    widths<int2>("int2", wrong);
    widths<float4>("float4", wrong);
    edges();
    then_texture();
    refused();
    MUST(cudaDeviceSynchronize());
    printf("surfaces: %s %d wrong values\n", failures ? "FAIL" : "PASS", failures);
    return failures != 0;
}

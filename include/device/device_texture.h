// Reading textures, reading and writing surfaces, by PTX instructions: tex1Dfetch ... surf3Dwrite.
//
// T is the type of a texel (or float and its vectors where the texture gives fractions); x of a
// surface counts bytes. As in CUDA, a kernel that reads texels that it writes gets undefined
// values.
#ifndef HEDDLE_DEVICE_DEVICE_TEXTURE_H
#define HEDDLE_DEVICE_DEVICE_TEXTURE_H

#include "channel_descriptor.h"

// ---- textures

union heddle_texel {
    float f[4];
    unsigned u[4];
};

template <class T, unsigned count> struct heddle_texel_vector;
template <class T> struct heddle_texel_vector<T, 1> {
    template <class E> static __device__ __forceinline__ T make(E x, E, E, E) {
        T t;
        *(E *)&t = x;
        return t;
    }
};
template <class T> struct heddle_texel_vector<T, 2> {
    template <class E> static __device__ __forceinline__ T make(E x, E y, E, E) {
        T t;
        t.x = x;
        t.y = y;
        return t;
    }
};
template <class T> struct heddle_texel_vector<T, 4> {
    template <class E> static __device__ __forceinline__ T make(E x, E y, E z, E w) {
        T t;
        t.x = x;
        t.y = y;
        t.z = z;
        t.w = w;
        return t;
    }
};

template <class T> static __device__ __forceinline__ T heddle_from_texel(const heddle_texel &r) {
    typedef heddle_channels<T> c;
    typedef typename c::element E;
    if ((int)c::format == (int)cudaChannelFormatKindFloat)
        return heddle_texel_vector<T, c::count>::make((E)r.f[0], (E)r.f[1], (E)r.f[2], (E)r.f[3]);
    return heddle_texel_vector<T, c::count>::make((E)r.u[0], (E)r.u[1], (E)r.u[2], (E)r.u[3]);
}

// The instruction `op` with coordinates of type `coordinate`; `rest`: the text behind
// the result.
#define HEDDLE_FETCH(op, coordinate, rest, ...)                                              \
    {                                                                                        \
        heddle_texel r;                                                                      \
        if ((int)heddle_channels<T>::format == (int)cudaChannelFormatKindFloat)              \
            asm(op ".v4.f32." coordinate " {%0, %1, %2, %3}, " rest ";"                      \
                : "=f"(r.f[0]), "=f"(r.f[1]), "=f"(r.f[2]), "=f"(r.f[3])                     \
                : __VA_ARGS__);                                                              \
        else if ((int)heddle_channels<T>::format == (int)cudaChannelFormatKindSigned)        \
            asm(op ".v4.s32." coordinate " {%0, %1, %2, %3}, " rest ";"                      \
                : "=r"(r.u[0]), "=r"(r.u[1]), "=r"(r.u[2]), "=r"(r.u[3])                     \
                : __VA_ARGS__);                                                              \
        else                                                                                 \
            asm(op ".v4.u32." coordinate " {%0, %1, %2, %3}, " rest ";"                      \
                : "=r"(r.u[0]), "=r"(r.u[1]), "=r"(r.u[2]), "=r"(r.u[3])                     \
                : __VA_ARGS__);                                                              \
        return heddle_from_texel<T>(r);                                                      \
    }
#define HEDDLE_TEX template <class T> static __device__ __forceinline__ __attribute__((nodebug)) T

HEDDLE_TEX tex1Dfetch(cudaTextureObject_t t, int x)
    HEDDLE_FETCH("tex.1d", "s32", "[%4, {%5}]", "l"(t), "r"(x))
HEDDLE_TEX tex1D(cudaTextureObject_t t, float x)
    HEDDLE_FETCH("tex.1d", "f32", "[%4, {%5}]", "l"(t), "f"(x))
HEDDLE_TEX tex1DLod(cudaTextureObject_t t, float x, float level)
    HEDDLE_FETCH("tex.level.1d", "f32", "[%4, {%5}], %6", "l"(t), "f"(x), "f"(level))
HEDDLE_TEX tex1DGrad(cudaTextureObject_t t, float x, float dx, float dy)
    HEDDLE_FETCH("tex.grad.1d", "f32", "[%4, {%5}], {%6}, {%7}", "l"(t), "f"(x), "f"(dx), "f"(dy))

HEDDLE_TEX tex2D(cudaTextureObject_t t, float x, float y)
    HEDDLE_FETCH("tex.2d", "f32", "[%4, {%5, %6}]", "l"(t), "f"(x), "f"(y))
HEDDLE_TEX tex2DLod(cudaTextureObject_t t, float x, float y, float level)
    HEDDLE_FETCH("tex.level.2d", "f32", "[%4, {%5, %6}], %7", "l"(t), "f"(x), "f"(y), "f"(level))
HEDDLE_TEX tex2DGrad(cudaTextureObject_t t, float x, float y, float2 dx, float2 dy)
    HEDDLE_FETCH("tex.grad.2d", "f32", "[%4, {%5, %6}], {%7, %8}, {%9, %10}", "l"(t), "f"(x),
                 "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))

HEDDLE_TEX tex3D(cudaTextureObject_t t, float x, float y, float z)
    HEDDLE_FETCH("tex.3d", "f32", "[%4, {%5, %6, %7, %7}]", "l"(t), "f"(x), "f"(y), "f"(z))
HEDDLE_TEX tex3DLod(cudaTextureObject_t t, float x, float y, float z, float level)
    HEDDLE_FETCH("tex.level.3d", "f32", "[%4, {%5, %6, %7, %7}], %8", "l"(t), "f"(x), "f"(y),
                 "f"(z), "f"(level))
HEDDLE_TEX tex3DGrad(cudaTextureObject_t t, float x, float y, float z, float4 dx, float4 dy)
    HEDDLE_FETCH("tex.grad.3d", "f32",
                 "[%4, {%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}", "l"(t),
                 "f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y),
                 "f"(dy.z))

HEDDLE_TEX tex1DLayered(cudaTextureObject_t t, float x, int layer)
    HEDDLE_FETCH("tex.a1d", "f32", "[%4, {%5, %6}]", "l"(t), "r"(layer), "f"(x))
HEDDLE_TEX tex1DLayeredLod(cudaTextureObject_t t, float x, int layer, float level)
    HEDDLE_FETCH("tex.level.a1d", "f32", "[%4, {%5, %6}], %7", "l"(t), "r"(layer), "f"(x),
                 "f"(level))
HEDDLE_TEX tex2DLayered(cudaTextureObject_t t, float x, float y, int layer)
    HEDDLE_FETCH("tex.a2d", "f32", "[%4, {%5, %6, %7, %7}]", "l"(t), "r"(layer), "f"(x), "f"(y))
HEDDLE_TEX tex2DLayeredLod(cudaTextureObject_t t, float x, float y, int layer, float level)
    HEDDLE_FETCH("tex.level.a2d", "f32", "[%4, {%5, %6, %7, %7}], %8", "l"(t), "r"(layer), "f"(x),
                 "f"(y), "f"(level))

HEDDLE_TEX texCubemap(cudaTextureObject_t t, float x, float y, float z)
    HEDDLE_FETCH("tex.cube", "f32", "[%4, {%5, %6, %7, %7}]", "l"(t), "f"(x), "f"(y), "f"(z))
HEDDLE_TEX texCubemapLod(cudaTextureObject_t t, float x, float y, float z, float level)
    HEDDLE_FETCH("tex.level.cube", "f32", "[%4, {%5, %6, %7, %7}], %8", "l"(t), "f"(x), "f"(y),
                 "f"(z), "f"(level))
HEDDLE_TEX texCubemapLayered(cudaTextureObject_t t, float x, float y, float z, int layer)
    HEDDLE_FETCH("tex.acube", "f32", "[%4, {%5, %6, %7, %8}]", "l"(t), "r"(layer), "f"(x), "f"(y),
                 "f"(z))
HEDDLE_TEX texCubemapLayeredLod(cudaTextureObject_t t, float x, float y, float z, int layer,
                                float level)
    HEDDLE_FETCH("tex.level.acube", "f32", "[%4, {%5, %6, %7, %8}], %9", "l"(t), "r"(layer),
                 "f"(x), "f"(y), "f"(z), "f"(level))

// One channel of the four texels that a linear filter would read.
HEDDLE_TEX tex2Dgather(cudaTextureObject_t t, float x, float y, int component = 0) {
    switch (component) {
    case 1: HEDDLE_FETCH("tld4.g.2d", "f32", "[%4, {%5, %6}]", "l"(t), "f"(x), "f"(y))
    case 2: HEDDLE_FETCH("tld4.b.2d", "f32", "[%4, {%5, %6}]", "l"(t), "f"(x), "f"(y))
    case 3: HEDDLE_FETCH("tld4.a.2d", "f32", "[%4, {%5, %6}]", "l"(t), "f"(x), "f"(y))
    default: HEDDLE_FETCH("tld4.r.2d", "f32", "[%4, {%5, %6}]", "l"(t), "f"(x), "f"(y))
    }
}
#undef HEDDLE_TEX
#undef HEDDLE_FETCH

// The older form, which stores the result through a pointer.
#define HEDDLE_TEX_INTO(name, parameters, arguments)                                          \
    template <class T> static __device__ __forceinline__ void name parameters {               \
        *into = name<T> arguments;                                                            \
    }
HEDDLE_TEX_INTO(tex1Dfetch, (T *into, cudaTextureObject_t t, int x), (t, x))
HEDDLE_TEX_INTO(tex1D, (T *into, cudaTextureObject_t t, float x), (t, x))
HEDDLE_TEX_INTO(tex2D, (T *into, cudaTextureObject_t t, float x, float y), (t, x, y))
HEDDLE_TEX_INTO(tex3D, (T *into, cudaTextureObject_t t, float x, float y, float z), (t, x, y, z))
#undef HEDDLE_TEX_INTO

// ---- surfaces: accesses move the bytes of a T, whatever the surface's format

union heddle_surface_bytes {
    unsigned short h;
    unsigned r[4];
};

// One access; `at` names the operands s (the surface) and x, y, z or layer.
#define HEDDLE_SULD(geometry, mode, at, ...)                                                  \
    if (sizeof(T) == 1)                                                                       \
        asm volatile("suld.b." geometry ".b8." mode " {%0}, " at ";" : "=h"(b.h) : __VA_ARGS__); \
    else if (sizeof(T) == 2)                                                                  \
        asm volatile("suld.b." geometry ".b16." mode " {%0}, " at ";"                         \
                     : "=h"(b.h)                                                              \
                     : __VA_ARGS__);                                                          \
    else if (sizeof(T) == 4)                                                                  \
        asm volatile("suld.b." geometry ".b32." mode " {%0}, " at ";"                         \
                     : "=r"(b.r[0])                                                           \
                     : __VA_ARGS__);                                                          \
    else if (sizeof(T) == 8)                                                                  \
        asm volatile("suld.b." geometry ".v2.b32." mode " {%0, %1}, " at ";"                  \
                     : "=r"(b.r[0]), "=r"(b.r[1])                                             \
                     : __VA_ARGS__);                                                          \
    else                                                                                      \
        asm volatile("suld.b." geometry ".v4.b32." mode " {%0, %1, %2, %3}, " at ";"          \
                     : "=r"(b.r[0]), "=r"(b.r[1]), "=r"(b.r[2]), "=r"(b.r[3])                 \
                     : __VA_ARGS__);
#define HEDDLE_SUST(geometry, mode, at, ...)                                                  \
    if (sizeof(T) == 1)                                                                       \
        asm volatile("sust.b." geometry ".b8." mode " " at ", {%0};" ::"h"(b.h), __VA_ARGS__  \
                     : "memory");                                                             \
    else if (sizeof(T) == 2)                                                                  \
        asm volatile("sust.b." geometry ".b16." mode " " at ", {%0};" ::"h"(b.h), __VA_ARGS__ \
                     : "memory");                                                             \
    else if (sizeof(T) == 4)                                                                  \
        asm volatile("sust.b." geometry ".b32." mode " " at ", {%0};" ::"r"(b.r[0]),          \
                     __VA_ARGS__                                                              \
                     : "memory");                                                             \
    else if (sizeof(T) == 8)                                                                  \
        asm volatile("sust.b." geometry ".v2.b32." mode " " at ", {%0, %1};" ::"r"(b.r[0]),   \
                     "r"(b.r[1]), __VA_ARGS__                                                 \
                     : "memory");                                                             \
    else                                                                                      \
        asm volatile("sust.b." geometry ".v4.b32." mode " " at ", {%0, %1, %2, %3};" ::"r"(   \
                         b.r[0]),                                                             \
                     "r"(b.r[1]), "r"(b.r[2]), "r"(b.r[3]), __VA_ARGS__                       \
                     : "memory");
#define HEDDLE_BY_MODE(access, geometry, at, ...)              \
    if (mode == cudaBoundaryModeZero) {                        \
        access(geometry, "zero", at, __VA_ARGS__)              \
    } else if (mode == cudaBoundaryModeClamp) {                \
        access(geometry, "clamp", at, __VA_ARGS__)             \
    } else {                                                   \
        access(geometry, "trap", at, __VA_ARGS__)              \
    }
// The two functions of a geometry; `coordinates` are parameters in parentheses.
#define HEDDLE_UNPACK(...) __VA_ARGS__
#define HEDDLE_SURFACE(name, geometry, coordinates, at, ...)                                  \
    template <class T>                                                                        \
    static __device__ __forceinline__ T name##read(                                           \
        cudaSurfaceObject_t s, HEDDLE_UNPACK coordinates,                                     \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                \
        static_assert(sizeof(T) <= 16 && !(sizeof(T) & (sizeof(T) - 1)), "1, 2, 4, 8, 16 bytes"); \
        heddle_surface_bytes b;                                                               \
        T value;                                                                              \
        HEDDLE_BY_MODE(HEDDLE_SULD, geometry, at, [s] "l"(s), __VA_ARGS__)                    \
        __builtin_memcpy(&value, &b, sizeof value);                                           \
        return value;                                                                         \
    }                                                                                         \
    template <class T>                                                                        \
    static __device__ __forceinline__ void name##read(                                        \
        T *into, cudaSurfaceObject_t s, HEDDLE_UNPACK coordinates,                            \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                \
        heddle_surface_bytes b;                                                               \
        HEDDLE_BY_MODE(HEDDLE_SULD, geometry, at, [s] "l"(s), __VA_ARGS__)                    \
        __builtin_memcpy(into, &b, sizeof *into);                                             \
    }                                                                                         \
    template <class T>                                                                        \
    static __device__ __forceinline__ void name##write(                                       \
        T value, cudaSurfaceObject_t s, HEDDLE_UNPACK coordinates,                            \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                \
        static_assert(sizeof(T) <= 16 && !(sizeof(T) & (sizeof(T) - 1)), "1, 2, 4, 8, 16 bytes"); \
        heddle_surface_bytes b = {0};                                                         \
        __builtin_memcpy(&b, &value, sizeof value);                                           \
        HEDDLE_BY_MODE(HEDDLE_SUST, geometry, at, [s] "l"(s), __VA_ARGS__)                    \
    }

HEDDLE_SURFACE(surf1D, "1d", (int x), "[%[s], {%[x]}]", [x] "r"(x))
HEDDLE_SURFACE(surf2D, "2d", (int x, int y), "[%[s], {%[x], %[y]}]", [x] "r"(x), [y] "r"(y))
HEDDLE_SURFACE(surf3D, "3d", (int x, int y, int z), "[%[s], {%[x], %[y], %[z], %[z]}]",
               [x] "r"(x), [y] "r"(y), [z] "r"(z))
HEDDLE_SURFACE(surf1DLayered, "a1d", (int x, int layer), "[%[s], {%[layer], %[x]}]",
               [x] "r"(x), [layer] "r"(layer))
HEDDLE_SURFACE(surf2DLayered, "a2d", (int x, int y, int layer),
               "[%[s], {%[layer], %[x], %[y], %[y]}]", [x] "r"(x), [y] "r"(y),
               [layer] "r"(layer))
// Faces count as layers, six to a cube.
HEDDLE_SURFACE(surfCubemap, "a2d", (int x, int y, int face),
               "[%[s], {%[face], %[x], %[y], %[y]}]", [x] "r"(x), [y] "r"(y), [face] "r"(face))
HEDDLE_SURFACE(surfCubemapLayered, "a2d", (int x, int y, int face),
               "[%[s], {%[face], %[x], %[y], %[y]}]", [x] "r"(x), [y] "r"(y), [face] "r"(face))

#undef HEDDLE_SURFACE
#undef HEDDLE_UNPACK
#undef HEDDLE_BY_MODE
#undef HEDDLE_SUST
#undef HEDDLE_SULD

#endif

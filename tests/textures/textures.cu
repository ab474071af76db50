// textures.cu - every kind of texture object against reference.h: linear and pitched memory, arrays
// of one to three dimensions, layers, cubes, mipmaps; address modes, filters, formats.
#include "reference.h"

enum kind {
    K1D, K2D, K3D, KA1D, KA2D, KCUBE, KACUBE, KFETCH, KNEXT, KTHIRD, KLOD, KGRAD, KGATHER
};
enum { N = 480, THREADS = 96 };

// Coordinates of thread i: at[i] x, y, z, and a layer or a level.
template <class T>
__global__ void read(int kind, cudaTextureObject_t t, const float4 *at, T *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 c = at[i];
    switch (kind) {
    case K1D: out[i] = tex1D<T>(t, c.x); break;
    case K2D: out[i] = tex2D<T>(t, c.x, c.y); break;
    case K3D: out[i] = tex3D<T>(t, c.x, c.y, c.z); break;
    case KA1D: out[i] = tex1DLayered<T>(t, c.x, (int)c.w); break;
    case KA2D: out[i] = tex2DLayered<T>(t, c.x, c.y, (int)c.w); break;
    case KCUBE: out[i] = texCubemap<T>(t, c.x, c.y, c.z); break;
    case KACUBE: out[i] = texCubemapLayered<T>(t, c.x, c.y, c.z, (int)c.w); break;
    case KFETCH: out[i] = tex1Dfetch<T>(t, (int)c.x); break;
    case KNEXT: out[i] = tex1Dfetch<T>(t, (int)c.x + 1); break; // a sum is no address
    case KTHIRD: out[i] = tex1Dfetch<T>(t, 2); break;
    case KLOD: out[i] = tex2DLod<T>(t, c.x, c.y, c.w); break;
    case KGRAD:
        out[i] = tex2DGrad<T>(t, c.x, c.y, make_float2(c.z, 0), make_float2(0, c.w));
        break;
    case KGATHER: out[i] = tex2Dgather<T>(t, c.x, c.y, (int)c.w); break;
    }
}

struct run { // results of N fetches
    float4 *at, *device_at;
    void *device_out;
    run() {
        at = (float4 *)malloc(N * sizeof *at);
        MUST(cudaMalloc((void **)&device_at, N * sizeof *at));
        MUST(cudaMalloc(&device_out, N * 16));
    }
    template <class T> std::vector<T> read_all(int kind, cudaTextureObject_t t) {
        std::vector<T> out(N);
        MUST(cudaMemcpy(device_at, at, N * sizeof *at, cudaMemcpyHostToDevice));
        read<T><<<N / THREADS, THREADS>>>(kind, t, device_at, (T *)device_out);
        MUST(cudaGetLastError());
        MUST(cudaMemcpy(out.data(), device_out, N * sizeof(T), cudaMemcpyDeviceToHost));
        return out;
    }
};

static int failures;
static void expect(const char *what, int i, double got, double want) {
    if (close(got, want)) return;
    if (failures++ < 20) printf("%s: element %d is %.9g, want %.9g\n", what, i, got, want);
}

static image make_image(numbers &r, int dims, int w, int h, int d, int layers, float most) {
    image im = {dims, w, h, d, layers, {}};
    im.v.resize((size_t)4 * w * h * d * layers);
    for (float &x : im.v) x = std::floor(r.between(-most, most));
    return im;
}

static cudaTextureDesc describe(const sampling &s) {
    cudaTextureDesc d = {};
    for (int i = 0; i < 3; i++) d.addressMode[i] = s.address;
    d.filterMode = s.linear ? cudaFilterModeLinear : cudaFilterModePoint;
    d.normalizedCoords = s.normalized;
    for (int i = 0; i < 4; i++) d.borderColor[i] = s.border[i];
    return d;
}

static cudaTextureObject_t texture_of(cudaArray_t a, const cudaTextureDesc &d) {
    cudaResourceDesc r = {};
    cudaTextureObject_t t;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    MUST(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}

// An array of float4 with the image's texels.
static cudaArray_t array_of(const image &im, unsigned flags) {
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float4>();
    cudaArray_t a;
    size_t depth = im.dims == 3 ? im.d : flags ? im.layers : 0;
    MUST(cudaMalloc3DArray(&a, &c, make_cudaExtent(im.w, im.dims > 1 ? im.h : 0, depth), flags));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr((void *)im.v.data(), im.w * 16, im.w, im.h);
    p.dstArray = a;
    p.extent = make_cudaExtent(im.w, im.h, im.dims == 3 ? im.d : im.layers);
    p.kind = cudaMemcpyHostToDevice;
    MUST(cudaMemcpy3D(&p));
    return a;
}

static void check(const char *what, const image &im, const sampling &s, int kind,
                  cudaTextureObject_t t, run &go, numbers &r) {
    float over = 1.8f;
    for (int i = 0; i < N; i++) {
        float sx = s.normalized ? 1 : im.w, sy = s.normalized ? 1 : im.h,
              sz = s.normalized ? 1 : im.d;
        go.at[i] = make_float4(r.between(-over * sx, over * sx), r.between(-over * sy, over * sy),
                               r.between(-over * sz, over * sz), (float)(r.next() % im.layers));
    }
    std::vector<float4> out = go.read_all<float4>(kind, t);
    for (int i = 0; i < N; i++) {
        const float at[3] = {go.at[i].x, go.at[i].y, go.at[i].z};
        double want[4];
        fetch(im, s, at, (int)go.at[i].w, want);
        expect(what, i, out[i].x, want[0]);
        expect(what, i, out[i].y, want[1]);
        expect(what, i, out[i].z, want[2]);
        expect(what, i, out[i].w, want[3]);
    }
}

static void arrays(run &go, numbers &r) {
    struct shape {
        const char *name;
        int kind, dims, w, h, d, layers;
        unsigned flags;
    };
    const shape shapes[] = {{"1D", K1D, 1, 37, 1, 1, 1, 0},
                            {"2D", K2D, 2, 29, 19, 1, 1, 0},
                            {"3D", K3D, 3, 11, 9, 7, 1, 0},
                            {"1D layered", KA1D, 1, 23, 1, 1, 5, cudaArrayLayered},
                            {"2D layered", KA2D, 2, 13, 17, 1, 3, cudaArrayLayered}};
    for (const shape &k : shapes) {
        image im = make_image(r, k.dims, k.w, k.h, k.d, k.layers, 100);
        cudaArray_t a = array_of(im, k.flags);
        for (int mode = 0; mode < 4; mode++)
            for (int how = 0; how < 4; how++) {
                sampling s = {(cudaTextureAddressMode)mode, (how & 1) != 0, (how & 2) != 0,
                              {1, -2, 3.5f, 4}};
                cudaTextureObject_t t = texture_of(a, describe(s));
                char what[80];
                snprintf(what, sizeof what, "%s, address mode %d, %s, %s", k.name, mode,
                         s.linear ? "linear" : "point", s.normalized ? "normalized" : "texels");
                check(what, im, s, k.kind, t, go, r);
                MUST(cudaDestroyTextureObject(t));
            }
        MUST(cudaFreeArray(a));
    }
}

// Returns the cube's face and the coordinates on it, after the programming guide's table.
static int face_of(const float *p, float *at) {
    int axis = std::fabs(p[0]) >= std::fabs(p[1])
                   ? (std::fabs(p[0]) >= std::fabs(p[2]) ? 0 : 2)
                   : (std::fabs(p[1]) >= std::fabs(p[2]) ? 1 : 2);
    bool minus = p[axis] < 0;
    float m = std::fabs(p[axis]);
    static const int from[6][2] = {{-3, -2}, {3, -2}, {1, 3}, {1, -3}, {1, -2}, {-1, -2}};
    int face = 2 * axis + minus;
    for (int k = 0; k < 2; k++) {
        int f = from[face][k];
        at[k] = (float)(((f < 0 ? -(double)p[-f - 1] : (double)p[f - 1]) / m + 1) / 2);
    }
    return face;
}

static void cubes(run &go, numbers &r) {
    for (int cubes = 1; cubes <= 2; cubes++) {
        image im = make_image(r, 2, 8, 8, 1, 6 * cubes, 50);
        unsigned flags = cudaArrayCubemap | (cubes > 1 ? cudaArrayLayered : 0);
        cudaArray_t a = array_of(im, flags);
        sampling s = {cudaAddressModeClamp, true, true, {0, 0, 0, 0}};
        cudaTextureObject_t t = texture_of(a, describe(s));
        for (int i = 0; i < N; i++)
            go.at[i] = make_float4(r.between(-1, 1), r.between(-1, 1), r.between(-1, 1),
                                   (float)(r.next() % cubes));
        std::vector<float4> out = go.read_all<float4>(cubes > 1 ? KACUBE : KCUBE, t);
        for (int i = 0; i < N; i++) {
            const float p[3] = {go.at[i].x, go.at[i].y, go.at[i].z};
            float at[3] = {0, 0, 0};
            double want[4];
            int face = face_of(p, at);
            fetch(im, s, at, 6 * (int)go.at[i].w + face, want);
            // a rounded coordinate may take the next fraction: one 256th of the step between texels
            if (std::fabs(out[i].x - want[0]) > 0.8) expect("cube", i, out[i].x, want[0]);
        }
        MUST(cudaDestroyTextureObject(t));
        MUST(cudaFreeArray(a));
    }
}

// cudaMallocArray(.., w, 1) makes a plane of one row; programs read it with tex1D().
static void row_as_line(run &go, numbers &r) {
    image im = make_image(r, 2, 32, 1, 1, 1, 90);
    cudaArray_t a = array_of(im, 0);
    im.dims = 1;
    for (int how = 0; how < 4; how++) {
        sampling s = {how & 2 ? cudaAddressModeWrap : cudaAddressModeBorder, (how & 1) != 0,
                      (how & 2) != 0, {1, 2, 3, 4}};
        cudaTextureObject_t t = texture_of(a, describe(s));
        check("a row read as a line", im, s, K1D, t, go, r);
        MUST(cudaDestroyTextureObject(t));
    }
    MUST(cudaFreeArray(a));
}

static void memory(run &go, numbers &r) {
    enum { W = 100, H = 30 };
    cudaResourceDesc d = {};
    cudaTextureDesc s = {};
    cudaTextureObject_t t;
    float *p;
    size_t pitch;
    std::vector<float> v(W * H);
    for (float &x : v) x = r.between(-9, 9);
    // linear memory: nothing outside
    MUST(cudaMalloc((void **)&p, W * 4));
    MUST(cudaMemcpy(p, v.data(), W * 4, cudaMemcpyHostToDevice));
    d.resType = cudaResourceTypeLinear;
    d.res.linear.devPtr = p;
    d.res.linear.desc = cudaCreateChannelDesc<float>();
    d.res.linear.sizeInBytes = W * 4;
    MUST(cudaCreateTextureObject(&t, &d, &s, NULL));
    for (int i = 0; i < N; i++) go.at[i] = make_float4((float)(i - 100), 0, 0, 0);
    std::vector<float> out = go.read_all<float>(KFETCH, t);
    for (int i = 0; i < N; i++)
        expect("linear memory", i, out[i], i >= 100 && i < 100 + W ? v[i - 100] : 0);
    out = go.read_all<float>(KNEXT, t);
    for (int i = 0; i < N; i++)
        expect("next element", i, out[i], i >= 99 && i < 99 + W ? v[i - 99] : 0);
    out = go.read_all<float>(KTHIRD, t);
    for (int i = 0; i < N; i++) expect("third element", i, out[i], v[2]);
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFree(p));
    // pitched memory
    MUST(cudaMallocPitch((void **)&p, &pitch, W * 4, H));
    MUST(cudaMemcpy2D(p, pitch, v.data(), W * 4, W * 4, H, cudaMemcpyHostToDevice));
    d.resType = cudaResourceTypePitch2D;
    d.res.pitch2D.devPtr = p;
    d.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    d.res.pitch2D.width = W;
    d.res.pitch2D.height = H;
    d.res.pitch2D.pitchInBytes = pitch;
    image im = {2, W, H, 1, 1, std::vector<float>(4 * W * H)};
    for (int i = 0; i < W * H; i++) im.v[4 * i] = v[i];
    for (int how = 0; how < 4; how++) {
        sampling g = {how & 2 ? cudaAddressModeWrap : cudaAddressModeClamp, (how & 1) != 0,
                      (how & 2) != 0, {0, 0, 0, 0}};
        s = describe(g);
        MUST(cudaCreateTextureObject(&t, &d, &s, NULL));
        for (int i = 0; i < N; i++)
            go.at[i] = g.normalized ? make_float4(r.between(-2, 2), r.between(-2, 2), 0, 0)
                                    : make_float4(r.between(-9, W + 9), r.between(-9, H + 9), 0, 0);
        out = go.read_all<float>(K2D, t);
        for (int i = 0; i < N; i++) {
            const float at[3] = {go.at[i].x, go.at[i].y, 0};
            double want[4];
            fetch(im, g, at, 0, want);
            expect("pitched memory", i, out[i], want[0]);
        }
        MUST(cudaDestroyTextureObject(t));
    }
    MUST(cudaFree(p));
}

// A 2D array of T whose texels count up, read as R: what point sampling gives for texel (x, y).
template <class T, class R, class F>
static void format(const char *what, cudaTextureReadMode mode, bool srgb, run &go, F want) {
    enum { W = 40, H = 12 };
    std::vector<T> v(W * H);
    unsigned char *bytes = (unsigned char *)v.data();
    for (size_t i = 0; i < sizeof(T) * W * H; i++) bytes[i] = (unsigned char)(i * 37 + i / 256);
    cudaChannelFormatDesc c = cudaCreateChannelDesc<T>(), told;
    cudaExtent e;
    unsigned flags;
    cudaArray_t a;
    MUST(cudaMallocArray(&a, &c, W, H));
    MUST(cudaMemcpy2DToArray(a, 0, 0, v.data(), W * sizeof(T), W * sizeof(T), H,
                             cudaMemcpyHostToDevice));
    MUST(cudaArrayGetInfo(&told, &e, &flags, a));
    if (told.x != c.x || told.w != c.w || told.f != c.f || e.width != W || e.height != H ||
        e.depth != 0)
        expect("cudaArrayGetInfo", 0, 1, 0);
    cudaTextureDesc d = {};
    d.readMode = mode;
    d.sRGB = srgb;
    cudaTextureObject_t t = texture_of(a, d);
    for (int i = 0; i < N; i++)
        go.at[i] = make_float4((float)(i % W) + 0.25f, (float)(i / W % H) + 0.75f, 0, 0);
    std::vector<R> out = go.read_all<R>(K2D, t);
    for (int i = 0; i < N; i++) want(what, i, out[i], v[i / W % H * W + i % W]);
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(a));
}

static double linear_of(double c) {
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}
static void formats(run &go) {
    const cudaTextureReadMode as_is = cudaReadModeElementType, part = cudaReadModeNormalizedFloat;
    format<unsigned char, unsigned char>("uchar", as_is, false, go,
        [](const char *w, int i, unsigned char g, unsigned char v) { expect(w, i, g, v); });
    format<char2, char2>("char2", as_is, false, go, [](const char *w, int i, char2 g, char2 v) {
        expect(w, i, g.x, v.x);
        expect(w, i, g.y, v.y);
    });
    format<short, short>("short", as_is, false, go,
        [](const char *w, int i, short g, short v) { expect(w, i, g, v); });
    format<uint4, uint4>("uint4", as_is, false, go, [](const char *w, int i, uint4 g, uint4 v) {
        expect(w, i, g.x == v.x && g.y == v.y && g.z == v.z && g.w == v.w, 1);
    });
    format<int2, int2>("int2", as_is, false, go, [](const char *w, int i, int2 g, int2 v) {
        expect(w, i, g.x == v.x && g.y == v.y, 1);
    });
    format<uchar4, float4>("uchar4 as float4", part, false, go,
        [](const char *w, int i, float4 g, uchar4 v) {
            expect(w, i, g.x, v.x / 255.);
            expect(w, i, g.w, v.w / 255.);
        });
    format<uchar4, float4>("uchar4, sRGB", part, true, go,
        [](const char *w, int i, float4 g, uchar4 v) {
            expect(w, i, g.y, linear_of(v.y / 255.));
            expect(w, i, g.w, v.w / 255.);
        });
    format<signed char, float>("schar as float", part, false, go,
        [](const char *w, int i, float g, signed char v) {
            expect(w, i, g, v == -128 ? -1 : v / 127.);
        });
    format<ushort2, float2>("ushort2 as float2", part, false, go,
        [](const char *w, int i, float2 g, ushort2 v) {
            expect(w, i, g.x, v.x / 65535.);
            expect(w, i, g.y, v.y / 65535.);
        });
    format<short4, float4>("short4 as float4", part, false, go,
        [](const char *w, int i, float4 g, short4 v) {
            expect(w, i, g.z, v.z == -32768 ? -1 : v.z / 32767.);
        });
}

// Every texel of a mipmap level is the level's number, so a fetch returns the level of detail.
static void mipmaps(run &go, numbers &r) {
    enum { W = 64, H = 32, LEVELS = 6 };
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t m;
    MUST(cudaMallocMipmappedArray(&m, &c, make_cudaExtent(W, H, 0), LEVELS));
    for (int i = 0; i < LEVELS; i++) {
        cudaArray_t level;
        int w = W >> i, h = H >> i ? H >> i : 1;
        std::vector<float> v(w * h, (float)i);
        MUST(cudaGetMipmappedArrayLevel(&level, m, i));
        MUST(cudaMemcpy2DToArray(level, 0, 0, v.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice));
    }
    for (int blends = 0; blends < 2; blends++) {
        cudaResourceDesc d = {};
        cudaTextureDesc s = {};
        cudaTextureObject_t t;
        d.resType = cudaResourceTypeMipmappedArray;
        d.res.mipmap.mipmap = m;
        s.normalizedCoords = 1;
        s.filterMode = cudaFilterModeLinear;
        s.mipmapFilterMode = blends ? cudaFilterModeLinear : cudaFilterModePoint;
        s.minMipmapLevelClamp = 0.5f;
        s.maxMipmapLevelClamp = 4;
        s.mipmapLevelBias = 0.25f;
        MUST(cudaCreateTextureObject(&t, &d, &s, NULL));
        for (int i = 0; i < N; i++)
            go.at[i] = make_float4(r.between(0, 1), r.between(0, 1), 0, r.between(-2, 7));
        std::vector<float> out = go.read_all<float>(KLOD, t);
        for (int i = 0; i < N; i++) {
            double lod = std::fmin(std::fmax((double)go.at[i].w + 0.25, 0.5), 4);
            double low = std::floor(lod), f = std::floor((lod - low) * 256 + 0.5) / 256;
            expect(blends ? "levels, linear" : "levels, point", i, out[i],
                   blends ? low + f : std::floor(lod + 0.5));
        }
        // steps of 2^k texels from pixel to pixel: level k
        for (int i = 0; i < N; i++)
            go.at[i] = make_float4(0.5f, 0.5f, (float)(1 << i % 6) / W, 0);
        out = go.read_all<float>(KGRAD, t);
        for (int i = 0; i < N; i++) {
            double lod = std::fmin(i % 6 + 0.25, 4);
            lod = std::fmax(lod, 0.5);
            expect("gradients", i, out[i], blends ? lod : std::floor(lod + 0.5));
        }
        MUST(cudaDestroyTextureObject(t));
    }
    MUST(cudaFreeMipmappedArray(m));
}

static void gather(run &go, numbers &r) {
    image im = make_image(r, 2, 16, 16, 1, 1, 90);
    cudaArray_t a = array_of(im, 0);
    sampling s = {cudaAddressModeClamp, false, false, {0, 0, 0, 0}};
    cudaTextureObject_t t = texture_of(a, describe(s));
    for (int i = 0; i < N; i++)
        go.at[i] = make_float4((float)(i % 15 + 1), (float)(i / 15 % 15 + 1), 0, (float)(i % 4));
    std::vector<float4> out = go.read_all<float4>(KGATHER, t);
    for (int i = 0; i < N; i++) {
        int x = i % 15, y = i / 15 % 15, c = i % 4;
        expect("gather x", i, out[i].x, im.texel(x, y + 1, 0, 0)[c]);
        expect("gather y", i, out[i].y, im.texel(x + 1, y + 1, 0, 0)[c]);
        expect("gather z", i, out[i].z, im.texel(x + 1, y, 0, 0)[c]);
        expect("gather w", i, out[i].w, im.texel(x, y, 0, 0)[c]);
    }
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(a));
}

int main() {
    run go;
    numbers r = {12345};
    arrays(go, r);
    cubes(go, r);
    row_as_line(go, r);
    memory(go, r);
    formats(go);
    mipmaps(go, r);
    gather(go, r);
    MUST(cudaDeviceSynchronize());
    printf("textures: %s %d wrong values\n", failures ? "FAIL" : "PASS", failures);
    return failures != 0;
}

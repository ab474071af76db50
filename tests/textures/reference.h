// reference.h - the expected result of a texture fetch, in plain C++ on the host, after the CUDA C
// Programming Guide's chapter "Texture Fetching": coordinates are wrapped or mirrored before they
// are scaled, fractions have eight bits. It knows nothing of the simulator's code.
#ifndef HEDDLE_TESTS_TEXTURES_REFERENCE_H
#define HEDDLE_TESTS_TEXTURES_REFERENCE_H

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define MUST(call)                                                                        \
    do {                                                                                  \
        cudaError_t e_ = (call);                                                          \
        if (e_ != cudaSuccess) {                                                          \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e_)); \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

struct image { // four channels, layers one after the other
    int dims, w, h, d, layers;
    std::vector<float> v;
    const float *texel(int x, int y, int z, int layer) const {
        return &v[4 * (((size_t)layer * d + z) * h * w + (size_t)y * w + x)];
    }
};

struct sampling {
    cudaTextureAddressMode address;
    bool linear, normalized;
    float border[4];
};

// The coordinate in texels.
static inline double prepared(const sampling &s, float x, int n) {
    if (!s.normalized) return x;
    if (s.address == cudaAddressModeWrap) return (x - std::floor((double)x)) * n;
    if (s.address == cudaAddressModeMirror) {
        double f = std::floor((double)x), r = x - f;
        return ((long)f % 2 == 0 ? r : 1 - r) * n;
    }
    return (double)x * n;
}

// Applies the address mode to index i of n; false: the border.
static inline bool indexed(const sampling &s, int &i, int n) {
    if (i >= 0 && i < n) return true;
    bool turns = s.normalized && s.address == cudaAddressModeWrap;
    if (s.address == cudaAddressModeBorder) return false;
    if (turns)
        i = i < 0 ? i + n : i - n;
    else
        i = i < 0 ? 0 : n - 1;
    return true;
}

static inline void fetch(const image &im, const sampling &s, const float *at, int layer,
                         double *out) {
    const int size[3] = {im.w, im.h, im.d};
    double x[3] = {0, 0, 0}, part[3] = {0, 0, 0};
    int low[3] = {0, 0, 0};
    for (int k = 0; k < im.dims; k++) {
        x[k] = prepared(s, at[k], size[k]);
        if (s.linear) {
            double b = x[k] - 0.5;
            low[k] = (int)std::floor(b);
            part[k] = std::floor((b - low[k]) * 256 + 0.5) / 256;
        } else {
            low[k] = (int)std::floor(x[k]);
        }
    }
    for (int c = 0; c < 4; c++) out[c] = 0;
    for (int corner = 0; corner < (s.linear ? 1 << im.dims : 1); corner++) {
        double weight = 1;
        int i[3] = {0, 0, 0};
        bool inside = true;
        for (int k = 0; k < im.dims; k++) {
            int up = corner >> k & 1;
            i[k] = low[k] + up;
            if (s.linear) weight *= up ? part[k] : 1 - part[k];
            inside = indexed(s, i[k], size[k]) && inside;
        }
        const float *t = inside ? im.texel(i[0], i[1], i[2], layer) : s.border;
        for (int c = 0; c < 4; c++) out[c] += weight * t[c];
    }
}

static inline bool close(double got, double want) {
    return std::fabs(got - want) <= 1e-5 * (1 + std::fabs(want));
}

// Numbers that look random, the same in every run.
struct numbers {
    unsigned s;
    unsigned next() { return s = s * 1664525u + 1013904223u, s >> 8; }
    float between(float a, float b) { return a + (b - a) * (float)(next() % 65536) / 65536.f; }
};

#endif

/* references.c - texture and surface references, as programs compiled by CUDA 11 and older use
 * them: registered by their start-up code, bound to memory and to arrays, with another binding for
 * each launch. */
#include "../system/programs/device_image.h"

struct channels {
    int bits[4], kind;
};
struct texture_reference { /* textureReference */
    int normalized, filter, address[3];
    struct channels channels;
    int srgb;
    unsigned anisotropy;
    int mip_filter;
    float lod_bias, lod_min, lod_max;
    int no_trilinear_tricks, reserved[14];
};

void __cudaRegisterTexture(void **handle, const void *host, const void **address, const char *name,
                           int dim, int read_mode, int external);
void __cudaRegisterSurface(void **handle, const void *host, const void **address, const char *name,
                           int dim, int external);
int cudaMallocArray(void **array, const struct channels *c, size_t width, size_t height,
                    unsigned flags);
int cudaFreeArray(void *array);
int cudaMemcpyToArray(void *array, size_t x, size_t y, const void *src, size_t bytes, int kind);
int cudaMemcpyFromArray(void *dst, const void *array, size_t x, size_t y, size_t bytes, int kind);
int cudaGetChannelDesc(struct channels *c, const void *array);
int cudaBindTexture(size_t *offset, const struct texture_reference *r, const void *address,
                    const struct channels *c, size_t bytes);
int cudaBindTexture2D(size_t *offset, const struct texture_reference *r, const void *address,
                      const struct channels *c, size_t width, size_t height, size_t pitch);
int cudaBindTextureToArray(const struct texture_reference *r, const void *array,
                           const struct channels *c);
int cudaUnbindTexture(const struct texture_reference *r);
int cudaGetTextureAlignmentOffset(size_t *offset, const struct texture_reference *r);
int cudaGetTextureReference(const struct texture_reference **r, const void *symbol);
int cudaBindSurfaceToArray(const void *surface, const void *array, const struct channels *c);

enum { W = 32, H = 4, SURFACE = 2, INVALID_VALUE = 1, INVALID_TEXTURE = 18, ILLEGAL = 700 };

static struct device_image image;
static char through;
static struct texture_reference line, plane, unknown;
static int target;

static void *out;
static void launch(void) {
    void *arguments[] = {&out};
    struct dim3 one = {1, 1, 1}, block = {W, 1, 1};
    EXPECT(cudaLaunchKernel(&through, one, block, arguments, 0, NULL), 0);
}

static void expect(const float *l, const float *p, const char *what) {
    float got[W];
    EXPECT(cudaMemcpy(got, out, sizeof got, TO_HOST), 0);
    for (int i = 0; i < W; i++)
        if (got[i] != l[i] + 1000 * p[i]) {
            printf("%s: thread %d has %g, not %g\n", what, i, (double)got[i],
                   (double)(l[i] + 1000 * p[i]));
            exit(1);
        }
}

int main(int argc, char **argv) {
    CHECK(argc > 1);
    read_image(&image, argv[1]);
    void **module = __cudaRegisterFatBinary(&image.wrapper);
    __cudaRegisterFunction(module, &through, NULL, "through", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterTexture(module, &line, NULL, "line", 1, 0, 0);
    __cudaRegisterTexture(module, &plane, NULL, "plane", 2, 0, 0);
    __cudaRegisterSurface(module, &target, NULL, "target", 2, 0);
    __cudaRegisterFatBinaryEnd(module);

    const struct channels floats = {{32, 0, 0, 0}, 2};
    struct channels told;
    float in[3 * W], rows[W * H], back[W * H];
    void *memory, *array, *canvas;
    size_t offset = 77;
    for (int i = 0; i < 3 * W; i++) in[i] = (float)i;
    for (int i = 0; i < W * H; i++) rows[i] = (float)(i * 2);
    EXPECT(cudaMalloc(&out, W * 4), 0);
    EXPECT(cudaMalloc(&memory, 4096), 0);
    EXPECT(cudaMemcpy(memory, in, sizeof in, TO_DEVICE), 0);
    EXPECT(cudaMallocArray(&array, &floats, W, H, 0), 0);
    EXPECT(cudaMallocArray(&canvas, &floats, W, H, SURFACE), 0);
    EXPECT(cudaMemcpyToArray(array, 0, 0, rows, sizeof rows, TO_DEVICE), 0);
    EXPECT(cudaGetChannelDesc(&told, array), 0);
    CHECK(told.bits[0] == 32 && told.bits[1] == 0 && told.kind == 2);

    plane.address[0] = plane.address[1] = 1;
    EXPECT(cudaBindTexture(&offset, &line, memory, &floats, W * 4), 0);
    CHECK(offset == 0);
    EXPECT(cudaBindTextureToArray(&plane, array, &told), 0);
    EXPECT(cudaBindSurfaceToArray(&target, canvas, &told), 0);
    launch();
    /* A launch keeps the bindings of the time when it was issued. */
    EXPECT(cudaBindTexture(&offset, &line, (char *)memory + 512, &floats, W * 4), 0);
    expect(in, rows + W, "as bound first");
    launch();
    float zeros[W] = {0};
    expect(zeros, rows + W, "bound again: 512 bytes on there are zeros");

    /* With an address that is not aligned, the returned offset is that of the first texel. */
    EXPECT(cudaBindTexture(NULL, &line, (char *)memory + 128, &floats, W * 4), INVALID_VALUE);
    EXPECT(cudaBindTexture(&offset, &line, (char *)memory + 128, &floats, W * 4), 0);
    CHECK(offset == 128);
    offset = 0;
    EXPECT(cudaGetTextureAlignmentOffset(&offset, &line), 0);
    CHECK(offset == 128);
    launch();
    expect(in, rows + W, "with an offset");

    /* Rows of pitched memory; compares what the kernel wrote to the surface. */
    EXPECT(cudaBindTexture2D(&offset, &plane, memory, &floats, W, 3, W * 4), 0);
    launch();
    expect(in, in + W, "pitched memory");
    EXPECT(cudaMemcpyFromArray(back, canvas, 0, 0, sizeof back, TO_HOST), 0);
    for (int i = 0; i < W; i++) CHECK(back[2 * W + i] == in[i] + 1000 * in[W + i]);

    const struct texture_reference *r = NULL;
    EXPECT(cudaGetTextureReference(&r, &plane), 0);
    CHECK(r == &plane);
    EXPECT(cudaBindTexture(&offset, &unknown, memory, &floats, 64), INVALID_TEXTURE);
    EXPECT(cudaGetLastError(), INVALID_TEXTURE);

    EXPECT(cudaUnbindTexture(&line), 0);
    launch();
    EXPECT(cudaDeviceSynchronize(), ILLEGAL);
    puts("references: ok");
    return 0;
}

/* driver_references.c - texture and surface references of a module, with all their settings.
 * Argument: references.ptx. A failed check ends the program with status 1. */
#include "driver_calls.h"

enum { WIDTH = 32, HEIGHT = 4, PITCH = 256, OVERRIDE_FORMAT = 1, SURFACE = 2 };
enum { CLAMP = 1, BORDER = 3, LINEAR = 1, AS_INTEGER = 1, NORMALIZED = 2 };

int cuModuleGetTexRef(void **r, void *module, const char *name);
int cuModuleGetSurfRef(void **r, void *module, const char *name);
int cuTexRefSetAddress_v2(size_t *offset, void *r, void *at, size_t bytes);
int cuTexRefSetAddress2D_v2(void *r, const struct cu_array *a, void *at, size_t pitch);
int cuTexRefSetAddress2D_v3(void *r, const struct cu_array *a, void *at, size_t pitch);
int cuTexRefSetArray(void *r, void *array, unsigned flags);
int cuTexRefSetMipmappedArray(void *r, void *array, unsigned flags);
int cuTexRefSetFormat(void *r, int format, int channels);
int cuTexRefSetAddressMode(void *r, int dimension, int mode);
int cuTexRefSetFilterMode(void *r, int mode);
int cuTexRefSetMipmapFilterMode(void *r, int mode);
int cuTexRefSetMipmapLevelBias(void *r, float bias);
int cuTexRefSetMipmapLevelClamp(void *r, float least, float most);
int cuTexRefSetMaxAnisotropy(void *r, unsigned most);
int cuTexRefSetBorderColor(void *r, const float *color);
int cuTexRefSetFlags(void *r, unsigned flags);
int cuSurfRefSetArray(void *r, void *array, unsigned flags);
int cuTexRefGetAddress_v2(void **at, void *r);
int cuTexRefGetArray(void **array, void *r);
int cuTexRefGetMipmappedArray(void **array, void *r);
int cuTexRefGetAddressMode(int *mode, void *r, int dimension);
int cuTexRefGetFilterMode(int *mode, void *r);
int cuTexRefGetMipmapFilterMode(int *mode, void *r);
int cuTexRefGetMipmapLevelBias(float *bias, void *r);
int cuTexRefGetMipmapLevelClamp(float *least, float *most, void *r);
int cuTexRefGetMaxAnisotropy(int *most, void *r);
int cuTexRefGetBorderColor(float *color, void *r);
int cuTexRefGetFlags(unsigned *flags, void *r);
int cuTexRefGetFormat(int *format, int *channels, void *r);
int cuSurfRefGetArray(void **array, void *r);

static void *module, *kernel, *line, *plane, *target, *out;
static float row[HEIGHT][WIDTH];

/* Runs the kernel: out[x] = line[x] + 1000 * plane(x + 0.5, 1.5), also stored to row 2 of target.
 * @return the CUresult of waiting */
static int run(void) {
    void *parameters[] = {&out};
    int error = cuLaunchKernel(kernel, 1, 1, 1, WIDTH, 1, 1, 0, NULL, parameters, NULL);
    return error ? error : cuCtxSynchronize();
}

/* Runs the kernel; out[x] must be want(x). */
static void check(float (*want)(int x)) {
    float got[WIDTH];
    CU(run(), OK);
    CU(cuMemcpyDtoH_v2(got, out, sizeof got), OK);
    for (int x = 0; x < WIDTH; x++)
        if (got[x] != want(x)) {
            printf("out[%d] is %g, not %g\n", x, (double)got[x], (double)want(x));
            exit(1);
        }
}
static float plain(int x) {
    return (float)x / 4 + 1000 * row[1][x];
}
static float with_fractions(int x) {
    return (float)x / 4 + 1000 * ((float)(10 * x / 2) / 255);
}

static void *make_array(int format, unsigned flags) {
    struct cu_array3d shape = {WIDTH, HEIGHT, 0, format, 1, flags};
    void *array;
    CU(cuArray3DCreate_v2(&array, &shape), OK);
    return array;
}

static void to_array(void *array, const void *from, size_t texel) {
    struct cu_flat c = {.src = {.type = 1, .host = from, .pitch = WIDTH * texel},
                        .dst = {.type = 3, .array = array},
                        .width = WIDTH * texel,
                        .height = HEIGHT};
    CU(cuMemcpy2D_v2(&c), OK);
}

static void sampler(void) {
    const float color[4] = {1, 2, 3, 4};
    float least, most, got[4];
    int a, b;
    unsigned flags;
    CU(cuTexRefSetAddressMode(line, 1, BORDER), OK);
    CU(cuTexRefSetAddressMode(line, 3, BORDER), INVALID_VALUE);
    CU(cuTexRefSetAddressMode(line, 0, 4), INVALID_VALUE);
    CU(cuTexRefGetAddressMode(&a, line, 1), OK);
    CHECK(a == BORDER);
    CU(cuTexRefSetFilterMode(line, 2), INVALID_VALUE);
    CU(cuTexRefSetFilterMode(line, LINEAR), OK);
    CU(cuTexRefGetFilterMode(&a, line), OK);
    CHECK(a == LINEAR);
    CU(cuTexRefSetFilterMode(line, 0), OK);
    CU(cuTexRefSetMipmapFilterMode(line, LINEAR), OK);
    CU(cuTexRefGetMipmapFilterMode(&a, line), OK);
    CHECK(a == LINEAR);
    CU(cuTexRefSetMipmapLevelBias(line, 0.5f), OK);
    CU(cuTexRefGetMipmapLevelBias(&least, line), OK);
    CHECK(least == 0.5f);
    CU(cuTexRefSetMipmapLevelClamp(line, 1, 2), OK);
    CU(cuTexRefGetMipmapLevelClamp(&least, &most, line), OK);
    CHECK(least == 1 && most == 2);
    CU(cuTexRefSetMaxAnisotropy(line, 1), OK);
    CU(cuTexRefGetMaxAnisotropy(&a, line), OK);
    CHECK(a == 1);
    CU(cuTexRefSetBorderColor(line, color), OK);
    CU(cuTexRefGetBorderColor(got, line), OK);
    CHECK(memcmp(got, color, sizeof got) == 0);
    CU(cuTexRefSetFlags(line, 8), INVALID_VALUE);
    CU(cuTexRefSetFlags(line, AS_INTEGER), OK);
    CU(cuTexRefGetFlags(&flags, line), OK);
    CHECK(flags == AS_INTEGER);
    CU(cuTexRefGetFormat(&a, &b, line), INVALID_VALUE);
    CU(cuTexRefSetFormat(line, FLOAT, 3), INVALID_VALUE);
    CU(cuTexRefSetFormat(line, FLOAT, 1), OK);
    CU(cuTexRefGetFormat(&a, &b, line), OK);
    CHECK(a == FLOAT && b == 1);
}

int main(int argc, char **argv) {
    char *text = read_text(argc > 1 ? argv[1] : "");
    void *context, *p, *again, *memory, *image, *surface, *bytes, *mips;
    float first[WIDTH];
    unsigned char texel[HEIGHT][WIDTH];
    size_t offset = 9;
    CU(cuInit(0), OK);
    CU(cuCtxCreate_v2(&context, 0, 0), OK);
    CU(cuModuleLoadData(&module, text), OK);
    CU(cuModuleGetFunction(&kernel, module, "through"), OK);
    CU(cuModuleGetTexRef(&p, module, "target"), NOT_FOUND); /* a surface */
    CU(cuModuleGetTexRef(&p, module, "nowhere"), NOT_FOUND);
    CU(cuModuleGetTexRef(&p, &p, "line"), INVALID_HANDLE);
    CU(cuModuleGetTexRef(NULL, module, "line"), INVALID_VALUE);
    CU(cuModuleGetTexRef(&line, module, "line"), OK);
    CU(cuModuleGetTexRef(&again, module, "line"), OK);
    CHECK(again == line);
    CU(cuModuleGetTexRef(&plane, module, "plane"), OK);
    CU(cuModuleGetSurfRef(&target, module, "target"), OK);
    CU(cuMemAlloc_v2(&out, sizeof first), OK);
    CU(cuMemAlloc_v2(&memory, HEIGHT * PITCH), OK);
    for (int x = 0; x < WIDTH; x++) {
        first[x] = (float)x / 4;
        for (int y = 0; y < HEIGHT; y++) {
            row[y][x] = (float)(x * y) / 8;
            texel[y][x] = (unsigned char)(10 * x * y / 2);
        }
    }
    sampler();
    CU(cuTexRefGetAddress_v2(&p, line), INVALID_VALUE);
    CU(cuTexRefSetAddress_v2(&offset, line, NULL, 64), INVALID_VALUE);
    CU(cuTexRefSetAddress_v2(&offset, target, memory, 64), INVALID_VALUE);
    CU(cuMemAlloc_v2(&p, sizeof first), OK);
    CU(cuMemcpyHtoD_v2(p, first, sizeof first), OK);
    CU(cuTexRefSetAddress_v2(&offset, line, p, sizeof first), OK);
    CHECK(offset == 0);
    CU(cuTexRefSetAddress_v2(&offset, line, (char *)p + 64, 64), OK);
    CHECK(offset == 64);
    CU(cuTexRefSetAddress_v2(NULL, line, (char *)p + 64, 64), INVALID_VALUE);
    CU(cuTexRefSetAddress_v2(NULL, line, p, sizeof first), OK);
    CU(cuTexRefGetAddress_v2(&again, line), OK);
    CHECK(again == p);

    surface = make_array(FLOAT, SURFACE);
    image = make_array(FLOAT, 0);
    CU(cuSurfRefGetArray(&again, target), INVALID_VALUE);
    CU(cuSurfRefSetArray(target, surface, 1), INVALID_VALUE);
    /* the array was not created for surfaces */
    CU(cuSurfRefSetArray(target, image, 0), INVALID_VALUE);
    CU(cuSurfRefSetArray(target, surface, 0), OK);
    CU(cuSurfRefGetArray(&again, target), OK);
    CHECK(again == surface);
    to_array(image, row, sizeof(float));
    CU(cuTexRefSetArray(plane, image, 0), INVALID_VALUE);
    CU(cuTexRefSetArray(plane, image, OVERRIDE_FORMAT), OK);
    CU(cuTexRefGetArray(&again, plane), OK);
    CHECK(again == image);
    CU(cuTexRefGetMipmappedArray(&again, plane), INVALID_VALUE);
    check(plain);

    /* Pitched memory. */
    const struct cu_array shape = {WIDTH, HEIGHT, FLOAT, 1};
    for (int y = 0; y < HEIGHT; y++)
        CU(cuMemcpyHtoD_v2((char *)memory + y * PITCH, row[y], sizeof row[y]), OK);
    CU(cuTexRefSetAddress2D_v2(plane, &shape, memory, 100), INVALID_VALUE);
    CU(run(), INVALID_VALUE); /* as it was said */
    CU(cuTexRefSetAddress2D_v2(plane, &shape, memory, PITCH), OK);
    check(plain);
    CU(cuMemcpyHtoD_v2((char *)memory + PITCH, row[2], sizeof row[2]), OK);
    CU(cuMemcpyHtoD_v2((char *)memory + 2 * PITCH, row[1], sizeof row[1]), OK);
    CU(cuTexRefSetAddress2D_v3(plane, &shape, (char *)memory + PITCH, PITCH), INVALID_VALUE);
    const struct cu_array shorter = {WIDTH, HEIGHT - 1, FLOAT, 1};
    CU(cuTexRefSetAddress2D_v3(plane, &shorter, (char *)memory + PITCH, PITCH), OK);
    check(plain);

    /* Bytes read as fractions; linear filtering of integers is possible in no state. */
    bytes = make_array(1, 0);
    to_array(bytes, texel, 1);
    CU(cuTexRefSetArray(plane, bytes, OVERRIDE_FORMAT), OK);
    check(with_fractions);
    CU(cuTexRefSetFlags(plane, AS_INTEGER), OK);
    /* accepted: the format may change before the launch */
    CU(cuTexRefSetFilterMode(plane, LINEAR), OK);
    CHECK(run() != OK);
    CU(cuTexRefSetFlags(plane, 0), OK);
    CU(cuTexRefSetFilterMode(plane, 0), OK);
    check(with_fractions);

    struct cu_array3d shapes = {WIDTH, HEIGHT, 0, FLOAT, 1, 0};
    CU(cuMipmappedArrayCreate(&mips, &shapes, 2), OK);
    CU(cuMipmappedArrayGetLevel(&p, mips, 0), OK);
    to_array(p, row, sizeof(float));
    CU(cuTexRefSetMipmappedArray(plane, mips, OVERRIDE_FORMAT), INVALID_VALUE); /* unnormalized */
    CU(cuTexRefSetFlags(plane, NORMALIZED), OK);
    CU(cuTexRefSetMipmappedArray(plane, mips, OVERRIDE_FORMAT), OK);
    CU(cuTexRefGetMipmappedArray(&again, plane), OK);
    CHECK(again == mips);
    CU(run(), OK);
    CU(cuModuleUnload(module), OK);
    CU(cuTexRefSetFlags(plane, 0), INVALID_VALUE);

    CU(cuModuleLoadData(&module, text), OK); /* nothing is bound there yet */
    CU(cuModuleGetFunction(&kernel, module, "through"), OK);
    CU(run(), 700);
    free(text);
    puts("driver_references: ok");
    return 0;
}

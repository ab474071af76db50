/* programs_texture.c - TEX, TLD4, TXLOD, TXQ, SULD and SUST on objects built by the test,
 * functionally and under the fake timing model (timed.h), and the layout of arrays. A reference in
 * this file reads pitched memory, where the test has placed the texels; tests/textures does the
 * same with arrays and CUDA. A function without parameters is one test program, which ops.c runs by
 * the table at the end of this file: it builds a kernel, runs it everywhere and compares the
 * results. */
#include <math.h>

#include "exec/texture/texture.h"
#include "programs.h"

enum { W = 16, H = 8, THREADS = 64 };

struct bench {
    struct arrays s;
    struct texture_table table;
};

static void set_up(struct bench *b) {
    memset(b, 0, sizeof *b);
    set_up_arrays(&b->s);
    b->s.m.memory.textures = &b->table;
}
static void tear_down(struct bench *b) {
    texture_table_fini(&b->table);
    tear_down_arrays(&b->s);
}

static float float_of(uint32_t u) {
    float f;
    memcpy(&f, &u, 4);
    return f;
}
static uint32_t bits_of(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

/* Makes a texture of one-channel floats, W x H, in rows of 128 bytes. */
static struct texture *plane(struct bench *b, float first) {
    struct texture *t = calloc(1, sizeof *t);
    uint8_t *p = machine_alloc(&b->s.m, H * 128);
    t->ends_at = UINT64_MAX;
    t->image = (struct texture_image){.layout = TEXTURE_PITCHED,
                                      .dims = 2,
                                      .format = {TEXTURE_FLOAT, 1, 32},
                                      .layers = 1,
                                      .levels = 1};
    t->image.level[0] = (struct texture_level){
        .base = (uintptr_t)p, .width = W, .height = H, .depth = 1, .pitch = 128, .slice = H * 128};
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            float v = first + (float)(x * 10 + y * y);
            memcpy(p + y * 128 + x * 4, &v, 4);
        }
    return t;
}
static float texel_of(const struct texture *t, int x, int y) {
    float v;
    memcpy(&v, (uint8_t *)(uintptr_t)t->image.level[0].base + y * 128 + x * 4, 4);
    return v;
}
static uint64_t add(struct bench *b, struct texture *t) {
    uint64_t handle = 0;
    cr_assert_eq(texture_add(&b->table, t, &handle), HEDDLE_OK);
    cr_assert_neq(handle, 0);
    return handle;
}

/* ---- TEX and TLD4: thread i reads at in[4 i], the texture whose handle is in[4 i + 2]: */

/* Emits the kernel: loads 4 words of IN into R8 to R11, executes `inst`, stores R12 to R15 to
 * OUT. */
static void read_kernel(struct kernel *k, struct mir_inst inst) {
    index_of_thread(k);
    element(k, 4, IN, 16);
    element(k, 6, OUT, 16);
    EMIT(k, LDG, .dst = 8, .src = {REG(4)}, GLOBAL, .width = 16, .type = MIR_B128, .wbar = 0);
    EMIT(k, NOP, .wait = 1);
    inst.ptx_count = 1;
    kernel_add(k, inst);
    EMIT(k, STG, .src = {REG(6), REG(12)}, GLOBAL, .width = 16, .wait = 2);
    EMIT(k, EXIT);
}

/* Reference: the coordinate in texels, wrapped or mirrored before it is scaled. */
static double coordinate(const struct texture_sampler *s, unsigned d, float c, int n) {
    double x = (double)c;
    if (!s->normalized) return x;
    if (s->address[d] == TEXTURE_WRAP) x -= floor(x);
    if (s->address[d] == TEXTURE_MIRROR) {
        double turn = fabs(fmod(x, 2)); /* mirroring is an even function */
        x = turn > 1 ? 2 - turn : turn;
    }
    return x * n;
}
/* Reference: texel (x, y), with the address mode applied outside the image. */
static double at(const struct texture *t, int x, int y) {
    const struct texture_sampler *s = &t->sampler;
    int i[2] = {x, y}, n[2] = {W, H};
    for (unsigned d = 0; d < 2; d++) {
        if (i[d] >= 0 && i[d] < n[d]) continue;
        if (s->address[d] == TEXTURE_BORDER) return (double)s->border[0];
        if (s->address[d] == TEXTURE_WRAP && s->normalized)
            i[d] = (i[d] + n[d]) % n[d];
        else
            i[d] = i[d] < 0 ? 0 : n[d] - 1;
    }
    return (double)texel_of(t, i[0], i[1]);
}
/* Reference: the result of a fetch at (x, y); a filter's weights have eight bits of fraction. */
static double expected(const struct texture *t, float x, float y) {
    double u = coordinate(&t->sampler, 0, x, W), v = coordinate(&t->sampler, 1, y, H);
    if (!t->sampler.linear) return at(t, (int)floor(u), (int)floor(v));
    double left = floor(u - 0.5), up = floor(v - 0.5);
    double a = floor((u - 0.5 - left) * 256 + 0.5) / 256,
           b = floor((v - 0.5 - up) * 256 + 0.5) / 256;
    int i = (int)left, j = (int)up;
    return (1 - a) * (1 - b) * at(t, i, j) + a * (1 - b) * at(t, i + 1, j) +
           (1 - a) * b * at(t, i, j + 1) + a * b * at(t, i + 1, j + 1);
}

struct reading {
    struct bench *b;
    const struct texture *texture[2];
    bool gathers;
};
/* Compares fetches (within 1e-4) or gathers (exactly) with the reference. */
static void verify_reading(struct machine *m, void *user) {
    const struct reading *x = user;
    (void)m;
    for (unsigned i = 0; i < THREADS; i++) {
        const struct texture *t = x->texture[i % 3 == 1];
        const uint32_t *in = &x->b->s.in[4 * i], *out = &x->b->s.out[4 * i];
        float u = float_of(in[0]), v = float_of(in[1]);
        if (x->gathers) {
            int l = (int)floorf(u - 0.5f), w = (int)floorf(v - 0.5f);
            const double want[4] = {at(t, l, w + 1), at(t, l + 1, w + 1), at(t, l + 1, w),
                                    at(t, l, w)};
            for (unsigned k = 0; k < 4; k++)
                cr_assert_eq(float_of(out[k]), (float)want[k], "thread %u word %u", i, k);
            continue;
        }
        double want = expected(t, u, v);
        cr_assert(fabs((double)float_of(out[0]) - want) < 1e-4,
                  "thread %u at %g, %g: %g, want %g (mode %u)", i, (double)u, (double)v,
                  (double)float_of(out[0]), want, t->sampler.address[0]);
        cr_assert_eq(out[1], 0);
        cr_assert_eq(out[2], 0);
        cr_assert_eq(out[3], bits_of(1), "a channel that is not there: opaque");
    }
}

/* Writes each thread's random coordinates, from -1 to 2 times (x, y), and its texture's handle to
 * IN. */
static void put_inputs(struct bench *b, const uint64_t handle[2], double x, double y) {
    uint32_t random = 99;
    for (unsigned i = 0; i < THREADS; i++) {
        uint32_t *in = &b->s.in[4 * i];
        for (unsigned k = 0; k < 2; k++) {
            random = random * 1664525u + 1013904223u;
            double r = ((random >> 12 & 0xffff) * 2 + 1) / 131072.0 * 3 - 1; /* -1 .. 2 */
            in[k] = bits_of((float)(r * (k ? y : x)));
        }
        memcpy(in + 2, &handle[i % 3 == 1], 8);
    }
}

/* TEX in all address modes, filters and coordinate ranges, with two textures in one warp. */
static void fetches(void) {
    for (unsigned how = 0; how < 16; how++) {
        struct bench b;
        struct kernel k = {0};
        set_up(&b);
        struct texture *one = plane(&b, 5), *two = plane(&b, -700);
        one->sampler = (struct texture_sampler){.address = {how & 3, how & 3, 0},
                                                .linear = how >> 2 & 1,
                                                .normalized = how >> 3 & 1,
                                                .border = {-50, 0, 0, 1}};
        two->sampler = one->sampler;
        two->sampler.linear = !one->sampler.linear; /* lanes touch different numbers of texels */
        /* the border colour has values in channels that the format lacks: make them equal */
        one->sampler.border[3] = two->sampler.border[3] = 1;
        const uint64_t handle[2] = {add(&b, one), add(&b, two)};
        bool normalized = one->sampler.normalized;
        put_inputs(&b, handle, normalized ? 1 : W, normalized ? 1 : H);
        struct reading x = {&b, {one, two}, false};
        read_kernel(&k, (struct mir_inst)INST(TEX, .dst = 12, .src = {REG(8), REG(10)},
                                              .sub = MIR_TEX_2D, .type = MIR_F32, .type2 = MIR_F32,
                                              .width = 16, .wbar = 1));
        run_everywhere(&k, &b.s.m, 1, THREADS, true, verify_reading, &x);
        tear_down(&b);
    }
}

/* TLD4 with two textures in one warp. */
static void gathers(void) {
    struct bench b;
    struct kernel k = {0};
    set_up(&b);
    struct texture *one = plane(&b, 5), *two = plane(&b, -700);
    for (unsigned d = 0; d < 3; d++) one->sampler.address[d] = TEXTURE_CLAMP;
    for (unsigned d = 0; d < 3; d++) two->sampler.address[d] = TEXTURE_BORDER;
    const uint64_t handle[2] = {add(&b, one), add(&b, two)};
    put_inputs(&b, handle, W, H);
    struct reading x = {&b, {one, two}, true};
    read_kernel(&k,
                (struct mir_inst)INST(TLD4, .dst = 12, .src = {REG(8), REG(10)}, .sub = MIR_TEX_2D,
                                      .type = MIR_F32, .type2 = MIR_F32, .width = 16, .wbar = 1));
    run_everywhere(&k, &b.s.m, 1, THREADS, true, verify_reading, &x);
    tear_down(&b);
}

/* TEX accesses the four texels of a filter, and none beyond the border. */
static void touched(void) {
    struct bench b;
    struct kernel k = {0};
    set_up(&b);
    struct texture *t = plane(&b, 0);
    t->sampler = (struct texture_sampler){.address = {TEXTURE_BORDER, TEXTURE_BORDER, 0},
                                          .linear = true};
    const uint64_t handle[2] = {add(&b, t), t->handle};
    put_inputs(&b, handle, 0, 0); /* corner: one of the four texels lies inside */
    read_kernel(&k,
                (struct mir_inst)INST(TEX, .dst = 12, .src = {REG(8), REG(10)}, .sub = MIR_TEX_2D,
                                      .type = MIR_F32, .type2 = MIR_F32, .width = 16, .wbar = 1));
    struct exec_launch l = kernel_launch(&k, &b.s.m, 1, 32);
    struct exec_pool *pool;
    struct exec_cta *cta;
    static struct exec_record record[256];
    static struct exec_access access[256 * EXEC_RECORD_TEXELS];
    struct exec_trace trace = {record, access, 0, 0, 256};
    l.immediate = false;
    cr_assert_eq(exec_launch_prepare(&l, NULL), HEDDLE_OK);
    cr_assert_eq(exec_pool_create(&pool), HEDDLE_OK);
    cr_assert_eq(exec_cta_create(&cta, pool, &l, 0, 0), HEDDLE_OK);
    cr_assert_eq(exec_warp_run(exec_cta_warp(cta, 0), 100, &trace), EXEC_EXITED);
    unsigned seen = 0;
    for (uint32_t i = 0; i < trace.num_records; i++) {
        const struct exec_record *r = &record[i];
        if (k.code[r->pc].op != MIR_TEX) continue;
        seen++;
        cr_assert_eq(r->texels, 4);
        cr_assert_eq(r->texel_bytes, 4);
        for (unsigned n = 0; n < 4; n++)
            for (unsigned lane = 0; lane < 32; lane++)
                cr_assert_eq(access[r->access + n].address[lane],
                             n == 3 ? t->image.level[0].base : 0, "texel %u lane %u", n, lane);
    }
    cr_assert_eq(seen, 1);
    exec_cta_release(pool, cta);
    exec_pool_free(pool);
    exec_launch_finish(&l);
    tear_down(&b);
}

/* ---- TXLOD, TXQ */

/* Compares TXLOD with log2 of the larger step. */
static void verify_lod(struct machine *m, void *user) {
    const struct bench *b = user;
    (void)m;
    for (unsigned i = 0; i < THREADS; i++) {
        double dx = (double)float_of(b->s.in[4 * i]) * W, dy = (double)float_of(b->s.in[4 * i + 1]);
        double want = log2(fmax(dx, dy * H));
        cr_assert(fabs((double)float_of(b->s.out[4 * i]) - want) < 1e-6, "thread %u: %g, want %g",
                  i, (double)float_of(b->s.out[4 * i]), want);
    }
}
/* TXLOD with random gradients. */
static void level_of_detail(void) {
    struct bench b;
    struct kernel k = {0};
    set_up(&b);
    struct texture *t = plane(&b, 0);
    t->sampler.normalized = true;
    const uint64_t handle[2] = {add(&b, t), t->handle};
    put_inputs(&b, handle, 1, 1);
    for (unsigned i = 0; i < THREADS; i++)
        for (unsigned d = 0; d < 2; d++)
            b.s.in[4 * i + d] = bits_of(fabsf(float_of(b.s.in[4 * i + d])));
    index_of_thread(&k);
    element(&k, 4, IN, 16);
    element(&k, 6, OUT, 16);
    EMIT(&k, LDG, .dst = 8, .src = {REG(4)}, GLOBAL, .width = 16, .type = MIR_B128, .wbar = 0);
    EMIT(&k, MOV, .dst = 16, .src = {REG(8)}, .wait = 1); /* dPdx = (x, 0), dPdy = (0, y) */
    EMIT(&k, MOV, .dst = 17, .src = {RZ});
    EMIT(&k, MOV, .dst = 18, .src = {RZ});
    EMIT(&k, MOV, .dst = 19, .src = {REG(9)});
    EMIT(&k, TXLOD, .dst = 12, .src = {REG(16), REG(10), REG(18)}, .sub = MIR_TEX_2D,
         .type = MIR_F32, .wbar = 1);
    EMIT(&k, STG, .src = {REG(6), REG(12)}, GLOBAL, .width = 4, .wait = 2);
    EMIT(&k, EXIT);
    run_everywhere(&k, &b.s.m, 1, THREADS, true, verify_lod, &b);
    tear_down(&b);
}

/* TXQ: every question about a texture, its sampler and a missing object. */
static void questions(void) {
    struct bench b;
    struct kernel k = {0};
    set_up(&b);
    struct texture *t = plane(&b, 0);
    t->image.format = (struct texture_format){TEXTURE_UNSIGNED, 4, 8};
    t->sampler = (struct texture_sampler){
        .address = {2, 3, 1}, .linear = true, .normalized = true, .normalized_float = true};
    uint64_t handle = add(&b, t);
    static const struct {
        uint8_t what;
        uint32_t want;
    } list[] = {{MIR_TXQ_WIDTH, W},          {MIR_TXQ_HEIGHT, H},     {MIR_TXQ_DEPTH, 0},
                {MIR_TXQ_DATA_TYPE, 0x10d2}, {MIR_TXQ_ORDER, 0x10b5}, {MIR_TXQ_NORMALIZED, 1},
                {MIR_TXQ_LAYERS, 0},         {MIR_TXQ_LEVELS, 1},     {MIR_TXQ_SAMPLES, 1},
                {MIR_TXQ_FILTER, 1},         {MIR_TXQ_ADDRESS_0, 2},  {MIR_TXQ_ADDRESS_1, 3},
                {MIR_TXQ_ADDRESS_2, 1},      {MIR_TXQ_LAYOUT, 1},     {MIR_TXQ_KIND, 1}};
    enum { COUNT = sizeof list / sizeof *list };
    static uint32_t want[COUNT + 1];
    machine_param(&b.s.m, 32, &handle, 8);
    index_of_thread(&k);
    element(&k, 6, OUT, 4);
    for (unsigned i = 0; i < COUNT; i++) {
        EMIT(&k, TXQ, .dst = 12, .src = {PARAM(32)}, .sub = list[i].what, .wbar = 1);
        EMIT(&k, STG, .src = {REG(6), REG(12)}, GLOBAL, .width = 4, .wait = 2, .imm = (int)(4 * i));
        want[i] = list[i].want;
    }
    EMIT(&k, TXQ, .dst = 12, .src = {RZ}, .sub = MIR_TXQ_KIND, .wbar = 1); /* no object */
    EMIT(&k, STG, .src = {REG(6), REG(12)}, GLOBAL, .width = 4, .wait = 2, .imm = 4 * COUNT);
    EMIT(&k, EXIT);
    struct expected_words x = {b.s.out, want, COUNT + 1, "TXQ"};
    run_everywhere(&k, &b.s.m, 1, 1, true, verify_list, &x);
    tear_down(&b);
}

/* ---- surfaces: an array of bytes; thread i copies 16 / n pieces of n bytes to the row below */

struct surface_check {
    struct bench *b;
    struct texture *t;
    unsigned width;
};
/* Compares the row copied by SULD and SUST, byte by byte. */
static void verify_surface(struct machine *m, void *user) {
    const struct surface_check *x = user;
    const struct texture_level *v = &x->t->image.level[0];
    (void)m;
    for (unsigned i = 0; i < 8 * x->width; i++) {
        const uint8_t *from = (uint8_t *)(uintptr_t)v->base +
                              texture_offset(&x->t->image, v, i, 1, 2),
                      *to = (uint8_t *)(uintptr_t)v->base +
                            texture_offset(&x->t->image, v, i, 9, 0);
        cr_assert_eq(*from, (uint8_t)(i * 7 + 3));
        cr_assert_eq(*to, *from, "width %u byte %u: %u, want %u", x->width, i, *to, *from);
    }
}
/* Makes a surface object without memory. */
static struct texture *new_surface(uint8_t dims, struct texture_format format) {
    struct texture *t = calloc(1, sizeof *t);
    t->surface = true;
    t->ends_at = UINT64_MAX;
    t->image = (struct texture_image){
        .layout = TEXTURE_ARRAY, .dims = dims, .format = format, .layers = 1, .levels = 1};
    return t;
}
/* SULD and SUST of every width in a 3D array. */
static void surfaces(void) {
    for (unsigned width = 1; width <= 16; width *= 2) {
        struct bench b;
        struct kernel k = {0};
        set_up(&b);
        struct texture *t = new_surface(3, (struct texture_format){TEXTURE_UNSIGNED, 1, 8});
        t->image.level[0] = (struct texture_level){.width = 300, .height = 20, .depth = 3};
        uint64_t bytes = texture_place(&t->image);
        t->image.level[0].base += (uintptr_t)machine_alloc(&b.s.m, bytes);
        uint64_t handle = add(&b, t);
        const struct texture_level *v = &t->image.level[0];
        for (unsigned i = 0; i < 8 * width; i++)
            *((uint8_t *)(uintptr_t)v->base +
              texture_offset(&t->image, v, i, 1, 2)) = (uint8_t)(i * 7 + 3);
        machine_param(&b.s.m, 32, &handle, 8);
        index_of_thread(&k);
        EMIT(&k, IMAD, .dst = 8, .src = {REG(1), IMM(width), RZ});
        EMIT(&k, MOV, .dst = 9, .src = {IMM(1)});
        EMIT(&k, MOV, .dst = 10, .src = {IMM(2)});
        EMIT(&k, SULD, .dst = 12, .src = {REG(8), PARAM(32)}, .sub = MIR_TEX_3D,
             .width = (uint8_t)width, .wbar = 0);
        EMIT(&k, MOV, .dst = 9, .src = {IMM(9)}, .wait = 1);
        EMIT(&k, MOV, .dst = 10, .src = {RZ});
        EMIT(&k, SUST, .src = {REG(8), PARAM(32), REG(12)}, .sub = MIR_TEX_3D,
             .width = (uint8_t)width);
        EMIT(&k, EXIT);
        struct surface_check x = {&b, t, width};
        run_everywhere(&k, &b.s.m, 1, 8, true, verify_surface, &x);
        tear_down(&b);
    }
}

/* Checks that words are narrowed to the surface's channels, and that stores outside have no
 * effect. */
static void verify_formatted(struct machine *m, void *user) {
    const struct surface_check *x = user;
    const int8_t *p = (int8_t *)(uintptr_t)x->t->image.level[0].base;
    (void)m;
    for (int i = 0; i < 8; i++) {
        int first = 40 * i - 150, second = 10 * i;
        cr_assert_eq(p[2 * i], first < -128 ? -128 : first > 127 ? 127 : first, "element %d", i);
        cr_assert_eq(p[2 * i + 1], second);
    }
}
/* Formatted SUST. */
static void formatted(void) {
    struct bench b;
    struct kernel k = {0};
    set_up(&b);
    struct texture *t = new_surface(1, (struct texture_format){TEXTURE_SIGNED, 2, 8});
    t->image.level[0] = (struct texture_level){.width = 8, .height = 1, .depth = 1};
    t->image.level[0].base = (uintptr_t)machine_alloc(&b.s.m, 512);
    t->image.level[0].pitch = t->image.level[0].slice = 512;
    uint64_t handle = add(&b, t);
    machine_param(&b.s.m, 32, &handle, 8);
    index_of_thread(&k);
    EMIT(&k, IMAD, .dst = 12, .src = {REG(1), IMM(40), IMM((uint32_t)-150)});
    EMIT(&k, IMAD, .dst = 13, .src = {REG(1), IMM(10), RZ});
    EMIT(&k, SUST, .src = {REG(1), PARAM(32), REG(12)}, .width = 8,
         .sub = MIR_TEX_1D | MIR_SURF_FORMATTED | MIR_SURF_ZERO << MIR_SURF_MODE);
    EMIT(&k, EXIT);
    struct surface_check x = {&b, t, 0};
    run_everywhere(&k, &b.s.m, 1, 20, true, verify_formatted, &x);
    tear_down(&b);
}

/* Every byte of an array has a different place (texture_place()), inside the array's memory. */
static void layout(void) {
    static const struct {
        uint8_t dims;
        uint32_t w, h, d, layers, levels;
    } shapes[] = {{1, 100, 1, 1, 1, 1}, {1, 33, 1, 1, 4, 1},  {2, 70, 19, 1, 1, 1},
                  {2, 16, 16, 1, 6, 3}, {3, 20, 10, 6, 1, 2}, {2, 1, 1, 1, 1, 1}};
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct texture_image image = {.layout = TEXTURE_ARRAY,
                                      .dims = shapes[i].dims,
                                      .format = {TEXTURE_FLOAT, 4, 32},
                                      .layers = shapes[i].layers,
                                      .levels = shapes[i].levels};
        image.level[0].width = shapes[i].w;
        image.level[0].height = shapes[i].h;
        image.level[0].depth = shapes[i].d;
        uint64_t bytes = texture_place(&image), used = 0, count = 0;
        uint8_t *seen = calloc(1, bytes);
        for (unsigned l = 0; l < image.levels; l++) {
            const struct texture_level *v = &image.level[l];
            uint32_t slices = image.dims == 3 ? v->depth : image.layers;
            for (uint32_t z = 0; z < slices; z++)
                for (uint32_t y = 0; y < v->height; y++)
                    for (uint64_t x = 0; x < v->width * 16u; x++, count++) {
                        uint64_t place = v->base + texture_offset(&image, v, x, y, z);
                        cr_assert_lt(place, bytes);
                        used += !seen[place];
                        seen[place] = 1;
                        /* pieces of 16 bytes stay together */
                        cr_assert_eq(place % 16, x % 16);
                    }
        }
        cr_assert_eq(used, count, "shape %u: two bytes share a place", i);
        free(seen);
    }
}

const struct op_program texture_programs[] = {
    {MIR_TEX, fetches},   {MIR_TEX, touched},   {MIR_TLD4, gathers},   {MIR_TXLOD, level_of_detail},
    {MIR_TXQ, questions}, {MIR_SULD, surfaces}, {MIR_SUST, formatted}, {MIR_SUST, layout},
};
const unsigned num_texture_programs = sizeof texture_programs / sizeof *texture_programs;

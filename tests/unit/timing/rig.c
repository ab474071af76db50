/* rig.c - see rig.h. Each function runs on the test's thread; the GPU uses as many threads as the
 * placement says. */
#include "rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "ptx/ptx.h"

const struct placement placements[] = {
    {.groups = 1, .threads = 1},
    {.groups = 2, .threads = 1},
    {.groups = 2, .threads = 2},
    {.groups = 3, .threads = 2},
    {.groups = 1, .threads = 2},
    {.groups = 1, .threads = 1, .window = 1},
    {.groups = 2, .threads = 2, .window = 5},
    {.groups = 2, .threads = 1, .window = 1},
    {.groups = 1, .threads = 1, .packets = 4},
    {.groups = 2, .threads = 2, .packets = 4, .window = 5},
    {.groups = 1, .threads = 1, .packets = 64, .run_ahead = 64},
    {.groups = 1, .threads = 1, .run_ahead = 7},
    {.groups = 1, .threads = 1, .run_ahead = 1},
    {.groups = 1, .threads = 1, .delay_seed = 1},
    {.groups = 2, .threads = 2, .delay_seed = 12345},
    {.groups = 2, .threads = 2, .delay_seed = 77, .packets = 4, .window = 1},
    {.groups = 1, .threads = 1, .overlap = true},
    {.groups = 1, .threads = 1, .overlap = true, .packets = 4},
    {.groups = 2, .threads = 2, .overlap = true, .run_ahead = 7},
    {.groups = 3, .threads = 2, .overlap = true, .delay_seed = 5, .window = 4},
    {.groups = 2, .threads = 2, .overlap = true, .window = 5},
    {.groups = 2, .threads = 1, .overlap = true, .window = 2},
};
const unsigned num_placements = sizeof placements / sizeof placements[0];

uint64_t rig_mix(uint64_t hash, uint64_t x) {
    hash = (hash ^ x) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* Returns the file's text (at most 1 MiB), which the caller frees. */
static char *read_text(const char *path, size_t *length) {
    FILE *f = fopen(path, "r");
    cr_assert_not_null(f, "%s", path);
    char *text = malloc(1 << 20);
    *length = fread(text, 1, 1 << 20, f);
    fclose(f);
    return text;
}

/* Loads the V100 with a small GPU's sizes, the placement's settings, and `more`. */
static void load_config(struct rig *r, const char *const *more) {
    const struct placement *p = &r->placement;
    char text[24][64];
    const char *set[24];
    size_t n = 0;
    /* A small GPU, because the fake core is slow. */
    static const char *const small[] = {"sm.count=6",      "l2.slices=12",
                                        "dram.channels=3", "launch.constant=500",
                                        "launch.end=200",  "link.latency=23840"};
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) set[n++] = small[i];
    const struct {
        const char *key;
        unsigned value;
    } own[] = {{"core.window", p->window},
               {"core.packets", p->packets},
               {"exec.run_ahead", p->run_ahead},
               {"test.host_delay_seed", p->delay_seed}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (!own[i].value) continue;
        snprintf(text[n], sizeof text[n], "%s=%u", own[i].key, own[i].value);
        set[n] = text[n];
        n++;
    }
    for (; more && *more; more++) set[n++] = *more;
    struct heddle_diag diag = {0};
    cr_assert_eq(config_load(&r->config, "v100", GPUS, set, n, &diag), HEDDLE_OK, "%s", diag.text);
}

void rig_create(struct rig *r, const struct placement *p, const char *const *sets) {
    rig_create_in(r, p, sets, NULL, 0);
}

void rig_create_in(struct rig *r, const struct placement *p, const char *const *sets,
                   struct system *system, unsigned number) {
    struct heddle_diag diag = {0};
    memset(r, 0, sizeof *r);
    r->placement = *p;
    load_config(r, sets);
    r->mapped = mmap(NULL, RIG_MEMORY + EXEC_REGION, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(r->mapped != MAP_FAILED);
    uintptr_t base = ((uintptr_t)r->mapped + EXEC_REGION - 1) / EXEC_REGION * EXEC_REGION;
    r->bytes = (uint8_t *)base;
    cr_assert_eq(exec_memory_init(&r->memory, base, RIG_MEMORY), HEDDLE_OK);
    size_t length;
    char *text = read_text(KERNELS, &length);
    struct ptx_options ptx;
    ptx_options_default(&ptx);
    cr_assert_eq(ptx_compile(text, length, "kernels.ptx", &ptx, &r->module, &diag), HEDDLE_OK, "%s",
                 diag.text);
    free(text);
    struct gpu_options o = {.config = r->config,
                            .memory = &r->memory,
                            .timing = GPU_TIMING_RTL,
                            .sm_groups = p->groups,
                            .threads = p->threads,
                            .count_code = true,
#ifdef EMULATION /* the real core, instead of fake_core.c */
                            .cards.library = EMULATION,
#endif
                            .system = system,
                            .first_core = number * p->groups,
                            .cards.overlap = p->overlap};
    cr_assert_eq(gpu_create(&r->gpu, &o, &diag), HEDDLE_OK, "%s", diag.text);
}

void rig_free(struct rig *r) {
    gpu_free(r->gpu);
    mir_module_free(r->module);
    exec_memory_fini(&r->memory);
    munmap(r->mapped, RIG_MEMORY + EXEC_REGION);
    config_free(r->config);
}

void *rig_alloc(struct rig *r, uint64_t bytes) {
    uint8_t *p = r->bytes + r->used;
    r->used += (bytes + 255) / 256 * 256 + 256;
    cr_assert_leq(r->used, RIG_MEMORY);
    exec_memory_allow(&r->memory, (uintptr_t)p, bytes);
    return p;
}

static const struct mir_function *find(const struct rig *r, const char *kernel) {
    for (uint32_t i = 0; i < r->module->num_functions; i++)
        if (!strcmp(r->module->functions[i].name, kernel)) return &r->module->functions[i];
    cr_assert_fail("no kernel %s", kernel);
    return NULL;
}

gpu_ticket rig_launch(struct rig *r, uint32_t stream, const char *kernel, uint32_t ctas,
                      uint32_t threads, const struct rig_args *args) {
    uint8_t params[64];
    uint32_t size = 0;
    for (unsigned i = 0; args && i < 4 && args->pointer[i]; i++) {
        memcpy(params + size, &args->pointer[i], 8);
        size += 8;
    }
    for (unsigned i = 0; args && i < args->num_words; i++) {
        memcpy(params + size, &args->word[i], 4);
        size += 4;
    }
    struct gpu_launch l = {.function = find(r, kernel),
                           .module = r->module,
                           .bank = {params},
                           .bank_size = {size},
                           .grid = {ctas, 1, 1},
                           .block = {threads, 1, 1},
                           .name = kernel,
                           .owner = r->owner ? r->owner : r};
    gpu_ticket t;
    struct heddle_diag diag = {0};
    heddle_err e = gpu_launch(r->gpu, stream, &l, r->now_ps, &t, &diag);
    cr_assert_eq(e, HEDDLE_OK, "%s: %s", kernel, diag.text);
    return t;
}

static const char *name_of(const struct placement *p) {
    static char text[120];
    snprintf(text, sizeof text,
             "%u groups, %u threads, window %u, packets %u, run-ahead %u, delays %u", p->groups,
             p->threads, p->window, p->packets, p->run_ahead, p->delay_seed);
    return text;
}

void rig_wait(struct rig *r, gpu_ticket t) {
    struct heddle_diag diag = {0};
    uint64_t end;
    heddle_err e = gpu_wait(r->gpu, t, &end, &diag);
    cr_assert_eq(e, HEDDLE_OK, "%s: %s", name_of(&r->placement), diag.text);
    if (end > r->now_ps) r->now_ps = end;
}

void rig_wait_all(struct rig *r) {
    struct heddle_diag diag = {0};
    uint64_t end;
    heddle_err e = gpu_wait_all(r->gpu, &end, &diag);
    cr_assert_eq(e, HEDDLE_OK, "%s: %s", name_of(&r->placement), diag.text);
    if (end > r->now_ps) r->now_ps = end;
}

uint64_t rig_hash(const struct rig *r) {
    uint64_t h = rig_mix(r->now_ps, r->used);
    for (uint64_t i = 0; i < r->used; i++) h = rig_mix(h, r->bytes[i]);
    size_t count;
    const struct gpu_kernel_record *k = gpu_kernels(r->gpu, &count);
    for (size_t i = 0; i < count; i++, k++) {
#define MIX_COUNT(value) h = rig_mix(h, value);
#define MIX_FLAG MIX_COUNT
#define MIX_HASH MIX_COUNT
#define MIX_HIDDEN MIX_COUNT
#define MIX_PARTS(value) \
    for (size_t m = 0; m < sizeof(value) / sizeof *(value); m++) h = rig_mix(h, (value)[m]);
#define MIX_SPECIAL(value)                          \
    for (uint32_t m = 0; m < k->num_special; m++) { \
        h = rig_mix(h, (value)[m].warps);           \
        h = rig_mix(h, (value)[m].threads);         \
        h = rig_mix(h, (value)[m].slow_threads);    \
    }
#define MIX_CODE(value)
#define MIX_SHAPE MIX_PARTS
#define MIX_NAME(value)
#define MIX_SECONDS(value) /* wall time */
#define MEMBER(type, member, array, sum, name, form, csv, unit, meaning) MIX_##form(k->member)
#define DERIVED(name, form, value, csv, unit, meaning)
#include "tables/kernel_record.def"
        for (const char *c = k->name; *c; c++) h = rig_mix(h, (uint8_t)*c);
    }
    /* Row 0 counts the core's own work; rows of the CUDA layer are 0. */
    for (unsigned row = 1; row < 16; row++) h = rig_mix(h, gpu_statistic(r->gpu, row));
    return h;
}

void rig_everywhere(const char *const *sets, uint64_t (*body)(struct rig *r)) {
    uint64_t want = 0, said = 0;
    for (unsigned i = 0; i < num_placements; i++) {
        const struct placement *p = &placements[i];
        struct rig r;
        rig_create(&r, p, sets);
        uint64_t says = body(&r), hash = rig_hash(&r);
        if (!i) want = hash, said = says;
        cr_expect(hash == want && says == said, "another result with %s: host clock %llu ps",
                  name_of(p), (unsigned long long)r.now_ps);
        rig_free(&r);
    }
}

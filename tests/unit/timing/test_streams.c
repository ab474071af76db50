/* test_streams.c - order and times of operations on the fake core (fake_core.c): streams, copies,
 * events, several kernels at once, conditions; none of it depends on the placement. A function that
 * takes only a rig is the body of a test; rig_everywhere() runs it in every placement and compares
 * what it returns. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"

#define ARGS(...) (&(const struct rig_args){__VA_ARGS__})

enum { LINK_PS = 23840, API_PS = 2000000 }; /* one way over the link; a call's host time */

/* -------------------------------------------------------------------------- copies with a log */

struct log {
    unsigned count;
    uint32_t entry[4096];
};
struct copy {
    struct log *log;
    void *to;
    const void *from;
    uint64_t bytes;
    uint32_t number; /* logged when the copy is performed */
};

/* The effect of a copy or fill: moves the bytes and logs its number. */
static void perform(void *user) {
    struct copy *c = user;
    if (c->to && c->from)
        memcpy(c->to, c->from, c->bytes);
    else if (c->to)
        memset(c->to, (int)c->number, c->bytes);
    c->log->entry[c->log->count++ % 4096] = c->number;
}

/* Issues a copy or fill on the stream, at the host's time. @return its ticket */
static gpu_ticket copy(struct rig *r, uint32_t stream, gpu_copy_kind kind, struct copy *c) {
    const void *device = kind == GPU_COPY_DEVICE_TO_HOST ? c->from : c->to;
    struct gpu_copy g = {.kind = kind,
                         .device_address = (uintptr_t)device,
                         .bytes = c->bytes,
                         .perform = perform,
                         .user = c};
    gpu_ticket t;
    cr_assert_eq(gpu_copy(r->gpu, stream, &g, r->now_ps, &t), HEDDLE_OK);
    return t;
}

static gpu_ticket mark(struct rig *r, uint32_t stream) {
    gpu_ticket t;
    cr_assert_eq(gpu_mark(r->gpu, stream, r->now_ps, &t), HEDDLE_OK);
    return t;
}

static uint64_t end_of(struct rig *r, gpu_ticket t) {
    uint64_t end;
    struct heddle_diag diag = {0};
    cr_assert_eq(gpu_wait(r->gpu, t, &end, &diag), HEDDLE_OK, "%s", diag.text);
    return end;
}

static uint32_t new_stream(struct rig *r, unsigned flags) {
    return gpu_stream_create(r->gpu, flags, 0);
}

/* Launches a long kernel on its own data. @return its ticket */
static gpu_ticket work(struct rig *r, uint32_t stream, uint32_t *out, uint32_t *in, uint32_t n) {
    return rig_launch(r, stream, "scale", (n + 63) / 64, 64,
                      ARGS(.pointer = {out, in}, .num_words = 1, .word = {n}));
}

/* ----------------------------------------------------------------------------------- tests */

/* Copy in, kernel, copy out: in order, with the durations that follow from link and page size. */
static uint64_t pipeline(struct rig *r) {
    enum { N = 3000 };
    static uint32_t host[N], back[N];
    struct log log = {0};
    uint32_t *in = rig_alloc(r, N * 4), *out = rig_alloc(r, N * 4);
    for (unsigned i = 0; i < N; i++) host[i] = i;
    memset(back, 0, sizeof back);
    struct copy a = {&log, in, host, N * 4, 1}, b = {&log, back, out, N * 4, 2};
    gpu_ticket first = mark(r, 0), copied = copy(r, 0, GPU_COPY_HOST_TO_DEVICE, &a);
    gpu_ticket ran = work(r, 0, out, in, N), done = copy(r, 0, GPU_COPY_DEVICE_TO_HOST, &b);
    rig_wait(r, done);
    for (unsigned i = 0; i < N; i++) cr_assert_eq(back[i], 3 * i + 1);
    cr_assert_eq(log.count, 2);
    cr_assert_eq(log.entry[0], 1);
    /* 12,000 bytes are three pages of 4,096; 16 GB/s are 62.5 ps a byte. */
    cr_assert_eq(end_of(r, first), LINK_PS);
    cr_assert_eq(end_of(r, copied), LINK_PS + LINK_PS + 3 * 4096 * 125 / 2);
    cr_assert_gt(end_of(r, ran), end_of(r, copied));
    cr_assert_geq(end_of(r, done), end_of(r, ran) + LINK_PS + 3 * 4096 * 125 / 2);
    cr_assert_eq(gpu_statistic(r->gpu, 8), N * 4);
    return end_of(r, done);
}
Test(streams, copy_run_copy) {
    rig_everywhere(NULL, pipeline);
}

/* Kernels of different streams overlap; those of one stream do not. */
static uint64_t overlap(struct rig *r) {
    enum { N = 1500 };
    uint32_t s = new_stream(r, GPU_STREAM_NON_BLOCKING), t = new_stream(r, GPU_STREAM_NON_BLOCKING);
    uint32_t *in = rig_alloc(r, N * 4), *out = rig_alloc(r, 4 * N * 4);
    memset(in, 0, N * 4);
    gpu_ticket last[2];
    for (unsigned i = 0; i < 2; i++) {
        last[0] = work(r, s, out + i * N, in, N);
        last[1] = work(r, t, out + (i + 2) * N, in, N);
    }
    rig_wait_all(r);
    size_t count;
    const struct gpu_kernel_record *k = gpu_kernels(r->gpu, &count);
    cr_assert_eq(count, 4);
    const struct gpu_kernel_record *by[4] = {0};
    for (size_t i = 0; i < 4; i++) by[k[i].launch] = &k[i];
    cr_assert(by[2]->start_ps >= by[0]->end_ps, "one stream is in order");
    cr_assert(by[3]->start_ps >= by[1]->end_ps, "one stream is in order");
    cr_assert(by[1]->start_ps < by[0]->end_ps, "two streams overlap");
    /* Kernels that overlap share their counts. */
    for (size_t i = 0; i < 4; i += 2) {
        cr_assert_eq(by[i]->issue_hash, by[i + 1]->issue_hash);
        cr_assert_eq(by[i]->dram_read_bytes, by[i + 1]->dram_read_bytes);
    }
    return end_of(r, last[0]) ^ end_of(r, last[1]);
}
Test(streams, kernels_overlap) {
    rig_everywhere(NULL, overlap);
}

/* Each kernel of a chain, issued without waiting, has its own counts. */
static uint64_t chain(struct rig *r) {
    enum { N = 1500, LENGTH = 4, DRAM_READS = 6 };
    uint32_t *in = rig_alloc(r, N * 4), *out = rig_alloc(r, N * 4);
    memset(in, 0, N * 4);
    for (unsigned i = 0; i < LENGTH; i++) work(r, 0, out, in, (i + 1) * 300);
    rig_wait_all(r);
    size_t count;
    const struct gpu_kernel_record *k = gpu_kernels(r->gpu, &count);
    uint64_t bytes = 0, hash = 0;
    cr_assert_eq(count, LENGTH);
    for (size_t i = 0; i < count; i++) {
        cr_assert_neq(k[i].issue_hash, 0, "kernel %zu", i);
        cr_assert_neq(k[i].dram_read_bytes, 0, "kernel %zu", i);
        if (i) cr_assert_gt(k[i].dram_read_bytes, k[i - 1].dram_read_bytes);
        bytes += k[i].dram_read_bytes;
        hash = rig_mix(rig_mix(hash, k[i].issue_hash), k[i].dram_read_bytes);
    }
    cr_assert_eq(bytes, gpu_statistic(r->gpu, DRAM_READS));
    return hash;
}
Test(streams, a_chain_of_kernels) {
    rig_everywhere(NULL, chain);
}

/* The legacy stream waits for blocking streams and they for it; a non-blocking one is
 * independent. */
static uint64_t legacy(struct rig *r) {
    enum { N = 1500 };
    uint32_t b = new_stream(r, 0), f = new_stream(r, GPU_STREAM_NON_BLOCKING);
    uint32_t *in = rig_alloc(r, N * 4), *out = rig_alloc(r, 4 * N * 4);
    memset(in, 0, N * 4);
    gpu_ticket before = work(r, b, out, in, N), middle = work(r, 0, out + N, in, N),
               after = work(r, b, out + 2 * N, in, N), own = work(r, f, out + 3 * N, in, N);
    gpu_ticket point = mark(r, f);
    rig_wait_all(r);
    uint64_t end[] = {end_of(r, before), end_of(r, middle), end_of(r, after), end_of(r, own),
                      end_of(r, point)};
    cr_assert(end[0] < end[1] && end[1] < end[2]);
    cr_assert_lt(end[3], end[1]);
    cr_assert_geq(end[4], end[3]);
    return end[0] ^ end[1] << 1 ^ end[2] << 2 ^ end[3] << 3;
}
Test(streams, the_legacy_stream) {
    rig_everywhere(NULL, legacy);
}

/* A stream that waits for an event, also when nothing else is on it. */
static uint64_t events(struct rig *r) {
    enum { N = 1500 };
    struct log log = {0};
    uint32_t s = new_stream(r, GPU_STREAM_NON_BLOCKING), t = new_stream(r, GPU_STREAM_NON_BLOCKING);
    uint32_t *in = rig_alloc(r, N * 4), *out = rig_alloc(r, N * 4);
    memset(in, 0, N * 4);
    gpu_ticket ran = work(r, s, out, in, N), event = mark(r, s);
    gpu_ticket waited;
    cr_assert_eq(gpu_stream_wait(r->gpu, t, event, r->now_ps, &waited), HEDDLE_OK);
    uint64_t end;
    cr_assert_eq(gpu_wait_stream(r->gpu, t, &end, NULL), HEDDLE_OK);
    cr_assert_geq(end, end_of(r, event));
    cr_assert_geq(end_of(r, event), end_of(r, ran));
    struct copy c = {&log, out, NULL, 64, 9};
    cr_assert_geq(end_of(r, copy(r, t, GPU_MEMSET, &c)), end);
    cr_assert_eq(log.count, 1);
    return end;
}
Test(streams, a_stream_waits_for_an_event) {
    rig_everywhere(NULL, events);
}

/* A stream that is destroyed while its work runs: the work ends, a new stream does not wait for
 * it. */
static uint64_t destroyed(struct rig *r) {
    enum { N = 6000 };
    uint32_t s = new_stream(r, GPU_STREAM_NON_BLOCKING);
    uint32_t *in = rig_alloc(r, N * 4), *out = rig_alloc(r, N * 4);
    for (unsigned i = 0; i < N; i++) in[i] = i, out[i] = 0;
    gpu_ticket ran = work(r, s, out, in, N);
    cr_assert_eq(gpu_stream_destroy(r->gpu, s), HEDDLE_OK);
    gpu_ticket t;
    cr_assert_eq(gpu_mark(r->gpu, s, 0, &t), HEDDLE_ERR_ARGUMENT);
    gpu_ticket other = mark(r, new_stream(r, GPU_STREAM_NON_BLOCKING));
    cr_assert_lt(end_of(r, other), API_PS);
    cr_assert_gt(end_of(r, ran), end_of(r, other));
    cr_assert_eq(out[N - 1], 3 * (N - 1) + 1);
    return end_of(r, ran);
}
Test(streams, destroyed_with_work_in_flight) {
    rig_everywhere(NULL, destroyed);
}

/* Queries, however many, do not change when operations end. */
static uint64_t asked(struct rig *r) {
    enum { N = 3000 };
    uint32_t *in = rig_alloc(r, N * 4), *out = rig_alloc(r, N * 4);
    memset(in, 0, N * 4);
    gpu_ticket ran = work(r, 0, out, in, N);
    bool done = false;
    uint64_t end = 0;
    unsigned times = 0;
    for (; !done; times++) {
        r->now_ps += 200000;
        cr_assert_eq(gpu_query(r->gpu, ran, r->now_ps, &done, &end, NULL), HEDDLE_OK);
        cr_assert(done || end == 0);
        cr_assert(!done || (end <= r->now_ps && end > r->now_ps - 200000));
    }
    cr_assert_gt(times, 2);
    cr_assert_eq(end_of(r, ran), end);
    return end;
}
Test(streams, asking_changes_nothing) {
    rig_everywhere(NULL, asked);
}

Test(streams, asking_is_like_waiting) {
    struct rig a, b;
    enum { N = 3000 };
    rig_create(&a, &placements[0], NULL);
    uint64_t end = asked(&a);
    rig_create(&b, &placements[0], NULL);
    uint32_t *in = rig_alloc(&b, N * 4), *out = rig_alloc(&b, N * 4);
    memset(in, 0, N * 4);
    cr_assert_eq(end_of(&b, work(&b, 0, out, in, N)), end);
    rig_free(&a);
    rig_free(&b);
}

/* Another host thread, whose clock is behind, issues an operation at a past time: it takes effect
 * now. */
Test(streams, an_operation_from_the_past) {
    struct rig r;
    enum { N = 3000 };
    rig_create(&r, &placements[0], NULL);
    uint32_t *in = rig_alloc(&r, N * 4), *out = rig_alloc(&r, N * 4);
    uint32_t s = new_stream(&r, GPU_STREAM_NON_BLOCKING);
    memset(in, 0, N * 4);
    r.now_ps = 50 * API_PS;
    gpu_ticket ran = work(&r, 0, out, in, N);
    bool done;
    uint64_t end;
    r.now_ps += API_PS / 8;
    cr_assert_eq(gpu_query(r.gpu, ran, r.now_ps, &done, &end, NULL), HEDDLE_OK);
    cr_assert_not(done);
    r.now_ps = API_PS;
    gpu_ticket late = work(&r, s, out, in, N);
    cr_assert_geq(end_of(&r, late), 50 * API_PS + API_PS / 8);
    rig_free(&r);
}

/* A hundred streams whose first kernels all become ready at the same time. */
static uint64_t crowd(struct rig *r) {
    enum { STREAMS = 100, N = 64 };
    struct log log = {0};
    uint32_t *in = rig_alloc(r, N * 4), *out = rig_alloc(r, STREAMS * N * 4);
    for (unsigned i = 0; i < N; i++) in[i] = i;
    struct copy c = {&log, out, NULL, STREAMS * N * 4, 0};
    gpu_ticket start = copy(r, new_stream(r, GPU_STREAM_NON_BLOCKING), GPU_MEMSET, &c);
    for (unsigned i = 0; i < STREAMS; i++) {
        uint32_t s = new_stream(r, GPU_STREAM_NON_BLOCKING);
        gpu_ticket waited;
        cr_assert_eq(gpu_stream_wait(r->gpu, s, start, r->now_ps, &waited), HEDDLE_OK);
        work(r, s, out + i * N, in, N);
    }
    rig_wait_all(r);
    for (unsigned i = 0; i < STREAMS * N; i++) cr_assert_eq(out[i], 3 * (i % N) + 1);
    return r->now_ps;
}
Test(streams, many_at_once) {
    rig_everywhere(NULL, crowd);
}

/* The seed of the random program. */
static uint64_t random_state;
static uint32_t draw(uint32_t n) {
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(random_state >> 33) % n;
}

/* Random kernels, copies, events and waits on three streams; each stream's data must be those of
 * its own order. */
static uint64_t random_program(struct rig *r) {
    enum { N = 1000, STEPS = 40, STREAMS = 3 };
    struct log log = {0};
    static uint32_t host[STREAMS][N];
    static struct copy copies[STEPS];
    uint32_t *in[STREAMS], *out[STREAMS], stream[STREAMS] = {0};
    gpu_ticket last = 0, waited;
    stream[1] = new_stream(r, 0);
    stream[2] = new_stream(r, GPU_STREAM_NON_BLOCKING);
    uint64_t seed = random_state, hash = 0;
    for (unsigned s = 0; s < STREAMS; s++) {
        in[s] = rig_alloc(r, N * 4);
        out[s] = rig_alloc(r, N * 4);
        memset(in[s], 0, N * 4);
        memset(out[s], 0, N * 4);
        for (unsigned i = 0; i < N; i++) host[s][i] = draw(1000);
    }
    for (unsigned i = 0; i < STEPS; i++) {
        unsigned s = draw(STREAMS), bytes = 4 + 4 * draw(N - 1);
        struct copy *c = &copies[i];
        *c = (struct copy){&log, in[s], host[s], bytes, i};
        r->now_ps += API_PS + draw(3000000);
        switch (draw(9)) {
        case 0: last = copy(r, stream[s], GPU_COPY_HOST_TO_DEVICE, c); break;
        case 1: c->from = NULL, last = copy(r, stream[s], GPU_MEMSET, c); break;
        case 2:
            c->to = out[s], c->from = in[s];
            last = copy(r, stream[s], GPU_COPY_DEVICE_TO_DEVICE, c);
            break;
        case 3:
            c->to = host[s], c->from = out[s];
            last = copy(r, stream[s], GPU_COPY_DEVICE_TO_HOST, c);
            break;
        case 4: last = mark(r, stream[s]); break;
        case 5:
            if (last)
                cr_assert_eq(gpu_stream_wait(r->gpu, stream[s], last, r->now_ps, &waited),
                             HEDDLE_OK);
            break;
        case 6:
            if (last) rig_wait(r, last);
            break;
        case 7: {
            bool done;
            uint64_t end;
            if (last)
                cr_assert_eq(gpu_query(r->gpu, last, r->now_ps, &done, &end, NULL), HEDDLE_OK);
            break;
        }
        default: last = work(r, stream[s], out[s], in[s], 1 + draw(N)); break;
        }
    }
    rig_wait_all(r);
    for (unsigned i = 0; i < log.count; i++) hash = rig_mix(hash, log.entry[i]);
    for (unsigned s = 0; s < STREAMS; s++)
        for (unsigned i = 0; i < N; i++) hash = rig_mix(hash, host[s][i]);
    random_state = seed; /* the next placement does the same */
    return hash;
}

Test(streams, random_programs) {
    for (uint64_t seed = 1; seed <= 4; seed++) {
        random_state = seed * 7919;
        rig_everywhere(NULL, random_program);
    }
}

/* With calls that cost no host time, the host could notice how far the simulation ran beyond an
 * end. */
static uint64_t hasty(struct rig *r) {
    enum { N = 500 };
    uint32_t *in = rig_alloc(r, N * 4), *out = rig_alloc(r, N * 4);
    uint64_t hash = 0;
    memset(in, 0, N * 4);
    for (unsigned i = 0; i < 10; i++) {
        rig_wait(r, work(r, 0, out, in, N));
        hash = rig_mix(hash, r->now_ps);
        gpu_ticket t = mark(r, 0);
        rig_wait(r, t);
        hash = rig_mix(hash, r->now_ps);
    }
    return hash;
}
Test(streams, a_host_that_takes_no_time) {
    rig_everywhere(NULL, hasty);
}

/* ------------------------------------------------------------------------- what is refused */

/* Launches with this grid, block and shared memory. @return gpu_launch()'s result */
static heddle_err launch_shape(struct rig *r, const uint32_t grid[3], const uint32_t block[3],
                               uint32_t shared, struct heddle_diag *diag) {
    const struct mir_function *f = &r->module->functions[0];
    uint8_t params[64] = {0};
    struct gpu_launch l = {.function = f,
                           .module = r->module,
                           .bank = {params},
                           .bank_size = {f->param_bytes},
                           .dynamic_shared = shared,
                           .name = "shape"};
    memcpy(l.grid, grid, sizeof l.grid);
    memcpy(l.block, block, sizeof l.block);
    gpu_ticket t;
    return gpu_launch(r->gpu, 0, &l, 0, &t, diag);
}

Test(streams, launches_that_cannot_be) {
    struct rig r;
    struct heddle_diag diag;
    rig_create(&r, &placements[0], NULL);
#define SHAPE(...) (const uint32_t[3]){__VA_ARGS__}
    cr_assert_eq(launch_shape(&r, SHAPE(1, 1, 1), SHAPE(1024, 2, 1), 0, &diag), HEDDLE_ERR_LAUNCH);
    cr_assert_str_eq(diag.text, "kernel shape: a grid of 1 x 1 x 1 CTAs of 1024 x 2 x 1 threads "
                                "cannot be launched");
    cr_assert_eq(launch_shape(&r, SHAPE(0, 1, 1), SHAPE(32, 1, 1), 0, &diag), HEDDLE_ERR_LAUNCH);
    cr_assert_eq(launch_shape(&r, SHAPE(1, 65536, 1), SHAPE(32, 1, 1), 0, &diag),
                 HEDDLE_ERR_LAUNCH);
    cr_assert_eq(launch_shape(&r, SHAPE(1, 1, 1), SHAPE(1, 1, 65), 0, &diag), HEDDLE_ERR_LAUNCH);
    /* A product that overflows 64 bits must not look small. */
    cr_assert_eq(launch_shape(&r, SHAPE(1, 1, 1), SHAPE(1u << 31, 1u << 31, 4), 0, &diag),
                 HEDDLE_ERR_LAUNCH);
    cr_assert_eq(launch_shape(&r, SHAPE(1, 1, 1), SHAPE(32, 1, 1), 200000, &diag),
                 HEDDLE_ERR_PTX_RESOURCES);
    cr_assert(strstr(diag.text, "does not fit an SM"), "%s", diag.text);
    size_t count;
    rig_wait_all(&r);
    gpu_kernels(r.gpu, &count);
    cr_assert_eq(count, 0);
    rig_free(&r);
}

/* ------------------------------------------------------------------------------ conditions */

static bool at_least(void *user) {
    const uint32_t *const *word = user;
    return __atomic_load_n(word[0], __ATOMIC_ACQUIRE) >= *word[1];
}

static gpu_ticket until(struct rig *r, uint32_t stream, const uint32_t **words) {
    struct gpu_condition c = {at_least, words};
    gpu_ticket t;
    cr_assert_eq(gpu_condition(r->gpu, stream, &c, r->now_ps, &t), HEDDLE_OK);
    return t;
}

/* A stream continues while another stream's kernel still runs, when half of the kernel's atomics
 * have been performed: at the same target time in every placement. */
static uint64_t half_of_a_sum(struct rig *r) {
    enum { N = 60000, INTERVAL_PS = 1000000 };
    uint32_t s = new_stream(r, GPU_STREAM_NON_BLOCKING), t = new_stream(r, GPU_STREAM_NON_BLOCKING);
    uint32_t *in = rig_alloc(r, N * 4), *sum = rig_alloc(r, 4), half = N / 2;
    for (unsigned i = 0; i < N; i++) in[i] = 1;
    *sum = 0;
    const uint32_t *words[] = {sum, &half};
    gpu_ticket met = until(r, s, words);
    gpu_ticket ran = rig_launch(r, t, "reduce", (N + 127) / 128, 128,
                                ARGS(.pointer = {sum, in}, .num_words = 1, .word = {N}));
    gpu_ticket behind = mark(r, s);
    uint64_t end = end_of(r, met);
    cr_assert_geq(*sum, half);
    cr_assert_lt(*sum, N);
    cr_assert_eq(end_of(r, behind), end);
    cr_assert_gt(end_of(r, ran), end);
    cr_assert_eq(*sum, N);
    gpu_ticket at_once = until(r, s, words); /* met already, at the first check */
    gpu_ticket issued = mark(r, t);
    cr_assert_lt(end_of(r, at_once), end_of(r, issued) + INTERVAL_PS);
    return end;
}
Test(streams, a_condition_that_a_kernel_meets) {
    rig_everywhere(NULL, half_of_a_sum);
}

/* Nothing more can happen: the wait returns that, and may be repeated. */
static uint64_t from_outside(struct rig *r) {
    uint32_t s = new_stream(r, GPU_STREAM_NON_BLOCKING), t = new_stream(r, GPU_STREAM_NON_BLOCKING);
    uint32_t flag = 0, one = 1;
    const uint32_t *words[] = {&flag, &one};
    uint64_t end;
    bool moved, done;
    gpu_ticket met = until(r, s, words), behind = mark(r, s), other = until(r, t, words);
    cr_assert_eq(gpu_wait(r->gpu, behind, &end, NULL), HEDDLE_ERR_WAITING);
    cr_assert_eq(gpu_wait_all(r->gpu, &end, NULL), HEDDLE_ERR_WAITING);
    cr_assert_eq(gpu_drive(r->gpu, &moved, NULL), HEDDLE_OK);
    cr_assert_not(moved);
    cr_assert_eq(gpu_query(r->gpu, met, r->now_ps, &done, &end, NULL), HEDDLE_OK);
    cr_assert_not(done);
    flag = 1;
    end = end_of(r, behind);
    cr_assert_eq(end_of(r, met), end);
    cr_assert_eq(end_of(r, other), end);
    cr_assert_lt(end, 3 * API_PS);
    return end;
}
Test(streams, a_condition_that_the_host_meets) {
    rig_everywhere(NULL, from_outside);
}

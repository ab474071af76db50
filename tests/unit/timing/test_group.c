/* test_group.c - SM groups (timing/group*.c) and the scheduler on the fake core (fake_core.c):
 * kernels compute the right results, and all results are the same in every placement. A function
 * that takes a rig runs one kernel, checks its results and returns a hash of them; rig_everywhere()
 * compares the hashes. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "core_words.h"
#include "rig.h"

#define ARGS(...) (&(const struct rig_args){__VA_ARGS__})

static uint32_t *numbers(struct rig *r, uint32_t n) {
    uint32_t *p = rig_alloc(r, n * sizeof *p);
    for (uint32_t i = 0; i < n; i++) p[i] = i * 7 % 1000;
    return p;
}

/* More CTAs than slots, several per SM, the last one partly filled. */
static uint64_t scale(struct rig *r) {
    enum { N = 20000 };
    uint32_t *in = numbers(r, N), *out = rig_alloc(r, N * 4);
    rig_wait(r, rig_launch(r, 0, "scale", (N + 63) / 64, 64,
                           ARGS(.pointer = {out, in}, .num_words = 1, .word = {N})));
    for (uint32_t i = 0; i < N; i++) cr_assert_eq(out[i], 3 * in[i] + 1, "element %u", i);
    size_t count;
    const struct gpu_kernel_record *k = gpu_kernels(r->gpu, &count);
    cr_assert_eq(count, 1);
    cr_assert_eq(k->grid[0], 313);
    cr_assert_gt(k->cycles, k->launch_cycles);
    cr_assert_eq(k->l2_accesses, 0);
    cr_assert_gt(k->dram_read_bytes, 0);
    return k->cycles;
}
Test(group, more_ctas_than_slots) {
    rig_everywhere(NULL, scale);
}

/* Every instruction is counted, in every placement alike: the profile's sums are the record's. */
static uint64_t counted(struct rig *r) {
    enum { N = 20000, WARPS = N / 32 };
    enum { LAST = 6 * 32 * 2 }; /* warps of CTAs that none follows: a packet is before their EXIT */
    uint32_t *in = numbers(r, N), *out = rig_alloc(r, N * 4);
    rig_wait(r, rig_launch(r, 0, "scale", (N + 63) / 64, 64,
                           ARGS(.pointer = {out, in}, .num_words = 1, .word = {N})));
    size_t count, profiles;
    const struct gpu_kernel_record *k = gpu_kernels(r->gpu, &count);
    const struct code_profile *const *list = gpu_code(r->gpu, &profiles);
    cr_assert_eq(count, 1);
    cr_assert_eq(profiles, 1);
    const struct code_profile *p = list[0];
    cr_assert_eq(k->code, p);
    cr_assert_str_eq(p->name, "scale");
    cr_assert_eq(p->launches, 1);
    struct code_count sum = {0};
    for (uint32_t i = 0; i < p->num_inst; i++) code_counts_add(&sum, &p->count[i], 1);
    cr_assert_eq(sum.warps, k->warp_inst);
    cr_assert_eq(sum.threads, mir_all_kinds(k->thread_inst));
    cr_assert_eq(sum.requests, 2 * WARPS);
    cr_assert_eq(sum.sectors, 2 * WARPS * 4);
    cr_assert_eq(sum.excess_sectors, 0);
    cr_assert_eq(k->access_requests[EXEC_ACCESS_GLOBAL_LOAD], WARPS);
    cr_assert_eq(k->access_sectors[EXEC_ACCESS_GLOBAL_STORE], 4 * WARPS);
    cr_assert_eq(sum.waits, k->memory_waits);
    const uint32_t waited = k->spot[CODE_SPOT_waits];
    cr_assert_eq(p->place[waited].op, MIR_LDG);
    cr_assert_eq(k->spot_most[CODE_SPOT_waits], WARPS);
    cr_assert_eq(k->spot[CODE_SPOT_conflict_passes], CODE_NOWHERE);
    /* what follows from time, as fake_core.c tells it */
    cr_assert_eq(sum.issued, sum.warps + LAST);
    cr_assert_eq(sum.l1_sectors, k->access_sectors[EXEC_ACCESS_GLOBAL_LOAD]);
    cr_assert_eq(sum.l1_hits, WARPS);
    cr_assert_eq(p->count[waited].l1_sectors, sum.l1_sectors);
    cr_assert_eq(sum.wait_stall + sum.wait_shared + sum.wait_constant, 0);
    for (uint32_t i = 0; i < p->num_inst; i++) {
        const uint64_t waits = p->inst[i].wait ? FAKE_WAIT * p->count[i].warps : 0;
        const uint64_t more = p->place[i].op == MIR_EXIT ? LAST : 0;
        cr_assert_eq(p->count[i].issued, p->count[i].warps + more, "%u", i);
        if (p->place[i].op != MIR_EXIT) /* may wait for stores */
            cr_assert_eq(p->count[i].wait_memory, waits, "%u", i);
    }
    cr_assert_gt(sum.wait_memory, 0);
    cr_assert_gt(k->sm_cycles, 0);
    cr_assert_leq(k->warp_cycles, k->sm_cycles * r->config->sm_warps);
    return k->sm_cycles;
}
Test(group, counts_of_instructions) {
    rig_everywhere(NULL, counted);
}

/* The core gets the configuration's values of L2, in the core's units. */
Test(group, parameters_of_l2_arrive) {
    static const struct {
        const char *set;
        enum core_param number;
        uint32_t value;
    } cases[] = {
        {NULL, CORE_PARAM_L2_DIRTY_WAYS, 7}, /* the V100's */
        {"l2.dirty_ways=0", CORE_PARAM_L2_DIRTY_WAYS, 0},
        {"l2.dirty_ways=16", CORE_PARAM_L2_DIRTY_WAYS, 16},
        {"l2.fetch=128", CORE_PARAM_L2_FETCH, 4},
        {NULL, CORE_PARAM_INTERLEAVE, 1},
        {"l2.interleave=512", CORE_PARAM_INTERLEAVE, 4},
        {"l2.dram_entries=77", CORE_PARAM_DRAM_ENTRIES, 77},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const sets[] = {cases[i].set, NULL};
        struct rig r;
        rig_create(&r, placements, sets);
        uint32_t now = fake_core_param(cases[i].number);
        cr_assert_eq(now, cases[i].value, "%s: %u", cases[i].set ? cases[i].set : "V100", now);
        rig_free(&r);
    }
}

/* Sums with atomics on one word. */
static uint64_t reduce(struct rig *r) {
    enum { N = 10000 };
    uint32_t *in = numbers(r, N), *sum = rig_alloc(r, 4), want = 0;
    for (uint32_t i = 0; i < N; i++) want += in[i];
    *sum = 5;
    rig_wait(r, rig_launch(r, 0, "reduce", (N + 127) / 128, 128,
                           ARGS(.pointer = {sum, in}, .num_words = 1, .word = {N})));
    cr_assert_eq(*sum, want + 5);
    return *sum;
}
Test(group, barriers_and_posted_operations) {
    rig_everywhere(NULL, reduce);
}

/* Every thread takes a number from a counter by an atomic; the numbers must all differ. */
static uint64_t tickets(struct rig *r) {
    enum { CTAS = 40, THREADS = 96, N = CTAS * THREADS };
    uint32_t *order = rig_alloc(r, N * 4), *counter = rig_alloc(r, 1024), *total = rig_alloc(r, 4);
    uint8_t *seen = calloc(N, 1);
    uint64_t hash = 0;
    memset(order, 0xff, N * 4);
    memset(counter, 0, 1024);
    rig_wait(r,
             rig_launch(r, 0, "tickets", CTAS, THREADS, ARGS(.pointer = {order, counter, total})));
    cr_assert_eq(counter[0], N);
    cr_assert_eq(counter[128], CTAS);
    cr_assert_eq(*total, N * (N - 1) / 2);
    for (uint32_t i = 0; i < N; i++) {
        cr_assert_lt(order[i], N);
        cr_assert(!seen[order[i]]++, "thread %u has two tickets", order[i]);
        hash = rig_mix(hash, order[i]);
    }
    free(seen);
    return hash; /* only simulated time decides which thread gets which ticket */
}
Test(group, pending_operations_and_the_last_cta) {
    rig_everywhere(NULL, tickets);
}

/* Atomics of 64 bits, locks by compare-and-swap, and each thread's own words. */
static uint64_t widths(struct rig *r) {
    enum { CTAS = 30, THREADS = 64, N = CTAS * THREADS, LOCKS = 16, APART = 160 };
    uint64_t *out = rig_alloc(r, N * 32), *sum = rig_alloc(r, 8);
    uint8_t *locks = rig_alloc(r, LOCKS * APART), *seen = calloc(N, 1);
    uint32_t *own = rig_alloc(r, N * 8), won[LOCKS] = {0};
    uint64_t hash = 0, one = 0x100000001;
    *sum = 0;
    memset(locks, 0, LOCKS * APART);
    rig_wait(r, rig_launch(r, 0, "widths", CTAS, THREADS, ARGS(.pointer = {out, sum, locks, own})));
    cr_assert_eq(*sum, N * one);
    for (uint32_t i = 0; i < N; i++) {
        const uint64_t *x = out + (size_t)4 * i;
        cr_assert_eq(x[0] % one, 0);
        cr_assert_lt(x[0] / one, N);
        cr_assert(!seen[x[0] / one]++, "thread %u adds to an old value", i);
        uint64_t lock;
        memcpy(&lock, locks + i % LOCKS * APART, 8);
        cr_assert(x[1] == 0 ? lock == (i + 1) * UINT64_C(65537) : x[1] == lock, "thread %u", i);
        won[i % LOCKS] += x[1] == 0;
        cr_assert_eq(x[2], (uint64_t)i << 32 | (uint32_t)~i);
        cr_assert_eq((int32_t)x[3], (int16_t)~i);
        cr_assert_eq(own[2 * i], (uint32_t)~i);
        cr_assert_eq(own[2 * i + 1], i + 3);
        hash = rig_mix(rig_mix(hash, x[0]), x[1]);
    }
    for (uint32_t i = 0; i < LOCKS; i++) cr_assert_eq(won[i], 1, "lock %u: %u", i, won[i]);
    free(seen);
    return hash;
}
Test(group, operands_and_results_of_every_width) {
    rig_everywhere(NULL, widths);
}

/* Pairs of CTAs exchange data by a flag with release and acquire. */
static uint64_t handshake(struct rig *r) {
    enum { PAIRS = 60 };
    uint32_t *out = rig_alloc(r, PAIRS * 128), *data = rig_alloc(r, PAIRS * 128),
             *flag = rig_alloc(r, PAIRS * 128);
    memset(out, 0, PAIRS * 128);
    memset(data, 0, PAIRS * 128);
    memset(flag, 0, PAIRS * 128);
    rig_wait(r, rig_launch(r, 0, "handshake", 2 * PAIRS, 32, ARGS(.pointer = {out, data, flag})));
    for (uint32_t i = 0; i < PAIRS; i++)
        for (uint32_t k = 0; k < 32; k++)
            cr_assert_eq(out[i * 32 + k], i * 1000 + k + 7, "pair %u, lane %u", i, k);
    return 0;
}
Test(group, ctas_that_spin_on_each_other) {
    rig_everywhere(NULL, handshake);
}

/* Threads read the clock around a load: plausible, and equal in every placement. */
static uint64_t clocks(struct rig *r) {
    enum { N = 12 * 64 };
    uint32_t *in = numbers(r, N), *out = rig_alloc(r, N * 4);
    uint64_t hash = 0;
    rig_wait(r, rig_launch(r, 0, "clocks", 12, 64, ARGS(.pointer = {out, in})));
    for (uint32_t i = 0; i < N; i++) {
        cr_assert(out[i] >= 50 && out[i] < 5000, "thread %u saw %u cycles", i, out[i]);
        hash = rig_mix(hash, out[i]);
    }
    return hash;
}
Test(group, clocks_show_target_time) {
    rig_everywhere(NULL, clocks);
}

static uint64_t scattered(struct rig *r) {
    enum { N = 8 * 64 };
    uint32_t *out = rig_alloc(r, N * 4);
    rig_wait(r, rig_launch(r, 0, "scattered", 8, 64, ARGS(.pointer = {out})));
    for (uint32_t i = 0; i < N; i++) cr_assert_eq(out[i], 4 * i + 6);
    return 0;
}
Test(group, accesses_of_more_lines_than_a_packet_holds) {
    rig_everywhere(NULL, scattered);
}

/* The core's clock skips idle time: a kernel long after another one, beyond 2^32 cycles. */
static uint64_t late(struct rig *r) {
    enum { N = 1100 }; /* 18 CTAs: each launch begins at the same SM */
    uint32_t *in = numbers(r, N), *out = rig_alloc(r, N * 4);
    uint64_t first = 0;
    for (unsigned i = 0; i < 3; i++) {
        memset(out, 0, N * 4);
        rig_wait(r, rig_launch(r, 0, "scale", (N + 63) / 64, 64,
                               ARGS(.pointer = {out, in}, .num_words = 1, .word = {N})));
        cr_assert_eq(out[N - 1], 3 * in[N - 1] + 1);
        size_t count;
        const struct gpu_kernel_record *k = gpu_kernels(r->gpu, &count);
        if (!i) first = k[0].cycles;
        cr_assert_eq(k[i].cycles, first);
        r->now_ps += UINT64_C(4000000000000) + i; /* four seconds: 5.5e9 cycles */
    }
    return first;
}
Test(group, idle_time_costs_the_core_nothing) {
    /* device memory's pauses come at fixed times */
    rig_everywhere((const char *const[]){"dram.pause=0", NULL}, late);
}

/* Tiny limits: one CTA and four warps per SM. */
static uint64_t narrow(struct rig *r) {
    return reduce(r) + tickets(r);
}
Test(group, one_cta_at_a_time) {
    static const char *const sets[] = {"sm.ctas=1", "sm.warps=4", "sm.count=3", NULL};
    rig_everywhere(sets, narrow);
}

/* ------------------------------------------------------------------------------ what fails */

/* What gpu_failed_fn was told. */
struct failures {
    unsigned count;
    const void *owner;
    heddle_err err;
    struct exec_fault fault;
    char text[1000];
};
static void note_failure(void *user, const struct gpu_failure *f) {
    struct failures *all = user;
    all->count++;
    all->owner = f->owner;
    all->err = f->err;
    all->fault = *f->fault;
    snprintf(all->text, sizeof all->text, "%s", f->text);
}

/* A kernel of one owner fails beside another owner's, and with more of its own behind it. */
Test(group, a_stray_store_is_its_owners_fault_alone) {
    uint64_t cycles = 0;
    struct gpu_kernel_record failed = {0};
    for (unsigned i = 0; i < num_placements; i++) {
        struct rig r;
        struct heddle_diag diag = {0};
        struct failures failures = {0};
        uint64_t end;
        size_t count;
        rig_create(&r, &placements[i], NULL);
        gpu_set_failed(r.gpu, note_failure, &failures);
        uint32_t *word = rig_alloc(&r, 4), *other = rig_alloc(&r, 4);
        uint32_t side = gpu_stream_create(r.gpu, GPU_STREAM_NON_BLOCKING, 0);
        gpu_ticket before = rig_launch(&r, 0, "stray", 4, 32,
                                       ARGS(.pointer = {word}, .num_words = 1, .word = {0}));
        gpu_ticket bad = rig_launch(&r, 0, "stray", 40, 32,
                                    ARGS(.pointer = {word + 64}, .num_words = 1, .word = {33}));
        gpu_ticket behind = rig_launch(&r, 0, "stray", 4, 32,
                                       ARGS(.pointer = {word}, .num_words = 1, .word = {0}));
        r.owner = &failures;
        gpu_ticket beside = rig_launch(&r, side, "stray", 400, 32,
                                       ARGS(.pointer = {other}, .num_words = 1, .word = {399}));
        rig_wait(&r, before);
        cr_assert_eq(*word, 5);
        *word = 0;
        cr_assert_eq(gpu_wait(r.gpu, bad, &end, &diag), HEDDLE_ERR_ILLEGAL_ADDRESS);
        cr_assert_eq(failures.count, 1);
        cr_assert_eq(failures.owner, &r);
        cr_assert_eq(failures.err, HEDDLE_ERR_ILLEGAL_ADDRESS);
        cr_assert_eq(failures.fault.cta[0], 33);
        cr_assert_eq(failures.fault.thread[0], 0);
        cr_assert_eq(failures.fault.address, (uintptr_t)(word + 64));
        cr_assert(strstr(failures.text, "stray"), "%s", failures.text);
        /* The owner's other launch does not run; the other owner's does all its work. */
        cr_assert_eq(gpu_wait_all(r.gpu, &end, &diag), HEDDLE_OK, "%s", diag.text);
        cr_assert_not(gpu_is_dead(r.gpu));
        cr_assert_eq(gpu_wait(r.gpu, behind, &end, &diag), HEDDLE_OK);
        cr_assert_eq(*word, 0);
        cr_assert_eq(gpu_wait(r.gpu, beside, &end, &diag), HEDDLE_OK);
        cr_assert_eq(*other, 5);
        cr_assert_eq(failures.count, 1);
        const struct gpu_kernel_record *k = gpu_kernels(r.gpu, &count);
        cr_assert_eq(count, 3, "what had not begun has no record");
        cr_assert_eq(k[1].launch, 3);
        cr_assert_not(k[1].stopped);
        cr_assert_eq(k[1].ctas_done, 400);
        cr_assert_eq(k[2].launch, 1);
        cr_assert(k[2].stopped);
        cr_assert_lt(k[2].ctas_done, 40);
        if (!i) {
            cycles = k[1].cycles;
            failed = k[2];
        }
        cr_assert_eq(k[1].cycles, cycles,
                     "the failure beside it comes at the same time everywhere");
        cr_assert_eq(k[2].cycles, failed.cycles, "and is recorded so");
        cr_assert_eq(k[2].ctas_done, failed.ctas_done);
        /* And so does a launch that its owner issues later. */
        gpu_ticket t = rig_launch(&r, 0, "stray", 4, 32,
                                  ARGS(.pointer = {word}, .num_words = 1, .word = {0}));
        cr_assert_eq(gpu_wait(r.gpu, t, &end, &diag), HEDDLE_OK, "%s", diag.text);
        cr_assert_eq(*word, 5);
        k = gpu_kernels(r.gpu, &count);
        cr_assert_eq(count, 4);
        cr_assert_leq(k[3].cycles, k[0].cycles, "it is alone");
        rig_free(&r);
    }
}

/* A reset cancels what had not ended, and the GPU runs again, later in time. */
Test(group, a_reset_gives_everything_up) {
    for (unsigned i = 0; i < num_placements; i++) {
        struct rig r;
        struct heddle_diag diag = {0};
        uint64_t end, first_end;
        size_t count;
        rig_create(&r, &placements[i], NULL);
        uint32_t *word = rig_alloc(&r, 4);
        gpu_ticket before = rig_launch(&r, 0, "stray", 4, 32,
                                       ARGS(.pointer = {word}, .num_words = 1, .word = {0}));
        gpu_ticket t = rig_launch(&r, 0, "stuck", 2, 64, NULL);
        rig_wait(&r, before);
        cr_assert_eq(gpu_wait(r.gpu, t, &end, &diag), HEDDLE_ERR_DEADLOCK);
        cr_assert(gpu_is_dead(r.gpu));
        /* Every wait returns the error from now on, and nothing more can be issued. */
        cr_assert_eq(gpu_wait(r.gpu, before, &end, &diag), HEDDLE_ERR_DEADLOCK);
        cr_assert_eq(gpu_wait_all(r.gpu, &end, &diag), HEDDLE_ERR_DEADLOCK);
        struct gpu_copy copy = {
            .kind = GPU_COPY_HOST_TO_DEVICE, .device_address = (uintptr_t)word, .bytes = 4};
        gpu_ticket none;
        cr_assert_eq(gpu_copy(r.gpu, 0, &copy, 0, &none), HEDDLE_ERR_DEADLOCK);
        cr_assert_eq(gpu_mark(r.gpu, 0, 0, &none), HEDDLE_ERR_DEADLOCK);
        cr_assert_eq(gpu_stream_wait(r.gpu, 0, before, 0, &none), HEDDLE_ERR_DEADLOCK);
        cr_assert_eq(gpu_reset(r.gpu, &diag), HEDDLE_OK, "%s", diag.text);
        cr_assert_not(gpu_is_dead(r.gpu));
        cr_assert_eq(gpu_wait(r.gpu, t, &end, &diag), HEDDLE_ERR_STOPPED);
        cr_assert_eq(gpu_wait(r.gpu, before, &first_end, &diag), HEDDLE_OK);
        t = rig_launch(&r, 0, "stray", 4, 32, ARGS(.pointer = {word}, .num_words = 1, .word = {0}));
        *word = 0;
        cr_assert_eq(gpu_wait(r.gpu, t, &end, &diag), HEDDLE_OK, "%s", diag.text);
        cr_assert_eq(*word, 5);
        cr_assert_gt(end, first_end);
        const struct gpu_kernel_record *k = gpu_kernels(r.gpu, &count);
        cr_assert_eq(count, 3);
        cr_assert(k[1].stopped, "it waited forever");
        cr_assert_eq(k[2].launch, 2);
        cr_assert_eq(k[2].cycles, k[0].cycles, "a reset changes no time");
        rig_free(&r);
    }
}

Test(group, a_kernel_that_waits_for_ever_is_named) {
    for (unsigned i = 0; i < num_placements; i++) {
        struct rig r;
        struct heddle_diag diag = {0};
        uint64_t end;
        rig_create(&r, &placements[i], NULL);
        gpu_ticket t = rig_launch(&r, 0, "stuck", 2, 64, NULL);
        cr_assert_eq(gpu_wait(r.gpu, t, &end, &diag), HEDDLE_ERR_DEADLOCK, "%s", diag.text);
        cr_assert_str_eq(
            diag.text,
            "nothing is left to happen, but kernel stuck on stream 0 has not ended: its warps wait "
            "for something that no other warp will do:\n"
            "  SM 0, CTA (0,0,0), warp 0 waits at CTA barrier 1, where 1 of 2 "
            "warps have arrived, instruction 4 (BAR), PTX line 247\n"
            "  SM 1, CTA (1,0,0), warp 0 waits at CTA barrier 1, where 1 of 2 "
            "warps have arrived, instruction 4 (BAR), PTX line 247");
        cr_assert_eq(gpu_wait_all(r.gpu, &end, &diag), HEDDLE_ERR_DEADLOCK);
        rig_free(&r);
    }
}

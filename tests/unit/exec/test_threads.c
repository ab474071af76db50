/* test_threads.c - several host threads: executors of several launches on one memory, and
 * operations performed by other threads, each of which owns some sectors. The test must also pass
 * under ThreadSanitizer. */
#include <criterion/criterion.h>
#include <pthread.h>

#include "assemble.h"

enum { LAUNCHES = 2, OWNERS = 2, CTAS = 4, THREADS = 128, COUNTERS = 16 };

struct job {
    struct machine *m;
    struct kernel k;
    struct exec_launch l;
    struct exec_cta *cta[CTAS];
    struct {
        struct exec_warp *warp;
        uint8_t slot;
        uint32_t lanes;
    } pending[CTAS * 4 * EXEC_MAX_INFLIGHT];
    unsigned count;
    bool over;
    pthread_barrier_t turn;
};
struct owner {
    struct job *job;
    unsigned number;
};

/* Emits a kernel that adds to counters shared by all threads, and writes a volatile word of each
 * thread. */
static void counting_kernel(struct kernel *k) {
    emit_global_index(k, 1, 2);
    EMIT(k, LOP3, .dst = 2, .sub = 0xc0, .src = {REG(1), IMM(COUNTERS - 1)});
    EMIT(k, SHF, .dst = 2, .src = {REG(2), IMM(3)}); /* 32 bytes apart */
    emit_element(k, 4, 0, 2);
    emit_element(k, 6, 8, 1);
    uint32_t top = HERE(k);
    EMIT(k, ATOMG, .dst = 8, .src = {REG(4), IMM(1)}, .sub = MIR_ATOM_ADD, .flags = MIR_ADDR64,
         .sem = MIR_RELAXED, .wbar = 0);
    EMIT(k, RED, .src = {REG(6), IMM(1)}, .sub = MIR_ATOM_ADD, .flags = MIR_ADDR64,
         .sem = MIR_RELAXED);
    LOAD(k, 9, 6, .wbar = 1);
    EMIT(k, IADD3, .dst = 10, .src = {REG(10), IMM(1)});
    EMIT(k, ISETP, .pdst = {0, MIR_PT}, .cmp = MIR_CMP_LT, .src = {REG(10), IMM(10)}, .wait = 3);
    EMIT(k, BRA, .guard = 0, .imm = (int32_t)top);
    STORE(k, 6, 9, .imm = CTAS * THREADS * 4);
    EMIT(k, EXIT);
}

/* Runs all warps as far as possible and stores their operations in the job. @return true when all
 * have ended */
static bool run_warps(struct job *j) {
    static _Thread_local struct exec_record record[64];
    static _Thread_local struct exec_access access[64];
    bool over = true;
    j->count = 0;
    for (unsigned c = 0; c < CTAS; c++)
        for (unsigned i = 0; i < THREADS / 32; i++) {
            struct exec_warp *w = exec_cta_warp(j->cta[c], i);
            while (exec_warp_ready(w)) {
                struct exec_trace t = {record, access, 0, 0, 64};
                MUST(exec_warp_run(w, 32, &t) != EXEC_FAULT);
                for (uint32_t r = 0; r < t.num_records; r++) {
                    if (record[r].inflight == EXEC_NO_INFLIGHT) continue;
                    j->pending[j->count].warp = w;
                    j->pending[j->count].slot = record[r].inflight;
                    j->pending[j->count++].lanes = record[r].mask;
                }
            }
        }
    for (unsigned c = 0; c < CTAS; c++) {
        for (unsigned i = 0; i < THREADS / 32; i++) {
            struct exec_trace t = {record, access, 0, 0, 64};
            over = over && exec_warp_run(exec_cta_warp(j->cta[c], i), 0, &t) == EXEC_EXITED;
        }
    }
    return over && j->count == 0;
}

/* An owner's thread: performs, in each turn, all pending lanes in its own sectors. */
static void *own_sectors(void *user) {
    struct owner *o = user;
    struct job *j = o->job;
    for (;;) {
        pthread_barrier_wait(&j->turn); /* the warps have run */
        if (j->over) return NULL;
        uint64_t base = (uintptr_t)j->m->bytes;
        for (unsigned n = 0; n < j->count; n++)
            for (uint64_t at = base + 32 * o->number; at < base + j->m->used; at += 32 * OWNERS) {
                uint32_t lanes = exec_inflight_lanes(j->pending[n].warp, j->pending[n].slot, at);
                if (lanes) exec_perform(j->pending[n].warp, j->pending[n].slot, lanes, 0);
            }
        pthread_barrier_wait(&j->turn); /* performed */
    }
}

/* A launch's thread: runs its warps and its owners in turns until all warps have ended. */
static void *run_job(void *user) {
    struct job *j = user;
    struct exec_pool *pool;
    struct owner owner[OWNERS];
    pthread_t thread[OWNERS];
    j->l.immediate = false;
    MUST(exec_launch_prepare(&j->l, NULL) == HEDDLE_OK);
    MUST(exec_pool_create(&pool) == HEDDLE_OK);
    for (unsigned c = 0; c < CTAS; c++)
        MUST(exec_cta_create(&j->cta[c], pool, &j->l, c, c) == HEDDLE_OK);
    pthread_barrier_init(&j->turn, NULL, OWNERS + 1);
    for (unsigned i = 0; i < OWNERS; i++) {
        owner[i] = (struct owner){j, i};
        pthread_create(&thread[i], NULL, own_sectors, &owner[i]);
    }
    while (!(j->over = run_warps(j))) {
        pthread_barrier_wait(&j->turn);
        pthread_barrier_wait(&j->turn);
        for (unsigned n = 0; n < j->count; n++)
            MUST(exec_complete(j->pending[n].warp, j->pending[n].slot, j->pending[n].lanes));
    }
    pthread_barrier_wait(&j->turn);
    for (unsigned i = 0; i < OWNERS; i++) pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&j->turn);
    for (unsigned c = 0; c < CTAS; c++) exec_cta_release(pool, j->cta[c]);
    exec_pool_free(pool);
    exec_launch_finish(&j->l);
    return NULL;
}

Test(threads, one_memory) {
    static struct machine m[LAUNCHES]; /* bank 0 of each; one memory */
    static struct job job[LAUNCHES];
    pthread_t thread[LAUNCHES];
    uint32_t *counters[LAUNCHES], *own[LAUNCHES];
    machine_init(&m[0], 1 << 20);
    for (unsigned i = 0; i < LAUNCHES; i++) {
        counters[i] = machine_alloc(&m[0], COUNTERS * 32);
        own[i] = machine_alloc(&m[0], 2 * CTAS * THREADS * 4);
    }
    for (unsigned i = 0; i < LAUNCHES; i++) {
        if (i) m[i] = m[0];
        machine_param_pointer(&m[i], 0, counters[i]);
        machine_param_pointer(&m[i], 8, own[i]);
        counting_kernel(&job[i].k);
        job[i].m = &m[i];
        job[i].l = kernel_launch(&job[i].k, &m[i], CTAS, THREADS);
        job[i].l.memory = &m[0].memory;
    }
    for (unsigned i = 0; i < LAUNCHES; i++) pthread_create(&thread[i], NULL, run_job, &job[i]);
    for (unsigned i = 0; i < LAUNCHES; i++) pthread_join(thread[i], NULL);
    for (unsigned i = 0; i < LAUNCHES; i++) {
        for (unsigned c = 0; c < COUNTERS; c++)
            cr_assert_eq(counters[i][8 * c], 10 * CTAS * THREADS / COUNTERS, "counter %u: %u", c,
                         counters[i][8 * c]);
        for (unsigned t = 0; t < CTAS * THREADS; t++) {
            cr_assert_eq(own[i][t], 10);
            cr_assert_eq(own[i][t + CTAS * THREADS], 10);
        }
    }
    machine_fini(&m[0]);
}

/* A thread that reads state bytes, as a warp does, while another allocates and frees. */
static void *read_states(void *p) {
    const struct exec_memory *m = p;
    uint64_t sum = 0;
    for (unsigned turn = 0; turn < 100; turn++)
        for (unsigned i = 0; i < 64; i++) sum += __atomic_load_n(&m->state[i], __ATOMIC_RELAXED);
    return (void *)(uintptr_t)(sum <= UINT64_C(100) * 64 * EXEC_SECTOR);
}
Test(threads, states_change_while_others_read_them) {
    struct exec_memory m;
    const uint64_t base = UINT64_C(0x7e8000000000);
    cr_assert_eq(exec_memory_init(&m, base, EXEC_REGION), HEDDLE_OK);
    pthread_t reader;
    void *good;
    pthread_create(&reader, NULL, read_states, &m);
    for (unsigned i = 0; i < 100; i++) {
        exec_memory_allow(&m, base + 3 * EXEC_SECTOR, 50 * EXEC_SECTOR + 7);
        exec_memory_forbid(&m, base + 3 * EXEC_SECTOR, 50 * EXEC_SECTOR + 7);
    }
    pthread_join(reader, &good);
    cr_assert(good);
    exec_memory_fini(&m);
}

/* exec_speed.c - speed of the executor: MIR warp instructions per second of small loops,
 * functionally only, and with a trace as for timing (the trace is discarded). One thread.
 *
 *   exec_speed [seconds per measurement] */
#include <stdio.h>
#include <time.h>

#include "../tests/unit/exec/assemble.h"

/* Wall time in seconds. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Emits the end of a loop to `top`, with the counter in R20 and the limit in parameter 0, and EXIT.
 * The loop_* functions below emit the measured loops. */
static void close_loop(struct kernel *k, uint32_t top) {
    EMIT(k, IADD3, .dst = 20, .src = {REG(20), IMM(1)});
    EMIT(k, ISETP, .pdst = {0, MIR_PT}, .type = MIR_S32, .cmp = MIR_CMP_LT,
         .src = {REG(20), PARAM(0)});
    EMIT(k, BRA, .guard = 0, .imm = (int32_t)top);
    EMIT(k, EXIT);
}
static void loop_ffma(struct kernel *k) {
    uint32_t top = HERE(k);
    for (uint8_t i = 0; i < 13; i++)
        EMIT(k, FFMA, .type = MIR_F32, .dst = i % 4, .src = {REG(i % 4), REG(4), REG(5)});
    close_loop(k, top);
}
static void loop_short(struct kernel *k) {
    uint32_t top = HERE(k);
    EMIT(k, FADD, .type = MIR_F32, .dst = 0, .src = {REG(0), REG(4)});
    close_loop(k, top);
}
static void loop_integer(struct kernel *k) {
    EMIT(k, S2R, .dst = 0, .sub = MIR_SR_LANEID);
    uint32_t top = HERE(k);
    EMIT(k, IMAD, .dst = 1, .src = {REG(0), IMM(1664525), IMM(1013904223)});
    EMIT(k, SHF, .dst = 2, .flags = MIR_RIGHT, .src = {REG(1), IMM(7)});
    EMIT(k, LOP3, .dst = 0, .sub = 0x3c, .src = {REG(1), REG(2), RZ});
    EMIT(k, IADD3, .dst = 3, .src = {REG(3), REG(0), REG(2)});
    EMIT(k, IMNMX, .dst = 4, .psrc = {MIR_PT, MIR_PT, MIR_PT}, .src = {REG(3), REG(0)});
    close_loop(k, top);
}
static void loop_memory(struct kernel *k) {
    emit_global_index(k, 0, 1);
    emit_element(k, 2, 8, 0);
    uint32_t top = HERE(k);
    LOAD(k, 8, 2);
    EMIT(k, FADD, .type = MIR_F32, .dst = 8, .src = {REG(8), IMM(0x3f800000)});
    STORE(k, 2, 8);
    EMIT(k, IADD3, .dst = 4, .pdst = {1, MIR_PT}, .src = {REG(4), IMM(4)});
    EMIT(k, IADD3, .dst = 5, .flags = MIR_X, .psrc = {1, MIR_PT, MIR_PT}, .src = {REG(5), RZ});
    close_loop(k, top);
}
static void loop_shared(struct kernel *k) {
    k->shared_bytes = 4096;
    EMIT(k, S2R, .dst = 0, .sub = MIR_SR_TID_X);
    EMIT(k, SHF, .dst = 1, .src = {REG(0), IMM(2)});
    uint32_t top = HERE(k);
    EMIT(k, STS, .src = {REG(1), REG(2)});
    EMIT(k, BAR);
    EMIT(k, LDS, .dst = 2, .src = {REG(1)});
    EMIT(k, IADD3, .dst = 2, .src = {REG(2), IMM(3)});
    close_loop(k, top);
}
static void loop_divergent(struct kernel *k) {
    EMIT(k, S2R, .dst = 0, .sub = MIR_SR_LANEID);
    EMIT(k, ISETP, .pdst = {1, MIR_PT}, .cmp = MIR_CMP_LT, .src = {REG(0), IMM(16)});
    uint32_t top = HERE(k);
    uint32_t ssy = EMIT(k, BSSY, .sub = 0);
    uint32_t other = EMIT(k, BRA, .guard = 1);
    EMIT(k, IADD3, .dst = 2, .src = {REG(2), IMM(3)});
    uint32_t out = EMIT(k, BRA);
    PATCH(k, other);
    EMIT(k, IADD3, .dst = 2, .src = {REG(2), IMM(5)});
    PATCH(k, out);
    PATCH(k, ssy);
    EMIT(k, BSYNC, .sub = 0);
    close_loop(k, top);
}
static void loop_double(struct kernel *k) {
    uint32_t top = HERE(k);
    for (uint8_t i = 0; i < 5; i++)
        EMIT(k, DFMA, .type = MIR_F64, .dst = 2 * (i % 2),
             .src = {REG(2 * (i % 2)), REG(4), REG(6)});
    close_loop(k, top);
}
static void loop_gather(struct kernel *k) { /* accesses of neighbouring lanes are 8 bytes apart */
    emit_global_index(k, 0, 1);
    EMIT(k, IMAD, .dst = 2, .flags = MIR_WIDE, .src = {REG(0), IMM(8), PARAM(8)});
    uint32_t top = HERE(k);
    LOAD(k, 8, 2);
    EMIT(k, FADD, .type = MIR_F32, .dst = 8, .src = {REG(8), IMM(0x3f800000)});
    STORE(k, 2, 8);
    close_loop(k, top);
}

/* A kernel of 13 instructions, which runs on many CTAs: shows the cost of creating CTAs. */
static void short_kernel(struct kernel *k) {
    emit_global_index(k, 0, 1);
    EMIT(k, ISETP, .pdst = {0, MIR_PT}, .type = MIR_U32, .cmp = MIR_CMP_GE,
         .src = {REG(0), PARAM(24)});
    EMIT(k, EXIT, .guard = 0);
    for (uint8_t i = 0; i < 3; i++) emit_element(k, 2 + 2 * i, 8, 0);
    LOAD(k, 8, 2);
    LOAD(k, 9, 4);
    EMIT(k, FADD, .dst = 8, .src = {REG(8), REG(9)});
    STORE(k, 6, 8);
    EMIT(k, EXIT);
}
/* Prints the best rate of 20 runs of short_kernel(). */
static void vector_add_rate(void) {
    enum { CTAS = 640, THREADS = 256 };
    struct machine m;
    struct kernel k = {0};
    double best = 0;
    machine_init(&m, 4 << 20);
    machine_param_pointer(&m, 8, machine_alloc(&m, CTAS * THREADS * 4));
    machine_param_word(&m, 24, CTAS * THREADS);
    short_kernel(&k);
    for (int i = 0; i < 20; i++) {
        struct exec_counts c;
        double begin = now();
        if (kernel_run(&k, &m, CTAS, THREADS, &c, NULL, NULL)) abort();
        double r = (double)c.warp_inst / (now() - begin);
        best = r > best ? r : best;
    }
    printf("%-30s %10.1f\n", "vector add, 640 CTAs", 1e-6 * best);
    machine_fini(&m);
}

/* Runs the CTA of a launch with a trace, its warps in turn with 32 instructions each. @return warp
 * instructions. */
static uint64_t run_traced(struct exec_launch *l) {
    static struct exec_record record[64];
    static struct exec_access access[64];
    struct exec_pool *pool;
    struct exec_cta *cta;
    struct exec_counts counts;
    l->immediate = false;
    if (exec_launch_prepare(l, NULL) || exec_pool_create(&pool) ||
        exec_cta_create(&cta, pool, l, 0, 0))
        abort();
    for (uint32_t ready; (ready = exec_cta_ready(cta)) != 0;) {
        for (uint32_t i = 0; i < 32; i++) {
            if (!(ready >> i & 1)) continue;
            struct exec_trace t = {record, access, 0, 0, 64};
            if (exec_warp_run(exec_cta_warp(cta, i), 32, &t) == EXEC_FAULT) abort();
        }
    }
    exec_cta_counts(cta, &counts);
    exec_cta_release(pool, cta);
    exec_pool_free(pool);
    exec_launch_finish(l);
    return counts.warp_inst;
}

/* Best of three measurements of a loop, in warp instructions per second. */
static double rate(void (*make)(struct kernel *), bool traced, double seconds) {
    struct machine m;
    struct kernel k = {0};
    machine_init(&m, 1 << 20);
    machine_param_pointer(&m, 8, machine_alloc(&m, 65536));
    make(&k);
    double best = 0;
    for (uint32_t rounds = 1000, tries = 0; tries < 3;) {
        machine_param_word(&m, 0, rounds);
        struct exec_launch l = kernel_launch(&k, &m, 1, 256);
        struct exec_counts c = {0};
        struct exec_fault f;
        struct heddle_diag d;
        double begin = now();
        if (traced)
            c.warp_inst = run_traced(&l);
        else if (exec_run_immediate(&l, 1, 1024, &c, &f, &d))
            fprintf(stderr, "%s\n", d.text);
        double took = now() - begin;
        if (took < seconds / 4) {
            rounds *= 2;
            continue;
        }
        if ((double)c.warp_inst / took > best) best = (double)c.warp_inst / took;
        tries++;
    }
    machine_fini(&m);
    return best;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*make)(struct kernel *);
    } loops[] = {
        {"FFMA", loop_ffma},
        {"FADD, IADD3, ISETP, BRA", loop_short},
        {"integer", loop_integer},
        {"load, add, store", loop_memory},
        {"load, add, store, stride 2", loop_gather},
        {"shared memory and barrier", loop_shared},
        {"divergent if/else", loop_divergent},
        {"DFMA", loop_double},
    };
    double seconds = argc > 1 ? atof(argv[1]) : 0.4;
    printf("million MIR warp instructions per second, one thread\n%-30s %10s %10s\n", "loop",
           "immediate", "traced");
    for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++)
        printf("%-30s %10.1f %10.1f\n", loops[i].name, 1e-6 * rate(loops[i].make, false, seconds),
               1e-6 * rate(loops[i].make, true, seconds));
    vector_add_rate();
    return 0;
}

/* two_at_once.c - GPUs in several threads at the same time, and one after the other, have the same
 * figures, wherever their memory lies; so has one that several threads simulate. Creates and
 * destroys GPUs with timing many times. Runs to target times. Argument: saxpy.ptx. */
#include <pthread.h>

#include "saxpy.h"

enum { ELEMENTS = 20000, LAUNCHES = 2, AT_ONCE = 3, LIVES = 100 };

static const char *path;

static heddle_gpu *new_gpu(unsigned threads) {
    static const char *const settings[] = {"sm.count=8"};
    const struct heddle_gpu_options options = {
        .settings = settings, .num_settings = 1, .threads = threads};
    struct heddle_diag diag;
    heddle_gpu *gpu;
    NEED(heddle_gpu_create(&gpu, &options, &diag));
    return gpu;
}

/* @return the figures of the second launch, which the caller frees. */
static char *figures(unsigned threads) {
    struct heddle_diag diag;
    struct saxpy s;
    const char *json;
    heddle_gpu *gpu = new_gpu(threads);
    saxpy_begin(&s, gpu, path, ELEMENTS);
    for (int i = 0; i < LAUNCHES; i++) saxpy_launch(&s);
    saxpy_end(&s, LAUNCHES);
    NEED(heddle_launch_json(gpu, LAUNCHES - 1, &json, &diag));
    char *copy = strdup(json);
    NEED(heddle_gpu_destroy(gpu));
    return copy;
}

static void *in_thread(void *unused) {
    (void)unused;
    return figures(1);
}

static void compare(char *a, const char *b, const char *what) {
    if (strcmp(a, b)) {
        fprintf(stderr, "%s:\n%s\n%s\n", what, a, b);
        exit(1);
    }
    free(a);
}

/* Runs a launch to its end in steps of 100 ns: it ends when a wait says so. */
static void run_in_steps(void) {
    struct heddle_diag diag;
    struct saxpy s;
    uint64_t at, end;
    double end_ps;
    bool done = false;
    unsigned steps = 0;
    heddle_gpu *gpu = new_gpu(1);
    saxpy_begin(&s, gpu, path, ELEMENTS);
    saxpy_launch(&s);
    NEED(heddle_gpu_time(gpu, &at, &diag));
    for (; !done; steps++) NEED(heddle_gpu_run(gpu, at += 100000, &done, &diag));
    NEED(heddle_gpu_time(gpu, &end, &diag));
    NEED(heddle_launch_statistic(gpu, 0, "end_ps", &end_ps, &diag));
    if (end != at || steps < 10 || end_ps > (double)end || end_ps < (double)end - 1e6) {
        fprintf(stderr, "%u steps to %llu ps, the launch ended at %.0f\n", steps,
                (unsigned long long)end, end_ps);
        exit(1);
    }
    saxpy_end(&s, 1);
    NEED(heddle_gpu_destroy(gpu));
}

int main(int argc, char **argv) {
    pthread_t thread[AT_ONCE];
    if (argc < 2) return 2;
    path = argv[1];
    char *alone = figures(1);
    heddle_gpu *other = new_gpu(1); /* takes the usual place */
    compare(figures(1), alone, "beside another GPU");
    heddle_gpu_destroy(other);
    for (int i = 0; i < AT_ONCE; i++)
        if (pthread_create(&thread[i], NULL, in_thread, NULL)) return 1;
    for (int i = 0; i < AT_ONCE; i++) {
        void *got;
        pthread_join(thread[i], &got);
        compare(got, alone, "at once");
    }
    compare(figures(2), alone, "with two threads");
    for (int i = 0; i < LIVES; i++) heddle_gpu_destroy(new_gpu(1));
    run_in_steps();
    free(alone);
    return 0;
}

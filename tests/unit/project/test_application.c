/* test_application.c - project/application.c: the timeline of an application on a target, worked
 * out by hand. */
#include <criterion/criterion.h>
#include <math.h>

#include "project/application.h"
#include "project/simulated.h"
#include "worked_results.h"

#define NEAR(is, want) \
    cr_assert_float_eq((is), (double)(want), 1e-9 * fabs((double)(want)), "%.12g", (double)(is))

static struct worked_results w;

static void set_up(void) {
    worked_begin(&w);
    w.source.property[GPU_LINK] = (struct capability_value){.value = 10, .known = true};
    w.target.property[GPU_LINK] = (struct capability_value){.value = 20, .known = true};
}
static void tear_down(void) {
    worked_end(&w);
}
TestSuite(application, .init = set_up, .fini = tear_down);

static void step(enum project_step_kind kind, uint32_t stream, double begin, double end,
                 double bytes) {
    struct project_step s = {.kind = kind,
                             .kernel = w.kernels.count - 1,
                             .stream = stream,
                             .bytes = bytes,
                             .begin_us = begin,
                             .end_us = end};
    project_steps_add(&w.kernels, &s);
}
static void kernel(uint32_t stream, double begin, double end) {
    worked_add(&w, "k", w.kernels.count, end - begin);
    step(STEP_KERNEL, stream, begin, end, 0);
}

/* A kernel of the worked example takes 0.45 of its time on the target, 0.4 at least, 0.5 at most. A
 * copy of 80 kB at 10 GB/s takes 8 us and 2 of latency; on the target 4 and 2.
 * Copy 0 to 10, on the target to 6. Kernel from 14: 4 behind the copy, 10 to 14.5. Kernel of
 * another stream from 16, 6 behind the copy: 12 to 18.3. Copy back from 32, 2 behind the second
 * kernel: 20.3 to 26.3. */
Test(application, by_hand) {
    step(STEP_TO_DEVICE, 0, 0, 10, 80e3);
    kernel(0, 14, 24);
    kernel(1, 16, 30);
    step(STEP_TO_HOST, 0, 32, 42, 80e3);
    worked_project(&w, 1);
    NEAR(w.results.application_us, 42);
    NEAR(w.results.application[0].centre_us, 26.3);
    NEAR(w.results.application[0].low_us, 12 + 5.6 + 2 + 6);
    NEAR(w.results.application[0].high_us, 12 + 7 + 2 + 6);
}

/* The order of the steps in the list says nothing. */
Test(application, any_order_of_steps) {
    kernel(1, 16, 30);
    step(STEP_TO_HOST, 0, 32, 42, 80e3);
    kernel(0, 14, 24);
    step(STEP_TO_DEVICE, 0, 0, 10, 80e3);
    worked_project(&w, 1);
    NEAR(w.results.application[0].centre_us, 26.3);
}

/* A stream keeps its order: the kernel of 100 us leaves 45, and the next one of its stream waits
 * for it although another stream's kernel ended later on the source. */
Test(application, a_stream_keeps_its_order) {
    w.source.property[GPU_LINK].known = false;
    kernel(0, 0, 100);
    step(STEP_TO_HOST, 1, 90, 101, 80e3); /* begins at the start of all: nothing ended before */
    kernel(0, 102, 112);
    worked_project(&w, 1);
    NEAR(w.results.application[0].centre_us, 90 + 11 + 1 + 4.5);
}

/* Fills follow device memory: 800 to 2,000 GB/s. The time does not begin at 0. */
Test(application, fills_follow_memory) {
    step(STEP_FILL, 0, 1000, 1010, 1e6);
    worked_project(&w, 1);
    NEAR(w.results.application_us, 10);
    NEAR(w.results.application[0].centre_us, 4);
}

Test(application, without_a_timeline_there_is_none) {
    worked_add(&w, "k", 0, 10);
    worked_project(&w, 1);
    cr_assert_eq(w.results.application_us, 0);
}

Test(application, a_refused_kernel_leaves_a_hole) {
    kernel(0, 0, 10);
    worked_add(&w, "k", 1, 0); /* took no time */
    worked_project(&w, 1);
    cr_assert_eq(w.results.num_refused, 1);
    cr_assert_eq(w.results.application_us, 0);
}

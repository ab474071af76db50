// events.h - shared by the microbenchmarks that take their times from events.
#ifndef HEDDLE_APPS_MICROBENCH_EVENTS_H
#define HEDDLE_APPS_MICROBENCH_EVENTS_H

#include <cuda_runtime.h>

#include "../common/app.h"

// Seconds between two events around a launch.
template <class Launch> static double seconds(const char *what, Launch launch) {
    cudaEvent_t before, after;
    float ms;
    CHECK(cudaEventCreate(&before));
    CHECK(cudaEventCreate(&after));
    CHECK(cudaEventRecord(before, 0));
    launch();
    CHECK(cudaEventRecord(after, 0));
    WAIT(what);
    CHECK(cudaEventElapsedTime(&ms, before, after));
    CHECK(cudaEventDestroy(before));
    CHECK(cudaEventDestroy(after));
    return ms * 1e-3;
}

// Seconds by which launch(last) takes longer than launch(first), after a run that warms caches.
template <class Launch>
static double beyond(const char *what, long first, long last, Launch launch) {
    seconds(what, [&] { launch(first); });
    double shorter = seconds(what, [&] { launch(first); });
    return seconds(what, [&] { launch(last); }) - shorter;
}

#endif

// capability_launches.h - part of micro_capability: what its benchmarks share, and how long
// launches take, by the clock of an SM.
#ifndef HEDDLE_APPS_MICROBENCH_CAPABILITY_LAUNCHES_H
#define HEDDLE_APPS_MICROBENCH_CAPABILITY_LAUNCHES_H

#include "events.h"
#include "micro.h"

#include <algorithm>
#include <vector>

static int sms;
static double ghz;
static long length; // factor of all loops

static void value(const char *key, double number, const char *unit, const char *how) {
    if (!(number >= 0)) exit(app_fail("%s is %g %s", key, number, unit));
    const char *format = number == (double)(long)number ? APP_NAME ": VALUE %s %.0f %s %s\n"
                                                        : APP_NAME ": VALUE %s %.6g %s %s\n";
    printf(format, key, number, unit, how);
}

static int attribute(cudaDeviceAttr which) {
    int result;
    CHECK(cudaDeviceGetAttribute(&result, which, 0));
    return result;
}

// ---- launches

// When a CTA ran, by the clock of its SM. It ends `store` cycles after `stop`, about: when it has
// stored this.
struct visit {
    u64 start, stop, store;
    u32 sm, cta;
};

// What `stay` does. It has no parameters, because the first access to a kernel's parameters misses,
// and would count as a part of the launch.
struct order {
    u64 first, others; // cycles that a CTA stays: the first one, and each of the others
    visit *visits;     // a place for each CTA
    u32 count;         // of CTAs so far
};
__device__ order task;

// A CTA whose first thread stays and stores a visit.
__global__ void stay() {
    u64 start = now();
    if (threadIdx.x != 0) return;
    const u64 asked = now();
    u32 sm, place = atomicAdd(&task.count, 1);
    visit *v = task.visits + place;
    const u64 cycles = place == 0 ? task.first : task.others;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    v->sm = sm;
    v->cta = blockIdx.x;
    v->start = start;
    // The atomic has come back, as these stores know where to go. An acknowledgement takes as long;
    // a fence would take longer, with or without stores.
    const u64 store = now() - asked;
    while (now() - start < cycles) {
    }
    __threadfence(); // waits for the stores
    u64 stop = now();
    v->store = store;
    v->stop = stop;
}

// Has CTAs stay `first` and `others` cycles, in launches that launch() makes. @return their visits,
// in the order in which they came
template <class Launch>
static std::vector<visit> visits_of(int ctas, double first, double others, Launch launch) {
    std::vector<visit> visits(ctas);
    const order o = {(u64)first, (u64)others, app_zeros_on_device<visit>(ctas), 0};
    CHECK(cudaMemcpyToSymbol(task, &o, sizeof o));
    launch();
    WAIT("stay");
    app_to_host(visits.data(), o.visits, ctas);
    CHECK(cudaFree(o.visits));
    return visits;
}

static double median(std::vector<double> &values, const char *what) {
    if (values.empty()) exit(app_fail("%s: no two CTAs ran on one SM", what));
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// Cycles from the end of a kernel to the start of the next one. Clocks compare on one SM only, and
// a GPU may give each kernel to another SM. So this takes the time from one visit of an SM to the
// next, less that of the kernels between them, by the number of gaps.
static double gap(const std::vector<visit> &v, const char *what) {
    std::vector<double> gaps;
    for (size_t i = 0; i < v.size(); i++) {
        double between = 0;
        for (size_t j = i + 1; j < v.size(); j++) {
            if (v[j].sm == v[i].sm) {
                double time = (double)(v[j].start - v[i].stop - v[i].store);
                gaps.push_back((time - between) / (double)(j - i));
                break;
            }
            between += (double)(v[j].stop + v[j].store - v[j].start);
        }
    }
    return median(gaps, what);
}

static void gaps() {
    const int kernels = sms + 16;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t runnable;
    CHECK(cudaStreamCreate(&stream));
    auto launch = [&] {
        for (int i = 0; i < kernels; i++) stay<<<1, 32, 0, stream>>>();
    };
    // The first kernel stays for 10 us a kernel, so that all others are in the queue when it ends.
    double cycles = gap(visits_of(kernels, 10e3 * kernels * ghz, 0, launch), "launch.gap");
    value("launch.gap", cycles / ghz * 1e-3, "us",
          "kernels of one warp in a stream, queued behind another one");
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    launch();
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiateWithFlags(&runnable, graph, 0));
    cycles = gap(visits_of(kernels, 0, 0, [&] { CHECK(cudaGraphLaunch(runnable, stream)); }),
                 "launch.graph");
    value("launch.graph", cycles / ghz * 1e-3, "us", "kernels of one warp in a graph");
    CHECK(cudaGraphExecDestroy(runnable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
}

// The visits of a launch in order of their SMs, and of their starts on each.
static std::vector<visit> on_each_sm(int ctas, int threads, int shared, double cycles) {
    CHECK(cudaFuncSetAttribute((const void *)stay, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               shared));
    std::vector<visit> v =
        visits_of(ctas, cycles, cycles, [&] { stay<<<ctas, threads, shared>>>(); });
    std::sort(v.begin(), v.end(), [](const visit &x, const visit &y) {
        return x.sm != y.sm ? x.sm < y.sm : x.start < y.start;
    });
    return v;
}

static void dispatch() {
    std::vector<double> between, replace;
    // four CTAs of 256 threads on each SM, which stay until all have begun
    std::vector<visit> v = on_each_sm(4 * sms, 256, 0, 64.0 * sms);
    for (size_t i = 1; i < v.size(); i++)
        if (v[i].sm == v[i - 1].sm && v[i].cta > v[i - 1].cta)
            between.push_back((double)(v[i].start - v[i - 1].start) / (v[i].cta - v[i - 1].cta));
    value("launch.cta", median(between, "launch.cta"), "cycles",
          "4 CTAs of 256 threads on each SM, which differ in their starts");
    // one CTA on each SM at a time, because two do not fit into shared memory; none waits until the
    // one before it has stored
    int whole = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    v = on_each_sm(6 * sms, 128, whole / 2 + 1024, 4000);
    for (size_t i = 1; i < v.size(); i++)
        if (v[i].sm == v[i - 1].sm)
            replace.push_back((double)v[i].start - (double)v[i - 1].stop);
    value("launch.replace", median(replace, "launch.replace"), "cycles",
          "6 CTAs of 128 threads one after another on each SM");
}

#endif

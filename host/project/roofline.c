/* roofline.c - see roofline.h */
#include "project/roofline.h"

#include <math.h>

enum { LANES = 32, SHARED_BYTES_PER_CYCLE = 128 }; /* 32 banks of 4 bytes */

double roofline_at(double intensity, double bandwidth, double performance) {
    return fmin(bandwidth * intensity, performance);
}

double roofline_mix_performance(const struct roofline_mix *mix, double fma_performance,
                                double add_mul_performance) {
    double separate = mix->add + mix->mul, all = mix->fma + separate;
    if (all == 0) return fma_performance;
    return fma_performance * mix->fma / all + add_mul_performance * separate / all;
}

double roofline_lane_ceiling(double active, double mix_performance) {
    return active / LANES * mix_performance;
}

double roofline_level_time(double bytes, double bandwidth) {
    return bytes / bandwidth;
}

double roofline_shared_time(double bytes, double bytes_per_cycle, double bandwidth) {
    return bytes / bytes_per_cycle * SHARED_BYTES_PER_CYCLE / bandwidth;
}

double roofline_bandwidth_ceiling(enum roofline_level level, const struct roofline_served *bytes,
                                  const struct roofline_times *times) {
    double sum = 0, time = 0;
    for (int i = level; i < ROOFLINE_LEVELS; i++) {
        sum += bytes->of[i];
        time += times->of[i];
    }
    if (level == ROOFLINE_L1) {
        sum += bytes->shared;
        time += times->shared;
    }
    return time == 0 ? 0 : sum / time;
}

double roofline_project(double source_performance, double source_roof, double target_roof) {
    return source_performance / source_roof * target_roof;
}

double roofline_intensity(double flop, double bytes) {
    return bytes == 0 ? INFINITY : flop / bytes;
}

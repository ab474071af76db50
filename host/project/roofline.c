/* roofline.c - the equations of the published projection model, a function for each; roofline.h has
 * their numbers in the paper and their units (FLOP/s, bytes/s, bytes, seconds). roofs.c and
 * paper_model.c call them. Pure functions. */
#include "project/roofline.h"

#include <math.h>

enum { LANES = 32, SHARED_BYTES_PER_CYCLE = 128 }; /* 32 banks of 4 bytes */

/* (1) FLOP/s at an operational intensity (FLOP/byte) under both roofs. */
double roofline_at(double intensity, double bandwidth, double performance) {
    return fmin(bandwidth * intensity, performance);
}

/* (2) FLOP/s of a mix: the mean of the roof of fused multiply-adds and that of separate additions
 * and multiplications, weighted by instructions. A mix without operations gets the roof of fused
 * ones. */
double roofline_mix_performance(const struct roofline_mix *mix, double fma_performance,
                                double add_mul_performance) {
    double separate = mix->add + mix->mul, all = mix->fma + separate;
    if (all == 0) return fma_performance;
    return fma_performance * mix->fma / all + add_mul_performance * separate / all;
}

/* (3) FLOP/s with `active` of 32 lanes in the mean instruction. */
double roofline_lane_ceiling(double active, double mix_performance) {
    return active / LANES * mix_performance;
}

/* (4) Seconds for bytes that hit a level. */
double roofline_level_time(double bytes, double bandwidth) {
    return bytes / bandwidth;
}

/* (5) Seconds for shared memory whose mean cycle moves `bytes_per_cycle` bytes of the 128 that it
 * could. */
double roofline_shared_time(double bytes, double bytes_per_cycle, double bandwidth) {
    return bytes / bytes_per_cycle * SHARED_BYTES_PER_CYCLE / bandwidth;
}

/* (6) to (8) Bytes/s of a level: all bytes that it and the levels behind it serve, over the sum of
 * their times; at L1 with shared memory. @return 0 when there are no such bytes. */
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

/* (9) FLOP/s on the target: its roof, by as much as the source missed its own. */
double roofline_project(double source_performance, double source_roof, double target_roof) {
    return source_performance / source_roof * target_roof;
}

/* (10) FLOP per byte that passes a level; infinite when none does. */
double roofline_intensity(double flop, double bytes) {
    return bytes == 0 ? INFINITY : flop / bytes;
}

/* roofline.h - the equations of the published projection model, one function each.
 *
 * Van Lanker, Taboada, Brunet, Trahay: "Predicting GPU kernel's performance on upcoming
 * architectures", Euro-Par 2024. Numbers in brackets are the paper's equations. Units: FLOP/s,
 * bytes/s, bytes, FLOP, FLOP/byte, seconds. Pure functions. */
#ifndef HEDDLE_PROJECT_ROOFLINE_H
#define HEDDLE_PROJECT_ROOFLINE_H

/* The levels whose roofs bound a kernel, nearest to the SM first. */
enum roofline_level { ROOFLINE_L1, ROOFLINE_L2, ROOFLINE_DRAM, ROOFLINE_LEVELS };

/* Instructions of a kernel in one precision, per thread and instruction. */
struct roofline_mix {
    double add, mul, fma;
};

/* Bytes by the place that serves them: of a level, those that hit there. */
struct roofline_served {
    double of[ROOFLINE_LEVELS];
    double shared;
};

/* Seconds that the same bytes take. */
struct roofline_times {
    double of[ROOFLINE_LEVELS];
    double shared;
};

/* (1) FLOP/s at an operational intensity under a bandwidth and a performance roof. */
double roofline_at(double intensity, double bandwidth, double performance);

/* (2) Performance of a mix between the roof of fused multiply-adds and that of separate additions
 * and multiplications. A mix without operations gets the roof of fused ones. */
double roofline_mix_performance(const struct roofline_mix *mix, double fma_performance,
                                double add_mul_performance);

/* (3) Performance ceiling with `active` of 32 lanes in the mean instruction. */
double roofline_lane_ceiling(double active, double mix_performance);

/* (4) Seconds for bytes that hit a level. */
double roofline_level_time(double bytes, double bandwidth);

/* (5) Seconds for shared memory whose mean cycle moves `bytes_per_cycle` bytes of the 128 that it
 * could. */
double roofline_shared_time(double bytes, double bytes_per_cycle, double bandwidth);

/* (6) to (8) Bandwidth ceiling of a level: the weighted harmonic mean over all bytes that pass it.
 * @return 0 when none do. */
double roofline_bandwidth_ceiling(enum roofline_level level, const struct roofline_served *bytes,
                                  const struct roofline_times *times);

/* (9) Performance on the target: its roof, by as much as the source missed its own. */
double roofline_project(double source_performance, double source_roof, double target_roof);

/* (10) FLOP per byte that passes a level. */
double roofline_intensity(double flop, double bytes);

#endif

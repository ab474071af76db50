/* wall_time.h - wall time of this machine, for reports and time-outs. No result depends on it.
 *
 * Threads: any. */
#ifndef HEDDLE_COMMON_WALL_TIME_H
#define HEDDLE_COMMON_WALL_TIME_H

/* Seconds since some moment before the process began. Never runs backwards. */
double wall_seconds(void);

/* Adds up times; starts and stops may be nested, as the outermost count. One thread at a time. All
 * 0 at first. */
struct stopwatch {
    double seconds; /* of all times from a start to its stop */
    double since;
    unsigned depth;
};
static inline void stopwatch_start(struct stopwatch *w) {
    if (!w->depth++) w->since = wall_seconds();
}
static inline void stopwatch_stop(struct stopwatch *w) {
    if (!--w->depth) w->seconds += wall_seconds() - w->since;
}

#endif

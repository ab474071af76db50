/* wall_time.h - wall time of this machine, for reports and time-outs. No result depends on it.
 *
 * Threads: any. */
#ifndef HEDDLE_COMMON_WALL_TIME_H
#define HEDDLE_COMMON_WALL_TIME_H

/* Seconds since some moment before the process began. Never runs backwards. */
double wall_seconds(void);

#endif
